//! Searching the reachable states.
//!
//! `system_steps` is the successor function that the searches of `entail-search` run on, `invariant` decides invariants with them, `explore` says what is known and why there may be no
//! answer, `growing` is a graph that is enumerated on demand, `hazard` watches for steps that have no meaning, `trace` turns numbered states back into a path of values.

pub(crate) mod explore;
pub(crate) mod growing;
mod hazard;
pub(crate) mod invariant;
pub(crate) mod rows;
pub(crate) mod system_steps;
pub(crate) mod trace;
