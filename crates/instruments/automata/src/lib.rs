//! Automata on infinite words: LTL to small automata, HOA, and the algebra of ω-automata.

pub mod acceptance;
pub mod algebra;
pub mod automaton;
pub mod decide;
pub mod error;
pub mod formats;
pub mod label;
pub mod ltl;
mod properties;
pub mod reduce;
pub mod translate;
pub mod word;
