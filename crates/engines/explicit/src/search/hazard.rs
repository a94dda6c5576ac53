//! Watching for hazards: conditions under which the model has no meaning.
//!
//! A hazard over current variables is looked for in every reachable state, one over inputs or next values along every
//! step, including steps that exist but for a value outside its variable's domain. One over inputs counts for every choice of inputs, whether or not a
//! step follows; where constraints may leave a choice without a step, choices are enumerated by a system of their own, whose
//! steps change nothing.

use crate::Unsupported;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::stepper::Stepper;
use entail_budget::{Budget, Spent};
use entail_model::{Op, TermId, TransitionSystem, Value};

/// The compiled hazards of a system.
#[derive(Debug)]
pub(crate) struct HazardWatch {
    states: Evaluator,
    state_numbers: Vec<usize>,
    steps: Evaluator,
    step_numbers: Vec<usize>,
    choices: Option<Choices>,
}

/// The choices of inputs as steps of a system that changes nothing, and the hazards about them.
#[derive(Debug)]
struct Choices {
    stepper: Stepper,
    hazards: Evaluator,
    numbers: Vec<usize>,
}

impl Choices {
    /// Nothing where no hazard is about inputs, or every choice has a step.
    fn new(system: &TransitionSystem) -> Result<Option<Choices>, Unsupported> {
        let looks_ahead = |term: TermId| !system.terms.support(&[term]).1.is_empty();
        let about_inputs = |&number: &usize| {
            let condition = system.hazards[number].condition;
            is_about_steps(system, condition) && !looks_ahead(condition)
        };
        let numbers: Vec<usize> = (0..system.hazards.len()).filter(about_inputs).collect();
        if numbers.is_empty() || has_step_for_every_choice(system) {
            return Ok(None);
        }
        let terms: Vec<TermId> = numbers.iter().map(|&at| system.hazards[at].condition).collect();
        let mut still = system.clone();
        still.hazards.clear();
        still.transition.retain(|&term| !looks_ahead(term));
        for variable in system.state_variables() {
            let (now, next) = (still.current(variable), still.next(variable));
            let same = still.terms.equal(next, now);
            still.transition.extend(same.ok());
        }
        let stepper = Stepper::new(&still, &terms)?;
        Ok(Some(Choices {
            hazards: Evaluator::new(&stepper.system, &stepper.layout, &terms)?,
            stepper,
            numbers,
        }))
    }
}

/// Whether constraints are such that a step follows every choice of inputs: each says what one variable is next, and no two the same.
fn has_step_for_every_choice(system: &TransitionSystem) -> bool {
    let terms = &system.terms;
    let mut defined = Vec::new();
    let mut is_definition = |term: TermId| {
        let (_, next) = terms.support(&[term]);
        let [variable] = next[..] else {
            return next.is_empty();
        };
        let is_variable = |side: TermId| matches!(terms.op(side), Op::Next(_));
        let reads_next = |side: TermId| !terms.support(&[side]).1.is_empty();
        let is_equation = match (terms.op(term), terms.operands(term)) {
            (Op::Equal, &[left, right]) => {
                is_variable(left) && !reads_next(right) || is_variable(right) && !reads_next(left)
            }
            _ => false,
        };
        let is_first = !defined.contains(&variable);
        defined.push(variable);
        is_equation && is_first
    };
    system.invariant.is_empty() && system.transition.iter().all(|&term| is_definition(term))
}

/// A hazard's number, and a state with inputs.
type WithInputs = (usize, Vec<Option<Value>>);

impl Choices {
    fn first(&mut self, packed: &[u64], budget: &Budget) -> Result<Option<WithInputs>, Spent> {
        let mut cursor = self.stepper.cursor();
        cursor.start_steps(packed);
        while cursor.next(budget)?.is_some() {
            self.hazards.load(cursor.leaves());
            if let Some(hazard) = first(&mut self.hazards, &self.numbers, &self.stepper) {
                let now = self.stepper.layout.read_values(cursor.leaves(), true);
                return Ok(Some((hazard, now)));
            }
        }
        Ok(None)
    }
}

impl HazardWatch {
    pub fn new(stepper: &Stepper) -> Result<HazardWatch, Unsupported> {
        let system = &stepper.system;
        let (step_numbers, state_numbers): (Vec<usize>, Vec<usize>) =
            (0..system.hazards.len()).partition(|&at| is_about_steps(system, system.hazards[at].condition));
        let compile = |numbers: &[usize]| {
            let terms: Vec<_> = numbers.iter().map(|&at| system.hazards[at].condition).collect();
            Evaluator::new(system, &stepper.layout, &terms)
        };
        Ok(HazardWatch {
            states: compile(&state_numbers)?,
            steps: compile(&step_numbers)?,
            state_numbers,
            step_numbers,
            choices: Choices::new(system)?,
        })
    }

    /// The number of a hazard under a choice of inputs in the state, with the state and the inputs.
    #[inline]
    pub fn in_choice(&mut self, packed: &[u64], budget: &Budget) -> Result<Option<WithInputs>, Spent> {
        match &mut self.choices {
            None => Ok(None),
            Some(choices) => choices.first(packed, budget),
        }
    }

    /// Whether some hazard is about states.
    pub fn watches_states(&self) -> bool {
        !self.states.is_empty()
    }

    /// The number of a hazard of the state.
    pub fn in_state(&mut self, stepper: &Stepper, packed: &[u64]) -> Option<usize> {
        if self.states.is_empty() {
            return None;
        }
        self.states.load_state(&stepper.layout, packed);
        first(&mut self.states, &self.state_numbers, stepper)
    }

    /// The number of a hazard of the current state in the registers, which need not be a state.
    pub fn in_current(&mut self, stepper: &Stepper, leaves: &[i64]) -> Option<usize> {
        if self.states.is_empty() {
            return None;
        }
        self.states.load(leaves);
        first(&mut self.states, &self.state_numbers, stepper)
    }

    /// The number of a hazard of the step.
    #[inline]
    pub fn in_step(&mut self, stepper: &Stepper, leaves: &[i64]) -> Option<usize> {
        if self.steps.is_empty() {
            return None;
        }
        self.steps.load(leaves);
        first(&mut self.steps, &self.step_numbers, stepper)
    }
}

fn first(evaluator: &mut Evaluator, numbers: &[usize], stepper: &Stepper) -> Option<usize> {
    (0..numbers.len())
        .find(|&at| evaluator.truth(&stepper.system, &stepper.layout, at))
        .map(|at| numbers[at])
}
