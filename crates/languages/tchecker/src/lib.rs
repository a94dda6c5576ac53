//! TChecker's language of timed automata.
//!
//! **Here:** [`read`], from a text to a network; [`state_formula`], from a condition on states to a formula over that network; [`write()`], from a network of UPPAAL's kind to a text.
//!
//! **Not here:** deciding anything.
//!
//! **Invariants:** a text is read or refused, never a panic; every error has its place; the network passes [`Network::check`].
//!
//! What the reference tool accepts is accepted, and means the same, but for clock conditions inside `if` and `while`, which it does not evaluate and which are refused here, and
//! updates `x = y + d`, which its manual describes and its reader takes only as `x = d + y`: both are read.

mod code;
mod declarations;
mod formula;
mod lower;
mod tokens;
mod types;
mod write;

pub use formula::state_formula;
pub use write::{Written, write};

use entail_clocks::Network;
use entail_source::{Diagnostic, Diagnostics, Source};

/// A model that has been read.
#[derive(Debug)]
pub struct TcheckerModel {
    /// The network.
    pub network: Network,
    /// What the reader wondered about.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model, or says what is wrong with its text and where.
pub fn read(source: &Source) -> Result<TcheckerModel, Diagnostics> {
    let declarations = declarations::read(source.text())?;
    lower::lower(source.text(), declarations)
}
