//! The orders in which states are searched.

use crate::ending::Counts;

pub mod best_first;
pub mod breadth_first;
pub mod breadth_first_batches;
pub mod breadth_first_disk;
pub mod breadth_first_lossy;
pub mod context_bound;
pub mod covering;
pub mod depth_first;
pub mod depth_first_asleep;
pub mod depth_first_together;
pub mod random_walk;
pub mod sleep_sets;

/// What searches with a set of visited states count, and the first state without successors that they see.
pub type Tally<'t> = (&'t mut Counts, &'t mut Option<Vec<u8>>);
