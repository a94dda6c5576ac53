//! The values of many states, as plain data: what `filter(print, …)` lists.

use crate::Rational;
use crate::bracket::Bracket;
use serde::{Deserialize, Serialize};

/// A state with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its number, as the reference interpreter gives it.
    pub state: u32,
    /// The value.
    pub value: ListedValue,
}

/// The value of a state; numbers are written as fractions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListedValue {
    /// Whether a property holds.
    Truth(bool),
    /// A lower and an upper bound, the same where the value is known exactly; nothing is infinity.
    Between(Option<String>, Option<String>),
}

impl ListedValue {
    /// The value of a state in a bracket.
    pub fn of(bracket: &Bracket, state: usize) -> ListedValue {
        let text = |number: Option<Rational>| number.map(|number| number.to_string());
        ListedValue::Between(text(bracket.lower(state)), text(bracket.upper(state)))
    }

    /// The bounds of a number, if it is one that can be read.
    pub fn bounds(&self) -> Option<(Option<Rational>, Option<Rational>)> {
        let number = |text: &Option<String>| match text {
            None => Some(None),
            Some(text) => text.parse().ok().map(Some),
        };
        match self {
            ListedValue::Truth(_) => None,
            ListedValue::Between(low, high) => Some((number(low)?, number(high)?)),
        }
    }

    /// Whether it is what `filter(print, …)` leaves out: false, or zero.
    pub fn is_nothing(&self) -> bool {
        match self {
            ListedValue::Truth(truth) => !truth,
            ListedValue::Between(_, high) => high.as_deref() == Some("0"),
        }
    }
}
