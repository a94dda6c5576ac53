//! Automata as text and pictures: HOA, never claims, DOT, SVG.

pub mod dot;
mod hoa_lexer;
pub mod hoa_reader;
pub mod hoa_writer;
pub mod never_claim;
pub mod svg;
mod wide_parity;
