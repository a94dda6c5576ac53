//! Reordering changes the order and nothing else.

use crate::truth_table;
use entail_dd::{AutoReorder, Bdd, Config, Error, Manager, Method, ReorderLimits, Var};
use proptest::prelude::*;
use truth_table::*;

fn methods(seed: u64) -> Vec<Method> {
    vec![
        Method::Sift,
        Method::SiftToConvergence,
        Method::Exact,
        Method::Random(seed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn held_functions_evaluate_as_before_and_stay_canonical(
        tables in prop::collection::vec(any::<u64>(), 1..6), seed: u64,
    ) {
        let (manager, vars) = manager();
        let functions: Vec<Bdd> = tables.iter().map(|&t| build(&manager, &vars, t).unwrap()).collect();
        for method in methods(seed).into_iter().cycle().take(10) {
            manager.reorder(method, &ReorderLimits::default()).unwrap();
            prop_assert_eq!(manager.check_consistency(), Ok(()));
            for (f, &t) in functions.iter().zip(&tables) {
                prop_assert_eq!(table(f), t);
                prop_assert_eq!(&build(&manager, &vars, t).unwrap(), f);
            }
            for pair in functions.windows(2).zip(tables.windows(2)) {
                let ([a, b], [s, t]) = pair else { unreachable!() };
                prop_assert_eq!(&a.xor(b).unwrap(), &build(&manager, &vars, s ^ t).unwrap());
            }
        }
    }

    #[test]
    fn any_order_can_be_reached_and_sifting_never_makes_diagrams_larger(
        tables in prop::collection::vec(any::<u64>(), 1..5),
        order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let (manager, vars) = manager();
        let functions: Vec<Bdd> = tables.iter().map(|&t| build(&manager, &vars, t).unwrap()).collect();
        let order: Vec<Var> = order.into_iter().map(|v| vars[v]).collect();
        manager.set_order(&order).unwrap();
        prop_assert_eq!(manager.order(), order);
        let before = manager.live_nodes();
        let report = manager.reorder(Method::Sift, &ReorderLimits::default()).unwrap();
        prop_assert_eq!(report.nodes_before, before);
        prop_assert!(report.nodes_after <= before);
        prop_assert_eq!(report.nodes_after, manager.live_nodes());
        prop_assert_eq!(report.nodes_after, entail_dd::shared_node_count(&functions));
        // The best order is at least as good.
        let exact = manager.reorder(Method::Exact, &ReorderLimits::default()).unwrap();
        prop_assert!(exact.nodes_after <= report.nodes_after);
    }

    #[test]
    fn groups_stay_together_in_their_inner_order(tables in prop::collection::vec(any::<u64>(), 1..4), seed: u64) {
        let (manager, vars) = manager();
        let functions: Vec<Bdd> = tables.iter().map(|&t| build(&manager, &vars, t).unwrap()).collect();
        let groups = [vec![vars[4], vars[1]], vec![vars[0], vars[5], vars[3]]];
        manager.set_groups(&groups).unwrap();
        for method in [Method::Sift, Method::Random(seed), Method::SiftToConvergence] {
            manager.reorder(method, &ReorderLimits::default()).unwrap();
            for group in &groups {
                let levels: Vec<usize> = group.iter().map(|&var| manager.level(var)).collect();
                prop_assert!(levels.windows(2).all(|w| w[0] + 1 == w[1]));
            }
        }
        for (f, &t) in functions.iter().zip(&tables) {
            prop_assert_eq!(table(f), t);
        }
    }

    #[test]
    fn operations_interrupted_by_reordering_give_the_same_functions(f: u64, g: u64, h: u64, bits in 0u32..64) {
        let manager = Manager::new(&Config { memory: 1 << 24, threads: 1 }).unwrap();
        let vars = manager.new_vars(6).unwrap();
        manager.set_auto_reorder(Some(AutoReorder { first_at: 1, growth: 1.0, ..AutoReorder::default() }));
        let [a, b, c] = [f, g, h].map(|t| build(&manager, &vars, t).unwrap());
        let cube = manager.var_set(vars.iter().copied().filter(|v| bits >> v.index() & 1 == 1)).unwrap();
        prop_assert_eq!(table(&a.and_exists(&b, &cube).unwrap()), exists(f & g, bits));
        prop_assert_eq!(table(&a.ite(&b, &c).unwrap()), f & g | !f & h);
    }

    #[test]
    fn the_exact_method_finds_the_best_of_all_orders(f: u64, g: u64) {
        // Only four variables are used, so all 24 orders can be tried.
        let tables = [f, g].map(|t| cofactor(cofactor(t, 4, true), 5, false));
        let (manager, vars) = manager();
        let _functions = tables.map(|t| build(&manager, &vars, t).unwrap());
        let mut best = usize::MAX;
        for code in 0..256usize {
            let mut order: Vec<usize> = (0..4).map(|i| code >> (2 * i) & 3).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted == [0, 1, 2, 3] {
                order.extend([4, 5]);
                let report = manager
                    .set_order(&order.into_iter().map(|v| vars[v]).collect::<Vec<_>>())
                    .unwrap();
                best = best.min(report.nodes_after);
            }
        }
        prop_assert_eq!(manager.reorder(Method::Exact, &ReorderLimits::default()).unwrap().nodes_after, best);
    }
}

/// (x0 ↔ y0) ∧ … with all x before all y.
fn blocked_comparator(manager: &Manager, n: usize) -> Bdd {
    let vars = manager.new_vars(2 * n).unwrap();
    let mut equal = manager.one();
    for i in 0..n {
        let bit = manager
            .var(vars[i])
            .unwrap()
            .iff(&manager.var(vars[n + i]).unwrap())
            .unwrap();
        equal = equal.and(&bit).unwrap();
    }
    equal
}

#[test]
fn sifting_finds_the_interleaved_order_of_a_comparator() {
    let manager = Manager::new(&Config::default()).unwrap();
    let equal = blocked_comparator(&manager, 10);
    assert_eq!(equal.node_count(), 3 * (1 << 10) - 4);
    let report = manager.reorder(Method::Sift, &ReorderLimits::default()).unwrap();
    assert_eq!(report.nodes_after, 29);
    assert_eq!(equal.node_count(), 29);
}

#[test]
fn automatic_reordering_avoids_the_exponential_comparator() {
    let manager = Manager::new(&Config::default()).unwrap();
    manager.set_auto_reorder(Some(AutoReorder {
        first_at: 500,
        ..AutoReorder::default()
    }));
    // 2^200 nodes without it.
    let equal = blocked_comparator(&manager, 200);
    assert!(manager.statistics().reorderings > 0);
    assert!(equal.node_count() < 10_000, "{}", equal.node_count());
    manager
        .reorder(Method::SiftToConvergence, &ReorderLimits::default())
        .unwrap();
    assert_eq!(equal.node_count(), 3 * 200 - 1);
}

#[test]
fn limits_end_a_reordering_in_a_consistent_state() {
    let manager = Manager::new(&Config::default()).unwrap();
    let equal = blocked_comparator(&manager, 8);
    for max_swaps in 0..40 {
        let limits = ReorderLimits {
            max_swaps,
            ..ReorderLimits::default()
        };
        let report = manager.reorder(Method::Sift, &limits).unwrap();
        assert!(report.nodes_after <= report.nodes_before);
        assert!(equal.eval(|var| var.index() % 8 < 3));
        assert!(!equal.eval(|var| var.index() < 3));
    }
    let limits = ReorderLimits {
        time: Some(std::time::Duration::ZERO),
        ..ReorderLimits::default()
    };
    assert_eq!(manager.reorder(Method::Sift, &limits).unwrap().swaps, 0);
}

#[test]
fn a_reordering_without_room_stops_with_the_functions_intact() {
    let manager = Manager::new(&Config {
        memory: 48 * 3000,
        threads: 1,
    })
    .unwrap();
    let n = 10;
    let vars = manager.new_vars(2 * n).unwrap();
    let interleaved: Vec<Var> = (0..n).flat_map(|i| [vars[i], vars[n + i]]).collect();
    manager.set_order(&interleaved).unwrap();
    let mut equal = manager.one();
    for i in 0..n {
        let bit = manager
            .var(vars[i])
            .unwrap()
            .iff(&manager.var(vars[n + i]).unwrap())
            .unwrap();
        equal = equal.and(&bit).unwrap();
    }
    assert!(matches!(manager.set_order(&vars), Err(Error::OutOfMemory { .. })));
    assert_eq!(manager.check_consistency(), Ok(()));
    assert!(equal.eval(|var| var.index() % n < 3));
    assert!(!equal.eval(|var| var.index() < 3));
    manager.reorder(Method::Sift, &ReorderLimits::default()).unwrap();
    assert_eq!(equal.node_count(), 3 * n - 1);
}

#[test]
fn bad_orders_and_groups_are_refused() {
    let (manager, vars) = manager();
    assert_eq!(manager.set_order(&vars[1..]), Err(Error::NotAnOrder(vars[0])));
    let twice: Vec<Var> = vars.iter().copied().chain([vars[2]]).collect();
    assert_eq!(manager.set_order(&twice), Err(Error::NotAnOrder(vars[2])));
    assert_eq!(
        manager.set_order(&[Var::new(77)]),
        Err(Error::NotAnOrder(Var::new(77)))
    );
    assert_eq!(
        manager.set_groups(&[vec![vars[0], vars[1]], vec![vars[1]]]),
        Err(Error::BadGroup(vars[1]))
    );
}
