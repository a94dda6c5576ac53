//! Recorded runs, and expressions about them.
//!
//! **Here:** [`Recording`], a VCD file: signals in their scopes and how they change over time ([`read`]); [`Word`], Verilog's four-valued words; [`Expression`], Verilog's expressions with the
//! functions of PSL and SystemVerilog that look at earlier ticks.
//!
//! **Not here:** what a tick is, and what properties mean (`entail_logic`, and whoever evaluates them).
//!
//! **Invariants:** readers never panic. A signal has the value `x` until the file gives it one. A word has at least one bit and at most [`MOST_BITS`].

mod evaluate;
mod expression;
mod operators;
mod recording;
mod token;
mod word;

pub use evaluate::{Moments, Past};
pub use expression::{Expression, Leaf, parse};
pub use operators::{Binary, Function, Unary};
pub use recording::{Recording, Signal, read};
pub use word::{Bit, MOST_BITS, Word};
