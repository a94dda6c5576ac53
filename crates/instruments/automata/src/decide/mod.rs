//! Decisions: emptiness, membership, inclusion, equivalence — each with a witness.

pub(crate) mod antichain;
pub mod emptiness;
pub mod inclusion;
pub mod membership;
