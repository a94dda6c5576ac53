//! The translation against the definitions: random formulas, random words, and the negation.

use entail_automata::algebra::product::intersection;
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::random::{Random, RandomFormula, random_word};
use entail_automata::translate::pipeline::{Preference, Target, Translation, translate};
use entail_budget::Budget;

fn check(seed: u64, count: usize, shape: RandomFormula, how: Translation) {
    let mut random = Random::new(seed);
    let budget = Budget::unlimited();
    for _ in 0..count {
        let formula = shape.draw(&mut random);
        let automaton = translate(&formula, how, &budget).expect("small formulas translate");
        for _ in 0..20 {
            let word = random_word(shape.propositions, 3, &mut random);
            let expected = holds(&formula, &word);
            assert_eq!(
                automaton.accepts(&word),
                expected,
                "{formula} on {word}\n{automaton:?}"
            );
        }
        if let Some(word) = automaton.accepted_word() {
            assert!(
                holds(&formula, &word),
                "{formula} does not hold on its witness {word}"
            );
            assert!(automaton.accepts(&word));
        }
        let negated = translate(&formula.not(), how, &budget).expect("small formulas translate");
        let (both, _) = intersection(&automaton, &negated).expect("few marks");
        assert!(
            both.is_empty(),
            "{formula} and its negation share {:?}",
            both.accepted_word()
        );
    }
}

const FUTURE: RandomFormula = RandomFormula {
    propositions: 3,
    size: 9,
    past: false,
};

#[test]
fn generalized_buchi_automata_accept_what_the_formula_says() {
    check(1, 500, FUTURE, Translation::default());
}

#[test]
fn long_formulas_translate_correctly() {
    let shape = RandomFormula { size: 16, ..FUTURE };
    check(2, 120, shape, Translation::default());
}

#[test]
fn deterministic_preference_keeps_the_language() {
    let how = Translation {
        preference: Preference::Deterministic,
        ..Translation::default()
    };
    check(3, 250, FUTURE, how);
}

#[test]
fn buchi_automata_keep_the_language_with_marks_on_edges_and_on_states() {
    for (seed, target) in [(4, Target::Buchi), (5, Target::StateBuchi)] {
        let how = Translation {
            target,
            ..Translation::default()
        };
        check(seed, 250, FUTURE, how);
    }
}

#[test]
fn past_operators_look_back_to_the_start() {
    let shape = RandomFormula {
        propositions: 2,
        size: 7,
        past: true,
    };
    check(6, 250, shape, Translation::default());
}

#[test]
fn deterministic_parity_automata_keep_the_language() {
    let how = Translation {
        target: Target::Parity,
        ..Translation::default()
    };
    check(7, 200, FUTURE, how);
}

#[test]
fn ten_thousand_operators_end_in_an_answer_or_a_polite_refusal() {
    use std::time::Duration;
    let mut random = Random::new(9);
    let small = RandomFormula {
        propositions: 6,
        size: 5,
        past: false,
    };
    let parts: Vec<_> = (0..2_000).map(|_| small.draw(&mut random)).collect();
    let conjunction = entail_logic::Formula::and(parts.clone());
    let disjunction = entail_logic::Formula::or(parts.clone());
    let mut chain = parts[0].clone();
    for part in &parts[1..] {
        chain = part.until(&chain);
    }
    for formula in [conjunction, disjunction, chain] {
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(2)));
        if let Ok(Some(word)) = entail_automata::services::satisfying_word(&formula, &budget) {
            assert!(!word.cycle.is_empty());
        }
    }
}
