//! Why an operation on diagrams could not be carried out.

use crate::edge::Var;
use entail_budget::Spent;

/// Why an operation gave no result. The operands are untouched and the manager stays usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The nodes in use fill the table that the memory limit allows, even after garbage collection.
    #[error("decision diagrams need more than the {capacity} nodes that the memory limit allows")]
    OutOfMemory {
        /// How many nodes the table holds.
        capacity: usize,
    },
    /// Time, memory or patience of the caller ran out in the middle of the operation.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// More than 2^24 variables were asked for.
    #[error("a manager holds at most {limit} variables")]
    TooManyVariables {
        /// The bound.
        limit: usize,
    },
    /// An order must list each variable of the manager exactly once.
    #[error("an order must list every variable exactly once; {0:?} is missing, unknown or repeated")]
    NotAnOrder(Var),
    /// Groups must be disjoint sets of variables of the manager.
    #[error("variable {0:?} is unknown or belongs to two groups")]
    BadGroup(Var),
    /// Exact reordering enumerates sets of variables, so it is limited to few of them.
    #[error("exact reordering works for at most {limit} variables, not for {variables}")]
    TooManyForExact {
        /// How many variables the functions in use depend on.
        variables: usize,
        /// How many are possible.
        limit: usize,
    },
}

/// What every operation that may allocate returns.
pub type Result<T> = std::result::Result<T, Error>;
