//! Why a computation ended without a result.

use entail_evidence::ModelError;

/// Why a computation ended without a result.
#[derive(Debug)]
pub enum NotComputed {
    /// The diagrams do not fit, or the budget is spent.
    Diagram(entail_dd::Error),
    /// The question is outside the engine's class.
    Unsupported(String),
    /// The model has no meaning.
    Model(Box<ModelError>),
}

/// A result, or why there is none.
pub type Attempt<T> = Result<T, NotComputed>;

impl From<entail_dd::Error> for NotComputed {
    fn from(error: entail_dd::Error) -> NotComputed {
        NotComputed::Diagram(error)
    }
}

impl From<entail_budget::Spent> for NotComputed {
    fn from(spent: entail_budget::Spent) -> NotComputed {
        NotComputed::Diagram(entail_dd::Error::Spent(spent))
    }
}

impl NotComputed {
    pub(crate) fn model(message: impl Into<String>) -> NotComputed {
        NotComputed::Model(Box::new(ModelError {
            message: message.into(),
            place: None,
            trace: None,
            help: None,
        }))
    }
}
