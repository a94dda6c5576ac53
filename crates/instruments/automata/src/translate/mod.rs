//! From LTL to automata.

pub mod expansion;
pub mod past;
pub mod pipeline;
