//! Long random computations under constant disturbance: reordering in the middle of operations, little memory,
//! several threads. Functions are compared at random points with the expressions they were made from.

use entail_dd::{AutoReorder, Bdd, Config, Manager, Method, ReorderLimits, Substitution, Var};
use proptest::prelude::*;

const VARS: usize = 18;

/// A straight-line program; operands are earlier results (the variables come first).
#[derive(Clone, Copy, Debug)]
enum Instruction {
    And(usize, usize),
    Xor(usize, usize),
    Ite(usize, usize, usize),
    /// ∃ of three neighbouring variables over a conjunction.
    AndExists(usize, usize, usize),
    /// Every variable replaced by the next one.
    Rotate(usize),
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let any = 0..10_000usize;
    prop_oneof![
        2 => (any.clone(), any.clone()).prop_map(|(a, b)| Instruction::And(a, b)),
        3 => (any.clone(), any.clone()).prop_map(|(a, b)| Instruction::Xor(a, b)),
        4 => (any.clone(), any.clone(), any.clone()).prop_map(|(a, b, c)| Instruction::Ite(a, b, c)),
        1 => (any.clone(), any.clone(), any.clone()).prop_map(|(a, b, c)| Instruction::AndExists(a, b, c)),
        1 => any.prop_map(Instruction::Rotate),
    ]
}

/// Runs a program on a manager; negates every third operand to exercise complement edges.
fn run(manager: &Manager, vars: &[Var], program: &[Instruction]) -> entail_dd::Result<Vec<Bdd>> {
    let mut results: Vec<Bdd> = vars
        .iter()
        .map(|&var| manager.var(var))
        .collect::<entail_dd::Result<_>>()?;
    let rotation = vars
        .iter()
        .zip(vars.iter().cycle().skip(1))
        .map(|(&from, &to)| (from, to));
    let rotation = Substitution::renaming(manager, rotation)?;
    for &step in program {
        let pick = |i: usize| {
            // Mostly recent results, so that functions grow.
            let f = &results[results.len() - 1 - i % VARS];
            if i.is_multiple_of(3) { f.not() } else { f.clone() }
        };
        let result = match step {
            Instruction::And(a, b) => pick(a).and(&pick(b))?,
            Instruction::Xor(a, b) => pick(a).xor(&pick(b))?,
            Instruction::Ite(a, b, c) => pick(a).ite(&pick(b), &pick(c))?,
            Instruction::AndExists(a, b, c) => {
                let three = (0..3).map(|k| vars[(c + k) % VARS]);
                pick(a).and_exists(&pick(b), &manager.var_set(three)?)?
            }
            Instruction::Rotate(a) => pick(a).substitute(&rotation)?,
        };
        results.push(result);
    }
    Ok(results)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn disturbed_computations_give_the_same_functions(
        program in prop::collection::vec(instruction(), 40..80),
        points in prop::collection::vec(any::<u32>(), 50),
        threads in 1usize..3,
        first_at in 1usize..400,
        seed: u64,
    ) {
        let calm = Manager::new(&Config { memory: 1 << 28, threads: 1 }).unwrap();
        let vars = calm.new_vars(VARS).unwrap();
        let expected = run(&calm, &vars, &program).unwrap();

        let disturbed = Manager::new(&Config { memory: 1 << 27, threads }).unwrap();
        disturbed.new_vars(VARS).unwrap();
        let pairs: Vec<Vec<Var>> = vars.chunks(2).map(<[Var]>::to_vec).collect();
        disturbed.set_groups(&pairs).unwrap();
        disturbed.reorder(Method::Random(seed), &ReorderLimits::unlimited()).unwrap();
        let auto = AutoReorder { first_at, growth: 1.1, ..AutoReorder::default() };
        disturbed.set_auto_reorder(Some(auto));
        let found = run(&disturbed, &vars, &program).unwrap();

        prop_assert_eq!(disturbed.check_consistency(), Ok(()));
        prop_assert_eq!(calm.check_consistency(), Ok(()));
        for (a, b) in expected.iter().zip(&found) {
            for point in &points {
                let at = |var: Var| point >> var.index() & 1 == 1;
                prop_assert_eq!(a.eval(at), b.eval(at));
            }
        }
        // All of it, for the last one: copied back it must be the same function.
        let last = found.last().unwrap();
        prop_assert_eq!(&calm.import(last, |var| var).unwrap(), expected.last().unwrap());
        for pair in &pairs {
            prop_assert_eq!(disturbed.level(pair[0]) + 1, disturbed.level(pair[1]));
        }
        drop(found);
        prop_assert_eq!(disturbed.live_nodes(), 0);
    }
}

/// The bits of a product, as columns of full adders.
fn product(manager: &Manager, vars: &[Var]) -> entail_dd::Result<Vec<Bdd>> {
    let n = vars.len() / 2;
    let mut sum = vec![manager.zero(); 2 * n];
    for i in 0..n {
        let mut carry = manager.zero();
        for j in 0..n {
            let bit = manager.var(vars[i])?.and(&manager.var(vars[n + j])?)?;
            let half = sum[i + j].xor(&bit)?;
            let next = sum[i + j].and(&bit)?.or(&half.and(&carry)?)?;
            sum[i + j] = half.xor(&carry)?;
            carry = next;
        }
        sum[i + n] = carry;
    }
    Ok(sum)
}

#[test]
fn a_multiplier_is_the_same_on_two_threads_and_under_reordering() {
    let n = 9;
    let calm = Manager::new(&Config::default()).unwrap();
    let vars = calm.new_vars(2 * n).unwrap();
    let expected = product(&calm, &vars).unwrap();
    for auto in [
        None,
        Some(AutoReorder {
            first_at: 1000,
            ..AutoReorder::default()
        }),
    ] {
        let other = Manager::new(&Config {
            threads: 2,
            ..Config::default()
        })
        .unwrap();
        other.new_vars(2 * n).unwrap();
        other.set_auto_reorder(auto);
        let found = product(&other, &vars).unwrap();
        assert_eq!(other.check_consistency(), Ok(()));
        for (a, b) in expected.iter().zip(&found) {
            assert_eq!(&calm.import(b, |var| var).unwrap(), a);
        }
        let value = |var: Var| [0, 3, 4, 9, 10, 16].contains(&var.index());
        let word = |from: usize| {
            (0..n)
                .filter(|&i| value(vars[from + i]))
                .map(|i| 1 << i)
                .sum::<usize>()
        };
        let bits = found
            .iter()
            .enumerate()
            .map(|(i, bit)| usize::from(bit.eval(value)) << i)
            .sum::<usize>();
        assert_eq!(bits, word(0) * word(n));
    }
}
