//! The engine's answers as tests look at them, their runs judged.
use entail_answer::{Answer, Guarantee, Verdict};
use entail_budget::{Budget, Silent};
use entail_explicit::{Cluster, Limits, ProgramEngine, SearchOptions, check_together};
use entail_program::{ProgramEvidence, Reduction, Run};
use entail_programs::ProgramModel;
use entail_programs_checker::judge;
use std::sync::Arc;
use std::time::Duration;

/// What is to be decided.
#[derive(Default)]
pub struct ProgramRequest {
    pub requirements: Vec<usize>,
    pub options: SearchOptions,
    /// For each requirement.
    pub timeout: Option<Duration>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub holds: Option<bool>,
    pub reason: Option<String>,
    pub run: Option<Run>,
    pub reduction: Reduction,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub coverage: Option<f64>,
    pub bound: Option<u64>,
}

impl Outcome {
    pub fn of(answer: Answer<ProgramEvidence>) -> Outcome {
        let count = |name: &str| answer.statistics.count(name).unwrap_or(0);
        Outcome {
            holds: match answer.verdict {
                Verdict::Holds => Some(true),
                Verdict::Fails => Some(false),
                Verdict::Unknown => None,
            },
            reduction: Reduction::told(&answer.statistics).unwrap_or_default(),
            states: count("states"),
            transitions: count("transitions"),
            depth: count("depth"),
            coverage: match answer.guarantee {
                Guarantee::Partial { coverage } => Some(coverage),
                _ => None,
            },
            bound: match answer.guarantee {
                Guarantee::Bounded(bound) => Some(bound),
                _ => None,
            },
            reason: answer.reason,
            run: match answer.evidence {
                Some(ProgramEvidence::Run(run)) => Some(run),
                _ => None,
            },
        }
    }
}

fn judged(
    model: &ProgramModel,
    requirement: usize,
    fair: bool,
    answer: Answer<ProgramEvidence>,
) -> Result<Outcome, String> {
    if let Some(ProgramEvidence::Run(run)) = &answer.evidence {
        judge(model.program(), &model.requirements()[requirement], run, fair)?;
    }
    Ok(Outcome::of(answer))
}

/// Decides what is requested; the error says what is wrong with a run.
pub fn check_program(model: &ProgramModel, request: &ProgramRequest) -> Result<Vec<Outcome>, String> {
    let engine = ProgramEngine {
        options: request.options.clone(),
        ..ProgramEngine::default()
    };
    let decide = |&position: &usize| {
        let budget = Budget::unlimited().with_timeout(request.timeout);
        let requirement = &model.requirements()[position];
        let answer = engine.check(model.program(), requirement, &budget, &Silent);
        judged(model, position, request.options.weak_fairness, answer)
    };
    request.requirements.iter().map(decide).collect()
}

/// The same by several threads that search as processes of a cluster do.
pub fn check_program_together(
    model: &ProgramModel,
    request: &ProgramRequest,
    threads: usize,
) -> Result<Vec<Outcome>, String> {
    let wanted = request.requirements.iter();
    let (found, told) = std::sync::mpsc::channel();
    let limits = Limits {
        all: Budget::unlimited(),
        each: request.timeout,
    };
    check_together(
        Arc::new(model.program().clone()),
        wanted
            .clone()
            .map(|&position| model.requirements()[position].clone())
            .collect(),
        &Cluster::Threads(threads),
        limits,
        found,
    )?;
    let answers: Vec<_> = told.into_iter().collect();
    let answers = wanted.zip(answers);
    answers
        .map(|(&position, answer)| judged(model, position, false, answer))
        .collect()
}

/// Why safety does not hold, as the interpreter sees it.
pub fn danger(program: &entail_program::Program) -> Option<String> {
    let safety = entail_program::Requirement {
        name: None,
        text: String::new(),
        question: entail_program::RequirementKind::Safety,
    };
    match entail_programs_checker::search_again(program, &safety, false, &Budget::unlimited()) {
        entail_answer::CheckReport::Rejected { reason } => Some(reason),
        _ => None,
    }
}
