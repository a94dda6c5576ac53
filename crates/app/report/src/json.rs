//! The report for programs: one JSON document, or one line an answer.
//!
//! `docs/report.schema.json` says what is in it. Keys are only ever added.

use crate::report::{AnswerReport, Report};
use entail_answer::CheckReport;
use entail_family::{Coverage, Part};
use serde_json::{Map, Value as Json, json};

/// The version of the documents, as the key `schema` has it.
pub const SCHEMA: &str = "entail-report/1";

/// Parts of evidence that only checkers read: they are in saved evidence, not in reports.
const FOR_CHECKERS: [&str; 2] = ["nodes", "hazards"];

/// The document, on one line with a newline at its end.
pub fn report(report: &Report<'_>) -> String {
    let mut text = document(report).to_string();
    text.push('\n');
    text
}

/// One answer on a line, as it is decided: the property's object with what the document says about the model.
pub fn line(report: &Report<'_>, answer: &AnswerReport<'_>) -> String {
    let mut map = head(report);
    map.extend(property(report, answer));
    let mut text = Json::Object(map).to_string();
    text.push('\n');
    text
}

/// The document.
pub fn document(report: &Report<'_>) -> Json {
    let properties = report
        .answers
        .iter()
        .map(|answer| Json::Object(property(report, answer)));
    let properties: Vec<Json> = properties.collect();
    let mut map = head(report);
    if !report.figures.is_empty() {
        map.insert("figures".into(), report.figures.to_json());
    }
    map.insert("properties".into(), properties.into());
    if let Some(coverage) = &report.coverage {
        map.insert("coverage".into(), coverage_json(coverage));
    }
    map.insert("seconds".into(), rounded(report.seconds).into());
    map.insert("peak_memory_bytes".into(), report.peak_memory_bytes.into());
    Json::Object(map)
}

/// What no run reaches, or why that is not known, and what no proof needed.
pub(crate) fn coverage_json(coverage: &Coverage) -> Json {
    let part = |one: &Part| {
        let (file, line) = one.place.clone().unzip();
        json!({"kind": one.kind.name(), "of": one.of, "text": one.text, "file": file.flatten(), "line": line})
    };
    let list = |parts: &[Part]| -> Vec<Json> { parts.iter().map(part).collect() };
    let proofs = coverage.proofs.as_ref().map(
        |proofs| json!({"count": proofs.count, "parts": proofs.parts, "unneeded": list(&proofs.unneeded)}),
    );
    json!({
        "states": coverage.states.as_ref().ok(),
        "parts": coverage.states.as_ref().ok().map(|_| coverage.parts),
        "unreached": list(&coverage.unreached),
        "reason": coverage.states.as_ref().err(),
        "proofs": proofs,
    })
}

/// What is about the model.
fn head(report: &Report<'_>) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert("entail".into(), env!("CARGO_PKG_VERSION").into());
    map.insert("schema".into(), SCHEMA.into());
    map.insert("model".into(), report.name.into());
    map.insert("language".into(), report.language.into());
    map.extend(
        report
            .settings
            .iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    map
}

fn property(report: &Report<'_>, answer: &AnswerReport<'_>) -> Map<String, Json> {
    let heading = answer.heading;
    let place = heading.place.map(|span| {
        let (file, span) = report.source.part(span);
        let place = file.place(span.start);
        match report.source.parts() {
            [] => json!({"line": place.line, "column": place.column}),
            _ => json!({"file": file.name(), "line": place.line, "column": place.column}),
        }
    });
    let mut map = Map::new();
    map.insert("name".into(), heading.name.clone().into());
    map.insert("formula".into(), heading.text.clone().into());
    map.insert("logic".into(), heading.logic.name().into());
    map.insert("position".into(), (answer.position + 1).into());
    map.insert("place".into(), place.into());
    let mut rest = answer.answer.to_json();
    for key in ["verdict", "guarantee"] {
        map.insert(key.into(), rest.shift_remove(key).unwrap_or_default());
    }
    map.insert("engine".into(), answer.engine.into());
    map.insert("because".into(), answer.because.into());
    map.insert("seconds".into(), rounded(answer.seconds).into());
    map.insert("evidence".into(), evidence(answer));
    map.insert("reason".into(), rest.shift_remove("reason").unwrap_or_default());
    if !answer.shown.violated.is_empty() {
        map.insert("violated".into(), answer.shown.violated.clone().into());
    }
    map.extend(rest);
    if let Some(failure) = answer.failure {
        map.insert("failure".into(), failure.into());
    }
    for (key, value) in answer.details {
        map.entry(key.clone()).or_insert_with(|| value.clone());
    }
    map
}

fn evidence(answer: &AnswerReport<'_>) -> Json {
    let Some(full) = answer.evidence else {
        return Json::Null;
    };
    let mut map = with_check(full, answer);
    leave_out(&mut map);
    Json::Object(map)
}

/// Leaves out what only checkers read, also of the proof that evidence may contain.
fn leave_out(evidence: &mut Map<String, Json>) {
    evidence.retain(|key, _| !FOR_CHECKERS.contains(&key.as_str()));
    if let Some(Json::Object(proof)) = evidence.get_mut("proof") {
        leave_out(proof);
    }
}

/// The evidence with what the checker said about it, right after its kind, where a reader of the text sees it.
fn with_check(full: &Map<String, Json>, answer: &AnswerReport<'_>) -> Map<String, Json> {
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

/// Microseconds are enough.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
