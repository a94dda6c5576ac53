//! Sorts: the finite set of values that a variable or a term can have.
//!
//! Integers and enumerations are sets of values, not names: `0..3` and `1..5` are different sorts whose terms can be
//! compared and added, and the sort of the result is computed. That is how SMV reads them, and it gives every term a
//! finite domain that encoders (bits, decision diagrams) can rely on.

use crate::{Value, Word};
use std::fmt;
use std::sync::Arc;

/// A finite set of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The truth values.
    Bool,
    /// The integers from `low` to `high`; never empty.
    Range {
        /// Smallest value.
        low: i64,
        /// Largest value.
        high: i64,
    },
    /// An enumeration of named constants and integers, in the order declared, without repetition; never empty.
    Enum(Arc<[Value]>),
    /// Machine words of a width; `signed` says how they compare, divide, extend and print.
    Word {
        /// Number of bits, at least 1.
        width: u32,
        /// Two's complement, or not.
        signed: bool,
    },
    /// Arrays: one element for every value of the index sort.
    Array {
        /// The values that index it.
        index: Arc<Sort>,
        /// The values it holds.
        element: Arc<Sort>,
    },
}

/// Two sorts that an operation cannot take together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation} cannot be applied to {operands}")]
pub struct SortError {
    /// The operation.
    pub operation: &'static str,
    /// The sorts it was given.
    pub operands: String,
}

impl Sort {
    /// The enumeration of the given constants, repetitions removed.
    pub fn enumeration(values: impl IntoIterator<Item = Value>) -> Sort {
        let mut distinct: Vec<Value> = Vec::new();
        for value in values {
            if !distinct.contains(&value) {
                distinct.push(value);
            }
        }
        Sort::Enum(distinct.into())
    }

    /// The range, whichever way the bounds are given.
    pub fn range(low: i64, high: i64) -> Sort {
        Sort::Range {
            low: low.min(high),
            high: low.max(high),
        }
    }

    /// An unsigned word.
    pub fn word(width: u32) -> Sort {
        Sort::Word { width, signed: false }
    }

    /// Whether its values are integers (a range, or an enumeration of integers only).
    pub fn is_integer(&self) -> bool {
        self.integer_bounds().is_some()
    }

    /// Smallest and largest value of an integer sort.
    pub fn integer_bounds(&self) -> Option<(i64, i64)> {
        match self {
            Sort::Range { low, high } => Some((*low, *high)),
            Sort::Enum(values) => {
                let numbers: Option<Vec<i64>> = values.iter().map(Value::as_int).collect();
                let numbers = numbers?;
                Some((*numbers.iter().min()?, *numbers.iter().max()?))
            }
            _ => None,
        }
    }

    /// Whether its values are named constants or integers.
    pub fn is_discrete(&self) -> bool {
        matches!(self, Sort::Range { .. } | Sort::Enum(_))
    }

    /// Width and signedness of a word sort.
    pub fn word_shape(&self) -> Option<(u32, bool)> {
        match self {
            Sort::Word { width, signed } => Some((*width, *signed)),
            _ => None,
        }
    }

