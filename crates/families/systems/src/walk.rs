//! A walk through a transition system. It is a plain trace: it can be saved, shown, and gone on with.

use crate::model::SystemModel;
use crate::show::timeline::timeline;
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_evidence::json::{trace_from_json, trace_to_json};
use entail_explicit::{SimulationStep, Simulator, Values};
use entail_family::{LoadError, Model, Walk};
use entail_logic::{Logic, Question};
use entail_model::{TermId, TransitionSystem, Valuation, VarId, VarKind, evaluate_bool};
use entail_show::{Shown, View};
use entail_smv::Scope;
use entail_source::{Diagnostic, Span};
use rand::{Rng, RngCore};
use serde_json::{Value as Json, json};

/// A random step is chosen evenly among all where there are at most so many. Otherwise values are drawn first (see [`SystemWalk::narrowed`]) until no more are left.
const MOST_SAMPLED: usize = 1 << 16;

/// Values are drawn for at most so many variables.
const MOST_DRAWN: usize = 64;

/// A walk and the means to go on.
pub(crate) struct SystemWalk<'m> {
    model: &'m SystemModel,
    simulator: Simulator,
    /// The states; the last is where we are, inputs not chosen. Empty before the first choice.
    taken: Vec<Values>,
    offered: Offered,
    /// What must be true after each step: a condition with the system that has its terms.
    constraint: Option<Box<(TransitionSystem, TermId)>>,
}

/// What was taken at random.
enum Drawn {
    Initial(Values),
    Step(SimulationStep),
}

/// What was listed last.
enum Offered {
    Nothing,
    Initial(Vec<Values>),
    Steps(Vec<SimulationStep>),
}

