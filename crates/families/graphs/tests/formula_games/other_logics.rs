//! LTL, CTL and CTL* in the mu-calculus: on single paths as LTL is defined, on graphs as CTL's own translation has it.

use crate::effort;
use entail_automata::LassoWord;
use entail_automata::ltl::evaluate;
use entail_automata::ltl::random::{Random, RandomFormula};
use entail_budget::Budget;
use entail_game::Player;
use entail_graphs::formulas::satisfy;
use entail_logic::mu::{Fairness, Mu};
use entail_logic::{Formula, Node, Quantifier, parse};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_mu::{decide, embed};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn holds(lts: &Lts, formula: &Mu<String>) -> bool {
    let decision = decide(lts, formula, &Budget::unlimited()).expect("small");
    decision.strategy.winner == Player::Even
}

/// The only path of a graph, and the graph.
fn lasso(random: &mut StdRng) -> (LassoWord, Lts) {
    let (prefix, cycle) = (random.random_range(0..3usize), random.random_range(1..4usize));
    let letters: Vec<u64> = (0..prefix + cycle).map(|_| random.random_range(0..4)).collect();
    let names = ["p0", "p1"];
    let mut builder = LtsBuilder::new(letters.len() as u64);
    let action = builder.action("a");
    for (at, letter) in letters.iter().enumerate() {
        let state = StateId::new(at as u32);
        let next = if at + 1 == letters.len() { prefix } else { at + 1 };
        builder.transition(state, action, StateId::new(next as u32));
        let there = (0..2)
            .filter(|bit| letter >> bit & 1 == 1)
            .map(|bit| Arc::from(names[bit]));
        let colour = builder.colour(there);
        builder.paint(state, colour);
    }
    builder.initial(StateId::new(0));
    let propositions = names.map(str::to_owned).to_vec();
    let word = LassoWord::new(
        propositions,
        letters[..prefix].to_vec(),
        letters[prefix..].to_vec(),
    );
    (word, builder.build().expect("a graph"))
}

#[test]
fn on_a_single_path_ltl_is_what_its_definition_says() {
    let mut random = StdRng::seed_from_u64(30);
    let mut formulas = Random::new(31);
    let shape = RandomFormula {
        propositions: 2,
        size: 7,
        past: false,
    };
    let budget = Budget::unlimited();
    let mut compared = 0;
    for _ in 0..150 * effort() {
        let formula = shape.draw(&mut formulas);
        let (Ok(all), Ok(some)) = (embed(&formula, &budget), embed(&formula.exists(), &budget)) else {
            continue;
        };
        for _ in 0..4 {
            let (word, lts) = lasso(&mut random);
            let truth = evaluate::holds(&formula, &word);
            assert_eq!(holds(&lts, &all), truth, "A {formula}: {all}");
            assert_eq!(holds(&lts, &some), truth, "E {formula}: {some}");
            compared += 1;
        }
    }
    assert!(compared > 400 * effort(), "{compared}");
}

/// Every `E f` as `E (f & X true)`, which is no CTL any more and means the same on infinite paths.
fn disguised(formula: &Formula<String>) -> Formula<String> {
    let operands: Vec<Formula<String>> = formula.operands().into_iter().map(disguised).collect();
    let formula = formula.with_operands(operands);
    match formula.node() {
        Node::Quantified(Quantifier::Exists, path) => {
            Formula::and([path.clone(), Formula::constant(true).next()]).exists()
        }
        Node::Quantified(Quantifier::Forall, path) => {
            Formula::or([path.clone(), Formula::constant(false).next()]).forall()
        }
        _ => formula,
    }
}

#[test]
fn ctl_by_automata_agrees_with_ctl_by_its_own_fixpoints() {
    let mut random = StdRng::seed_from_u64(32);
    let budget = Budget::unlimited();
    let texts = [
        "AG (p -> EF q)",
        "EG p",
        "A [p U q]",
        "E [p U AX q]",
        "AF AG p",
        "!EX (p & EG !q)",
        "AG EF AG p",
        "E [(AF p) U (EG q)]",
        "EX EX EX p | AX q",
        "A [EX p U !AF q]",
    ];
    for text in texts {
        let formula = parse(text).expect("a formula");
        let fixpoints = formula.to_mu(Fairness::Justice(&[])).expect("CTL");
        let automata = embed(&disguised(&formula), &budget).expect("small");
        for _ in 0..25 * effort() {
            let lts = crate::random_graph(&mut random);
            assert_eq!(
                holds(&lts, &fixpoints),
                holds(&lts, &automata),
                "{text}: {automata}"
            );
        }
    }
}

#[test]
fn linear_and_branching_formulas_are_told_apart() {
    let budget = Budget::unlimited();
    let implies = |left: &str, right: &str| {
        let embedded = |text: &str| embed(&parse(text).expect("a formula"), &budget).expect("small");
        let against = Mu::and([embedded(left), embedded(right).dual()]);
        let found = satisfy(&against, &budget, &budget).expect("small");
        assert!(
            found.checked.is_accepted(),
            "{left} -> {right}: {}",
            found.checked
        );
        found.model.is_none()
    };
    assert!(implies("AF AG p", "A (F G p)"));
    assert!(!implies("A (F G p)", "AF AG p"));
    assert!(implies("A (G F p)", "AG AF p"));
    assert!(implies("AG AF p", "A (G F p)"));
}
