//! Symbolic trajectory evaluation (Seger and Bryant; chapter 25).
//!
//! **Here:** [`by_diagrams`] and [`by_sat`], which decide a trajectory assertion; [`by_fixpoint`], which decides an assertion graph; [`derives`], whether an assertion follows from others by rules; [`by_index`], which decides an assertion by one about indices; [`Valued`], the simulation of one valuation, with which counterexamples are shown and an X is traced to where it comes from.
//!
//! **Not here:** netlists and assertions as data (`entail-trajectories`), their syntax, judging answers.
//!
//! **What a verdict means.** An assertion *holds* if for every valuation of the symbolic variables that the assumption allows, every three-valued trajectory of the netlist that does what the
//! antecedent says does what the consequent says. It *fails* if for some valuation the netlist has the other value where one is demanded: then every run of the circuit that does what the antecedent says
//! is a counterexample. If an X stands where a value is demanded (weak disagreement), nothing is known about the circuit, and the answer is *unknown*, with the valuation and where the X comes from.
//! Valuations for which the antecedent contradicts itself or the circuit (antecedent failure) have no trajectories: they count as satisfied, with a warning that names them.

mod boolean;
mod coverage;
mod diagrams;
mod functions;
mod graph;
mod indexing;
mod rails;
mod relation;
mod rules;
mod satisfiability;
mod scalar;
mod schedule;

pub use coverage::{Coverage, coverage};
pub use diagrams::{WEAK, by_diagrams};
pub use graph::by_fixpoint;
pub use indexing::by_index;
pub use rules::{Gap, Underived, derives};
pub use satisfiability::by_sat;
pub use scalar::{Disagreement, Ternary, Valued};

/// What the user may set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A node whose diagrams are larger than this becomes X (dynamic weakening).
    pub weaken_above: Option<usize>,
}
