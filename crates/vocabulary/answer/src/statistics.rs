//! Counters worth telling, under names that each engine chooses.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One counter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A number of things.
    Count(u64),
    /// A share, a probability, a time in seconds.
    Share(f64),
    /// A word ("tree").
    Text(String),
}

/// Counters in the order in which they were first set. Names that several engines use mean the same: `states` (distinct states stored),
/// `transitions` (steps explored), `depth` (depth, iterations or bound reached), `peak_nodes` (largest number of decision-diagram
/// nodes alive).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(Vec<(Cow<'static, str>, Figure)>);

impl Statistics {
    /// Sets a counter.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, figure: Figure) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = figure,
            None => self.0.push((name, figure)),
        }
    }

    /// The same with a number of things, where it is known.
    pub fn with(mut self, name: &'static str, count: impl Into<Option<u64>>) -> Statistics {
        self.set_count(name, count);
        self
    }

    /// Sets a number of things, where it is known.
    pub fn set_count(&mut self, name: &'static str, count: impl Into<Option<u64>>) {
        if let Some(count) = count.into() {
            self.set(name, Figure::Count(count));
        }
    }

    /// A counter.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, figure)| figure)
    }

    /// A number of things.
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            Figure::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// Distinct states stored.
    pub fn states(&self) -> Option<u64> {
        self.count("states")
    }

    /// Steps explored.
    pub fn transitions(&self) -> Option<u64> {
        self.count("transitions")
    }

    /// Depth, iterations or bound reached.
    pub fn depth(&self) -> Option<u64> {
        self.count("depth")
    }

    /// All counters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Figure)> {
        self.0.iter().map(|(name, figure)| (&**name, figure))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
