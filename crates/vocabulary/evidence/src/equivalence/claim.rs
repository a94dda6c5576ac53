//! What is asked about two systems, and the evidence for the answer.

use super::{Hml, Relation};
use std::fmt;
use std::sync::Arc;

/// One of the two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first one.
    First,
    /// The second one.
    Second,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}

/// What is asked: whether the second system is at least the first, or whether they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelationQuery {
    /// The relation.
    pub relation: Relation,
    /// Whether it is asked in both directions. Bisimulations always are.
    pub both_ways: bool,
}

impl RelationQuery {
    /// Whether the systems are the same.
    pub fn equivalence(relation: Relation) -> RelationQuery {
        RelationQuery {
            relation,
            both_ways: true,
        }
    }

    /// Whether the second is at least the first; for bisimulations, whether they are the same.
    pub fn preorder(relation: Relation) -> RelationQuery {
        RelationQuery {
            relation,
            both_ways: relation.is_bisimulation(),
        }
    }
}

/// Why two systems are related. Everything is about the two side by side ([`entail_model::Lts::beside`]): the states of the
/// second follow those of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Related {
    /// A bisimulation: the block of each state.
    Partition(Vec<u32>),
    /// A simulation between the blocks of a strong bisimulation; equal blocks are related without being listed.
    Simulation {
        /// The block of each state.
        blocks: Vec<u32>,
        /// Smaller and larger block.
        pairs: Vec<(u32, u32)>,
    },
    /// Inclusion of traces between the blocks of a strong bisimulation, for visible traces of a branching bisimulation: whatever
    /// the block can do, one of the set can do. A block in its own set is related without being listed.
    Inclusion {
        /// The block of each state.
        blocks: Vec<u32>,
        /// A block and a sorted set of blocks.
        pairs: Vec<(u32, Vec<u32>)>,
    },
}

/// One step of a trace, as it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedStep {
    /// The action.
    pub action: Arc<str>,
    /// The propositions after it, sorted.
    pub propositions: Vec<Arc<str>>,
}

/// A finite trace: what holds at first, and the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedTrace {
    /// The propositions of the initial state, sorted.
    pub start: Vec<Arc<str>>,
    /// What happens.
    pub steps: Vec<ObservedStep>,
}

/// Why two systems are not related.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unrelated {
    /// A formula, true in some initial state of one side and in none of the other.
    Formula {
        /// The formula.
        formula: Hml,
        /// Where it is true.
        holds_in: Side,
    },
    /// A trace that one side has and the other has not.
    Trace {
        /// The trace.
        trace: ObservedTrace,
        /// The system that has it.
        of: Side,
    },
}

/// An answer with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Yes.
    Related(Related),
    /// No.
    Unrelated(Unrelated),
}
