//! The worked examples of chapter 7, by their numbers in our reading notes. Example 12 (difference decision
//! diagrams) belongs to real-time systems.

use entail_dd::{
    Bdd, Config, Integer, Manager, Method, MtbddManager, ReorderLimits, SetFamily, Var, ZddManager,
    shared_node_count,
};
use std::collections::BTreeSet;

fn manager_with(n: usize) -> (Manager, Vec<Var>, Vec<Bdd>) {
    let manager = Manager::new(&Config {
        memory: 1 << 28,
        threads: 1,
    })
    .unwrap();
    let vars = manager.new_vars(n).unwrap();
    let functions = vars.iter().map(|&var| manager.var(var).unwrap()).collect();
    (manager, vars, functions)
}

/// f = (x1 ∧ x2 ∧ ¬x3) ∨ (¬x1 ∧ x3), with its variables.
fn equation_5() -> (Manager, Vec<Var>, Vec<Bdd>, Bdd) {
    let (manager, vars, x) = manager_with(3);
    let left = x[0].and(&x[1]).unwrap().and(&x[2].not()).unwrap();
    let right = x[0].not().and(&x[2]).unwrap();
    let f = left.or(&right).unwrap();
    (manager, vars, x, f)
}

#[test]
fn example_1_the_function_of_figure_2_has_four_nodes_two_paths_and_three_models() {
    let (_, vars, _, f) = equation_5();
    assert_eq!(f.plain_node_count(), 4);
    assert_eq!(f.node_count(), 3);
    let cubes: BTreeSet<_> = f.cubes().collect();
    let expected = [
        vec![(vars[0], true), (vars[1], true), (vars[2], false)],
        vec![(vars[0], false), (vars[2], true)],
    ];
    assert_eq!(cubes, BTreeSet::from(expected));
    let models: BTreeSet<_> = f.models(&vars).collect();
    let expected = [[true, true, false], [false, false, true], [false, true, true]].map(|m| m.to_vec());
    assert_eq!(models, BTreeSet::from(expected));
    assert_eq!(f.count(&vars), 3u32.into());
}

#[test]
fn example_2_every_construction_of_a_function_gives_the_same_handle() {
    let (_, _, x, f) = equation_5();
    // ¬((¬x1 ∨ ¬x2 ∨ x3) ∧ (x1 ∨ ¬x3)), and if-then-else.
    let left = x[0].not().or(&x[1].not()).unwrap().or(&x[2]).unwrap();
    let right = x[0].or(&x[2].not()).unwrap();
    assert_eq!(left.and(&right).unwrap().not(), f);
    assert_eq!(x[0].ite(&x[1].minus(&x[2]).unwrap(), &x[2]).unwrap(), f);
}

#[test]
fn example_3_the_zdd_of_figure_6_has_four_nodes() {
    let zdd = ZddManager::new(1 << 20, 1);
    let x = zdd.new_vars(3);
    let family = zdd
        .family([vec![x[0], x[1]], vec![x[2]], vec![x[1], x[2]]])
        .unwrap();
    assert_eq!(family.node_count(), 4);
    assert_eq!(family.count(), 3u32.into());
    let (_, _, _, f) = equation_5();
    assert!(zdd.models_of(&f).unwrap() == family);
    let sets: BTreeSet<_> = family.sets().collect();
    assert_eq!(
        sets,
        BTreeSet::from([vec![x[0], x[1]], vec![x[2]], vec![x[1], x[2]]])
    );
}

#[test]
fn families_of_sets_obey_the_algebra_of_sets() {
    let zdd = ZddManager::new(1 << 20, 1);
    let x = zdd.new_vars(3);
    let f = zdd.family([vec![x[0], x[1]], vec![x[2]]]).unwrap();
    let g = zdd.family([vec![x[2]], vec![]]).unwrap();
    let sets = |family: SetFamily| family.sets().collect::<BTreeSet<_>>();
    assert_eq!(sets(f.union(&g).unwrap()).len(), 3);
    assert_eq!(sets(f.intersection(&g).unwrap()), BTreeSet::from([vec![x[2]]]));
    assert_eq!(
        sets(f.difference(&g).unwrap()),
        BTreeSet::from([vec![x[0], x[1]]])
    );
    assert_eq!(sets(f.subsets_with(x[0]).unwrap()), BTreeSet::from([vec![x[1]]]));
    assert_eq!(
        sets(f.subsets_without(x[0]).unwrap()),
        BTreeSet::from([vec![x[2]]])
    );
    assert_eq!(
        sets(g.change(x[2]).unwrap()),
        BTreeSet::from([vec![], vec![x[2]]])
    );
    assert!(f.difference(&f).unwrap().is_empty() && zdd.empty().is_empty() && !zdd.unit().is_empty());
}

