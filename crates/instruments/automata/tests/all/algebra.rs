//! Determinisation, complement and conversions of acceptance against membership of random words and emptiness of products.

use entail_automata::acceptance::{Acceptance, Extreme, Marks, Winner};
use entail_automata::algebra::complement::{complement, complement_to_buchi, complement_weak};
use entail_automata::algebra::determinize::to_deterministic_parity;
use entail_automata::algebra::parity::{parity_to_rabin, parity_to_streett, to_convention};
use entail_automata::algebra::product::{intersection, synchronous_union, union};
use entail_automata::algebra::rank_complement::rank_complement;
use entail_automata::algebra::remove_fin::to_generalized_buchi;
use entail_automata::algebra::semi_deterministic_complement::ncsb_complement;
use entail_automata::algebra::slice_complement::slice_complement;
use entail_automata::algebra::zielonka::to_parity;
use entail_automata::automaton::{Automaton, State};
use entail_automata::decide::inclusion::{is_equivalent, is_included, separating_word};
use entail_automata::ltl::random::{Random, random_word};
use entail_automata::reduce::degeneralize::{Placement, degeneralize};
use entail_budget::Budget;

/// A random automaton over `p0` (and `p1`) with the given condition.
fn random_automaton(
    states: usize,
    density: usize,
    acceptance: &Acceptance,
    marks: u32,
    random: &mut Random,
) -> Automaton {
    let propositions = vec!["p0".to_string(), "p1".to_string()];
    let mut automaton = Automaton::new(propositions, acceptance.clone(), marks).expect("small");
    for _ in 0..states {
        automaton.add_state();
    }
    automaton.add_initial(State(0));
    for source in 0..states as u32 {
        for _ in 0..density {
            let letter = random.draw() & 3;
            let wide = random.below(3) == 0;
            let label = if wide {
                automaton.labels.literal((letter & 1) as u32, letter & 2 == 0)
            } else {
                automaton.labels.minterm(letter, 2)
            };
            let target = State(random.below(states) as u32);
            let mut seen = Marks::NONE;
            for mark in 0..marks {
                if random.below(3) == 0 {
                    seen = seen.with(Marks::one(mark));
                }
            }
            automaton.add_edge(State(source), label, target, seen);
        }
    }
    automaton.merge_edges();
    automaton
}

fn agree(a: &Automaton, b: &Automaton, same: bool, random: &mut Random) {
    for _ in 0..25 {
        let word = random_word(2, 4, random);
        assert_eq!(a.accepts(&word) == b.accepts(&word), same, "{word}\n{a:?}\n{b:?}");
    }
}

#[test]
fn determinisation_keeps_the_language_of_random_buchi_automata() {
    let mut random = Random::new(21);
    for round in 0..150 {
        let source = random_automaton(2 + round % 4, 4, &Acceptance::buchi(), 1, &mut random);
        let parity = to_deterministic_parity(&source, &Budget::unlimited()).expect("small");
        assert!(parity.is_deterministic() && parity.is_complete());
        agree(&source, &parity, true, &mut random);
    }
}

#[test]
fn a_complement_is_disjoint_and_fills_up() {
    let mut random = Random::new(22);
    let budget = Budget::unlimited();
    for round in 0..100 {
        let source = random_automaton(2 + round % 3, 4, &Acceptance::buchi(), 1, &mut random);
        for other in [
            complement(&source, &budget).expect("small"),
            complement_to_buchi(&source, &budget).expect("small"),
        ] {
            agree(&source, &other, false, &mut random);
            assert!(intersection(&source, &other).expect("few marks").0.is_empty());
            let all = union(&source, &other).expect("few marks");
            assert!(complement(&all, &budget).expect("small").is_empty(), "{source:?}");
        }
    }
}

#[test]
fn slices_agree_with_determinisation() {
    let mut random = Random::new(24);
    let budget = Budget::unlimited();
    for round in 0..300 {
        let source = random_automaton(1 + round % 4, 3, &Acceptance::buchi(), 1, &mut random);
        let other = slice_complement(&source, 20_000, &budget).expect("no limit of time");
        let other = other.expect("few states");
        agree(&source, &other, false, &mut random);
        assert!(intersection(&source, &other).expect("few marks").0.is_empty());
        let determinised = complement(&source, &budget).expect("small");
        let outside = complement(&determinised, &budget).expect("deterministic");
        assert!(intersection(&outside, &other).expect("few marks").0.is_empty());
        if other.state_count() <= 30 {
            assert!(
                is_included(&determinised, &other, &budget).expect("small"),
                "{source:?}"
            );
        }
    }
}

