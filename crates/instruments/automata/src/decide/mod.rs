//! Decisions: emptiness, membership, inclusion, equivalence — each with a witness.

pub mod emptiness;
pub mod inclusion;
pub mod membership;
