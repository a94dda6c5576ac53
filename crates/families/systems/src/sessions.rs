//! Engines at work on one model, by name. A session of an engine is opened when it is first asked and lives across properties.

use crate::model::SystemModel;
use crate::options::{Troubles, saved_search};
use crate::workshop::Workshop;
use entail_answer::Answer;
use entail_budget::{Budget, Progress};
use entail_evidence::{Engine, Outcome};
use entail_explicit::Explicit;
use entail_family::{ModelError, Options, Session};
use entail_model::TransitionSystem;

/// The open sessions.
pub(crate) struct Sessions<'m> {
    model: &'m SystemModel,
    workshop: &'m Workshop,
    options: &'m Options,
    /// The property whose search is saved in a checkpoint.
    begun: Option<usize>,
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
    pub(crate) fn new(model: &'m SystemModel, workshop: &'m Workshop, options: &'m Options) -> Sessions<'m> {
        Sessions {
            model,
            workshop,
            options,
            begun: None,
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

    /// The answer of a search that is saved on the way, if that was asked for.
    fn ask_with_checkpoints(
        &mut self,
        engine: &str,
        position: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Outcome>, ModelError> {
        if engine != "explicit" || !(self.options.has("checkpoint") || self.options.has("resume")) {
            return Ok(None);
        }
        let (model, workshop) = (self.model, self.workshop);
        let again = self.begun.replace(position) == Some(position);
        let troubles = Troubles::default();
        let search = match saved_search(model, position, self.options, again, &troubles) {
            Ok(Some(search)) => search,
            Ok(None) => return Ok(None),
            Err(reason) => return Ok(Some(Outcome::unknown(reason))),
        };
        let Some(property) = model.property(position) else {
            return Ok(None);
        };
        let engine = Explicit { search };
        let mut carried = None;
        let slices = workshop.slices(model, position);
        if let Some(slice) = slices.of(position) {
            let found = engine
                .check(
                    slices.system(slice),
                    &slice.property,
                    &workshop.options,
                    budget,
                    progress,
                )
                .map_err(|error| model.error(slices.error_carried_back(model, slice, error)))?;
            carried = slices.carried_back(model, slice, property, found);
        }
        let mut outcome = match carried {
            Some(outcome) => outcome,
            None => engine
                .check(
                    model.subject(property),
                    property,
                    &workshop.options,
                    budget,
                    progress,
                )
                .map_err(|error| model.error(error))?,
        };
        if let Ok(mut troubles) = troubles.lock() {
            outcome.warnings.extend(troubles.drain(..).map(Into::into));
        }
        Ok(Some(outcome))
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
        let mut outcome = match self.ask_with_checkpoints(engine.name(), property, budget, progress)? {
            Some(outcome) => outcome,
            None => self.ask(&**engine, property, budget, progress)?,
        };
        let asked = self.model.property(property);
        if asked.is_some_and(|asked| self.model.drops_compassion(asked)) {
            outcome
                .warnings
                .push("COMPASSION is ignored by CTL and COMPUTE (LTL respects it)".into());
        }
        Ok(outcome.boxed())
    }
}
