//! The algebra of ω-automata: product, union, complement, determinisation, and conversions of acceptance.

pub(crate) mod alternation_removal;
pub mod complement;
pub mod convert;
pub mod determinize;
pub mod parity;
pub mod product;
pub mod projection;
pub mod rank_complement;
pub mod remove_fin;
pub mod semi_deterministic_complement;
pub mod slice_complement;
pub mod typeness;
pub mod zielonka;
