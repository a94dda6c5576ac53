//! The checker of evidence about programs.
//!
//! **Here:** [`judge()`] repeats a run with the reference interpreter and says whether it shows what it is said to show; [`search_again()`] decides a
//! requirement of a small program anew, to check an engine that says that it holds; [`check_closed()`] looks at each state of a set that is said to have all reachable ones.
//!
//! **Not here:** the meaning of programs (`entail-program`), anything that finds runs (engines).

mod closed;
mod judge;
mod search_again;

pub use closed::check_closed;
pub use judge::judge;
pub use search_again::search_again;
