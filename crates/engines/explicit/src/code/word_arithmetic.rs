//! Arithmetic of words of at most 64 bits, kept as zero-extended bits in a cell.
//!
//! The definitions are those of `entail_model::Word`, operation by operation; division by zero as in SMT-LIB.

use super::instruction::WordOp;

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The number that the bits stand for in two's complement.
fn signed_number(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// The result of an operation; `right` is a field of the instruction for `Extract` and `Extend`, a cell otherwise.
pub(crate) fn apply(op: WordOp, width: u32, signed: bool, left: i64, right: i64) -> i64 {
    let (a, b) = (left as u64, right as u64);
    let result = match op {
        WordOp::Less if signed => return i64::from(signed_number(a, width) < signed_number(b, width)),
        WordOp::Less => return i64::from(a < b),
        WordOp::ToInteger if signed => return signed_number(a, width),
        WordOp::ToInteger => return left,
        WordOp::Add => a.wrapping_add(b),
        WordOp::Subtract => a.wrapping_sub(b),
        WordOp::Negate => a.wrapping_neg(),
        WordOp::Multiply => a.wrapping_mul(b),
        WordOp::Divide => divide(a, b, width, signed),
        WordOp::Remainder => remainder(a, b, width, signed),
        WordOp::BitNot => !a,
        WordOp::BitAnd => a & b,
        WordOp::BitOr => a | b,
        WordOp::BitXor => a ^ b,
        WordOp::ShiftLeft if b >= u64::from(width) => 0,
        WordOp::ShiftLeft => a << b,
        WordOp::ShiftRight if signed => (signed_number(a, width) >> b.min(63)) as u64,
        WordOp::ShiftRight if b >= u64::from(width) => 0,
        WordOp::ShiftRight => a >> b,
        WordOp::Concat => return (a << width | b) as i64,
        WordOp::Extract => a >> b,
        WordOp::Extend if signed => signed_number(a, right as u32) as u64,
        WordOp::Extend => a,
        WordOp::FromInteger => a,
    };
    (result & mask(width)) as i64
}

fn divide(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if !signed {
        return a.checked_div(b).unwrap_or(u64::MAX);
    }
    let (a, b) = (signed_number(a, width), signed_number(b, width));
    match b {
        0 if a < 0 => 1,
        0 => u64::MAX,
        _ => a.wrapping_div(b) as u64,
    }
}

fn remainder(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if b == 0 {
        return a;
    }
    if signed {
        signed_number(a, width).wrapping_rem(signed_number(b, width)) as u64
    } else {
        a % b
    }
}
