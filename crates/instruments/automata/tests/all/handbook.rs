//! Worked examples with known answers: chapter 4 (automata and model checking) and chapter 2 E4 (equivalences).

use entail_automata::acceptance::{Acceptance, Marks};
use entail_automata::algebra::complement::{complement, complement_deterministic, complement_to_buchi};
use entail_automata::algebra::determinize::to_deterministic_parity;
use entail_automata::algebra::product::intersection;
use entail_automata::algebra::remove_fin::to_generalized_buchi;
use entail_automata::algebra::typeness::{deterministic_buchi, deterministic_co_buchi};
use entail_automata::alternating::{Alternating, AlternatingEdge, very_weak};
use entail_automata::automaton::{Automaton, State};
use entail_automata::decide::inclusion::{difference_word, is_equivalent};
use entail_automata::label::{Label, Labels};
use entail_automata::ltl::arena::Arena;
use entail_automata::ltl::classify::{Class, classify};
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::expand::to_arena;
use entail_automata::ltl::syntax::{Syntax, parse};
use entail_automata::reduce::degeneralize::{Placement, degeneralize};
use entail_automata::services::{satisfying_word, word_against_equivalence, word_against_implication};
use entail_automata::word::LassoWord;
use entail_automata::{Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::Formula;

/// An automaton over a plain alphabet: letter `i` of `alphabet` is the valuation in which only proposition `i` is true.
struct Plain {
    automaton: Automaton,
    alphabet: Vec<char>,
}

impl Plain {
    fn new(alphabet: &str, states: usize, initial: &[u32], acceptance: Acceptance, marks: u32) -> Plain {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let names = alphabet.iter().map(|letter| format!("l{letter}")).collect();
        let mut automaton = Automaton::new(names, acceptance, marks).expect("small");
        for _ in 0..states {
            automaton.add_state();
        }
        for state in initial {
            automaton.add_initial(State(*state));
        }
        Plain { automaton, alphabet }
    }

    fn label(&mut self, letters: &str) -> Label {
        letters.chars().fold(Label::FALSE, |any, letter| {
            let bit = self
                .alphabet
                .iter()
                .position(|known| *known == letter)
                .expect("a letter");
            let one = self.automaton.labels.minterm(1 << bit, self.alphabet.len());
            self.automaton.labels.or(any, one)
        })
    }

    fn edge(&mut self, from: u32, letters: &str, to: u32, marked: bool) {
        let label = self.label(letters);
        let marks = if marked { Marks::one(0) } else { Marks::NONE };
        self.automaton.add_edge(State(from), label, State(to), marks);
    }

    fn word(&self, prefix: &str, cycle: &str) -> LassoWord {
        word(&self.alphabet, prefix, cycle)
    }

    fn accepts(&self, prefix: &str, cycle: &str) -> bool {
        self.automaton.accepts(&self.word(prefix, cycle))
    }
}

fn word(alphabet: &[char], prefix: &str, cycle: &str) -> LassoWord {
    let names = alphabet.iter().map(|letter| format!("l{letter}")).collect();
    let letters = |text: &str| {
        text.chars()
            .map(|letter| {
                1u64 << alphabet
                    .iter()
                    .position(|known| *known == letter)
                    .expect("a letter")
            })
            .collect()
    };
    LassoWord::new(names, letters(prefix), letters(cycle))
}

/// All words in which each position has exactly one letter of the alphabet.
fn exactly_one(alphabet: &str) -> Automaton {
    let mut plain = Plain::new(alphabet, 1, &[0], Acceptance::True, 0);
    let letters = alphabet.to_string();
    plain.edge(0, &letters, 0, false);
    plain.automaton
}

fn budget() -> Budget {
    Budget::unlimited()
}

fn ltl(text: &str) -> Formula<String> {
    parse(text, Syntax::Smv).expect(text)
}

fn a1() -> Plain {
    let mut a1 = Plain::new("ab", 2, &[0], Acceptance::buchi(), 1);
    for state in 0..2 {
        a1.edge(state, "a", 1, state == 1);
        a1.edge(state, "b", 0, state == 1);
    }
    a1
}

fn a2() -> Plain {
    let mut a2 = Plain::new("ab", 2, &[0], Acceptance::buchi(), 1);
    a2.edge(0, "ab", 0, false);
    a2.edge(0, "b", 1, false);
    a2.edge(1, "b", 1, true);
    a2
}

#[test]
fn e1_infinitely_many_a_and_its_complement() {
    let a1 = a1();
    assert!(a1.accepts("", "ab") && !a1.accepts("", "b") && !a1.accepts("a", "b"));
    let co_buchi = a1.automaton.clone().with_acceptance(Acceptance::co_buchi(), 1);
    assert!(co_buchi.accepts(&a1.word("a", "b")) && !co_buchi.accepts(&a1.word("", "ab")));
    let other = complement_deterministic(&a1.automaton).expect("deterministic");
    let other = intersection(&other, &exactly_one("ab")).expect("few marks").0;
    let buchi = degeneralize(
        &to_generalized_buchi(&other).expect("small"),
        Placement::States,
        &budget(),
    )
    .expect("small");
    assert!(buchi.state_count() <= 3);
    for (prefix, cycle) in [("", "ab"), ("", "b"), ("a", "b"), ("ba", "ab")] {
        assert_ne!(buchi.accepts(&a1.word(prefix, cycle)), a1.accepts(prefix, cycle));
    }
}

#[test]
fn e2_finitely_many_a_is_not_deterministic_buchi() {
    let a2 = a2();
    assert!(a2.accepts("a", "b") && !a2.accepts("", "ab"));
    assert_eq!(
        deterministic_buchi(&a2.automaton, &budget())
            .expect("small")
            .map(|a| a.state_count()),
        None
    );
    let co_buchi = deterministic_co_buchi(&a2.automaton, &budget())
        .expect("small")
        .expect("co-Büchi type");
    assert!(is_equivalent(&co_buchi, &a2.automaton, &budget()).expect("small"));
    let parity = to_deterministic_parity(&a2.automaton, &budget()).expect("small");
    assert!(parity.is_deterministic() && is_equivalent(&parity, &a2.automaton, &budget()).expect("small"));
    // The subset construction read as Büchi is "infinitely many b": strictly larger.
    let mut subset = Plain::new("ab", 2, &[0], Acceptance::buchi(), 1);
    for state in 0..2 {
        subset.edge(state, "b", 1, state == 1);
        subset.edge(state, "a", 0, state == 1);
    }
    assert_eq!(
        difference_word(&a2.automaton, &subset.automaton, &budget()).expect("small"),
        None
    );
    let witness = difference_word(&subset.automaton, &a2.automaton, &budget())
        .expect("small")
        .expect("a word");
    assert!(subset.automaton.accepts(&witness) && !a2.automaton.accepts(&witness));
    let persistence = classify(&ltl("F G b"), &budget()).expect("small");
    assert_eq!(persistence.semantic, Class::Persistence);
}

#[test]
fn e3_the_product_of_alternating_acceptance_is_not_empty() {
    let loop_of_two = |marked: u32| {
        let mut plain = Plain::new("a", 2, &[0], Acceptance::buchi(), 1);
        plain.edge(0, "a", 1, marked == 0);
        plain.edge(1, "a", 0, marked == 1);
        plain
    };
    let (first, second) = (loop_of_two(0), loop_of_two(1));
    let product = intersection(&first.automaton, &second.automaton)
        .expect("few marks")
        .0;
    assert!(product.accepts(&first.word("", "a")));
}

fn l_n(n: usize) -> Plain {
    let digits: String = ('1'..='9').take(n).collect();
    let alphabet = format!("{digits}#");
    let initial: Vec<u32> = (1..=n as u32).collect();
    let mut plain = Plain::new(&alphabet, n + 1, &initial, Acceptance::buchi(), 1);
    for (i, digit) in digits.chars().enumerate() {
        let own = i as u32 + 1;
        plain.edge(0, &digit.to_string(), own, true);
        plain.edge(own, &alphabet, own, false);
        plain.edge(own, &digit.to_string(), 0, false);
    }
    plain
}

#[test]
fn e4_complements_of_l_n_are_large_and_right() {
    let two = l_n(2);
    assert!(two.accepts("", "12") && !two.accepts("", "12#") && !two.accepts("", "21#"));
    assert!(two.accepts("", "12#21#") && two.accepts("", "1") && !two.accepts("", "1#"));
    for n in [2, 3] {
        let source = l_n(n);
        let other = complement_to_buchi(&source.automaton, &budget()).expect("small");
        let factorial = if n == 2 { 2 } else { 6 };
        assert!(other.state_count() >= factorial);
        let permutations: &[&str] = if n == 2 {
            &["12#", "21#"]
        } else {
            &["123#", "132#", "213#", "231#", "312#", "321#"]
        };
        for cycle in permutations {
            assert!(
                other.accepts(&source.word("", cycle)) && !source.accepts("", cycle),
                "{cycle}"
            );
        }
        assert!(
            intersection(&source.automaton, &other)
                .expect("few marks")
                .0
                .is_empty()
        );
    }
}

#[test]
fn e5_a_streett_condition_says_what_no_buchi_set_can() {
    let mut both = Plain::new("ab", 2, &[0], Acceptance::streett(2), 4);
    // Both pairs have the whole structure on the left; on the right, the first state and the second.
    for state in 0..2u32 {
        let marks = Marks(0b0101).with(Marks::one(if state == 0 { 1 } else { 3 }));
        for (letter, target) in [("a", 1), ("b", 0)] {
            let label = both.label(letter);
            both.automaton.add_edge(State(state), label, State(target), marks);
        }
    }
    assert!(both.accepts("", "ab") && !both.accepts("", "a") && !both.accepts("ab", "b"));
    let buchi = degeneralize(
        &to_generalized_buchi(&both.automaton).expect("small"),
        Placement::States,
        &budget(),
    )
    .expect("small");
    assert_eq!(buchi.state_count(), 3);
    for set in 0..4u32 {
        let mut one = Plain::new("ab", 2, &[0], Acceptance::buchi(), 1);
        for state in 0..2 {
            one.edge(state, "a", 1, set >> state & 1 == 1);
            one.edge(state, "b", 0, set >> state & 1 == 1);
        }
        assert!(!is_equivalent(&one.automaton, &both.automaton, &budget()).expect("small"));
    }
}

#[test]
fn e6_a_union_of_two_recurrences_is_an_obligation_on_single_letters() {
    let single = "G ((a & !b) | (!a & b))";
    let left = ltl(&format!("{single} & ((F a & G F b) | (F b & G F a))"));
    let right = ltl(&format!("{single} & F a & F b"));
    assert_eq!(
        word_against_equivalence(&left, &right, &budget()).expect("small"),
        None
    );
}

#[test]
fn e7_activity_of_blocks_as_a_streett_automaton() {
    // n = 2: state (position, last letter), pairs <(i,0),(i,1)> and the reverse for both positions.
    let mut plain = Plain::new("012", 6, &[0], Acceptance::streett(4), 8);
    let number = |position: u32, letter: u32| position * 3 + letter;
    for position in 0..2u32 {
        for last in 0..3u32 {
            let marks = match last {
                0 => Marks::one(4 * position).with(Marks::one(4 * position + 3)),
                1 => Marks::one(4 * position + 1).with(Marks::one(4 * position + 2)),
                _ => Marks::NONE,
            };
            for letter in 0..3u32 {
                let label = plain.label(&letter.to_string());
                let target = State(number(1 - position, letter));
                plain
                    .automaton
                    .add_edge(State(number(position, last)), label, target, marks);
            }
        }
    }
    assert!(plain.accepts("", "0212") && !plain.accepts("", "02") && plain.accepts("", "22"));
    let buchi = to_generalized_buchi(&plain.automaton).expect("small");
    assert!(buchi.accepts(&plain.word("", "0212")) && !buchi.accepts(&plain.word("", "02")));
}

#[test]
fn e9_every_letter_three_times_in_a_row_by_alternation() {
    let alphabet = ['1', '2'];
    let mut labels = Labels::default();
    let letter: Vec<Label> = (0..2).map(|i| labels.minterm(1 << i, 2)).collect();
    // State 0 is the start; letter i with count c is 1 + 3 i + (c - 1).
    let number = |i: usize, c: usize| State((1 + 3 * i + c - 1) as u32);
    let mut edges = vec![Vec::new(); 7];
    for i in 0..2 {
        let mut targets = vec![number(i, 2), number(1 - i, 3)];
        targets.sort_unstable();
        edges[0].push(AlternatingEdge {
            label: letter[i],
            targets,
            marks: Marks::NONE,
        });
        for c in 1..=3 {
            let targets = if c == 1 { vec![] } else { vec![number(i, c - 1)] };
            let own = &mut edges[number(i, c).index()];
            own.push(AlternatingEdge {
                label: letter[i],
                targets,
                marks: Marks::NONE,
            });
            own.push(AlternatingEdge {
                label: letter[1 - i],
                targets: vec![number(i, 3)],
                marks: Marks::NONE,
            });
        }
    }
    let alternating = Alternating {
        propositions: vec!["l1".into(), "l2".into()],
        labels,
        edges,
        initial: vec![vec![State(0)]],
        acceptance: Acceptance::buchi(),
        mark_count: 1,
        name: None,
    };
    let removed = alternating.remove_alternation(&budget()).expect("Büchi");
    assert!(removed.accepts(&word(&alphabet, "111222", "1")));
    assert!(!removed.accepts(&word(&alphabet, "", "12")) && !removed.accepts(&word(&alphabet, "11", "2")));
    let dual = alternating.dual().expect("marks on states");
    assert_eq!(dual.acceptance, Acceptance::Fin(0));
}

#[test]
fn e10_gfp_has_a_two_state_alternating_automaton() {
    let mut arena = Arena::new();
    let formula = to_arena(&ltl("G F p"), &mut arena).expect("LTL");
    let alternating = very_weak(&mut arena, formula, &budget()).expect("small");
    assert_eq!(alternating.edges.len(), 2);
    let removed = alternating.remove_alternation(&budget()).expect("Büchi");
    assert!(removed.state_count() <= 9);
    let expected = translate(&ltl("G F p"), Translation::default(), &budget()).expect("small");
    assert_eq!(expected.state_count(), 1);
    assert!(is_equivalent(&removed, &expected, &budget()).expect("small"));
}

#[test]
fn e11_translations_of_p_and_next_p_until_q_agree() {
    let formula = ltl("p & ((X p) U q)");
    let mut arena = Arena::new();
    let raw = to_arena(&formula, &mut arena).expect("LTL");
    let alternating = very_weak(&mut arena, raw, &budget()).expect("small");
    let removed = alternating.remove_alternation(&budget()).expect("Büchi");
    let direct = translate(&formula, Translation::default(), &budget()).expect("small");
    assert!(is_equivalent(&removed, &direct, &budget()).expect("small"));
    assert!(direct.state_count() <= 16);
}

#[test]
fn e12_the_doubly_exponential_family_starts_as_it_must() {
    // n = 1 over one-hot letters z (0), o (1), h (#), d ($).
    let text = "(!d) U (d & X ((z | o) & X G h)) & F (h & X X h & ((X z & G (d -> X z)) | (X o & G (d -> X o)))) & \
                G ((z & !o & !h & !d) | (!z & o & !h & !d) | (!z & !o & h & !d) | (!z & !o & !h & d))";
    let formula = ltl(text);
    let how = Translation {
        target: Target::Parity,
        ..Translation::default()
    };
    let automaton = translate(&formula, how, &budget()).expect("small");
    assert!(automaton.is_deterministic() && automaton.state_count() >= 4);
    for (text, expected) in [
        ("h; z; h; d; z; cycle{h}", true),
        ("h; z; h; d; o; cycle{h}", false),
    ] {
        let word = LassoWord::parse(text).expect("word");
        assert_eq!(holds(&formula, &word), expected);
        assert_eq!(automaton.accepts(&word), expected);
    }
}

#[test]
fn ch02_e4_equivalences_hold_and_the_traps_are_told_apart() {
    let equivalent = [
        ("G (p -> F q)", "G F !(!q S (!q & p))"),
        ("G (grant -> O request)", "(!grant) W request"),
        ("G ((p & !q) -> X (p | q))", "G (p -> (p W q))"),
        ("G (p -> G p)", "G (p -> X p)"),
        ("X F p", "F X p"),
        (
            "!light & G !(light & call) & G (light -> (light S call))",
            "!light & G !(light & call) & G (X light -> (light | call))",
        ),
    ];
    for (left, right) in equivalent {
        let (f, g) = (ltl(left), ltl(right));
        assert_eq!(
            word_against_equivalence(&f, &g, &budget()).expect("small"),
            None,
            "{left} / {right}"
        );
    }
    let different = [
        ("p W (q W r)", "(p W q) W r"),
        (
            "G !(light & call) & G (light -> (light S call))",
            "G !(light & call) & G (X light -> (light | call))",
        ),
        ("X G (p -> F q)", "X G F !(!q S (!q & p)) & X !(!q S (!q & p))"),
    ];
    for (left, right) in different {
        let (f, g) = (ltl(left), ltl(right));
        let word = word_against_equivalence(&f, &g, &budget())
            .expect("small")
            .expect(left);
        assert_ne!(holds(&f, &word), holds(&g, &word), "{word}");
    }
    let word = LassoWord::parse("p; r; cycle{!p}").expect("word");
    assert!(holds(&ltl("p W (q W r)"), &word) && !holds(&ltl("(p W q) W r"), &word));
}

#[test]
fn classes_of_the_hierarchy_are_recognised_by_meaning() {
    let cases = [
        ("G p", Class::Safety),
        ("F p", Class::Guarantee),
        ("X p", Class::SafetyAndGuarantee),
        ("G p | F q", Class::Obligation),
        ("G F p", Class::Recurrence),
        ("F G p", Class::Persistence),
        ("G F p -> G F q", Class::Reactivity),
        ("G (p -> F q)", Class::Recurrence),
        ("F G p & F G !p", Class::SafetyAndGuarantee),
        ("(G F p | F q) & (F G !p | G F p | F q)", Class::Recurrence),
        ("G (p -> O q)", Class::Safety),
    ];
    for (text, expected) in cases {
        let found = classify(&ltl(text), &budget()).expect(text);
        assert_eq!(found.semantic, expected, "{text}");
    }
}

#[test]
fn stuttering_is_judged_by_meaning_not_by_the_letter_x() {
    for (text, invariant) in [
        ("G (p -> F q)", true),
        ("X p", false),
        ("F (p & X !p)", true),
        ("X F p | p", true),
        ("G (p -> X q)", false),
        ("F (p & X q)", false),
        ("G (p -> O q)", true),
    ] {
        assert_eq!(
            classify(&ltl(text), &budget()).expect(text).stutter_invariant,
            invariant,
            "{text}"
        );
    }
}

#[test]
fn satisfiability_gives_words_that_satisfy() {
    assert_eq!(
        satisfying_word(&ltl("F G p & G F !p"), &budget()).expect("small"),
        None
    );
    assert_eq!(
        word_against_implication(&ltl("G p"), &ltl("F p"), &budget()).expect("small"),
        None
    );
    let formula = ltl("p U (q & X (!p & F (p & q)))");
    let word = satisfying_word(&formula, &budget())
        .expect("small")
        .expect("satisfiable");
    assert!(holds(&formula, &word));
    let other = complement(
        &translate(&formula, Translation::default(), &budget()).expect("small"),
        &budget(),
    );
    assert!(!other.expect("small").accepts(&word));
}
