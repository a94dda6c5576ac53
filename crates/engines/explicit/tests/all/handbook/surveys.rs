//! The four surveys.

use super::{Bench, holds, kripke_formula};
use entail_model::{Kripke, KripkeBuilder, StateId, TermId};

fn structure(states: u64, edges: &[(u32, u32)], initial: u32, propositions: &[(&str, &[u32])]) -> Kripke {
    let mut builder = KripkeBuilder::new(states);
    builder
        .edges(edges.iter().copied())
        .initial(StateId::new(initial));
    for (name, states) in propositions {
        builder.proposition(name, states.iter().map(|&state| StateId::new(state)));
    }
    builder.build().expect("a structure")
}

/// Two processes, each neutral (0), trying (1) or critical (2).
fn mutual_exclusion() -> (Bench, TermId, TermId) {
    let mut bench = Bench::new();
    let (a, b) = (bench.variable("a", 0, 2), bench.variable("b", 0, 2));
    let starts = [bench.is(a, 0), bench.is(b, 0)];
    bench.system.init = starts.to_vec();
    let (a_critical, b_critical) = (bench.is(a, 2), bench.is(b, 2));
    let mut moves = Vec::new();
    for (own, other_critical) in [(a, b_critical), (b, a_critical)] {
        let (neutral, trying, critical) = (bench.is(own, 0), bench.is(own, 1), bench.is(own, 2));
        let free = bench.not(other_critical);
        let enter = bench.and([trying, free]);
        moves.push(bench.transition(neutral, &[(own, 1)]));
        moves.push(bench.transition(enter, &[(own, 2)]));
        moves.push(bench.transition(critical, &[(own, 0)]));
        moves.push(bench.transition(neutral, &[]));
        moves.push(bench.transition(critical, &[]));
    }
    bench.relation(moves);
    (bench, a_critical, b_critical)
}

#[test]
fn mutual_exclusion_holds_and_access_does_not_without_fairness() {
    let (bench, a, b) = mutual_exclusion();
    let atoms = [("ca", a), ("cb", b)];
    assert!(holds(&bench.system, &bench.formula("AG !(ca & cb)", &atoms)));
    assert!(!holds(
        &bench.system,
        &bench.formula("AG (AF ca & AF cb)", &atoms)
    ));
    assert!(holds(&bench.system, &bench.formula("AG (EF ca & EF cb)", &atoms)));
}

#[test]
fn until_is_labelled_backwards_and_fails_through_the_state_that_never_gets_there() {
    let edges = [(0, 1), (0, 2), (1, 1), (2, 3), (3, 3)];
    for (initial, exists, forall) in [
        (0, true, false),
        (1, false, false),
        (2, true, true),
        (3, true, true),
    ] {
        let kripke = structure(4, &edges, initial, &[("a", &[0, 1, 2]), ("b", &[3])]);
        let (system, formula) = kripke_formula(&kripke, "E [a U b]");
        assert_eq!(holds(&system, &formula), exists, "state {initial}");
        let (system, formula) = kripke_formula(&kripke, "A [a U b]");
        assert_eq!(holds(&system, &formula), forall, "state {initial}");
    }
}

#[test]
fn the_traffic_light_is_red_again_and_again_but_not_on_its_abstraction() {
    let light = structure(3, &[(0, 1), (1, 2), (2, 0)], 0, &[("red", &[0])]);
    let (system, formula) = kripke_formula(&light, "AG AF red");
    assert!(holds(&system, &formula));
    let abstraction = structure(2, &[(0, 1), (1, 1), (1, 0)], 0, &[("red", &[0])]);
    let (system, formula) = kripke_formula(&abstraction, "AG AF red");
    assert!(!holds(&system, &formula));
}

#[test]
fn the_bus_arbiter_grants_every_request_but_its_abstraction_may_not() {
    // 0 idle, 1 request, 2..4 bus one, 5..7 bus two, 8 grant.
    let edges = [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 8),
        (1, 5),
        (5, 6),
        (6, 7),
        (7, 8),
        (8, 0),
    ];
    let concrete = structure(9, &edges, 0, &[("request", &[1]), ("grant", &[8])]);
    let (system, formula) = kripke_formula(&concrete, "AG (request -> AF grant)");
    assert!(holds(&system, &formula));
    let merged = structure(
        4,
        &[(0, 1), (1, 2), (2, 2), (2, 3), (3, 0)],
        0,
        &[("request", &[1]), ("grant", &[3])],
    );
    let (system, formula) = kripke_formula(&merged, "AG (request -> AF grant)");
    assert!(!holds(&system, &formula));
}

#[test]
fn the_two_vending_machines_are_told_apart_by_a_branching_formula() {
    // Left: after the coin one may still choose. Right: the coin decides.
    let left = structure(
        4,
        &[(0, 1), (1, 2), (1, 3), (2, 0), (3, 0)],
        0,
        &[("soda", &[2]), ("juice", &[3])],
    );
    let right = structure(
        5,
        &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 0), (4, 0)],
        0,
        &[("soda", &[3]), ("juice", &[4])],
    );
    for (kripke, expected) in [(left, true), (right, false)] {
        let (system, formula) = kripke_formula(&kripke, "AX (EX soda & EX juice)");
        assert_eq!(holds(&system, &formula), expected);
    }
}

#[test]
fn ctl_and_ltl_are_incomparable_and_ctl_star_has_both() {
    // A path may leave p once and for all come back; reset is always possible.
    let kripke = structure(3, &[(0, 0), (0, 1), (1, 2), (2, 2)], 0, &[("p", &[0, 2])]);
    for (text, expected) in [
        ("F G p", true),
        ("AF AG p", false),
        ("A (F G p) | AG EF p", true),
        ("AG EF !p", false),
        ("E (G F p & F !p)", true),
    ] {
        let (system, formula) = kripke_formula(&kripke, text);
        assert_eq!(holds(&system, &formula), expected, "{text}");
    }
}
