//! Random formulas: exactly one side has a machine, the machine does what it should, and Mealy and Moore are dual. `ENTAIL_EFFORT` times as many as usual.

mod little_memory;
mod small_machines;

use entail_automata::algebra::product::intersection;
use entail_automata::ltl::random::{Random, RandomFormula};
use entail_automata::ltl::syntax::parse_any;
use entail_automata::{Acceptance, Automaton, Label, Marks, State, Translation, translate};
use entail_budget::Budget;
use entail_game::{Decision, FirstMover, Player, ReactiveMachine};
use entail_logic::Formula;
use entail_reactive::{LooseMachine, LooseNode, OutputSet};
use entail_synthesis::{
    Effort, Goal, Outcome, Problem, SymbolicMachine, decompose, simplify, synthesize, synthesize_by_counting,
    synthesize_smallest, synthesize_symbolically,
};
use std::collections::HashMap;

fn effort() -> usize {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn problem(formula: &Formula<String>, inputs: &[&str], outputs: &[&str], first: FirstMover) -> Problem {
    Problem {
        goal: Goal::Formula(formula.clone()),
        inputs: names(inputs),
        outputs: names(outputs),
        first,
    }
}

fn decided(formula: &Formula<String>, inputs: &[&str], outputs: &[&str], first: FirstMover) -> Outcome {
    let problem = problem(formula, inputs, outputs, first);
    synthesize(&problem, &Budget::unlimited()).expect("small enough")
}

/// What is written, and the next latches, for latches and a letter.
type LatchStep<'a> = &'a dyn Fn(&[bool], &[bool]) -> (Vec<bool>, Vec<bool>);

/// A machine whose state is in latches, with its states listed. It reads and writes what another does.
fn listed(machine: &SymbolicMachine, first: Vec<bool>, step: LatchStep<'_>) -> ReactiveMachine {
    let reads = machine.reads.len() as u32;
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut waiting = vec![first];
    let mut table = ReactiveMachine {
        reads: machine.reads.clone(),
        writes: machine.writes.clone(),
        is_moore: machine.is_moore,
        nodes: Vec::new(),
        states: Vec::new(),
    };
    while let Some(latches) = waiting.get(table.states.len()).cloned() {
        // A complete tree over what is read; its ends come first.
        let mut row: Vec<u32> = Vec::new();
        for letter in 0..1u32 << reads {
            let letter: Vec<bool> = (0..reads).map(|at| letter >> at & 1 == 1).collect();
            let (written, next) = step(&latches, &letter);
            let fresh = numbers.len() as u32;
            let next = *numbers.entry(next.clone()).or_insert_with(|| {
                waiting.push(next);
                fresh
            });
            table.nodes.push(Decision::Step { written, next });
            row.push(table.nodes.len() as u32 - 1);
        }
        for read in 0..reads {
            row = (row.chunks(2))
                .map(|pair| {
                    let (low, high) = (pair[0], pair[1]);
                    table.nodes.push(Decision::Test { read, low, high });
                    table.nodes.len() as u32 - 1
                })
                .collect();
        }
        table.states.push(row[0]);
    }
    table
}

/// The outcome with the solver's machine, and with the one that has little memory.
fn decided_symbolically(
    formula: &Formula<String>,
    inputs: &[&str],
    outputs: &[&str],
    first: FirstMover,
) -> Vec<Outcome> {
    let problem = problem(formula, inputs, outputs, first);
    let outcome = synthesize_symbolically(&problem, &Budget::unlimited()).expect("small enough");
    let machine = &outcome.machine;
    let latches = machine.latches.iter().map(|&(first, _)| first).collect();
    let solved = listed(machine, latches, &|latches, letter| {
        machine.step(latches, &|at| letter[at as usize])
    });
    let small = (outcome.small.iter()).map(|netlist| {
        listed(machine, netlist.first(), &|latches, letter| {
            netlist.step(latches, letter)
        })
    });
    let of = |machine: ReactiveMachine| Outcome {
        winner: outcome.winner,
        loose: LooseMachine::from(&machine),
        machine,
        effort: Effort::default(),
    };
    std::iter::once(solved).chain(small).map(of).collect()
}

fn decided_by_counting(
    formula: &Formula<String>,
    inputs: &[&str],
    outputs: &[&str],
    first: FirstMover,
) -> Outcome {
    let problem = problem(formula, inputs, outputs, first);
    synthesize_by_counting(&problem, None, &Budget::unlimited()).expect("small enough")
}

fn decided_smallest(
    formula: &Formula<String>,
    inputs: &[&str],
    outputs: &[&str],
    first: FirstMover,
) -> Outcome {
    let problem = problem(formula, inputs, outputs, first);
    synthesize_smallest(&problem, None, &Budget::unlimited()).expect("small enough")
}

/// All runs of a machine, as an automaton.
fn runs(machine: &ReactiveMachine) -> Automaton {
    let signals: Vec<String> = machine.reads.iter().chain(&machine.writes).cloned().collect();
    let mut automaton = Automaton::new(signals, Acceptance::True, 0).expect("few signals");
    for _ in &machine.states {
        automaton.add_state();
    }
    automaton.add_initial(State(0));
    let reads = machine.reads.len() as u32;
    for (state, &root) in machine.states.iter().enumerate() {
        let mut waiting = vec![(root, Label::TRUE)];
        while let Some((at, label)) = waiting.pop() {
            match &machine.nodes[at as usize] {
                Decision::Test { read, low, high } => {
                    for (next, truth) in [(*low, false), (*high, true)] {
                        let literal = automaton.labels.literal(*read, truth);
                        waiting.push((next, automaton.labels.and(label, literal)));
                    }
                }
                Decision::Step { written, next } => {
                    let mut label = label;
                    for (at, &truth) in written.iter().enumerate() {
                        let literal = automaton.labels.literal(reads + at as u32, truth);
                        label = automaton.labels.and(label, literal);
                    }
                    automaton.add_edge(State(state as u32), label, State(*next), Marks::NONE);
                }
            }
        }
    }
    automaton
}

/// Whether all runs of a machine satisfy a formula: none satisfies its negation.
fn satisfies(machine: &ReactiveMachine, formula: &Formula<String>) -> bool {
    let budget = Budget::unlimited();
    let bad = translate(&formula.not(), Translation::default(), &budget).expect("small");
    intersection(&runs(machine), &bad).expect("small").0.is_empty()
}

fn check(formula: &Formula<String>, outcome: &Outcome, first: FirstMover) {
    let machine = &outcome.machine;
    assert_eq!(machine.fault(), None, "{formula}");
    let moore = (outcome.winner == Player::Even) == (first == FirstMover::Machine);
    assert_eq!(machine.is_moore, moore, "{formula}");
    let goal = match outcome.winner {
        Player::Even => formula.clone(),
        Player::Odd => formula.not(),
    };
    assert!(
        satisfies(machine, &goal),
        "{first:?} {:?}: {formula}\n{machine:?}",
        outcome.winner
    );
}

/// A machine that does some of what a loose one allows, drawn at random; where anything may follow it stays in one more state.
fn resolved_at_random(loose: &LooseMachine, random: &mut Random) -> ReactiveMachine {
    let writes = loose.writes.len();
    let mut nodes = vec![Decision::Step {
        written: vec![false; writes],
        next: loose.states.len() as u32,
    }];
    let mut states = Vec::new();
    for &root in &loose.states {
        // A copy of all nodes for each state; a set has one valuation there, as Moore machines must.
        let mut of_set = HashMap::new();
        let begin = nodes.len() as u32;
        for node in &loose.nodes {
            nodes.push(match *node {
                LooseNode::Test { read, low, high } => Decision::Test {
                    read,
                    low: begin + low,
                    high: begin + high,
                },
                LooseNode::Step { allowed, next } => {
                    let written = of_set.entry(allowed).or_insert_with(|| {
                        let mut written: Vec<bool> = (0..writes).map(|_| random.below(2) == 1).collect();
                        let mut set = allowed;
                        while let Some((write, low, high)) = loose.sets.top(set) {
                            let truth = match (low, high) {
                                (OutputSet::NONE, _) => true,
                                (_, OutputSet::NONE) => false,
                                _ => written[write as usize],
                            };
                            written[write as usize] = truth;
                            set = if truth { high } else { low };
                        }
                        written
                    });
                    Decision::Step {
                        written: written.clone(),
                        next: next.unwrap_or(loose.states.len() as u32),
                    }
                }
            });
        }
        states.push(begin + root);
    }
    states.push(0);
    ReactiveMachine {
        reads: loose.reads.clone(),
        writes: loose.writes.clone(),
        is_moore: loose.is_moore,
        nodes,
        states,
    }
}

/// The machine passes, and so does one with other choices among those that are left open.
fn check_loosely(formula: &Formula<String>, outcome: &Outcome, first: FirstMover, random: &mut Random) {
    check(formula, outcome, first);
    let other = Outcome {
        machine: resolved_at_random(&outcome.loose, random),
        ..outcome.clone()
    };
    check(formula, &other, first);
}

#[test]
fn exactly_one_side_has_a_machine_that_passes() {
    let mut random = Random::new(27);
    let (mut realizable, mut count) = (0, 0);
    for round in 0..300 * effort() {
        let formulas = RandomFormula {
            propositions: 4,
            size: 4 + round % 9,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let outcome = decided(&formula, &["p0", "p1"], &["p2", "p3"], first);
            check(&formula, &outcome, first);
            count += 1;
            realizable += usize::from(outcome.winner == Player::Even);
        }
    }
    assert!(
        realizable > count / 10 && realizable < count * 9 / 10,
        "{realizable} of {count}"
    );
}

#[test]
fn machines_found_by_sat_pass_and_no_other_route_has_fewer_states() {
    let mut random = Random::new(33);
    for round in 0..100 * effort() {
        let formulas = RandomFormula {
            propositions: 4,
            size: 4 + round % 8,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let outcome = decided_smallest(&formula, &["p0", "p1"], &["p2", "p3"], first);
            check_loosely(&formula, &outcome, first, &mut random);
            for other in [decided, decided_by_counting] {
                let other = other(&formula, &["p0", "p1"], &["p2", "p3"], first);
                assert_eq!(other.winner, outcome.winner, "{first:?} {formula}");
                assert!(
                    outcome.machine.states.len() <= other.machine.states.len(),
                    "{first:?} {formula}"
                );
            }
        }
    }
}

#[test]
fn the_arbiter_has_two_states() {
    let text = "G (r0 -> F g0) && G (r1 -> F g1) && G !(g0 && g1)";
    let formula = entail_automata::ltl::syntax::parse_any(text).expect("a formula");
    for (first, states) in [(FirstMover::Environment, 2), (FirstMover::Machine, 2)] {
        let outcome = decided_smallest(&formula, &["r0", "r1"], &["g0", "g1"], first);
        check(&formula, &outcome, first);
        assert_eq!(
            (outcome.winner, outcome.machine.states.len()),
            (Player::Even, states)
        );
    }
}

#[test]
fn the_symbolic_game_has_the_same_winner_and_its_machines_pass() {
    let mut random = Random::new(29);
    let (mut realizable, mut small, mut count) = (0, 0, 0);
    for round in 0..200 * effort() {
        let formulas = RandomFormula {
            propositions: 4,
            size: 4 + round % 11,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let explicit = decided(&formula, &["p0", "p1"], &["p2", "p3"], first);
            let outcomes = decided_symbolically(&formula, &["p0", "p1"], &["p2", "p3"], first);
            for outcome in &outcomes {
                assert_eq!(explicit.winner, outcome.winner, "{first:?} {formula}");
                check(&formula, outcome, first);
            }
            count += 1;
            small += outcomes.len() - 1;
            realizable += usize::from(explicit.winner == Player::Even);
        }
    }
    assert!(small > count * 9 / 10, "{small} of {count}");
    assert!(
        realizable > count / 10 && realizable < count * 9 / 10,
        "{realizable} of {count}"
    );
}

#[test]
fn combinations_of_invariants_recurrence_and_persistence_have_one_winner_by_all_routes() {
    let mut random = Random::new(31);
    let literal = |random: &mut Random| -> Formula<String> {
        let atom = Formula::atom(format!("p{}", random.below(4)));
        let atom = if random.below(3) == 0 { atom.next() } else { atom };
        if random.below(2) == 0 { atom } else { atom.not() }
    };
    for _ in 0..150 * effort() {
        let piece = |random: &mut Random| {
            let (a, b) = (literal(random), literal(random));
            match random.below(7) {
                0 | 1 => Formula::or([a, b]).globally(),
                2 => a.finally().globally(),
                3 => a.globally().finally(),
                4 => a.implies(&b.finally()).globally(),
                5 => a.until(&b),
                _ => Formula::and([a, b]).finally(),
            }
        };
        let list = |random: &mut Random| {
            let count = 1 + random.below(3);
            Formula::and((0..count).map(|_| piece(random)).collect::<Vec<_>>())
        };
        let formula = match random.below(3) {
            0 => list(&mut random),
            1 => list(&mut random).implies(&list(&mut random)),
            _ => Formula::or([list(&mut random), list(&mut random)]),
        };
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let explicit = decided(&formula, &["p0", "p1"], &["p2", "p3"], first);
            let counted = decided_by_counting(&formula, &["p0", "p1"], &["p2", "p3"], first);
            let symbolic = decided_symbolically(&formula, &["p0", "p1"], &["p2", "p3"], first);
            for outcome in symbolic.into_iter().chain([counted]) {
                assert_eq!(explicit.winner, outcome.winner, "{first:?} {formula}");
                check(&formula, &outcome, first);
            }
        }
    }
}

