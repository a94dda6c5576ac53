//! A model as a labelled transition system.

use crate::{ModelError, Usage};
use entail_budget::Spent;
use entail_model::{Lts, LtsError};

/// A system, and what a user should know about how it was made.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The system.
    pub lts: Lts,
    /// What was done on the way.
    pub notes: Vec<String>,
}

/// Why there is no system.
#[derive(Debug, thiserror::Error)]
pub enum StructureError {
    /// The reachable states could not be listed.
    #[error("the reachable states could not be listed: {0}")]
    NotExplored(String),
    /// The model has no meaning.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// What is to be observed cannot be.
    #[error(transparent)]
    Usage(#[from] Usage),
    /// It would be too large.
    #[error(transparent)]
    TooLarge(#[from] LtsError),
    /// There was not enough time or memory.
    #[error("{0}")]
    Spent(#[from] Spent),
}
