//! How values of a sort are bits.
//!
//! | sort | bits |
//! |---|---|
//! | Boolean | one |
//! | range of natural numbers | the number, without sign bit |
//! | range with negative numbers | two's complement |
//! | enumeration | the position in the sort |
//! | word | its bits |
//! | array | the elements' bits, one element after the other, in the order of the index sort |
//!
//! Not every pattern is a value ([`belongs`] says which are). Arrays are eliminated eagerly and therefore limited to small
//! index sorts ([`MAX_ARRAY_BITS`]).

use crate::aig::{Aig, Signal};
use crate::arithmetic::{Bits, Sign, number};
use entail_model::{Sort, TermId, Terms, Value, Word};
use num_bigint::BigUint;

/// The most bits that one array value may have.
pub const MAX_ARRAY_BITS: u64 = 1 << 16;

/// Something that has no encoding here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEncoded {
    /// An array with too many bits.
    #[error("an array of sort `{0}` has too many elements to be taken apart into bits")]
    LargeArray(String),
    /// Values of one sort cannot be matched with those of another one by one.
    #[error("values of `{0}` and `{1}` are too many to be compared one by one")]
    TooManyValues(String, String),
    /// Too many gates or bits.
    #[error("{0} would take too many gates")]
    TooLarge(String),
    /// Time or memory ran out on the way.
    #[error("{0} while the model was translated to a circuit")]
    Spent(entail_budget::Spent),
    /// A constant outside its sort or a term outside its place: a fault of the model's author.
    #[error("{0}")]
    Malformed(&'static str),
}

/// Bits of a number between the bounds, and whether there is a sign bit.
fn range_shape(low: i64, high: i64) -> (usize, Sign) {
    let magnitude = |value: i64| 64 - (if value < 0 { !value } else { value }).leading_zeros() as usize;
    let width = magnitude(low).max(magnitude(high));
    if low >= 0 {
        (width, Sign::Unsigned)
    } else {
        (width + 1, Sign::Signed)
    }
}

fn position_width(size: usize) -> usize {
    (usize::BITS - size.saturating_sub(1).leading_zeros()) as usize
}

/// How many bits a value has, and whether they are a signed number.
pub fn shape(sort: &Sort) -> Result<(usize, Sign), NotEncoded> {
    Ok(match sort {
        Sort::Bool => (1, Sign::Unsigned),
        Sort::Range { low, high } => range_shape(*low, *high),
        Sort::Enum(values) => (position_width(values.len()), Sign::Unsigned),
        Sort::Word { width, signed } => (*width as usize, Sign::from(*signed)),
        Sort::Array { element, .. } => {
            let (width, _) = shape(element)?;
            let length = array_length(sort)?;
            (length * width, Sign::Unsigned)
        }
    })
}

/// How many elements an array has.
pub fn array_length(sort: &Sort) -> Result<usize, NotEncoded> {
    let Sort::Array { index, element } = sort else {
        return Err(NotEncoded::Malformed("an array operation on something else"));
    };
    let (width, _) = shape(element)?;
    index
        .size()
        .filter(|size| size.saturating_mul(width.max(1) as u64) <= MAX_ARRAY_BITS)
        .map(|size| size as usize)
        .ok_or_else(|| NotEncoded::LargeArray(sort.to_string()))
}

/// The bits of a value.
pub fn encode(value: &Value, sort: &Sort) -> Result<Vec<bool>, NotEncoded> {
    const OUTSIDE: NotEncoded = NotEncoded::Malformed("a constant outside its sort");
    let (width, _) = shape(sort)?;
    Ok(match (value, sort) {
        (Value::Word(word), Sort::Word { .. }) => (0..width).map(|bit| word.bit(bit as u32)).collect(),
        (Value::Int(number), Sort::Range { .. }) => {
            (0..width).map(|bit| number >> bit.min(63) & 1 == 1).collect()
        }
        (Value::Array(elements), Sort::Array { element, .. }) => {
            let mut bits = Vec::with_capacity(width);
            for value in elements.iter() {
                bits.extend(encode(value, element)?);
            }
            if bits.len() != width {
                return Err(OUTSIDE);
            }
            bits
        }
        _ => {
            let position = sort.position(value).ok_or(OUTSIDE)?;
            (0..width).map(|bit| position >> bit & 1 == 1).collect()
        }
    })
}

