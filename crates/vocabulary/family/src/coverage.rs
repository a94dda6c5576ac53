//! What of a model no run ever reaches.

use entail_show::SourcePlace;

/// What was found when the reachable states were looked through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Reachable states, all of which were looked at.
    pub states: u64,
    /// Parts of the model that could have been reached: statements, values of variables.
    pub parts: usize,
    /// Those that were not.
    pub unreached: Vec<Unreached>,
}

/// A part of a model that no run reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// What it belongs to: a process type, a variable.
    pub of: String,
    /// Its line, from 1, and the file if it is not the model's own.
    pub place: Option<(Option<String>, usize)>,
    /// What it is, as the model's author writes it.
    pub text: String,
}

impl Unreached {
    /// Where it stands.
    pub fn source_place(&self) -> Option<SourcePlace> {
        self.place.clone().map(|(file, line)| SourcePlace { file, line })
    }
}
