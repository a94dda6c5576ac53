//! Engines at work on one model, by name. A session of an engine is opened when it is first asked and lives across properties.

use crate::model::SystemModel;
use crate::workshop::Workshop;
use entail_answer::Answer;
use entail_budget::{Budget, Progress};
use entail_evidence::{Engine, Outcome};
use entail_family::{ModelError, Session};
use entail_model::TransitionSystem;

/// The open sessions.
pub(crate) struct Sessions<'m> {
    model: &'m SystemModel,
    workshop: &'m Workshop,
    open: Vec<(Key, Box<dyn entail_evidence::Session + 'm>)>,
}

/// An engine's name, and what it works on.
type Key = (&'static str, Part);

/// The system of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    WithoutCompassion,
    /// A cone of influence, by its number.
    Cone(usize),
}

impl<'m> Sessions<'m> {
    pub(crate) fn new(model: &'m SystemModel, workshop: &'m Workshop) -> Sessions<'m> {
        Sessions {
            model,
            workshop,
            open: Vec::new(),
        }
    }

    fn ask(
        &mut self,
        engine: &'m dyn Engine,
        position: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let (model, workshop) = (self.model, self.workshop);
        let Some(property) = model.property(position) else {
            return Ok(Outcome::unknown(format!("there is no property {}", position + 1)));
        };
        if !engine.reduces_itself() {
            let slices = workshop.slices(model, position);
            if let Some(slice) = slices.of(position) {
                let session = self.session(engine, Part::Cone(slice.cone), slices.system(slice));
                let found = session
                    .check(&slice.property, budget, progress)
                    .map_err(|error| model.error(slices.error_carried_back(model, slice, error)))?;
                if let Some(outcome) = slices.carried_back(model, slice, property, found) {
                    return Ok(outcome);
                }
            }
        }
        let part = match model.drops_compassion(property) {
            true => Part::WithoutCompassion,
            false => Part::Whole,
        };
        self.session(engine, part, model.subject(property))
            .check(property, budget, progress)
            .map_err(|error| model.error(error))
    }

    fn session(
        &mut self,
        engine: &'m dyn Engine,
        part: Part,
        system: &'m TransitionSystem,
    ) -> &mut (dyn entail_evidence::Session + 'm) {
        let key = (engine.name(), part);
        let position = match self.open.iter().position(|(known, _)| *known == key) {
            Some(position) => position,
            None => {
                self.open.push((key, engine.open(system, &self.workshop.options)));
                self.open.len() - 1
            }
        };
        &mut *self.open[position].1
    }
}

impl Session for Sessions<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let found = self.workshop.engines.iter().find(|one| one.name() == engine);
        let Some(engine) = found else {
            return Ok(Answer::unknown(format!("there is no engine `{engine}`")));
        };
        let mut outcome = self.ask(&**engine, property, budget, progress)?;
        let asked = self.model.property(property);
        if asked.is_some_and(|asked| self.model.drops_compassion(asked)) {
            outcome
                .warnings
                .push("COMPASSION is ignored by CTL and COMPUTE (LTL respects it)".into());
        }
        Ok(outcome.boxed())
    }
}
