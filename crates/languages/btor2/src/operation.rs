//! What the operators mean, as terms.
//!
//! A value of one bit is a Boolean term, wider ones are unsigned words, so that control logic stays propositional. An operator that is no
//! connective sees words of one bit, too. Division by zero, rotation and shifting beyond the width are as in SMT-LIB, which is what terms
//! say anyway; `smod` and the overflow predicates are spelled out here.

use crate::operator::Operator;
use entail_model::{Op, Sort, SortError, TermId, Terms, Value, Word};

type Built = Result<TermId, SortError>;

/// The bits of a value as a word: a Boolean becomes a word of one bit.
pub(crate) fn word(terms: &mut Terms, term: TermId) -> Built {
    match terms.sort(term) {
        Sort::Bool => terms.bool_to_word(term),
        _ => Ok(term),
    }
}

/// A word as a value: one bit becomes a Boolean.
pub(crate) fn value(terms: &mut Terms, word: TermId) -> Built {
    match terms.sort(word).word_shape() {
        Some((1, _)) => match terms.op(word) {
            Op::BoolToWord => Ok(terms.operands(word)[0]),
            _ => {
                let one = constant(terms, 1, 1);
                terms.equal(word, one)
            }
        },
        _ => Ok(word),
    }
}

fn constant(terms: &mut Terms, width: u32, number: u64) -> TermId {
    terms.constant(Value::Word(Word::from_u64(width, false, number)))
}

fn width_of(terms: &Terms, word: TermId) -> u32 {
    terms.sort(word).word_shape().map_or(1, |(width, _)| width)
}

/// One bit of a word, as a truth value.
fn bit(terms: &mut Terms, word: TermId, position: u32) -> Built {
    let bit = terms.extract(word, position, position)?;
    value(terms, bit)
}

fn sign(terms: &mut Terms, word: TermId) -> Built {
    let width = width_of(terms, word);
    bit(terms, word, width - 1)
}

/// Does something to words read as signed numbers; the result is unsigned again.
fn signed(
    terms: &mut Terms,
    a: TermId,
    b: TermId,
    operation: impl FnOnce(&mut Terms, TermId, TermId) -> Built,
) -> Built {
    let (a, b) = (terms.reinterpret(a, true)?, terms.reinterpret(b, true)?);
    let result = operation(terms, a, b)?;
    match terms.sort(result) {
        Sort::Bool => Ok(result),
        _ => terms.reinterpret(result, false),
    }
}

fn sign_extend(terms: &mut Terms, word: TermId, by: u32) -> Built {
    let word = terms.reinterpret(word, true)?;
    let wide = terms.extend(word, by)?;
    terms.reinterpret(wide, false)
}

