//! Engines on circuits: bounded model checking, k-induction, IC3.
//!
//! **Here:** [`InductiveEngine`] (`bmc`, `kind`, `ic3`, `interpolation`), which decides invariants of transition systems with evidence: a trace, or an
//! inductive invariant over the system's own variables; and the same methods on circuits ([`bounded_search`], [`k_induction`],
//! [`ic3`], [`interpolation`]) for whoever has a circuit already.
//!
//! **Not here:** and-inverter graphs, bit-blasting, SAT (`entail-sat`); file formats (languages).
//!
//! **Invariants:** an answer about a circuit is about paths that keep all constraints, where step constraints are not demanded of the
//! last position. No verdict is given without evidence; a bound is never sold as a proof.

mod abstraction;
mod answer;
mod bmc;
mod engine;
mod fair_paths;
mod glance;
mod ic3;
mod interpolation;
mod interpolation_sequence;
mod k_induction;
mod k_liveness;
mod liveness_to_safety;
mod ltl_monitor;
mod random_runs;
mod reduction;
mod task;
mod unrolling;

pub use abstraction::{End, Localization, LocalizationRound, Localized, WhenLarge, localized};
pub use answer::{CircuitFormula, Invariant, LatchCube, Leaf, SafetyAnswer};
pub use bmc::{Interrupted, bounded_search};
pub use engine::{InductiveEngine, Method};
pub use ic3::ic3;
pub use interpolation::interpolation;
pub use interpolation_sequence::interpolation_sequence;
pub use k_induction::{Induction, k_induction};
pub use ltl_monitor::{NoMonitor, justice_of_violations};
pub use reduction::ic3_reduced;
