//! Verdicts, the evidence for them, and the checkers that accept or reject it.
//!
//! **Here:** what an engine gives back ([`Outcome`], [`Evidence`]: plain data); the contract every engine keeps
//! ([`Engine`]); the independent checkers; saved evidence (JSON).
//!
//! **Not here:** anything that finds evidence. The checkers depend on `entail-logic` and `entail-model` only, and use
//! nothing but the reference evaluation of terms: they share no code with the engines.
//!
//! **Invariant:** nothing in this crate calls a verdict checked unless a checker here has accepted its evidence.

mod abstract_proof;
mod check;
mod condition;
mod engine;
pub mod equivalence;
mod explanation;
pub mod json;
mod liveness;
mod modal;
mod notation;
mod outcome;
mod path;
mod reference;
mod trace;
mod truth;

#[cfg(test)]
mod samples;

pub use abstract_proof::{AbstractProof, AbstractQuestion, Abstracted, Predicates};
pub use check::{Checker, ReplayError, check_outcome, replay};
pub use engine::{CheckOptions, DeadEnds, Engine, ModelError, Session};
pub use entail_answer::{CheckReport, Guarantee, Quantity, Round, Statistics, Verdict, Warning, WarningKind};
pub use explanation::{Because, Explanation, Note, PathWitness};
pub use liveness::LivenessCertificate;
pub use modal::ModalModel;
pub use notation::Notation;
pub use outcome::{Certificate, Evidence, Exhaustive, Outcome, Searched};
pub use path::{PathEnd, PathWord, SubformulaTruth};
pub use reference::{CheckLimits, Graph, GraphStep, NotRechecked};
pub use trace::Trace;
pub use truth::Truth;