impl<'m> SystemWalk<'m> {
    pub(crate) fn new(model: &'m SystemModel) -> Result<SystemWalk<'m>, LoadError> {
        let simulator = Simulator::new(model.system()).map_err(|reason| {
            let problem = Diagnostic::error(
                "model::walk",
                reason.to_string(),
                Span::default(),
                "in this model",
            );
            LoadError::invalid(model.source(), problem)
        })?;
        Ok(SystemWalk {
            model,
            simulator,
            taken: Vec::new(),
            offered: Offered::Nothing,
            constraint: None,
        })
    }

    /// The values where we are, inputs not chosen.
    fn here(&self) -> Values {
        let mut here = self.taken.last().cloned().unwrap_or_default();
        for input in self.model.system().input_variables() {
            if let Some(value) = here.get_mut(input.index()) {
                *value = None;
            }
        }
        here
    }

    /// At most so many things that can be done now. Where there is a condition, so many are looked at as a random step is chosen among.
    fn listed(&self, most: usize, budget: &Budget) -> Offered {
        let looked_at = match &self.constraint {
            Some(_) => most.max(MOST_SAMPLED),
            None => most,
        };
        if self.taken.is_empty() {
            let mut initial = self
                .simulator
                .initial_states(looked_at, budget)
                .unwrap_or_default();
            initial.retain(|state| self.is_allowed(state, None));
            initial.truncate(most);
            return Offered::Initial(initial);
        }
        let steps = self.simulator.successors(&self.here(), looked_at, budget);
        let mut steps = steps.unwrap_or_default();
        steps.retain(|step| self.is_allowed(&step.next, Some(&step.now)));
        steps.truncate(most);
        Offered::Steps(steps)
    }

    /// Whether the condition is true in a state, with the inputs of the step that leads there.
    fn is_allowed(&self, state: &Values, before: Option<&Values>) -> bool {
        let Some((system, condition)) = self.constraint.as_deref() else {
            return true;
        };
        let mut values = state.clone();
        for input in system.input_variables() {
            values[input.index()] = before.and_then(|before| before[input.index()].clone());
        }
        evaluate_bool(&system.terms, *condition, Valuation::state(&values)).unwrap_or(false)
    }

    fn step(&mut self, step: SimulationStep) {
        if let Some(last) = self.taken.last_mut() {
            *last = step.now;
        }
        self.taken.push(step.next);
    }

    /// A step from here (or an initial state) at random, and whether it was chosen among all.
    fn sampled(
        &self,
        simulator: &Simulator,
        random: &mut dyn RngCore,
        budget: &Budget,
    ) -> Option<(Drawn, bool)> {
        let mut below = |bound: usize| random.random_range(0..bound);
        if self.taken.is_empty() {
            let (state, is_whole) = simulator.random_initial_state(MOST_SAMPLED, &mut below, budget)?;
            return Some((Drawn::Initial(state), is_whole));
        }
        let (step, is_whole) = simulator.random_successor(&self.here(), MOST_SAMPLED, &mut below, budget)?;
        Some((Drawn::Step(step), is_whole))
    }

    /// The steps from here (or the initial states) in which some variables have values that were drawn: one after the other, inputs first, each evenly among
    /// the values of its sort. A variable whose drawn value is not possible is left open. Ends when at most [`MOST_SAMPLED`] are left, of which the caller takes
    /// one, each as likely as the others. Where inputs are free and determine the step, all steps are equally likely.
    fn narrowed(&self, random: &mut dyn RngCore, budget: &Budget) -> Option<Drawn> {
        let mut system = self.model.system().clone();
        let is_initial = self.taken.is_empty();
        let mut open: Vec<(bool, VarId)> = (system.variables().iter().enumerate())
            .filter(|(_, variable)| !is_initial || variable.kind != VarKind::Input)
            .filter(|(_, variable)| is_initial || variable.kind != VarKind::Frozen)
            .map(|(position, variable)| (variable.kind != VarKind::Input, VarId::new(position as u32)))
            .collect();
        open.sort_by_cached_key(|(is_state, _)| (*is_state, random.next_u64()));
        let mut best = None;
        for (is_state, id) in open.into_iter().take(MOST_DRAWN) {
            let sort = system.variable(id).sort.clone();
            let Some(size) = sort.size().filter(|size| *size > 1) else {
                continue;
            };
            let value = system.terms.constant(sort.value_at(random.random_range(0..size)));
            let variable = match is_state && !is_initial {
                true => system.next(id),
                false => system.current(id),
            };
            let Ok(drawn) = system.terms.equal(variable, value) else {
                continue;
            };
            let conditions = match is_initial {
                true => &mut system.init,
                false => &mut system.transition,
            };
            conditions.push(drawn);
            let found = Simulator::new(&system).ok();
            match found.and_then(|simulator| self.sampled(&simulator, random, budget)) {
                Some((step, true)) => return Some(step),
                Some((step, false)) => best = Some(step),
                None => {
                    let conditions = match is_initial {
                        true => &mut system.init,
                        false => &mut system.transition,
                    };
                    conditions.pop();
                }
            }
        }
        best
    }

    /// What a step changes: inputs chosen, then variables that get another value.
    fn difference(&self, now: Option<&Values>, next: &Values) -> String {
        let mut parts = Vec::new();
        for (position, variable) in self.model.system().variables().iter().enumerate() {
            let before = now.and_then(|now| now[position].as_ref());
            match (&next[position], before) {
                (None, Some(chosen)) => parts.push(format!("[{} = {chosen}]", variable.name)),
                (Some(value), before) if before != Some(value) => {
                    parts.push(format!("{} = {value}", variable.name));
                }
                _ => {}
            }
        }
        match parts.is_empty() {
            true => "nothing changes".to_owned(),
            false => parts.join(", "),
        }
    }

    fn trace(&self) -> Trace {
        Trace {
            steps: self.taken.clone(),
            loop_start: None,
        }
    }
}

impl Offered {
    fn len(&self) -> usize {
        match self {
            Offered::Nothing => 0,
            Offered::Initial(states) => states.len(),
            Offered::Steps(steps) => steps.len(),
        }
    }
}

impl Walk for SystemWalk<'_> {
    fn choices(&mut self, most: usize, budget: &Budget) -> Vec<String> {
        self.offered = self.listed(most, budget);
        match &self.offered {
            Offered::Nothing => Vec::new(),
            Offered::Initial(states) => (states.iter().map(|state| self.difference(None, state))).collect(),
            Offered::Steps(steps) => (steps.iter())
                .map(|step| self.difference(Some(&step.now), &step.next))
                .collect(),
        }
    }

