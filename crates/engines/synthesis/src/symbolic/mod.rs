//! Synthesis with decision diagrams.
//!
//! 1. `observation`: what a formula says about a bounded number of steps becomes a proposition; `letters`: its value, from registers of earlier letters.
//! 2. `component`: each part of what is left, a deterministic automaton, as bits; all invariants of a conjunction as one bit; `sets`: parts that need no deterministic automaton.
//! 3. `condition`: what must be seen again and again, an Emerson-Lei condition, as a Zielonka tree whose leaves are a memory (Hausmann, Lehaut, Piterman,
//!    *Symbolic Solution of Emerson-Lei Games for Reactive Synthesis*, 2024).
//! 4. `fixpoint`: the winning states of the game, memory by memory, and the winner's choices.
//! 5. `circuit`: the choices as functions.
//! 6. `strategy`: the choices without what they need not know (`image`: the states that are reached by them); `weave`: these as gates.
//!
//! The cost is that of the diagrams; it does not depend on the number of states. Nothing is approximated.

mod circuit;
mod component;
mod condition;
mod fixpoint;
mod game;
mod image;
mod letters;
mod observation;
mod sets;
mod strategy;
mod weave;

pub use circuit::{MachineNode, Signal, SymbolicMachine};
pub(crate) use letters::Letters;
pub(crate) use observation::Observations;

use crate::problem::{Problem, SynthesisError};
use crate::synthesize::Effort;
use circuit::circuit;
use condition::{Memory, Relaxation, TOO_LARGE};
use entail_budget::Budget;
use entail_game::Player;
use entail_reactive::Netlist;
use fixpoint::{Region, Solving};
use game::Game;
use std::time::{Duration, Instant};
use strategy::{Coding, Strategy};
use weave::woven;

/// The answer of the symbolic game.
#[derive(Clone, Debug)]
pub struct SymbolicOutcome {
    /// Even is the system: it wins if the problem is realizable.
    pub winner: Player,
    /// The winner's machine.
    pub machine: SymbolicMachine,
    /// Another one, with little memory, if there was time for it: it reads and writes the same signals in the same order.
    pub small: Option<Netlist>,
    /// What it took: `states` are memories of the condition, `vertices` rounds of the fixpoint.
    pub effort: Effort,
}

/// Conditions that need at most so much memory are solved as they are before anything else is tried.
const SMALL: usize = 24;
/// Conditions that need more memory than this are given up.
const LARGEST: usize = 2_000;

/// A latch for each value of the memory is tried up to so many.
const MOST_HOT: usize = 24;
/// A machine with little memory is looked for in this part of the time that everything until then took, but at least so long.
const SHARE: u32 = 4;
const LEAST_SHARE: Duration = Duration::from_secs(2);

/// Decides a problem with decision diagrams. If the condition needs much memory, both sides are first asked under a condition that is worse for them.
pub fn synthesize_symbolically(
    problem: &Problem,
    budget: &Budget,
) -> Result<SymbolicOutcome, SynthesisError> {
    let begun = Instant::now();
    let game = Game::new(problem, budget)?;
    let mut rounds = 0;
    let mut last = TOO_LARGE;
    for (relaxation, most) in [
        (Relaxation::Exact, SMALL),
        (Relaxation::AgainstSystem, LARGEST),
        (Relaxation::AgainstEnvironment, LARGEST),
        (Relaxation::Exact, LARGEST),
    ] {
        let memory = match game.memory(relaxation, most, budget) {
            Ok(memory) => memory,
            Err(error @ SynthesisError::TooLarge(_)) => {
                last = error;
                continue;
            }
            Err(error) => return Err(error),
        };
        let Some(won) = attempt(problem, &game, &memory, relaxation, &mut rounds, budget)? else {
            continue;
        };
        let machine = circuit(problem, &game, &memory, won.winner, &won.choices, budget)?;
        let share = budget.part((begun.elapsed() / SHARE).max(LEAST_SHARE));
        return Ok(SymbolicOutcome {
            winner: won.winner,
            small: small(&game, &memory, &won, machine.is_moore, &share),
            machine,
            effort: Effort {
                parts: game.parts,
                part_states: game.part_states,
                states: memory.moves.len(),
                vertices: usize::try_from(rounds).unwrap_or(usize::MAX),
            },
        });
    }
    Err(last)
}

