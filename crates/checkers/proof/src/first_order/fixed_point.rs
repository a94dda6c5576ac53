//! Rounding of exact numbers to floating-point formats, as a circuit.
//!
//! An exact number is a sign and a magnitude on a fixed grid of powers of two, with one more bit that says whether anything lies below
//! the grid. So sums and comparisons are those of integers, and rounding is one circuit for every operation: the place of the leading one
//! says how many bits are dropped, the last bit that remains and those dropped decide by the mode, and the result's exponent is the
//! number of bits dropped, counted from the smallest. The numbers are as wide as the exponent's range: the encoding is large, plain, and
//! unlike those that solvers use.

use crate::arithmetic::Bits;
use crate::gates::Gates;
use crate::solver::Lit;
use entail_first_order::{Format, Rounding};

/// A number `magnitude * 2^lowest`, and a bit less than `2^lowest` more if `sticky`.
#[derive(Clone)]
pub(super) struct Exact {
    pub sign: Lit,
    pub magnitude: Bits,
    pub lowest: i64,
    pub sticky: Lit,
}

/// The exponent of the least significant bit of subnormal numbers.
pub(super) fn grid(format: Format) -> i64 {
    2 - (1i64 << (format.exponent - 1)) - i64::from(format.significand - 1)
}

/// Literals that say which mode three bits are.
pub(super) struct Modes {
    is: [Lit; 5],
}

impl Modes {
    pub fn of(gates: &mut Gates, bits: &[Lit]) -> Modes {
        let mut is = [gates.constant(false); 5];
        for (index, place) in is.iter_mut().enumerate() {
            let code = gates.number(index as i128, 3);
            *place = gates.equal_bits(bits, &code);
        }
        Modes { is }
    }

    pub fn is(&self, mode: Rounding) -> Lit {
        self.is[mode.index()]
    }

    /// Whether the magnitude is rounded up, by the last bit that stays, the first that is dropped, and whether more is.
    pub fn rounds_up(&self, gates: &mut Gates, sign: Lit, last: Lit, first: Lit, more: Lit) -> Lit {
        let is_inexact = gates.or(first, more);
        let tie_or_more = gates.or(more, last);
        let cases = [
            (Rounding::NearestEven, gates.and(first, tie_or_more)),
            (Rounding::NearestAway, first),
            (Rounding::Up, gates.and(is_inexact, !sign)),
            (Rounding::Down, gates.and(is_inexact, sign)),
        ];
        let mut all = Vec::new();
        for (mode, condition) in cases {
            all.push(gates.and(self.is(mode), condition));
        }
        gates.any(all)
    }
}

/// The bits of a number of a format that is not NaN: sign, then the rest.
pub(super) fn signed(magnitude: &[Lit], sign: Lit) -> Bits {
    let mut bits = magnitude.to_vec();
    bits.push(sign);
    bits
}

/// A number of so many bits that is at least the position of the leading one of the magnitude, and at least a minimum: the larger of both.
fn leading_position(gates: &mut Gates, magnitude: &[Lit], least: usize, width: usize) -> Bits {
    let mut columns: Vec<Vec<Lit>> = vec![Vec::new(); width];
    let mut none_above = gates.constant(true);
    for position in (least..magnitude.len()).rev() {
        let bit = magnitude[position];
        // The lowest position stands for all below it.
        let is_leading = match position == least {
            true => none_above,
            false => gates.and(none_above, bit),
        };
        none_above = gates.and(none_above, !bit);
        for (place, column) in columns.iter_mut().enumerate() {
            if position >> place & 1 == 1 {
                column.push(is_leading);
            }
        }
    }
    columns.into_iter().map(|column| gates.any(column)).collect()
}

/// Shifts to the right; the bits and whether a one was dropped.
fn shift_right_sticky(gates: &mut Gates, bits: &[Lit], by: &[Lit]) -> (Bits, Lit) {
    let zero = gates.constant(false);
    let mut shifted = bits.to_vec();
    let mut sticky = zero;
    for (power, &digit) in by.iter().enumerate() {
        let distance = 1usize << power.min(40);
        let dropped = gates.any(shifted.iter().take(distance).copied());
        let lost = gates.and(digit, dropped);
        sticky = gates.or(sticky, lost);
        let moved: Bits = (0..shifted.len())
            .map(|at| shifted.get(at.saturating_add(distance)).copied().unwrap_or(zero))
            .collect();
        shifted = gates.mux_bits(digit, &moved, &shifted);
    }
    (shifted, sticky)
}

