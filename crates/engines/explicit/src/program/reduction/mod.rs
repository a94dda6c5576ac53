//! Partial-order reduction: of steps that do not get in each other's way, one order is enough.
//!
//! [`reducer`] finds, for a state, sets of processes whose steps suffice there (persistent sets, by Overman's algorithm); what steps touch comes from
//! [`statics`] and [`analysis`], and when two are in each other's way is said by [`footprint`]. [`independence`] says of two processes whether their next steps are, for sleep sets.
//! [`symmetry`] is another reduction: processes that nobody can tell apart are put in order.

mod access;
mod analysis;
mod footprint;
mod independence;
mod reducer;
mod statics;
mod symmetry;

pub use reducer::Reducer;
pub use symmetry::Symmetry;
