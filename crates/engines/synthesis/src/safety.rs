//! Safety games on circuits, with decision diagrams.
//!
//! In each step the environment sets some inputs of a circuit, then the system the others; the system must keep an output from ever being true. The states in
//! which it can are the greatest fixpoint of *for all inputs of the environment there are inputs of the system that avoid the output now and stay in the set*.
//! Next states are substituted, not kept as a relation (Jacobs et al., *The first reactive synthesis competition*, arXiv 1506.08726). A winner's inputs are
//! chosen one by one from what is allowed, each as a function that is put in before the next is chosen. The environment's come from the rounds in which
//! states were lost: it leads to a state that was lost earlier.

use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_dd::{AutoReorder, Bdd, Error, FunctionId, Manager, Substitution, Var};
use entail_game::Player;
use rustc_hash::FxHashMap;

/// A circuit with an output that must never be true. A literal is twice its variable, and one more if it is negated; variable 0 is false, then come the inputs, the
/// latches and the gates, operands before gates.
#[derive(Clone, Debug, Default)]
pub struct Plant {
    /// For each input, whether the system sets it.
    pub controllable: Vec<bool>,
    /// For each latch, what it holds next, and first.
    pub latches: Vec<(u32, bool)>,
    /// The operands of the gates.
    pub gates: Vec<[u32; 2]>,
    /// What must never be true.
    pub bad: u32,
}

/// A node of a function of latches and inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A constant.
    Constant(bool),
    /// A variable of the plant, and the nodes if it is false and true.
    Test(u32, u32, u32),
}

/// The winner's inputs as functions.
#[derive(Clone, Debug)]
pub struct SafetyOutcome {
    /// Even is the system.
    pub winner: Player,
    /// Nodes of functions; those a node leads to come before it.
    pub nodes: Vec<Choice>,
    /// For each input that the winner sets, its position among all inputs, and its node. The system's read latches and the environment's inputs, the environment's
    /// latches only.
    pub functions: Vec<(u32, u32)>,
    /// Rounds of the fixpoint.
    pub rounds: u64,
}

impl From<Error> for SynthesisError {
    fn from(error: Error) -> SynthesisError {
        match error {
            Error::Spent(spent) => SynthesisError::Spent(spent),
            _ => SynthesisError::TooLarge("the decision diagrams do not fit into memory"),
        }
    }
}

/// Solves a safety game.
pub fn solve_safety(plant: &Plant, budget: &Budget) -> Result<SafetyOutcome, SynthesisError> {
    let manager = Manager::for_budget(budget, 1)?;
    manager.set_auto_reorder(Some(AutoReorder::default()));
    let made = manager.new_vars(plant.controllable.len() + plant.latches.len())?;
    // The first in the order is whatever is met first from the output on; what belongs together in the circuit stands together.
    let mut variables = made.clone();
    for (&variable, at) in made.iter().zip(met_order(plant)) {
        variables[at] = variable;
    }
    let (inputs, latches) = variables.split_at(plant.controllable.len());
    let mut values = vec![manager.zero()];
    for &variable in &variables {
        values.push(manager.var(variable)?);
    }
    let of = |values: &[Bdd], literal: u32| {
        let value = &values[literal as usize / 2];
        if literal % 2 == 1 {
            value.not()
        } else {
            value.clone()
        }
    };
    for &[a, b] in &plant.gates {
        budget.check()?;
        let gate = of(&values, a).and(&of(&values, b))?;
        values.push(gate);
    }
    let bad = of(&values, plant.bad);
    let step: Vec<(Var, Bdd)> = (latches.iter().zip(&plant.latches))
        .map(|(&latch, &(next, _))| (latch, of(&values, next)))
        .collect();
    drop(values);
    let step = Substitution::new(&manager, step);
    let of_side = |system: bool| -> Vec<Var> {
        let sides = inputs.iter().zip(&plant.controllable);
        sides
            .filter(|(_, controllable)| **controllable == system)
            .map(|(&input, _)| input)
            .collect()
    };
    let (own, free) = (of_side(true), of_side(false));
    let (own_set, free_set) = (
        manager.var_set(own.iter().copied())?,
        manager.var_set(free.iter().copied())?,
    );
    let first: Vec<(Var, bool)> = (latches.iter().zip(&plant.latches))
        .map(|(&latch, &(_, reset))| (latch, reset))
        .collect();
    let first = manager.cube(first)?;
    let mut safe = manager.one();
    // For each state that is lost, inputs of the environment that lead to one that was lost before.
    let mut losing = manager.zero();
    let mut rounds = 0;
    loop {
        budget.check_now()?;
        rounds += 1;
        let allowed = safe.substitute(&step)?.minus(&bad)?;
        let escapes = allowed.exists(&own_set)?;
        losing = losing.or(&safe.minus(&escapes)?)?;
        let still = safe.and(&escapes.forall(&free_set)?)?;
        let (winner, relation, set) = if !first.is_subset_of(&still)? {
            (Player::Odd, losing.clone(), &free)
        } else if still == safe {
            (Player::Even, allowed, &own)
        } else {
            safe = still;
            continue;
        };
        let functions = chosen(&manager, relation, set, budget)?;
        let position = |variable: Var| {
            let place = variables.iter().position(|&known| known == variable);
            place.map_or(0, |at| at as u32)
        };
        let mut outcome = SafetyOutcome {
            winner,
            nodes: Vec::new(),
            functions: Vec::new(),
            rounds,
        };
        let mut known = FxHashMap::default();
        for (variable, function) in functions {
            let node = nodes(&function, &position, &mut outcome.nodes, &mut known);
            outcome.functions.push((position(variable), node));
        }
        return Ok(outcome);
    }
}

