//! A walk through a transition system. It is a plain trace: it can be saved, shown, and gone on with.

use crate::draw::{Drawing, Moment, random_value};
use crate::model::SystemModel;
use crate::show::timeline::timeline;
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_evidence::json::{trace_from_json, trace_to_json};
use entail_explicit::{SimulationStep, Simulator, Values};
use entail_family::{LoadError, Model, Walk};
use entail_logic::{Logic, Question};
use entail_model::{TermId, TransitionSystem, VarKind};
use entail_show::{Shown, View};
use entail_smv::Scope;
use entail_source::{Diagnostic, Span};
use rand::{Rng, RngCore};
use serde_json::{Value as Json, json};

/// A random step is chosen evenly among all where there are at most so many. Otherwise values are drawn first (see [`Drawing`]) until no more are left.
const MOST_SAMPLED: usize = 1 << 16;

/// A walk and the means to go on.
pub(crate) struct SystemWalk<'m> {
    model: &'m SystemModel,
    /// The model's steps, all of them.
    simulator: Simulator,
    /// The states; the last is where we are, inputs not chosen. Empty before the first choice.
    taken: Vec<Values>,
    offered: Offered,
    /// The model with what must be true after each step.
    constrained: Option<Box<(TransitionSystem, Simulator)>>,
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
            constrained: None,
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

    /// The system whose steps may be taken.
    fn system(&self) -> &TransitionSystem {
        match &self.constrained {
            Some(constrained) => &constrained.0,
            None => self.model.system(),
        }
    }

    /// Its steps.
    fn simulator(&self) -> &Simulator {
        match &self.constrained {
            Some(constrained) => &constrained.1,
            None => &self.simulator,
        }
    }

    /// At most so many things that can be done now.
    fn listed(&self, most: usize, budget: &Budget) -> Offered {
        if self.taken.is_empty() {
            let initial = self.simulator().initial_states(most, budget);
            return Offered::Initial(initial.unwrap_or_default());
        }
        let steps = self.simulator().successors(&self.here(), most, budget);
        Offered::Steps(steps.unwrap_or_default())
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

    /// Draws values for inputs that nothing reads: they are no choices, and may be anything.
    fn draw_unread(&self, now: &mut Values, random: &mut dyn RngCore) {
        let system = self.system();
        let (read, _) = system.terms.support(&system.roots());
        for id in system
            .input_variables()
            .filter(|id| read.binary_search(id).is_err())
        {
            if let Some(value) = random_value(&system.variable(id).sort, random) {
                now[id.index()] = Some(value);
            }
        }
    }

    /// A step from here (or an initial state) for which values are drawn.
    fn narrowed(&self, random: &mut dyn RngCore, budget: &Budget) -> Option<Drawn> {
        let moment = match self.taken.is_empty() {
            true => Moment::Start,
            false => Moment::Step,
        };
        let mut solve =
            |simulator: &Simulator, random: &mut dyn RngCore| self.sampled(simulator, random, budget);
        Drawing::new(self.system(), moment, &mut solve).drawn(random)
    }

    /// What a step changes: inputs chosen, then variables that get another value.
    fn difference(&self, now: Option<&Values>, next: &Values) -> String {
        let dress = &self.model.content.dress;
        let mut parts = Vec::new();
        for (position, variable) in self.model.system().variables().iter().enumerate() {
            if !dress.is_own(&variable.name) {
                continue;
            }
            let before = now.and_then(|now| now[position].as_ref());
            match (&next[position], before) {
                (None, Some(chosen)) => parts.push(format!("[{} = {}]", variable.name, dress.text(chosen))),
                (Some(value), before) if before != Some(value) => {
                    parts.push(format!("{} = {}", variable.name, dress.text(value)));
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

/// Adds a condition that is true in the first state and after each step. Inputs in it are those of the step that leads to the state; what it says about them is
/// not asked of the first state, which no step leads to.
fn constrain(system: &mut TransitionSystem, condition: TermId) -> Result<(), String> {
    let (read, _) = system.terms.support(&[condition]);
    let is_about_inputs = (read.iter()).any(|id| system.variable(*id).kind == VarKind::Input);
    let variables = system.variables().to_vec();
    let after = system.terms.replace(&[condition], |terms, id, _| {
        let variable = &variables[id.index()];
        (variable.kind == VarKind::State).then(|| terms.next(id, variable.sort.clone()))
    });
    let after = after.map_err(|error| error.to_string())?;
    system.transition.extend(after);
    if !is_about_inputs {
        system.init.push(condition);
    }
    Ok(())
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
        self.offered = Offered::Nothing;
        let drawn = match self.sampled(self.simulator(), random, budget) {
            None => return false,
            Some((drawn, true)) => drawn,
            Some((first, false)) => self.narrowed(random, budget).unwrap_or(first),
        };
        match drawn {
            Drawn::Initial(state) => self.taken.push(state),
            Drawn::Step(mut step) => {
                self.draw_unread(&mut step.now, random);
                self.step(step);
            }
        }
        true
    }

    fn constrain(&mut self, condition: Option<&str>) -> Result<(), String> {
        self.offered = Offered::Nothing;
        let Some(text) = condition else {
            self.constrained = None;
            return Ok(());
        };
        let mut system = self.model.system().clone();
        let mut scope = Scope::of_system(&mut system);
        let read = scope.parse_property(&mut system, text, Logic::Invariant);
        let condition = read.map_err(|problems| problems.to_string())?;
        let Question::Invariant(condition) = condition.question else {
            return Err("a condition has no temporal operators".to_owned());
        };
        constrain(&mut system, condition)?;
        let simulator = Simulator::new(&system).map_err(|reason| reason.to_string())?;
        self.constrained = Some(Box::new((system, simulator)));
        Ok(())
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
        vec![
            match (self.taken.is_empty(), &self.constrained) {
                (true, None) => "the model has no initial state",
                (false, None) => "no successor: this state is a dead end",
                (true, Some(_)) => "no initial state satisfies the condition",
                (false, Some(_)) => "no step from here satisfies the condition",
            }
            .to_owned(),
        ]
    }

    fn state(&self) -> Vec<String> {
        let dress = &self.model.content.dress;
        let variables = self.model.system().variables().iter();
        variables
            .zip(self.here())
            .filter(|(variable, _)| dress.is_own(&variable.name))
            .filter_map(|(variable, value)| Some(format!("{} = {}", variable.name, dress.text(&value?))))
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