/// An operator on values; `numbers` are what `slice` and the extensions have besides.
pub(crate) fn apply(terms: &mut Terms, operator: Operator, arguments: &[TermId], numbers: &[u32]) -> Built {
    use Operator::*;
    let boolean = arguments.iter().all(|&term| *terms.sort(term) == Sort::Bool);
    if boolean && let Some(result) = connective(terms, operator, arguments) {
        return Ok(result);
    }
    match operator {
        Ite => return terms.ite(arguments[0], arguments[1], arguments[2]),
        Eq => return terms.equal(arguments[0], arguments[1]),
        Neq => return terms.differ(arguments[0], arguments[1]),
        Read => {
            let index = word(terms, arguments[1])?;
            let element = terms.read(arguments[0], index)?;
            return value(terms, element);
        }
        Write => {
            let (index, element) = (word(terms, arguments[1])?, word(terms, arguments[2])?);
            return terms.write(arguments[0], index, element);
        }
        _ => {}
    }
    let a = word(terms, arguments[0])?;
    let b = match arguments.get(1) {
        Some(&second) => word(terms, second)?,
        None => a,
    };
    let width = width_of(terms, a);
    let result = match operator {
        Not => terms.bit_not(a)?,
        Neg => terms.negate(a)?,
        Inc | Dec => {
            let one = constant(terms, width, 1);
            if operator == Inc {
                terms.add(a, one)?
            } else {
                terms.subtract(a, one)?
            }
        }
        Redand => {
            let flipped = terms.bit_not(a)?;
            let zero = constant(terms, width, 0);
            terms.equal(flipped, zero)?
        }
        Redor => {
            let zero = constant(terms, width, 0);
            terms.differ(a, zero)?
        }
        Redxor => parity(terms, a)?,
        Ult => terms.less(a, b)?,
        Ugt => terms.less(b, a)?,
        Ulte => terms.less_equal(a, b)?,
        Ugte => terms.less_equal(b, a)?,
        Slt => signed(terms, a, b, Terms::less)?,
        Sgt => signed(terms, b, a, Terms::less)?,
        Slte => signed(terms, a, b, Terms::less_equal)?,
        Sgte => signed(terms, b, a, Terms::less_equal)?,
        And => terms.bit_and(a, b)?,
        Or => terms.bit_or(a, b)?,
        Xor => terms.bit_xor(a, b)?,
        Nand | Nor | Xnor => {
            let inner = match operator {
                Nand => terms.bit_and(a, b)?,
                Nor => terms.bit_or(a, b)?,
                _ => terms.bit_xor(a, b)?,
            };
            terms.bit_not(inner)?
        }
        Sll => terms.shift_left(a, b)?,
        Srl => terms.shift_right(a, b)?,
        Sra => {
            let signed = terms.reinterpret(a, true)?;
            let shifted = terms.shift_right(signed, b)?;
            terms.reinterpret(shifted, false)?
        }
        Rol | Ror => rotate(terms, operator == Rol, a, b)?,
        Add => terms.add(a, b)?,
        Sub => terms.subtract(a, b)?,
        Mul => terms.multiply(a, b)?,
        Udiv => terms.divide(a, b)?,
        Urem => terms.remainder(a, b)?,
        Sdiv => signed(terms, a, b, Terms::divide)?,
        Srem => signed(terms, a, b, Terms::remainder)?,
        Smod => modulo(terms, a, b)?,
        Uaddo | Saddo | Usubo | Ssubo | Umulo | Smulo | Sdivo => overflow(terms, operator, a, b)?,
        Concat => terms.concat(a, b)?,
        Slice => terms.extract(a, numbers[0], numbers[1])?,
        Uext => terms.extend(a, numbers[0])?,
        Sext => sign_extend(terms, a, numbers[0])?,
        Iff | Implies | Eq | Neq | Read | Write | Ite => {
            unreachable!("{} is handled above", operator.name())
        }
    };
    value(terms, result)
}

/// The operators that are connectives on truth values.
fn connective(terms: &mut Terms, operator: Operator, arguments: &[TermId]) -> Option<TermId> {
    use Operator::*;
    let a = arguments[0];
    let b = arguments.get(1).copied().unwrap_or(a);
    Some(match operator {
        Not => terms.not(a),
        Redand | Redor | Redxor => a,
        Iff | Xnor => terms.iff(a, b),
        Implies => {
            let not_b = terms.not(b);
            let against = terms.and_gate(a, not_b);
            terms.not(against)
        }
        Xor => terms.xor(a, b),
        And => terms.and_gate(a, b),
        Nand => {
            let both = terms.and_gate(a, b);
            terms.not(both)
        }
        Or | Nor => {
            let (not_a, not_b) = (terms.not(a), terms.not(b));
            let neither = terms.and_gate(not_a, not_b);
            if operator == Nor {
                neither
            } else {
                terms.not(neither)
            }
        }
        _ => return None,
    })
}

