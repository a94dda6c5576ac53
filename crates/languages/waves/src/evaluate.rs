//! The values of expressions (IEEE 1800-2017, 11.4, 11.6 and 11.8).
//!
//! An expression is evaluated in the width and with the sign of what is around it: operands that belong to one context are all extended first. Where a bit is not known, the
//! result of arithmetic and of an order is not known; bits, equality and choices are not known only where they depend on it.

use crate::expression::Expression;
use crate::operators::{Binary, Function, Unary};
use crate::word::{Bit, MOST_BITS, Word};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Where values are taken: now, and at earlier ticks.
pub trait Moments {
    /// The value of a signal now.
    fn signal(&self, number: usize) -> Word;
    /// A truth value that is known to whoever asks.
    fn given(&self, number: usize) -> bool;
    /// So many ticks earlier; nothing before the first.
    fn earlier(&self, count: u32) -> Past<'_>;
}

/// Values at an earlier tick, if there is one.
pub type Past<'m> = Option<Box<dyn Moments + 'm>>;

/// For expressions of numbers alone.
pub(crate) struct Nowhere;

impl Moments for Nowhere {
    fn signal(&self, _number: usize) -> Word {
        Word::bit(Bit::X)
    }

    fn given(&self, _number: usize) -> bool {
        false
    }

    fn earlier(&self, _count: u32) -> Past<'_> {
        None
    }
}

impl Expression {
    /// Its value.
    pub fn value(&self, moment: &dyn Moments) -> Word {
        let (width, signed) = self.kind();
        evaluate_in(self, width, signed, moment)
    }

    /// Whether it is true; what is not known is not.
    pub fn truth(&self, moment: &dyn Moments) -> bool {
        self.value(moment).truth() == Bit::One
    }

    /// Notes the signals that it reads.
    pub fn signals(&self, into: &mut Vec<usize>) {
        match self {
            Expression::Number(..) | Expression::Fill(_) | Expression::Given(_) => {}
            Expression::Signal { number, .. } => into.push(*number),
            Expression::Select { signal, at, .. } => {
                into.push(*signal);
                at.signals(into);
            }
            Expression::Joined(parts) => parts.iter().for_each(|part| part.signals(into)),
            Expression::Unary(_, inner) | Expression::Call(_, inner) | Expression::Past(inner, _) => {
                inner.signals(into);
            }
            Expression::Binary(_, sides) => {
                sides.0.signals(into);
                sides.1.signals(into);
            }
            Expression::Choice(parts) => parts.iter().for_each(|part| part.signals(into)),
        }
    }
}

/// The value in the width and with the sign of a context.
pub(crate) fn evaluate_in(expression: &Expression, width: u32, signed: bool, moment: &dyn Moments) -> Word {
    let inside = |inner: &Expression| evaluate_in(inner, width, signed, moment);
    match expression {
        Expression::Fill(bit) => Word::filled(*bit, width),
        Expression::Unary(Unary::Plus, inner) => inside(inner),
        Expression::Unary(Unary::Invert, inner) => {
            Word(inside(inner).0.into_iter().map(Bit::negated).collect())
        }
        Expression::Unary(Unary::Minus, inner) => match inside(inner).number(signed) {
            Some(number) => Word::of_number(&-number, width),
            None => Word::filled(Bit::X, width),
        },
        Expression::Binary(operator, sides) if !operator.is_truth() => {
            let left = inside(&sides.0);
            match operator.is_shift() {
                true => shifted(*operator, &left, &sides.1, signed, moment),
                false => computed(*operator, &left, &inside(&sides.1), signed),
            }
        }
        Expression::Choice(parts) => match parts[0].value(moment).truth().known() {
            Some(true) => inside(&parts[1]),
            Some(false) => inside(&parts[2]),
            None => {
                let (first, second) = (inside(&parts[1]), inside(&parts[2]));
                let joined = first
                    .0
                    .iter()
                    .zip(&second.0)
                    .map(|(first, second)| match first == second {
                        true if first.known().is_some() => *first,
                        _ => Bit::X,
                    });
                Word(joined.collect())
            }
        },
        other => alone(other, moment).extended(width, signed),
    }
}

