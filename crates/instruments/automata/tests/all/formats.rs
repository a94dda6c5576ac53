//! HOA, never claims and words: round trips, features of the format, and input that must be refused politely.

use entail_automata::acceptance::Acceptance;
use entail_automata::decide::inclusion::is_equivalent;
use entail_automata::formats::dot::to_dot;
use entail_automata::formats::hoa_reader::{HoaReader, read_alternating, read_hoa};
use entail_automata::formats::hoa_writer::{alternating_to_hoa, to_hoa};
use entail_automata::formats::never_claim::{read_never_claim, to_never_claim};
use entail_automata::ltl::random::{Random, RandomFormula, random_word};
use entail_automata::ltl::syntax::{Syntax, parse};
use entail_automata::{LassoWord, Target, Translation, translate};
use entail_budget::Budget;

const SHAPE: RandomFormula = RandomFormula {
    propositions: 3,
    size: 8,
    past: false,
};

#[test]
fn hoa_reads_back_what_it_writes() {
    let mut random = Random::new(31);
    let mut stream = String::new();
    let mut written = Vec::new();
    for _ in 0..150 {
        let formula = SHAPE.draw(&mut random);
        let automaton = translate(&formula, Translation::default(), &Budget::unlimited()).expect("small");
        let text = to_hoa(&automaton);
        let read = read_hoa(&text).expect(&text);
        assert_eq!(to_hoa(&read), text);
        stream.push_str(&text);
        written.push(automaton);
        assert!(to_dot(&read).starts_with("digraph"));
    }
    let all: Vec<_> = HoaReader::new(&stream).collect();
    assert_eq!(all.len(), written.len());
    for (read, original) in all.into_iter().zip(&written) {
        let read = read
            .expect("well formed")
            .to_nondeterministic()
            .expect("no alternation");
        let word = random_word(3, 3, &mut random);
        assert_eq!(read.accepts(&word), original.accepts(&word));
    }
}

#[test]
fn never_claims_read_back_as_the_same_language() {
    let mut random = Random::new(32);
    let how = Translation {
        target: Target::StateBuchi,
        ..Translation::default()
    };
    for _ in 0..120 {
        let formula = SHAPE.draw(&mut random);
        let automaton = translate(&formula, how, &Budget::unlimited()).expect("small");
        let claim = to_never_claim(&automaton).expect("acceptance on states");
        let read = read_never_claim(&claim).expect(&claim);
        for _ in 0..15 {
            let word = random_word(3, 3, &mut random);
            assert_eq!(
                read.accepts(&word),
                automaton.accepts(&word),
                "{formula} {word}\n{claim}"
            );
        }
    }
}

#[test]
fn a_claim_written_by_spin_is_understood() {
    let claim = "never  {    /* !([](p -> <>q)) */
T0_init:
\tdo
\t:: (! ((q)) && (p)) -> goto accept_S4
\t:: (1) -> goto T0_init
\tod;
accept_S4:
\tdo
\t:: (! ((q))) -> goto accept_S4
\tod;
}";
    let read = read_never_claim(claim).expect("well formed");
    let formula = parse("!G(p -> F q)", Syntax::Spot).expect("well formed");
    let expected = translate(&formula, Translation::default(), &Budget::unlimited()).expect("small");
    assert!(is_equivalent(&read, &expected, &Budget::unlimited()).expect("small"));
}

#[test]
fn aliases_implicit_labels_and_negated_sets_mean_what_the_format_says() {
    let aliased = "HOA: v1 /* a /* nested */ comment */ name: \"x \\\"y\\\"\" States: 2 Start: 0 AP: 2 \"a\" \"b\"
        Alias: @both 0&1 Alias: @not !@both acc-name: Buchi Acceptance: 1 Inf(0) properties: whatever custom: 1 2
        --BODY-- State: 0 \"first\" [@both] 1 {0} [@not] 0 State: 1 {0} [t] 1 --END--";
    let automaton = read_hoa(aliased).expect("well formed");
    assert!(automaton.accepts(&LassoWord::parse("a; cycle{a & b}").expect("word")));
    assert!(!automaton.accepts(&LassoWord::parse("cycle{a; b}").expect("word")));
    assert_eq!(automaton.name.as_deref(), Some("x \"y\""));
    let implicit = "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 1 Fin(!0)
        --BODY-- State: 0 {0} 0 1 State: 1 0 1 --END--";
    let automaton = read_hoa(implicit).expect("well formed");
    assert_eq!(automaton.acceptance(), &Acceptance::Fin(1));
    // Only finitely often outside set 0: eventually always in state 0, always !a.
    assert!(automaton.accepts(&LassoWord::parse("a; cycle{!a}").expect("word")));
    assert!(!automaton.accepts(&LassoWord::parse("cycle{!a; a}").expect("word")));
    let labelled_state = "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 0 t
        --BODY-- State: [0] 0 0 --END--";
    assert!(
        read_hoa(labelled_state)
            .expect("well formed")
            .accepts(&LassoWord::parse("cycle{a}").expect("word"))
    );
}

