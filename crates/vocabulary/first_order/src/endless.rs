//! Evidence about endless paths of first-order systems.
//!
//! Whoever makes such evidence and whoever judges it build the larger system that it is about separately, so it is defined here.
//!
//! **The monitor.** The system gets Boolean variables and requirements for the *negation* of the path formula, then for justice and compassion, as
//! the module of `entail_evidence::LivenessCertificate` defines them: a fair endless path violates the formula if and only if it can be run with
//! every requirement kept and every fairness signal met again and again. After them comes a variable for each signal, which
//! remembers that it was met since the last *round*; a step ends a round when all have been met. Every variable is called `monitor n`, where `n` is the
//! number of variables before it.
//!
//! **Counting** ([`EndlessProof::Counted`], k-liveness of Claessen and Sörensson 2012). For each of `bound + 1` places a variable `c`, as defined there. The invariant
//! excludes the last one, so there are at most `bound` rounds on any path.
//!
//! **Comparing** ([`EndlessProof::Ranked`], after Podelski and Rybalchenko 2004, with the predicates of Daniel, Cimatti, Griggio, Tonetta and Mover 2016). The variables added are
//!
//! | | initially | required |
//! |---|---|---|
//! | `e`, a round has just ended | 0 | `e'` iff the step ends a round |
//! | `k`, a state is remembered | 0 | `k → k'`; `¬k ∧ k' → e` |
//! | for each predicate `p`: `b`, its truth there | 0 | `b'` is `p` if `¬k ∧ k'`, otherwise `b` |
//! | for each rank `t`: `m`, its value there, called `remembered n` | 0 | `m'` is `t` if `¬k ∧ k'`, otherwise `m` |
//!
//! and the invariant excludes `k ∧ e ∧ ⋀(b ↔ p) ∧ ⋀¬(m ≥ 0 ∧ t + 1 ≤ m)`: of any two ends of rounds with the same truth of all predicates,
//! one of the ranks was not negative at the first and is lower by at least one at the second. If there were rounds for ever, infinitely many of
//! their ends would have the same predicates, among them by Ramsey's theorem infinitely many with one rank descending between any two: impossible.
//!
//! **Going on for ever** ([`EndlessRun`]). A path to a state, then steps that lead from every state of a set back into the set, all of the system with its monitor
//! (without the variables of rounds). The steps' inputs and next states are terms over the state before, every fairness signal is met in one of them, and the path ends in the set.

use crate::FirstOrderTrace;

/// Why no fair endless path violates a path formula. Terms are texts of SMT-LIB over the variables' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndlessProof {
    /// Rounds are counted.
    Counted {
        /// There are at most so many.
        bound: u64,
        /// An inductive invariant of the larger system.
        invariant: String,
    },
    /// Ends of rounds are compared.
    Ranked {
        /// Predicates over the variables of system and monitor.
        predicates: Vec<String>,
        /// Integer or real terms over them.
        ranks: Vec<String>,
        /// An inductive invariant of the larger system.
        invariant: String,
    },
}

/// A fair endless path that violates a path formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndlessRun {
    /// It returns to a position: after the last one, it goes on at `back`.
    Lasso {
        /// The positions, of the system alone.
        trace: FirstOrderTrace,
        /// The position that follows the last one.
        back: usize,
    },
    /// It goes on for ever without having to return.
    Recurring {
        /// The way to the set, of the system with its monitor; the last position is in the set.
        stem: FirstOrderTrace,
        /// The set, as SMT-LIB writes it.
        set: String,
        /// For each step from the set back into it, the inputs and the variables' next values, as SMT-LIB writes them.
        steps: Vec<(Vec<String>, Vec<String>)>,
    },
}
