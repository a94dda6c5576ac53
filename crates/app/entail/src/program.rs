//! Models that are programs of communicating processes, and checking them.
//!
//! They are no transition systems: their states are made while they are searched. So they have an engine of their own, and a checker of their
//! own: every run that an engine shows is repeated by the reference interpreter before it is given out.

use crate::internal::{Fault, InternalError, caught};
use crate::model::{LoadError, language_of, read_bytes};
use crate::{Failure, Language, Model};
use entail_budget::{Budget, Cancellation, Progress};
use entail_explicit::{Cluster, Limits, ProgramEngine, SearchOptions, check_together};
use entail_program::{Outcome, Program, Replayed, Requirement, Run, judge};
use entail_promela::{PromelaModel, Trouble, follow_trail, read_with, write_trail};
use entail_source::{Digest, Source, decode_lossy};
use std::io::Read;
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
        budget: &Budget,
    ) -> Result<AnyModel, LoadError> {
        match language_of(path, language)? {
            Language::Promela => ProgramModel::load(path, preprocessing.clone())
                .map(|model| AnyModel::Program(Box::new(model))),
            language => {
                let model = Model::load_top(path, Some(language), top, budget)?;
                Ok(AnyModel::System(Box::new(model)))
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
    digest: Digest,
}

impl ProgramModel {
    /// Reads a file and the files it includes.
    pub fn load(path: &Path, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        // SPIN's models may contain any bytes in comments.
        let bytes = read_bytes(path)?;
        let digest = Digest::of(&bytes);
        let source = Source::new(path.to_string_lossy(), decode_lossy(bytes));
        let mut model = ProgramModel::preprocessed(source, preprocessing)?;
        model.digest = digest;
        Ok(model)
    }

    /// Reads a text; files it includes are looked for beside it.
    pub fn read(source: Source) -> Result<ProgramModel, LoadError> {
        ProgramModel::preprocessed(source, Preprocessing::default())
    }

    fn preprocessed(source: Source, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        let content = read(&source, &[], &preprocessing)?;
        Ok(ProgramModel {
            digest: Digest::of(source.text().as_bytes()),
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

    /// The digest of the main file's bytes.
    pub fn digest(&self) -> Digest {
        self.digest
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
                let text = included(&path)?;
                Some((path.to_string_lossy().into_owned(), text))
            })
    };
    read_with(source, &include, added, &preprocessing.definitions).map_err(invalid)
}

/// An included file may have so many bytes.
const MOST_INCLUDED: u64 = 64 << 20;

/// The text of an included file. Devices and pipes, some of which have no end, are no files that can be included.
fn included(path: &Path) -> Option<String> {
    let file = std::fs::File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    file.take(MOST_INCLUDED + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= MOST_INCLUDED).then(|| String::from_utf8_lossy(&text).into_owned())
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
    /// The same where nobody asked for a limit.
    pub default_memory: Option<u64>,
    /// A switch that stops everything.
    pub cancellation: Cancellation,
    /// A mistake that is to be made about the requirement at this position.
    pub fault: Option<(usize, Fault)>,
}

impl ProgramRequest {
    fn budget(&self, time: Option<Duration>) -> Budget {
        Budget::unlimited()
            .with_timeout([time, self.property_timeout].into_iter().flatten().min())
            .with_memory(self.memory)
            .with_default_memory(self.default_memory)
            .with_cancellation(self.cancellation.clone())
    }
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
    /// The mistake of Entail's because of which the answer is unknown.
    pub internal: Option<InternalError<Outcome>>,
}

impl ProgramAnswer {
    /// No answer, and why.
    pub fn unknown(requirement: usize, reason: impl Into<String>) -> ProgramAnswer {
        ProgramAnswer {
            requirement,
            outcome: Outcome::unknown(reason),
            replayed: None,
            seconds: 0.0,
            internal: None,
        }
    }
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
    let mut answers = Vec::with_capacity(request.requirements.len());
    check_program_each(model, request, progress, |answer| {
        on_answer(&answer);
        answers.push(answer);
    });
    Ok(answers)
}

/// The same, handing out the answers.
pub fn check_program_each(
    model: &ProgramModel,
    request: &ProgramRequest,
    progress: &dyn Progress,
    mut on_answer: impl FnMut(ProgramAnswer),
) {
    let started = Instant::now();
    let engine = ProgramEngine {
        options: request.options.clone(),
    };
    for (done, &position) in request.requirements.iter().enumerate() {
        let begun = Instant::now();
        let share = request.timeout.map(|whole| {
            let left = whole.saturating_sub(started.elapsed());
            left / (request.requirements.len() - done).min(2) as u32
        });
        let budget = request.budget(share);
        let requirement = &model.requirements()[position];
        let outcome = caught(|| {
            if request.fault == Some((position, Fault::Panic)) {
                panic!("a fault that was asked for");
            }
            engine.check(model.program(), requirement, &budget, progress)
        });
        on_answer(match outcome {
            Ok(mut outcome) => {
                if request.fault == Some((position, Fault::Lie)) {
                    outcome.run = Some(Run::default());
                }
                answered(model, position, outcome, begun)
            }
            Err(message) => failed(position, format!("the engine panicked: {message}"), None, begun),
        });
    }
}

/// An outcome with its run repeated by the interpreter.
fn answered(model: &ProgramModel, position: usize, outcome: Outcome, begun: Instant) -> ProgramAnswer {
    let requirement = &model.requirements()[position];
    let judged = |run| caught(|| judge(model.program(), requirement, run, outcome.fair));
    let replayed = match outcome.run.as_ref().map(judged) {
        None => None,
        Some(Ok(Ok(replayed))) => Some(replayed),
        Some(Ok(Err(reason))) => {
            let message = format!("the run that the engine showed was rejected: {reason}");
            return failed(position, message, Some(outcome), begun);
        }
        Some(Err(message)) => {
            let message = format!("the interpreter panicked: {message}");
            return failed(position, message, Some(outcome), begun);
        }
    };
    ProgramAnswer {
        requirement: position,
        outcome,
        replayed,
        seconds: begun.elapsed().as_secs_f64(),
        internal: None,
    }
}

/// There is no answer, through a mistake of Entail's.
fn failed(position: usize, message: String, claim: Option<Outcome>, begun: Instant) -> ProgramAnswer {
    ProgramAnswer {
        seconds: begun.elapsed().as_secs_f64(),
        internal: Some(InternalError {
            message: message.clone(),
            claim: claim.map(Box::new),
        }),
        ..ProgramAnswer::unknown(position, format!("internal error: {message}"))
    }
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
            .with_default_memory(request.default_memory)
            .with_cancellation(request.cancellation.clone()),
        each: request.property_timeout,
    };
    let (found, outcomes) = mpsc::channel();
    std::thread::scope(|scope| {
        let search = scope.spawn(|| check_together(program, requirements, cluster, limits, found));
        let mut begun = Instant::now();
        for (&position, outcome) in request.requirements.iter().zip(outcomes) {
            on_answer(answered(model, position, outcome, begun));
            begun = Instant::now();
        }
        let searched = search
            .join()
            .unwrap_or_else(|_| Err("the search has failed".into()));
        searched.map_err(Failure::Cluster)
    })
}