#[test]
fn example_4_restrictions_and_quantifications_of_figure_2() {
    let (manager, vars, x, f) = equation_5();
    let set = |items: &[usize]| manager.var_set(items.iter().map(|&i| vars[i])).unwrap();
    assert_eq!(f.cofactor(vars[0], true).unwrap(), x[1].minus(&x[2]).unwrap());
    assert_eq!(f.cofactor(vars[0], false).unwrap(), x[2]);
    assert_eq!(f.exists(&set(&[0])).unwrap(), x[1].or(&x[2]).unwrap());
    assert!(f.forall(&set(&[0])).unwrap().is_false());
    assert_eq!(f.exists(&set(&[1])).unwrap(), x[0].xor(&x[2]).unwrap());
    assert!(f.exists(&set(&[0, 1, 2])).unwrap().is_true());
    assert!(f.forall(&set(&[2])).unwrap().is_false());
}

#[test]
fn example_5_terminal_cases_and_the_identities_of_if_then_else() {
    let (manager, vars, x, f) = equation_5();
    let (one, zero) = (manager.one(), manager.zero());
    assert_eq!(f.and(&one).unwrap(), f);
    assert_eq!(one.and(&f).unwrap(), f);
    assert_eq!(f.and(&zero).unwrap(), zero);
    assert_eq!(f.and(&f).unwrap(), f);
    assert_eq!(f.and(&f.not()).unwrap(), zero);
    assert_eq!(f.or(&zero).unwrap(), f);
    assert_eq!(f.or(&one).unwrap(), one);
    assert_eq!(f.or(&f.not()).unwrap(), one);
    assert_eq!(f.xor(&zero).unwrap(), f);
    assert_eq!(f.xor(&one).unwrap(), f.not());
    assert_eq!(f.xor(&f).unwrap(), zero);
    assert_eq!(f.xor(&f.not()).unwrap(), one);
    let g = x[1].xor(&x[2]).unwrap();
    assert_eq!(f.ite(&g, &zero).unwrap(), f.and(&g).unwrap());
    assert_eq!(f.ite(&one, &g).unwrap(), f.or(&g).unwrap());
    assert_eq!(f.ite(&g.not(), &g).unwrap(), f.xor(&g).unwrap());
    let (lo, hi) = (
        f.cofactor(vars[0], false).unwrap(),
        f.cofactor(vars[0], true).unwrap(),
    );
    assert_eq!(f.compose(vars[0], &g).unwrap(), g.ite(&hi, &lo).unwrap());
}

#[test]
fn example_7_zdd_and_bdd_sizes_differ_at_most_by_the_number_of_variables() {
    let (manager, vars, x) = manager_with(6);
    let zdd = ZddManager::new(1 << 22, 1);
    zdd.new_vars(6);
    let mut f = manager.zero();
    let mut seed = 12345u64;
    for _ in 0..60 {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let bits = seed >> 40;
        let model = manager
            .cube((0..6).map(|i| (vars[i], bits >> i & 1 == 1)))
            .unwrap();
        f = f.or(&model).unwrap().xor(&x[(bits >> 6) as usize % 6]).unwrap();
        let family = zdd.models_of(&f).unwrap();
        let (nodes_zdd, nodes_bdd) = (family.node_count() + 2, f.plain_node_count() + 2);
        assert!(nodes_zdd <= 6 * nodes_bdd && nodes_bdd <= 6 * nodes_zdd);
        assert_eq!(family.count(), f.count(&vars));
    }
}

fn comparator(n: usize, interleaved: bool) -> (Manager, Bdd) {
    let (manager, _, x) = manager_with(2 * n);
    let mut equal = manager.one();
    for i in (0..n).rev() {
        let (a, b) = if interleaved {
            (2 * i, 2 * i + 1)
        } else {
            (i, n + i)
        };
        equal = x[a].iff(&x[b]).unwrap().and(&equal).unwrap();
    }
    (manager, equal)
}

#[test]
fn example_8_a_comparator_is_linear_interleaved_and_exponential_blocked() {
    for n in [8, 16] {
        assert_eq!(comparator(n, true).1.plain_node_count(), 3 * n);
        assert_eq!(comparator(n, false).1.plain_node_count(), 3 * (1 << n) - 3);
    }
}

#[test]
fn example_9_pairs_need_2n_nodes_in_index_order_and_exact_reordering_finds_it() {
    for n in [3usize, 5] {
        let (manager, vars, x) = manager_with(2 * n);
        let mut f = manager.zero();
        for i in 0..n {
            f = f.or(&x[2 * i].and(&x[2 * i + 1]).unwrap()).unwrap();
        }
        drop(x);
        assert_eq!(f.plain_node_count(), 2 * n);
        let odd_first: Vec<Var> = vars
            .iter()
            .step_by(2)
            .chain(vars.iter().skip(1).step_by(2))
            .copied()
            .collect();
        manager.set_order(&odd_first).unwrap();
        assert_eq!(f.plain_node_count(), (1 << (n + 1)) - 2);
        manager
            .reorder(Method::Exact, &ReorderLimits::unlimited())
            .unwrap();
        assert_eq!(f.plain_node_count(), 2 * n);
    }
}