    fn take(&mut self, choice: usize) {
        match std::mem::replace(&mut self.offered, Offered::Nothing) {
            Offered::Nothing => {}
            Offered::Initial(mut states) if choice < states.len() => {
                self.taken.push(states.swap_remove(choice));
            }
            Offered::Steps(mut steps) if choice < steps.len() => {
                let step = steps.swap_remove(choice);
                self.step(step);
            }
            // There is no such choice: what was listed stays on offer.
            offered => self.offered = offered,
        }
    }

    fn take_at_random(&mut self, random: &mut dyn RngCore, budget: &Budget) -> bool {
        if self.constraint.is_some() {
            let choices = self.choices(MOST_SAMPLED, budget).len();
            if choices > 0 {
                self.take(random.random_range(0..choices));
            }
            return choices > 0;
        }
        self.offered = Offered::Nothing;
        let drawn = match self.sampled(&self.simulator, random, budget) {
            None => return false,
            Some((drawn, true)) => drawn,
            Some((first, false)) => self.narrowed(random, budget).unwrap_or(first),
        };
        match drawn {
            Drawn::Initial(state) => self.taken.push(state),
            Drawn::Step(step) => self.step(step),
        }
        true
    }

    fn constrain(&mut self, condition: Option<&str>) -> Result<(), String> {
        self.offered = Offered::Nothing;
        let Some(text) = condition else {
            self.constraint = None;
            return Ok(());
        };
        let mut system = self.model.system().clone();
        let mut scope = Scope::of_system(&mut system);
        let read = scope.parse_property(&mut system, text, Logic::Invariant);
        let condition = read.map_err(|problems| problems.to_string())?;
        match condition.question {
            Question::Invariant(condition) => {
                self.constraint = Some(Box::new((system, condition)));
                Ok(())
            }
            _ => Err("a condition has no temporal operators".to_owned()),
        }
    }

    fn back(&mut self, steps: usize) {
        let left = self.taken.len().saturating_sub(steps).max(1);
        self.taken.truncate(left);
        let here = self.here();
        if let Some(last) = self.taken.last_mut() {
            *last = here;
        }
        self.offered = Offered::Nothing;
    }

    fn steps(&self) -> usize {
        self.taken.len().saturating_sub(1)
    }

    fn ending(&self) -> Vec<String> {
        if self.listed(1, &Budget::unlimited()).len() > 0 {
            return Vec::new();
        }
        vec![match self.taken.is_empty() {
            true => "the model has no initial state".to_owned(),
            false => "no successor: this state is a dead end".to_owned(),
        }]
    }

    fn state(&self) -> Vec<String> {
        let variables = self.model.system().variables().iter();
        variables
            .zip(self.here())
            .filter_map(|(variable, value)| Some(format!("{} = {}", variable.name, value?)))
            .collect()
    }

    fn shown(&self) -> Shown {
        let walk = timeline(
            self.model.system(),
            &self.trace(),
            true,
            &self.model.content.dress,
        );
        Shown::default().main(View::Timeline(walk))
    }

    fn to_json(&self) -> Json {
        json!({
            "entail": env!("CARGO_PKG_VERSION"), "format": "entail-evidence", "model": self.model.source().name(),
            "evidence": {"kind": "trace", "trace": trace_to_json(self.model.system(), &self.trace())},
        })
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let system = self.model.system();
        let trace =
            trace_from_json(system, &document["evidence"]["trace"]).map_err(|error| error.to_string())?;
        let open = Trace {
            steps: trace.steps,
            loop_start: None,
        };
        entail_systems_checker::replay(system, &open, true).map_err(|error| error.to_string())?;
        self.taken = open.steps;
        self.offered = Offered::Nothing;
        Ok(())
    }
}
