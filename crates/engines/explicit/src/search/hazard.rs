//! Watching for hazards: conditions under which the model has no meaning.
//!
//! A hazard over current variables is looked for in every reachable state, one over inputs or next values along every
//! step, including steps that exist but for a value outside its variable's domain.

use crate::Unsupported;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::stepper::Stepper;

/// The compiled hazards of a system.
#[derive(Debug)]
pub(crate) struct HazardWatch {
    states: Evaluator,
    state_numbers: Vec<usize>,
    steps: Evaluator,
    step_numbers: Vec<usize>,
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
        })
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
