//! Why a construction gives no automaton.

use entail_budget::Spent;

/// What can go wrong in a construction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutomataError {
    /// The budget ran out.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// More atomic propositions than a letter can hold.
    #[error("{0} atomic propositions, but at most 64 are supported")]
    TooManyPropositions(usize),
    /// More acceptance marks than a mark set can hold.
    #[error("the construction needs {0} acceptance marks, but at most 64 are supported")]
    TooManyMarks(usize),
    /// An intermediate result grew beyond what is worth pursuing.
    #[error("{0}")]
    TooLarge(&'static str),
    /// A formula outside LTL.
    #[error("{0}")]
    NotLtl(String),
    /// The construction does not apply to this automaton.
    #[error("{0}")]
    NotApplicable(&'static str),
}

/// The result of a construction.
pub type Result<T> = std::result::Result<T, AutomataError>;
