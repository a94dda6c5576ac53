//! Models and refutations of random formulas are accepted; no small graph satisfies a formula that is refuted; a refutation proves nothing of a formula that has a model.

use crate::{effort, random_formula, random_graph};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::FormulaRefutation;
use entail_games_checker::refutation;
use entail_graphs::formulas::satisfy;
use entail_graphs::naive;
use entail_logic::mu::{Mu, parse_mu};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_mu::{Satisfiability, satisfiable};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn has_model(formula: &Mu<String>) -> bool {
    let budget = Budget::unlimited();
    let found = satisfy(formula, &budget, &budget).expect("small");
    assert_eq!(found.checked, CheckReport::Accepted, "{formula}");
    found.model.is_some()
}

/// All graphs with two states, the action `a`, and the proposition `p`.
fn small_graphs() -> Vec<Lts> {
    let mut graphs = Vec::new();
    for bits in 0..64u32 {
        let mut builder = LtsBuilder::new(2);
        let action = builder.action("a");
        for edge in 0..4 {
            if bits >> edge & 1 == 1 {
                builder.transition(StateId::new(edge / 2), action, StateId::new(edge % 2));
            }
        }
        for state in 0..2 {
            let names = (bits >> (4 + state) & 1 == 1).then(|| Arc::from("p"));
            let colour = builder.colour(names);
            builder.paint(StateId::new(state), colour);
        }
        builder.initial(StateId::new(0));
        graphs.push(builder.build().expect("a graph"));
    }
    graphs
}

#[test]
fn what_is_refuted_is_true_in_no_small_graph_and_what_has_a_model_cannot_be_refuted() {
    let budget = Budget::unlimited();
    let mut random = StdRng::seed_from_u64(27);
    let rounds = 300 * effort();
    let small = small_graphs();
    let (mut refuted, mut last): (usize, Option<FormulaRefutation>) = (0, None);
    for round in 0..rounds {
        let size = random.random_range(1..11);
        let mut formula = random_formula(&mut random, size, &mut Vec::new());
        if round % 2 == 0 {
            // A formula and something near its negation are seldom true together.
            let other = random_formula(&mut random, size / 2, &mut Vec::new());
            formula = Mu::and([
                Mu::or([formula.clone(), other.clone()]),
                formula.dual(),
                other.dual(),
            ]);
        }
        let search = satisfiable(&formula, &budget).expect("small");
        assert_eq!(
            matches!(search.answer, Satisfiability::Model(_)),
            has_model(&formula),
            "{formula}"
        );
        match search.answer {
            Satisfiability::Model(_) => {
                if let Some(last) = &last {
                    let report = refutation::check(&formula, last, &budget);
                    assert_ne!(report, CheckReport::Accepted, "{formula} has a model");
                }
            }
            Satisfiability::Refuted(found) => {
                refuted += 1;
                let others: Vec<Lts> = (0..20).map(|_| random_graph(&mut random)).collect();
                for lts in small.iter().chain(&others) {
                    let states = naive::states_where(lts, &formula, &budget).expect("small");
                    assert!(states.is_clear(), "{formula} is true somewhere");
                }
                last = Some(found);
            }
        }
    }
    assert!(refuted > rounds / 10, "{refuted} of {rounds}");
}

#[test]
fn a_damaged_refutation_is_rejected() {
    let formula = parse_mu("(nu Y. <a>Y | <b>Y) & (mu X. [a|b]X) & [c*]p").expect("a formula");
    let budget = Budget::unlimited();
    let Satisfiability::Refuted(whole) = satisfiable(&formula, &budget).expect("small").answer else {
        panic!("an infinite path and none");
    };
    assert_eq!(
        refutation::check(&formula, &whole, &budget),
        CheckReport::Accepted
    );
    let mut damaged = Vec::new();
    for set in 0..whole.sets.len() {
        for reply in 0..whole.sets[set].replies.len() {
            let mut missing = whole.clone();
            missing.sets[set].replies.remove(reply);
            damaged.push(missing);
            let mut elsewhere = whole.clone();
            elsewhere.sets[set].replies[reply].picked = 0;
            damaged.push(elsewhere);
            let mut nowhere = whole.clone();
            nowhere.sets[set].replies[reply].next.clear();
            damaged.push(nowhere);
        }
        let mut more = whole.clone();
        more.sets[set].duties.push(u32::MAX);
        damaged.push(more);
    }
    damaged.push(FormulaRefutation::default());
    for (number, refutation) in damaged.iter().enumerate() {
        let report = entail_games_checker::refutation::check(&formula, refutation, &budget);
        assert!(matches!(report, CheckReport::Rejected { .. }), "damage {number}");
    }
}

#[test]
fn the_handbooks_formulas_are_valid_and_satisfiable_as_it_says() {
    for (text, expected) in [
        ("(mu X. [a]X) & (nu Y. <a>Y)", false),
        ("mu X. <a>X", false),
        ("nu X. <a>X", true),
        ("mu Y. Y & p", false),
        ("nu Y. mu X. (p & <a>Y) | <a>X", true),
        // Again and again p, and almost always not p, on the only path.
        (
            "(nu Y. mu X. (p & <a>Y) | <a>X) & (mu Y. nu X. (!p | [a]Y) & [a]X)",
            false,
        ),
        ("<a>p & [!b]!p", false),
        ("<!a>p & [a]!p", true),
        ("<(a;b)*>p & [a*]!p & !p", true),
        ("<a*>p & [a*]!p", false),
        ("[?p]q & p & !q", false),
    ] {
        assert_eq!(has_model(&parse_mu(text).expect("a formula")), expected, "{text}");
    }
}

#[test]
fn the_laws_of_fixpoints_are_valid() {
    // The left one implies the right one.
    for (left, right) in [
        ("mu X. p | <a>X", "nu X. p | <a>X"),
        ("mu X. nu Y. (p & <a>Y) | <a>X", "nu Y. mu X. (p & <a>Y) | <a>X"),
        ("mu X. nu Y. (p & <a>Y) | <a>X", "mu X. (nu Y. p & <a>Y) | <a>X"),
        ("mu X. (nu Y. p & <a>Y) | <a>X", "mu X. nu Y. (p & <a>Y) | <a>X"),
        ("nu Y. mu X. (p & <a>Y) | <a>X", "nu Y. mu X. <a>((p & Y) | X)"),
        ("mu X. mu Y. p | <a>X | <b>Y", "mu X. p | <a>X | <b>X"),
        ("<a*>p", "p | <a><a*>p"),
        ("[a*](!p | [a]p) & p", "[a*]p"),
    ] {
        let (left, right) = (
            parse_mu(left).expect("a formula"),
            parse_mu(right).expect("a formula"),
        );
        assert!(
            !has_model(&Mu::and([left.clone(), right.dual()])),
            "{left} implies {right}"
        );
    }
}
