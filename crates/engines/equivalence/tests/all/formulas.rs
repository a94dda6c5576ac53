//! Separating formulas: as mu-calculus they mean the same, what is printed is what is meant, and no part can be left out.

use crate::reference;
use entail_budget::Budget;
use entail_equivalence::compare;
use entail_evidence::equivalence::{
    Comparison, Hml, HmlGraph, HmlNode, Relation, RelationQuery, Style, Unrelated,
};
use entail_fixpoint::{Graph, GraphAlgebra, evaluate};
use entail_logic::mu::{Mu, parse_mu};
use entail_model::{Lts, StateId};
use entail_relations_checker::states_where;
use rand::SeedableRng;
use rand::rngs::StdRng;
use reference::{random_lts, random_shape};
use std::collections::BTreeSet;

/// The states where a formula of the mu-calculus is true, by the evaluator of `entail-fixpoint`.
fn by_fixpoints(lts: &Lts, formula: &Mu<String>) -> BTreeSet<StateId> {
    let names: Vec<String> = lts.actions().iter().map(ToString::to_string).collect();
    let edges: Vec<(u32, &str, u32)> = (lts.transitions())
        .map(|step| {
            (
                step.from.index() as u32,
                &*names[step.action.index()],
                step.to.index() as u32,
            )
        })
        .collect();
    // One more state, so that all actions are known.
    let more = lts.state_count() as u32;
    let all = ["tau", "a", "b", "c"].map(|name| (more, name, more));
    let edges = edges.into_iter().chain(all);
    let mut algebra = GraphAlgebra::new(Graph::labelled(lts.state_count() + 1, edges));
    for name in ["p0", "p1"] {
        let has = lts
            .states()
            .filter(|&state| lts.propositions(state).iter().any(|one| **one == *name));
        let has: Vec<usize> = has.map(StateId::index).collect();
        algebra = algebra.with_atom(name, has);
    }
    let truth = evaluate(&mut algebra, formula).unwrap();
    truth
        .region
        .ones()
        .filter(|&state| state < lts.state_count())
        .map(|state| StateId::new(state as u32))
        .collect()
}

fn formulas(seed: u64, rounds: usize) -> Vec<(Lts, Lts, Relation, Hml)> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut found = Vec::new();
    for _ in 0..rounds {
        let shape = random_shape(&mut random);
        let (first, second) = (random_lts(&mut random, shape), random_lts(&mut random, shape));
        for relation in Relation::ALL {
            let comparison = compare(
                &first,
                &second,
                RelationQuery::preorder(relation),
                &Budget::unlimited(),
            );
            if let Ok(Comparison::Unrelated(Unrelated::Formula { formula, .. })) = comparison {
                found.push((first.clone(), second.clone(), relation, formula));
            }
        }
    }
    found
}

#[test]
fn formulas_mean_the_same_in_the_mu_calculus_and_as_text() {
    for (first, second, relation, formula) in formulas(31, 400) {
        if first.is_coloured() && relation == Relation::Weak {
            continue;
        }
        let mu = formula
            .to_mu(false)
            .unwrap()
            .map_atoms(&mut |name| name.to_string());
        let lts = &first.beside(&second).unwrap();
        {
            let states: Vec<StateId> = lts.states().collect();
            let here: BTreeSet<StateId> = states_where(&formula, lts, &states).into_iter().collect();
            assert_eq!(here, by_fixpoints(lts, &mu), "{}", formula.text(Style::Modal));
            // `<<a>>f` is for people.
            if relation != Relation::Weak {
                let read = parse_mu(&formula.text(Style::Modal)).unwrap();
                assert_eq!(here, by_fixpoints(lts, &read), "{}", formula.text(Style::Modal));
            }
        }
    }
}

#[test]
fn no_part_of_a_formula_can_be_left_out() {
    for (first, second, relation, formula) in formulas(32, 300) {
        let separates = |formula: &Hml| {
            let here = !states_where(formula, &first, first.initial()).is_empty();
            let there = !states_where(formula, &second, second.initial()).is_empty();
            here != there
        };
        assert!(separates(&formula));
        for (place, node) in formula.nodes().iter().enumerate() {
            let HmlNode::And { of } = node else { continue };
            for without in 0..of.len() {
                let mut fewer = of.clone();
                fewer.remove(without);
                let mut graph = HmlGraph::new();
                let mut numbers = Vec::new();
                for (at, node) in formula.nodes().iter().enumerate() {
                    let node = if at == place {
                        HmlNode::And { of: fewer.clone() }
                    } else {
                        node.clone()
                    };
                    numbers.push(graph.add(node.map(|operand| numbers[operand as usize])));
                }
                let changed = graph.extract(numbers[numbers.len() - 1]);
                assert!(
                    !separates(&changed) || changed == formula,
                    "{relation} {} {}\n{first:?}\n{second:?}",
                    formula.text(Style::Modal),
                    changed.text(Style::Modal)
                );
            }
        }
    }
}

#[test]
fn long_formulas_are_written_with_definitions() {
    // Two binary counters of actions: every level uses the one below twice.
    let mut graph = HmlGraph::new();
    let mut part = graph.add(HmlNode::True);
    for _ in 0..40 {
        let a = graph.add(HmlNode::Some {
            action: "a".into(),
            then: part,
        });
        let b = graph.add(HmlNode::Some {
            action: "b".into(),
            then: part,
        });
        part = graph.add(HmlNode::And { of: vec![a, b] });
    }
    let formula = graph.extract(part);
    assert!(formula.tree_size() > 1 << 40);
    let printed = formula.printed(Style::Modal);
    assert_eq!(printed.definitions.len(), 38);
    assert_eq!(printed.formula, "<a>F38 & <b>F38");
}
