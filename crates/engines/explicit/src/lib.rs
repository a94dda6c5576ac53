//! Explicit-state model checking: reachable states one by one.
//!
//! **Here:** an engine for finite-state symbolic systems that enumerates their states: invariants and dead ends by
//! breadth-first (or depth-first) search, LTL with past on the fly by products with automata, CTL by labelling, CTL* by
//! products with automata, shortest and longest paths; all under justice and compassion, for every dead-end policy, with evidence. The same enumeration serves
//! simulation ([`Simulator`]) and drawing ([`reachable_graph`]).
//!
//! Programs of communicating processes (`entail-program`) have an engine of their own, [`ProgramEngine`]: compiled steps over packed states, safety by
//! breadth-first search, LTL, claims and cycles by Couvreur's algorithm, weak fairness.
//!
//! **Not here:** reductions (partial order, symmetry), lossy storage, several cores; reading models; checking evidence.
//!
//! **Invariants**
//! - A relation is never solved by trying every valuation: conditions are scheduled into a plan (`plan`), compiled
//!   (`code`) and run by a small machine.
//! - States are numbered in the order of discovery; breadth-first search gives shortest traces.
//! - Every unbounded loop polls the budget. Nothing recurses on the size of the model.

mod cell;
mod code;
mod describe;
mod engine;
mod explain;
mod graph;
mod labelled;
mod layout;
mod linear;
mod marked_product;
mod plan;
mod program;
mod rust_model;
mod search;
mod simulate;
mod state_sets;
mod state_table;
mod stepper;

pub use engine::Explicit;
pub use entail_answer::{ClosedSet, Rank, RankedSet};
pub use entail_search::{Checkpoints, DiskOptions, MachineCode, Order, SearchOptions, Storage, WalkOptions};
pub use labelled::{Observed, labelled_graph};
pub use program::{Closing, ListingError, ProgramEngine, labelled_program};
#[cfg(feature = "distributed")]
pub use program::{Cluster, Limits, Secret, check_together};
pub use rust_model::{
    Actor, ActorAction, ActorEvent, ActorState, ActorSystem, Checker, Condition, Effects, Envelope, Estimate,
    Explained, Id, InFlight, Network, Path, Plain, Register, RegisterOperation, Reply, SharedObject, StateOf,
    System, Trial,
};
pub use simulate::{ReachableGraph, SimulationStep, Simulator, Values, reachable_graph};
pub use state_sets::{closed_states, ranked_states};

/// What keeps this engine from working on a system, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);
