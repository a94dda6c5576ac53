//! The index of an archive: what is in it, and how it is written.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that is read and written; revisions only add to it.
pub(super) const VERSION: u32 = 1;

/// `index.json`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Index {
    pub format_version: u32,
    pub format_revision: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_data: Option<FileData>,
    pub transition_system: Counts,
    /// By group (`aps`, `rewards`) and name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, BTreeMap<String, Annotation>>,
    /// By what they belong to (`states`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub valuations: BTreeMap<String, Valuation>,
}

/// Who wrote the file.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct FileData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

/// How time passes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Time {
    Discrete,
    Stochastic,
    UrgentStochastic,
}

/// The shape of the transition system.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Counts {
    pub time: Time,
    #[serde(rename = "#players")]
    pub players: u32,
    #[serde(rename = "#states")]
    pub states: u64,
    #[serde(rename = "#initial-states")]
    pub initial_states: u64,
    #[serde(rename = "#choices")]
    pub choices: u64,
    #[serde(rename = "#choice-actions")]
    pub choice_actions: u32,
    #[serde(rename = "#branches")]
    pub branches: u64,
    #[serde(rename = "#branch-actions")]
    pub branch_actions: u32,
    #[serde(rename = "#observations")]
    pub observations: u64,
    #[serde(
        rename = "branch-probability-type",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub probability: Option<Type>,
    #[serde(rename = "exit-rate-type", default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Type>,
}

/// A type of values with its size in bits.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Type {
    #[serde(rename = "type")]
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

/// Values of states, choices or branches under a name.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Annotation {
    /// The name for people, where the key is only a name for files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    #[serde(default)]
    pub applies_to: Vec<String>,
    #[serde(rename = "type")]
    pub of: Type,
}

/// Values of variables.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Valuation {
    pub unique: bool,
    pub classes: Vec<Class>,
}

/// One way to pack values.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Class {
    pub variables: Vec<Field>,
}

/// Bits of a packed valuation: a variable, or nothing.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Field {
    Padding {
        padding: u32,
    },
    Variable {
        name: String,
        #[serde(rename = "type")]
        of: Type,
        #[serde(rename = "is-optional", default, skip_serializing_if = "std::ops::Not::not")]
        optional: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lower: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upper: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<i64>,
    },
}
