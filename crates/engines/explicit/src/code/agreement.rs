//! Compiled terms mean what the reference evaluation says: random terms over all operators and sorts.

use super::evaluator::Evaluator;
use crate::layout::Layout;
use entail_model::{
    Sort, SortError, TermId, TransitionSystem, Valuation, Value, VarId, VarKind, Word, evaluate,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn sorts(random: &mut StdRng) -> Vec<Sort> {
    let element = random_word(random, 70);
    vec![
        Sort::Bool,
        Sort::Bool,
        Sort::range(-3, 4),
        Sort::range(0, 9),
        Sort::enumeration([Value::symbol("a"), Value::Int(2), Value::symbol("b")]),
        Sort::enumeration([Value::Int(5), Value::Int(-1), Value::Int(2)]),
        Sort::enumeration([Value::symbol("b"), Value::symbol("c")]),
        random_word(random, 8),
        random_word(random, 64),
        Sort::Word {
            width: 64,
            signed: true,
        },
        random_word(random, 100),
        Sort::Array {
            index: Arc::new(Sort::range(0, 2)),
            element: Arc::new(element),
        },
        Sort::Array {
            index: Arc::new(Sort::Word {
                width: 2,
                signed: random.random(),
            }),
            element: Arc::new(Sort::range(0, 5)),
        },
    ]
}

fn random_word(random: &mut StdRng, most: u32) -> Sort {
    Sort::Word {
        width: random.random_range(1..=most),
        signed: random.random(),
    }
}

pub(crate) fn random_value(random: &mut StdRng, sort: &Sort) -> Value {
    match sort {
        Sort::Word { width, signed } => {
            let mut word = Word::from_u64(*width, *signed, random.random());
            if *width > 64 {
                let shifted =
                    Word::from_u64(*width, *signed, random.random()).shift_left(random.random_range(0..100));
                word = word.xor(&shifted);
            }
            if random.random_bool(0.2) {
                word = word.xor(&word);
            }
            Value::Word(word)
        }
        Sort::Array { index, element } => {
            let length = index.size().expect("a small index");
            Value::Array((0..length).map(|_| random_value(random, element)).collect())
        }
        scalar => scalar.value_at(random.random_range(0..scalar.size().expect("a small sort"))),
    }
}

/// Applies a random operator to random terms of the pool; ill-sorted combinations are refused by the constructors.
fn grow(random: &mut StdRng, system: &mut TransitionSystem, pool: &[TermId]) -> Result<TermId, SortError> {
    let pick = |random: &mut StdRng| pool[random.random_range(0..pool.len())];
    let booleans: Vec<TermId> = pool
        .iter()
        .copied()
        .filter(|&term| *system.terms.sort(term) == Sort::Bool)
        .collect();
    let boolean = |random: &mut StdRng| booleans[random.random_range(0..booleans.len())];
    let (a, b, c) = (pick(random), pick(random), boolean(random));
    let same: Vec<TermId> = pool
        .iter()
        .copied()
        .filter(|&term| system.terms.sort(term) == system.terms.sort(a))
        .collect();
    let b = if random.random_bool(0.6) {
        same[random.random_range(0..same.len())]
    } else {
        b
    };
    let width = system.terms.sort(a).word_shape().map_or(1, |shape| shape.0);
    let (more, signed) = (random.random_range(1..80), random.random());
    let operation = random.random_range(0..27);
    let terms = &mut system.terms;
    match operation {
        0 => Ok(terms.not(c)),
        1 => Ok(terms.and([c, boolean(random), boolean(random)])),
        2 => Ok(terms.or([c, boolean(random), boolean(random)])),
        3 => terms.ite(c, a, b),
        4 => terms.equal(a, b),
        5 => terms.less(a, b),
        6 => terms.add(a, b),
        7 => terms.subtract(a, b),
        8 => terms.negate(a),
        9 => terms.multiply(a, b),
        10 => terms.divide(a, b),
        11 => terms.remainder(a, b),
        12 => terms.bit_not(a),
        13 => terms.bit_and(a, b),
        14 => terms.bit_or(a, b),
        15 => terms.bit_xor(a, b),
        16 => terms.shift_left(a, b),
        17 => terms.shift_right(a, b),
        18 => terms.concat(a, b),
        19 => {
            let high = random.random_range(0..width);
            terms.extract(a, high, random.random_range(0..=high))
        }
        20 => terms.extend(a, more),
        21 => terms.reinterpret(a, signed),
        22 => terms.bool_to_word(c),
        23 => terms.word_to_int(a),
        24 => terms.int_to_word(a, more, signed),
        25 => terms.read(a, b),
        _ => terms.write(a, b, pick(random)),
    }
}

#[test]
fn compiled_terms_agree_with_the_reference_on_random_terms() {
    let mut compared = 0;
    for seed in 0..120 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut system = TransitionSystem::new();
        let mut pool = Vec::new();
        let list = sorts(&mut random);
        for (number, sort) in list.iter().enumerate() {
            let kind = [VarKind::State, VarKind::Input, VarKind::Frozen][number % 3];
            let variable = system.add_variable(format!("x{number}"), sort.clone(), kind);
            pool.push(system.current(variable));
            if kind == VarKind::State {
                pool.push(system.next(variable));
            }
            let value = random_value(&mut random, sort);
            pool.push(system.terms.constant(value));
        }
        while pool.len() < 160 {
            if let Ok(term) = grow(&mut random, &mut system, &pool) {
                let small = system
                    .terms
                    .sort(term)
                    .integer_bounds()
                    .is_none_or(|(low, high)| low > -(1 << 40) && high < 1 << 40);
                let narrow = system
                    .terms
                    .sort(term)
                    .word_shape()
                    .is_none_or(|shape| shape.0 < 400);
                if small && narrow {
                    pool.push(term);
                }
            }
        }
        let scalars: Vec<TermId> = pool
            .into_iter()
            .filter(|&term| crate::layout::is_scalar(system.terms.sort(term)))
            .collect();
        let layout = Layout::of(&system).expect("storable");
        let mut evaluator = Evaluator::new(&system, &layout, &scalars).expect("compilable");
        let cells = layout
            .cells
            .with_terms(&system.terms, &system.terms.cone(&scalars))
            .expect("small numbers");
        for _ in 0..20 {
            let mut valuation = || -> Vec<Option<Value>> {
                list.iter()
                    .map(|sort| Some(random_value(&mut random, sort)))
                    .collect()
            };
            let (now, mut next) = (valuation(), valuation());
            let mut leaves = vec![0; layout.leaves()];
            for variable in (0..list.len() as u32).map(VarId::new) {
                let at = variable.index();
                match system.variable(variable).kind {
                    VarKind::Frozen => next[at] = now[at].clone(),
                    VarKind::Input => next[at] = None,
                    VarKind::State => {}
                }
                let places = [
                    (layout.now(variable), &now[at]),
                    (layout.after(variable), &next[at]),
                ];
                for (registers, value) in places {
                    let Some(value) = value else { continue };
                    let written = layout.cells_of(variable, value).expect("a value of the sort");
                    for (register, cell) in registers.zip(written) {
                        leaves[register as usize] = cell;
                    }
                }
            }
            evaluator.load(&leaves);
            for (number, &term) in scalars.iter().enumerate() {
                let expected = evaluate(&system.terms, term, Valuation::step(&now, &next)).expect("complete");
                let cell = evaluator.cell(&system, &layout, number);
                assert_eq!(
                    Some(cell),
                    cells.cell(&expected),
                    "seed {seed}: {:?} of sort {} is {expected}",
                    system.terms.op(term),
                    system.terms.sort(term)
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200_000, "{compared}");
}
