//! Answers as documents: what `--evidence` saves, what `certify` reads, what crosses between racing processes.

use entail_answer::{Answer, Evidence};
use entail_evidence::json::check_seal;
use entail_family::{Checker, Heading, LoadError, Model, Options, ReadError};
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
    Answer::from_json(document, evidence).map_err(ReadError)
}

/// The property a document speaks of: by name and text, by text alone if it has no name, or read anew (it came from `--spec`).
pub fn property(model: &mut dyn Model, document: &Json) -> Result<usize, ReadError> {
    let asked = &document["property"];
    let text = asked["formula"].as_str().ok_or("the file names no property")?;
    let name = asked["name"].as_str();
    let known = model.properties();
    let same = |heading: &Heading| heading.text == text && heading.name.as_deref() == name;
    if let Some(position) = known.iter().position(same) {
        return Ok(position);
    }
    if let Some(name) = name {
        let named = known.iter().find(|heading| heading.name.as_deref() == Some(name));
        return Err(ReadError(match named {
            Some(heading) => format!(
                "the evidence is about `{text}` under the name `{name}`, which is the name of `{}` in this model",
                heading.text
            ),
            None => format!("the evidence is about a property `{name}` that this model does not have"),
        }));
    }
    if let Some(position) = known.iter().position(|heading| heading.text == text) {
        return Ok(position);
    }
    let logic = asked["logic"].as_str().and_then(entail_logic::Logic::named);
    let logic = logic.filter(|logic| *logic == entail_logic::Logic::Mu);
    model.add_property(text, logic).map_err(|error: LoadError| {
        ReadError(format!(
            "the evidence is about `{text}`, which is neither a property of this model nor a formula about it: {error}"
        ))
    })
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
        serde_json::from_str(text).map_err(|error| ReadError(format!("no JSON: {error}")))?;
    if document["format"] != FORMAT {
        return Err("the file is not saved evidence".into());
    }
    let is_sealed = check_seal(&document).map_err(|error| ReadError(error.to_string()))?;
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
