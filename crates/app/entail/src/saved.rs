//! Answers as documents: what `--evidence` saves, what `certify` reads, what crosses between racing processes.

use entail_answer::{Answer, Evidence};
use entail_evidence::json::{ReadError as SealError, check_seal};
use entail_family::{Checker, Heading, Model, Options, ReadError};
use entail_logic::Logic;
use serde_json::{Map, Value as Json, json};

/// The value of the key `format`.
pub const FORMAT: &str = "entail-evidence";

/// An answer with its evidence, and what it is about.
pub fn document(
    model: &dyn Model,
    options: &Options,
    property: usize,
    engine: &str,
    answer: &Answer,
    checker: &dyn Checker,
) -> Json {
    let heading = &model.properties()[property];
    let mut document = json!({
        "entail": env!("CARGO_PKG_VERSION"),
        "format": FORMAT,
        "model": model.source().name(),
        "language": model.language(),
        "property": {"name": heading.name, "formula": heading.text, "logic": heading.logic.name()},
        "engine": engine,
    });
    if let Json::Object(map) = &mut document {
        map.extend(answer.to_json());
        map.extend(model.settings(options));
        map.insert("evidence".into(), evidence(property, answer, checker));
    }
    document
}

fn evidence(property: usize, answer: &Answer, checker: &dyn Checker) -> Json {
    match &answer.evidence {
        Some(evidence) => Json::Object(checker.to_saved_json(property, &**evidence)),
        None => json!({"kind": "none"}),
    }
}

/// The answer of a document about a property.
pub fn answer(document: &Json, property: usize, checker: &dyn Checker) -> Result<Answer, ReadError> {
    let evidence: Option<Box<dyn Evidence>> = match document["evidence"]["kind"].as_str() {
        None | Some("none") => None,
        Some(_) => Some(checker.evidence_from_json(property, document)?),
    };
    Ok(Answer::from_json(document, evidence)?)
}

/// The property a document speaks of: the model's of that name, which must be the same formula in the same logic; without a name, the one of
/// that text and logic, or read anew (it came from `--spec` or `--mu`).
pub fn property(model: &mut dyn Model, document: &Json) -> Result<usize, ReadError> {
    let asked = &document["property"];
    let text = asked["formula"].as_str().ok_or("the file names no property")?;
    let logic = asked["logic"].as_str().unwrap_or("");
    let known = model.properties();
    let is_meant = |heading: &Heading| heading.text == text && heading.logic.name() == logic;
    if let Some(name) = asked["name"].as_str() {
        let is_named = |heading: &Heading| heading.name.as_deref() == Some(name);
        let same = known.iter().position(|one| is_named(one) && is_meant(one));
        return same.ok_or_else(|| {
            let has = match known.iter().find(|one| is_named(one)) {
                Some(other) => format!(
                    "in the model this is the name of `{}` ({})",
                    other.text, other.logic
                ),
                None => "the model has no property of this name".to_owned(),
            };
            ReadError::False(format!(
                "the evidence is about `{text}` ({logic}) under the name `{name}`; {has}"
            ))
        });
    }
    if let Some(position) = known.iter().position(is_meant) {
        return Ok(position);
    }
    let added = model.add_property(text, Logic::named(logic).filter(|logic| *logic == Logic::Mu));
    match added {
        Ok(position) if model.properties()[position].logic.name() == logic => Ok(position),
        _ => Err(ReadError::NotEvidence(format!(
            "the evidence is about `{text}`, which is neither a property of this model nor a formula about it"
        ))),
    }
}

/// A saved document that has been read.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The document.
    pub document: Json,
    /// Whether it has a checksum, which fits; documents of earlier versions have none.
    pub is_sealed: bool,
}

/// Reads a saved document; one whose checksum does not fit is refused.
pub fn read(text: &str) -> Result<Saved, ReadError> {
    let document: Json =
        serde_json::from_str(text).map_err(|error| ReadError::NotEvidence(format!("no JSON: {error}")))?;
    if document["format"] != FORMAT {
        return Err("the file is not saved evidence".into());
    }
    let is_sealed = check_seal(&document).map_err(|error| match error {
        SealError::Damaged => ReadError::False(error.to_string()),
        _ => ReadError::NotEvidence(error.to_string()),
    })?;
    Ok(Saved { document, is_sealed })
}

/// Options as data.
pub(crate) fn options_to_json(options: &Options) -> Json {
    let map: Map<String, Json> = options
        .iter()
        .map(|(name, values)| (name.to_owned(), json!(values)))
        .collect();
    Json::Object(map)
}

/// Reads what [`options_to_json`] wrote.
pub(crate) fn options_from_json(json: &Json) -> Options {
    let mut options = Options::default();
    for (name, values) in json.as_object().into_iter().flatten() {
        for value in values.as_array().into_iter().flatten().filter_map(Json::as_str) {
            options.give(name, value);
        }
    }
    options
}
