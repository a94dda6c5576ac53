//! Two networks compared: the relations, and evidence for either answer.
//!
//! States of both are pairs of discrete states with values of the clocks of the first and then of the second. They are related if the pair of their beginnings is in a set of pairs, given by zones, in which every move of one side has an
//! answer within the set. They are not if somebody has moves by which every answer leads to pairs of smaller ranks. Where delays are matched by any delays, no zone bounds the difference of a clock of one side and a clock of the other.
//!
//! Inclusion of finite timed words (all states accept): the states that the second network can be in after a word of the first are a set. The first is included if no word leads to the empty set, for which there is a list of
//! sets, with clock values, that contains for each word a subset of what it leads to. It is not if some run of the first leads to the empty set.

use crate::discrete::Discrete;
use crate::evidence::{Run, Time};
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

/// A move of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    /// The second side moves, instead of the first.
    pub by_second: bool,
    /// The edges; none for a delay.
    pub edges: Vec<EdgeId>,
}

/// Pairs of states: discrete states of both, and a zone of the clocks of both, with the reference clock first. Bounds as in [`crate::evidence::CoverNodes`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairZone {
    /// Locations and integers of the first.
    pub first: Discrete,
    /// Locations and integers of the second.
    pub second: Discrete,
    /// The clock values.
    pub zone: Vec<i32>,
}

/// Pairs from which a move leads to pairs of smaller ranks, whatever the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The pairs.
    pub pairs: PairZone,
    /// Their rank.
    pub rank: u32,
    /// The move.
    pub challenge: Challenge,
}

/// A delay, or the edges of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// How long the side waits; 0 for a step.
    pub delay: Time,
    /// The edges of a step.
    pub edges: Vec<EdgeId>,
}

/// A move with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The second side moves, and the first answers.
    pub by_second: bool,
    /// The move.
    pub challenge: Played,
    /// The answer; nothing if there is none.
    pub answer: Option<Played>,
}

/// A play in exact time that ends with a move that has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Play {
    /// The discrete states in which both begin; nothing if a beginning has no counterpart at all.
    pub starts: Option<(Discrete, Discrete)>,
    /// The moves with their answers.
    pub turns: Vec<Turn>,
}

/// Words of the first network by where they lead: a discrete state of the first, some states that the second can be in, and values of the clocks of all of them, right after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordZone {
    /// Locations and integers of the first.
    pub first: Discrete,
    /// Locations and integers of the second, for each of its states.
    pub second: Vec<Discrete>,
    /// The reference clock, the clocks of the first, and those of each state of the second in turn.
    pub zone: Vec<i32>,
}

/// A state whose clocks are whole numbers; those beyond the largest constant are one more than it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WholeState {
    /// Locations and integers.
    pub discrete: Discrete,
    /// The clocks, without the reference clock.
    pub clocks: Vec<i64>,
}

/// Words of the first network whose letters come at whole times: a state of the first, and some states that the second can be in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeWord {
    /// The state of the first.
    pub first: WholeState,
    /// States of the second.
    pub second: Vec<WholeState>,
}

/// Why two networks are related or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Correspondence {
    /// Pairs among which every move has an answer.
    Related {
        /// The pairs.
        pairs: Vec<PairZone>,
    },
    /// Pairs from which moves lead to smaller ranks, whatever the answers.
    Unrelated {
        /// Where the first answer is asked for: the beginning of one side, by position among its own, and whether it is the second side's.
        start: (usize, bool),
        /// The pairs with the moves.
        losses: Vec<Loss>,
        /// One play.
        play: Play,
    },
    /// Every word of the first is one of the second.
    Included {
        /// For each word, one of these has a subset of the states to which it leads the second.
        words: Vec<WordZone>,
    },
    /// Every word of the first at whole times is one of the second, and that is enough: the first compares clocks by `≤`, `≥` and `==` only, the second by `<` and `>` only.
    Digitized {
        /// Constants that clocks are compared with are at most this.
        most: i64,
        /// For each word, and each whole time after it, one of these has a subset of the states to which it leads the second.
        words: Vec<WholeWord>,
    },
    /// A word of the first is none of the second.
    Excluded {
        /// A run of the first.
        run: Run,
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
