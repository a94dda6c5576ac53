//! Path formulas: no fair endless path violates them, or one does.
//!
//! The system is run beside a monitor of the paths that violate the formula ([`product`]). Such a path is a lasso ([`lassos`]) or one that
//! goes on for ever without returning ([`recurring`]). That there is none is shown by counting how often fairness is met ([`counted`]), or
//! by ranks that descend ([`ranked`]).

mod counted;
mod lassos;
mod loop_path;
mod product;
mod rank;
mod ranked;
mod recurring;

pub use counted::{Safety, k_liveness};
pub use lassos::lassos;
pub use ranked::descending_ranks;
pub use recurring::recurring_runs;

use entail_first_order::{EndlessProof, EndlessRun};

/// What an engine found out about a path formula.
#[derive(Clone, Debug)]
pub enum FoundEndless {
    /// No fair endless path violates it.
    Holds(EndlessProof),
    /// One does.
    Fails(EndlessRun),
    /// No violation is a lasso of so many steps.
    Bounded(usize),
    /// Not decided, for this reason.
    Unknown(String),
}
