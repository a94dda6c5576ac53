//! Every operator, on random values: what a term denotes is what the reference evaluation says.

use crate::encoding::Encoding;
use crate::options::InitialOrder;
use crate::static_order::bit_order;
use crate::translate::Translator;
use entail_dd::{Config, Manager, Var};
use entail_model::{Sort, TermId, TransitionSystem, Valuation, Value, VarKind, evaluate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use std::sync::Arc;

fn terms_of_every_operator(system: &mut TransitionSystem) -> Vec<TermId> {
    let mut variable = |name: &str, sort: Sort| {
        let id = system.add_variable(name, sort, VarKind::State);
        system.current(id)
    };
    let signed = |width| Sort::Word { width, signed: true };
    let words = [
        (variable("u", Sort::word(4)), variable("v", Sort::word(4))),
        (variable("s", signed(4)), variable("t", signed(4))),
    ];
    let small = (
        variable("a", Sort::range(-3, 4)),
        variable("b", Sort::range(-2, 2)),
    );
    let large = (
        variable("m", Sort::range(-200, 100)),
        variable("n", Sort::range(-90, 90)),
    );
    let truth = variable("p", Sort::Bool);
    let index = Sort::range(1, 3);
    let array_sort = Sort::Array {
        index: Arc::new(index.clone()),
        element: Arc::new(Sort::range(0, 5)),
    };
    let array = variable("array", array_sort.clone());
    let at = variable("at", index);
    let shift = variable("shift", Sort::range(0, 6));
    let terms = &mut system.terms;
    let mut made = Vec::new();
    for (a, b) in words {
        for op in [
            entail_model::Terms::add,
            entail_model::Terms::subtract,
            entail_model::Terms::multiply,
            entail_model::Terms::divide,
            entail_model::Terms::remainder,
            entail_model::Terms::bit_and,
            entail_model::Terms::bit_or,
            entail_model::Terms::bit_xor,
            entail_model::Terms::concat,
            entail_model::Terms::less,
            entail_model::Terms::equal,
        ] {
            made.push(op(terms, a, b).expect("words of one shape"));
        }
        made.push(terms.negate(a).expect("a word"));
        made.push(terms.bit_not(a).expect("a word"));
        made.push(terms.shift_left(a, words[0].1).expect("an unsigned amount"));
        made.push(terms.shift_right(a, words[0].1).expect("an unsigned amount"));
        made.push(terms.shift_left(a, shift).expect("an amount"));
        made.push(terms.shift_right(a, shift).expect("an amount"));
        made.push(terms.extract(a, 2, 1).expect("bits of the word"));
        made.push(terms.extend(a, 3).expect("a word"));
        made.push(terms.reinterpret(a, true).expect("a word"));
        let number = terms.word_to_int(a).expect("a short word");
        made.push(number);
        made.push(terms.add(number, small.0).expect("integers"));
        made.push(terms.ite(truth, a, b).expect("one sort"));
    }
    for (a, b) in [small, large, (small.0, large.0), (large.1, small.1)] {
        for op in [
            entail_model::Terms::add,
            entail_model::Terms::subtract,
            entail_model::Terms::multiply,
            entail_model::Terms::divide,
            entail_model::Terms::remainder,
            entail_model::Terms::less,
            entail_model::Terms::equal,
        ] {
            made.push(op(terms, a, b).expect("integers"));
        }
        made.push(terms.negate(a).expect("an integer"));
        made.push(terms.int_to_word(a, 5, false).expect("an integer"));
        made.push(terms.int_to_word(b, 12, true).expect("an integer"));
        made.push(terms.ite(truth, a, b).expect("integers"));
    }
    made.push(terms.bool_to_word(truth).expect("a truth value"));
    made.push(terms.read(array, at).expect("an array"));
    made.push(terms.read(array, shift).unwrap_or(truth));
    let five = terms.integer(5);
    let written = terms.write(array, at, five).expect("an array");
    made.push(terms.read(written, at).expect("an array"));
    made.push(terms.equal(written, array).expect("arrays"));
    let everywhere = terms.constant_array(array_sort, five).expect("an element");
    made.push(terms.read(everywhere, at).expect("an array"));
    made
}

#[test]
fn denotations_agree_with_the_reference_evaluation_of_every_operator() {
    let mut system = TransitionSystem::new();
    let terms = terms_of_every_operator(&mut system);
    let mut rng = StdRng::seed_from_u64(7);
    let mut samples = Vec::new();
    for _ in 0..60 {
        let state: Vec<Option<Value>> = system
            .variables()
            .iter()
            .map(|variable| {
                let size = variable.sort.size().expect("small");
                Some(variable.sort.value_at(rng.random_range(0..size)))
            })
            .collect();
        let claims: Vec<TermId> = terms
            .iter()
            .map(|&term| {
                let value =
                    evaluate(&system.terms, term, Valuation::state(&state)).expect("all values are given");
                let constant = system.terms.constant(value);
                system.terms.equal(term, constant).expect("a value of the term")
            })
            .collect();
        samples.push((state, claims));
    }
    let manager = Manager::new(&Config::default()).expect("enough memory");
    let order = bit_order(&system, &InitialOrder::Declared).expect("few bits");
    let encoding = Encoding::new(&system, manager, &order).expect("few bits");
    let mut translator = Translator::new(&encoding, &system.terms);
    for (state, claims) in &samples {
        let mut bits: FxHashMap<Var, bool> = FxHashMap::default();
        for (layout, value) in encoding.layouts.iter().zip(state) {
            let position = layout
                .sort
                .position(value.as_ref().expect("given"))
                .expect("of the sort");
            match &layout.sort {
                // Elements are numbered in mixed radix, bits are laid out element by element.
                Sort::Array { element, .. } => {
                    let Some(Value::Array(elements)) = value else {
                        panic!("an array");
                    };
                    let width = layout.bits.len() / elements.len();
                    for (at, bit) in layout.bits.iter().enumerate() {
                        let position = element.position(&elements[at / width]).expect("of the sort");
                        bits.insert(bit.current, position >> (at % width) & 1 == 1);
                    }
                }
                _ => {
                    for (place, bit) in layout.bits.iter().enumerate() {
                        bits.insert(bit.current, position >> place & 1 == 1);
                    }
                }
            }
        }
        for (&term, &claim) in terms.iter().zip(claims) {
            let condition = translator.condition(claim).expect("translatable");
            assert!(
                condition.eval(|var| bits[&var]),
                "{:?} in {state:?}",
                system.terms.op(term)
            );
        }
    }
}
