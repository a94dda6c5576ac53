//! The mu-calculus by games.
//!
//! **Here:** [`satisfiable`]: has a formula a model? [`quotient`]: what must the rest of a system satisfy? [`embed`]: LTL, CTL and CTL* as formulas. [`decide`]: is a formula true in all initial states of a labelled graph? The game of formula and graph (Emerson, Jutla, Sistla 1993; Stirling 1995) is built on the fly from
//! the initial states and solved as a parity game; the winner's strategy is cut down to what it reaches.
//!
//! **Not here:** sets of states (`entail-fixpoint` evaluates formulas region by region), judging strategies (`entail-games-checker`), formats.
//!
//! **Invariants:** positions are states and nodes of the formula as the user wrote it, numbered as [`entail_game::FormulaStrategy`] says. The game has at most as many vertices
//! as the graph has states times the formula nodes, and two more.

mod embedding;
mod nodes;
mod positions;
mod quotient;
mod satisfiable;
mod unrolling;
mod ways;

pub use embedding::embed;
pub use quotient::quotient;
pub use satisfiable::{Satisfiability, Search, satisfiable};

use entail_budget::{Budget, Spent};
use entail_game::{FormulaMove, FormulaStrategy, Player, Vertex};
use entail_logic::mu::Mu;
use entail_model::Lts;
use entail_parity::{Solver, solve};
use nodes::Nodes;
use positions::Positions;

/// The answer.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The winner's strategy: Even's from all initial states, or Odd's from one of them.
    pub strategy: FormulaStrategy,
    /// Vertices of the game.
    pub positions: usize,
    /// Priorities that occur.
    pub priorities: usize,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MuError {
    /// The budget ran out.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// A variable is not bound.
    #[error("the variable `{0}` is not bound")]
    Free(String),
    /// There are more positions than can be numbered.
    #[error(
        "the game of the formula has too many positions, or the formula that was to be written is too large"
    )]
    TooLarge,
    /// A formula of another logic was not translated.
    #[error("the formula has no translation into the mu-calculus here: {0}")]
    Untranslated(String),
}

/// Decides whether a formula is true in all initial states.
pub fn decide(lts: &Lts, formula: &Mu<String>, budget: &Budget) -> Result<Decision, MuError> {
    let nodes = Nodes::new(formula)?;
    let mut positions = Positions::new(lts, &nodes);
    let game = positions.explore(budget)?;
    let (solution, _) = solve(&game, Solver::Auto, budget)?;
    let starts: Vec<Vertex> = (lts.initial().iter())
        .map(|state| positions.vertex_of(state.index() as u32, 0))
        .collect();
    let lost = starts
        .iter()
        .copied()
        .find(|&start| solution.winner(start) != Some(Player::Even));
    let (winner, from) = match lost {
        Some(start) => (Player::Odd, vec![start]),
        None => (Player::Even, starts),
    };
    let mut seen = vec![false; game.arena().vertex_count()];
    let mut waiting = from;
    let mut moves = Vec::new();
    while let Some(vertex) = waiting.pop() {
        if std::mem::replace(&mut seen[vertex.index()], true) {
            continue;
        }
        budget.check()?;
        let Some((state, node)) = positions.position(vertex) else {
            continue;
        };
        let mut choice = 0;
        match solution.choice(vertex) {
            Some(to) if game.arena().owner(vertex) == winner => {
                choice = positions.choice(node, to);
                waiting.push(to);
            }
            _ => waiting.extend(game.arena().successors(vertex)),
        }
        moves.push(FormulaMove { state, node, choice });
    }
    moves.sort_unstable();
    Ok(Decision {
        strategy: FormulaStrategy { winner, moves },
        positions: game.arena().vertex_count(),
        priorities: game.distinct_priorities(),
    })
}
