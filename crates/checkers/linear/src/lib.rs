//! That no infinite run violates a formula, shown state by state.
//!
//! **Here:** [`violations`], the automaton of the words that violate a formula, made from its definition ([`tableau`]); [`Descent`], the one rule that ranks of a product with an automaton must obey.
//!
//! **Not here:** what a state is and where its steps lead (the checkers of each kind of system), who found the ranks (engines, which are handed the automaton and told nothing else).
//!
//! The evidence is a set of pairs of a state and a position of the automaton, each with a level and a mark (Namjoshi, *Certifying model checkers*, CAV 2001, with one mark for each level instead of one rank for each
//! acceptance set). Every step from a pair of the set leads to a pair of the set. Levels never rise along a step; where the level stays, the mark stays as well and the step does not have it. So every
//! infinite run comes to a level that it never leaves, and from there on it misses one mark: it is not accepted. Nobody has to know that the pairs are reachable, or how they were found.

mod descent;
mod tableau;

pub use descent::{Descent, PROCESS_MARKS};
pub use tableau::{Unsupported, violations};
