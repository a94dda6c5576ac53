//! Deterministic automata over sets of states, as plain data: what an engine says a path formula means.

use serde::{Deserialize, Serialize};

/// A deterministic automaton that reads, state by state, which of some sets the state belongs to.
///
/// Bit `i` of a letter says whether the state is in set `i`; sets are numbered in the order in which a path formula mentions them, equal
/// ones once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observer {
    /// Number of sets.
    pub sets: u32,
    /// Where it begins.
    pub initial: u32,
    /// By state and letter: the next state and the marks on the way; nothing where no run goes on.
    pub steps: Vec<Vec<Option<(u32, u64)>>>,
    /// It accepts if for one of these the marks of the first kind are seen finitely often and each of the second again and again.
    pub acceptance: Vec<(u64, u64)>,
}
