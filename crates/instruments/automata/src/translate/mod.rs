//! From LTL to automata.

pub mod containment;
pub mod expansion;
pub mod on_the_fly;
pub mod past;
pub mod pipeline;
pub mod recurrence;
