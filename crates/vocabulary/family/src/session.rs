//! Engines at work on one model.

use crate::ModelError;
use entail_answer::{Answer, Warning};
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

    /// Says how much engines are to do for evidence that can be checked without repeating their work. Engines that have nothing to decide about it do nothing.
    fn set_thoroughness(&mut self, _thoroughness: Thoroughness) {}

    /// Asks what would take the meaning from a property that an engine has found to hold: that no path counts, that a part of it
    /// does not matter. What is warned of has been decided by an engine and judged by the checker; what the budget does not suffice for is not said, or is
    /// said to be unknown.
    fn scrutinize(
        &mut self,
        _engine: &str,
        _property: usize,
        _answer: &Answer,
        _budget: &Budget,
        _progress: &dyn Progress,
    ) -> Scrutiny {
        Scrutiny::default()
    }
}

/// How much is done for evidence that can be checked without repeating the work of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoroughness {
    /// Nothing that takes time: nobody will look at it.
    Least,
    /// What takes about as long as finding the answer.
    #[default]
    WhileItPays,
    /// All that time and memory allow: the evidence is to be saved, or checked to the end.
    Whole,
}

/// What was found out about a property that holds.
#[derive(Debug, Default)]
pub struct Scrutiny {
    /// Why it says less than it seems to.
    pub warnings: Vec<Warning>,
    /// A path of the model on which the property holds although a part of it was replaced by something stronger that fails there.
    pub witness: Option<Witness>,
}

/// An answer that shows that a property says something.
#[derive(Debug)]
pub struct Witness {
    /// The position of the question that it answers, or of the property where the question is none of the model's.
    pub position: usize,
    /// The answer, with a path as its evidence.
    pub answer: Answer,
    /// Whether the session has had it judged. Otherwise the checker judges it as an answer to the question at its position.
    pub is_judged: bool,
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
