//! Models that are programs of communicating processes, and checking them.
//!
//! They are no transition systems: their states are made while they are searched. So they have an engine of their own, and a checker of their
//! own: every run that an engine shows is repeated by the reference interpreter before it is given out.

use crate::model::{LoadError, language_of, read_bytes};
use crate::{Failure, Language, Model};
use entail_budget::{Budget, Cancellation, Progress};
use entail_explicit::{Cluster, Limits, ProgramEngine, SearchOptions, check_together};
use entail_program::{Outcome, Program, Replayed, Requirement, Run, judge};
use entail_promela::{PromelaModel, Trouble, follow_trail, read_with, write_trail};
use entail_source::Source;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// A model of either kind.
#[derive(Debug)]
pub enum AnyModel {
    /// A transition system.
    System(Box<Model>),
    /// A program.
    Program(Box<ProgramModel>),
}

impl AnyModel {
    /// Reads a file; without a language, the file's name tells it. In a language of modules, `top` is the one that is checked; in one
    /// with a preprocessor, that is told what is given.
    pub fn load(
        path: &Path,
        language: Option<Language>,
        top: Option<&str>,
        preprocessing: &Preprocessing,
    ) -> Result<AnyModel, LoadError> {
        match language_of(path, language)? {
            Language::Promela => ProgramModel::load(path, preprocessing.clone())
                .map(|model| AnyModel::Program(Box::new(model))),
            language => {
                Model::load_top(path, Some(language), top).map(|model| AnyModel::System(Box::new(model)))
            }
        }
    }
}

/// What a preprocessor is told from outside.
#[derive(Clone, Debug, Default)]
pub struct Preprocessing {
    /// Macros: `N=4`, or `N`, which is 1.
    pub definitions: Vec<String>,
    /// Folders in which included files are looked for, if they are not beside the file that includes them.
    pub folders: Vec<PathBuf>,
}

/// A program with what is asked about it.
#[derive(Debug)]
pub struct ProgramModel {
    source: Source,
    /// Formulas that were added to those of the text.
    added: Vec<String>,
    preprocessing: Preprocessing,
    content: PromelaModel,
}

impl ProgramModel {
    /// Reads a file and the files it includes.
    pub fn load(path: &Path, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        // SPIN's models may contain any bytes in comments.
        let text = String::from_utf8_lossy(&read_bytes(path)?).into_owned();
        ProgramModel::preprocessed(Source::new(path.to_string_lossy(), text), preprocessing)
    }

    /// Reads a text; files it includes are looked for beside it.
    pub fn read(source: Source) -> Result<ProgramModel, LoadError> {
        ProgramModel::preprocessed(source, Preprocessing::default())
    }

    fn preprocessed(source: Source, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        let content = read(&source, &[], &preprocessing)?;
        Ok(ProgramModel {
            source,
            preprocessing,
            added: Vec::new(),
            content,
        })
    }

    /// The main text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The processes.
    pub fn program(&self) -> &Program {
        &self.content.program
    }

    /// What is asked about them.
    pub fn requirements(&self) -> &[Requirement] {
        &self.content.requirements
    }

    /// A run as one of SPIN's trails, or why there is none.
    pub fn trail(&self, run: &Run) -> Result<String, String> {
        write_trail(&self.content, run)
    }

    /// Follows one of SPIN's trails.
    pub fn follow(&self, trail: &Source) -> Result<(Run, Replayed), LoadError> {
        follow_trail(&self.content, trail).map_err(invalid)
    }

    /// Adds an LTL formula over the program's names, and gives its position.
    pub fn add_formula(&mut self, text: &str) -> Result<usize, LoadError> {
        self.added.push(text.to_owned());
        match read(&self.source, &self.added, &self.preprocessing) {
            Ok(content) => {
                self.content = content;
                // Formulas that are added come last.
                Ok(self.content.requirements.len() - 1)
            }
            Err(error) => {
                self.added.pop();
                Err(error)
            }
        }
    }
}

fn read(source: &Source, added: &[String], preprocessing: &Preprocessing) -> Result<PromelaModel, LoadError> {
    let include = |asking: &str, wanted: &str| {
        let beside = Path::new(asking).parent().map(PathBuf::from).unwrap_or_default();
        std::iter::once(&beside)
            .chain(&preprocessing.folders)
            .find_map(|folder| {
                let path = folder.join(wanted);
                let text = std::fs::read(&path).ok()?;
                Some((
                    path.to_string_lossy().into_owned(),
                    String::from_utf8_lossy(&text).into_owned(),
                ))
            })
    };
    read_with(source, &include, added, &preprocessing.definitions).map_err(invalid)
}

