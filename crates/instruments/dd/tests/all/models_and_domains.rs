//! Models of functions, finite-domain variables, drawings.

use crate::truth_table;
use entail_dd::export::{Drawing, to_dddmp, to_dot, to_svg};
use entail_dd::{FiniteVar, Method, ReorderLimits};
use proptest::prelude::*;
use std::collections::BTreeSet;
use truth_table::*;

fn row_of(model: &[bool]) -> usize {
    model
        .iter()
        .enumerate()
        .fold(0, |row, (v, &value)| row | usize::from(value) << v)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn enumeration_yields_each_model_once_even_across_a_reordering(f: u64, sparse: u64, seed: u64) {
        let (manager, vars) = manager();
        for t in [f, f & sparse] {
            let a = build(&manager, &vars, t).unwrap();
            let mut models = a.models(&vars);
            let mut rows: Vec<usize> = models.by_ref().take(5).map(|m| row_of(&m)).collect();
            manager.reorder(Method::Random(seed), &ReorderLimits::unlimited()).unwrap();
            rows.extend(models.map(|m| row_of(&m)));
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..64).filter(|row| t >> row & 1 == 1).collect::<Vec<_>>());
        }
    }

    #[test]
    fn cubes_are_disjoint_and_cover_the_function(f: u64) {
        let (manager, vars) = manager();
        let a = build(&manager, &vars, f).unwrap();
        let mut covered = 0;
        for cube in a.cubes() {
            let t = table(&manager.cube(cube).unwrap());
            prop_assert_eq!(covered & t, 0);
            covered |= t;
        }
        prop_assert_eq!(covered, f);
    }

    #[test]
    fn picked_and_smallest_models(
        f: u64, sparse: u64, seed: u64,
        significance in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let (manager, vars) = manager();
        manager.reorder(Method::Random(seed), &ReorderLimits::unlimited()).unwrap();
        for t in [f, f & sparse, 0] {
            let a = build(&manager, &vars, t).unwrap();
            match a.pick_model(&vars) {
                Some(model) => prop_assert_eq!(t >> row_of(&model) & 1, 1),
                None => prop_assert_eq!(t, 0),
            }
            let order: Vec<_> = significance.iter().map(|&v| vars[v]).collect();
            let smallest = (0..64usize)
                .filter(|row| t >> row & 1 == 1)
                .map(|row| significance.iter().map(|v| row >> v & 1 == 1).collect::<Vec<bool>>())
                .min();
            prop_assert_eq!(a.smallest_model(&order).unwrap(), smallest.clone());
            // Variables that are sorted by level take the quick way.
            let by_level = manager.order();
            let quick = a.smallest_model(&by_level).unwrap();
            let slow = (0..64usize)
                .filter(|row| t >> row & 1 == 1)
                .map(|row| by_level.iter().map(|v| row >> v.index() & 1 == 1).collect::<Vec<bool>>())
                .min();
            prop_assert_eq!(quick, slow);
        }
    }

    #[test]
    fn cheapest_models(f: u64, sparse: u64, weights in prop::array::uniform6(-5i64..6)) {
        let (manager, vars) = manager();
        for t in [f, f & sparse, 0] {
            let a = build(&manager, &vars, t).unwrap();
            let cost = |row: usize| (0..6).filter(|v| row >> v & 1 == 1).map(|v| weights[v]).sum::<i64>();
            let best = (0..64usize).filter(|row| t >> row & 1 == 1).map(cost).min();
            let found = a.cheapest_model(&vars, |var| weights[var.index()]);
            prop_assert_eq!(found.as_ref().map(|(cost, _)| *cost), best);
            if let Some((total, cube)) = found {
                let row = cube.iter().fold(0, |row, &(var, value)| row | usize::from(value) << var.index());
                prop_assert_eq!(t >> row & 1, 1);
                prop_assert_eq!(cost(row), total);
            }
        }
    }

    #[test]
    fn finite_domains_compare_as_their_values_do(a_size in 1usize..10, b_size in 1usize..10, bound in 0usize..20) {
        let manager = entail_dd::Manager::new(&entail_dd::Config { memory: 1 << 24, threads: 1 }).unwrap();
        let a = FiniteVar::new(&manager, a_size).unwrap();
        let b = FiniteVar::new(&manager, b_size).unwrap();
        let bits: Vec<_> = a.bits().iter().chain(b.bits()).copied().collect();
        let domain = a.valid(&manager).unwrap().and(&b.valid(&manager).unwrap()).unwrap();
        prop_assert_eq!(domain.count(&bits), (a_size * b_size).into());
        let relations = [
            (a.equals_var(&manager, &b).unwrap(), usize::eq as fn(&usize, &usize) -> bool),
            (a.less_than(&manager, &b).unwrap(), usize::lt),
        ];
        for (relation, holds) in relations {
            let mut pairs = BTreeSet::new();
            for model in relation.and(&domain).unwrap().models(&bits) {
                let value = |var| model[bits.iter().position(|&bit| bit == var).unwrap()];
                pairs.insert((a.decode(value).unwrap(), b.decode(value).unwrap()));
            }
            let expected = (0..a_size)
                .flat_map(|x| (0..b_size).map(move |y| (x, y)))
                .filter(|(x, y)| holds(x, y))
                .collect();
            prop_assert_eq!(pairs, expected);
        }
        let below = a.below(&manager, bound).unwrap().and(&a.valid(&manager).unwrap()).unwrap();
        prop_assert_eq!(a.values_in(&manager, &below).unwrap(), (0..a_size.min(bound)).collect::<Vec<_>>());
        let chosen = a.one_of(&manager, [1, 3, 77]).unwrap();
        let expected: Vec<usize> = [1, 3].into_iter().filter(|&value| value < a_size).collect();
        prop_assert_eq!(a.values_in(&manager, &chosen).unwrap(), expected);
    }
}

