//! Where two circuits differ, in words.

use entail_budget::Budget;
use entail_evidence::Trace;
use entail_model::{TransitionSystem, Valuation, evaluate};
use entail_proof::pair::{Pair, check_difference};

/// The output in which the circuits differ first along a trace, with its step and values: as both are run, and shown with the values of the circuit that is both.
pub(crate) fn difference(
    system: &TransitionSystem,
    pair: &Pair,
    outputs: &[usize],
    trace: &Trace,
) -> Option<String> {
    let found = check_difference(pair, outputs, trace, &Budget::unlimited()).ok()?;
    let name = &pair.outputs.get(found.output)?.name;
    let values = trace.steps.get(found.step)?;
    let value = |who: &str| {
        let wanted = format!("{who}.{name}");
        let define = system.defines.iter().find(|define| *define.name == *wanted);
        let value = match define {
            Some(define) => evaluate(&system.terms, define.term, Valuation::state(values)).ok()?,
            // (An output that is a register is called like it.)
            None => {
                let register = system.variables().iter().position(|one| *one.name == *wanted)?;
                values.get(register)?.clone()?
            }
        };
        Some(value.to_string())
    };
    let place = format!("output `{name}` at step {}", found.step);
    Some(match (value("gold"), value("gate")) {
        (Some(gold), Some(gate)) => {
            format!("{place}, {gold} in the first circuit and {gate} in the second")
        }
        _ => place,
    })
}