/// Inputs and latches in the order in which they are met depth first from the output, then from what the latches met so far hold next. Of a gate's operands the
/// one with more gates under it comes first.
fn met_order(plant: &Plant) -> Vec<usize> {
    let leaves = plant.controllable.len() + plant.latches.len();
    let mut height = vec![0u32; 1 + leaves + plant.gates.len()];
    for (at, gate) in plant.gates.iter().enumerate() {
        let [a, b] = gate.map(|literal| height[literal as usize / 2]);
        height[1 + leaves + at] = 1 + a.max(b);
    }
    let mut seen = vec![false; height.len()];
    let mut order = Vec::with_capacity(leaves);
    let mut from = vec![plant.bad / 2];
    let mut next_latch = 0;
    loop {
        while let Some(at) = from.pop() {
            let at = at as usize;
            if at == 0 || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match at.checked_sub(1 + leaves) {
                None => order.push(at - 1),
                Some(gate) => {
                    let [a, b] = plant.gates[gate].map(|literal| literal / 2);
                    let (low, high) = match height[a as usize] < height[b as usize] {
                        true => (a, b),
                        false => (b, a),
                    };
                    from.extend([low, high]);
                }
            }
        }
        let Some(&met) = order.get(next_latch) else {
            break;
        };
        next_latch += 1;
        if let Some(latch) = met.checked_sub(plant.controllable.len()) {
            from.push(plant.latches[latch].0 / 2);
        }
    }
    order.extend((0..leaves).filter(|&at| !seen[at + 1]));
    order
}

/// A function for each variable such that a relation holds wherever it can.
pub(crate) fn chosen(
    manager: &Manager,
    mut relation: Bdd,
    variables: &[Var],
    budget: &Budget,
) -> Result<Vec<(Var, Bdd)>, SynthesisError> {
    let mut functions: Vec<(Var, Bdd)> = Vec::new();
    for (at, &variable) in variables.iter().enumerate() {
        budget.check_now()?;
        let later = manager.var_set(variables[at + 1..].iter().copied())?;
        let possible = relation.exists(&later)?;
        let (with, without) = (
            possible.cofactor(variable, true)?,
            possible.cofactor(variable, false)?,
        );
        // Where both are possible, whichever gives the smaller function.
        let care = with.xor(&without)?;
        let function = match care.is_false() {
            true => manager.zero(),
            false => with.restrict(&care)?,
        };
        relation = relation.compose(variable, &function)?;
        functions.push((variable, function));
    }
    Ok(functions)
}

