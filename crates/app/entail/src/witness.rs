//! Counterexamples of circuits in the field's own formats: AIGER and BTOR2 witnesses, written and read.
//!
//! A witness says only what is chosen; everything else follows from the circuit. On the way out, what is chosen is picked from a trace.
//! On the way in, the circuit is simulated ([`Registers::run`]), and what comes out is an ordinary trace for the ordinary checkers. It may
//! reach the bad state before its end (the rest is cut off) and, for justice, return to any of the states it passed.
//!
//! [`Registers::run`]: entail_model::Registers::run

use crate::check::check_evidence;
use crate::model::{Circuit, Model};
use crate::{Certified, CertifyError, Language};
use entail_budget::Budget;
use entail_evidence::{CheckOptions, CheckReport, Evidence, Outcome, Trace, Verdict};
use entail_logic::{Property, Question};
use entail_model::{Claim, TermId, Valuation, Value, VarId, Witness, WitnessError, evaluate_bool};

/// The extension of witness files.
pub const WITNESS_EXTENSION: &str = "wit";

impl Model {
    /// A trace that refutes a property of a circuit as a witness in the circuit's own format. There is none for other
    /// models, and for formulas that are not in the file.
    pub fn witness(&self, property: usize, trace: &Trace) -> Option<String> {
        let circuit = self.content.circuit.as_ref()?;
        let claim = match property.checked_sub(circuit.bad) {
            None => Claim::Bad(property),
            Some(justice) if justice < circuit.justice => Claim::Justice(justice),
            Some(_) => return None,
        };
        let steps = match (claim, &self.properties()[property].question) {
            // The state after the bad step is shown in traces, but is no frame.
            (Claim::Bad(_), Question::Invariant(safe)) if !self.violated_in_last_state(*safe, trace) => {
                &trace.steps[..trace.steps.len() - 1]
            }
            _ => &trace.steps[..],
        };
        match self.language() {
            Language::Aiger => Some(aiger_witness(circuit, claim, steps)),
            Language::Btor2 | Language::Verilog => Some(self.btor2_witness(circuit, claim, steps)),
            Language::Smv | Language::Promela => None,
        }
    }

    fn violated_in_last_state(&self, safe: TermId, trace: &Trace) -> bool {
        let last = trace.steps.last().map_or(&[][..], Vec::as_slice);
        evaluate_bool(&self.system().terms, safe, Valuation::state(last)) == Ok(false)
    }

