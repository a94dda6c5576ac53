//! Machines with little memory: families of which small circuits are known, and parts that are followed as sets of states.

use crate::{check, decided, decided_symbolically, effort, names};
use entail_automata::ltl::random::Random;
use entail_automata::ltl::syntax::parse_any;
use entail_budget::Budget;
use entail_game::{FirstMover, Player};
use entail_logic::Formula;
use entail_reactive::Netlist;
use entail_synthesis::{Goal, Problem, synthesize_symbolically};

/// The circuit with little memory of a specification.
fn small(formula: &Formula<String>, inputs: &[&str], outputs: &[&str]) -> Netlist {
    let problem = Problem {
        goal: Goal::Formula(formula.clone()),
        inputs: names(inputs),
        outputs: names(outputs),
        first: FirstMover::Environment,
    };
    let outcome = synthesize_symbolically(&problem, &Budget::unlimited()).expect("small enough");
    assert_eq!(outcome.winner, Player::Even);
    outcome.small.expect("there is time")
}

#[test]
fn an_arbiter_without_spurious_grants_needs_a_latch_for_each_client_and_whose_turn_it_is() {
    let clients = 3;
    let mut all: Vec<String> = Vec::new();
    for i in 0..clients {
        all.push(format!("G(g{i} & G !r{i} -> F !g{i})"));
        all.push(format!("G(g{i} & X(!r{i} & !g{i}) -> X(r{i} R !g{i}))"));
        all.push(format!("(r{i} R !g{i}) & G(r{i} -> F g{i})"));
        all.extend((0..i).map(|j| format!("G !(g{i} & g{j})")));
    }
    let formula = parse_any(&all.join(" & ")).expect("a formula");
    let (inputs, outputs) = (["r0", "r1", "r2"], ["g0", "g1", "g2"]);
    for outcome in decided_symbolically(&formula, &inputs, &outputs, FirstMover::Environment) {
        check(&formula, &outcome, FirstMover::Environment);
    }
    let found = small(&formula, &inputs, &outputs);
    assert!(
        found.size() <= 60,
        "{} gates, {} latches",
        found.gates(),
        found.circuit.latches.len()
    );
}

#[test]
fn nested_untils_need_a_latch_for_each() {
    for depth in [4, 6, 8] {
        let nested = (1..depth).fold("p0".to_owned(), |inner, at| format!("({inner}) U p{at}"));
        let formula = parse_any(&format!("({nested}) <-> G F acc")).expect("a formula");
        let inputs: Vec<String> = (0..depth).map(|at| format!("p{at}")).collect();
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let found = small(&formula, &inputs, &["acc"]);
        assert!(
            found.circuit.latches.len() <= depth + 1,
            "{}",
            found.circuit.latches.len()
        );
    }
}

fn literal(random: &mut Random) -> Formula<String> {
    let atom = Formula::atom(format!("p{}", random.below(4)));
    if random.below(3) == 0 { atom.not() } else { atom }
}

#[test]
fn parts_followed_as_sets_have_the_same_winner_and_machines_that_pass() {
    let mut random = Random::new(41);
    let mut won = [0; 2];
    for _ in 0..60 * effort() {
        let (again, mut nested) = (literal(&mut random), literal(&mut random));
        for _ in 0..3 + random.below(3) {
            let one = literal(&mut random);
            nested = match random.below(4) {
                0 => one.not().until(&nested.not()).not(),
                1 => nested.until(&Formula::and([one, Formula::atom("p1".to_owned()).next()])),
                _ => nested.until(&one),
            };
        }
        let again = again.finally().globally();
        let formula = match random.below(4) {
            0 => nested.implies(&again),
            1 => again.implies(&nested),
            _ => nested.iff(&again),
        };
        for first in [FirstMover::Environment, FirstMover::Machine] {
            let explicit = decided(&formula, &["p0", "p1"], &["p2", "p3"], first);
            for outcome in decided_symbolically(&formula, &["p0", "p1"], &["p2", "p3"], first) {
                assert_eq!(explicit.winner, outcome.winner, "{first:?} {formula}");
                check(&formula, &outcome, first);
            }
            won[explicit.winner.index()] += 1;
        }
    }
    assert!(won.iter().all(|&count| count > 10), "{won:?}");
}
