//! PSL specifications that are temporal logic in other words are read; the others are kept as text.

use entail_smv::read;
use entail_source::Source;

fn model(specification: &str) -> entail_smv::SmvModel {
    let text = format!("MODULE main\nVAR a : boolean; b : boolean;\nPSLSPEC {specification}\nSPEC AG a\n");
    read(&Source::new("psl.smv", &text)).unwrap_or_else(|errors| panic!("{specification}: {errors}"))
}

#[test]
fn strong_operators_are_read_as_ltl() {
    let pairs = [
        ("always (a -> eventually! b);", "G (a -> F b)"),
        ("never (a & b);", "G !(a & b)"),
        ("always a -> b", "G (a -> b)"),
        ("(always eventually! a) & (never b)", "G F a & G !b"),
        ("a until! b", "a U b"),
        ("next! a", "X a"),
        ("next!a", "X a"),
        ("next a", "X a"),
        // The mark of a strong operator follows at once.
        ("always (a -> next !b)", "G (a -> X !b)"),
        ("a until! !b", "a U !b"),
        ("AG (a -> AF b)", "AG (a -> AF b)"),
        ("G F a;", "G F a"),
        // NuSMV reads both arrows alike, and groups them to the left.
        ("a -> b -> a", "(a -> b) -> a"),
        ("a <-> b -> a", "(a <-> b) -> a"),
        ("a -> b <-> a", "(a -> b) <-> a"),
        ("always a -> b -> a", "G ((a -> b) -> a)"),
        ("a until! b until! a", "(a U b) U a"),
    ];
    for (psl, same) in pairs {
        let mut model = model(psl);
        assert!(model.unsupported.is_empty(), "{psl}");
        assert_eq!(model.properties.len(), 2, "{psl}");
        let expected = model
            .parse_property(same, entail_logic::Logic::CtlStar)
            .expect("a formula");
        assert_eq!(model.properties[0].question, expected.question, "{psl}");
        assert_eq!(model.properties[0].text, psl.trim_end_matches(';'), "{psl}");
    }
}

#[test]
fn sequences_weak_operators_and_replicators_are_not_yet() {
    for psl in [
        "{a; b} |-> {b}",
        "always {a}",
        "a until b",
        "a until !b",
        "next[2] a",
        "eventually a",
        "forall i in {0:1}: a",
    ] {
        let model = model(psl);
        assert_eq!(model.unsupported.len(), 1, "{psl}");
        assert_eq!(model.properties.len(), 1, "the next specification is read: {psl}");
    }
}

#[test]
fn a_specification_ends_where_the_next_begins() {
    let model = model("always (a -> eventually! b)\nPSLSPEC {a; b} |-> {b}");
    assert_eq!(model.properties.len(), 2, "the sequence is another specification");
    assert_eq!(model.unsupported.len(), 1);
}