#[test]
fn example_10_parity_is_linear_and_symmetric_functions_keep_their_size_in_every_order() {
    let n = 12;
    let (manager, _, x) = manager_with(n);
    let mut parity = manager.zero();
    for var in &x {
        parity = parity.xor(var).unwrap();
    }
    assert_eq!(parity.plain_node_count(), 2 * n - 1);
    assert_eq!(parity.node_count(), n);
    // At least half of the variables: columns of counts.
    let mut at_least = vec![manager.one()];
    at_least.resize(n + 1, manager.zero());
    for var in &x {
        for k in (1..=n).rev() {
            at_least[k] = var.ite(&at_least[k - 1], &at_least[k]).unwrap();
        }
    }
    let size = at_least[6].node_count();
    assert!(size <= n * n);
    manager
        .reorder(Method::Random(7), &ReorderLimits::unlimited())
        .unwrap();
    assert_eq!(at_least[6].node_count(), size);
}

#[test]
fn example_11_the_middle_bit_of_multiplication_grows_exponentially_whatever_the_order() {
    let size = |n: usize| {
        let (manager, _, x) = manager_with(2 * n);
        let mut sum = vec![manager.zero(); 2 * n];
        for i in 0..n {
            let mut carry = manager.zero();
            for j in 0..n {
                let product = x[i].and(&x[n + j]).unwrap();
                let half = sum[i + j].xor(&product).unwrap();
                let next = sum[i + j]
                    .and(&product)
                    .unwrap()
                    .or(&half.and(&carry).unwrap())
                    .unwrap();
                sum[i + j] = half.xor(&carry).unwrap();
                carry = next;
            }
            sum[i + n] = carry;
        }
        let middle = sum[n - 1].clone();
        drop(sum);
        manager
            .reorder(Method::SiftToConvergence, &ReorderLimits::default())
            .unwrap();
        middle.node_count()
    };
    let sizes = [5, 6, 7, 8].map(size);
    assert!(
        sizes.windows(2).all(|w| w[1] as f64 > 1.8 * w[0] as f64),
        "{sizes:?}"
    );
}

#[test]
fn example_13_the_mtbdd_of_a_sum_has_three_nodes_and_three_leaves() {
    let numbers = MtbddManager::<Integer>::new(1 << 20);
    let vars = numbers.new_vars(2);
    let sum = numbers
        .var(vars[0])
        .unwrap()
        .plus(&numbers.var(vars[1]).unwrap())
        .unwrap();
    assert_eq!(sum.node_counts(), (3, 3));
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let value = sum.eval(|var| if var == vars[0] { a } else { b });
        assert_eq!(value, Integer::Number(i64::from(a) + i64::from(b)));
    }
    let (manager, _, x) = manager_with(2);
    let zero = sum
        .where_value(&manager, |value| *value == Integer::Number(0))
        .unwrap();
    assert_eq!(zero, x[0].or(&x[1]).unwrap().not());
    // Arithmetic on the leaves.
    let two = numbers.constant(Integer::Number(2)).unwrap();
    let back = sum.times(&two).unwrap().minus(&sum).unwrap();
    assert!(back == sum);
    assert!(sum.times(&two).unwrap().divided_by(&two).unwrap() == sum);
    assert_eq!(sum.max(&two).unwrap().node_counts(), (0, 1));
    assert_eq!(sum.min(&two).unwrap().node_counts(), (3, 3));
}

#[test]
fn example_14_a_random_parity_tree_equals_the_chain() {
    let n = 48;
    let (manager, _, x) = manager_with(n);
    let mut chain = manager.zero();
    for var in &x {
        chain = chain.xor(var).unwrap();
    }
    let mut forest = x;
    let mut seed = 99usize;
    while forest.len() > 1 {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let tree = forest.swap_remove((seed >> 33) % forest.len());
        let at = (seed >> 17) % forest.len();
        forest[at] = forest[at].xor(&tree).unwrap();
    }
    assert_eq!(forest[0], chain);
}

#[test]
fn example_15_handles_are_unchanged_by_reordering() {
    let (manager, _, x, f) = equation_5();
    let before = (f.id(), f.cubes().count());
    for seed in 0..20 {
        manager
            .reorder(Method::Random(seed), &ReorderLimits::unlimited())
            .unwrap();
        for row in 0..8u32 {
            let [a, b, c] = [0, 1, 2].map(|i| row >> i & 1 == 1);
            assert_eq!(
                f.eval(|var| row >> var.index() & 1 == 1),
                (a && b && !c) || (!a && c)
            );
        }
        assert_eq!(f.id(), before.0);
        assert_eq!(shared_node_count([&f, &f.not()]), f.node_count());
        assert_eq!(x[0].ite(&x[1].minus(&x[2]).unwrap(), &x[2]).unwrap(), f);
    }
}
