//! Bit-blasting against the reference evaluation, on random terms of every operator.

use crate::aig::{Aig, value_of};
use crate::arithmetic::Bits;
use crate::blast::{Blaster, Leaf};
use crate::encoding::{NotEncoded, decode, encode, shape};
use entail_model::{Sort, SortError, TermId, Terms, Valuation, Value, VarId, evaluate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn sorts() -> Vec<Sort> {
    let signed = |width| Sort::Word { width, signed: true };
    let array = |index: Sort, element: Sort| Sort::Array {
        index: Arc::new(index),
        element: Arc::new(element),
    };
    vec![
        Sort::Bool,
        Sort::Bool,
        Sort::range(-3, 4),
        Sort::range(0, 5),
        Sort::range(2, 2),
        Sort::enumeration([Value::Int(1), Value::Int(5), Value::Int(-2)]),
        Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::Int(3)]),
        Sort::enumeration([Value::symbol("b"), Value::symbol("c")]),
        Sort::word(1),
        Sort::word(3),
        Sort::word(3),
        signed(3),
        signed(3),
        Sort::word(5),
        array(Sort::range(-1, 2), Sort::range(1, 4)),
        array(Sort::range(-1, 2), Sort::range(0, 2)),
        array(Sort::word(2), signed(3)),
        array(signed(2), Sort::Bool),
    ]
}

fn random_operation(terms: &mut Terms, pool: &[TermId], random: &mut StdRng) -> Result<TermId, SortError> {
    let mut pick = || pool[random.random_range(0..pool.len())];
    let (a, b, c) = (pick(), pick(), pick());
    let boolean = |terms: &Terms, term: TermId| *terms.sort(term) == Sort::Bool;
    match random.random_range(0..28) {
        0 if boolean(terms, a) => Ok(terms.not(a)),
        1 if boolean(terms, a) && boolean(terms, b) => Ok(terms.and([a, b])),
        2 if boolean(terms, a) && boolean(terms, b) => Ok(terms.or([a, b])),
        3 | 4 if boolean(terms, a) => terms.ite(a, b, c),
        5 | 6 => terms.equal(a, b),
        7 => terms.less(a, b),
        8 => terms.add(a, b),
        9 => terms.subtract(a, b),
        10 => terms.multiply(a, b),
        11 => terms.divide(a, b),
        12 => terms.remainder(a, b),
        13 => terms.negate(a),
        14 => terms.bit_not(a),
        15 => terms.bit_and(a, b),
        16 => terms.bit_xor(a, b),
        17 => terms.shift_left(a, b),
        18 => terms.shift_right(a, b),
        19 => terms.concat(a, b),
        20 => terms.extract(a, 1, 0),
        21 => terms.extend(a, 2),
        22 => terms.reinterpret(a, random.random_bool(0.5)),
        23 => terms.bit_or(a, b),
        24 => terms.read(a, b),
        25 => terms.write(a, b, c),
        26 => {
            let sort = terms.sort(a).clone();
            terms.constant_array(sort, b)
        }
        _ => match terms.sort(a) {
            Sort::Bool => terms.bool_to_word(a),
            Sort::Word { .. } => terms.word_to_int(a),
            _ => terms.int_to_word(a, random.random_range(1..6), random.random_bool(0.5)),
        },
    }
}

#[test]
fn every_operator_has_the_bits_that_evaluation_gives() {
    let mut random = StdRng::seed_from_u64(7);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let mut terms = Terms::new();
        let mut pool: Vec<TermId> = sorts()
            .into_iter()
            .enumerate()
            .map(|(index, sort)| terms.current(VarId::new(index as u32), sort))
            .collect();
        for _ in 0..120 {
            if let Ok(term) = random_operation(&mut terms, &pool, &mut random) {
                let sort = terms.sort(term);
                let small = sort
                    .integer_bounds()
                    .is_none_or(|(low, high)| low > -5_000 && high < 5_000);
                if small && sort.word_shape().is_none_or(|(width, _)| width < 10) {
                    pool.push(term);
                }
            }
        }
        let mut aig = Aig::new();
        let mut blaster = Blaster::new();
        let mut owners: Vec<(usize, usize)> = vec![(0, 0)];
        for (index, sort) in sorts().iter().enumerate() {
            let (width, _) = shape(sort).expect("small");
            let bits: Bits = (0..width).map(|_| aig.leaf()).collect();
            owners.extend((0..width).map(|bit| (index, bit)));
            let variable = VarId::new(index as u32);
            blaster.bind(
                Leaf {
                    variable,
                    next: false,
                },
                bits,
            );
        }
        let codes: Vec<Bits> = pool
            .iter()
            .map(|&term| blaster.bits(&mut aig, &terms, term).expect("encodable"))
            .collect();
        for _ in 0..20 {
            let values: Vec<Option<Value>> = sorts()
                .iter()
                .map(|sort| Some(sort.value_at(random.random_range(0..sort.size().expect("small")))))
                .collect();
            let leaf_bits: Vec<Vec<bool>> = sorts()
                .iter()
                .zip(&values)
                .map(|(sort, value)| encode(value.as_ref().expect("chosen"), sort).expect("encodable"))
                .collect();
            let nodes = aig.evaluate(|node| {
                let (variable, bit) = owners[node.index()];
                leaf_bits[variable][bit]
            });
            for (&term, code) in pool.iter().zip(&codes) {
                let bits: Vec<bool> = code.iter().map(|&signal| value_of(&nodes, signal)).collect();
                let found = decode(&bits, terms.sort(term));
                let expected = evaluate(&terms, term, Valuation::state(&values)).expect("all known");
                assert_eq!(found, expected, "{:?}", terms.op(term));
                assert_eq!(
                    Ok(bits),
                    encode(&expected, terms.sort(term)),
                    "{:?}",
                    terms.op(term)
                );
                let name = format!("{:?}", terms.op(term));
                seen.insert(name.split(['(', ' ']).next().unwrap_or_default().to_string());
            }
        }
    }
    assert!(seen.len() >= 27, "operators that never occurred: only {seen:?}");
}

#[test]
fn what_would_not_fit_is_an_error_not_a_crash() {
    let mut terms = Terms::new();
    let wide = terms.current(VarId::new(0), Sort::word(1 << 20));
    let square = terms.multiply(wide, wide).expect("words of one shape");
    let memory = Sort::Array {
        index: Arc::new(Sort::word(32)),
        element: Arc::new(Sort::word(8)),
    };
    let array = terms.current(VarId::new(1), memory);
    let mut aig = Aig::new();
    let mut blaster = Blaster::new();
    let leaf = |index| Leaf {
        variable: VarId::new(index),
        next: false,
    };
    blaster.bind(leaf(0), vec![crate::Signal::TRUE; 1 << 20]);
    assert!(matches!(
        blaster.bits(&mut aig, &terms, square),
        Err(NotEncoded::TooLarge(_))
    ));
    assert!(matches!(
        blaster.bits(&mut aig, &terms, array),
        Err(NotEncoded::LargeArray(_))
    ));
}
