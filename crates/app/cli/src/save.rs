//! Saving traces and evidence: the file's name tells the format.

use crate::arguments::Check;
use crate::failure::Stop;
use crate::file_names::file_names;
use crate::load::{make_folder, write_text};
use crate::terminal::{note, print_stop};
use entail::{Model, WITNESS_EXTENSION};
use entail_budget::Budget;
use entail_evidence::{CheckLimits, Graph, Trace, Verdict, json};
use entail_report::text::{TextOptions, trace_alone};
use entail_report::{PropertyReport, Report, SignalTable, dot, html, vcd};
use std::path::Path;

/// State graphs with more states than this are not drawn.
pub const MOST_DRAWN: usize = 1_000;

/// Writes what the options of `entail check` ask for.
pub fn check_results(model: &Model, report: &Report<'_>, options: &Check) -> Result<(), Stop> {
    each([
        &|| trace(model, report, options),
        &|| drawing(model, report, options),
        &|| evidence(model, report, options),
        &|| match &options.report {
            Some(path) => write_text(path, &html::report(report, &html::HtmlOptions::default())),
            None => Ok(()),
        },
    ])
}

/// Does all of it, though some may fail; the last failure is given back, the others are said.
pub fn each<const N: usize>(tasks: [&dyn Fn() -> Result<(), Stop>; N]) -> Result<(), Stop> {
    let mut result = Ok(());
    for task in tasks {
        if let Err(stop) = task()
            && let Err(earlier) = std::mem::replace(&mut result, Err(stop))
        {
            print_stop(&earlier);
        }
    }
    result
}

fn trace(model: &Model, report: &Report<'_>, options: &Check) -> Result<(), Stop> {
    if let Some(path) = &options.trace {
        let shown = report.properties.iter().filter(|answer| answer.trace().is_some());
        let fails = |answer: &&PropertyReport<'_>| answer.outcome.verdict == Verdict::Fails;
        match shown.clone().find(fails).or_else(|| shown.clone().next()) {
            Some(answer) => save_answer(path, model, report, answer)?,
            None => note!(
                "entail: no property has a trace; {} was not written",
                path.display()
            ),
        }
    }
    Ok(())
}

fn drawing(model: &Model, report: &Report<'_>, options: &Check) -> Result<(), Stop> {
    if let Some(path) = &options.dot {
        let limits = CheckLimits {
            states: MOST_DRAWN,
            steps: 20 * MOST_DRAWN,
            values: 1 << 12,
        };
        let graph = Graph::of(model.system(), limits, &Budget::unlimited()).map_err(|why| {
            let path = path.display();
            Stop::usage(format!(
                "the state graph cannot be drawn: {why}; {path} was not written"
            ))
        })?;
        let mut failing = report.properties.iter();
        let marked = failing.find_map(|answer| answer.trace());
        write_text(
            path,
            &dot::state_graph(model.source().name(), model.system(), &graph, marked),
        )?;
    }
    Ok(())
}

fn evidence(model: &Model, report: &Report<'_>, options: &Check) -> Result<(), Stop> {
    let Some(folder) = &options.evidence else {
        return Ok(());
    };
    make_folder(folder)?;
    let names = file_names(
        report
            .properties
            .iter()
            .map(|answer| answer.property.name.as_deref()),
    );
    let mut result = Ok(());
    for (name, answer) in names.iter().zip(&report.properties) {
        if answer.outcome.evidence.is_some() {
            let path = folder.join(format!("{name}.json"));
            result = result.and(write_text(&path, &evidence_json(model, report, answer)));
            if let Some(witness) = witness(model, answer) {
                let path = folder.join(format!("{name}.{WITNESS_EXTENSION}"));
                result = result.and(write_text(&path, &witness));
            }
        }
    }
    result
}

/// The witness of a failing property in the model's own format, if it has one.
fn witness(model: &Model, answer: &PropertyReport<'_>) -> Option<String> {
    let fails = answer.outcome.verdict == Verdict::Fails;
    let trace = answer.trace().filter(|_| fails)?;
    let position = model
        .properties()
        .iter()
        .position(|property| std::ptr::eq(property, answer.property))?;
    model.witness(position, trace)
}

fn evidence_json(model: &Model, report: &Report<'_>, answer: &PropertyReport<'_>) -> String {
    let mut document = json::document(
        report.model.system,
        (report.model.name, report.model.language),
        answer.property,
        answer.outcome,
        report.model.dead_ends,
        answer.engine,
    );
    document["digest"] = model.digest().to_string().into();
    json::sealed(document)
}

fn save_answer(
    path: &Path,
    model: &Model,
    report: &Report<'_>,
    answer: &PropertyReport<'_>,
) -> Result<(), Stop> {
    let Some(trace) = answer.trace() else {
        return Ok(());
    };
    match (extension(path), witness(model, answer)) {
        ("json", _) => write_text(path, &evidence_json(model, report, answer)),
        ("html" | "htm", _) => {
            let alone = Report {
                properties: vec![answer.clone()],
                ..report.clone()
            };
            write_text(path, &html::report(&alone, &html::HtmlOptions::default()))
        }
        (WITNESS_EXTENSION, Some(witness)) => write_text(path, &witness),
        _ => save_trace(
            path,
            &SignalTable::of_trace(report.model.system, trace, true),
            report.model.name,
        ),
    }
}

/// Writes a table of signals as the file's name says: VCD, DOT, HTML, or text.
pub fn save_trace(path: &Path, table: &SignalTable, model: &str) -> Result<(), Stop> {
    let text = match extension(path) {
        "vcd" => vcd::vcd(model, table),
        "dot" | "gv" => dot::trace(model, table),
        "html" | "htm" => html::trace(model, table),
        _ => trace_alone(table, &TextOptions::default()),
    };
    write_text(path, &text)
}

pub fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("")
}

/// A trace that belongs to no property (a simulation), as JSON that `view` and `simulate --from` read.
pub fn walk_json(model: &Model, trace: &Trace) -> String {
    let document = serde_json::json!({
        "entail": env!("CARGO_PKG_VERSION"), "format": "entail-evidence", "model": model.source().name(),
        "digest": model.digest().to_string(),
        "property": {"name": null, "formula": "(a simulated walk)", "logic": "none"}, "verdict": "unknown",
        "evidence": {"kind": "trace", "trace": json::trace_to_json(model.system(), trace)},
    });
    json::sealed(document)
}
