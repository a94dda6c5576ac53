//! The constructors of terms simplify; what they build has the value of the plain operation.
//!
//! Everybody's terms come from these constructors, engines' and checkers' alike. Here each operation is built twice: over operands that invite
//! simplification (constants, complements, terms of narrow sorts), and over variables of wide sorts of which nothing is known, which then get the values that the operands have.

use entail_model::{Sort, TermId, Terms, Valuation, Value, VarId, evaluate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// One operation on operands of a pool, by position.
#[derive(Clone, Copy)]
struct Operation {
    which: u32,
    operands: [usize; 3],
}

fn build(terms: &mut Terms, operation: Operation, of: &[TermId]) -> Option<TermId> {
    let [a, b, c] = operation.operands.map(|at| of[at]);
    let boolean = |terms: &Terms, term: TermId| *terms.sort(term) == Sort::Bool;
    let both = boolean(terms, a) && boolean(terms, b);
    let built = match operation.which {
        0 if boolean(terms, a) => return Some(terms.not(a)),
        1 if both => return Some(terms.and([a, b])),
        2 if both => return Some(terms.or([a, b])),
        3 if both => return Some(terms.xor(a, b)),
        4 if both => return Some(terms.iff(a, b)),
        5 if both => return Some(terms.implies(a, b)),
        6 if both && boolean(terms, c) => return Some(terms.and([a, b, c])),
        7 if boolean(terms, a) => terms.ite(a, b, c),
        8 => terms.equal(a, b),
        9 => terms.differ(a, b),
        10 => terms.less(a, b),
        11 => terms.less_equal(a, b),
        12 => terms.add(a, b),
        13 => terms.subtract(a, b),
        14 => terms.multiply(a, b),
        15 => terms.divide(a, b),
        16 => terms.remainder(a, b),
        17 => terms.negate(a),
        18 => terms.bit_not(a),
        19 => terms.bit_and(a, b),
        20 => terms.bit_or(a, b),
        21 => terms.bit_xor(a, b),
        22 => terms.shift_left(a, b),
        23 => terms.shift_right(a, b),
        24 => terms.concat(a, b),
        25 => terms.extract(a, 1, 0),
        26 => terms.extend(a, 1),
        27 => terms.reinterpret(a, true),
        28 => terms.bool_to_word(a),
        29 => terms.word_to_int(a),
        30 => terms.int_to_word(a, 3, false),
        31 => terms.one_of(a, &[b, c]),
        _ => return None,
    };
    built.ok()
}

/// The sort of a variable about which less is known: more numbers.
fn wider(sort: &Sort) -> Sort {
    match sort.integer_bounds() {
        Some(_) => Sort::range(-200, 200),
        None => sort.clone(),
    }
}

fn leaf(terms: &mut Terms, number: u32, rng: &mut StdRng) -> TermId {
    let sorts = [
        Sort::Bool,
        Sort::Bool,
        Sort::range(0, 2),
        Sort::range(-2, 1),
        Sort::word(2),
        Sort::Word {
            width: 2,
            signed: true,
        },
        Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::symbol("c")]),
    ];
    let sort = sorts[rng.random_range(0..sorts.len())].clone();
    if rng.random_bool(0.4) {
        let value = sort.value_at(rng.random_range(0..sort.size().expect("small")));
        return terms.constant(value);
    }
    terms.current(VarId::new(number), sort)
}

#[test]
fn simplified_terms_have_the_values_of_plain_operations() {
    let mut compared = vec![0usize; 32];
    for seed in 0..6_000 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut terms = Terms::new();
        let mut pool: Vec<TermId> = (0..5).map(|number| leaf(&mut terms, number, &mut rng)).collect();
        let values: Vec<Option<Value>> = (0..5)
            .map(|number| {
                let variable = (pool.iter()).find(
                    |&&term| matches!(terms.op(term), entail_model::Op::Current(id) if id.index() == number),
                );
                let sort = terms.sort(*variable?);
                Some(sort.value_at(rng.random_range(0..sort.size()?)))
            })
            .collect();
        for _ in 0..8 {
            let pick = |rng: &mut StdRng| rng.random_range(0..pool.len());
            let operation = Operation {
                which: rng.random_range(0..32),
                operands: [pick(&mut rng), pick(&mut rng), pick(&mut rng)],
            };
            let Some(simplified) = build(&mut terms, operation, &pool) else {
                continue;
            };
            let is_small =
                (terms.sort(simplified).integer_bounds()).is_none_or(|(low, high)| low > -200 && high < 200);
            if !is_small {
                continue;
            }
            // The same over variables 0, 1, … with the values of the operands.
            let mut plain = Terms::new();
            let mut plain_values = vec![None; pool.len()];
            let mut undefined = false;
            let variables: Vec<TermId> = (pool.iter().enumerate())
                .map(|(number, &term)| {
                    if operation.operands.contains(&number) {
                        match evaluate(&terms, term, Valuation::state(&values)) {
                            Ok(value) => plain_values[number] = Some(value),
                            Err(_) => undefined = true,
                        }
                    }
                    let sort = wider(terms.sort(term));
                    plain.current(VarId::new(number as u32), sort)
                })
                .collect();
            let found = evaluate(&terms, simplified, Valuation::state(&values));
            // What a wide sort does not allow (words from too many numbers) is not compared, nor what has no value.
            if let (false, Some(built), Ok(found)) =
                (undefined, build(&mut plain, operation, &variables), found)
                && let Ok(expected) = evaluate(&plain, built, Valuation::state(&plain_values))
            {
                assert_eq!(found, expected, "seed {seed}, operation {}", operation.which);
                compared[operation.which as usize] += 1;
            }
            pool.push(simplified);
        }
    }
    let untried: Vec<usize> = (0..32).filter(|&which| compared[which] < 20).collect();
    assert!(untried.is_empty(), "{untried:?} {compared:?}");
}
