//! The engine at work on a program, alone or together with other processes.

use crate::model::ProgramModel;
use crate::options::Troubles;
use crate::{ENGINE, options};
use entail_answer::Answer;
use entail_budget::{Budget, Progress, Snapshot};
use entail_explicit::{Cluster, Limits, ProgramEngine, Secret, check_together as search_together};
use entail_family::{Member, ModelError, Options, Session, Usage};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The engine at work on one program.
pub struct ProgramSession<'m> {
    model: &'m ProgramModel,
    options: &'m Options,
    /// The property whose search is saved in a checkpoint.
    begun: Option<usize>,
}

impl<'m> ProgramSession<'m> {
    /// A session under these options.
    pub fn new(model: &'m ProgramModel, options: &'m Options) -> Result<ProgramSession<'m>, Usage> {
        options::search_options(options)?;
        Ok(ProgramSession {
            model,
            options,
            begun: None,
        })
    }
}

impl Session for ProgramSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if engine != ENGINE {
            return Ok(Answer::unknown(format!(
                "programs are checked by the engine `{ENGINE}`, not by `{engine}`"
            )));
        }
        let again = self.begun.replace(property) == Some(property);
        let troubles = Troubles::default();
        let search = match options::search_for(self.model, property, self.options, again, &troubles) {
            Ok(search) => search,
            Err(error) => return Ok(Answer::unknown(error.to_string())),
        };
        let engine = ProgramEngine { options: search };
        let requirement = &self.model.requirements()[property];
        let telling = Telling {
            progress,
            troubles: &troubles,
            told: AtomicUsize::new(0),
        };
        let mut answer = engine.check(self.model.program(), requirement, budget, &telling);
        telling.tell();
        if let Ok(mut troubles) = troubles.lock() {
            answer.warnings.extend(troubles.drain(..).map(Into::into));
        }
        Ok(answer.boxed())
    }
}

/// Tells at once what goes wrong with checkpoints: whoever searches for hours wants to know before the end.
struct Telling<'a> {
    progress: &'a dyn Progress,
    troubles: &'a Troubles,
    /// Number of troubles that were told.
    told: AtomicUsize,
}

impl Telling<'_> {
    fn tell(&self) {
        if let Ok(troubles) = self.troubles.lock() {
            let told = self.told.swap(troubles.len(), Ordering::Relaxed);
            troubles
                .iter()
                .skip(told)
                .for_each(|text| self.progress.warn(text));
        }
    }
}

impl Progress for Telling<'_> {
    fn report(&self, snapshot: &Snapshot) {
        self.tell();
        self.progress.report(snapshot);
    }

    fn warn(&self, text: &str) {
        self.progress.warn(text);
    }
}

/// What a search over several processes cannot do.
const ALONE: [&str; 6] = [
    "fairness",
    "context-bound",
    "checkpoint",
    "resume",
    "storage",
    "search",
];

/// Decides properties together with other processes that were asked the same; only the first of them has answers.
pub fn check_together(
    model: &ProgramModel,
    properties: &[usize],
    options: &Options,
    member: &Member,
    (all, each): (&Budget, Option<Duration>),
    on_answer: &mut dyn FnMut(usize, Answer),
) -> Result<(), String> {
    if let Some(option) = ALONE.into_iter().find(|option| options.has(option)) {
        return Err(format!("--{option} cannot be used in a distributed search"));
    }
    let cluster = Cluster::Processes {
        addresses: member.addresses.clone(),
        index: member.index,
        threads: member.threads,
        secret: Secret::new(&member.secret)?,
    };
    let requirements = properties
        .iter()
        .map(|&property| model.requirements()[property].clone())
        .collect();
    let program = Arc::new(model.program().clone());
    let limits = Limits {
        all: all.same_limits(),
        each,
    };
    let (found, answers) = channel();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| search_together(program, requirements, &cluster, limits, found));
        for (&property, answer) in properties.iter().zip(answers) {
            on_answer(property, answer.boxed());
        }
        search
            .join()
            .unwrap_or_else(|_| Err("the search has failed".into()))
    })
}
