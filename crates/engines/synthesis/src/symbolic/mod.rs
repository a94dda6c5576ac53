//! Synthesis with decision diagrams.
//!
//! 1. `observation`: what a formula says about a bounded number of steps becomes a proposition; `letters`: its value, from registers of earlier letters.
//! 2. `component`: each part of what is left, a deterministic automaton, as bits; all invariants of a conjunction as one bit.
//! 3. `condition`: what must be seen again and again, an Emerson-Lei condition, as a Zielonka tree whose leaves are a memory (Hausmann, Lehaut, Piterman,
//!    *Symbolic Solution of Emerson-Lei Games for Reactive Synthesis*, 2024).
//! 4. `fixpoint`: the winning states of the game, memory by memory, and the winner's choices.
//! 5. `circuit`: the choices as functions.
//!
//! The cost is that of the diagrams; it does not depend on the number of states. Nothing is approximated.

mod circuit;
mod component;
mod condition;
mod fixpoint;
mod game;
mod letters;
mod observation;

pub use circuit::{MachineNode, Signal, SymbolicMachine};

use crate::problem::{Problem, SynthesisError};
use crate::synthesize::Effort;
use circuit::circuit;
use entail_budget::Budget;
use entail_game::Player;
use fixpoint::Solving;
use game::Game;

/// The answer of the symbolic game.
#[derive(Clone, Debug)]
pub struct SymbolicOutcome {
    /// Even is the system: it wins if the problem is realizable.
    pub winner: Player,
    /// The winner's machine.
    pub machine: SymbolicMachine,
    /// What it took: `states` are memories of the condition, `vertices` rounds of the fixpoint.
    pub effort: Effort,
}

/// Decides a problem with decision diagrams.
pub fn synthesize_symbolically(
    problem: &Problem,
    budget: &Budget,
) -> Result<SymbolicOutcome, SynthesisError> {
    let game = Game::new(problem, budget)?;
    let manager = &game.manager;
    let first = manager.cube(game.latches.iter().map(|latch| (latch.variable, latch.first)))?;
    let mut solving = Solving::new(&game, Player::Even, problem.first, budget)?;
    let wins = solving.region()?;
    let mut effort = Effort {
        parts: game.parts,
        part_states: game.part_states,
        states: game.memory.moves.len(),
        vertices: solving.rounds as usize,
    };
    let [lost, won] = [&game.decided[0], &game.decided[1]];
    let winner = match first.is_subset_of(won)?
        || !first.is_subset_of(lost)? && first.is_subset_of(&wins[game.memory.start])?
    {
        true => Player::Even,
        false => Player::Odd,
    };
    let (region, mut solving) = match winner {
        Player::Even => (wins, solving),
        Player::Odd => {
            let other = wins.iter().map(entail_dd::Bdd::not).collect();
            drop(solving);
            (other, Solving::new(&game, Player::Odd, problem.first, budget)?)
        }
    };
    let choices = solving.choices(&region)?;
    effort.vertices += solving.rounds as usize;
    let machine = circuit(problem, &game, winner, choices, budget)?;
    Ok(SymbolicOutcome {
        winner,
        machine,
        effort,
    })
}
