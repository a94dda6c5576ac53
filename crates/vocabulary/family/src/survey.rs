//! What is found out about a model as a whole, beside or instead of its properties.

use entail_show::Table;
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// Whether a survey is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurveyWish {
    /// No.
    None,
    /// After the properties have been decided; only its files are wanted.
    Beside,
    /// In place of deciding properties; it is printed.
    Instead,
}

/// Facts about a model as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// Further keys of the JSON document.
    pub json: Map<String, Json>,
    /// The same for people.
    pub table: Table,
    /// Why the facts are not complete, if they are not: the exit status is that of *unknown*.
    pub incomplete: Option<String>,
    /// Files that the user asked for, with their texts.
    pub files: Vec<(PathBuf, String)>,
}
