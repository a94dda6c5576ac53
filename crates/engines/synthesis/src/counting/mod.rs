//! Synthesis by counting: universal co-Büchi automata, bounded, and antichains (Filiot, Jin, Raskin, *An antichain algorithm for LTL realizability*, CAV 2009;
//! Cadilhac, Pérez, *Acacia-Bonsai*, TACAS 2023).
//!
//! A player who wants a formula must keep every run of a nondeterministic automaton of its negation from accepting. If it can at all, it can so that no run
//! meets more than `k` accepting edges, for some `k`: a safety game on vectors that say for each state of the automaton the highest count with which a run
//! may be there. Fewer runs with lower counts are always better for the player, so the vectors from which it wins are those below some maximal ones.
//!
//! 1. `avoided`: the automata of all conjuncts, side by side, as decision diagrams. Counts begin anew in each strongly connected component.
//! 2. `letters`: what the players can do: letters that all states of the automaton treat alike are one *action*.
//! 3. `antichain`: sets of vectors that are closed downwards, by their maximal elements.
//! 4. `bounded`: the safety game for one bound.
//! 5. `smallest`: instead of the game, a search by SAT for a machine with few states.
//! 6. `vectors`: the winner's machine.
//!
//! Both players are tried in turns, each with growing bounds, until one wins: exactly one has a machine. If it is known who wins, only that one is tried. No automaton is made deterministic.

mod antichain;
mod avoided;
mod bounded;
mod letters;
mod smallest;
mod vectors;

pub(crate) use letters::{Way, Ways};

use crate::extract::resolved;
use crate::problem::{Goal, Problem, SynthesisError};
use crate::skeleton::spread;
use crate::synthesize::{Effort, Outcome};
use avoided::Avoided;
use bounded::{Attempt, Bounded};
use entail_budget::Budget;
use entail_game::{FirstMover, Player};
use entail_logic::{Formula, Node};
use letters::Letters;
use smallest::{MOST_STATES, Smallest, most_bound};
use std::time::Duration;
use vectors::Stay;

/// How long a player is tried for the first time before the other one is.
const FIRST_SLICE: Duration = Duration::from_millis(100);
/// Counts are kept in a signed byte.
const MOST: i8 = 100;
/// A formula is split into at most so many conjuncts.
const MOST_CONJUNCTS: usize = 48;

/// One player's attempts.
struct Side {
    player: Player,
    avoided: Avoided,
    letters: Letters,
    moves_first: bool,
    bound: i8,
    /// States of the machine that is searched for.
    states: u32,
    /// No larger bound can help.
    is_lost: bool,
}

/// What is tried for a player as long as its share lasts.
type Attempts = fn(&mut Side, &Budget) -> Result<Option<Stay>, SynthesisError>;

/// Decides a problem whose goal is a formula. If the winner is known, the other player is not tried.
pub fn synthesize_by_counting(
    problem: &Problem,
    winner: Option<Player>,
    budget: &Budget,
) -> Result<Outcome, SynthesisError> {
    in_turns(problem, winner, growing_bounds, budget)
}

/// The same with a machine that has as few states as can be.
pub fn synthesize_smallest(
    problem: &Problem,
    winner: Option<Player>,
    budget: &Budget,
) -> Result<Outcome, SynthesisError> {
    in_turns(problem, winner, growing_machines, budget)
}

/// Tries the players in turns, with growing shares of time, or only the one that is known to win.
fn in_turns(
    problem: &Problem,
    winner: Option<Player>,
    attempts: Attempts,
    budget: &Budget,
) -> Result<Outcome, SynthesisError> {
    let Goal::Formula(formula) = &problem.goal else {
        return Err(SynthesisError::Refused(
            "counting is for formulas, not for automata that are games already".into(),
        ));
    };
    let exhausted = || SynthesisError::TooLarge("more would have to be counted than is");
    if let Some(winner) = winner {
        let found = turn(&mut None, winner, problem, formula, attempts, budget)?;
        return found.ok_or_else(exhausted);
    }
    let mut sides: [Option<Side>; 2] = [None, None];
    let mut trouble: [Option<SynthesisError>; 2] = [None, None];
    let mut slice = FIRST_SLICE;
    loop {
        for (at, player) in Player::BOTH.into_iter().enumerate() {
            if trouble[at].is_some() {
                continue;
            }
            let part = budget.part(slice);
            match turn(&mut sides[at], player, problem, formula, attempts, &part) {
                Ok(Some(outcome)) => return Ok(outcome),
                Ok(None) => {}
                // The slice is over, or everything is.
                Err(SynthesisError::Spent(_)) => budget.check_now()?,
                Err(other) => trouble[at] = Some(other),
            }
        }
        if let [Some(first), Some(_)] = &trouble {
            return Err(first.clone());
        }
        let lost = |side: &Option<Side>| side.as_ref().is_some_and(|side| side.is_lost);
        if (lost(&sides[0]) || trouble[0].is_some()) && (lost(&sides[1]) || trouble[1].is_some()) {
            return Err(exhausted());
        }
        slice = slice.saturating_mul(2);
    }
}

