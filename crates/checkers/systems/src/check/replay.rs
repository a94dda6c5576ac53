//! Replaying a trace: is it a path of the system?
//!
//! Every state has a value of its sort for every state variable and satisfies the invariants; the first is initial where
//! that is asked; every step satisfies every transition conjunct under its inputs, keeps the frozen variables, and meets no
//! hazard; the step from the last position back to the start of the loop is a step like the others. A step of the `Stutter`
//! policy (a state repeated without inputs) is not judged here: it is reported to the caller, who has to see that the state
//! is a dead end.

use crate::condition::{Conditions, choosing, looks_ahead, reads_inputs};
use entail_evidence::{Trace, Truth};
use entail_model::{Hazard, TermId, TransitionSystem, Valuation, Value, VarKind};

/// Why a trace is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is no step, a step has the wrong number of values, or the loop starts outside the trace.
    #[error("{0}")]
    Shape(String),
    /// A variable has no value, or one outside its sort.
    #[error("at step {step}, {what}")]
    Value {
        /// Position in the trace.
        step: usize,
        /// What is wrong.
        what: String,
    },
    /// A condition on one state is not satisfied.
    #[error("the state at step {step} {what}")]
    State {
        /// Position in the trace.
        step: usize,
        /// What is wrong.
        what: String,
    },
    /// Two successive states are not related by the transition relation.
    #[error("from step {step} to step {to}: {what}")]
    Step {
        /// Position the step starts from.
        step: usize,
        /// Position it leads to.
        to: usize,
        /// What is wrong.
        what: String,
    },
}

/// What a replay leaves to the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replayed {
    /// Positions whose step repeats the state without inputs and is no transition.
    pub stuttering: Vec<usize>,
}

/// Whether the trace is a path of the system (from an initial state, if `initial`).
pub fn replay(system: &TransitionSystem, trace: &Trace, initial: bool) -> Result<(), ReplayError> {
    let replayed = replay_stuttering(system, trace, initial)?;
    match replayed.stuttering.first() {
        None => Ok(()),
        Some(&step) => Err(ReplayError::Step {
            step,
            to: trace.successor(step).unwrap_or(step),
            what: "the state is repeated, which is not a transition".into(),
        }),
    }
}

pub(crate) fn replay_stuttering(
    system: &TransitionSystem,
    trace: &Trace,
    initial: bool,
) -> Result<Replayed, ReplayError> {
    shape(system, trace)?;
    let hazards: Vec<TermId> = system.hazards.iter().map(|hazard| hazard.condition).collect();
    let hazards = Conditions::new(&system.terms, &hazards);
    let invariant = Conditions::new(&system.terms, &system.invariant);
    let relation = Conditions::new(&system.terms, &system.transition);
    let choosing = choosing(system);
    for (step, values) in trace.steps.iter().enumerate() {
        values_of_their_sorts(system, step, values)?;
        let at = Valuation::state(values);
        let problem = match required(&invariant, at) {
            Err((_, problem)) => Some(format!(
                "violates an invariant of the model: a condition {problem}"
            )),
            Ok(()) => {
                let along = match required(&choosing, at) {
                    Ok(()) => Along::Choice,
                    Err(_) => Along::State,
                };
                met_hazard(system, &hazards, at, along)
                    .map(|hazard| format!("has no meaning in the model: {hazard}"))
            }
        };
        if let Some(what) = problem {
            return Err(ReplayError::State { step, what });
        }
    }
    if initial {
        let init = Conditions::new(&system.terms, &system.init);
        required(&init, Valuation::state(&trace.steps[0])).map_err(|(_, problem)| ReplayError::State {
            step: 0,
            what: format!("is not initial: an initial condition {problem}"),
        })?;
    }
    let mut replayed = Replayed::default();
    for step in 0..trace.steps.len() {
        if let Some(to) = trace.successor(step)
            && let Err(what) = transition(
                system,
                (&relation, &hazards),
                &trace.steps[step],
                &trace.steps[to],
            )
        {
            if repeats_without_inputs(system, &trace.steps[step], &trace.steps[to]) {
                replayed.stuttering.push(step);
            } else {
                return Err(ReplayError::Step { step, to, what });
            }
        }
    }
    Ok(replayed)
}

