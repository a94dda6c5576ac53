//! Values of terms, as plain data that can leave the program.

use crate::{Sort, Word};
use std::fmt;
use std::sync::Arc;

/// A value. Printed as SMV prints it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A named constant of an enumeration.
    Symbol(Arc<str>),
    /// A machine word.
    Word(Word),
    /// An array: one element per index value, in index order (signed indices from the most negative).
    Array(Arc<[Value]>),
}

impl Value {
    /// A named constant.
    pub fn symbol(name: impl AsRef<str>) -> Value {
        Value::Symbol(Arc::from(name.as_ref()))
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The word, if it is one.
    pub fn as_word(&self) -> Option<&Word> {
        match self {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The smallest sort that contains just this value (the whole word sort for words).
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(number) => Sort::Range {
                low: *number,
                high: *number,
            },
            Value::Symbol(_) => Sort::Enum(Arc::from([self.clone()])),
            Value::Word(word) => Sort::Word {
                width: word.width(),
                signed: word.is_signed(),
            },
            Value::Array(elements) => {
                let element = elements
                    .iter()
                    .map(Value::sort)
                    .reduce(|left, right| left.join(&right).unwrap_or(left))
                    .unwrap_or(Sort::Bool);
                Sort::Array {
                    index: Arc::new(Sort::Range {
                        low: 0,
                        high: elements.len() as i64 - 1,
                    }),
                    element: Arc::new(element),
                }
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("TRUE"),
            Value::Bool(false) => f.write_str("FALSE"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Symbol(name) => f.write_str(name),
            Value::Word(word) => write!(f, "{word}"),
            Value::Array(elements) => {
                f.write_str("[")?;
                for (position, element) in elements.iter().enumerate() {
                    if position > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{element}")?;
                }
                f.write_str("]")
            }
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}