fn invalid(trouble: Trouble) -> LoadError {
    LoadError::Invalid {
        source_text: trouble.source,
        diagnostics: trouble.diagnostics,
    }
}

/// What is to be checked of a program, and within which limits.
#[derive(Clone, Debug, Default)]
pub struct ProgramRequest {
    /// Positions in [`ProgramModel::requirements`].
    pub requirements: Vec<usize>,
    /// How to search.
    pub options: SearchOptions,
    /// For everything.
    pub timeout: Option<Duration>,
    /// For each requirement.
    pub property_timeout: Option<Duration>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// A switch that stops everything.
    pub cancellation: Cancellation,
}

/// The answer to one requirement.
#[derive(Clone, Debug)]
pub struct ProgramAnswer {
    /// Position in [`ProgramModel::requirements`].
    pub requirement: usize,
    /// What the engine said.
    pub outcome: Outcome,
    /// The run with its states, as the interpreter repeated it.
    pub replayed: Option<Replayed>,
    /// Seconds for finding the answer and checking it.
    pub seconds: f64,
}

/// The engine's name in reports.
pub const PROGRAM_ENGINE: &str = "explicit";

/// Decides the requested requirements in order, calling `on_answer` as each is decided.
pub fn check_program(
    model: &ProgramModel,
    request: &ProgramRequest,
    progress: &dyn Progress,
    mut on_answer: impl FnMut(&ProgramAnswer),
) -> Result<Vec<ProgramAnswer>, Failure> {
    let started = Instant::now();
    let engine = ProgramEngine {
        options: request.options.clone(),
    };
    let mut answers = Vec::with_capacity(request.requirements.len());
    for (done, &position) in request.requirements.iter().enumerate() {
        let begun = Instant::now();
        let share = request.timeout.map(|whole| {
            let left = whole.saturating_sub(started.elapsed());
            left / (request.requirements.len() - done).min(2) as u32
        });
        let budget = Budget::unlimited()
            .with_timeout([share, request.property_timeout].into_iter().flatten().min())
            .with_memory(request.memory)
            .with_cancellation(request.cancellation.clone());
        let requirement = &model.requirements()[position];
        let outcome = engine.check(model.program(), requirement, &budget, progress);
        let answer = answered(model, position, outcome, begun)?;
        on_answer(&answer);
        answers.push(answer);
    }
    Ok(answers)
}

/// An outcome with its run repeated by the interpreter.
fn answered(
    model: &ProgramModel,
    position: usize,
    outcome: Outcome,
    begun: Instant,
) -> Result<ProgramAnswer, Failure> {
    let requirement = &model.requirements()[position];
    let replayed = match &outcome.run {
        Some(run) => {
            let replayed = judge(model.program(), requirement, run, outcome.fair);
            Some(replayed.map_err(|reason| Failure::RejectedRun {
                requirement: position,
                reason,
            })?)
        }
        None => None,
    };
    Ok(ProgramAnswer {
        requirement: position,
        outcome,
        replayed,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// Decides the requested requirements together with the other workers of a cluster, which must be asked the same, calling `on_answer` as each is decided: only the
/// first worker's process has answers.
pub fn check_program_together(
    model: &ProgramModel,
    request: &ProgramRequest,
    cluster: &Cluster,
    mut on_answer: impl FnMut(ProgramAnswer),
) -> Result<(), Failure> {
    let wanted = |&position: &usize| model.requirements()[position].clone();
    let program = Arc::new(model.program().clone());
    let requirements = request.requirements.iter().map(wanted).collect();
    let limits = Limits {
        all: Budget::unlimited()
            .with_timeout(request.timeout)
            .with_memory(request.memory)
            .with_cancellation(request.cancellation.clone()),
        each: request.property_timeout,
    };
    let (found, outcomes) = mpsc::channel();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| check_together(program, requirements, cluster, limits, found));
        let mut rejected = None;
        let mut begun = Instant::now();
        for (&position, outcome) in request.requirements.iter().zip(outcomes) {
            match answered(model, position, outcome, begun) {
                Ok(answer) => on_answer(answer),
                Err(failure) => rejected = rejected.or(Some(failure)),
            }
            begun = Instant::now();
        }
        let searched = search
            .join()
            .unwrap_or_else(|_| Err("the search has failed".into()));
        rejected.map_or(searched.map_err(Failure::Cluster), Err)
    })
}
