//! Monitors of assertions: from sequences and temporal operators to circuits.
//!
//! `sequence_nfa` turns sequences into automata on finite words, `duties` an assertion into an alternating automaton, `monitor` that automaton into a
//! circuit of one bit a state.

mod duties;
mod monitor;
mod sequence_nfa;

pub use monitor::{Acceptance, Gate, GateId, Monitor, MonitorRegister};
pub use sequence_nfa::SequenceTooLarge;
