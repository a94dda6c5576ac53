//! Every operation against truth tables of six variables, with random orders.

use crate::truth_table;
use entail_dd::{Bdd, Manager, Method, ReorderLimits, Substitution, Var};
use proptest::prelude::*;
use truth_table::*;

/// Six variables in a random order.
fn shuffled(seed: u64) -> (Manager, Vec<Var>) {
    let (manager, vars) = manager();
    manager
        .reorder(Method::Random(seed), &ReorderLimits::unlimited())
        .unwrap();
    (manager, vars)
}

fn set(manager: &Manager, vars: &[Var], bits: u32) -> Bdd {
    manager
        .var_set(vars.iter().copied().filter(|var| bits >> var.index() & 1 == 1))
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn boolean_operations_agree_with_truth_tables(seed: u64, f: u64, g: u64, h: u64) {
        let (manager, vars) = shuffled(seed);
        let [a, b, c] = [f, g, h].map(|t| build(&manager, &vars, t).unwrap());
        prop_assert_eq!(table(&a), f);
        prop_assert_eq!(table(&a.not()), !f);
        prop_assert_eq!(table(&a.and(&b).unwrap()), f & g);
        prop_assert_eq!(table(&a.or(&b).unwrap()), f | g);
        prop_assert_eq!(table(&a.xor(&b).unwrap()), f ^ g);
        prop_assert_eq!(table(&a.iff(&b).unwrap()), !(f ^ g));
        prop_assert_eq!(table(&a.implies(&b).unwrap()), !f | g);
        prop_assert_eq!(table(&a.minus(&b).unwrap()), f & !g);
        prop_assert_eq!(table(&a.ite(&b, &c).unwrap()), f & g | !f & h);
    }

    #[test]
    fn equal_functions_have_equal_handles(seed: u64, f: u64, g: u64) {
        let (manager, vars) = shuffled(seed);
        let [a, b] = [f, g].map(|t| build(&manager, &vars, t).unwrap());
        prop_assert_eq!(build(&manager, &vars, f & g).unwrap(), a.and(&b).unwrap());
        prop_assert_eq!(build(&manager, &vars, !(f & g)).unwrap(), a.not().or(&b.not()).unwrap());
        prop_assert_eq!(a == b, f == g);
    }

    #[test]
    fn sparse_functions_are_compared_without_being_combined(seed: u64, f: u64, g: u64, h: u64) {
        let (manager, vars) = shuffled(seed);
        for (f, g) in [(f & h, h), (f & !h, h), (f & g & h, f & g), (f, g)] {
            let [a, b] = [f, g].map(|t| build(&manager, &vars, t).unwrap());
            prop_assert_eq!(a.is_subset_of(&b).unwrap(), f & !g == 0);
            prop_assert_eq!(a.is_disjoint_from(&b).unwrap(), f & g == 0);
        }
    }

    #[test]
    fn quantifiers_agree_with_truth_tables_and_the_relational_product_with_both_steps(
        seed: u64, f: u64, g: u64, bits in 0u32..64,
    ) {
        let (manager, vars) = shuffled(seed);
        let [a, b] = [f, g].map(|t| build(&manager, &vars, t).unwrap());
        let cube = set(&manager, &vars, bits);
        prop_assert_eq!(table(&a.exists(&cube).unwrap()), exists(f, bits));
        prop_assert_eq!(table(&a.forall(&cube).unwrap()), forall(f, bits));
        prop_assert_eq!(table(&a.and_exists(&b, &cube).unwrap()), exists(f & g, bits));
        prop_assert_eq!(a.and_exists(&b, &cube).unwrap(), a.and(&b).unwrap().exists(&cube).unwrap());
    }

    #[test]
    fn shannon_expansion_and_composition(seed: u64, f: u64, g: u64, v in 0usize..6) {
        let (manager, vars) = shuffled(seed);
        let [a, b] = [f, g].map(|t| build(&manager, &vars, t).unwrap());
        let (lo, hi) = (a.cofactor(vars[v], false).unwrap(), a.cofactor(vars[v], true).unwrap());
        prop_assert_eq!(table(&lo), cofactor(f, v, false));
        prop_assert_eq!(table(&hi), cofactor(f, v, true));
        prop_assert_eq!(manager.var(vars[v]).unwrap().ite(&hi, &lo).unwrap(), a.clone());
        prop_assert_eq!(a.compose(vars[v], &b).unwrap(), b.ite(&hi, &lo).unwrap());
    }

    #[test]
    fn substitution_is_simultaneous(seed: u64, f: u64, by: [u64; 6], bits in 0u32..64) {
        let (manager, vars) = shuffled(seed);
        let mut tables: [u64; 6] = std::array::from_fn(variable);
        let mut map = Vec::new();
        for v in (0..6).filter(|v| bits >> v & 1 == 1) {
            tables[v] = by[v];
            map.push((vars[v], build(&manager, &vars, by[v]).unwrap()));
        }
        let substitution = Substitution::new(&manager, map);
        let a = build(&manager, &vars, f).unwrap();
        prop_assert_eq!(table(&a.substitute(&substitution).unwrap()), substitute(f, &tables));
    }

    #[test]
    fn renaming_in_any_order_of_variables(seed: u64, f: u64) {
        let (manager, vars) = shuffled(seed);
        let current = [0, 2, 4].map(|v| vars[v]);
        let next = [1, 3, 5].map(|v| vars[v]);
        let pairs = || current.into_iter().zip(next);
        let a = build(&manager, &vars, f).unwrap();
        let swapped = a.substitute(&Substitution::exchange(&manager, pairs()).unwrap()).unwrap();
        let tables = [1, 0, 3, 2, 5, 4].map(variable);
        prop_assert_eq!(table(&swapped), substitute(f, &tables));
        let renamed = a.substitute(&Substitution::renaming(&manager, pairs()).unwrap()).unwrap();
        let tables = [1, 1, 3, 3, 5, 5].map(variable);
        prop_assert_eq!(table(&renamed), substitute(f, &tables));
    }

    #[test]
    fn generalized_cofactors_agree_on_the_care_set(seed: u64, f: u64, care: u64, sparse: u64) {
        let (manager, vars) = shuffled(seed);
        for care in [care, care & sparse, care & sparse & (care << 7)] {
            let a = build(&manager, &vars, f).unwrap();
            let c = build(&manager, &vars, care).unwrap();
            let constrained = a.constrain(&c).unwrap();
            let restricted = a.restrict(&c).unwrap();
            prop_assert_eq!(table(&constrained) & care, f & care);
            prop_assert_eq!(table(&restricted) & care, f & care);
            prop_assert_eq!(table(&a.simplify(&c).unwrap()) & care, f & care);
            prop_assert!(a.simplify(&c).unwrap().node_count() <= a.node_count());
            // Constrain distributes over operations; restrict keeps the support.
            let b = build(&manager, &vars, sparse).unwrap();
            if care != 0 {
                prop_assert_eq!(
                    a.and(&b).unwrap().constrain(&c).unwrap(),
                    constrained.and(&b.constrain(&c).unwrap()).unwrap()
                );
                prop_assert_eq!(a.not().constrain(&c).unwrap(), constrained.not());
            }
            let support = a.support();
            prop_assert!(restricted.support().iter().all(|var| support.contains(var)));
        }
    }

    #[test]
    fn support_and_counts(seed: u64, f: u64, sparse: u64) {
        let (manager, vars) = shuffled(seed);
        for f in [f, f & sparse, cofactor(f, 3, true), variable(2) & variable(4)] {
            let a = build(&manager, &vars, f).unwrap();
            let support = a.support();
            for (v, var) in vars.iter().enumerate() {
                prop_assert_eq!(support.contains(var), depends(f, v));
            }
            prop_assert!(support.windows(2).all(|w| manager.level(w[0]) < manager.level(w[1])));
            prop_assert_eq!(a.count(&vars), f.count_ones().into());
            let over_support = u64::from(f.count_ones()) >> (6 - support.len());
            prop_assert_eq!(a.count(&support), over_support.into());
            if f != 0 {
                prop_assert!((a.count_log2(&vars) - f64::from(f.count_ones()).log2()).abs() < 1e-9);
            } else {
                prop_assert_eq!(a.count_log2(&vars), f64::NEG_INFINITY);
            }
        }
    }

    #[test]
    fn subsets_and_supersets_are_small_and_on_their_side(seed: u64, f: u64, max in 1usize..20) {
        let (manager, vars) = shuffled(seed);
        let a = build(&manager, &vars, f).unwrap();
        let (below, above) = (a.subset(max).unwrap(), a.superset(max).unwrap());
        prop_assert!(below.is_subset_of(&a).unwrap() && a.is_subset_of(&above).unwrap());
        prop_assert_eq!(below.is_false(), f == 0);
        prop_assert_eq!(above.is_true(), f == u64::MAX);
        prop_assert!(below.node_count() <= max.max(6) && above.node_count() <= max.max(6));
        if a.node_count() <= max {
            prop_assert_eq!(&below, &a);
        }
    }

    #[test]
    fn results_do_not_depend_on_threads(f: u64, g: u64, bits in 0u32..64) {
        let (one, vars) = manager();
        let two = Manager::new(&entail_dd::Config { memory: 1 << 24, threads: 2 }).unwrap();
        two.new_vars(6).unwrap();
        let results = [&one, &two].map(|m| {
            let [a, b] = [f, g].map(|t| build(m, &vars, t).unwrap());
            table(&a.and_exists(&b, &set(m, &vars, bits)).unwrap())
        });
        prop_assert_eq!(results[0], results[1]);
    }
}