/// (x1 ∧ x2 ∧ ¬x3) ∨ (¬x1 ∧ x3) with names.
fn figure_2() -> Vec<(String, entail_dd::Bdd)> {
    let (manager, vars) = manager();
    let x: Vec<_> = vars.iter().map(|&var| manager.var(var).unwrap()).collect();
    let f = x[0].ite(&x[1].minus(&x[2]).unwrap(), &x[2]).unwrap();
    vec![("f".to_owned(), f)]
}

fn name(var: entail_dd::Var) -> String {
    format!("x{}", var.index() + 1)
}

#[test]
fn dot_shows_the_textbook_diagram() {
    let dot = to_dot(&figure_2(), &name, Drawing::Plain);
    assert_eq!(dot.matches("label=\"x").count(), 4);
    assert_eq!(dot.matches("shape=box").count(), 2);
    assert_eq!(dot.matches("style=dashed").count(), 4);
    assert_eq!(dot.matches("rank=same").count(), 3);
    let shared = to_dot(&figure_2(), &name, Drawing::ComplementEdges);
    assert_eq!(shared.matches("label=\"x").count(), 3);
    assert_eq!(shared.matches("shape=box").count(), 1);
    assert!(shared.contains("odot"));
}

#[test]
fn svg_draws_every_node_and_branch() {
    let svg = to_svg(&figure_2(), &|var| format!("<{}>", name(var)), Drawing::Plain);
    assert_eq!(svg.matches("<circle").count(), 4);
    assert_eq!(svg.matches("<rect").count(), 2);
    assert_eq!(svg.matches("<path").count(), 9);
    assert_eq!(svg.matches("stroke-dasharray").count(), 4);
    assert!(svg.contains("&lt;x1&gt;") && !svg.contains("<x1>"));
}

#[test]
fn dddmp_lists_nodes_children_first_as_cudd_does() {
    let text = to_dddmp(&figure_2(), &name);
    let expected = "\
.ver DDDMP-2.0
.mode A
.varinfo 3
.nnodes 4
.nvars 6
.nsuppvars 3
.suppvarnames x1 x2 x3
.orderedvarnames x1 x2 x3 x4 x5 x6
.ids 0 1 2
.permids 0 1 2
.nroots 1
.rootids -4
.rootnames f
.nodes
1 T 1 0 0
2 x3 2 1 -1
3 x2 1 2 1
4 x1 0 3 -2
.end
";
    assert_eq!(text, expected);
}

#[test]
fn constants_can_be_drawn_too() {
    let (manager, _) = manager();
    let constants = vec![("zero".to_owned(), manager.zero())];
    assert!(to_dot(&constants, &name, Drawing::Plain).contains("label=\"0\""));
    assert!(to_svg(&constants, &name, Drawing::Plain).contains("<rect"));
    assert!(to_dddmp(&constants, &name).contains(".rootids -1"));
    assert_eq!(to_dot(&[], &name, Drawing::Plain).lines().count(), 3);
}
