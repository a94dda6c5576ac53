//! Chapter 26, section 3: the meaning of the example formulas, on concrete models and against graph algorithms.

use crate::reference;
use entail_fixpoint::{Graph, GraphAlgebra, Strategy, evaluate, evaluate_with};
use entail_logic::mu::{MuVar, parse_mu};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use reference::{Small, graphs};

const A1: &str = "nu Y. mu X. (p & <a>Y) | <a>X";
const A1_AGAIN: &str = "nu Y. mu X. <a>((p & Y) | X)";
const A2: &str = "mu X. nu Y. (p & <a>Y) | <a>X";
const A3: &str = "mu X. (nu Y. (p & <a>Y)) | <a>X";

fn states(algebra: &mut GraphAlgebra, text: &str) -> Vec<usize> {
    let formula = parse_mu(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let region = evaluate(algebra, &formula)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .region;
    region.ones().collect()
}

#[test]
fn a_cycle_through_p_has_it_infinitely_often_but_not_almost_always() {
    let mut cycle = GraphAlgebra::new(Graph::labelled(2, [(0, "a", 1), (1, "a", 0)])).with_atom("p", [0]);
    assert_eq!(states(&mut cycle, A1), [0, 1]);
    assert!(states(&mut cycle, A2).is_empty());
    assert!(states(&mut cycle, A3).is_empty());
}

#[test]
fn a_loop_on_p_satisfies_all_and_a_dead_end_only_the_finiteness() {
    let mut own_loop = GraphAlgebra::new(Graph::labelled(1, [(0, "a", 0)])).with_atom("p", [0]);
    for text in [A1, A2, A3] {
        assert_eq!(states(&mut own_loop, text), [0], "{text}");
    }
    // The second state is only there so that the action exists.
    let mut dead = GraphAlgebra::new(Graph::labelled(2, [(1, "a", 1)])).with_atom("p", [0]);
    for text in [A1, A2, A3] {
        assert!(!states(&mut dead, text).contains(&0), "{text}");
    }
    assert_eq!(states(&mut dead, "mu X. [a]X"), [0]);
}

#[test]
fn the_chain_is_filled_after_one_round_more_than_it_has_edges() {
    let length = 5;
    let mut chain = GraphAlgebra::new(Graph::new(
        length + 1,
        (0..length as u32).map(|state| (state, state + 1)),
    ));
    let formula = parse_mu("mu X. []X").expect("a formula");
    let mut sizes = Vec::new();
    let mut observer = |_: &MuVar, _: usize, region: &FixedBitSet| sizes.push(region.count_ones(..));
    evaluate_with(&mut chain, &formula, Strategy::Naive, &mut observer).expect("no labels");
    // The k-th approximant has the states without a path of k steps; the last two agree.
    assert_eq!(sizes, [0, 1, 2, 3, 4, 5, 6, 6]);
}

#[test]
fn the_approximants_of_the_recurrence_formula() {
    // 0 -> 1(p) -> 2 -> 3(p) -> 4
    let edges = (0..4).map(|state| (state, "a", state + 1));
    let mut graph = GraphAlgebra::new(Graph::labelled(5, edges)).with_atom("p", [1, 3]);
    let formula = parse_mu(A1_AGAIN).expect("a formula");
    let mut outer: Vec<Vec<usize>> = Vec::new();
    let mut inner: Vec<Vec<usize>> = Vec::new();
    let mut observer = |variable: &MuVar, _: usize, region: &FixedBitSet| {
        let list = if variable.name() == "Y" {
            &mut outer
        } else {
            &mut inner
        };
        list.push(region.ones().collect());
    };
    evaluate_with(&mut graph, &formula, Strategy::Naive, &mut observer).expect("labelled a");
    assert_eq!(outer[0], [0, 1, 2, 3, 4], "everything");
    assert_eq!(inner[1], states(&mut graph, "<a>p"));
    assert_eq!(inner[2], states(&mut graph, "<a>(p | <a>p)"));
    assert_eq!(outer[1], states(&mut graph, "<a>mu Z. p | <a>Z"));
    assert_eq!(
        outer[2],
        states(&mut graph, "<a>mu Z. (p & <a>mu Z. p | <a>Z) | <a>Z")
    );
}

#[test]
fn an_unknown_action_and_a_free_variable_are_errors() {
    let mut graph = GraphAlgebra::new(Graph::new(1, [])).with_atom("p", [0]);
    let formula = parse_mu("<b>p").expect("a formula");
    assert!(evaluate(&mut graph, &formula).is_err());
    assert!(evaluate(&mut graph, &entail_logic::mu::Mu::variable(&MuVar::new("X"))).is_err());
}

type Meaning = fn(&Small, usize) -> bool;

/// Whether every infinite path from the state has infinitely many p: no reachable cycle avoids p.
fn always_again_p(graph: &Small, state: usize) -> bool {
    !graph
        .reach(state, 0, |_| true)
        .into_iter()
        .any(|turn| graph.fair_cycle(turn, |at| !graph.has(at, "p"), &[]))
}

/// Formulas with their meaning in words of graphs.
const MEANINGS: [(&str, Meaning); 11] = [
    ("<>tt", |graph, state| !graph.successors(state).is_empty()),
    ("mu X. []X", |graph, state| {
        !graph.fair_cycle(state, |_| true, &[])
    }),
    ("nu Y. <>Y", |graph, state| graph.fair_cycle(state, |_| true, &[])),
    ("mu X. <>X", |_, _| false),
    ("nu Y. p & <>Y", |graph, state| {
        graph.fair_cycle(state, |at| graph.has(at, "p"), &[])
    }),
    ("mu X. p | <>X", |graph, state| {
        graph
            .reach(state, 0, |_| true)
            .iter()
            .any(|&at| graph.has(at, "p"))
    }),
    ("nu X. p & []X", |graph, state| {
        graph
            .reach(state, 0, |_| true)
            .iter()
            .all(|&at| graph.has(at, "p"))
    }),
    ("mu X. p | []X", |graph, state| {
        !graph.fair_cycle(state, |at| !graph.has(at, "p"), &[])
    }),
    ("nu Y. mu X. (p & <>Y) | <>X", |graph, state| {
        graph.fair_cycle(state, |_| true, std::slice::from_ref(&graph.p))
    }),
    ("mu X. nu Y. (p & <>Y) | <>X", |graph, state| {
        graph
            .reach(state, 0, |_| true)
            .into_iter()
            .any(|turn| graph.fair_cycle(turn, |at| graph.has(at, "p"), &[]))
    }),
    ("nu Y. mu Z. [](Z | (p & Y))", always_again_p),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_example_formulas_mean_what_the_chapter_says(graph in graphs(false)) {
        let mut algebra = graph.algebra();
        for (text, meaning) in MEANINGS {
            let found = states(&mut algebra, text);
            let expected: Vec<usize> = (0..graph.states).filter(|&state| meaning(&graph, state)).collect();
            prop_assert_eq!(found, expected, "{}", text);
        }
    }

    #[test]
    fn equal_formulas_are_equal_and_contradictions_empty(graph in graphs(false)) {
        let mut algebra = graph.algebra();
        let plain = |text: &str| text.replace("<a>", "<>");
        let of = |algebra: &mut GraphAlgebra, text: &str| states(algebra, &plain(text));
        prop_assert_eq!(of(&mut algebra, A1), of(&mut algebra, A1_AGAIN));
        prop_assert_eq!(of(&mut algebra, A2), of(&mut algebra, A3));
        prop_assert_eq!(states(&mut algebra, "(mu X. []X) & (nu Y. <>Y)"), Vec::<usize>::new());
    }
}
