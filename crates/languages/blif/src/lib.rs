//! BLIF, the Berkeley Logic Interchange Format: netlists of covers, latches and instances of other models.
//!
//! **Here:** [`read`], from a text to one flat netlist. **Not here:** what it means as a transition system, which is a matter of a few lines in the
//! family of systems; deciding anything.
//!
//! **Invariants of a [`Blif`]:** every signal has one driver (an input, a latch or a gate); gates come after the gates that they read; every row of a
//! gate's cover has an entry for each of its inputs.
//!
//! A latch takes its input at every step: all latches of a netlist have the same clock, or none, and the same edge; anything else is refused.

mod cells;
mod flatten;
mod lines;
mod netlist;
mod parse;

pub use netlist::{Blif, Gate, Initially, Latch, Signal};

use entail_source::{Diagnostics, Source};

/// Reads a netlist, or says what is wrong with its text and where.
pub fn read(source: &Source) -> Result<Blif, Diagnostics> {
    let read = parse::models(source).and_then(|models| flatten::flatten(&models));
    read.map_err(|problems| Diagnostics(problems).within(source.text()))
}
