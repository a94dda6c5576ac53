//! Chapter 26: syntax, negation, guardedness and the table of alternation depths.

use entail_logic::mu::{Fixpoint, Mu, parse_mu};

fn formula(text: &str) -> Mu<String> {
    parse_mu(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

const A1: &str = "nu Y. mu X. (p & <a>Y) | <a>X";
const A2: &str = "mu X. nu Y. (p & <a>Y) | <a>X";
const A3: &str = "mu X. (nu Y. (p & <a>Y)) | <a>X";

#[test]
fn the_alternation_table() {
    let rank = |text: &str| {
        formula(text)
            .alternation()
            .variables
            .iter()
            .map(|bound| bound.rank())
            .max()
    };
    for (text, depth, top_rank) in [
        ("p & <a>q", 0, None),
        ("nu X. p & [a]X", 1, Some(0)),
        ("mu X. p | [a]X", 1, Some(1)),
        (A3, 1, Some(1)),
        (A1, 2, Some(2)),
        (A2, 2, Some(3)),
        ("(mu X. [a]X) & (nu Y. <a>Y)", 1, Some(1)),
    ] {
        assert_eq!(formula(text).alternation_depth(), depth, "{text}");
        assert_eq!(rank(text), top_rank, "{text}");
    }
}

#[test]
fn the_classes_of_the_table() {
    let classes = |text: &str, n: usize| {
        let alternation = formula(text).alternation();
        (alternation.in_sigma(n), alternation.in_pi(n))
    };
    assert_eq!(classes("nu X. p & [a]X", 1), (false, true));
    assert_eq!(classes("mu X. p | [a]X", 1), (true, false));
    assert_eq!(classes(A3, 1), (false, false));
    assert_eq!(classes(A3, 2), (true, true));
    assert_eq!(classes(A1, 2), (false, true));
    assert_eq!(classes(A2, 2), (true, false));
    assert_eq!(classes(A1, 3), (true, true));
}

#[test]
fn negations_of_the_examples() {
    assert_eq!(formula("!(nu X. p & [a]X)"), formula("mu X. !p | <a>X"));
    assert_eq!(
        formula(&format!("!({A1})")),
        formula("mu Y. nu X. (!p | [a]Y) & [a]X")
    );
}

#[test]
fn open_occurrences_vanish_and_guarded_ones_stay() {
    let opened = |text: &str| formula(text).without_open_occurrences().to_string();
    assert_eq!(opened("mu Y. Y & g"), "mu Y. ff & g");
    assert_eq!(opened("mu Y. Y | g"), "mu Y. ff | g");
    assert_eq!(opened("nu Y. Y | g"), "nu Y. tt | g");
    assert_eq!(
        opened("mu Y. <a>(mu X. <a>X & Y & p)"),
        "mu Y. <a>(mu X. <a>X & Y & p)"
    );
    assert!(formula("mu Y. <a>mu X.(<a>X & Y & p)").is_guarded());
}

#[test]
fn an_occurrence_behind_an_inner_fixpoint_needs_unfolding() {
    let hidden = formula("mu X. q | (nu Y. X | <>Y)");
    assert!(!hidden.without_open_occurrences().is_guarded());
    let guarded = hidden.guarded(100).expect("small");
    assert!(guarded.is_guarded());
    assert_eq!(guarded.to_string(), "mu X. q | ff | <>(nu Y. X | <>Y)");
    assert_eq!(hidden.guarded(3), None);
}

#[test]
fn equations_keep_the_formula_linear_and_lead_back() {
    let system = formula(A1).to_equations();
    assert_eq!(system.goal.to_string(), "Y");
    let printed: Vec<(String, Fixpoint, String)> = system
        .equations
        .iter()
        .map(|equation| {
            (
                equation.variable.to_string(),
                equation.fixpoint,
                equation.body.to_string(),
            )
        })
        .collect();
    assert_eq!(
        printed,
        [
            ("Y".to_string(), Fixpoint::Greatest, "X".to_string()),
            ("X".to_string(), Fixpoint::Least, "p & <a>Y | <a>X".to_string()),
        ]
    );
    for text in [A1, A2, A3, "(mu X. [a]X) & (nu Y. <a>Y)"] {
        assert_eq!(formula(text).to_equations().to_formula(), formula(text), "{text}");
    }
}

#[test]
fn ctl_is_translated_alternation_free_and_fair_ctl_with_depth_two() {
    use entail_logic::mu::Fairness;
    let ctl = |text: &str| entail_logic::parse(text).expect(text);
    for (text, expected) in [
        ("E [f U g]", "mu Z1. g | f & <>Z1"),
        ("A [f U g]", "mu Z1. g | f & []Z1"),
        ("EF f", "mu Z1. f | <>Z1"),
        ("AF f", "mu Z1. f | []Z1"),
        ("EG f", "nu Z1. f & <>Z1"),
        ("AG f", "nu Z1. f & []Z1"),
        ("E [f V g]", "nu Z1. g & (f | <>Z1)"),
        ("A [f V g]", "nu Z1. g & (f | []Z1)"),
        ("AG EF f", "nu Z2. (mu Z1. f | <>Z1) & []Z2"),
    ] {
        let translated = ctl(text).to_mu(Fairness::Total).expect(text);
        let names_aside = |text: &str| text.replace("Z1", "Z").replace("Z2", "Z");
        assert_eq!(
            names_aside(&translated.to_string()),
            names_aside(expected),
            "{text}"
        );
        assert_eq!(translated.alternation_depth(), 1, "{text}");
    }
    let justice = [ctl("j"), ctl("k")];
    let fair = ctl("EG f").to_mu(Fairness::Justice(&justice)).expect("ctl");
    assert_eq!(
        fair.to_string(),
        "nu Z1. f & <>(mu Z2. Z1 & j | f & <>Z2) & <>(mu Z3. Z1 & k | f & <>Z3)"
    );
    assert_eq!(fair.alternation_depth(), 2);
    assert!(ctl("F G p").to_mu(Fairness::Total).is_err());
}
