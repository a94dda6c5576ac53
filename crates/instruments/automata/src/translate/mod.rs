//! From LTL to automata.

pub mod containment;
pub(crate) mod deterministic;
pub mod expansion;
pub mod past;
pub mod pipeline;
pub mod recurrence;
