//! Engines at work on one model, by name. A session is opened when an engine is first asked and lives across properties.

use crate::slice::Slices;
use entail_budget::{Budget, Progress};
use entail_evidence::{CheckOptions, Engine, ModelError, Outcome, Session};
use entail_logic::Property;
use entail_model::{TermId, TransitionSystem};

/// What engines work on: the model, and the model as CTL sees it.
///
/// CTL's path quantifiers range over just paths, as in NuSMV; compassion is for linear time. Where the model has compassion, CTL is asked
/// of the model without it.
pub(crate) struct Subject<'a> {
    whole: &'a TransitionSystem,
    just: Option<TransitionSystem>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(whole: &'a TransitionSystem) -> Subject<'a> {
        let just = (!whole.compassion.is_empty()).then(|| {
            let mut just = whole.clone();
            just.compassion.clear();
            just
        });
        Subject { whole, just }
    }

    /// The system a property is about.
    pub(crate) fn of(&self, property: &Property<TermId>) -> &TransitionSystem {
        match &self.just {
            Some(just) if is_branching(property) => just,
            _ => self.whole,
        }
    }

    fn drops_compassion(&self, property: &Property<TermId>) -> bool {
        self.just.is_some() && is_branching(property)
    }
}

fn is_branching(property: &Property<TermId>) -> bool {
    matches!(property.logic, "ctl" | "compute")
}

/// The open sessions.
pub(crate) struct Sessions<'a> {
    engines: &'a [Box<dyn Engine>],
    subject: &'a Subject<'a>,
    slices: &'a Slices<'a>,
    options: &'a CheckOptions,
    open: Vec<(Key, Box<dyn Session + 'a>)>,
}

/// An engine's name, and what it works on.
type Key = (&'static str, Part);

/// The system of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    WithoutCompassion,
    /// By its number.
    Cone(usize),
}

impl<'a> Sessions<'a> {
    pub(crate) fn new(
        engines: &'a [Box<dyn Engine>],
        subject: &'a Subject<'a>,
        slices: &'a Slices<'a>,
        options: &'a CheckOptions,
    ) -> Sessions<'a> {
        Sessions {
            engines,
            subject,
            slices,
            options,
            open: Vec::new(),
        }
    }

    /// Asks an engine of the table about the property at a position; an engine that is not there is answered unknown.
    pub(crate) fn ask(
        &mut self,
        name: &str,
        (position, property): (usize, &Property<TermId>),
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let Some(engine) = self.engines.iter().find(|engine| engine.name() == name) else {
            return Ok(Outcome::unknown(format!("there is no engine `{name}`")));
        };
        let slices = self.slices;
        let mut outcome = None;
        if let Some(slice) = slices.of(position).filter(|_| !engine.reduces_itself()) {
            let session = self.session(&**engine, Part::Cone(slice.cone), slices.system(slice));
            let found = session
                .check(&slice.property, budget, progress)
                .map_err(|error| slices.error_carried_back(slice, error))?;
            outcome = slices.carried_back(slice, property, found);
        }
        let mut outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                let part = match self.subject.drops_compassion(property) {
                    true => Part::WithoutCompassion,
                    false => Part::Whole,
                };
                let system = self.subject.of(property);
                self.session(&**engine, part, system)
                    .check(property, budget, progress)?
            }
        };
        if self.subject.drops_compassion(property) {
            outcome
                .warnings
                .push("COMPASSION is ignored by CTL and COMPUTE (LTL respects it)".to_owned());
        }
        Ok(outcome)
    }

    /// Lets go of an engine that panicked: what it left is not even to be cleared up.
    pub(crate) fn abandon(&mut self, name: &str) {
        let (gone, open) = (self.open.drain(..)).partition(|((engine, _), _)| *engine == name);
        self.open = open;
        std::mem::forget::<Vec<_>>(gone);
    }

    fn session(
        &mut self,
        engine: &'a dyn Engine,
        part: Part,
        system: &'a TransitionSystem,
    ) -> &mut (dyn Session + 'a) {
        let key = (engine.name(), part);
        let position = match self.open.iter().position(|(known, _)| *known == key) {
            Some(position) => position,
            None => {
                self.open.push((key, engine.open(system, self.options)));
                self.open.len() - 1
            }
        };
        &mut *self.open[position].1
    }
}
