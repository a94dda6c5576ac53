//! A symbolic system as searches see it: a successor function over packed states.
//!
//! A state is the bytes of its packed words, without those at the end that no field reaches. Hazards, and what the invariant forbids, are flaws of
//! states or of steps. Inputs are not part of a state; they are found again when a trace is made.

use super::hazard::HazardWatch;
use crate::Unsupported;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::stepper::{Cursor, Found, Stepper};
use entail_budget::{Budget, Spent};
use entail_evidence::DeadEnds;
use entail_model::{TermId, Value};
use entail_search::{Explorer, Searchable, Steps};

/// What goes wrong in a system.
#[derive(Clone, Debug)]
pub(crate) enum Flaw {
    /// The hazard with this number; along a step also the state with the inputs of the step.
    Hazard(usize, Option<Vec<Option<Value>>>),
    /// The state violates the invariant.
    State,
    /// The step violates the invariant: the state with the inputs of the step, and where it leads.
    Step(Vec<Option<Value>>, Vec<u64>),
}

/// A system, what is watched for in it, and what its dead ends mean.
pub(crate) struct SystemSteps<'s> {
    stepper: &'s Stepper,
    invariant: Option<TermId>,
    dead_ends: DeadEnds,
}

impl<'s> SystemSteps<'s> {
    /// A system with an invariant to be watched; what cannot be compiled is said now.
    pub fn new(
        stepper: &'s Stepper,
        invariant: Option<TermId>,
        dead_ends: DeadEnds,
    ) -> Result<SystemSteps<'s>, Unsupported> {
        let steps = SystemSteps {
            stepper,
            invariant,
            dead_ends,
        };
        steps.watches()?;
        Ok(steps)
    }

    fn watches(&self) -> Result<(HazardWatch, Option<Evaluator>), Unsupported> {
        let (system, layout) = (&self.stepper.system, &self.stepper.layout);
        let hazards = HazardWatch::new(self.stepper)?;
        let evaluator = match self.invariant {
            Some(term) => Some(Evaluator::new(system, layout, &[term])?),
            None => None,
        };
        Ok((hazards, evaluator))
    }
}

/// What a thread explores a system with.
pub(crate) struct SystemExplorer<'m> {
    stepper: &'m Stepper,
    cursor: Cursor<'m>,
    hazards: HazardWatch,
    evaluator: Option<Evaluator>,
    about_steps: bool,
    may_end: bool,
    words: Vec<u64>,
    budget: &'m Budget,
}

impl Searchable for SystemSteps<'_> {
    type Flaw = Flaw;
    type Explorer<'m>
        = SystemExplorer<'m>
    where
        Self: 'm;

    fn explorer<'m>(&'m self, budget: &'m Budget) -> SystemExplorer<'m> {
        let (hazards, evaluator) = self
            .watches()
            .expect("what was compiled once can be compiled again");
        let is_about_steps = |term: TermId| is_about_steps(&self.stepper.system, term);
        SystemExplorer {
            stepper: self.stepper,
            cursor: self.stepper.cursor(),
            hazards,
            evaluator,
            about_steps: self.invariant.is_some_and(is_about_steps),
            may_end: self.dead_ends != DeadEnds::Error,
            words: vec![0; self.stepper.layout.words()],
            budget,
        }
    }
}

impl SystemExplorer<'_> {
    /// Whether the invariant is violated by what its evaluator has loaded.
    fn is_violated(&mut self) -> bool {
        let (system, layout) = (&self.stepper.system, &self.stepper.layout);
        (self.evaluator.as_mut()).is_some_and(|evaluator| !evaluator.truth(system, layout, 0))
    }
}

impl Explorer for SystemExplorer<'_> {
    type Flaw = Flaw;
    type Successors = Steps<Flaw>;

    fn initial(&mut self, out: &mut Steps<Flaw>) -> Result<(), Spent> {
        out.clear();
        self.cursor.start_initial();
        while let Some(found) = self.cursor.next(self.budget)? {
            match found {
                Found::State => out.push(0, self.stepper.layout.bytes(self.cursor.packed())),
                Found::Outside => {
                    let hazard = self.hazards.in_current(self.stepper, self.cursor.leaves());
                    if let Some(hazard) = hazard {
                        out.push_flaw(0, Flaw::Hazard(hazard, None));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn expand(&mut self, state: &[u8], out: &mut Steps<Flaw>) -> Result<(), Spent> {
        out.clear();
        self.stepper.layout.words_of(state, &mut self.words);
        if let Some((hazard, now)) = self.hazards.in_choice(&self.words, self.budget)? {
            out.push_flaw(0, Flaw::Hazard(hazard, Some(now)));
            return Ok(());
        }
        self.cursor.start_steps(&self.words);
        let layout = &self.stepper.layout;
        while let Some(found) = self.cursor.next(self.budget)? {
            if let Some(hazard) = self.hazards.in_step(self.stepper, self.cursor.leaves()) {
                let now = layout.read_values(self.cursor.leaves(), true);
                out.push_flaw(0, Flaw::Hazard(hazard, Some(now)));
                return Ok(());
            }
            if found == Found::Outside {
                continue;
            }
            if self.about_steps {
                if let Some(evaluator) = &mut self.evaluator {
                    evaluator.load(self.cursor.leaves());
                }
                if self.is_violated() {
                    let now = layout.read_values(self.cursor.leaves(), true);
                    out.push_flaw(0, Flaw::Step(now, self.cursor.packed().to_vec()));
                    return Ok(());
                }
            }
            out.push(0, layout.bytes(self.cursor.packed()));
        }
        Ok(())
    }

    #[inline]
    fn inspect(&mut self, state: &[u8]) -> Option<Flaw> {
        if self.hazards.watches_states() || (self.evaluator.is_some() && !self.about_steps) {
            self.stepper.layout.words_of(state, &mut self.words);
            if let Some(hazard) = self.hazards.in_state(self.stepper, &self.words) {
                return Some(Flaw::Hazard(hazard, None));
            }
            if !self.about_steps {
                if let Some(evaluator) = &mut self.evaluator {
                    evaluator.load_state(&self.stepper.layout, &self.words);
                }
                return self.is_violated().then_some(Flaw::State);
            }
        }
        None
    }

    fn may_end(&mut self, _: &[u8]) -> bool {
        self.may_end
    }
}
