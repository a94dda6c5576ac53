//! The algebra of ω-automata: product, union, complement, determinisation, and conversions of acceptance.

pub mod determinize;
pub mod product;
pub mod projection;
