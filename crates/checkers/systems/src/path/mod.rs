//! The truth of path formulas along a trace.
//!
//! `sequence` has the temporal operators on ultimately periodic sequences of truth values; `word` reads a trace as such
//! a sequence for each atom and evaluates a formula bottom-up.

mod sequence;
mod word;

pub use word::{PathEnd, PathWord, SubformulaTruth};