#[test]
fn counting_finds_the_same_winner_and_its_machines_pass() {
    let mut random = Random::new(37);
    let mut realizable = 0;
    let rounds = 250 * effort();
    for round in 0..rounds {
        let formulas = RandomFormula {
            propositions: 4,
            size: 4 + round % 11,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let explicit = decided(&formula, &["p0", "p1"], &["p2", "p3"], first);
            let outcome = decided_by_counting(&formula, &["p0", "p1"], &["p2", "p3"], first);
            assert_eq!(explicit.winner, outcome.winner, "{first:?} {formula}");
            check_loosely(&formula, &outcome, first, &mut random);
            realizable += usize::from(outcome.winner == Player::Even);
        }
    }
    assert!(
        realizable > rounds / 5 && realizable < rounds * 9 / 5,
        "{realizable}"
    );
}

#[test]
fn a_problem_is_realizable_iff_all_problems_inside_it_are() {
    let mut random = Random::new(33);
    let mut split = 0;
    for _ in 0..150 * effort() {
        let formulas = |size| RandomFormula {
            propositions: 2,
            size,
            past: false,
        };
        // p0 and p1 are inputs; each conjunct has an output of its own, or the first.
        let mut conjunct = |own: &str| {
            let drawn = formulas(6).draw(&mut random);
            drawn.map_atoms(&mut |name: &String| {
                if name == "p0" {
                    name.clone()
                } else {
                    own.to_owned()
                }
            })
        };
        let assumption = conjunct("p1");
        let formula = assumption.implies(&Formula::and([conjunct("p2"), conjunct("p3"), conjunct("p2")]));
        let whole = decided(&formula, &["p0", "p1"], &["p2", "p3"], FirstMover::Environment);
        let problem = Problem {
            goal: Goal::Formula(formula.clone()),
            inputs: names(&["p0", "p1"]),
            outputs: names(&["p2", "p3"]),
            first: FirstMover::Environment,
        };
        let parts = decompose(&problem);
        split += usize::from(parts.len() > 1);
        let all = parts.iter().all(|part| {
            let outcome = synthesize(part, &Budget::unlimited()).expect("small enough");
            outcome.winner == Player::Even
        });
        assert_eq!(whole.winner == Player::Even, all, "{formula}");
    }
    assert!(split > 50, "{split}");
}

