//! The engine at work on a program, alone or together with other processes.

use crate::model::ProgramModel;
use crate::options::Troubles;
use crate::{ENGINE, options};
use entail_answer::{Answer, CheckReport, Guarantee, Verdict, Warning, WarningKind};
use entail_budget::{Budget, Progress, Snapshot};
use entail_explicit::{Closing, ProgramEngine};
#[cfg(feature = "distributed")]
use entail_explicit::{Cluster, Limits, Secret, check_together as search_together};
use entail_family::{Member, ModelError, Options, Scrutiny, Session, Thoroughness, Usage, Witness};
use entail_logic::{Told, weakest_replacements};
use entail_program::{ProgramEvidence, Requirement, RequirementKind};
use entail_programs_checker::{advisor_of, judge, observer_of, search_again};
#[cfg(feature = "distributed")]
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(feature = "distributed")]
use std::sync::mpsc::channel;
use std::time::Duration;

/// The engine at work on one program.
pub struct ProgramSession<'m> {
    model: &'m ProgramModel,
    options: &'m Options,
    /// The property whose search is saved in a checkpoint.
    begun: Option<usize>,
    closing: Closing,
}

impl<'m> ProgramSession<'m> {
    /// A session under these options.
    pub fn new(model: &'m ProgramModel, options: &'m Options) -> Result<ProgramSession<'m>, Usage> {
        options::search_options(options)?;
        Ok(ProgramSession {
            model,
            options,
            begun: None,
            closing: Closing::default(),
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
        let requirement = &self.model.requirements()[property];
        let closes = self.closing != Closing::Never;
        let engine = ProgramEngine {
            options: search,
            closing: self.closing,
            observer: closes
                .then(|| observer_of(requirement))
                .flatten()
                .and_then(Result::ok),
            advisor: closes.then(|| advisor_of(requirement)),
            symmetry: self.options.has("symmetry"),
        };
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

    fn set_thoroughness(&mut self, thoroughness: Thoroughness) {
        self.closing = match thoroughness {
            Thoroughness::Least => Closing::Never,
            Thoroughness::WhileItPays => Closing::WhileItPays,
            Thoroughness::Whole => Closing::Always,
        };
    }

    /// Asks of a formula that holds on all runs whether its parts matter: first whether antecedents are ever true.
    fn scrutinize(
        &mut self,
        _engine: &str,
        property: usize,
        answer: &Answer,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Scrutiny {
        let mut scrutiny = Scrutiny::default();
        let is_whole = answer.verdict == Verdict::Holds && answer.guarantee == Guarantee::Complete;
        let is_alone = ALONE_ABOUT_ONE.iter().any(|option| self.options.has(option));
        let requirement = &self.model.requirements()[property];
        let (RequirementKind::Always(formula), true, false) = (&requirement.question, is_whole, is_alone)
        else {
            return scrutiny;
        };
        let Ok(search) = options::search_options(self.options) else {
            return scrutiny;
        };
        let engine = ProgramEngine {
            options: search,
            closing: Closing::Never,
            ..ProgramEngine::default()
        };
        let mut true_ones = Vec::new();
        for (number, replacement) in weakest_replacements(formula, MOST_PARTS).into_iter().enumerate() {
            if replacement.inside.is_some_and(|other| true_ones.contains(&other)) {
                true_ones.push(number);
                continue;
            }
            let stronger = Requirement {
                question: RequirementKind::Always(replacement.formula),
                ..requirement.clone()
            };
            let found = engine.check(self.model.program(), &stronger, budget, progress);
            if !self.is_accepted(&stronger, &found, budget) {
                continue;
            }
            match found.verdict {
                Verdict::Holds => {
                    true_ones.push(number);
                    scrutiny.warnings.push(self.warning(&replacement.told));
                }
                // A run that the stronger formula excludes and this one does not.
                Verdict::Fails if scrutiny.witness.is_none() => {
                    scrutiny.witness = Some(Witness {
                        position: property,
                        answer: found.boxed(),
                        is_judged: true,
                    });
                }
                Verdict::Fails | Verdict::Unknown => {}
            }
        }
        scrutiny
    }
}

/// Parts of a formula that are asked about.
const MOST_PARTS: usize = 12;

/// Options that are about the search for one property.
const ALONE_ABOUT_ONE: [&str; 2] = ["checkpoint", "resume"];

impl ProgramSession<'_> {
    /// What is said of a formula that stays true when a part is replaced.
    fn warning(&self, told: &Told<usize>) -> Warning {
        match told {
            Told::NoAntecedent(part) => {
                let part = self.model.formula_text(part);
                let text = format!(
                    "the property holds vacuously: its antecedent `{part}` is never true where it is asked"
                );
                Warning::new(WarningKind::Vacuous, text.as_str())
            }
            Told::Irrelevant(part, with) => {
                let part = self.model.formula_text(part);
                let text = format!("`{part}` does not matter: the property holds with {with} in its place");
                Warning::new(WarningKind::IrrelevantPart, text.as_str())
            }
        }
    }

    /// Whether the checker lets an answer pass.
    fn is_accepted(
        &self,
        requirement: &Requirement,
        answer: &Answer<ProgramEvidence>,
        budget: &Budget,
    ) -> bool {
        let (program, fair) = (self.model.program(), options::is_fair(self.options));
        match (&answer.evidence, &answer.guarantee) {
            (Some(ProgramEvidence::Run(run)), _) => judge(program, requirement, run, fair).is_ok(),
            (Some(ProgramEvidence::Exhaustive { .. }), Guarantee::Complete) => !matches!(
                search_again(program, requirement, fair, budget),
                CheckReport::Rejected { .. }
            ),
            _ => false,
        }
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
#[cfg(feature = "distributed")]
const ALONE: [&str; 9] = [
    "reduction",
    "symmetry",
    "fairness",
    "context-bound",
    "checkpoint",
    "resume",
    "storage",
    "search",
    "walks",
];

/// This build searches alone.
#[cfg(not(feature = "distributed"))]
pub fn check_together(
    _model: &ProgramModel,
    _properties: &[usize],
    _options: &Options,
    _member: &Member,
    _limits: (&Budget, Option<Duration>),
    _on_answer: &mut dyn FnMut(usize, Answer),
) -> Result<(), String> {
    Err("this build has no search over several processes".into())
}

/// Decides properties together with other processes that were asked the same; only the first of them has answers.
#[cfg(feature = "distributed")]
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
