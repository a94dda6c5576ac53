//! What of a model no run ever reaches, and what no proof needed.

use entail_show::SourcePlace;

/// What was found when the reachable states and the proofs were looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Reachable states, all of which were looked at, or why they were not.
    pub states: Result<u64, String>,
    /// Parts of the model that could have been reached.
    pub parts: usize,
    /// Those that were not; none if not all states were looked at.
    pub unreached: Vec<Part>,
    /// What the proofs of properties rest on; nothing if none was given, or this kind of system cannot tell.
    pub proofs: Option<Proofs>,
}

impl Coverage {
    /// What is known where states were not looked at.
    pub fn unknown(reason: impl Into<String>) -> Coverage {
        Coverage {
            states: Err(reason.into()),
            parts: 0,
            unreached: Vec::new(),
            proofs: None,
        }
    }
}

/// What the proofs of properties rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// Number of properties that were proved.
    pub count: usize,
    /// Registers and inputs of the model.
    pub parts: usize,
    /// Those that no proof needed: the properties would be proved just so if these behaved in any way whatever.
    pub unneeded: Vec<Part>,
}

/// A part of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// What kind of part.
    pub kind: PartKind,
    /// What it belongs to: a process type, a variable; empty where it belongs to the model.
    pub of: String,
    /// Its line, from 1, and the file if it is not the model's own.
    pub place: Option<(Option<String>, usize)>,
    /// What it is, as the model's author writes it.
    pub text: String,
}

impl Part {
    /// Where it stands.
    pub fn source_place(&self) -> Option<SourcePlace> {
        self.place.clone().map(|(file, line)| SourcePlace { file, line })
    }
}

/// Kinds of parts of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// A statement of a program.
    Statement,
    /// A way from one place of a program or graph to another, where statements do not tell it: a statement in one call of several.
    Edge,
    /// A state of a graph.
    State,
    /// A branch of a case distinction.
    Branch,
    /// An alternative of the transition relation.
    Transition,
    /// A value of a variable.
    Value,
    /// A variable with a memory.
    Register,
    /// A variable that the environment chooses.
    Input,
}

impl PartKind {
    /// Its name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            PartKind::Statement => "statement",
            PartKind::Edge => "edge",
            PartKind::State => "state",
            PartKind::Branch => "branch",
            PartKind::Transition => "transition",
            PartKind::Value => "value",
            PartKind::Register => "register",
            PartKind::Input => "input",
        }
    }
}
