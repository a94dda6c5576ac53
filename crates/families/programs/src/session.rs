//! The engine at work on a program, alone or together with other processes.

use crate::model::ProgramModel;
use crate::{ENGINE, options};
use entail_answer::Answer;
use entail_budget::{Budget, Progress};
use entail_explicit::{Cluster, ProgramEngine, check_together as search_together};
use entail_family::{Member, ModelError, Options, Session, Usage};
use std::sync::Arc;

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
        let search = match options::search_for(self.model, property, self.options, again) {
            Ok(search) => search,
            Err(Usage(reason)) => return Ok(Answer::unknown(reason)),
        };
        let engine = ProgramEngine { options: search };
        let requirement = &self.model.requirements()[property];
        let answer = engine.check(self.model.program(), requirement, budget, progress);
        Ok(answer.boxed())
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
    budget: &Budget,
) -> Result<Option<Vec<Answer>>, String> {
    if let Some(option) = ALONE.into_iter().find(|option| options.has(option)) {
        return Err(format!("--{option} cannot be used in a distributed search"));
    }
    let cluster = Cluster::Processes {
        addresses: member.addresses.clone(),
        index: member.index,
        threads: member.threads,
    };
    let requirements = properties
        .iter()
        .map(|&property| model.requirements()[property].clone());
    let answers = search_together(
        Arc::new(model.program().clone()),
        requirements.collect(),
        &cluster,
        properties.iter().map(|_| budget.same_limits()).collect(),
    )?;
    Ok(answers.map(|answers| answers.into_iter().map(Answer::boxed).collect()))
}
