//! The smallest system that is equivalent to a given one, with the equivalence re-checked.

use entail_budget::{Budget, Spent};
use entail_equivalence::bisimulation;
use entail_evidence::equivalence::{Bisimulation, Partition};
use entail_model::{Lts, LtsError};
use entail_relations_checker::{PartitionError, check_coarsest, check_partition};
use std::time::{Duration, Instant};

/// A minimised system.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The system.
    pub lts: Lts,
    /// Which state of it each state of the given system has become.
    pub partition: Partition,
    /// How long the partition took to find.
    pub time: Duration,
    /// How long it took to check.
    pub check_time: Duration,
    /// Why some part was not re-checked, if so.
    pub not_checked: Option<String>,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum MinimizeError {
    /// There was not enough time or memory.
    #[error("{0}")]
    Spent(Spent),
    /// The checker rejects the partition.
    #[error("the {relation} partition was rejected: {reason}")]
    Rejected {
        /// What it was claimed to be.
        relation: Bisimulation,
        /// Why not.
        reason: PartitionError,
    },
    /// It cannot be built.
    #[error("{0}")]
    Lts(#[from] LtsError),
}

impl From<Spent> for MinimizeError {
    fn from(spent: Spent) -> Self {
        MinimizeError::Spent(spent)
    }
}

/// Minimises a system. That states of a block are equivalent is checked with another algorithm (for weak bisimulation, as far as
/// `check_time` goes); that states of different blocks are not, as far as `check_time` goes.
pub fn minimize(
    lts: &Lts,
    relation: Bisimulation,
    budget: &Budget,
    check_time: Duration,
) -> Result<Minimized, MinimizeError> {
    let start = Instant::now();
    let partition = bisimulation(lts, relation, budget)?;
    let time = start.elapsed();
    let smaller = partition.quotient(lts, relation)?;
    let rejected = |reason| MinimizeError::Rejected { relation, reason };
    let start = Instant::now();
    let limited = || {
        (Budget::unlimited().with_timeout(Some(check_time))).with_cancellation(budget.cancellation().clone())
    };
    let first = match relation {
        Bisimulation::Weak | Bisimulation::DivergenceWeak => limited(),
        _ => budget.same_limits(),
    };
    let mut not_checked = None;
    match check_partition(lts, &partition, relation, &first) {
        Ok(()) => match check_coarsest(&smaller, relation, &limited()) {
            Ok(_) => {}
            Err(PartitionError::Spent(spent)) => {
                not_checked = Some(format!(
                    "that the states of a class are equivalent is checked; that no two classes are was not: {spent}"
                ));
            }
            Err(reason) => return Err(rejected(reason)),
        },
        Err(PartitionError::Spent(spent)) => {
            not_checked = Some(format!("the result was not re-checked: {spent}"));
        }
        Err(reason) => return Err(rejected(reason)),
    }
    Ok(Minimized {
        lts: smaller,
        partition,
        time,
        check_time: start.elapsed(),
        not_checked,
    })
}
