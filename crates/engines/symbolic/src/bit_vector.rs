//! Arithmetic circuits over vectors of Boolean functions, least significant bit first.
//!
//! The textbook circuits: ripple-carry addition, shift-and-add multiplication, restoring division, logarithmic shifter. All
//! wrap to the width of their operands, which must agree. With the bits of both operands interleaved in the order, addition
//! and comparison are linear in the width; multiplication and division are exponential in any order.

use entail_dd::{Bdd, Manager, Result};

pub(crate) type Bits = Vec<Bdd>;

pub(crate) fn constant(manager: &Manager, width: usize, bit: impl Fn(usize) -> bool) -> Bits {
    (0..width).map(|place| manager.constant(bit(place))).collect()
}

/// Wider by repeating the sign, or by zeros; or cut.
pub(crate) fn resize(manager: &Manager, bits: &[Bdd], width: usize, signed: bool) -> Bits {
    let fill = match bits.last() {
        Some(sign) if signed => sign.clone(),
        _ => manager.zero(),
    };
    (0..width)
        .map(|place| bits.get(place).unwrap_or(&fill).clone())
        .collect()
}

pub(crate) fn add(a: &[Bdd], b: &[Bdd], carry: Bdd) -> Result<Bits> {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let half = a.xor(b)?;
        sum.push(half.xor(&carry)?);
        carry = half.ite(&carry, a)?;
    }
    Ok(sum)
}

pub(crate) fn complement(a: &[Bdd]) -> Bits {
    a.iter().map(Bdd::not).collect()
}

pub(crate) fn subtract(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Bits> {
    add(a, &complement(b), manager.one())
}

pub(crate) fn negate(manager: &Manager, a: &[Bdd]) -> Result<Bits> {
    let zero = constant(manager, a.len(), |_| false);
    subtract(manager, &zero, a)
}

pub(crate) fn multiply(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Bits> {
    let width = a.len();
    let mut product = constant(manager, width, |_| false);
    for (shift, bit) in b.iter().enumerate() {
        if bit.is_false() {
            continue;
        }
        let mut partial = constant(manager, width, |_| false);
        for place in shift..width {
            partial[place] = a[place - shift].and(bit)?;
        }
        product = add(&product, &partial, manager.zero())?;
    }
    Ok(product)
}

pub(crate) fn choose(condition: &Bdd, a: &[Bdd], b: &[Bdd]) -> Result<Bits> {
    a.iter().zip(b).map(|(a, b)| condition.ite(a, b)).collect()
}

pub(crate) fn equal(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
    let mut equal = manager.one();
    for (a, b) in a.iter().zip(b) {
        equal = a.iff(b)?.and(&equal)?;
    }
    Ok(equal)
}

/// a < b, unsigned.
pub(crate) fn below(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
    let mut less = manager.zero();
    for (a, b) in a.iter().zip(b) {
        less = a.xor(b)?.ite(b, &less)?;
    }
    Ok(less)
}

/// a < b in two's complement.
pub(crate) fn less(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Bdd> {
    let (Some(sign_a), Some(sign_b)) = (a.last(), b.last()) else {
        return Ok(manager.zero());
    };
    let unsigned = below(manager, a, b)?;
    sign_a.xor(sign_b)?.ite(sign_a, &unsigned)
}

/// Quotient and remainder, unsigned; by zero, all ones and the dividend.
pub(crate) fn divide(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<(Bits, Bits)> {
    let width = a.len();
    let divisor = resize(manager, b, width + 1, false);
    let mut remainder = constant(manager, width + 1, |_| false);
    let mut quotient = constant(manager, width, |_| false);
    for place in (0..width).rev() {
        remainder.pop();
        remainder.insert(0, a[place].clone());
        let fits = below(manager, &remainder, &divisor)?.not();
        let rest = subtract(manager, &remainder, &divisor)?;
        remainder = choose(&fits, &rest, &remainder)?;
        quotient[place] = fits;
    }
    remainder.truncate(width);
    Ok((quotient, remainder))
}

/// Quotient towards zero and remainder with the sign of the dividend, in two's complement; by zero, `bvsdiv` and the dividend.
pub(crate) fn divide_signed(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<(Bits, Bits)> {
    let (Some(sign_a), Some(sign_b)) = (a.last().cloned(), b.last().cloned()) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let magnitude_a = choose(&sign_a, &negate(manager, a)?, a)?;
    let magnitude_b = choose(&sign_b, &negate(manager, b)?, b)?;
    let (quotient, remainder) = divide(manager, &magnitude_a, &magnitude_b)?;
    let flips = sign_a.xor(&sign_b)?;
    let quotient = choose(&flips, &negate(manager, &quotient)?, &quotient)?;
    let remainder = choose(&sign_a, &negate(manager, &remainder)?, &remainder)?;
    Ok((quotient, remainder))
}

/// Shifted left or right by an unsigned amount; what comes in is `fill`.
pub(crate) fn shift(manager: &Manager, a: &[Bdd], amount: &[Bdd], left: bool, fill: &Bdd) -> Result<Bits> {
    let width = a.len();
    let mut shifted = a.to_vec();
    let mut beyond = manager.zero();
    for (place, bit) in amount.iter().enumerate() {
        let by = match 1usize.checked_shl(place as u32) {
            Some(by) if by < width => by,
            _ => {
                beyond = beyond.or(bit)?;
                continue;
            }
        };
        let moved: Bits = (0..width)
            .map(|to| {
                let from = if left {
                    to.checked_sub(by)
                } else {
                    Some(to + by).filter(|&from| from < width)
                };
                from.map_or(fill, |from| &shifted[from]).clone()
            })
            .collect();
        shifted = choose(bit, &moved, &shifted)?;
    }
    let gone = vec![fill.clone(); width];
    choose(&beyond, &gone, &shifted)
}