/// The value of what has a width of its own.
fn alone(expression: &Expression, moment: &dyn Moments) -> Word {
    match expression {
        Expression::Number(word, _) => word.clone(),
        Expression::Signal { number, .. } => moment.signal(*number),
        Expression::Given(number) => Word::bit(Bit::of(moment.given(*number))),
        Expression::Select {
            signal,
            range,
            at,
            count,
            up,
        } => {
            let (_, signed) = at.kind();
            let word = moment.signal(*signal);
            let Some(at) = at.value(moment).number(signed) else {
                return Word::filled(Bit::X, *count);
            };
            // The numbers that are meant, from the one at the lowest place.
            let lowest = match up {
                true => at,
                false => at - (count - 1),
            };
            let place = |bit: u32| -> Option<Bit> {
                let number = match range.0 >= range.1 {
                    true => &lowest + bit - range.1,
                    false => BigInt::from(range.1) - &lowest - (count - 1 - bit),
                };
                word.0.get(number.to_usize()?).copied()
            };
            Word((0..*count).map(|bit| place(bit).unwrap_or(Bit::X)).collect())
        }
        Expression::Joined(parts) => {
            let mut bits = Vec::new();
            for part in parts.iter().rev() {
                bits.extend(part.value(moment).0);
            }
            Word(bits)
        }
        Expression::Unary(operator, inner) => {
            let bits = inner.value(moment).0;
            let all =
                |from: Bit, join: fn(Bit, Bit) -> Bit| bits.iter().fold(from, |all, bit| join(all, *bit));
            Word::bit(match operator {
                Unary::Not => all(Bit::Zero, Bit::or).negated(),
                Unary::And => all(Bit::One, Bit::and),
                Unary::Nand => all(Bit::One, Bit::and).negated(),
                Unary::Or => all(Bit::Zero, Bit::or),
                Unary::Nor => all(Bit::Zero, Bit::or).negated(),
                Unary::Xnor => all(Bit::Zero, Bit::xor).negated(),
                _ => all(Bit::Zero, Bit::xor),
            })
        }
        Expression::Binary(operator, sides) if operator.is_logical() => {
            let (left, right) = (sides.0.value(moment).truth(), sides.1.value(moment).truth());
            Word::bit(match operator {
                Binary::Both => left.and(right),
                Binary::Either => left.or(right),
                Binary::Implies => left.negated().or(right),
                _ => left.xor(right).negated(),
            })
        }
        Expression::Binary(operator, sides) => {
            let (left, right) = (sides.0.kind(), sides.1.kind());
            let (width, signed) = (left.0.max(right.0), left.1 && right.1);
            let left = evaluate_in(&sides.0, width, signed, moment);
            let right = evaluate_in(&sides.1, width, signed, moment);
            Word::bit(compared(*operator, &left, &right, signed))
        }
        Expression::Call(function, inner) => called(*function, inner, moment),
        Expression::Past(inner, count) => match count {
            0 => inner.value(moment),
            _ => match moment.earlier(*count) {
                Some(earlier) => inner.value(&*earlier),
                // Before the first tick everything is zero.
                None => Word::filled(Bit::Zero, inner.kind().0),
            },
        },
        // (Those belong to a context.)
        other => other.value(moment),
    }
}

fn called(function: Function, inner: &Expression, moment: &dyn Moments) -> Word {
    if function == Function::Bits {
        return Word::of_number(&BigInt::from(inner.kind().0), 32);
    }
    let word = inner.value(moment);
    let ones = word.0.iter().filter(|bit| **bit == Bit::One).count();
    let is_unknown = word.0.iter().any(|bit| bit.known().is_none());
    let truth = |truth: bool| Word::bit(if is_unknown { Bit::X } else { Bit::of(truth) });
    match function {
        Function::CountOnes => Word::of_number(&BigInt::from(ones), 32),
        Function::OneHot => truth(ones == 1),
        Function::OneHot0 => truth(ones <= 1),
        Function::IsUnknown => Word::bit(Bit::of(is_unknown)),
        Function::Lowest => Word::bit(word.0[0]),
        _ => word,
    }
}