/// The bits of the sort's first value (position 0).
pub fn encode_first(sort: &Sort) -> Result<Vec<bool>, NotEncoded> {
    Ok(match sort {
        Sort::Range { low, .. } => encode(&Value::Int(*low), sort)?,
        Sort::Array { element, .. } => {
            let first = encode_first(element)?;
            let length = array_length(sort)?;
            std::iter::repeat_n(first, length).flatten().collect()
        }
        _ => vec![false; shape(sort)?.0],
    })
}

/// The value whose bits these are; the nearest meaning where the pattern is no value (that happens only for patterns that no
/// path has).
pub fn decode(bits: &[bool], sort: &Sort) -> Value {
    let unsigned = || {
        bits.iter()
            .rev()
            .fold(0u64, |sum, &bit| sum << 1 | u64::from(bit))
    };
    match sort {
        Sort::Bool => Value::Bool(bits.first() == Some(&true)),
        Sort::Range { low, high } => {
            let (width, sign) = range_shape(*low, *high);
            let magnitude = unsigned() as i64;
            let negative = sign == Sign::Signed && bits.last() == Some(&true);
            let value = if negative && width < 64 {
                magnitude - (1i64 << width)
            } else {
                magnitude
            };
            Value::Int(value.clamp(*low, *high))
        }
        Sort::Enum(values) => values[(unsigned() as usize).min(values.len() - 1)].clone(),
        Sort::Word { width, signed } => {
            let mut number = BigUint::default();
            for (position, &bit) in bits.iter().enumerate() {
                number.set_bit(position as u64, bit);
            }
            Value::Word(Word::new(*width, *signed, number))
        }
        Sort::Array { index, element } => {
            let width = shape(element).map_or(0, |(width, _)| width);
            let length = index.size().unwrap_or(0) as usize;
            let elements = (0..length).map(|at| decode(&bits[at * width..(at + 1) * width], element));
            Value::Array(elements.collect())
        }
    }
}

/// Whether the bits are those of a value of the sort.
pub fn belongs(aig: &mut Aig, bits: &[Signal], sort: &Sort) -> Signal {
    match sort {
        Sort::Range { low, high } => {
            let (width, sign) = range_shape(*low, *high);
            let (low, high) = (number(i128::from(*low), width), number(i128::from(*high), width));
            let (below, above) = (aig.less(bits, &low, sign), aig.less(&high, bits, sign));
            aig.and(!below, !above)
        }
        Sort::Enum(values) => {
            let last = number(values.len() as i128 - 1, bits.len());
            !aig.less(&last, bits, Sign::Unsigned)
        }
        Sort::Array { element, .. } => {
            let width = shape(element).map_or(1, |(width, _)| width).max(1);
            let valid: Vec<Signal> = bits
                .chunks(width)
                .map(|chunk| belongs(aig, chunk, element))
                .collect();
            aig.and_all(valid)
        }
        Sort::Bool | Sort::Word { .. } => Signal::TRUE,
    }
}

/// The bits of a value as constant signals.
pub fn constant(value: &Value, sort: &Sort) -> Result<Bits, NotEncoded> {
    Ok(encode(value, sort)?.into_iter().map(Signal::constant).collect())
}