/// The bits of the number rounded to a format. A zero has the sign given.
pub(super) fn round(gates: &mut Gates, format: Format, modes: &Modes, number: &Exact) -> Bits {
    let zero = gates.constant(false);
    let fraction = format.significand as usize - 1;
    // One bit below the format's grid, so that a bit is always dropped.
    let below = (number.lowest - (grid(format) - 1)).max(0) as usize;
    let mut magnitude = vec![zero; below];
    magnitude.extend(&number.magnitude);
    let lowest = number.lowest.min(grid(format) - 1);
    // Dropped at least: down to the format's grid.
    let fewest = (grid(format) - lowest) as usize;
    let least = fewest + fraction;
    magnitude.resize(magnitude.len().max(least + 1), zero);
    let width = (usize::BITS - magnitude.len().leading_zeros()) as usize;
    let leading = leading_position(gates, &magnitude, least, width);
    let offset = gates.number(least as i128, width);
    let beyond = gates.subtract_bits(&leading, &offset);
    // Drop all but one of the fewest at once, the rest by shifting.
    let cut = fewest - 1;
    let early = gates.any(magnitude[..cut].iter().copied());
    let (shifted, late) = shift_right_sticky(gates, &magnitude[cut..], &beyond);
    let more = gates.any([early, late, number.sticky]);
    let first = shifted[0];
    let mut multiple: Bits = shifted[1..].iter().copied().take(fraction + 1).collect();
    multiple.resize(fraction + 1, zero);
    let up = modes.rounds_up(gates, number.sign, multiple[0], first, more);
    // The exponent's field is the number of bits dropped beyond the fewest; the hidden bit and the carry add to it.
    let wide = fraction + width.max(format.exponent as usize) + 2;
    let mut field = vec![zero; fraction];
    field.extend(&beyond);
    field.resize(wide, zero);
    let multiple = gates.resize(&multiple, wide, false);
    let sum = gates.add_bits(&field, &multiple);
    let mut one = vec![zero; wide];
    one[0] = up;
    let sum = gates.add_bits(&sum, &one);
    // From the pattern of infinity on, it is too large.
    let ones = ((1i128 << format.exponent) - 1).max(0);
    let mut infinity = gates.number(0, fraction);
    infinity.extend(gates.number(ones, wide - fraction));
    let overflows = !gates.less_bits(&sum, &infinity, false);
    let own = format.width() as usize - 1;
    let mut largest = vec![gates.constant(true); own];
    largest[fraction] = zero;
    let to_infinity = {
        let (up, down) = (modes.is(Rounding::Up), modes.is(Rounding::Down));
        let (to_up, to_down) = (gates.and(up, !number.sign), gates.and(down, number.sign));
        gates.any([
            modes.is(Rounding::NearestEven),
            modes.is(Rounding::NearestAway),
            to_up,
            to_down,
        ])
    };
    let beyond = gates.mux_bits(to_infinity, &infinity[..own], &largest);
    let result = gates.mux_bits(overflows, &beyond, &sum[..own]);
    signed(&result, number.sign)
}

/// The whole number that is nearest by the mode: its magnitude, with the unit as bit 0, one bit wider for the carry.
pub(super) fn to_whole(gates: &mut Gates, modes: &Modes, number: &Exact) -> Bits {
    let zero = gates.constant(false);
    // One bit below the unit at least.
    let mut magnitude = number.magnitude.clone();
    let mut lowest = number.lowest;
    while lowest > -1 {
        magnitude.insert(0, zero);
        lowest -= 1;
    }
    let unit = (-lowest) as usize;
    magnitude.resize(magnitude.len().max(unit + 1), zero);
    let first = magnitude[unit - 1];
    let dropped = gates.any(magnitude[..unit - 1].iter().copied());
    let more = gates.or(dropped, number.sticky);
    let mut whole: Bits = magnitude[unit..].to_vec();
    let up = modes.rounds_up(gates, number.sign, whole[0], first, more);
    whole.push(zero);
    let mut one = vec![zero; whole.len()];
    one[0] = up;
    gates.add_bits(&whole, &one)
}