/// Tries a player as long as its share lasts.
fn turn(
    side: &mut Option<Side>,
    player: Player,
    problem: &Problem,
    formula: &Formula<String>,
    attempts: Attempts,
    budget: &Budget,
) -> Result<Option<Outcome>, SynthesisError> {
    let (reads, writes) = match player {
        Player::Even => (&problem.inputs, &problem.outputs),
        Player::Odd => (&problem.outputs, &problem.inputs),
    };
    let side = match side {
        Some(side) => side,
        None => {
            let wanted = match player {
                Player::Even => formula.positive_normal_form(),
                Player::Odd => formula.negated_normal_form(),
            };
            let moves_first = (player == Player::Even) == (problem.first == FirstMover::Machine);
            let (first, second) = if moves_first {
                (writes, reads)
            } else {
                (reads, writes)
            };
            let order: Vec<String> = first.iter().chain(second).cloned().collect();
            let avoided = Avoided::new(&conjuncts(&wanted), &order, budget)?;
            let letters = Letters::new(&avoided, first.len(), second.len(), moves_first, budget)?;
            side.insert(Side {
                player,
                avoided,
                letters,
                moves_first,
                bound: 1,
                states: 1,
                is_lost: false,
            })
        }
    };
    let Some(stay) = attempts(side, budget)? else {
        return Ok(None);
    };
    let game = Bounded::new(&side.avoided, &side.letters, side.bound, side.moves_first);
    let loose = vectors::machine(&game, &stay, reads, writes, budget)?;
    Ok(Some(Outcome {
        winner: side.player,
        machine: resolved(&loose),
        loose,
        effort: Effort {
            parts: side.avoided.automata,
            part_states: side.avoided.states(),
            states: stay.looked_at,
            vertices: side.letters.actions.len(),
        },
    }))
}

/// The safety game with growing bounds.
fn growing_bounds(side: &mut Side, budget: &Budget) -> Result<Option<Stay>, SynthesisError> {
    while !side.is_lost {
        let game = Bounded::new(&side.avoided, &side.letters, side.bound, side.moves_first);
        match game.solve(budget)? {
            Attempt::Won(set) => {
                return Ok(set.above(&game.start).map(|first| Stay {
                    first,
                    looked_at: set.len(),
                    vectors: set.maximal,
                }));
            }
            Attempt::Lost => {
                // Where nothing is counted, no bound was too small.
                side.is_lost = !side.avoided.counts() || side.bound >= MOST;
                side.bound = side.bound.saturating_mul(2).min(MOST);
            }
        }
    }
    Ok(None)
}

/// Machines with more and more states, each with growing bounds.
fn growing_machines(side: &mut Side, budget: &Budget) -> Result<Option<Stay>, SynthesisError> {
    while !side.is_lost {
        let bound = side.bound as u32;
        let search = Smallest::new(&side.avoided, &side.letters, side.moves_first, side.states, bound);
        if let Some(vectors) = search.search(budget)? {
            return Ok(Some(Stay {
                first: 0,
                looked_at: vectors.len(),
                vectors,
            }));
        }
        if side.avoided.counts() && bound < most_bound(side.states) {
            side.bound = side.bound.saturating_mul(2);
            continue;
        }
        side.bound = 1;
        side.states += 1;
        side.is_lost = side.states > MOST_STATES;
    }
    Ok(None)
}

/// The conjuncts of a formula. A disjunction with a conjunction in it is one disjunction for each conjunct: an assumption is put before every guarantee.
fn conjuncts(formula: &Formula<String>) -> Vec<Formula<String>> {
    let mut done = Vec::new();
    let mut waiting = vec![spread(formula)];
    while let Some(formula) = waiting.pop() {
        let room = MOST_CONJUNCTS.saturating_sub(done.len() + waiting.len());
        match formula.node() {
            Node::And(list) if list.len() <= room => waiting.extend(list.iter().cloned()),
            Node::Or(list) => {
                let longest = (list.iter().enumerate())
                    .filter_map(|(at, one)| match one.node() {
                        Node::And(inner) if inner.len() <= room => Some((inner.len(), at)),
                        _ => None,
                    })
                    .max();
                let Some((_, at)) = longest else {
                    done.push(formula);
                    continue;
                };
                if let Node::And(inner) = list[at].node() {
                    for one in inner {
                        let others = (list.iter().enumerate()).filter(|(other, _)| *other != at);
                        let others = others.map(|(_, other)| other.clone());
                        waiting.push(Formula::or(others.chain([one.clone()])));
                    }
                }
            }
            _ => done.push(formula),
        }
    }
    done
}
