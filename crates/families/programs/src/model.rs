//! A program that has been read, with what is asked about it.

use crate::checker::RunChecker;
use crate::options;
use crate::session::ProgramSession;
use crate::walk::ProgramWalk;
use crate::{ENGINE, coverage, session, state_graph, structure};
use entail_answer::{Answer, Statistics};
use entail_budget::Budget;
use entail_family::{
    Checker, Coverage, Heading, Input, LoadError, Member, Model, Options, ReadError, Session, Structure,
    StructureError, Turn, Usage, Walk,
};
use entail_logic::{Formula, Logic};
use entail_program::{Program, Replayed, Requirement, RequirementKind, Run};
use entail_promela::{PromelaModel, Trouble, follow_trail, read_with, write_trail};
use entail_show::Graph;
use entail_source::{Source, decode_lossy, read_file};
use serde_json::{Map, Value as Json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the preprocessor is told from outside.
#[derive(Clone, Debug, Default)]
pub struct Preprocessing {
    /// Macros: `N=4`, or `N`, which is 1.
    pub definitions: Vec<String>,
    /// Folders in which included files are looked for, if they are not beside the file that includes them.
    pub folders: Vec<PathBuf>,
}

impl Preprocessing {
    /// What the options say.
    fn of(options: &Options) -> Preprocessing {
        Preprocessing {
            definitions: options.values("define").to_vec(),
            folders: options.values("include").iter().map(PathBuf::from).collect(),
        }
    }
}

/// A program with what is asked about it.
#[derive(Debug)]
pub struct ProgramModel {
    source: Source,
    /// Formulas that were added to those of the text.
    added: Vec<String>,
    preprocessing: Preprocessing,
    content: PromelaModel,
    headings: Vec<Heading>,
}

/// The text of a file that the user named; comments may contain any bytes.
pub(crate) fn named_text(path: &Path) -> Result<Source, LoadError> {
    let bytes = read_file(path).map_err(|error| LoadError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(Source::new(path.to_string_lossy(), decode_lossy(bytes)))
}

/// Reads a model; comments may contain any bytes.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let preprocessing = Preprocessing::of(input.options);
    Ok(Box::new(ProgramModel::preprocessed(
        input.lossy_text(),
        preprocessing,
    )?))
}

impl ProgramModel {
    /// Reads a file and the files it includes.
    pub fn load(path: &Path, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        ProgramModel::preprocessed(named_text(path)?, preprocessing)
    }

    /// Reads a text; files it includes are looked for beside it.
    pub fn read(source: Source) -> Result<ProgramModel, LoadError> {
        ProgramModel::preprocessed(source, Preprocessing::default())
    }

    fn preprocessed(source: Source, preprocessing: Preprocessing) -> Result<ProgramModel, LoadError> {
        let content = read(&source, &[], &preprocessing)?;
        Ok(ProgramModel {
            headings: headings(&content),
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

    /// A part of a formula in the words of the text.
    pub(crate) fn formula_text(&self, part: &Formula<usize>) -> String {
        let text = |atom: &usize| {
            self.content
                .condition_texts
                .get(*atom)
                .map_or("?", String::as_str)
        };
        part.display_with(|atom: &usize, f: &mut std::fmt::Formatter<'_>| match text(atom) {
            text if text.contains(char::is_whitespace) => write!(f, "({text})"),
            text => f.write_str(text),
        })
        .to_string()
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
                self.headings = headings(&content);
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

fn headings(content: &PromelaModel) -> Vec<Heading> {
    let places = &content.places;
    let requirements = content.requirements.iter();
    requirements
        .map(|requirement| Heading {
            place: (requirement.name.as_ref()).and_then(|name| places.get(name).copied()),
            ..heading(requirement)
        })
        .collect()
}

fn heading(requirement: &Requirement) -> Heading {
    Heading {
        name: requirement.name.clone(),
        text: requirement.text.clone(),
        logic: match requirement.question {
            RequirementKind::Safety => Logic::Safety,
            RequirementKind::Always(_) => Logic::Ltl,
            RequirementKind::NeverClaim(_) => Logic::NeverClaim,
            RequirementKind::NoAcceptanceCycle => Logic::Acceptance,
            RequirementKind::Progress => Logic::Progress,
        },
        place: None,
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
    let about = std::fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MOST_INCLUDED {
        return None;
    }
    Some(decode_lossy(read_file(path).ok()?))
}

fn invalid(trouble: Trouble) -> LoadError {
    LoadError::invalid(&trouble.source, trouble.diagnostics)
}

impl Model for ProgramModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "promela"
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        match logic {
            None | Some(Logic::Ltl) => self.add_formula(text),
            Some(logic) => Err(Usage(format!(
                "programs are asked formulas of LTL, not of the logic `{logic}`"
            ))
            .into()),
        }
    }

    fn figures(&self) -> Statistics {
        let program = self.program();
        Statistics::default()
            .with("process_types", program.processes.len() as u64)
            .with("global_cells", program.globals.len() as u64)
            .with("channel_types", program.channels.len() as u64)
    }

    fn settings(&self, options: &Options) -> Map<String, Json> {
        let fairness = if options::is_fair(options) { "weak" } else { "none" };
        Map::from_iter([("fairness".to_owned(), fairness.into())])
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        match document.get("fairness").unwrap_or(&Json::Null) {
            Json::Null => {}
            Json::String(fairness) if fairness == "weak" || fairness == "none" => {
                options.give("fairness", fairness);
            }
            other => return Err(ReadError::NotEvidence(format!("unknown fairness `{other}`"))),
        }
        Ok(options)
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        options::check(self, properties, options)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(ENGINE, None, "programs are searched state by state")]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(ProgramSession::new(self, options)?))
    }

    fn check_together(
        &self,
        properties: &[usize],
        options: &Options,
        member: &Member,
        limits: (&Budget, Option<Duration>),
        on_answer: &mut dyn FnMut(usize, Answer),
    ) -> Option<Result<(), String>> {
        Some(session::check_together(
            self, properties, options, member, limits, on_answer,
        ))
    }

    fn saves_its_work(&self, options: &Options) -> bool {
        options.has("checkpoint") || options.has("resume")
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(RunChecker::new(self, options)))
    }

    fn walk<'m>(&'m self, options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        let walk = ProgramWalk::new(self, options);
        Some(walk.map(|walk| Box::new(walk) as Box<dyn Walk + 'm>))
    }

    fn structure(&self, _options: &Options, budget: &Budget) -> Option<Result<Structure, StructureError>> {
        Some(structure::of(self.program(), budget))
    }

    fn coverage(&self, _: &[(usize, &Answer)], most_states: usize, _: &Budget) -> Option<Coverage> {
        let requirements = self.requirements();
        Some(coverage::coverage(self.program(), requirements, most_states))
    }

    fn graph(&self, most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        Some(state_graph::drawn(self.program(), most_states))
    }
}
