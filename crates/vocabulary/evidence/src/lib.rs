//! The evidence for verdicts about transition systems and about pairs of labelled systems, as plain data.
//!
//! **Here:** what an engine gives back ([`Outcome`], [`Evidence`]); the contract every engine on transition systems keeps ([`Engine`]);
//! states as bytes ([`encode_state`]);
//! evidence as JSON, sealed and read back ([`json`]); what is claimed of two labelled systems ([`equivalence`]).
//!
//! **Not here:** anything that finds evidence (`crates/engines`), and anything that judges it (`crates/checkers`).

mod abstract_proof;
mod engine;
pub mod equivalence;
mod explanation;
mod fixpoints;
pub mod json;
mod liveness;
mod modal;
mod notation;
mod outcome;
mod state_bytes;
mod trace;
mod truth;

pub use abstract_proof::{AbstractProof, AbstractQuestion, Abstracted, Predicates};
pub use engine::{CheckOptions, DeadEnds, Engine, ModelError, Session};
pub use entail_answer::{CheckReport, Guarantee, Quantity, Round, Statistics, Verdict, Warning, WarningKind};
pub use explanation::{Because, Explanation, Note, PathWitness};
pub use fixpoints::{FixpointProof, Progress, ProvedSet, Stage as FixpointStage};
pub use liveness::LivenessCertificate;
pub use modal::ModalModel;
pub use notation::Notation;
pub use outcome::{Certificate, Evidence, Exhaustive, Outcome, Searched};
pub use state_bytes::{decode_state, encode_state};
pub use trace::Trace;
pub use truth::Truth;
