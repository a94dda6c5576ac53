//! Engines on first-order transition systems: invariants and path formulas of systems over integers, reals, words and arrays.
//!
//! **Here:** bounded model checking ([`bounded`]), k-induction ([`k_induction`]), IC3 with model-based projection
//! ([`property_directed`]) and with implicit predicate abstraction ([`predicate_abstraction`]), interpolation ([`by_interpolation`]). For path
//! formulas: lassos ([`lassos`]), paths that never return ([`recurring_runs`]), k-liveness ([`k_liveness`]), ranks ([`descending_ranks`]).
//!
//! **Not here:** reading systems, judging certificates and traces.
//!
//! **Invariants a caller may rely on**
//! - *Holds* comes with a depth and an invariant over the state, such that property and invariant are k-inductive for that depth.
//! - *Fails* comes with a path in exact values. What cannot be decided is said, with a reason.

mod endless;
mod ic3;
mod implicit;
mod interpolation;
mod kind;
mod unrolled;
mod work;

pub use endless::{FoundEndless, Safety, descending_ranks, k_liveness, lassos, recurring_runs};
pub use ic3::property_directed;
pub use implicit::predicate_abstraction;
pub use interpolation::by_interpolation;
pub use kind::{bounded, k_induction};
pub use work::Work;

use entail_first_order::FirstOrderTrace;

/// What an engine found out about an invariant.
#[derive(Clone, Debug)]
pub enum Found {
    /// Property and invariant together are inductive for this depth.
    Holds {
        /// How many consecutive states are assumed.
        depth: usize,
        /// An invariant that helps, over the variables of the state, as SMT-LIB writes it; `true` if none is needed.
        invariant: String,
    },
    /// A path to a violation.
    Fails(FirstOrderTrace),
    /// No violation within so many steps.
    Bounded(usize),
    /// Not decided, for this reason.
    Unknown(String),
}
