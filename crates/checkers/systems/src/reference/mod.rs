//! The naive reference: finite models decided straight from the definitions.
//!
//! Claims without a finite witness ("all paths were searched") can only be believed if somebody searches again. This does,
//! for models that are small enough, slowly and obviously, and by other algorithms than the engines:
//!
//! - `enumerate`: states and steps by backtracking over the values of the variables, cutting where a conjunct is false
//!   in the three-valued reading (engines compile plans);
//! - `graph`: the reachable states, and every *step* as a node of its own, so that atoms and fairness over inputs are labels
//!   of nodes; the dead-end policies become steps (to itself, to "the end");
//! - `fair`: states with a fair path by nested fixpoints (engines use components);
//! - `branching`: state formulas bottom-up, CTL operators by their fixpoints;
//! - `tableau`: any path formula with past and bounds, by guessing the truth of subformulas (engines use automata);
//! - `reached`: which conditions are met in some reachable state or step;
//! - `quantity`: shortest and longest paths by iteration on sets.
//!
//! Nothing here is used by an engine, and nothing of an engine is used here.

mod branching;
mod enumerate;
mod fair;
mod fixpoints;
mod graph;
mod quantity;
mod reached;
mod tableau;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod known_answers;

pub(crate) use branching::Evaluation;
pub(crate) use enumerate::{Constraint, Enumerator, Visit, When};
pub(crate) use fixpoints::satisfying;
pub use graph::{Graph, GraphStep};
pub(crate) use graph::{Met, Scope, Target, choosing_system, hazard_at, hazard_conditions, without_inputs};
pub(crate) use quantity::{longest_path, shortest_path};
pub use reached::{Reached, reached};

use entail_budget::Spent;

/// How much a check may spend beyond its budget of time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// Most states the reference enumerates.
    pub states: usize,
    /// Most steps, and nodes of a tableau, the reference builds.
    pub steps: usize,
    /// Most values tried for one variable.
    pub values: u64,
}

impl Default for CheckLimits {
    fn default() -> CheckLimits {
        CheckLimits {
            states: 100_000,
            steps: 2_000_000,
            values: 1 << 17,
        }
    }
}

/// Why the reference did not decide a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRechecked {
    /// The model is too large for it.
    #[error("{0}")]
    TooLarge(String),
    /// The budget was spent.
    #[error("{0}")]
    Spent(#[from] Spent),
    /// The question has no answer by the definitions (an atom about the inputs of a step that is not taken).
    #[error("{0}")]
    Undefined(String),
}
