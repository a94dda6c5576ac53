//! Automata as text: HOA, never claims, DOT.

pub mod hoa_writer;