#[test]
fn signals_of_one_polarity_can_be_fixed_and_the_machine_wins_whatever_becomes_of_them() {
    let mut random = Random::new(39);
    let mut fixed = 0;
    for round in 0..150 * effort() {
        let formulas = RandomFormula {
            propositions: 4,
            size: 5 + round % 8,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let whole = problem(&formula, &["p0", "p1"], &["p2", "p3"], first);
            let left = simplify(&whole);
            fixed += left.fixed.len();
            let outcome = synthesize(&left.problem, &Budget::unlimited()).expect("small enough");
            let with_all = synthesize(&whole, &Budget::unlimited()).expect("small enough");
            assert_eq!(outcome.winner, with_all.winner, "{first:?} {formula}");
            let own = match outcome.winner {
                Player::Even => &whole.outputs,
                Player::Odd => &whole.inputs,
            };
            // The winner's signals have their value; the other's are free.
            let held = formula.expand_atoms(&mut |name: &String| match left
                .fixed
                .iter()
                .find(|(known, _)| known == name)
            {
                Some((_, value)) if own.contains(name) => Formula::constant(*value),
                _ => Formula::atom(name.clone()),
            });
            check(&held, &outcome, first);
        }
    }
    assert!(fixed > 200, "{fixed}");
}

#[test]
fn a_mealy_machine_for_the_system_is_no_moore_machine_for_the_environment() {
    let mut random = Random::new(28);
    for _ in 0..150 * effort() {
        let formulas = RandomFormula {
            propositions: 3,
            size: 9,
            past: false,
        };
        let formula = formulas.draw(&mut random);
        let mealy = decided(&formula, &["p0", "p1"], &["p2"], FirstMover::Environment);
        let dual = decided(&formula.not(), &["p2"], &["p0", "p1"], FirstMover::Machine);
        assert_ne!(mealy.winner, dual.winner, "{formula}");
        // Outputs one step later: a Moore machine for the one is a Mealy machine for the other.
        let later = formula.expand_atoms(&mut |name: &String| {
            let atom = Formula::atom(name.clone());
            if name == "p2" { atom.next() } else { atom }
        });
        let moore = decided(&later, &["p0", "p1"], &["p2"], FirstMover::Machine);
        assert_eq!(mealy.winner, moore.winner, "{formula}");
    }
}

