//! Symbolic model checking with decision diagrams (chapters 7 and 8).
//!
//! **Here:** [`SymbolicEngine`], which decides invariants, CTL, LTL with past and CTL* of finite-state transition systems, under
//! justice and compassion, by fixpoints on sets of states; its settings ([`SymbolicOptions`]); the
//! sets of states of a model for engines that ask for nothing else ([`StateSpace`]); the quotient by bisimulation ([`symbolic_quotient`]).
//!
//! **Not here:** decision diagrams themselves (`entail-dd`), any language, any checking of evidence.
//!
//! **What a caller may rely on**
//! - A session keeps the encoding, the transition relation, the reachable and fair states, labels of subformulas and the
//!   variable order from one property to the next.
//! - No verdict is given on a model in which a hazard is reachable: that is a model error, with a trace.
//! - When the budget is spent the answer is unknown; the next property goes on from what was reached.

mod bit_vector;
mod branching;
mod certificate;
mod conjunctive_partition;
mod denotation;
mod encoding;
mod explain;
mod exploration;
mod fair_states;
mod interleaving;
mod machine;
mod model;
mod monitored;
mod options;
mod proof_sets;
mod quotient;
mod ranks;
mod reachability;
mod regions;
mod relation;
mod saturation;
mod session;
mod state_space;
mod static_order;
mod stop;
mod strategy;
mod tester;
mod translate;
#[cfg(test)]
mod translate_tests;
mod under_approximation;
mod witness;
mod written;

pub use exploration::Exploration;
pub use options::{InitialOrder, Reordering, Search, SymbolicOptions};
pub use quotient::{SymbolicQuotient, symbolic_quotient};
pub use session::SymbolicEngine;
pub use state_space::{Observed, State, StateSpace};
pub use stop::{Attempt, NotComputed};