/// "Bit `bit` of `term` is one" as a Boolean term: the way back from bits to the model's own language.
pub fn bit_term(terms: &mut Terms, term: TermId, bit: usize) -> TermId {
    let sort = terms.sort(term).clone();
    let word_bit = |terms: &mut Terms, word: TermId| {
        let bit = terms
            .extract(word, bit as u32, bit as u32)
            .expect("a bit of the word");
        let one = terms.constant(Value::Word(Word::from_u64(1, false, 1)));
        terms.equal(bit, one).expect("words of one bit")
    };
    match &sort {
        Sort::Bool => term,
        Sort::Word { .. } => word_bit(terms, term),
        Sort::Range { low, high } => {
            let (width, _) = range_shape(*low, *high);
            let word = terms
                .int_to_word(term, width as u32, false)
                .expect("a range has an integer value");
            word_bit(terms, word)
        }
        Sort::Enum(values) => {
            let chosen: Vec<TermId> = values
                .iter()
                .enumerate()
                .filter(|(position, _)| position >> bit & 1 == 1)
                .map(|(_, value)| {
                    let value = terms.constant(value.clone());
                    terms.equal(term, value).expect("a value of the sort")
                })
                .collect();
            terms.or(chosen)
        }
        Sort::Array { index, element } => {
            let width = shape(element).map_or(1, |(width, _)| width).max(1);
            let at = terms.constant(index.value_at((bit / width) as u64));
            let element = terms.read(term, at).expect("an index of the array");
            bit_term(terms, element, bit % width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::{Valuation, VarId, evaluate_bool};
    use std::sync::Arc;

    fn sorts() -> Vec<Sort> {
        let signed = Sort::Word {
            width: 3,
            signed: true,
        };
        vec![
            Sort::Bool,
            Sort::range(0, 0),
            Sort::range(3, 3),
            Sort::range(0, 5),
            Sort::range(-3, 4),
            Sort::range(-8, -5),
            Sort::range(2, 9),
            Sort::enumeration([Value::symbol("a")]),
            Sort::enumeration([Value::symbol("a"), Value::Int(7), Value::symbol("b")]),
            Sort::word(3),
            signed,
            Sort::Array {
                index: Arc::new(Sort::range(-1, 1)),
                element: Arc::new(Sort::range(0, 2)),
            },
        ]
    }

    #[test]
    fn values_and_bits_are_inverse_and_bits_can_be_said_as_terms() {
        for sort in sorts() {
            let (width, _) = shape(&sort).expect("small");
            let mut patterns = std::collections::HashSet::new();
            let mut terms = Terms::new();
            let x = terms.current(VarId::new(0), sort.clone());
            let bit_terms: Vec<TermId> = (0..width).map(|bit| bit_term(&mut terms, x, bit)).collect();
            for value in sort.values() {
                let bits = encode(&value, &sort).expect("a value");
                assert_eq!(decode(&bits, &sort), value, "{sort}");
                let known = [Some(value)];
                for (bit, &term) in bits.iter().zip(&bit_terms) {
                    assert_eq!(
                        evaluate_bool(&terms, term, Valuation::state(&known)),
                        Ok(*bit),
                        "{sort}"
                    );
                }
                patterns.insert(bits);
            }
            assert!(patterns.contains(&encode_first(&sort).expect("small")));
            // Exactly the values' patterns belong to the sort.
            let mut aig = Aig::new();
            let leaves: Bits = (0..width).map(|_| aig.leaf()).collect();
            let valid = belongs(&mut aig, &leaves, &sort);
            for pattern in 0..1u32 << width {
                let bits: Vec<bool> = (0..width).map(|bit| pattern >> bit & 1 == 1).collect();
                let values = aig.evaluate(|node| bits[node.index() - 1]);
                let expected = patterns.contains(&bits);
                assert_eq!(crate::aig::value_of(&values, valid), expected, "{sort}");
            }
        }
    }

    #[test]
    fn extreme_ranges_fit() {
        for (low, high) in [(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MIN, 0)] {
            let sort = Sort::range(low, high);
            for number in [low, high, 0] {
                let bits = encode(&Value::Int(number), &sort).expect("fits");
                assert_eq!(decode(&bits, &sort), Value::Int(number));
            }
        }
    }
}
