//! The document, read without a model.
//!
//! Reading checks the shape only: every part that is needed to show the evidence is there and of the right kind. Errors of
//! the JSON text say line and column; errors of shape say where in the document (`evidence.trace.steps[3]`).

use super::seal::check_seal;
use serde_json::{Map, Value as Json};

/// Why a text is no saved evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("not a JSON document: {message} at line {line}, column {column}")]
    Syntax {
        /// What is wrong.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// It is JSON of another shape.
    #[error("not saved evidence: at `{place}`: {expected}")]
    Shape {
        /// Where in the document.
        place: String,
        /// What was expected there.
        expected: String,
    },
    /// It is not as it was written.
    #[error("the file is damaged or was changed: its checksum is wrong")]
    Damaged,
    /// It is of a version that this program does not know.
    #[error(
        "the file is of version {version}, and this program knows {} and earlier ones",
        super::seal::VERSION
    )]
    Version {
        /// The version it says it is of.
        version: String,
    },
    /// It does not fit the model or the property.
    #[error("the evidence does not fit the model: at `{place}`: {problem}")]
    Foreign {
        /// Where in the document.
        place: String,
        /// What does not fit.
        problem: String,
    },
}

impl ReadError {
    pub(super) fn shape(place: impl Into<String>, expected: impl Into<String>) -> ReadError {
        ReadError::Shape {
            place: place.into(),
            expected: expected.into(),
        }
    }

    pub(super) fn foreign(place: impl Into<String>, problem: impl Into<String>) -> ReadError {
        ReadError::Foreign {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

/// A trace as saved: names and values as the document has them.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedTrace {
    /// Where the path goes on after the last step, if it is infinite.
    pub loop_start: Option<usize>,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// What each step says about each variable.
    pub steps: Vec<Map<String, Json>>,
}

/// A saved answer with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedEvidence {
    /// The model's file name.
    pub model: String,
    /// The model's language, if it is said.
    pub language: Option<String>,
    /// The property's name.
    pub property_name: Option<String>,
    /// The property as its author wrote it.
    pub property_text: String,
    /// The logic it was written in.
    pub logic: String,
    /// `holds`, `fails` or `unknown`.
    pub verdict: String,
    /// How far the verdict reaches.
    pub guarantee: String,
    /// What a dead end meant: `infinite`, `maximal`, `stutter` or `error`.
    pub dead_ends: String,
    /// The engine that answered.
    pub engine: Option<String>,
    /// Whether the document has a checksum, which then is right.
    pub is_sealed: bool,
    /// The digest of the model's file.
    pub digest: Option<String>,
    /// The evidence as saved.
    pub evidence: Json,
    /// The whole document.
    pub document: Json,
}

impl SavedEvidence {
    /// Reads a document.
    pub fn read(text: &str) -> Result<SavedEvidence, ReadError> {
        let document: Json = serde_json::from_str(text).map_err(|error| ReadError::Syntax {
            message: message_of(&error),
            line: error.line(),
            column: error.column(),
        })?;
        let root = object(&document, "")?;
        if let Some(format) = root.get("format")
            && format.as_str() != Some("entail-evidence")
        {
            return Err(ReadError::shape("format", "expected \"entail-evidence\""));
        }
        let property = object(field(root, "", "property")?, "property")?;
        let evidence = field(root, "", "evidence")?;
        text_of(object(evidence, "evidence")?, "evidence", "kind")?;
        let optional =
            |map: &Map<String, Json>, key: &str| map.get(key).and_then(Json::as_str).map(String::from);
        let saved = SavedEvidence {
            model: text_of(root, "", "model")?,
            language: optional(root, "language"),
            property_name: optional(property, "name"),
            property_text: text_of(property, "property", "formula")?,
            logic: text_of(property, "property", "logic")?,
            verdict: text_of(root, "", "verdict")?,
            guarantee: optional(root, "guarantee").unwrap_or_else(|| "complete".into()),
            dead_ends: optional(root, "dead_ends").unwrap_or_else(|| "infinite".into()),
            engine: optional(root, "engine"),
            is_sealed: check_seal(&document)?,
            digest: optional(root, "digest"),
            evidence: evidence.clone(),
            document: document.clone(),
        };
        if !["holds", "fails", "unknown"].contains(&saved.verdict.as_str()) {
            return Err(ReadError::shape("verdict", "expected holds, fails or unknown"));
        }
        Ok(saved)
    }