/// A winner, the states it wins, and its choices there.
struct Won {
    winner: Player,
    region: Region,
    choices: Region,
}

/// Circuits with little memory, the smaller of those with the condition's memory in numbers and with a latch for each value.
fn small(game: &Game, memory: &Memory, won: &Won, moves_first: bool, budget: &Budget) -> Option<Netlist> {
    game.manager.watch(budget);
    let values = memory.moves.len();
    let codings: &[Coding] = match values {
        3..=MOST_HOT => &[Coding::Binary, Coding::OneHot],
        _ => &[Coding::Binary],
    };
    let made = codings.iter().filter_map(|&coding| {
        let strategy = Strategy::new(game, memory, won, moves_first, coding, budget).ok()?;
        woven(&strategy.with_little_memory().ok()?, budget).ok()
    });
    made.min_by_key(Netlist::size)
}

/// Solves the game with this memory; nothing if the winner may owe it to the relaxation.
fn attempt(
    problem: &Problem,
    game: &Game,
    memory: &Memory,
    relaxation: Relaxation,
    rounds: &mut u64,
    budget: &Budget,
) -> Result<Option<Won>, SynthesisError> {
    let manager = &game.manager;
    let first = manager.cube(game.latches.iter().map(|latch| (latch.variable, latch.first)))?;
    let mut solving = Solving::new(game, memory, Player::Even, problem.first, budget)?;
    let wins = solving.region()?;
    *rounds += solving.rounds;
    let [lost, won] = [&game.decided[0], &game.decided[1]];
    let winner = match first.is_subset_of(won)?
        || !first.is_subset_of(lost)? && first.is_subset_of(&wins[memory.start])?
    {
        true => Player::Even,
        false => Player::Odd,
    };
    let is_sure = match relaxation {
        Relaxation::Exact => true,
        Relaxation::AgainstSystem => winner == Player::Even,
        Relaxation::AgainstEnvironment => winner == Player::Odd,
    };
    if !is_sure {
        return Ok(None);
    }
    let (region, mut solving) = match winner {
        Player::Even => (wins, solving),
        Player::Odd => {
            let other = wins.iter().map(entail_dd::Bdd::not).collect();
            (
                other,
                Solving::new(game, memory, Player::Odd, problem.first, budget)?,
            )
        }
    };
    let choices = solving.choices(&region)?;
    *rounds += solving.rounds;
    Ok(Some(Won {
        winner,
        region,
        choices,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Goal;
    use entail_automata::ltl::random::Random;
    use entail_game::FirstMover;
    use entail_logic::Formula;

    #[test]
    fn what_is_sure_under_a_relaxed_condition_is_so_under_the_whole() {
        let budget = Budget::unlimited();
        let mut random = Random::new(12);
        let (mut sure, mut open) = ([0, 0], 0);
        for _ in 0..80 {
            let mut literal = || {
                let atom = Formula::atom(format!("p{}", random.below(4)));
                if random.below(2) == 0 { atom } else { atom.not() }
            };
            let mut again = || Formula::or([literal(), literal()]).finally().globally();
            // Strong fairness is assumed.
            let assumed = Formula::and([again().implies(&again()), again().implies(&again())]);
            let wanted = Formula::and([again(), again()]);
            let kept = Formula::or([literal(), literal()]).globally();
            let problem = Problem {
                goal: Goal::Formula(assumed.implies(&Formula::and([wanted, kept]))),
                inputs: vec!["p0".into(), "p1".into()],
                outputs: vec!["p2".into(), "p3".into()],
                first: FirstMover::Environment,
            };
            let exact = synthesize_symbolically(&problem, &budget).expect("small").winner;
            let game = Game::new(&problem, &budget).expect("small");
            for relaxation in [Relaxation::AgainstSystem, Relaxation::AgainstEnvironment] {
                let memory = game.memory(relaxation, LARGEST, &budget).expect("small");
                let found = attempt(&problem, &game, &memory, relaxation, &mut 0, &budget).expect("small");
                match found {
                    Some(outcome) => {
                        assert_eq!(outcome.winner, exact, "{relaxation:?}");
                        sure[outcome.winner.index()] += 1;
                    }
                    None => open += 1,
                }
            }
        }
        assert!(sure[0] > 5 && sure[1] > 5 && open > 5, "{sure:?} {open}");
    }
}
