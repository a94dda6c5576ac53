//! Counterexamples of circuits in the field's own formats: AIGER and BTOR2 witnesses, written and read.
//!
//! A witness says only what is chosen; everything else follows from the circuit. On the way out, what is chosen is picked from a trace.
//! On the way in, the circuit is simulated ([`Registers::run`]), and what comes out is an ordinary trace for the ordinary checkers. It may
//! reach the bad state before its end (the rest is cut off) and, for justice, return to any of the states it passed.
//!
//! [`Registers::run`]: entail_model::Registers::run

use crate::judge::{Known, judge};
use crate::languages::Syntax;
use crate::model::{Circuit, SystemModel};
use entail_answer::{Answer, Verdict};
use entail_budget::Budget;
use entail_evidence::{CheckOptions, CheckReport, Evidence, Outcome, Trace};
use entail_family::{Claim as Claimed, ReadError};
use entail_logic::{Property, Question};
use entail_model::{Claim, TermId, Valuation, Value, VarId, Witness, WitnessError, evaluate_bool};

/// The extension of witness files.
pub(crate) const EXTENSION: &str = "wit";

/// A trace that refutes a property of a circuit as a witness in the circuit's own format. There is none for other models, and for formulas
/// that are not in the file.
pub(crate) fn write(model: &SystemModel, property: usize, trace: &Trace) -> Option<String> {
    let circuit = model.content.circuit.as_ref()?;
    let claim = match property.checked_sub(circuit.bad) {
        None => Claim::Bad(property),
        Some(justice) if justice < circuit.justice => Claim::Justice(justice),
        Some(_) => return None,
    };
    let steps = match (claim, &model.property(property)?.question) {
        // The state after the bad step is shown in traces, but is no frame.
        (Claim::Bad(_), Question::Invariant(safe)) if !violated_in_last_state(model, *safe, trace) => {
            &trace.steps[..trace.steps.len().saturating_sub(1)]
        }
        _ => &trace.steps[..],
    };
    match model.syntax {
        // (With monitors of properties, it is no longer the circuit of the file.)
        Syntax::Aiger if model.content.asked.is_empty() => Some(aiger_witness(circuit, claim, steps)),
        Syntax::Smv => None,
        _ => Some(btor2_witness(model, circuit, claim, steps)),
    }
}

fn violated_in_last_state(model: &SystemModel, safe: TermId, trace: &Trace) -> bool {
    let last = trace.steps.last().map_or(&[][..], Vec::as_slice);
    evaluate_bool(&model.system().terms, safe, Valuation::state(last)) == Ok(false)
}

fn btor2_witness(
    model: &SystemModel,
    circuit: &Circuit,
    claim: Claim,
    steps: &[Vec<Option<Value>>],
) -> String {
    let registers = &circuit.registers;
    let frame = |(number, step): (usize, &Vec<Option<Value>>)| {
        let named = |(position, variable): (usize, VarId)| {
            let value = step[variable.index()].clone()?;
            let name = model.system().variable(variable).name.to_string();
            Some((position, name, value))
        };
        // A witness gives the registers that nothing determines.
        let chosen = registers.registers.iter().enumerate().filter(|(_, register)| {
            let given = if number == 0 { register.init } else { register.next };
            given.is_none()
        });
        entail_btor2::WitnessFrame {
            states: chosen
                .map(|(position, register)| (position, register.variable))
                .filter_map(named)
                .collect(),
            inputs: (registers.inputs.iter().copied().enumerate())
                .filter_map(named)
                .collect(),
        }
    };
    let frames: Vec<_> = steps.iter().enumerate().map(frame).collect();
    entail_btor2::write_witness(claim, &frames)
}

fn aiger_witness(circuit: &Circuit, claim: Claim, steps: &[Vec<Option<Value>>]) -> String {
    let bit =
        |step: &Vec<Option<Value>>, variable: VarId| step[variable.index()].as_ref().and_then(Value::as_bool);
    let registers = &circuit.registers;
    let first = steps.first().map_or(Vec::new(), |step| {
        let bits = registers
            .registers
            .iter()
            .map(|register| bit(step, register.variable));
        bits.collect()
    });
    let frames = steps
        .iter()
        .map(|step| registers.inputs.iter().map(|&input| bit(step, input)).collect());
    entail_aiger::write_witness(claim, &first, frames)
}

/// Whether a text is a witness rather than a JSON document.
pub(crate) fn is_witness(text: &str) -> bool {
    !text.trim_start().starts_with(['{', '['])
}