#[test]
fn ranks_and_ncsb_agree_with_determinisation() {
    let mut random = Random::new(23);
    let budget = Budget::unlimited();
    let mut semi = 0;
    for _ in 0..400 {
        let mut source = random_automaton(3, 3, &Acceptance::buchi(), 1, &mut random);
        source.prune_marks();
        if source.acceptance() != &Acceptance::buchi() {
            continue;
        }
        if source.state_count() <= 3 && random.below(8) == 0 {
            let ranked = rank_complement(&source, 5_000, &budget).expect("small");
            if let Some(ranked) = ranked {
                agree(&source, &ranked, false, &mut random);
            }
        }
        if source.is_semi_deterministic() {
            semi += 1;
            let ncsb = ncsb_complement(&source, 5_000, &budget)
                .expect("small")
                .expect("small");
            agree(&source, &ncsb, false, &mut random);
        }
        if source.is_weak() {
            agree(
                &source,
                &complement_weak(&source, &budget).expect("weak"),
                false,
                &mut random,
            );
        }
    }
    assert!(semi > 20, "{semi}");
}

#[test]
fn every_acceptance_condition_converts_to_buchi_and_parity() {
    let mut random = Random::new(24);
    let budget = Budget::unlimited();
    let conditions = [
        (Acceptance::rabin(2), 4),
        (Acceptance::streett(2), 4),
        (Acceptance::parity(Extreme::Min, Winner::Odd, 4), 4),
        (Acceptance::parity(Extreme::Max, Winner::Odd, 3), 3),
        (Acceptance::parity(Extreme::Min, Winner::Even, 3), 3),
        (Acceptance::parity(Extreme::Max, Winner::Even, 4), 4),
        (Acceptance::generalized_buchi(3), 3),
        (Acceptance::generalized_co_buchi(2), 2),
        (Acceptance::co_buchi(), 1),
        (Acceptance::muller(2, &[Marks(1), Marks(2)]), 2),
        (Acceptance::True, 0),
    ];
    for round in 0..220 {
        let (condition, marks) = &conditions[round % conditions.len()];
        let source = random_automaton(2 + round % 4, 3, condition, *marks, &mut random);
        let generalized = to_generalized_buchi(&source).expect("small");
        agree(&source, &generalized, true, &mut random);
        for placement in [Placement::Edges, Placement::States] {
            agree(
                &source,
                &degeneralize(&generalized, placement, &budget).expect("small"),
                true,
                &mut random,
            );
        }
        let parity = to_parity(&source, &budget).expect("small");
        agree(&source, &parity, true, &mut random);
        for extreme in [Extreme::Max, Extreme::Min] {
            for winner in [Winner::Odd, Winner::Even] {
                let other = to_convention(&parity, extreme, winner).expect("few marks");
                agree(&source, &other, true, &mut random);
            }
        }
        agree(
            &source,
            &parity_to_rabin(&parity).expect("few marks"),
            true,
            &mut random,
        );
        agree(
            &source,
            &parity_to_streett(&parity).expect("few marks"),
            true,
            &mut random,
        );
        let mut reduced = source.clone();
        reduced.reduce(&budget).expect("unlimited");
        agree(&source, &reduced, true, &mut random);
        if let Some(word) = source.accepted_word() {
            assert!(source.accepts(&word), "{word} {source:?}");
        } else {
            for _ in 0..20 {
                assert!(!source.accepts(&random_word(2, 4, &mut random)));
            }
        }
    }
}

#[test]
fn products_and_unions_are_intersection_and_union_of_languages() {
    let mut random = Random::new(25);
    for round in 0..60 {
        let conditions = [
            Acceptance::rabin(1),
            Acceptance::streett(1),
            Acceptance::generalized_buchi(2),
        ];
        let a = random_automaton(3, 4, &conditions[round % 3], 2, &mut random);
        let b = random_automaton(3, 4, &conditions[(round / 3) % 3], 2, &mut random);
        let both = intersection(&a, &b).expect("few marks").0;
        let either = union(&a, &b).expect("few marks");
        let lockstep = synchronous_union(&a, &b).expect("few marks").0;
        for _ in 0..20 {
            let word = random_word(2, 4, &mut random);
            assert_eq!(both.accepts(&word), a.accepts(&word) && b.accepts(&word));
            assert_eq!(either.accepts(&word), a.accepts(&word) || b.accepts(&word));
            assert_eq!(lockstep.accepts(&word), a.accepts(&word) || b.accepts(&word));
        }
    }
}

#[test]
fn a_separating_word_is_accepted_by_exactly_one() {
    let mut random = Random::new(26);
    let budget = Budget::unlimited();
    for _ in 0..60 {
        let a = random_automaton(3, 4, &Acceptance::buchi(), 1, &mut random);
        let b = random_automaton(3, 4, &Acceptance::buchi(), 1, &mut random);
        match separating_word(&a, &b, &budget).expect("small") {
            Some(word) => assert_ne!(a.accepts(&word), b.accepts(&word), "{word}"),
            None => agree(&a, &b, true, &mut random),
        }
        let twice = complement(&complement(&a, &budget).expect("small"), &budget).expect("small");
        assert!(is_equivalent(&a, &twice, &budget).expect("small"));
    }
}
