//! Monitors of assertions: from sequences and temporal operators to circuits.
//!
//! `sequence_nfa` turns sequences into automata on finite words, `duties` an assertion into an alternating automaton, `monitor` that automaton into a
//! circuit of one bit a state, `words` into an explicit automaton on infinite words; `safety_kind` tells how its violations show. `finite` evaluates assertions on recorded runs. `frozen` makes constants of local variables, which automata do not have.

mod duties;
mod finite;
mod frozen;
mod monitor;
mod safety_kind;
mod sequence_nfa;
mod words;

pub use finite::{FiniteWord, NotEvaluated};
pub use frozen::{NotFrozen, frozen};
pub use monitor::{Acceptance, Gate, GateId, Monitor, MonitorRegister};
pub use safety_kind::{SafetyKind, safety_kind};
pub use sequence_nfa::SequenceTooLarge;
pub use words::{alternating_of_assertion, atoms_of, automaton_of_assertion};
