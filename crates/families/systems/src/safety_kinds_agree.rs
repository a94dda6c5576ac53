//! How violations of safety properties show is what the definitions say: an informative prefix is one on which the property is false in the weak view, a bad one is one that no word goes on to fulfil the property from.

use crate::assertions_agree::{assertion, effort, words};
use entail_automata::assertion::{SafetyKind, automaton_of_assertion, safety_kind};
use entail_automata::ltl::classify::is_safety;
use entail_automata::{Automaton, LassoWord};
use entail_budget::Budget;
use entail_logic::{Assertion, Guard, Sequence};
use entail_systems_checker::{AssertionWord, View};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::sync::Arc;

const NAMES: [&str; 2] = ["p", "q"];

fn automaton(asked: &Assertion<usize>, truth: bool) -> Automaton {
    let named = asked.map(&mut |&atom| NAMES[atom].to_owned());
    automaton_of_assertion(&named, truth, &Budget::unlimited()).expect("small assertions have automata")
}

fn kind(asked: &Assertion<usize>) -> Option<SafetyKind> {
    let (positive, negative) = (automaton(asked, true), automaton(asked, false));
    if !is_safety(&positive, &negative).expect("few marks") {
        return None;
    }
    let named = asked.map(&mut |&atom| NAMES[atom].to_owned());
    safety_kind(&named, &positive, &Budget::unlimited()).ok()
}

fn letters_of(word: &LassoWord, length: usize) -> Vec<Vec<bool>> {
    let place = |name: &str| word.propositions.iter().position(|known| known == name);
    let value =
        |position: usize, name: &str| place(name).is_some_and(|at| word.letter(position) >> at & 1 == 1);
    (0..length)
        .map(|position| NAMES.iter().map(|name| value(position, name)).collect())
        .collect()
}

fn is_informative(asked: &Assertion<usize>, letters: &[Vec<bool>]) -> bool {
    !AssertionWord::new(letters.to_vec(), None).holds(asked, View::Weak)
}

/// Whether no word that begins with these letters fulfils the assertion.
fn is_bad(asked: &Assertion<usize>, letters: &[Vec<bool>]) -> bool {
    let exactly = |letter: &Vec<bool>| {
        let literal = |(atom, &value): (usize, &bool)| match value {
            true => Guard::Atom(atom),
            false => Guard::Atom(atom).negated(),
        };
        let literals = letter.iter().enumerate().map(literal);
        Sequence::Guard(literals.fold(Guard::Constant(true), |all, one| all.and(&one)))
    };
    let begins = letters.iter().map(exactly).fold(Sequence::Empty, Sequence::then);
    let begins = Assertion::Sequence {
        sequence: Arc::new(begins),
        strong: true,
    };
    automaton(&begins.and(asked.clone()), true).is_empty()
}

#[test]
fn how_violations_show_agrees_with_the_definitions() {
    let mut random = StdRng::seed_from_u64(2001);
    let mut seen = [0; 3];
    for _ in 0..400 * effort() {
        let depth = random.random_range(0..4);
        let asked = assertion(&mut random, depth);
        match kind(&asked) {
            None => {}
            Some(SafetyKind::Intentional) => {
                seen[0] += 1;
                if seen[0] % 8 == 0 {
                    for letters in (1..4).flat_map(words) {
                        let informative = is_informative(&asked, &letters);
                        assert_eq!(informative, is_bad(&asked, &letters), "{asked:?} {letters:?}");
                    }
                }
            }
            Some(SafetyKind::Accidental(word)) => {
                seen[1] += 1;
                let letters = letters_of(&word, word.prefix.len());
                assert!(is_bad(&asked, &letters), "{asked:?} {word}");
                assert!(!is_informative(&asked, &letters), "{asked:?} {word}");
                for _ in 0..20 {
                    let length = random.random_range(1..6);
                    let start = random.random_range(0..length);
                    let letter = |_| (0..NAMES.len()).map(|_| random.random_bool(0.5)).collect();
                    let letters: Vec<Vec<bool>> = (0..length).map(letter).collect();
                    if AssertionWord::new(letters.clone(), Some(start)).holds(&asked, View::Weak) {
                        continue;
                    }
                    let looped = letters[start..].iter().cycle().take(60);
                    let long: Vec<Vec<bool>> = letters[..start].iter().chain(looped).cloned().collect();
                    assert!(is_informative(&asked, &long), "{asked:?} {letters:?} {start}");
                }
            }
            Some(SafetyKind::Pathological(word)) => {
                seen[2] += 1;
                let letters = letters_of(&word, word.len());
                let truth = AssertionWord::new(letters, Some(word.prefix.len())).holds(&asked, View::Weak);
                assert!(!truth, "{asked:?} {word}");
                for length in 0..40 {
                    assert!(
                        !is_informative(&asked, &letters_of(&word, length)),
                        "{asked:?} {word}"
                    );
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count >= 2), "{seen:?}");
}

fn atom(atom: usize) -> Assertion<usize> {
    Assertion::guard(Guard::Atom(atom))
}

#[test]
fn the_properties_of_the_paper_are_what_it_calls_them() {
    assert!(matches!(kind(&atom(0).always()), Some(SafetyKind::Intentional)));
    // G(q | X G p) & G(q | X G !p), after p has been settled.
    let way = |value: Assertion<usize>| atom(1).or(value.always().after(1, true)).always();
    let accidental = way(atom(0)).and(way(atom(0).negated()));
    assert!(matches!(kind(&accidental), Some(SafetyKind::Accidental(_))));
    // F G p & F G !p is false of every word, and no prefix says so.
    let settles = |value: Assertion<usize>| value.always().eventually();
    let pathological = settles(atom(0)).and(settles(atom(0).negated()));
    assert!(matches!(kind(&pathological), Some(SafetyKind::Pathological(_))));
}

#[test]
fn two_strong_steps_are_told_after_three_letters() {
    let asked = atom(0).after(2, true);
    assert!(matches!(kind(&asked), Some(SafetyKind::Intentional)));
    for letters in (1..5).flat_map(words) {
        let told = letters.len() >= 3 && !letters[2][0];
        assert_eq!(is_informative(&asked, &letters), told);
    }
}
