//! Simplified formulas mean the same as the originals.

use entail_automata::ltl::arena::Arena;
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::expand::{from_arena, to_arena};
use entail_automata::ltl::random::{Random, RandomFormula, random_word};

#[test]
fn simplification_keeps_the_meaning_on_random_words() {
    let mut random = Random::new(11);
    for round in 0..1500 {
        let shape = RandomFormula {
            propositions: 2 + round % 2,
            size: 4 + round % 12,
            past: false,
        };
        let formula = shape.draw(&mut random);
        let mut arena = Arena::new();
        let raw = to_arena(&formula, &mut arena).expect("LTL");
        let simple = arena.simplify(raw);
        let simple = from_arena(&arena, simple);
        for _ in 0..12 {
            let word = random_word(shape.propositions, 3, &mut random);
            assert_eq!(
                holds(&simple, &word),
                holds(&formula, &word),
                "{formula} became {simple}: {word}"
            );
        }
    }
}

#[test]
fn syntactic_implications_hold_on_random_words() {
    let mut random = Random::new(12);
    let shape = RandomFormula {
        propositions: 2,
        size: 6,
        past: false,
    };
    let mut found = 0;
    for _ in 0..4000 {
        let (f, g) = (shape.draw(&mut random), shape.draw(&mut random));
        let mut arena = Arena::new();
        let (a, b) = (
            to_arena(&f, &mut arena).expect("LTL"),
            to_arena(&g, &mut arena).expect("LTL"),
        );
        if arena.implies(a, b) {
            found += 1;
            for _ in 0..12 {
                let word = random_word(2, 3, &mut random);
                assert!(
                    !holds(&f, &word) || holds(&g, &word),
                    "{f} does not imply {g}: {word}"
                );
            }
        }
    }
    assert!(found > 300, "the rules find something: {found}");
}
