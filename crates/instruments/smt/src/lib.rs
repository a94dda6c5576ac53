//! A solver for formulas over truth values, integers, reals, words, arrays and functions.
//!
//! **Here:** [`Solver`], incremental, with assumptions, models, cores and, on request, a record of its proof; [`ProvingRefuter`], which
//! gives refutations to whoever wants to check them; [`interpolate`], Craig interpolants of cuts between groups of formulas. Conflict-driven clause learning with theories: congruence closure, general simplex
//! with branching, words as bits, arrays by axioms on demand.
//!
//! **Not here:** reading scripts, evaluating models for the user, judging proofs.
//!
//! **Invariants a caller may rely on**
//! - *Unsatisfiable* comes with a refutation if a record was asked for; what has no certificate in it is marked as claimed.
//! - *Satisfiable* comes with an interpretation. Callers evaluate it: where a theory is incomplete the solver says *unknown* with a
//!   reason, but nothing here is a checker.
//! - The budget is looked at in every loop that may be long, pivoting included.

mod activity;
mod arrays;
mod bound_instances;
mod cells;
mod common_equalities;
mod conditionals;
mod congruence;
mod core;
mod decide;
mod difference_atoms;
mod differences;
#[cfg(test)]
mod differences_tests;
mod eliminate;
mod final_check;
mod floats;
mod gates;
mod guess;
mod host;
mod implicant;
mod integers;
mod internalize;
mod interpolants;
mod lazy_words;
mod linear;
mod matching;
mod model;
mod multiplied;
mod products;
pub mod projection;
mod quantifiers;
mod queries;
mod record;
mod refuter;
mod rows;
mod simplex;
mod solver;
mod theory;
mod words;

pub use decide::{Decision, decide};
pub use eliminate::{Definition, Definitions, definitions_of};
pub use guess::has_products;
pub use implicant::implicant;
pub use interpolants::{Interpolated, Strength, interpolate, projected_interpolant};
pub use queries::{QuerySink, show};
pub use refuter::ProvingRefuter;
pub use solver::{Answer, Solver};
