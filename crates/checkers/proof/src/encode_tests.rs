//! The encoder against the reference evaluation, on random terms of every operator.

use crate::encode::Encoder;
use crate::gates::{Form, Gates};
use crate::solver::NoAnswer;
use entail_budget::Budget;
use entail_model::{Sort, SortError, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

fn system() -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let sorts = [
        Sort::Bool,
        Sort::Bool,
        Sort::range(-3, 4),
        Sort::range(0, 5),
        Sort::enumeration([Value::Int(1), Value::Int(5), Value::Int(-2)]),
        Sort::enumeration([Value::symbol("a"), Value::symbol("b"), Value::Int(3)]),
        Sort::enumeration([Value::symbol("b"), Value::symbol("c")]),
        Sort::word(3),
        Sort::word(3),
        Sort::Word {
            width: 3,
            signed: true,
        },
        Sort::Word {
            width: 3,
            signed: true,
        },
        Sort::word(1),
        Sort::Array {
            index: Arc::new(Sort::word(2)),
            element: Arc::new(Sort::range(0, 5)),
        },
        Sort::Array {
            index: Arc::new(Sort::range(-1, 1)),
            element: Arc::new(Sort::word(3)),
        },
    ];
    for (index, sort) in sorts.into_iter().enumerate() {
        system.add_variable(format!("x{index}"), sort, VarKind::State);
    }
    system
}

fn random_operation(
    system: &mut TransitionSystem,
    pool: &[TermId],
    random: &mut StdRng,
) -> Result<TermId, SortError> {
    let mut pick = || pool[random.random_range(0..pool.len())];
    let (a, b, c) = (pick(), pick(), pick());
    let terms = &mut system.terms;
    let boolean = |term: TermId, terms: &entail_model::Terms| *terms.sort(term) == Sort::Bool;
    match random.random_range(0..32) {
        0 if boolean(a, terms) => Ok(terms.not(a)),
        1 if boolean(a, terms) && boolean(b, terms) => Ok(terms.and([a, b])),
        2 if boolean(a, terms) && boolean(b, terms) => Ok(terms.or([a, b])),
        3 | 4 if boolean(a, terms) => terms.ite(a, b, c),
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
        22 => {
            let signed = random.random_bool(0.5);
            terms.reinterpret(a, signed)
        }
        23..=25 => terms.read(a, b),
        26..=28 => terms.write(a, b, c),
        29 => {
            let sort = terms.sort(a).clone();
            terms.constant_array(sort, b)
        }
        _ => match terms.sort(a) {
            Sort::Bool => terms.bool_to_word(a),
            Sort::Word { .. } => terms.word_to_int(a),
            _ => terms.int_to_word(a, 4, true),
        },
    }
}

/// The condition that a term has a value, for arrays element by element.
fn is_value(system: &mut TransitionSystem, term: TermId, value: &Value) -> TermId {
    let terms = &mut system.terms;
    if let (Sort::Array { index, .. }, Value::Array(elements)) = (terms.sort(term).clone(), value) {
        let conditions: Vec<TermId> = (index.values().zip(elements.iter()))
            .map(|(place, element)| {
                let place = terms.constant(place);
                let read = terms.read(term, place).expect("an index of the array");
                let element = terms.constant(element.clone());
                terms.equal(read, element).expect("comparable")
            })
            .collect();
        return terms.and(conditions);
    }
    let constant = terms.constant(value.clone());
    terms.equal(term, constant).expect("comparable")
}

#[test]
fn encoded_terms_have_the_values_that_evaluation_gives() {
    let mut random = StdRng::seed_from_u64(11);
    let mut decided = [0, 0];
    for _ in 0..400 {
        let mut system = system();
        let mut pool: Vec<TermId> = system
            .variable_ids()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|id| system.current(id))
            .collect();
        let leaves = pool.clone();
        for _ in 0..60 {
            if let Ok(term) = random_operation(&mut system, &pool, &mut random) {
                let small = system
                    .terms
                    .sort(term)
                    .integer_bounds()
                    .is_none_or(|(low, high)| low > -5_000 && high < 5_000);
                let narrow = system
                    .terms
                    .sort(term)
                    .word_shape()
                    .is_none_or(|(width, _)| width < 10);
                if small && narrow {
                    pool.push(term);
                }
            }
        }
        let values: Vec<Option<Value>> = system
            .variables()
            .iter()
            .map(|variable| {
                let size = variable.sort.size().expect("small");
                Some(variable.sort.value_at(random.random_range(0..size)))
            })
            .collect();
        // Assume the variables' values; every term must equal its evaluation and nothing else.
        let mut assumed = Vec::new();
        for (leaf, value) in leaves.iter().zip(&values) {
            assumed.push(is_value(&mut system, *leaf, value.as_ref().expect("chosen")));
        }
        let mut claims = Vec::new();
        for &term in &pool {
            let value = evaluate(&system.terms, term, Valuation::state(&values)).expect("all known");
            claims.push((term, is_value(&mut system, term, &value)));
        }
        for form in [Form::Clauses, Form::Diagrams] {
            let mut encoder = Encoder::with_gates(&system, Gates::in_form(form));
            let assumptions = encoder
                .literals(&system.terms, &assumed, false)
                .expect("all small");
            let budget = Budget::unlimited();
            assert_eq!(
                encoder.gates.satisfiable(&assumptions, &budget),
                Ok(true),
                "the valuation is possible"
            );
            for &(term, claim) in &claims {
                let literal = encoder
                    .literals(&system.terms, &[claim], false)
                    .expect("all small")[0];
                let mut denied = assumptions.clone();
                denied.push(!literal);
                let operator = system.terms.op(term);
                let answer = encoder.gates.satisfiable(&denied, &budget);
                if form == Form::Diagrams && answer == Err(NoAnswer::TooLarge) {
                    break;
                }
                assert_eq!(answer, Ok(false), "{operator:?} is encoded wrongly");
                decided[usize::from(form == Form::Diagrams)] += 1;
            }
        }
    }
    assert!(decided[1] * 2 > decided[0], "{decided:?}");
}