/// Whether an odd number of bits is set: halves are added until one bit is left.
fn parity(terms: &mut Terms, word: TermId) -> Built {
    let mut word = word;
    loop {
        let width = width_of(terms, word);
        if width == 1 {
            return value(terms, word);
        }
        if width % 2 == 1 {
            word = terms.extend(word, 1)?;
        }
        let half = width.div_ceil(2);
        let (high, low) = (
            terms.extract(word, 2 * half - 1, half)?,
            terms.extract(word, half - 1, 0)?,
        );
        word = terms.bit_xor(high, low)?;
    }
}

/// `a` turned by `b` modulo the width, which every width's words can hold.
fn rotate(terms: &mut Terms, left: bool, a: TermId, b: TermId) -> Built {
    let width = width_of(terms, a);
    if width == 1 {
        return Ok(a);
    }
    let whole = constant(terms, width, u64::from(width));
    let by = if width.is_power_of_two() {
        let mask = constant(terms, width, u64::from(width - 1));
        terms.bit_and(b, mask)?
    } else {
        terms.remainder(b, whole)?
    };
    let rest = terms.subtract(whole, by)?;
    let (up, down) = if left { (by, rest) } else { (rest, by) };
    let (high, low) = (terms.shift_left(a, up)?, terms.shift_right(a, down)?);
    terms.bit_or(high, low)
}

/// The remainder with the sign of the divisor; by zero it is the dividend.
fn modulo(terms: &mut Terms, a: TermId, b: TermId) -> Built {
    let width = width_of(terms, a);
    let remainder = signed(terms, a, b, Terms::remainder)?;
    let zero = constant(terms, width, 0);
    let exact = terms.equal(remainder, zero)?;
    let (sign_r, sign_b) = (sign(terms, remainder)?, sign(terms, b)?);
    let same_sign = terms.iff(sign_r, sign_b);
    let right = terms.or([exact, same_sign]);
    // Where b is zero, adding it changes nothing.
    let corrected = terms.add(remainder, b)?;
    terms.ite(right, remainder, corrected)
}

/// Whether the exact result does not fit.
fn overflow(terms: &mut Terms, operator: Operator, a: TermId, b: TermId) -> Built {
    use Operator::*;
    let width = width_of(terms, a);
    match operator {
        Uaddo => {
            let (a, b) = (terms.extend(a, 1)?, terms.extend(b, 1)?);
            let sum = terms.add(a, b)?;
            bit(terms, sum, width)
        }
        Usubo => terms.less(a, b),
        Saddo | Ssubo => {
            let (a, b) = (sign_extend(terms, a, 1)?, sign_extend(terms, b, 1)?);
            let exact = if operator == Saddo {
                terms.add(a, b)?
            } else {
                terms.subtract(a, b)?
            };
            let (beyond, sign) = (bit(terms, exact, width)?, bit(terms, exact, width - 1)?);
            Ok(terms.xor(beyond, sign))
        }
        Umulo => {
            let (a, b) = (terms.extend(a, width)?, terms.extend(b, width)?);
            let exact = terms.multiply(a, b)?;
            let high = terms.extract(exact, 2 * width - 1, width)?;
            let zero = constant(terms, width, 0);
            terms.differ(high, zero)
        }
        Smulo => {
            let (a, b) = (sign_extend(terms, a, width)?, sign_extend(terms, b, width)?);
            let exact = terms.multiply(a, b)?;
            let low = terms.extract(exact, width - 1, 0)?;
            let again = sign_extend(terms, low, width)?;
            terms.differ(exact, again)
        }
        _ => {
            // Division overflows only where the smallest number is divided by -1.
            let smallest = terms.constant(Value::Word(
                Word::from_u64(width, false, 1).shift_left(u64::from(width - 1)),
            ));
            let flipped = terms.bit_not(b)?;
            let zero = constant(terms, width, 0);
            let (is_smallest, is_minus_one) = (terms.equal(a, smallest)?, terms.equal(flipped, zero)?);
            Ok(terms.and([is_smallest, is_minus_one]))
        }
    }
}
