//! AIGER 1.9: and-inverter graphs with latches, as the hardware model checking competitions use them.
//!
//! **Here:** [`Aiger`], a circuit in the numbering of the binary format; [`read`] and [`write_ascii`]/[`write_binary`]; [`lower`], the
//! circuit as a transition system with its properties; AIGER witnesses ([`read_witnesses`], [`write_witness`]).
//!
//! **Not here:** deciding anything (engines); other and-inverter graphs (`entail-sat` has its own; the app translates).
//!
//! **What a caller may rely on**
//! - Both formats are read completely: old headers (outputs are bad states if the header names no property), reset values,
//!   bad-state and justice properties, invariant and fairness constraints, symbols, comments.
//! - In an [`Aiger`] variables are numbered as in the binary format: constants, inputs, latches, gates; the operands of a gate
//!   have smaller numbers than the gate. ASCII files may be in any order; they are renumbered on the way in.
//! - No input makes the reader panic. Its memory is bounded by a small multiple of the file's length, whatever the header says.
//!
//! The reader is our own rather than `flussab-aiger`'s: errors carry byte ranges that can be underlined, ASCII files in any
//! order are renumbered in one pass with the place of a cycle or a second definition named, and what is kept in memory is two numbers a
//! gate (see `bench/hw` for measurements).

mod ascii;
mod binary;
mod circuit;
mod header;
mod lower;
mod renumber;
mod scanner;
mod sections;
mod symbols;
mod witness;
mod write;

pub use circuit::{Aiger, Latch, Literal, Reset, SymbolKind};
pub use entail_model::{Claim, Witness, WitnessError};
pub use lower::{AigerModel, lower};
pub use scanner::{Unreadable, read};
pub use witness::{read_witnesses, write_witness};
pub use write::{write_ascii, write_binary};
