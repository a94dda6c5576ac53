//! Watching for hazards: conditions under which the model has no meaning.
//!
//! A hazard over current variables is looked for in every reachable state, one over inputs or next values along every
//! step, including steps that exist but for a value outside its variable's domain.

use crate::Unsupported;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::stepper::Stepper;
use entail_model::Hazard;

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

    /// A hazard of the state.
    pub fn in_state<'s>(&mut self, stepper: &'s Stepper, packed: &[u64]) -> Option<&'s Hazard> {
        if self.states.is_empty() {
            return None;
        }
        self.states.load_state(&stepper.layout, packed);
        first(&mut self.states, &self.state_numbers, stepper)
    }

    /// A hazard of the current state in the registers, which need not be a state.
    pub fn in_current<'s>(&mut self, stepper: &'s Stepper, leaves: &[i64]) -> Option<&'s Hazard> {
        if self.states.is_empty() {
            return None;
        }
        self.states.load(leaves);
        first(&mut self.states, &self.state_numbers, stepper)
    }

    /// A hazard of the step.
    #[inline]
    pub fn in_step<'s>(&mut self, stepper: &'s Stepper, leaves: &[i64]) -> Option<&'s Hazard> {
        if self.steps.is_empty() {
            return None;
        }
        self.steps.load(leaves);
        first(&mut self.steps, &self.step_numbers, stepper)
    }
}

fn first<'s>(evaluator: &mut Evaluator, numbers: &[usize], stepper: &'s Stepper) -> Option<&'s Hazard> {
    (0..numbers.len())
        .find(|&at| evaluator.truth(&stepper.system, &stepper.layout, at))
        .map(|at| &stepper.system.hazards[numbers[at]])
}
