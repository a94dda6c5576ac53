//! Automata as text: HOA, never claims, DOT.

pub mod dot;
mod hoa_lexer;
pub mod hoa_reader;
pub mod hoa_writer;
pub mod never_claim;