/// A function as nodes.
fn nodes(
    function: &Bdd,
    position: &dyn Fn(Var) -> u32,
    made: &mut Vec<Choice>,
    known: &mut FxHashMap<FunctionId, u32>,
) -> u32 {
    if let Some(&node) = known.get(&function.id()) {
        return node;
    }
    let node = match function.top() {
        None => Choice::Constant(function.is_true()),
        Some((variable, low, high)) => {
            let low = nodes(&low, position, made, known);
            let high = nodes(&high, position, made, known);
            // Variables of the plant are numbered from 1.
            Choice::Test(position(variable) + 1, low, high)
        }
    };
    made.push(node);
    let number = made.len() as u32 - 1;
    known.insert(function.id(), number);
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::random::Random;

    /// The value of a plant's variables.
    fn evaluate(plant: &Plant, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
        let mut values = vec![false];
        values.extend(inputs);
        values.extend(latches);
        for &[a, b] in &plant.gates {
            let of = |literal: u32| values[literal as usize / 2] != (literal % 2 == 1);
            values.push(of(a) && of(b));
        }
        values
    }

    fn bits(number: usize, count: usize) -> Vec<bool> {
        (0..count).map(|bit| number >> bit & 1 == 1).collect()
    }

    /// Whether the system wins, by states one by one.
    fn naive(plant: &Plant) -> bool {
        let (latches, inputs) = (plant.latches.len(), plant.controllable.len());
        let mut safe = vec![true; 1 << latches];
        loop {
            let wins = |state: usize| {
                let mut rest = vec![false; 1 << inputs];
                for (letter, good) in rest.iter_mut().enumerate() {
                    let values = evaluate(plant, &bits(letter, inputs), &bits(state, latches));
                    let of = |literal: u32| values[literal as usize / 2] != (literal % 2 == 1);
                    let next = plant
                        .latches
                        .iter()
                        .rev()
                        .fold(0, |next, &(latch, _)| next * 2 + usize::from(of(latch)));
                    *good = !of(plant.bad) && safe[next];
                }
                let mask = plant
                    .controllable
                    .iter()
                    .rev()
                    .fold(0, |mask, &own| mask * 2 + usize::from(own));
                (0..1 << inputs).all(|letter: usize| {
                    (0..1 << inputs).any(|other: usize| other & !mask == letter & !mask && rest[other])
                })
            };
            let still: Vec<bool> = (0..safe.len()).map(|state| safe[state] && wins(state)).collect();
            if still == safe {
                let first = plant
                    .latches
                    .iter()
                    .rev()
                    .fold(0, |first, &(_, reset)| first * 2 + usize::from(reset));
                return safe[first];
            }
            safe = still;
        }
    }

    /// What a winner's functions say.
    fn decided(outcome: &SafetyOutcome, values: &[bool]) -> Vec<(usize, bool)> {
        let value = |mut node: u32| loop {
            match outcome.nodes[node as usize] {
                Choice::Constant(truth) => return truth,
                Choice::Test(variable, low, high) => {
                    node = if values[variable as usize] { high } else { low }
                }
            }
        };
        outcome
            .functions
            .iter()
            .map(|&(input, node)| (input as usize, value(node)))
            .collect()
    }

    #[test]
    fn random_plants_are_won_by_whom_the_naive_game_says_and_strategies_work() {
        let mut random = Random::new(31);
        let mut won = 0;
        for _ in 0..400 {
            let (inputs, latches) = (1 + random.below(4), random.below(4));
            let mut plant = Plant {
                controllable: (0..inputs).map(|_| random.below(2) == 0).collect(),
                ..Plant::default()
            };
            let mut variables = 1 + inputs + latches;
            for _ in 0..2 + random.below(12) {
                let literal = |random: &mut Random| random.below(2 * variables) as u32;
                plant.gates.push([literal(&mut random), literal(&mut random)]);
                variables += 1;
            }
            plant.latches = (0..latches)
                .map(|_| (random.below(2 * variables) as u32, random.below(2) == 0))
                .collect();
            plant.bad = random.below(2 * variables) as u32;
            let outcome = solve_safety(&plant, &Budget::unlimited()).expect("small");
            let wins = naive(&plant);
            assert_eq!(outcome.winner == Player::Even, wins, "{plant:?}");
            won += usize::from(wins);
            // Every way to play against the strategy, for as long as matters.
            let mut states: Vec<Vec<bool>> = vec![plant.latches.iter().map(|&(_, reset)| reset).collect()];
            let mut seen: std::collections::HashSet<Vec<bool>> = states.iter().cloned().collect();
            for _ in 0..=1 << latches {
                let mut next = Vec::new();
                for state in &states {
                    for letter in 0..1usize << inputs {
                        let mut input = bits(letter, inputs);
                        let mut before = vec![false];
                        before.extend(&input);
                        before.extend(state);
                        for (at, truth) in decided(&outcome, &before) {
                            input[at] = truth;
                        }
                        let values = evaluate(&plant, &input, state);
                        let of = |literal: u32| values[literal as usize / 2] != (literal % 2 == 1);
                        if wins {
                            assert!(!of(plant.bad), "{plant:?}");
                        }
                        let after: Vec<bool> = plant.latches.iter().map(|&(latch, _)| of(latch)).collect();
                        match wins {
                            true if seen.insert(after.clone()) => next.push(after),
                            false if !of(plant.bad) => next.push(after),
                            _ => {}
                        }
                    }
                }
                next.sort();
                next.dedup();
                states = next;
            }
            // Against the environment no play avoids the output for longer than there are states.
            assert!(wins || states.is_empty(), "{plant:?}");
        }
        assert!((40..360).contains(&won), "{won}");
    }
}
