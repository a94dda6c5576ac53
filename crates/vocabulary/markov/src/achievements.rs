//! What schedulers can reach for several objectives, as plain data: schedulers that reach points, and weights for which nothing lies beyond.
//!
//! Everything is about the *joint process*: the model read along by the automata of all path formulas, and a count of steps up to the largest step
//! bound. Its states are numbered breadth first from the initial state, choices and targets in the order of the model. Every objective is turned so
//! that it is to be large: a least probability becomes the greatest one of the negated formula, a least reward the greatest negated one.

use crate::Rational;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Exact numbers, written as fractions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fractions(pub Vec<Rational>);

impl Serialize for Fractions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(ToString::to_string))
    }
}

impl<'de> Deserialize<'de> for Fractions {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Fractions, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let number = |text: &String| {
            Rational::from_str(text).map_err(|_| serde::de::Error::custom(format!("`{text}` is no number")))
        };
        Ok(Fractions(texts.iter().map(number).collect::<Result<_, _>>()?))
    }
}

/// What a scheduler does in a state of the joint process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It takes the choice at this position.
    Take(u32),
    /// It stays for ever where nothing is earned, so that the automata in this set of bits accept.
    Stay(u32),
}

/// A scheduler without further memory, and what it earns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointScheduler {
    /// By state; nothing where it never comes.
    pub decisions: Vec<Option<Decision>>,
    /// By objective and state: what is earned from there on.
    pub values: Vec<Fractions>,
}

/// Weights of the objectives, with what no scheduler exceeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facet {
    /// The weights; none is negative.
    pub weights: Fractions,
    /// By state: at least the weighted sum of what any scheduler earns from there on.
    pub values: Fractions,
}

/// Points that are reached, and what lies beyond all reach.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Achievements {
    /// The schedulers that are mixed.
    pub schedulers: Vec<JointScheduler>,
    /// For each point: the share of each scheduler, chosen once in the beginning.
    pub points: Vec<Fractions>,
    /// Proofs that points are best, or that bounds cannot be met.
    pub facets: Vec<Facet>,
}
