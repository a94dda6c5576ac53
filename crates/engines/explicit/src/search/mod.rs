//! Searching the reachable states.
//!
//! `explore` is the search itself, `growing` a graph that is enumerated on demand, `hazard` watches for steps that have no meaning, `invariant` decides invariants on the
//! way, `trace` turns numbered states back into a path of values.

pub(crate) mod explore;
pub(crate) mod growing;
mod hazard;
pub(crate) mod invariant;
pub(crate) mod rows;
pub(crate) mod trace;

pub use explore::Order;
