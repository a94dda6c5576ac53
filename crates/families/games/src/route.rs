//! The ways to decide a synthesis problem, and small circuits of the machines they find.
//!
//! Each route has machines of its own kind: exploring the game tends to give many states with much freedom, counting few states, SAT the fewest. [`Route::Small`] decides by one of them and, where the circuit
//! that comes of it is not small, asks those that give few states again, now only for the player who is known to win; the smallest circuit of each part is kept.

use crate::circuit::symbolic_circuit;
use crate::listed::listed_within;
use crate::small::{shrunk, shrunk_netlist, small_circuit};
use entail_aiger::Aiger;
use entail_budget::Budget;
use entail_game::{FirstMover, Player};
use entail_reactive::LooseMachine;
use entail_synthesis::{
    Effort, Outcome, Problem, SymbolicOutcome, SynthesisError, synthesize, synthesize_by_counting,
    synthesize_smallest, synthesize_symbolically,
};
use std::time::{Duration, Instant};

/// A way to decide a problem: an engine by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The game is explored state by state.
    Explicit,
    /// Decision diagrams.
    Symbolic,
    /// Accepting edges of what is to be avoided are counted.
    Counting,
    /// The machine with the fewest states is searched for.
    Smallest,
    /// Several of these, for a small circuit.
    Small,
}

impl Route {
    pub const ALL: [Route; 5] = [
        Route::Explicit,
        Route::Symbolic,
        Route::Counting,
        Route::Smallest,
        Route::Small,
    ];

    /// The engine's name.
    pub const fn name(self) -> &'static str {
        match self {
            Route::Explicit => "synthesis",
            Route::Symbolic => "symbolic-synthesis",
            Route::Counting => "counting-synthesis",
            Route::Smallest => "smallest-synthesis",
            Route::Small => "small-synthesis",
        }
    }

    /// What is said of the engine.
    pub const fn about(self) -> &'static str {
        match self {
            Route::Explicit => {
                "reactive synthesis: deterministic automata of the formula's parts, their product as a parity game that is solved while it grows"
            }
            Route::Symbolic => {
                "reactive synthesis with decision diagrams: registers for bounded look-ahead, bits for the formula's automata, an Emerson-Lei game by nested fixpoints"
            }
            Route::Counting => {
                "reactive synthesis without deterministic automata: accepting edges of what must be avoided are counted up to a bound, in antichains"
            }
            Route::Smallest => {
                "synthesis by SAT: a machine with as few states as possible, for either player (BoSy)"
            }
            Route::Small => {
                "reactive synthesis by several of these routes, the smallest circuit of each part kept"
            }
        }
    }

    /// The route of an engine's name.
    pub fn named(name: &str) -> Option<Route> {
        Route::ALL.into_iter().find(|route| route.name() == name)
    }

    /// Decides a problem.
    pub fn decide(self, problem: Problem, budget: &Budget) -> Result<Decided, SynthesisError> {
        let outcome = match self {
            Route::Explicit => synthesize(&problem, budget)?,
            Route::Counting => synthesize_by_counting(&problem, None, budget)?,
            Route::Smallest => synthesize_smallest(&problem, None, budget)?,
            Route::Symbolic => {
                let outcome = synthesize_symbolically(&problem, budget)?;
                return Ok(Decided {
                    winner: outcome.winner,
                    effort: outcome.effort,
                    machine: Found::Latches(Box::new(outcome)),
                    problem,
                });
            }
            Route::Small => return decide_somehow(problem, budget),
        };
        Ok(Decided {
            winner: outcome.winner,
            effort: outcome.effort,
            machine: Found::States(Box::new(outcome)),
            problem,
        })
    }
}

/// Decides a problem by the first route that can.
fn decide_somehow(problem: Problem, budget: &Budget) -> Result<Decided, SynthesisError> {
    for route in [Route::Explicit, Route::Smallest, Route::Counting] {
        let quarter = budget.time_left().unwrap_or(LONGEST_ATTEMPT) / 4;
        match route.decide(problem.clone(), &budget.part(quarter)) {
            Err(SynthesisError::Spent(_)) => budget.check_now()?,
            Err(_) => {}
            found => return found,
        }
    }
    Route::Symbolic.decide(problem, budget)
}

