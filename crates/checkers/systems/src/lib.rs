//! The checker of evidence about transition systems.
//!
//! **Here:** replaying traces ([`replay`]), evaluating formulas on paths ([`PathWord`]) and on small models ([`Graph`], the naive reference of all
//! engines), assertions on words ([`AssertionWord`]), monitors compared with assertions ([`MonitorCircuit`]), and judging whole outcomes ([`check_outcome`], [`Checker`]). Proofs that need a solver are judged next door, in `entail-proof`.
//!
//! **Not here:** anything that finds evidence. This crate depends on the vocabulary alone and evaluates terms by their definition: it shares no
//! code with the engines.
//!
//! **Invariant:** an outcome is called checked only if everything its verdict rests on was established again.

mod assertion;
mod check;
mod condition;
mod constants;
mod derivatives;
mod end_points;
mod free_constants;
mod local_reader;
mod monitor;
mod path;
mod progression;
mod reference;
mod threads;

#[cfg(test)]
mod samples;

pub use assertion::{AssertionWord, LocalReader};
pub use check::{
    Checker, KnownGraph, Observed, ReplayError, check_outcome, check_outcome_once, observer_of, replay,
};
pub use entail_logic::View;
pub use free_constants::{are_free_constants, assignments};
pub use local_reader::{LocalBits, TraceLocals};
pub use monitor::{MonitorCircuit, MonitorGate, MonitorGoal};
pub use path::{PathEnd, PathWord, SubformulaTruth};
pub use reference::{CheckLimits, Graph, GraphStep, NotRechecked, Reached, reached};
pub use threads::Locals;
