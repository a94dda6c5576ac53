//! Random formulas: exactly one side has a machine, the machine does what it should, and Mealy and Moore are dual. `ENTAIL_EFFORT` times as many as usual.

use entail_automata::algebra::product::intersection;
use entail_automata::ltl::random::{Random, RandomFormula};
use entail_automata::ltl::syntax::parse_any;
use entail_automata::{Acceptance, Automaton, Label, Marks, State, Translation, translate};
use entail_budget::Budget;
use entail_game::{Decision, FirstMover, Player, ReactiveMachine};
use entail_logic::Formula;
use entail_synthesis::{Goal, Outcome, Problem, synthesize};

fn effort() -> usize {
    let wanted = std::env::var("ENTAIL_EFFORT").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn decided(formula: &Formula<String>, inputs: &[&str], outputs: &[&str], first: FirstMover) -> Outcome {
    let problem = Problem {
        goal: Goal::Formula(formula.clone()),
        inputs: names(inputs),
        outputs: names(outputs),
        first,
    };
    synthesize(&problem, &Budget::unlimited()).expect("small enough")
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