/// How long a route is tried among several if there is no limit.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(60);
/// The least time that a circuit is made smaller for.
pub(crate) const LEAST_SHARE: Duration = Duration::from_millis(200);
/// The most.
const MOST_SHARE: Duration = Duration::from_secs(4);
/// Gates that are evaluated at most to list the states of a circuit.
const MOST_WORK: usize = 100_000_000;
/// Circuits with more latches and gates than this are looked at again.
const SMALL: usize = 8;
/// Circuits with more are so large that judging them takes longer than looking for a machine with few states.
const LARGE: usize = 1_000;
/// Machines with more states are replaced by those with little memory before a circuit is made of them, where the circuit is what is asked for, and where only the answer is.
const FEW_STATES: usize = 40;
const MANY_STATES: usize = 200;
/// Smaller machines are looked for as long as deciding took, but at least so long, and at most.
const LEAST_LOOKING: Duration = Duration::from_millis(500);
const MOST_LOOKING: Duration = Duration::from_secs(12);

/// What a route says about a problem.
pub(crate) struct Decided {
    /// Even is the system.
    pub winner: Player,
    pub effort: Effort,
    machine: Found,
    problem: Problem,
}

/// The winner's machine.
enum Found {
    States(Box<Outcome>),
    Latches(Box<SymbolicOutcome>),
}

/// The circuits of what was found, each made smaller; together that takes about as long as deciding took. [`Route::Small`] takes most of the time that is left.
/// Where a machine is what is asked for, circuits that are not small are replaced by those of machines with little memory, and large ones by those with few states, if there are any.
pub(crate) fn circuits(
    found: &[Decided],
    route: Route,
    deciding: Duration,
    wants_machine: bool,
    budget: &Budget,
) -> Vec<Aiger> {
    let count = u32::try_from(found.len().max(1)).unwrap_or(u32::MAX);
    let share = deciding.clamp(LEAST_SHARE, MOST_SHARE) / count;
    let look = deciding.clamp(LEAST_LOOKING, MOST_LOOKING) / count;
    let few = if wants_machine { FEW_STATES } else { MANY_STATES };
    let mut circuits: Vec<Aiger> = Vec::with_capacity(found.len());
    for decided in found {
        // A table with many states becomes a large circuit, which takes long to shrink and to judge.
        let compact = match decided.states() > few {
            true => decided.with_little_memory(look, share, budget),
            false => None,
        };
        circuits.push(match compact {
            Some(made) if decided.states() > MANY_STATES => made,
            other => smaller(decided.circuit(share, budget), other),
        });
    }
    if wants_machine && route != Route::Small {
        for (decided, circuit) in found.iter().zip(&mut circuits) {
            if size(circuit) > SMALL && (1..=few).contains(&decided.states()) {
                let other = decided.with_little_memory(look, share, budget);
                *circuit = smaller(std::mem::take(circuit), other);
            }
            if size(circuit) > LARGE {
                let other = decided.with_few_states(look, budget);
                *circuit = smaller(std::mem::take(circuit), other);
            }
        }
    }
    if route == Route::Small {
        let mut large: Vec<usize> = (0..found.len())
            .filter(|&at| size(&circuits[at]) > SMALL)
            .collect();
        large.sort_by_key(|&at| size(&circuits[at]));
        // A quarter of the time is kept for judging what is found.
        let end = Instant::now() + budget.time_left().unwrap_or(LONGEST_ATTEMPT) * 3 / 4;
        for (done, &at) in large.iter().enumerate() {
            let others = u32::try_from(large.len() - done).unwrap_or(u32::MAX);
            let time = end.saturating_duration_since(Instant::now()) / others;
            found[at].look_again(&mut circuits[at], time, budget);
        }
    }
    circuits
}

/// The smaller of two circuits.
fn smaller(one: Aiger, other: Option<Aiger>) -> Aiger {
    match other {
        Some(other) if size(&other) < size(&one) => other,
        _ => one,
    }
}

/// Latches and gates.
fn size(circuit: &Aiger) -> usize {
    circuit.latches.len() + circuit.gates.len()
}

