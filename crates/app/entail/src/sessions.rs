//! Engines at work on one model, by name. A session is opened when an engine is first asked and lives across properties.

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
    options: &'a CheckOptions,
    open: Vec<(Key, Box<dyn Session + 'a>)>,
}

/// An engine's name, and whether it works on the model without compassion.
type Key = (&'static str, bool);

impl<'a> Sessions<'a> {
    pub(crate) fn new(
        engines: &'a [Box<dyn Engine>],
        subject: &'a Subject<'a>,
        options: &'a CheckOptions,
    ) -> Sessions<'a> {
        Sessions {
            engines,
            subject,
            options,
            open: Vec::new(),
        }
    }

    /// Asks an engine of the table; one that is not there is answered unknown.
    pub(crate) fn ask(
        &mut self,
        name: &str,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        let Some(engine) = self.engines.iter().find(|engine| engine.name() == name) else {
            return Ok(Outcome::unknown(format!("there is no engine `{name}`")));
        };
        let without_compassion = self.subject.drops_compassion(property);
        let key = (engine.name(), without_compassion);
        let position = match self.open.iter().position(|(known, _)| *known == key) {
            Some(position) => position,
            None => {
                let session = engine.open(self.subject.of(property), self.options);
                self.open.push((key, session));
                self.open.len() - 1
            }
        };
        let mut outcome = self.open[position].1.check(property, budget, progress)?;
        if without_compassion {
            outcome
                .warnings
                .push("COMPASSION is ignored by CTL and COMPUTE (LTL respects it)".to_owned());
        }
        Ok(outcome)
    }
}