#[test]
fn the_arbiter_has_two_states_as_a_moore_machine() {
    let formula = parse_any("G(!g1 | !g2) & G(r1 -> F g1) & G(r2 -> F g2)").expect("a formula");
    for first in [FirstMover::Machine, FirstMover::Environment] {
        let outcome = decided(&formula, &["r1", "r2"], &["g1", "g2"], first);
        assert_eq!(outcome.winner, Player::Even);
        check(&formula, &outcome, first);
    }
    let outcome = decided(&formula, &["r1", "r2"], &["g1", "g2"], FirstMover::Machine);
    assert!(
        outcome.machine.states.len() >= 2,
        "one state cannot serve two clients"
    );
    assert!(outcome.machine.states.len() <= 4, "{:?}", outcome.machine);
}

#[test]
fn the_safety_example_is_realizable_and_a_promise_about_the_future_is_not() {
    let safety = parse_any("G(r -> g | X g)").expect("a formula");
    let outcome = decided(&safety, &["r"], &["g"], FirstMover::Machine);
    assert_eq!(outcome.winner, Player::Even);
    check(&safety, &outcome, FirstMover::Machine);
    let prophecy = parse_any("G(g <-> X r)").expect("a formula");
    let outcome = decided(&prophecy, &["r"], &["g"], FirstMover::Environment);
    assert_eq!(outcome.winner, Player::Odd);
    check(&prophecy, &outcome, FirstMover::Environment);
}
