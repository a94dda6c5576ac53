//! Random mu-calculus formulas on random graphs: strategies, rewritings and inequalities.

use crate::reference;
use entail_fixpoint::{GraphAlgebra, NoObserver, Strategy as Iteration, evaluate, evaluate_with};
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use reference::graphs;

type Formula = Mu<String>;

/// Formulas whose free variables are X, Y, Z.
fn open_formulas() -> impl Strategy<Value = Formula> {
    let variable = prop::sample::select(vec!["X", "Y", "Z"]);
    let leaf = prop_oneof![
        3 => (prop::sample::select(vec!["p", "q"]), any::<bool>())
            .prop_map(|(name, positive)| Formula::from(MuNode::Literal(name.to_string(), positive))),
        4 => variable.clone().prop_map(|name| Mu::variable(&MuVar::new(name))),
        1 => any::<bool>().prop_map(Mu::constant),
    ];
    leaf.prop_recursive(6, 20, 2, move |inner| {
        prop_oneof![
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Mu::and([a, b])),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Mu::or([a, b])),
            1 => (any::<bool>(), inner.clone()).prop_map(|(some, a)| {
                let modality = if some { Modality::Some } else { Modality::Every };
                Formula::from(MuNode::Modal(modality, entail_logic::mu::Actions::any(), a))
            }),
            2 => (any::<bool>(), variable.clone(), inner).prop_map(|(least, name, a)| {
                a.fixpoint(kind(least), &MuVar::new(name))
            }),
        ]
    })
}

fn kind(least: bool) -> Fixpoint {
    if least {
        Fixpoint::Least
    } else {
        Fixpoint::Greatest
    }
}

/// Formulas without free variables.
fn closed_formulas() -> impl Strategy<Value = Formula> {
    (open_formulas(), prop::collection::vec(any::<bool>(), 3)).prop_map(|(formula, kinds)| {
        ["X", "Y", "Z"]
            .into_iter()
            .zip(kinds)
            .fold(formula, |formula, (name, least)| {
                formula.fixpoint(kind(least), &MuVar::new(name))
            })
    })
}

fn value(algebra: &mut GraphAlgebra, formula: &Formula) -> FixedBitSet {
    evaluate(algebra, formula)
        .unwrap_or_else(|error| panic!("{formula}: {error}"))
        .region
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn reuse_gives_what_the_naive_evaluation_gives_in_no_more_rounds(
        graph in graphs(false), formula in closed_formulas()
    ) {
        let mut algebra = graph.algebra();
        let run = |algebra: &mut GraphAlgebra, strategy| {
            evaluate_with(algebra, &formula, strategy, &mut NoObserver).expect("atoms p and q")
        };
        let naive = run(&mut algebra, Iteration::Naive);
        let reuse = run(&mut algebra, Iteration::Reuse);
        prop_assert_eq!(&naive.region, &reuse.region, "{}", formula);
        prop_assert!(reuse.iterations <= naive.iterations, "{}", formula);
    }

    #[test]
    fn the_dual_is_the_complement(graph in graphs(false), formula in closed_formulas()) {
        let mut algebra = graph.algebra();
        let mut complement = value(&mut algebra, &formula);
        complement.toggle_range(..);
        prop_assert_eq!(complement, value(&mut algebra, &formula.dual()), "{}", formula);
    }

    #[test]
    fn renaming_unfolding_closing_and_equations_keep_the_meaning(
        graph in graphs(false), formula in closed_formulas()
    ) {
        let mut algebra = graph.algebra();
        let expected = value(&mut algebra, &formula);
        let named = formula.well_named();
        prop_assert_eq!(&value(&mut algebra, &named), &expected, "{}", named);
        prop_assert_eq!(&value(&mut algebra, &formula.unfold()), &expected, "{}", formula);
        let closed = formula.without_open_occurrences();
        prop_assert_eq!(&value(&mut algebra, &closed), &expected, "{} closed: {}", formula, closed);
        let back = formula.to_equations().to_formula();
        prop_assert_eq!(&value(&mut algebra, &back), &expected, "{} back: {}", formula, back);
        if let Some(guarded) = formula.guarded(300) {
            prop_assert!(guarded.is_guarded(), "{}", guarded);
            prop_assert_eq!(&value(&mut algebra, &guarded), &expected, "{} guarded: {}", formula, guarded);
        }
    }

    #[test]
    fn least_is_below_greatest_and_fixpoints_of_different_kind_exchange_one_way(
        graph in graphs(false), body in open_formulas()
    ) {
        let (x, y, z) = (MuVar::new("X"), MuVar::new("Y"), MuVar::new("Z"));
        let body = body.fixpoint(Fixpoint::Least, &z);
        let mut algebra = graph.algebra();
        let inner = |kind| body.fixpoint(kind, &y);
        let below = |algebra: &mut GraphAlgebra, small: &Formula, large: &Formula| {
            value(algebra, small).is_subset(&value(algebra, large))
        };
        let least = inner(Fixpoint::Greatest).fixpoint(Fixpoint::Least, &x);
        let greatest = inner(Fixpoint::Greatest).fixpoint(Fixpoint::Greatest, &x);
        prop_assert!(below(&mut algebra, &least, &greatest));
        let exchanged = body.fixpoint(Fixpoint::Least, &x).fixpoint(Fixpoint::Greatest, &y);
        prop_assert!(below(&mut algebra, &least, &exchanged), "{} and {}", least, exchanged);
    }

    #[test]
    fn printing_and_parsing_are_inverse(formula in closed_formulas()) {
        prop_assert_eq!(entail_logic::mu::parse_mu(&formula.to_string()), Ok(formula));
    }
}