#[test]
fn alternating_automata_travel_too() {
    let text = "HOA: v1 States: 3 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) properties: univ-branch
        --BODY-- State: 0 {0} [0] 0 [!0] 0&1 State: 1 [0] 2 [!0] 1 State: 2 {0} [t] 2 --END--";
    let alternating = read_alternating(text).expect("well formed");
    assert!(alternating.is_alternating());
    assert!(read_hoa(text).is_err());
    let again = read_alternating(&alternating_to_hoa(&alternating)).expect("well formed");
    let removed = again.remove_alternation(&Budget::unlimited()).expect("Büchi");
    assert!(removed.state_count() <= 27);
    let expected = translate(
        &parse("GFp", Syntax::Spot).expect("LTL"),
        Translation::default(),
        &Budget::unlimited(),
    )
    .expect("small");
    assert!(is_equivalent(&removed, &expected, &Budget::unlimited()).expect("small"));
}

#[test]
fn malformed_hoa_is_refused_with_a_place_and_the_next_automaton_is_still_read() {
    let good = "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--\n";
    let bad = [
        "HOA: v2 --BODY-- --END--",
        "HOA: v1 States: 99999999999 Acceptance: 0 t --BODY-- --END--",
        "HOA: v1 States: 1 Start: 5 Acceptance: 0 t --BODY-- State: 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 2 \"a\" Acceptance: 0 t --BODY-- State: 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(3) --BODY-- State: 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Sup(0) --BODY-- State: 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [7] 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {4} --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 0 --END--",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" --BODY-- State: 0 [0] 0 --END--",
        "HOA: v1 States: 1 States: 2 Acceptance: 0 t --BODY-- --END--",
        "HOA: v1 Strange: 3 Acceptance: 0 t --BODY-- --END--",
        "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 [@no] 0 --END--",
        "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 --ABORT--",
    ];
    for text in bad {
        let stream = format!("{text}\n{good}");
        let results: Vec<_> = HoaReader::new(&stream).collect();
        assert_eq!(results.len(), 2, "{text}");
        let errors = results[0].as_ref().err().expect(text);
        assert!(!errors.0[0].labels.is_empty());
        assert!(results[1].is_ok(), "{text}");
    }
}

#[test]
fn no_text_makes_a_reader_panic() {
    let mut random = Random::new(33);
    let seeds = [
        "HOA: v1 States: 2 Start: 0&1 AP: 2 \"a\" \"b\" Alias: @x 0 Acceptance: 2 Inf(0)&Fin(!1) --BODY-- State: 0 {0} [@x|!1] 0&1 {1} 1 --END--",
        "never { T0_init: if :: (p && !q) -> goto accept_S1 :: atomic { (x) -> assert(!(x)) } fi; accept_S1: skip }",
        "G(p -> X[2] F[1:3] (q U !r)) <-> \"a b\" R 1",
        "& | p0 p1 ! U F p2 \"x\"",
        "p & !q; cycle{q | r; 1}",
    ];
    for _ in 0..4_000 {
        let seed = seeds[random.below(seeds.len())];
        let mut bytes: Vec<u8> = seed.bytes().collect();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = (random.draw() & 0xff) as u8,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b"()[]{}&|!:;\"0F-"[random.below(15)]),
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for automaton in HoaReader::new(&text).flatten() {
            assert!(automaton.mark_count <= 64);
        }
        let _ = read_never_claim(&text);
        for syntax in [Syntax::Spot, Syntax::Spin, Syntax::Smv, Syntax::Lbt] {
            let _ = parse(&text, syntax);
        }
        let _ = LassoWord::parse(&text);
    }
    let deep = "(".repeat(100_000);
    assert!(parse(&deep, Syntax::Spot).is_err());
    assert!(parse(&"!".repeat(100_000), Syntax::Spot).is_err());
    assert!(parse(&"X ".repeat(100_000), Syntax::Lbt).is_err());
    assert!(read_hoa(&format!("HOA: v1 AP: 0 Acceptance: 0 {deep}")).is_err());
}

#[test]
fn universal_branching_is_claimed_only_where_there_is_some() {
    use entail_automata::formats::hoa_writer::alternating_to_hoa;
    use entail_automata::services::alternating_automaton;
    let written = |text: &str| {
        let formula = parse(text, Syntax::Spot).expect(text);
        let automaton = alternating_automaton(&formula, &Budget::unlimited()).expect("small");
        alternating_to_hoa(&automaton)
    };
    assert!(written("G(a -> F b)").contains("univ-branch"));
    // Other tools refuse the property on an automaton without branching.
    assert!(!written("G a").contains("univ-branch"));
    assert!(!written("F a").contains("univ-branch"));
}

#[test]
fn the_state_that_accepts_everything_ends_the_claim() {
    let formula = parse("F G p0 U p1", Syntax::Spot).expect("well formed");
    let how = Translation {
        target: Target::StateBuchi,
        ..Translation::default()
    };
    let automaton = translate(&formula, how, &Budget::unlimited()).expect("small");
    let claim = to_never_claim(&automaton).expect("Büchi on states");
    assert!(claim.ends_with("accept_all:\n  skip\n}\n"), "{claim}");
}
