//! A difference that does not depend on X.
//!
//! Engines look for any difference, whatever the X of gold are. Where the one that was found is none because gold's output is X there, random runs are tried: most circuits
//! that really differ do so soon, under many inputs.

use crate::model::SystemModel;
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_model::{Sort, Stimulus, Value, Word};
use entail_proof::pair::first_difference;
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Runs that are tried, and the longest.
const RUNS: usize = 200;
const LONGEST: usize = 24;

/// A run on which an output of gold has a value, and gate's another one, if one is met.
pub(crate) fn random_difference(model: &SystemModel, position: usize, budget: &Budget) -> Option<Trace> {
    let (pair, outputs) = model.compared(position)?;
    let registers = &model.content.circuit.as_ref()?.registers;
    let system = model.system();
    let mut random = StdRng::seed_from_u64(position as u64);
    for attempt in 0..RUNS {
        budget.check_now().ok()?;
        let mut frame = || {
            let inputs = registers.inputs.iter().enumerate();
            let values = inputs
                .filter_map(|(at, &input)| Some((at, value(&system.variable(input).sort, &mut random)?)));
            values.collect::<Vec<_>>()
        };
        let stimulus = Stimulus {
            inputs: (0..=attempt % LONGEST).map(|_| frame()).collect(),
            ..Stimulus::default()
        };
        let steps = registers.run(system, &stimulus).ok()?;
        let trace = Trace {
            steps,
            loop_start: None,
        };
        if let Some(found) = first_difference(pair, outputs, &trace, budget).ok()? {
            let mut trace = trace;
            trace.steps.truncate(found.step + 2);
            return Some(ended(trace, model));
        }
    }
    None
}

/// The last step of a finite path has no inputs.
fn ended(mut trace: Trace, model: &SystemModel) -> Trace {
    if let Some(last) = trace.steps.last_mut() {
        for input in model.system().input_variables() {
            last[input.index()] = None;
        }
    }
    trace
}

fn value(sort: &Sort, random: &mut StdRng) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(random.random_bool(0.5))),
        Sort::Word { width, signed } => {
            let digits = (0..width.div_ceil(32)).map(|_| random.random()).collect();
            Some(Value::Word(Word::new(*width, *signed, BigUint::new(digits))))
        }
        _ => None,
    }
}
