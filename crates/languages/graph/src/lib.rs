//! Explicit graphs as files: Aldebaran's `.aut`, Kripke structures in JSON, DOT.
//!
//! **Here:** readers with places in their errors, and writers.
//!
//! **Not here:** what is done with the graphs (engines).

mod aut;
mod aut_write;
mod dot;
mod json;
mod lines;

pub use aut::{Hidden, ReadError, read_aut};
pub use aut_write::{WriteError, write_aut};
pub use dot::{read_dot, write_dot};
use entail_source::{Diagnostics, Source};
pub use json::{read_json, write_json};

/// Why a file cannot be read: what is wrong, and the text in which it can be shown.
#[derive(Debug)]
pub struct Unreadable {
    /// The text.
    pub source: Source,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
}
