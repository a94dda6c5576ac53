//! A text with marks: what was covered, where a step stands.

use serde::{Deserialize, Serialize};

/// A line in a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The file; nothing for the model's main file.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            None => write!(f, "line {}", self.line),
            Some(file) => write!(f, "{}:{}", file.rsplit('/').next().unwrap_or(file), self.line),
        }
    }
}

/// A text with marked lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedSource {
    /// The file's name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The marks, by line.
    pub marks: Vec<Mark>,
}

/// A mark on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The line, from 1.
    pub line: usize,
    /// What is said about it ("never reached", "step 3").
    pub text: String,
}