/// A route that can be told who wins.
type Told = fn(&Problem, Option<Player>, &Budget) -> Result<Outcome, SynthesisError>;

impl Decided {
    /// The machine as a circuit.
    fn circuit(&self, time: Duration, budget: &Budget) -> Aiger {
        match &self.machine {
            Found::States(outcome) => small_circuit(&outcome.loose, &outcome.machine, time, budget),
            Found::Latches(outcome) => {
                let machine = &outcome.machine;
                let best = match &outcome.small {
                    Some(netlist) => {
                        shrunk_netlist(netlist, &machine.reads, &machine.writes, time / 2, budget)
                    }
                    None => shrunk(&symbolic_circuit(machine), time / 2, budget),
                };
                match self.by_states(&best, time / 2, budget) {
                    Some(made) if size(&made) < size(&best) => made,
                    _ => best,
                }
            }
        }
    }

    /// A circuit made anew from the states of another, if they are few: states that are equivalent are one, and codes are chosen. Where outputs must not depend on inputs of the same step this is not tried.
    fn by_states(&self, circuit: &Aiger, time: Duration, budget: &Budget) -> Option<Aiger> {
        let moves_last = match self.problem.first {
            FirstMover::Environment => Player::Even,
            FirstMover::Machine => Player::Odd,
        };
        if self.winner != moves_last {
            return None;
        }
        // A table with more states than the circuit has latches and gates does not become a smaller one.
        let steps = (size(circuit) + 1).checked_shl(circuit.inputs)?;
        let machine = listed_within(circuit, steps.min(MOST_WORK / (circuit.gates.len() + 1)))?;
        Some(small_circuit(
            &LooseMachine::from(&machine),
            &machine,
            time,
            budget,
        ))
    }

    /// States of the machine, if they were found one by one.
    fn states(&self) -> usize {
        match &self.machine {
            Found::States(outcome) => outcome.machine.states.len(),
            Found::Latches(_) => 0,
        }
    }

    /// The circuit of a machine with as few states as possible, if one is found in this time.
    fn with_few_states(&self, time: Duration, budget: &Budget) -> Option<Aiger> {
        let short = budget.part(time);
        let outcome = synthesize_smallest(&self.problem, Some(self.winner), &short).ok()?;
        Some(small_circuit(
            &outcome.loose,
            &outcome.machine,
            2 * LEAST_SHARE,
            budget,
        ))
    }

    /// The circuit of a machine with little memory, if one is found in this time; it is shrunk in another.
    fn with_little_memory(&self, time: Duration, shrinking: Duration, budget: &Budget) -> Option<Aiger> {
        let decided = Route::Symbolic
            .decide(self.problem.clone(), &budget.part(time))
            .ok()?;
        let is_small = matches!(&decided.machine, Found::Latches(outcome) if outcome.small.is_some());
        (is_small && decided.winner == self.winner).then(|| decided.circuit(shrinking, budget))
    }

    /// Replaces a circuit by a smaller one of another route, if there is one.
    fn look_again(&self, best: &mut Aiger, time: Duration, budget: &Budget) {
        let end = Instant::now() + time;
        let left = || end.saturating_duration_since(Instant::now());
        // Each with the part of the time that is left for searching, and for its circuit.
        let routes: [(Told, u32, u32); 2] = [(synthesize_by_counting, 4, 4), (synthesize_smallest, 2, 2)];
        let mut smallest = None;
        let other = self.with_little_memory(left() / 8, left() / 8, budget);
        *best = smaller(std::mem::take(best), other);
        for (route, searching, shrinking) in routes {
            let Ok(outcome) = route(&self.problem, Some(self.winner), &budget.part(left() / searching))
            else {
                continue;
            };
            let made = small_circuit(&outcome.loose, &outcome.machine, left() / shrinking, budget);
            if size(&made) < size(best) {
                *best = made;
                smallest = Some(outcome);
            }
        }
        // What is left of the time is for more codes of the best machine.
        if let Some(outcome) = smallest.filter(|_| size(best) > SMALL && left() > LEAST_SHARE) {
            let made = small_circuit(&outcome.loose, &outcome.machine, left(), budget);
            *best = smaller(std::mem::take(best), Some(made));
        }
    }
}
