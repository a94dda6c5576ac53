//! Engines at work on one model.

use crate::ModelError;
use entail_answer::Answer;
use entail_budget::{Budget, Progress};

/// Engines at work on one model. What an engine learned for one property may be kept for the next.
pub trait Session {
    /// Lets an engine of the family decide a property. An engine that cannot decide it, or whose budget is spent, answers *unknown* with
    /// the reason. It never claims more than it has established; every *holds* and *fails* carries evidence.
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError>;
}

/// A process of a search that several share.
#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    /// The addresses of all, host and port.
    pub addresses: Vec<String>,
    /// Which of them this process is.
    pub index: usize,
    /// Threads of this process.
    pub threads: usize,
    /// The secret that all of them share.
    pub secret: String,
}

/// The secret is not shown.
impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Member { addresses, index, .. } = self;
        write!(f, "Member {{ addresses: {addresses:?}, index: {index} }}")
    }
}