    /// The kind of the evidence.
    pub fn kind(&self) -> &str {
        self.evidence["kind"].as_str().unwrap_or("")
    }

    /// The trace of the evidence: the whole of it, or the first path of a tree.
    pub fn trace(&self) -> Option<Result<SavedTrace, ReadError>> {
        if let Some(trace) = self.evidence.get("trace") {
            return Some(SavedTrace::read(trace, "evidence.trace"));
        }
        let tree = self.evidence.get("tree")?;
        Some(SavedTrace::read(tree.get("trace")?, "evidence.tree.trace"))
    }
}

impl SavedTrace {
    /// Reads a trace found at a place of a document.
    pub fn read(json: &Json, place: &str) -> Result<SavedTrace, ReadError> {
        let map = object(json, place)?;
        let loop_start = match map.get("loop_start") {
            None | Some(Json::Null) => None,
            Some(json) => Some(index(json, &join(place, "loop_start"))?),
        };
        let inputs = match map.get("inputs") {
            None | Some(Json::Null) => Vec::new(),
            Some(json) => {
                let place = join(place, "inputs");
                let names = list(json, &place)?;
                let name = |(at, json): (usize, &Json)| {
                    json.as_str()
                        .map(String::from)
                        .ok_or_else(|| ReadError::shape(format!("{place}[{at}]"), "expected a name"))
                };
                names.iter().enumerate().map(name).collect::<Result<_, _>>()?
            }
        };
        let steps_place = join(place, "steps");
        let steps = list(field(map, place, "steps")?, &steps_place)?;
        let step = |(at, json): (usize, &Json)| object(json, &format!("{steps_place}[{at}]")).cloned();
        let steps: Vec<Map<String, Json>> = steps.iter().enumerate().map(step).collect::<Result<_, _>>()?;
        if steps.is_empty() {
            return Err(ReadError::shape(steps_place, "a trace has at least one step"));
        }
        if loop_start.is_some_and(|start| start >= steps.len()) {
            return Err(ReadError::shape(
                join(place, "loop_start"),
                format!("the loop starts outside the {} steps", steps.len()),
            ));
        }
        Ok(SavedTrace {
            loop_start,
            inputs,
            steps,
        })
    }
}

/// The message without the place that serde_json appends.
fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

pub(super) fn join(place: &str, key: &str) -> String {
    if place.is_empty() {
        key.to_string()
    } else {
        format!("{place}.{key}")
    }
}

pub(super) fn object<'a>(json: &'a Json, place: &str) -> Result<&'a Map<String, Json>, ReadError> {
    json.as_object()
        .ok_or_else(|| ReadError::shape(place, "expected an object"))
}

pub(super) fn list<'a>(json: &'a Json, place: &str) -> Result<&'a Vec<Json>, ReadError> {
    json.as_array()
        .ok_or_else(|| ReadError::shape(place, "expected a list"))
}

pub(super) fn index(json: &Json, place: &str) -> Result<usize, ReadError> {
    json.as_u64()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| ReadError::shape(place, "expected a natural number"))
}

pub(super) fn field<'a>(map: &'a Map<String, Json>, place: &str, key: &str) -> Result<&'a Json, ReadError> {
    map.get(key)
        .ok_or_else(|| ReadError::shape(join(place, key), "this is missing"))
}

pub(super) fn text_of(map: &Map<String, Json>, place: &str, key: &str) -> Result<String, ReadError> {
    field(map, place, key)?
        .as_str()
        .map(String::from)
        .ok_or_else(|| ReadError::shape(join(place, key), "expected a string"))
}
