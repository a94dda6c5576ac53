//! Chapter 31, section 3, item 7: dualities and the formulas of the basic objectives.

use crate::reference;
use entail_fixpoint::{GraphAlgebra, RegionAlgebra, Strategy, evaluate, evaluate_with};
use entail_logic::mu::{MuVar, parse_mu};
use fixedbitset::FixedBitSet;
use proptest::prelude::*;
use reference::graphs;

fn value(algebra: &mut GraphAlgebra, text: &str) -> FixedBitSet {
    let formula = parse_mu(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    evaluate(algebra, &formula).expect("atoms p and q").region
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn existential_and_universal_predecessors_are_dual(graph in graphs(false)) {
        let mut algebra = graph.algebra();
        let p = algebra.atom(&"p".to_string()).expect("p");
        let not_p = algebra.complement(&p).expect("no error");
        let every = algebra.dpre(&not_p).expect("no error");
        let expected = algebra.complement(&every).expect("no error");
        prop_assert_eq!(algebra.pre(&p).expect("no error"), expected);
        let direct: Vec<usize> = (0..graph.states)
            .filter(|&state| graph.successors(state).iter().all(|&next| graph.has(next, "p")))
            .collect();
        let dpre = algebra.dpre(&p).expect("no error");
        prop_assert_eq!(dpre.ones().collect::<Vec<_>>(), direct);
    }

    #[test]
    fn the_objectives_are_what_they_are_called(graph in graphs(true)) {
        let mut algebra = graph.algebra();
        let p = |at: usize| graph.has(at, "p");
        let check = |algebra: &mut GraphAlgebra, text: &str, expected: &dyn Fn(usize) -> bool| {
            let found: Vec<usize> = value(algebra, text).ones().collect();
            let expected: Vec<usize> = (0..graph.states).filter(|&state| expected(state)).collect();
            prop_assert_eq!(found, expected, "{}", text);
            Ok(())
        };
        check(&mut algebra, "mu x. p | <>x", &|state| graph.reach(state, 0, |_| true).into_iter().any(p))?;
        check(&mut algebra, "mu x. p | []x", &|state| !graph.fair_cycle(state, |at| !p(at), &[]))?;
        check(&mut algebra, "nu x. p & <>x", &|state| graph.fair_cycle(state, p, &[]))?;
        check(&mut algebra, "nu y. mu x. <>x | (p & <>y)", &|state| {
            graph.fair_cycle(state, |_| true, std::slice::from_ref(&graph.p))
        })?;
        check(&mut algebra, "mu x. nu y. <>x | (p & <>y)", &|state| {
            graph.reach(state, 0, |_| true).into_iter().any(|turn| graph.fair_cycle(turn, p, &[]))
        })?;
    }

    #[test]
    fn the_iterates_of_reachability_are_the_distances_off_by_one(graph in graphs(false)) {
        let mut algebra = graph.algebra();
        let formula = parse_mu("mu x. p | <>x").expect("a formula");
        let mut iterates: Vec<FixedBitSet> = Vec::new();
        let mut observer = |_: &MuVar, _: usize, region: &FixedBitSet| iterates.push(region.clone());
        evaluate_with(&mut algebra, &formula, Strategy::Naive, &mut observer).expect("atom p");
        prop_assert!(iterates[0].is_clear());
        let mut within = algebra.atom(&"p".to_string()).expect("p");
        for iterate in &iterates[1..] {
            prop_assert_eq!(iterate, &within);
            within.union_with(&algebra.pre(&within).expect("no error"));
        }
    }
}
