//! The report for programs: one JSON document.
//!
//! Keys are only ever added. Beside those of the design there are: `bound` and `coverage` with a guarantee that has them,
//! `internal_error` where Entail made a mistake (what happened, and the file in which the case is saved), `value` for quantitative answers, `warnings`, `statistics`, `violated` (the failing conjuncts, as text), and in `evidence`
//! what was not rechecked (`unchecked`).

use crate::report::{ModelReport, PropertyReport, Report};
use crate::text::quantity;
use crate::violated::violated_parts;
use entail_evidence::json::{dead_ends_name, evidence_to_json, guarantee_name, verdict_name};
use entail_evidence::{CheckReport, Guarantee, Quantity, Statistics};
use serde_json::{Map, Value as Json, json};

/// The document, on one line with a newline at its end.
pub fn report(report: &Report<'_>) -> String {
    let mut text = document(report).to_string();
    text.push('\n');
    text
}

/// The document.
pub fn document(report: &Report<'_>) -> Json {
    let properties: Vec<Json> = report
        .properties
        .iter()
        .map(|answer| property(&report.model, answer))
        .collect();
    json!({
        "entail": env!("CARGO_PKG_VERSION"),
        "model": report.model.name,
        "language": report.model.language,
        "dead_ends": dead_ends_name(report.model.dead_ends),
        "properties": properties,
        "seconds": rounded(report.seconds),
        "peak_memory_bytes": report.peak_memory_bytes,
    })
}

fn property(model: &ModelReport<'_>, answer: &PropertyReport<'_>) -> Json {
    let outcome = answer.outcome;
    let mut json = json!({
        "name": answer.property.name,
        "formula": answer.property.text,
        "logic": answer.property.logic,
        "verdict": verdict_name(outcome.verdict),
        "guarantee": guarantee_name(&outcome.guarantee),
        "engine": answer.engine,
        "seconds": rounded(answer.seconds),
        "evidence": evidence(model, answer),
        "reason": outcome.reason,
    });
    match outcome.guarantee {
        Guarantee::Complete => {}
        Guarantee::Bounded(bound) => json["bound"] = bound.into(),
        Guarantee::Partial { coverage } => json["coverage"] = coverage.into(),
    }
    if let Some(value) = outcome.value {
        json["value"] = match value {
            Quantity::Finite(number) => number.into(),
            other => quantity(other).into(),
        };
    }
    let violated = violated_parts(model, answer);
    if !violated.is_empty() {
        json["violated"] = violated.into();
    }
    if let Some(internal) = answer.internal {
        json["internal_error"] = internal.json();
    }
    json["warnings"] = outcome.warnings.clone().into();
    json["statistics"] = statistics(&outcome.statistics);
    if !outcome.rounds.is_empty() {
        json["rounds"] = serde_json::to_value(&outcome.rounds).unwrap_or_default();
    }
    json
}

fn evidence(model: &ModelReport<'_>, answer: &PropertyReport<'_>) -> Json {
    let Some(evidence) = &answer.outcome.evidence else {
        return Json::Null;
    };
    let full = evidence_to_json(model.system, evidence);
    // `checked` right after `kind`, where a reader of the text sees it.
    let mut map = Map::new();
    map.insert("kind".into(), full["kind"].clone());
    map.insert("checked".into(), answer.is_checked().into());
    if let Some(CheckReport::Partly { unchecked }) = answer.checked {
        map.insert("unchecked".into(), unchecked.clone().into());
    }
    if let Json::Object(rest) = full {
        map.extend(rest.into_iter().filter(|(key, _)| key != "kind"));
    }
    Json::Object(map)
}

fn statistics(statistics: &Statistics) -> Json {
    let counters = [
        ("states", statistics.states),
        ("transitions", statistics.transitions),
        ("depth", statistics.depth),
        ("peak_nodes", statistics.peak_nodes),
    ];
    let filled = counters
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), Json::from(value?))));
    Json::Object(filled.collect())
}

/// Microseconds are enough.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
