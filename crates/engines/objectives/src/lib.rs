//! Games whose objective is not parity.
//!
//! **Here:** [`solve`], from a game to who wins it where, and how; [`mean_value`], the value of a mean-payoff game; [`game_of_equations`], Boolean equation systems as parity games.
//!
//! | objective | algorithm |
//! |---|---|
//! | reachability, safety | attractors ([`attractor`]) |
//! | conditions on the colours seen again and again: Büchi, co-Büchi, Rabin, Streett, Muller, GR(1), several parities | the Zielonka tree of the condition as memory, then a parity game ([`recurring`]); Dziembowski, Jurdziński, Walukiewicz, LICS 1997 |
//! | energy, mean payoff | energy progress measures, Brim, Chaloupka, Doyen, Gentilini, Raskin, FMSD 2011 ([`energy`]) |
//! | discounted sums | strategy improvement with exact numbers, in the inner loop for Odd ([`discounted`]) |
//! | games in which both move at once ([`solve_concurrent`]) | surely: the game in which Odd is told; with dice: nested fixpoints, de Alfaro, Henzinger, Kupferman, FOCS 1998 |
//!
//! **Not here:** parity games (`entail-parity`), judging solutions (`entail-games-checker`, which shares no code with this), the format (`entail-arena`).
//!
//! **What a caller may rely on:** every vertex has a winner, and the strategies of both players are complete on what they win.

pub mod attractor;
mod concurrent;
pub mod discounted;
pub mod energy;
mod equations;
mod mean_payoff;
pub mod recurring;

use entail_automata::AutomataError;
use entail_budget::{Budget, Spent};
use entail_game::{Objective, ObjectiveGame, ObjectiveProof, Player, Position, Rational, Vertex};

pub use concurrent::solve_concurrent;
pub use equations::{equations_of_game, game_of_equations};
pub use mean_payoff::mean_value;

/// Why a game was not solved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotSolved {
    /// The budget is spent.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// Something is too large.
    #[error("{0}")]
    TooLarge(String),
}

impl From<AutomataError> for NotSolved {
    fn from(error: AutomataError) -> NotSolved {
        match error {
            AutomataError::Spent(spent) => NotSolved::Spent(spent),
            other => NotSolved::TooLarge(other.to_string()),
        }
    }
}

/// Solves a game.
pub fn solve(game: &ObjectiveGame, budget: &Budget) -> Result<ObjectiveProof, NotSolved> {
    let zero = || Rational::from(0u8);
    Ok(match &game.objective {
        Objective::Reach(colour) => {
            ObjectiveProof::Strategies(attractor::reach(game, Player::Even, *colour, true, budget)?)
        }
        // Odd wants to reach what lacks the colour.
        Objective::Stay(colour) => {
            ObjectiveProof::Strategies(attractor::reach(game, Player::Odd, *colour, false, budget)?)
        }
        Objective::Recurring(condition) => {
            ObjectiveProof::Strategies(recurring::solve(game, condition, budget)?)
        }
        Objective::Energy => ObjectiveProof::Strategies(mean_payoff::solve(game, &zero(), budget)?),
        Objective::MeanPayoff(at_least) => {
            ObjectiveProof::Strategies(mean_payoff::solve(game, at_least, budget)?)
        }
        Objective::Discounted { factor, .. } => {
            ObjectiveProof::Values(discounted::values(game, factor, budget)?)
        }
    })
}

/// A position of a strategy without memory.
fn plain(vertex: Vertex, winner: Player, choice: Option<Vertex>) -> Position {
    Position {
        vertex,
        memory: 0,
        winner,
        choice,
        next: 0,
    }
}
