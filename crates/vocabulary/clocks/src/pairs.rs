//! Two networks compared: the relations, and evidence for either answer.
//!
//! A pair of states stands for all that no clock constraint of the two tells from it: whole parts up to the largest constant, and the order of the fractional parts of the clocks, of both networks together
//! where delays are matched exactly, of each by itself where they are not. Such a class of pairs is given by one of its points, with exact clock values.
//!
//! The two are related if the pair of their beginnings is in a set of pairs in which every move of one side has an answer within the set. They are not if somebody has moves by which every answer leads to
//! pairs of smaller ranks.

use crate::discrete::Discrete;
use crate::evidence::Time;
use crate::{EdgeId, Network};
use serde::{Deserialize, Serialize};

/// When two networks count as related. Steps have the names of their events; locations and variables do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedRelation {
    /// Each step and each delay of one is matched by a step, or the same delay, of the other, again and again.
    TimedBisimulation,
    /// The second can match the first so.
    TimedSimulation,
    /// Each matches the other, but delays are matched by any delays.
    TimeAbstractBisimulation,
    /// The second can match the first so.
    TimeAbstractSimulation,
    /// Every finite timed word of the first is one of the second.
    Inclusion,
}

impl TimedRelation {
    /// Every relation with its name.
    pub const ALL: [(&'static str, TimedRelation); 5] = [
        ("timed-bisimulation", TimedRelation::TimedBisimulation),
        ("timed-simulation", TimedRelation::TimedSimulation),
        ("time-abstract", TimedRelation::TimeAbstractBisimulation),
        ("time-abstract-simulation", TimedRelation::TimeAbstractSimulation),
        ("inclusion", TimedRelation::Inclusion),
    ];

    /// The relation of a name.
    pub fn named(name: &str) -> Option<TimedRelation> {
        TimedRelation::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, relation)| *relation)
    }

    /// Whether both sides are challenged.
    pub fn is_symmetric(self) -> bool {
        matches!(
            self,
            TimedRelation::TimedBisimulation | TimedRelation::TimeAbstractBisimulation
        )
    }

    /// Whether delays are matched by any delays.
    pub fn is_abstract(self) -> bool {
        matches!(
            self,
            TimedRelation::TimeAbstractBisimulation | TimedRelation::TimeAbstractSimulation
        )
    }
}

/// A pair of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Locations and integers of both. The second may be missing, in inclusion: it can wait no longer, and lost is what the first does from now on.
    pub states: (Discrete, Option<Discrete>),
    /// The clocks of the first, then those of the second, without reference clocks.
    pub clocks: Vec<Time>,
}

/// A move of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// The second side moves, instead of the first.
    pub by_second: bool,
    /// The edges; none for a delay, to the next class of pairs.
    pub edges: Vec<EdgeId>,
}

/// Why two networks are related or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Correspondence {
    /// Pairs among which every move has an answer.
    Related {
        /// Constants that clocks are compared with are at most this.
        most: i64,
        /// The pairs.
        pairs: Vec<Pair>,
    },
    /// Pairs from which moves lead to smaller ranks, whatever the answers: positions in the list.
    Unrelated {
        /// Constants that clocks are compared with are at most this.
        most: i64,
        /// Where the first answer is asked for: the beginning of one side, by position among its own, and whether it is the second side's.
        start: (usize, bool),
        /// The pairs with the moves; the ranks fall along the list, so every answer to a move is a pair further behind.
        pairs: Vec<(Pair, Challenge)>,
    },
}

impl Network {
    /// What a joint edge is called when networks are compared: the names of its events, without what sends and receives, each once.
    pub fn action_name(&self, joint: &[EdgeId]) -> String {
        let plain = |edge: &EdgeId| {
            let name = &self.events[self.edges[*edge].event];
            let name = name.split(' ').next().unwrap_or(name);
            name.trim_end_matches(['!', '?']).to_owned()
        };
        let mut names: Vec<String> = joint.iter().map(plain).collect();
        names.sort();
        names.dedup();
        names.join(",")
    }
}
