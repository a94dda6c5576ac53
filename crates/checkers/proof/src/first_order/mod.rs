//! Judging refutations of first-order formulas, and with them invariants of systems over integers, reals, words and arrays.
//!
//! A refutation is a propositional proof whose input clauses are true each for a reason of its own. Here every reason is looked at from
//! the meaning of the terms: connectives by their truth tables, equalities by a naive congruence closure, numbers by adding up the
//! inequalities with the factors given (Farkas' lemma, and rounding where all variables are integers). What a solver did with words it
//! only claims; then the formulas are translated to bits here, and the propositional search is repeated by CaDiCaL with a proof that is
//! checked. Laws that were applied when terms of words were built are shown again, each by another argument. Nothing is shared with the
//! solver.

mod alethe;
mod cells;
mod endless;
mod equality;
mod fixed_point;
mod floats;
mod induction;
mod inequality;
mod polynomial;
mod quantifiers;
mod refutation;
mod replaced;
#[cfg(test)]
mod tests;
mod tower;
mod word_laws;
#[cfg(test)]
mod word_laws_tests;
mod word_polynomial;
mod words;
#[cfg(test)]
mod words_tests;

pub use alethe::{AletheProof, alethe};
pub use endless::{Rounds, Watched, check_lasso};
use induction::conditions_hold;
pub use induction::{FirstOrderJudgement, check_k_induction};
pub use refutation::{Checked, check_refutation};
pub use replaced::replaced;
pub use word_laws::{LawFault, LawJudge, check_laws};
pub use words::{BitsFault, refute_by_bits};
