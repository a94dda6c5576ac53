//! Every way from a formula to an automaton against every other, as `ltlcross` does: translations of a formula and of its negation,
//! all acceptance conditions, complements, reductions, on random formulas, judged by the naive semantics.

use entail_automata::algebra::complement::complement;
use entail_automata::algebra::convert::{Goal, convert};
use entail_automata::algebra::product::intersection;
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::random::{Random, RandomFormula, random_word};
use entail_automata::reduce::state_based::to_state_based;
use entail_automata::{AutomataError, Automaton, LassoWord, Target, Translation, services, translate};
use entail_budget::Budget;
use entail_logic::Formula;

fn translated(formula: &Formula<String>, target: Target) -> Automaton {
    let how = Translation {
        target,
        ..Translation::default()
    };
    translate(formula, how, &Budget::unlimited()).expect("small formulas have automata")
}

fn words(propositions: usize, count: usize, random: &mut Random) -> Vec<LassoWord> {
    (0..count).map(|_| random_word(propositions, 4, random)).collect()
}

fn judged(automaton: &Automaton, formula: &Formula<String>, words: &[LassoWord], what: &str) {
    for word in words {
        assert_eq!(
            automaton.accepts(word),
            holds(formula, word),
            "{what} of {formula} on {word}\n{automaton:?}"
        );
    }
}

fn disjoint(a: &Automaton, b: &Automaton, what: &str, formula: &Formula<String>) {
    let product = intersection(a, b).expect("few marks").0;
    assert!(
        product.is_empty(),
        "{what} of {formula}: {:?}",
        product.accepted_word()
    );
}

#[test]
fn five_thousand_formulas_and_their_negations_share_no_word_and_miss_none() {
    let mut random = Random::new(2026);
    for round in 0..5_000 {
        let shape = RandomFormula {
            propositions: 1 + round % 3,
            size: 3 + round % 8,
            past: round % 10 == 0,
        };
        let formula = shape.draw(&mut random);
        let positive = translated(&formula, Target::GeneralizedBuchi);
        let negative = translated(&formula.not(), Target::GeneralizedBuchi);
        disjoint(&positive, &negative, "a formula and its negation", &formula);
        for word in words(shape.propositions, 4, &mut random) {
            let truth = holds(&formula, &word);
            assert_eq!(positive.accepts(&word), truth, "{formula} on {word}");
            assert_eq!(negative.accepts(&word), !truth, "not {formula} on {word}");
        }
    }
}

#[test]
fn all_roads_lead_to_the_same_language() {
    let budget = Budget::unlimited();
    let mut random = Random::new(4);
    for round in 0..400 {
        let shape = RandomFormula {
            propositions: 1 + round % 3,
            size: 4 + round % 8,
            past: false,
        };
        let formula = shape.draw(&mut random);
        let sample = words(shape.propositions, 10, &mut random);
        let negative = translated(&formula.not(), Target::GeneralizedBuchi);
        for target in [
            Target::GeneralizedBuchi,
            Target::Buchi,
            Target::StateBuchi,
            Target::Parity,
        ] {
            let automaton = translated(&formula, target);
            judged(&automaton, &formula, &sample, "a translation");
            disjoint(&automaton, &negative, "a translation", &formula);
            if target == Target::Parity {
                assert!(automaton.is_deterministic() && automaton.is_complete());
            }
            if target == Target::StateBuchi {
                assert!(automaton.is_state_based());
            }
            let simpler = services::simplify(&automaton, &budget).expect("small");
            judged(&simpler, &formula, &sample, "a reduction");
            let on_states = to_state_based(&automaton);
            assert!(on_states.is_state_based());
            judged(&on_states, &formula, &sample, "acceptance on states");
        }
        let parity = translated(&formula, Target::Parity);
        for goal in [
            Goal::GeneralizedBuchi,
            Goal::Buchi,
            Goal::CoBuchi,
            Goal::Rabin,
            Goal::Streett,
            Goal::Muller,
        ] {
            match convert(&parity, goal, &budget) {
                Ok(other) => judged(&other, &formula, &sample, "a conversion"),
                Err(AutomataError::NotApplicable(_)) => assert_eq!(goal, Goal::CoBuchi, "{formula}"),
                Err(error) => panic!("{formula}: {error}"),
            }
        }
        let general = translated(&formula, Target::GeneralizedBuchi);
        let others = complement(&general, &budget).expect("small");
        judged(&others, &formula.not(), &sample, "a complement");
        disjoint(&general, &others, "a complement", &formula);
        disjoint(
            &negative,
            &complement(&others, &budget).expect("small"),
            "a double complement",
            &formula,
        );
    }
}

#[test]
fn alternating_automata_accept_what_their_formulas_say() {
    let budget = Budget::unlimited();
    let mut random = Random::new(11);
    for round in 0..200 {
        let shape = RandomFormula {
            propositions: 2,
            size: 3 + round % 6,
            past: false,
        };
        let formula = shape.draw(&mut random);
        let alternating = services::alternating_automaton(&formula, &budget).expect("small");
        let plain = alternating.remove_alternation(&budget).expect("Büchi");
        let sample = words(2, 10, &mut random);
        judged(&plain, &formula, &sample, "alternation removed");
        let dual = alternating.dual();
        if let Ok(dual) = dual
            && let Ok(plain) = dual.remove_alternation(&budget)
        {
            judged(&plain, &formula.not(), &sample, "the dual");
        }
    }
}
