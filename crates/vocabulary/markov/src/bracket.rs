//! Lower and upper values for every state, as plain data.

use crate::achievements::Achievements;
use crate::observer::Observer;
use crate::{Rational, from_float};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A lower and an upper value for every state; infinity is a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Bracket {
    /// The values themselves; nothing is infinity.
    Exact(Vec<Option<Rational>>),
    /// Bounds; doubles are exact numbers here.
    Between {
        /// The lower values.
        lower: Vec<f64>,
        /// The upper values.
        upper: Vec<f64>,
    },
}

impl Bracket {
    /// Number of states.
    pub fn len(&self) -> usize {
        match self {
            Bracket::Exact(values) => values.len(),
            Bracket::Between { lower, .. } => lower.len(),
        }
    }

    /// Whether it is about no state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lower value of a state; nothing is infinity. Values that are no numbers count as infinity, which proves nothing wrong.
    pub fn lower(&self, state: usize) -> Option<Rational> {
        match self {
            Bracket::Exact(values) => values[state].clone(),
            Bracket::Between { lower, .. } => from_float(lower[state]),
        }
    }

    /// The upper value of a state; nothing is infinity.
    pub fn upper(&self, state: usize) -> Option<Rational> {
        match self {
            Bracket::Exact(values) => values[state].clone(),
            Bracket::Between { upper, .. } => from_float(upper[state]),
        }
    }
}

/// The brackets of a property's operators, in the order in which they are needed: inner ones first, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The brackets.
    pub brackets: Vec<Bracket>,
    /// The automata of path formulas, in the same order.
    #[serde(default)]
    pub observers: Vec<Observer>,
    /// The states that were met and not expanded, in increasing order, if the model was explored only in part. States have the numbers that the
    /// reference interpreter gives them when it does not expand these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplored: Vec<u32>,
    /// What schedulers can reach for several objectives, in the order of the operators that ask for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub achievements: Vec<Achievements>,
}

/// What a scheduler remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// Nothing: choices are by state, in the order of the reference interpreter.
    #[default]
    Nothing,
    /// The state of the certificate's last automaton, and the marks on the way to it. Choices are by state of the product of the model and the automaton: one
    /// in which each state of the model begins, in order, then breadth first.
    Automaton {
        /// By state of the model: which of the automaton's sets it belongs to, a bit each.
        letters: Vec<u32>,
    },
    /// The steps so far. Choices are by step, from the first one, and in each step by state; after the last one nothing matters.
    Steps,
}

impl Memory {
    fn is_nothing(&self) -> bool {
        *self == Memory::Nothing
    }
}

/// A scheduler, and what it is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    /// The position of the choice that is taken, in the order that the memory says.
    pub choices: Vec<u32>,
    /// The certificate of the same property for the model (or product) in which every state has only that choice.
    pub certificate: Certificate,
    /// What it remembers.
    #[serde(default, skip_serializing_if = "Memory::is_nothing")]
    pub memory: Memory,
}

/// How a bracket is written: doubles as their bits, rationals as fractions.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Written {
    Exact(Vec<String>),
    Bits { lower: Vec<u64>, upper: Vec<u64> },
}

impl Serialize for Bracket {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = |value: &Option<Rational>| match value {
            Some(number) => number.to_string(),
            None => "infinity".to_owned(),
        };
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
        match self {
            Bracket::Exact(values) => Written::Exact(values.iter().map(text).collect()),
            Bracket::Between { lower, upper } => Written::Bits {
                lower: bits(lower),
                upper: bits(upper),
            },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bracket {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bracket, D::Error> {
        let number = |text: String| match text.as_str() {
            "infinity" => Ok(None),
            text => Rational::from_str(text)
                .map(Some)
                .map_err(|_| serde::de::Error::custom(format!("`{text}` is no number"))),
        };
        let floats = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect();
        Ok(match Written::deserialize(deserializer)? {
            Written::Exact(values) => {
                Bracket::Exact(values.into_iter().map(number).collect::<Result<_, _>>()?)
            }
            Written::Bits { lower, upper } => Bracket::Between {
                lower: floats(lower),
                upper: floats(upper),
            },
        })
    }
}