/// The claims of a witness file, each with the path that the circuit takes. A path that shows nothing is a claim without evidence; its
/// reason says what is missing.
pub(crate) fn read(model: &SystemModel, text: &str) -> Result<Vec<Claimed>, ReadError> {
    let Some(circuit) = &model.content.circuit else {
        return Err("this is no saved evidence; witness files are for circuits (AIGER, BTOR2)".into());
    };
    let mut claimed = Vec::new();
    let witnesses = parse(model, circuit, text).map_err(|error| error.to_string())?;
    for Witness { claims, stimulus } in witnesses {
        let steps = circuit
            .registers
            .run(model.system(), &stimulus)
            .map_err(|error| error.to_string())?;
        for claim in claims {
            let position = match claim {
                Claim::Bad(number) if number < circuit.bad => number,
                Claim::Justice(number) if number < circuit.justice => circuit.bad + number,
                Claim::Bad(number) => return Err(format!("the circuit has no property b{number}").into()),
                Claim::Justice(number) => {
                    return Err(format!("the circuit has no property j{number}").into());
                }
            };
            let property = model
                .property(position)
                .ok_or("the circuit has no such property")?;
            let path = match claim {
                Claim::Bad(_) => path_to_bad(model, property, &steps),
                Claim::Justice(_) => just_loop(model, property, &steps),
            };
            let answer = match path {
                Ok(trace) => refuted_by(trace).boxed(),
                Err(reason) => Answer {
                    evidence: None,
                    reason: Some(reason),
                    verdict: Verdict::Fails,
                    ..Answer::unknown("")
                },
            };
            claimed.push(Claimed {
                property: position,
                answer,
            });
        }
    }
    match claimed.is_empty() {
        true => Err("the file has no witness of a failing property".into()),
        false => Ok(claimed),
    }
}

fn parse(model: &SystemModel, circuit: &Circuit, text: &str) -> Result<Vec<Witness>, WitnessError> {
    let registers = &circuit.registers;
    match model.syntax {
        Syntax::Aiger if model.content.asked.is_empty() => {
            entail_aiger::read_witnesses(text, registers.registers.len(), registers.inputs.len())
        }
        _ => entail_btor2::read_witnesses(text, model.system(), registers),
    }
}

fn refuted_by(trace: Trace) -> Outcome {
    Outcome::complete(Verdict::Fails, Evidence::Trace(trace))
}

/// The path up to the first frame in which the property is violated.
fn path_to_bad(
    model: &SystemModel,
    property: &Property<TermId>,
    steps: &[Vec<Option<Value>>],
) -> Result<Trace, String> {
    let Question::Invariant(safe) = property.question else {
        return Err("the property is not about bad states".to_owned());
    };
    let terms = &model.system().terms;
    let violated = |step: &[Option<Value>]| evaluate_bool(terms, safe, Valuation::state(step)) == Ok(false);
    let frames = steps.len().saturating_sub(1);
    let Some(bad) = (0..frames).find(|&frame| violated(&steps[frame])) else {
        return Err(format!(
            "none of its {frames} frames is a bad state in which all constraints hold"
        ));
    };
    let without_inputs = |step: &[Option<Value>]| {
        let mut state = step.to_vec();
        for input in model.system().input_variables() {
            state[input.index()] = None;
        }
        state
    };
    // What depends on inputs is violated along a step.
    let end = match violated(&without_inputs(&steps[bad])) {
        true => bad,
        false => bad + 1,
    };
    let mut path = steps[..end].to_vec();
    path.push(without_inputs(&steps[end]));
    Ok(Trace {
        steps: path,
        loop_start: None,
    })
}

/// The path with a loop that its last state allows: the first with which it refutes the property, or else the last.
fn just_loop(
    model: &SystemModel,
    property: &Property<TermId>,
    steps: &[Vec<Option<Value>>],
) -> Result<Trace, String> {
    let system = model.subject(property);
    let Some((end, path)) = steps.split_last() else {
        return Err("the witness has no frames".to_owned());
    };
    let same = |step: &Vec<Option<Value>>| {
        system
            .state_variables()
            .all(|variable| step[variable.index()] == end[variable.index()])
    };
    let starts: Vec<usize> = (0..path.len()).filter(|&start| same(&path[start])).collect();
    let lasso = |start: usize| Trace {
        steps: path.to_vec(),
        loop_start: Some(start),
    };
    let refutes = |start: &usize| {
        let report: CheckReport = judge(
            system,
            property,
            &refuted_by(lasso(*start)),
            &CheckOptions::default(),
            &mut Known::default(),
            &Budget::unlimited(),
        );
        !report.is_rejected()
    };
    match starts.as_slice() {
        [] => Err(
            "after the last frame the circuit is in a state that it was not in before: there is no loop"
                .to_owned(),
        ),
        [only] => Ok(lasso(*only)),
        [.., last] => Ok(lasso(*starts.iter().find(|start| refutes(start)).unwrap_or(last))),
    }
}
