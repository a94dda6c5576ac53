//! The independent checker of inductive invariants.
//!
//! **Here:** [`check_invariant`]: given a system, a claimed inductive invariant and the property it should prove, ask a
//! fresh SAT solver (CaDiCaL) for a counterexample to initiation, consecution and safety; and that no hazard of the model can
//! happen inside the invariant. Every "there is none" comes with a proof that [`LratChecker`] has accepted. The translation of terms to bits is this crate's own. On models of moderate width the same questions are asked of
//! decision diagrams first, which are this crate's own as well, and of the solver only where they grow large ([`Way`]).
//!
//! [`check_liveness`]: the same for the bound of k-liveness; the model with monitor and counter is built here from the formula.
//!
//! [`check_fixpoints`]: sets of states with ranks and strategies that prove a formula of branching time, or by a monitor one of linear time.
//!
//! [`pair`]: whether two circuits have the same outputs, judged on each of them as it was read.
//!
//! [`trajectory`]: trajectory assertions about netlists, by a refutation over known values, and counterexamples by simulation.
//!
//! **Not here:** anything that finds invariants. This crate shares no code with an engine or an instrument; a bug in their
//! encoders cannot hide here.
//!
//! **Encoding:** Booleans are literals; integers are two's complement vectors wide enough for their sort's bounds;
//! enumeration constants are their position in the sort; words are their bits. Variables get the constraint that their value
//! belongs to their sort. Arrays are the bits of their elements; a system with an array that is too
//! large for that is answered [`Refusal::NotEncoded`].

mod arithmetic;
mod arrangement;
mod diagrams;
mod encode;
pub mod first_order;
mod fixpoints;
mod gates;
mod induction;
mod liveness;
mod lrat;
mod monitor;
pub mod pair;
mod part;
mod solver;
pub mod trajectory;
mod walk;
mod window;

pub use arrangement::Way;
pub use fixpoints::{check_fixpoints, check_fixpoints_by};
pub use induction::{KnownInvariant, Refusal, check_invariant, check_invariant_once};
pub use liveness::check_liveness;
pub use lrat::{LratChecker, Rejected};

#[cfg(test)]
mod encode_tests;
#[cfg(test)]
mod induction_tests;
#[cfg(test)]
mod monitor_tests;
