//! Orders before there are diagrams: computed from which variables occur together, or read from files.
//!
//! Items are numbers 0 … n − 1, whatever the caller numbers: single variables, or one number for a pair of current
//! and next. An order lists them from the top level down. A *hyperedge* is a set of items that occur together, say
//! in one assignment, one next-state function or one conjunct.

mod depth_first;
mod file;
mod force;

pub use depth_first::depth_first_order;
pub use file::{MatchedOrder, OrderFileError, match_order, read_order, write_order};
pub use force::{force_order, total_span};
