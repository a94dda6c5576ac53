//! Two-player games on finite graphs.
//!
//! **Here:** who plays ([`Player`]), where ([`Arena`], in compressed rows), for what ([`ParityGame`], [`ObjectiveGame`], [`ConcurrentGame`] where both move at once), and what it means to have solved a game
//! ([`Solution`]: a winner for each vertex, a move for each vertex whose owner wins it); and machines that react
//! ([`ReactiveMachine`]), which strategies of synthesis games become; Boolean equation systems ([`BooleanEquations`]); strategies in games of formulas on graphs ([`FormulaStrategy`]) and reasons why a formula has no model
//! ([`FormulaRefutation`]); why a GR(1) specification is realizable or not ([`Gr1Proof`]).
//!
//! **Not here:** solving (`entail-parity`), judging solutions (`entail-strategy`), formats (`entail-pgsolver`).
//!
//! **Invariants a caller may rely on**
//! - Every vertex of an arena has a successor, and every successor is a vertex: an [`Arena`] that breaks this cannot be built.
//! - Vertices are numbered from 0 without gaps. What a file calls them is the business of its format.
//! - Parity is that of the *highest* priority seen again and again; Even wins if it is even. Formats that mean something else are converted when
//!   they are read.

mod arena;
mod concurrent;
mod equations;
mod formula_refutation;
mod formula_strategy;
mod machine;
mod objective;
mod parity;
mod player;
mod ranks;
mod solution;

pub use arena::{Arena, ArenaBuilder, ArenaError};
pub use concurrent::{
    Certainty, ChancePosition, Choices, ConcurrentGame, ConcurrentPosition, ConcurrentProof,
};
pub use equations::{BooleanEquation, BooleanEquations, BooleanNode};
pub use formula_refutation::{FormulaRefutation, RefutedSet, Reply};
pub use formula_strategy::{FormulaMove, FormulaStrategy};
pub use machine::{Decision, FirstMover, ReactiveMachine};
pub use objective::{
    Colours, Condition, MeanValue, Objective, ObjectiveGame, ObjectiveProof, Position, Rational,
};
pub use parity::{ParityGame, Priority};
pub use player::Player;
pub use ranks::{EnvironmentLayer, Gr1Proof, Gr1Ranks, SystemLayer, WrittenSet, WrittenSets};
pub use solution::Solution;

/// A vertex of an arena, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vertex(pub u32);

impl Vertex {
    /// Its position in tables over vertices.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for Vertex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
