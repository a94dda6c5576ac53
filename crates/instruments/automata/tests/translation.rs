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
fn a_search_on_the_fly_sees_the_same_words() {
    use entail_automata::ltl::arena::Arena;
    use entail_automata::translate::on_the_fly::{Lazy, OnTheFly};
    let mut random = Random::new(8);
    for _ in 0..150 {
        let formula = FUTURE.draw(&mut random);
        let mut arena = Arena::new();
        let mut lazy = Lazy::new(&formula, &mut arena).expect("LTL");
        for _ in 0..6 {
            let word = random_word(3, 3, &mut random);
            // Walk the product of the word and the lazy automaton into an explicit graph.
            let word = word.over(lazy.propositions());
            let mut graph = entail_automata::Automaton::new(
                vec![],
                entail_automata::Acceptance::generalized_buchi(64),
                64,
            )
            .expect("64 marks");
            let mut nodes = Vec::new();
            for state in lazy.initial() {
                nodes.push((0, state));
                let node = graph.add_state();
                graph.add_initial(node);
            }
            let mut at = 0;
            while at < nodes.len() {
                let (position, state) = nodes[at];
                for (target, marks) in lazy.successors(state, word.letter(position)) {
                    let next = (word.next(position), target);
                    let number = nodes.iter().position(|node| *node == next).unwrap_or_else(|| {
                        nodes.push(next);
                        graph.add_state();
                        nodes.len() - 1
                    });
                    graph.add_edge(
                        entail_automata::State(at as u32),
                        entail_automata::Label::TRUE,
                        entail_automata::State(number as u32),
                        marks,
                    );
                }
                at += 1;
            }
            assert_eq!(!graph.is_empty(), holds(&formula, &word), "{formula} on {word}");
        }
    }
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