fn shape(system: &TransitionSystem, trace: &Trace) -> Result<(), ReplayError> {
    if trace.steps.is_empty() {
        return Err(ReplayError::Shape("the trace has no step".into()));
    }
    if let Some(start) = trace.loop_start
        && start >= trace.steps.len()
    {
        return Err(ReplayError::Shape(format!(
            "the loop starts at step {start}, but there are only {} steps",
            trace.steps.len()
        )));
    }
    let variables = system.variables().len();
    match trace.steps.iter().position(|values| values.len() != variables) {
        None => Ok(()),
        Some(step) => Err(ReplayError::Shape(format!(
            "step {step} has {} values for {variables} variables",
            trace.steps[step].len()
        ))),
    }
}

fn values_of_their_sorts(
    system: &TransitionSystem,
    step: usize,
    values: &[Option<Value>],
) -> Result<(), ReplayError> {
    for (variable, value) in system.variables().iter().zip(values) {
        let what = match value {
            Some(value) if variable.sort.contains(value) => continue,
            Some(value) => format!(
                "`{}` has the value {value}, which is not in {}",
                variable.name, variable.sort
            ),
            None if variable.kind == VarKind::Input => continue,
            None => format!("`{}` has no value", variable.name),
        };
        return Err(ReplayError::Value { step, what });
    }
    Ok(())
}

fn transition(
    system: &TransitionSystem,
    (relation, hazards): (&Conditions<'_>, &Conditions<'_>),
    now: &[Option<Value>],
    after: &[Option<Value>],
) -> Result<(), String> {
    for (position, variable) in system.variables().iter().enumerate() {
        match variable.kind {
            VarKind::State => {}
            VarKind::Input if now[position].is_none() => {
                return Err(format!("the input `{}` has no value", variable.name));
            }
            VarKind::Input => {}
            VarKind::Frozen if now[position] != after[position] => {
                return Err(format!("the frozen variable `{}` changes", variable.name));
            }
            VarKind::Frozen => {}
        }
    }
    let step = Valuation::step(now, after);
    required(relation, step)
        .map_err(|(number, problem)| format!("transition condition {number} {problem}"))?;
    match met_hazard(system, hazards, step, Along::Step) {
        None => Ok(()),
        Some(hazard) => Err(format!("the step has no meaning in the model: {hazard}")),
    }
}

/// Whether all conditions are true; otherwise which one is not, and what it is.
fn required(conditions: &Conditions<'_>, at: Valuation<'_>) -> Result<(), (usize, &'static str)> {
    let truths = conditions.truths(at);
    match truths.iter().position(|&truth| truth != Truth::True) {
        None => Ok(()),
        Some(number) if truths[number] == Truth::False => Err((number, "is false")),
        Some(number) => Err((number, "depends on a value that is not given")),
    }
}

/// What a hazard is looked for in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Along {
    /// A state alone: hazards about inputs are met where inputs can be chosen, even where their value is decided without them.
    State,
    /// A state with inputs that can be chosen, whether or not it has a successor: hazards about next values are met by steps only.
    Choice,
    Step,
}

/// What the first hazard that is met says.
fn met_hazard<'a>(
    system: &'a TransitionSystem,
    hazards: &Conditions<'_>,
    at: Valuation<'_>,
    along: Along,
) -> Option<&'a str> {
    let met = hazards.truths(at);
    let counts = |hazard: &Hazard| match along {
        Along::Step => true,
        Along::Choice => !looks_ahead(&system.terms, hazard.condition),
        Along::State => {
            !looks_ahead(&system.terms, hazard.condition) && !reads_inputs(system, hazard.condition)
        }
    };
    let mut hazards = system.hazards.iter().zip(met);
    let (hazard, _) = hazards.find(|(hazard, truth)| *truth == Truth::True && counts(hazard))?;
    Some(&hazard.message)
}

/// Whether the two steps show the same state and the first chooses no input.
fn repeats_without_inputs(system: &TransitionSystem, now: &[Option<Value>], after: &[Option<Value>]) -> bool {
    same_state(system, now, after)
        && system
            .input_variables()
            .all(|variable| now[variable.index()].is_none())
}

/// Whether two valuations agree on everything but inputs.
pub(crate) fn same_state(system: &TransitionSystem, left: &[Option<Value>], right: &[Option<Value>]) -> bool {
    left.len() == right.len()
        && system
            .state_variables()
            .all(|variable| left.get(variable.index()) == right.get(variable.index()))
}
