//! Answers as saved documents, which the app writes and the reports read.

use entail_answer::CheckReport;
use entail_report::AnswerReport;
use serde_json::{Map, Value as Json, json};

/// The document of an answer. The settings are those that the verdict depends on.
pub fn document(
    model: &str,
    language: &str,
    settings: &Map<String, Json>,
    answer: &AnswerReport<'_>,
) -> Json {
    let heading = answer.heading;
    let mut map = Map::new();
    map.insert("entail".into(), env!("CARGO_PKG_VERSION").into());
    map.insert("format".into(), "entail-evidence".into());
    map.insert("model".into(), model.into());
    map.insert("language".into(), language.into());
    map.insert(
        "property".into(),
        json!({
            "name": heading.name, "formula": heading.text, "logic": heading.logic.name(), "position": answer.position + 1,
        }),
    );
    let mut rest = answer.answer.to_json();
    for key in ["verdict", "guarantee"] {
        map.insert(key.into(), rest.shift_remove(key).unwrap_or_default());
    }
    map.insert("engine".into(), answer.engine.into());
    map.extend(settings.iter().map(|(key, value)| (key.clone(), value.clone())));
    map.insert("value".into(), rest.shift_remove("value").unwrap_or_default());
    let evidence = match answer.evidence {
        Some(evidence) => Json::Object(checked(evidence, answer)),
        None => json!({"kind": "none"}),
    };
    map.insert("evidence".into(), evidence);
    map.extend(rest);
    Json::Object(map)
}

/// The document as the text of a file.
pub fn text(document: &Json) -> String {
    format!("{document:#}\n")
}

/// The evidence with what the checker said about it.
fn checked(full: &Map<String, Json>, answer: &AnswerReport<'_>) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("kind".into(), full.get("kind").cloned().unwrap_or_default());
    map.insert("checked".into(), answer.is_checked().into());
    if let Some(CheckReport::Partly { unchecked }) = answer.checked {
        map.insert("unchecked".into(), unchecked.clone().into());
    }
    for (key, value) in full {
        map.entry(key.clone()).or_insert_with(|| value.clone());
    }
    map
}
