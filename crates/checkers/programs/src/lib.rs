//! The checker of evidence about programs.
//!
//! **Here:** [`judge()`] repeats a run with the reference interpreter and says whether it shows what it is said to show; [`search_again()`] decides a
//! requirement of a small program anew, to check an engine that says that it holds; [`check_closed()`] looks at each state of a set that is said to have all reachable ones; [`check_ranked()`]
//! looks at each state of a set with ranks, which is said to show that no infinite run violates a requirement; [`check_reduced()`] does both for reduced searches, with an analysis of independence of its own ([`advisor_of()`]).
//!
//! **Not here:** the meaning of programs (`entail-program`), anything that finds runs (engines).

mod closed;
mod independence;
mod judge;
mod parts;
mod processes;
mod ranked;
mod reduced;
mod safe_states;
mod search_again;
mod steps;
pub mod tape;
mod unseen;

pub use closed::check_closed;
pub use independence::advisor_of;
pub use judge::judge;
pub use ranked::{check_ranked, observer_of};
pub use reduced::check_reduced;
pub use search_again::search_again;
