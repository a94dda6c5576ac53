//! The value of a question that asks for a number, or for several at once.

pub use dashu_ratio::RBig as Rational;
use std::fmt;
use std::str::FromStr;

/// The value of a question that asks for a number, or for several at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// This number.
    Exact(Rational),
    /// At least the first and at most the second.
    Between(Rational, Rational),
    /// It exceeds every number (no such path; unboundedly long).
    Infinite,
    /// The question has no meaning here (a longest path where no state satisfies the start or the goal).
    Undefined,
    /// The vertices of a Pareto front in the order of their first coordinates, from the best on; or one point, the values of several questions.
    Points(Vec<Vec<Rational>>),
}

impl Quantity {
    /// A whole number.
    pub fn whole(number: u64) -> Quantity {
        Quantity::Exact(Rational::from(number))
    }

    /// The whole number that it is exactly, if it is one.
    pub fn as_whole(&self) -> Option<u64> {
        match self {
            Quantity::Exact(number) => u64::try_from(number.clone()).ok(),
            _ => None,
        }
    }
}

impl From<u64> for Quantity {
    fn from(number: u64) -> Quantity {
        Quantity::whole(number)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Exact(number) => write!(f, "{number}"),
            Quantity::Between(lower, upper) => {
                write!(f, "[{}, {}]", lower.to_f64().value(), upper.to_f64().value())
            }
            Quantity::Infinite => f.write_str("infinity"),
            Quantity::Undefined => f.write_str("undefined"),
            Quantity::Points(points) => {
                for (at, point) in points.iter().enumerate() {
                    let values: Vec<String> = point.iter().map(ToString::to_string).collect();
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}({})", values.join(", "))?;
                }
                Ok(())
            }
        }
    }
}

/// A text that is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no number")]
pub struct NotANumber(pub String);

/// Reads an exact number (`7`, `1/6`), `infinity` or `undefined`.
impl FromStr for Quantity {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Quantity, NotANumber> {
        match text {
            "infinity" => Ok(Quantity::Infinite),
            "undefined" => Ok(Quantity::Undefined),
            number => match Rational::from_str(number) {
                Ok(number) => Ok(Quantity::Exact(number)),
                Err(_) => Err(NotANumber(number.to_owned())),
            },
        }
    }
}
