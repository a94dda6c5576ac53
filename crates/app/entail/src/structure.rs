//! Files as labelled transition systems: graphs as they are, other models by their reachable states.

use crate::table::{Origin, Table};
use entail_budget::Budget;
use entail_family::{Command, LoadError, Model, Options, Structure, StructureError};
use std::path::{Path, PathBuf};

/// A format in which systems are written.
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

/// Why there is no system.
#[derive(thiserror::Error)]
pub enum NoStructure {
    /// The file is wrong.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Models of this kind have no states that could be listed.
    #[error("{} is one of {kind}, which are no labelled transition systems", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// Its family.
        kind: &'static str,
    },
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
    /// The states could not be listed. The model is there to show where.
    #[error("{1}")]
    Structure(Box<dyn Model>, StructureError),
}

impl std::fmt::Debug for NoStructure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// How many names are listed in a message.
const LISTED: usize = 20;

/// Reads a file as a system and hides actions: labels, or names for all labels with data of that name.
pub fn load_structure(
    table: Table,
    origin: &Origin,
    options: &Options,
    hide: &[String],
    budget: &Budget,
) -> Result<Structure, NoStructure> {
    let loaded = table.load(origin, Command::Structure, options, budget)?;
    let path = || origin.path.clone();
    let mut structure = match loaded.model.structure(options, budget) {
        None => {
            let kind = loaded.family.name;
            return Err(NoStructure::Kind { path: path(), kind });
        }
        Some(Err(error)) => return Err(NoStructure::Structure(loaded.model, error)),
        Some(Ok(structure)) => structure,
    };
    let mut hidden = Vec::new();
    for name in hide {
        let actions = structure.lts.actions_named(name);
        if actions.is_empty() {
            let known = structure.lts.actions().iter().skip(1).take(LISTED);
            return Err(NoStructure::NoSuchAction {
                name: name.clone(),
                path: path(),
                known: known.map(ToString::to_string).collect(),
            });
        }
        hidden.extend(actions);
    }
    if !hidden.is_empty() {
        structure.lts = structure.lts.hide(&hidden);
    }
    Ok(structure)
}