    /// Whether the value belongs to the sort.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Sort::Bool, Value::Bool(_)) => true,
            (Sort::Range { low, high }, Value::Int(number)) => low <= number && number <= high,
            (Sort::Enum(values), value) => values.contains(value),
            (Sort::Word { width, signed }, Value::Word(word)) => {
                word.width() == *width && word.is_signed() == *signed
            }
            (Sort::Array { index, element }, Value::Array(elements)) => {
                index.size() == Some(elements.len() as u64)
                    && elements.iter().all(|value| element.contains(value))
            }
            _ => false,
        }
    }

    /// How many values it has, if that fits 64 bits.
    pub fn size(&self) -> Option<u64> {
        match self {
            Sort::Bool => Some(2),
            Sort::Range { low, high } => u64::try_from(i128::from(*high) - i128::from(*low) + 1).ok(),
            Sort::Enum(values) => Some(values.len() as u64),
            Sort::Word { width, .. } => 1u64.checked_shl(*width),
            Sort::Array { index, element } => element.size()?.checked_pow(u32::try_from(index.size()?).ok()?),
        }
    }

    /// About how many bits a value takes.
    pub fn bits(&self) -> u64 {
        match self {
            Sort::Word { width, .. } => u64::from(*width),
            Sort::Array { index, element } => index.size().unwrap_or(1 << 20).saturating_mul(element.bits()),
            sort => sort
                .size()
                .map_or(64, |size| u64::from(64 - size.leading_zeros())),
        }
    }

    /// The value at a position of [`Sort::position`]'s numbering. Panics where there is none.
    pub fn value_at(&self, position: u64) -> Value {
        match self {
            Sort::Bool => Value::Bool(position != 0),
            Sort::Range { low, .. } => Value::Int((i128::from(*low) + i128::from(position)) as i64),
            Sort::Enum(values) => values[position as usize].clone(),
            Sort::Word { width, signed } => Value::Word(Word::from_u64(*width, *signed, position)),
            Sort::Array { index, element } => {
                let base = element
                    .size()
                    .expect("an array is numbered only if its element sort is small");
                let length = index
                    .size()
                    .expect("an array is numbered only if its index sort is small");
                let mut rest = position;
                let elements = (0..length).map(|_| {
                    let value = element.value_at(rest % base);
                    rest /= base;
                    value
                });
                Value::Array(elements.collect())
            }
        }
    }

    /// The position of a value among the values of the sort (`0..size`): truth values as 0 and 1, integers from the
    /// lowest, constants as declared, words as unsigned numbers, arrays with element 0 least significant.
    pub fn position(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Sort::Bool, Value::Bool(truth)) => Some(u64::from(*truth)),
            (Sort::Range { low, high }, Value::Int(number)) if low <= number && number <= high => {
                u64::try_from(i128::from(*number) - i128::from(*low)).ok()
            }
            (Sort::Enum(values), value) => values.iter().position(|other| other == value).map(|at| at as u64),
            (Sort::Word { .. }, Value::Word(word)) => word.to_u64(),
            (Sort::Array { element, .. }, Value::Array(elements)) => {
                let base = element.size()?;
                elements.iter().rev().try_fold(0u64, |sum, value| {
                    sum.checked_mul(base)?.checked_add(element.position(value)?)
                })
            }
            _ => None,
        }
    }

    /// All values in the order of [`Sort::position`]. Meant for small sorts.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.size().unwrap_or(u64::MAX)).map(|position| self.value_at(position))
    }

    /// The smallest sort of this family that contains both: the sort of `c ? a : b`.
    pub fn join(&self, other: &Sort) -> Result<Sort, SortError> {
        match (self, other) {
            (left, right) if left == right => Ok(left.clone()),
            (Sort::Range { low: a, high: b }, Sort::Range { low: c, high: d }) => Ok(Sort::Range {
                low: *a.min(c),
                high: *b.max(d),
            }),
            (Sort::Enum(left), Sort::Enum(right)) => {
                Ok(Sort::enumeration(left.iter().chain(right.iter()).cloned()))
            }
            (Sort::Enum(values), range @ Sort::Range { .. })
            | (range @ Sort::Range { .. }, Sort::Enum(values)) => {
                match self.integer_bounds().zip(other.integer_bounds()) {
                    Some(((a, b), (c, d))) => Ok(Sort::Range {
                        low: a.min(c),
                        high: b.max(d),
                    }),
                    None => Ok(Sort::enumeration(values.iter().cloned().chain(range.values()))),
                }
            }
            (
                Sort::Array { index, element },
                Sort::Array {
                    index: other_index,
                    element: other_element,
                },
            ) if index == other_index => Ok(Sort::Array {
                index: index.clone(),
                element: Arc::new(element.join(other_element)?),
            }),
            _ => Err(SortError {
                operation: "a choice",
                operands: format!("{self} and {other}"),
            }),
        }
    }

    /// Whether terms of the two sorts can be compared for equality (the sorts need not overlap).
    pub fn comparable(&self, other: &Sort) -> bool {
        self.is_discrete() && other.is_discrete() || self.join(other).is_ok()
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("boolean"),
            Sort::Range { low, high } => write!(f, "{low}..{high}"),
            Sort::Enum(values) => {
                f.write_str("{")?;
                for (position, value) in values.iter().enumerate() {
                    if position > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str("}")
            }
            Sort::Word { width, signed } => {
                write!(f, "{} word[{width}]", if *signed { "signed" } else { "unsigned" })
            }
            Sort::Array { index, element } => write!(f, "array {index} of {element}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_values_are_inverse() {
        let sorts = [
            Sort::Bool,
            Sort::range(-2, 3),
            Sort::enumeration([Value::symbol("a"), Value::Int(7), Value::symbol("b")]),
            Sort::word(3),
            Sort::Word {
                width: 3,
                signed: true,
            },
            Sort::Array {
                index: Arc::new(Sort::range(0, 2)),
                element: Arc::new(Sort::range(0, 2)),
            },
        ];
        for sort in sorts {
            let size = sort.size().expect("small");
            for position in 0..size {
                let value = sort.value_at(position);
                assert!(sort.contains(&value), "{sort} {value}");
                assert_eq!(sort.position(&value), Some(position), "{sort}");
            }
        }
    }

    #[test]
    fn joining_keeps_every_value() {
        let mixed = Sort::enumeration([Value::symbol("idle"), Value::Int(9)]);
        let joined = Sort::range(0, 2).join(&mixed).expect("discrete sorts join");
        assert!(
            [Value::Int(1), Value::Int(9), Value::symbol("idle")]
                .iter()
                .all(|value| joined.contains(value))
        );
        assert_eq!(Sort::range(0, 2).join(&Sort::range(5, 6)), Ok(Sort::range(0, 6)));
        assert!(Sort::Bool.join(&Sort::range(0, 1)).is_err());
        assert!(Sort::word(3).join(&Sort::word(4)).is_err());
    }
}
