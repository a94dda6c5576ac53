//! Answers to "does the system satisfy the property?", for every kind of system.
//!
//! **Here:** [`Answer`]: verdict, guarantee, value, reason, warnings, counters, rounds, evidence; what a checker says about it
//! ([`CheckReport`]). An answer is generic in its evidence: an engine gives its own plain data, the seam between families and the
//! app a boxed [`Evidence`]. Sets of states as several kinds of evidence need them ([`ClosedSet`], [`RankedSet`]).
//!
//! **Not here:** any other evidence (families have their own), any checker, how an answer is shown.
//!
//! **Invariant:** a verdict other than *unknown* has evidence; whether it was checked is told by a [`CheckReport`], never by the answer.

mod answer;
mod check_report;
pub mod closed_set;
mod guarantee;
mod json;
mod quantity;
mod ranked_set;
mod set_index;
mod statistics;

pub use answer::{Answer, Evidence, Round, Verdict, Warning, WarningKind};
pub use check_report::CheckReport;
pub use closed_set::ClosedSet;
pub use guarantee::Guarantee;
pub use quantity::{NotANumber, Quantity, Rational};
pub use ranked_set::{Rank, RankedSet};
pub use set_index::SetIndex;
pub use statistics::{Figure, Statistics};
