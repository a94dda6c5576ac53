//! The one search under every explicit state space.
//!
//! **Here:** what a kind of system has to tell ([`Searchable`], [`Explorer`]: a successor function over packed states); stores of states ([`Exact`], [`Tree`], sorted files, lossy ones);
//! searches in several orders on any number of threads ([`search`]); cycles that are accepted ([`cycles`]); checkpoints, queues in files, limits to memory.
//!
//! **Not here:** any kind of system, any formula, any verdict. Who calls a search says what its ending means.
//!
//! **Invariants**
//! - Nothing is called through a pointer where states are made: searches are compiled for each model.
//! - What is counted by a finished search is the same for every storage that keeps states, every order and every number of threads.
//! - A violation comes with the states from an initial one on, each a successor of the one before; breadth first it is a shortest path.
//! - Every unbounded loop polls the budget. Nothing recurses.

mod checkpoint_file;
mod closure;
pub mod cycles;
mod ending;
mod model;
mod options;
mod order;
mod reachability;
mod saved;
mod store;
pub mod units;

pub use checkpoint_file::{CheckpointError, CheckpointFile, Subject, digest};
pub use closure::closure;
pub use ending::{Cause, Counts, Ending, Violation};
pub use model::{Explorer, GroupSet, Searchable, Steps, Successors};
pub use options::{Checkpoints, DiskOptions, MachineCode, Order, SearchOptions, Storage, WalkOptions};
pub use order::covering::{Covered, Ordered, search_covering};
pub use order::random_walk::random_walks;
pub use reachability::{Searched, search};
pub use store::exact::Exact;
pub use store::hash_index::{HashIndex, Vacancy};
pub use store::tree::Tree;
pub use store::{Refusal, StateNumber, Store};
