//! Files as labelled transition systems: graphs as they are, models by their reachable states.

mod program;
mod symbolic;
mod system;

use crate::files::open_file;
use crate::model::{LoadError, read_bytes};
use crate::{AnyModel, Language, Model, Preprocessing};
use entail_budget::{Budget, Spent};
use entail_evidence::ModelError;
use entail_graph::{Hidden, ReadError, Unreadable, read_aut, read_dot, read_json};
use entail_model::{Lts, LtsError};
use entail_source::{Source, decode_lossy};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A format of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Aldebaran's.
    Aut,
    /// JSON.
    Json,
    /// Graphviz.
    Dot,
}

/// Extension and format. A format that is added gets a row here.
const FORMATS: [(&str, GraphFormat); 4] = [
    ("aut", GraphFormat::Aut),
    ("json", GraphFormat::Json),
    ("dot", GraphFormat::Dot),
    ("gv", GraphFormat::Dot),
];

impl GraphFormat {
    /// The format a file's name tells.
    pub fn of_file(path: &Path) -> Option<GraphFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|row| row.0 == extension).map(|row| row.1)
    }

    /// The extensions that tell a format.
    pub fn extensions() -> Vec<&'static str> {
        FORMATS.iter().map(|row| row.0).collect()
    }
}

/// How a file becomes a system.
#[derive(Clone, Debug, Default)]
pub struct StructureOptions {
    /// The language, if the file's name does not tell it.
    pub language: Option<Language>,
    /// What is observed of a model's states, in SMV's syntax: variables or conditions. Without any, the atoms of its properties.
    pub observe: Vec<String>,
    /// What a preprocessor is told.
    pub preprocessing: Preprocessing,
    /// Which label of an `.aut` file is the hidden action.
    pub hidden: Hidden,
    /// Actions that are hidden, by label, or by name for all labels with data of that name.
    pub hide: Vec<String>,
    /// How the states of a transition system are found.
    pub listing: Listing,
}

/// How the states of a transition system are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Listing {
    /// One by one; where they are too many, by classes.
    #[default]
    States,
    /// By classes of strong bisimulation, on decision diagrams.
    Classes,
}

/// A system, and what a user should know about how it was made.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The system.
    pub lts: Lts,
    /// What was done on the way.
    pub notes: Vec<String>,
}

/// Why there is no system.
#[derive(Debug, thiserror::Error)]
pub enum StructureError {
    /// The file is wrong.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// An action to be hidden does not exist.
    #[error("there is no action `{name}` to hide in {}; there are: {}", path.display(), known.join(", "))]
    NoSuchAction {
        /// The name.
        name: String,
        /// The file.
        path: PathBuf,
        /// Some actions there are.
        known: Vec<String>,
    },
    /// The reachable states could not be listed.
    #[error("the reachable states could not be listed: {0}")]
    NotExplored(String),
    /// The model has no meaning.
    #[error("{}", .0.1)]
    Meaningless(Box<(Model, ModelError)>),
    /// An expression is no condition.
    #[error("`{0}` is not a condition without temporal operators, so it cannot be observed")]
    NotObservable(String),
    /// Propositions cannot be chosen for what has none, or has its own.
    #[error("--observe is for models with variables; {0}")]
    NothingToObserve(String),
    /// It would be too large.
    #[error("{0}")]
    TooLarge(#[from] LtsError),
    /// There was not enough time or memory.
    #[error("{0}")]
    Spent(Spent),
}

impl From<Spent> for StructureError {
    fn from(spent: Spent) -> Self {
        StructureError::Spent(spent)
    }
}

/// How many names are listed in a message.
const LISTED: usize = 20;

/// Reads a file as a system.
pub fn load_structure(
    path: &Path,
    options: &StructureOptions,
    budget: &Budget,
) -> Result<Structure, StructureError> {
    let mut structure = match GraphFormat::of_file(path).filter(|_| options.language.is_none()) {
        Some(format) => observing(read_graph(path, format, options)?, &options.observe)?,
        None => match AnyModel::load(path, options.language, None, &options.preprocessing, budget)? {
            AnyModel::System(model) => system::of_model(*model, &options.observe, options.listing, budget)?,
            AnyModel::Program(_) if !options.observe.is_empty() => {
                return Err(StructureError::NothingToObserve(
                    "of programs, statements and messages are seen".to_owned(),
                ));
            }
            AnyModel::Program(model) => program::of_program(model.program(), budget)?,
        },
    };
    let mut hidden = Vec::new();
    for name in &options.hide {
        let actions = structure.lts.actions_named(name);
        if actions.is_empty() {
            return Err(StructureError::NoSuchAction {
                name: name.clone(),
                path: path.to_owned(),
                known: (structure.lts.actions().iter().skip(1).take(LISTED))
                    .map(ToString::to_string)
                    .collect(),
            });
        }
        hidden.extend(actions);
    }
    if !hidden.is_empty() {
        structure.lts = structure.lts.hide(&hidden);
    }
    Ok(structure)
}

/// A graph with the propositions that are chosen, if some are.
fn observing(structure: Structure, observe: &[String]) -> Result<Structure, StructureError> {
    if observe.is_empty() {
        return Ok(structure);
    }
    let known: BTreeSet<&str> = (structure.lts.colours().iter().flatten())
        .map(|name| &**name)
        .collect();
    if let Some(unknown) = observe.iter().find(|name| !known.contains(name.as_str())) {
        let known: Vec<&str> = known.into_iter().take(LISTED).collect();
        return Err(StructureError::NothingToObserve(match known.is_empty() {
            true => "this graph has no propositions".to_owned(),
            false => format!(
                "there is no proposition `{unknown}` in this graph; there are: {}",
                known.join(", ")
            ),
        }));
    }
    let lts = structure
        .lts
        .observing(&|name| observe.iter().any(|one| **one == *name));
    Ok(Structure { lts, ..structure })
}

fn read_graph(path: &Path, format: GraphFormat, options: &StructureOptions) -> Result<Structure, LoadError> {
    let name = path.to_string_lossy();
    let unreadable = |error: std::io::Error| LoadError::Unreadable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let lts = match format {
        GraphFormat::Aut => {
            let file = open_file(path).map_err(unreadable)?;
            read_aut(&name, file, options.hidden).map_err(|error| match error {
                ReadError::Io(error) => unreadable(error),
                ReadError::Invalid(wrong) => invalid(*wrong),
            })?
        }
        GraphFormat::Json | GraphFormat::Dot => {
            let text = decode_lossy(read_bytes(path)?);
            let source = Source::new(&*name, text);
            match format {
                GraphFormat::Dot => read_dot(&source, options.hidden),
                _ => read_json(&source),
            }
            .map_err(invalid)?
        }
    };
    Ok(Structure {
        lts,
        notes: Vec::new(),
    })
}

fn invalid(wrong: Unreadable) -> LoadError {
    LoadError::Invalid {
        source_text: wrong.source,
        diagnostics: wrong.diagnostics,
    }
}
