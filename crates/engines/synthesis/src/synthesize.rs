//! Deciding a problem: the game grows until one of the players wins what is explored.

use crate::arena::{Growing, LOST, WON};
use crate::extract::{extract, resolved};
use crate::part::Part;
use crate::problem::{Goal, Problem, SynthesisError};
use crate::product::{Product, Target};
use crate::skeleton::{Skeleton, take_apart};
use entail_automata::{Target as Kind, Translation, translate};
use entail_budget::Budget;
use entail_game::{FirstMover, Player, ReactiveMachine, Vertex};
use entail_reactive::LooseMachine;

/// The answer to a synthesis problem.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Even is the system: it wins if the problem is realizable.
    pub winner: Player,
    /// The winner's machine: the system's reads inputs and writes outputs, the environment's reads outputs and writes inputs.
    pub machine: ReactiveMachine,
    /// The same with the freedom that the winner has.
    pub loose: LooseMachine,
    /// What it took.
    pub effort: Effort,
}

/// What deciding took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Parts of the formula.
    pub parts: usize,
    /// States of all their automata.
    pub part_states: usize,
    /// States of the product that were looked at.
    pub states: usize,
    /// Vertices of the game.
    pub vertices: usize,
}

/// The game is solved again when it has grown by this factor, in hundredths.
const GROWTH: usize = 150;
/// It is solved for the first time with so many vertices.
const FIRST: usize = 64;

/// Decides a problem.
pub fn synthesize(problem: &Problem, budget: &Budget) -> Result<Outcome, SynthesisError> {
    let order: Vec<String> = match problem.first {
        FirstMover::Environment => problem.inputs.iter().chain(&problem.outputs).cloned().collect(),
        FirstMover::Machine => problem.outputs.iter().chain(&problem.inputs).cloned().collect(),
    };
    let boundary = match problem.first {
        FirstMover::Environment => problem.inputs.len(),
        FirstMover::Machine => problem.outputs.len(),
    };
    let level = |name: &str| order.iter().position(|known| known == name).map(|at| at as u32);
    let (skeleton, parts) = match &problem.goal {
        Goal::Automaton(automaton) => (
            Skeleton::Part(0, false),
            vec![Part::new(automaton, &level, budget)?],
        ),
        Goal::Formula(formula) => {
            let (skeleton, formulas) = take_apart(formula);
            let how = Translation {
                target: Kind::Parity,
                ..Translation::default()
            };
            let mut parts = Vec::with_capacity(formulas.len());
            for formula in &formulas {
                let automaton = translate(formula, how, budget)?;
                parts.push(Part::new(&automaton.into(), &level, budget)?);
            }
            (skeleton, parts)
        }
    };
    let mut effort = Effort {
        parts: parts.len(),
        part_states: parts.iter().map(|part| part.roots.len()).sum(),
        ..Effort::default()
    };
    let mut product = Product::new(parts, skeleton, boundary as u32, budget);
    let first = match problem.first {
        FirstMover::Environment => Player::Odd,
        FirstMover::Machine => Player::Even,
    };
    let mut game = Growing::new(first);
    let initial = match product.initial()? {
        // What stands on the way to the first state does not count.
        Target::State(state, _) => game.state(state),
        Target::Won => WON,
        Target::Lost => LOST,
    };
    let mut next_solving = FIRST;
    loop {
        while game.len() < next_solving
            && let Some(state) = game.border.pop_front()
        {
            budget.check_now()?;
            game.expand(state, &mut product)?;
            effort.states += 1;
        }
        effort.vertices = game.len();
        let complete = game.border.is_empty();
        for asker in Player::BOTH {
            let solution = game.solve(asker, budget)?;
            if solution.winner(Vertex(initial)) == Some(asker) {
                let loose = extract(
                    problem,
                    &order,
                    &mut product,
                    &mut game,
                    &solution,
                    asker,
                    initial,
                )?;
                return Ok(Outcome {
                    winner: asker,
                    machine: resolved(&loose),
                    loose,
                    effort,
                });
            }
            // A complete game is won by one of them.
            debug_assert!(!complete || asker == Player::Even);
        }
        next_solving = (game.len() * GROWTH / 100).max(next_solving + FIRST);
    }
}