/// Operators on words of one width.
fn computed(operator: Binary, left: &Word, right: &Word, signed: bool) -> Word {
    let bitwise = |join: fn(Bit, Bit) -> Bit| {
        let bits = left
            .0
            .iter()
            .zip(&right.0)
            .map(|(left, right)| join(*left, *right));
        Word(bits.collect())
    };
    match operator {
        Binary::And => return bitwise(Bit::and),
        Binary::Or => return bitwise(Bit::or),
        Binary::Xor => return bitwise(Bit::xor),
        Binary::Xnor => return bitwise(|left, right| left.xor(right).negated()),
        _ => {}
    }
    let width = left.width();
    let (Some(left), Some(right)) = (left.number(signed), right.number(signed)) else {
        return Word::filled(Bit::X, width);
    };
    let number = match operator {
        Binary::Plus => left + right,
        Binary::Minus => left - right,
        Binary::Times => left * right,
        _ if right.is_zero() => return Word::filled(Bit::X, width),
        // (Both go towards zero.)
        Binary::Over => left / right,
        _ => left % right,
    };
    Word::of_number(&number, width)
}

/// Shifts and powers: the right operand stands by itself.
fn shifted(operator: Binary, left: &Word, right: &Expression, signed: bool, moment: &dyn Moments) -> Word {
    let width = left.width();
    let unknown = || Word::filled(Bit::X, width);
    let right_signed = right.kind().1;
    let right = right.value(moment);
    if operator == Binary::Power {
        let (Some(base), Some(exponent)) = (left.number(signed), right.number(right_signed)) else {
            return unknown();
        };
        let number = match exponent.is_negative() {
            true if base.is_zero() => return unknown(),
            true if base == BigInt::from(1) => base,
            true if base == BigInt::from(-1) => match exponent.bit(0) {
                true => base,
                false => -base,
            },
            true => BigInt::zero(),
            false => {
                let modulus = BigInt::from(1) << width;
                base.modpow(&exponent, &modulus)
            }
        };
        return Word::of_number(&number, width);
    }
    let Some(count) = right.number(false) else {
        return unknown();
    };
    let count = count.to_usize().unwrap_or(usize::MAX).min(MOST_BITS as usize);
    let fill = match left.0.last() {
        Some(&highest) if operator == Binary::SignedRight && signed => highest,
        _ => Bit::Zero,
    };
    let bit = |place: usize| match operator {
        Binary::Left => place.checked_sub(count).map_or(Bit::Zero, |from| left.0[from]),
        _ => left.0.get(place + count).copied().unwrap_or(fill),
    };
    Word((0..width as usize).map(bit).collect())
}

/// Comparisons of words of one width.
fn compared(operator: Binary, left: &Word, right: &Word, signed: bool) -> Bit {
    let pairs = || left.0.iter().zip(&right.0);
    match operator {
        Binary::Same => Bit::of(left == right),
        Binary::NotSame => Bit::of(left != right),
        Binary::Equal | Binary::Unequal | Binary::Matches | Binary::MatchesNot => {
            let is_wild = matches!(operator, Binary::Matches | Binary::MatchesNot);
            let counted = pairs().filter(|(_, right)| !is_wild || right.known().is_some());
            let equal = counted.fold(Bit::One, |all, (left, right)| all.and(left.xor(*right).negated()));
            match matches!(operator, Binary::Equal | Binary::Matches) {
                true => equal,
                false => equal.negated(),
            }
        }
        _ => {
            let (Some(left), Some(right)) = (left.number(signed), right.number(signed)) else {
                return Bit::X;
            };
            Bit::of(match operator {
                Binary::Less => left < right,
                Binary::AtMost => left <= right,
                Binary::Greater => left > right,
                _ => left >= right,
            })
        }
    }
}
