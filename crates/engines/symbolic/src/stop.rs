//! Why a computation ended without a result.

use entail_evidence::ModelError;

/// Why a computation ended without a result.
#[derive(Debug)]
pub enum Stop {
    /// The diagrams do not fit, or the budget is spent.
    Diagram(entail_dd::Error),
    /// The question is outside the engine's class.
    Unsupported(String),
    /// The model has no meaning.
    Model(Box<ModelError>),
}

/// A result, or why there is none.
pub type Attempt<T> = Result<T, Stop>;

impl From<entail_dd::Error> for Stop {
    fn from(error: entail_dd::Error) -> Stop {
        Stop::Diagram(error)
    }
}

impl From<entail_budget::Spent> for Stop {
    fn from(spent: entail_budget::Spent) -> Stop {
        Stop::Diagram(entail_dd::Error::Spent(spent))
    }
}

impl Stop {
    pub(crate) fn model(message: impl Into<String>) -> Stop {
        Stop::Model(Box::new(ModelError {
            message: message.into(),
            place: None,
            trace: None,
            help: None,
        }))
    }
}