    fn btor2_witness(&self, circuit: &Circuit, claim: Claim, steps: &[Vec<Option<Value>>]) -> String {
        let frame = |(number, step): (usize, &Vec<Option<Value>>)| {
            let named = |(position, variable): (usize, VarId)| {
                let value = step[variable.index()].clone()?;
                let name = self.system().variable(variable).name.to_string();
                Some((position, name, value))
            };
            let chosen = circuit
                .registers
                .registers
                .iter()
                .enumerate()
                .filter(|(_, register)| {
                    let given = if number == 0 { register.init } else { register.next };
                    given.is_none()
                });
            entail_btor2::WitnessFrame {
                states: chosen
                    .map(|(position, register)| (position, register.variable))
                    .filter_map(named)
                    .collect(),
                inputs: circuit
                    .registers
                    .inputs
                    .iter()
                    .copied()
                    .enumerate()
                    .filter_map(named)
                    .collect(),
            }
        };
        let frames: Vec<_> = steps.iter().enumerate().map(frame).collect();
        entail_btor2::write_witness(claim, &frames)
    }
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

/// Replays all witnesses of a file.
pub(crate) fn certify_witnesses(
    model: &Model,
    text: &str,
    budget: &Budget,
) -> Result<Vec<Certified>, CertifyError> {
    let wrong = |message: String| CertifyError::Witness { message };
    let Some(circuit) = &model.content.circuit else {
        return Err(wrong(
            "this is no saved evidence; witness files are for circuits (AIGER, BTOR2)".into(),
        ));
    };
    let mut certified = Vec::new();
    let witnesses = read(model, circuit, text).map_err(|error| wrong(error.to_string()))?;
    for Witness { claims, stimulus } in witnesses {
        let steps = circuit
            .registers
            .run(model.system(), &stimulus)
            .map_err(|error| wrong(error.to_string()))?;
        for claim in claims {
            let position = match claim {
                Claim::Bad(number) if number < circuit.bad => number,
                Claim::Justice(number) if number < circuit.justice => circuit.bad + number,
                Claim::Bad(number) => return Err(wrong(format!("the circuit has no property b{number}"))),
                Claim::Justice(number) => {
                    return Err(wrong(format!("the circuit has no property j{number}")));
                }
            };
            let property = model.properties()[position].clone();
            let report = match claim {
                Claim::Bad(_) => replay_bad(model, &property, &steps, budget),
                Claim::Justice(_) => replay_loop(model, &property, &steps, budget),
            };
            certified.push(Certified {
                property,
                verdict: Verdict::Fails,
                report,
                notes: Vec::new(),
            });
        }
    }
    if certified.is_empty() {
        return Err(wrong("the file has no witness of a failing property".into()));
    }
    Ok(certified)
}

fn read(model: &Model, circuit: &Circuit, text: &str) -> Result<Vec<Witness>, WitnessError> {
    let registers = &circuit.registers;
    if model.language() == Language::Aiger {
        entail_aiger::read_witnesses(text, registers.registers.len(), registers.inputs.len())
    } else {
        entail_btor2::read_witnesses(text, model.system(), registers)
    }
}

/// The path up to the first frame in which the property is violated, given to the checker.
fn replay_bad(
    model: &Model,
    property: &Property<TermId>,
    steps: &[Vec<Option<Value>>],
    budget: &Budget,
) -> CheckReport {
    let Question::Invariant(safe) = property.question else {
        return CheckReport::Rejected {
            reason: "the property is not about bad states".into(),
        };
    };
    let terms = &model.system().terms;
    let violated = |step: &[Option<Value>]| evaluate_bool(terms, safe, Valuation::state(step)) == Ok(false);
    let frames = steps.len().saturating_sub(1);
    let Some(bad) = (0..frames).find(|&frame| violated(&steps[frame])) else {
        return CheckReport::Rejected {
            reason: format!("none of its {frames} frames is a bad state in which all constraints hold"),
        };
    };
    let mut last = steps[bad].clone();
    for input in model.system().input_variables() {
        last[input.index()] = None;
    }
    let path = if violated(&last) {
        let mut path = steps[..bad].to_vec();
        path.push(last);
        path
    } else {
        // What depends on inputs is violated along a step.
        let mut path = steps[..=bad + 1].to_vec();
        if let Some(end) = path.last_mut() {
            for input in model.system().input_variables() {
                end[input.index()] = None;
            }
        }
        path
    };
    judge(model, property, path, None, budget)
}

/// The path with every loop that its last state allows, until the checker accepts one.
fn replay_loop(
    model: &Model,
    property: &Property<TermId>,
    steps: &[Vec<Option<Value>>],
    budget: &Budget,
) -> CheckReport {
    let system = model.system();
    let Some((end, path)) = steps.split_last() else {
        return CheckReport::Rejected {
            reason: "the witness has no frames".into(),
        };
    };
    let same = |step: &Vec<Option<Value>>| {
        system
            .state_variables()
            .all(|variable| step[variable.index()] == end[variable.index()])
    };
    let mut verdict = CheckReport::Rejected {
        reason: "after the last frame the circuit is in a state that it was not in before: there is no loop"
            .into(),
    };
    for start in (0..path.len()).filter(|&start| same(&path[start])) {
        verdict = judge(model, property, path.to_vec(), Some(start), budget);
        if !verdict.is_rejected() {
            break;
        }
    }
    verdict
}

fn judge(
    model: &Model,
    property: &Property<TermId>,
    steps: Vec<Vec<Option<Value>>>,
    loop_start: Option<usize>,
    budget: &Budget,
) -> CheckReport {
    let trace = Trace { steps, loop_start };
    let outcome = Outcome::complete(Verdict::Fails, Evidence::Trace(trace));
    check_evidence(
        model.system(),
        property,
        &outcome,
        &CheckOptions::default(),
        budget,
    )
}
