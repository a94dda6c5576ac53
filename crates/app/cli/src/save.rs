//! Saving traces and evidence: the file's name tells the format.

use crate::arguments::Check;
use crate::failure::CommandError;
use crate::file_names::file_names;
use crate::found::{Found, Item};
use crate::load::{make_folder, write_text};
use crate::terminal::{note, print_stop};
use entail::Loaded;
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_evidence::json::sealed;
use entail_family::Conclusion;
use entail_report::text::{self, TextOptions};
use entail_report::{Report, csv, dot, html, picture, saved, vcd};
use entail_show::{Shown, Timeline};
use serde_json::Value as Json;
use std::path::Path;
use std::time::Duration;

/// State graphs with more states than this are not drawn.
const MOST_DRAWN: usize = 1_000;

/// What listing the states for a drawing may take.
pub const DRAWING: Duration = Duration::from_secs(3);

/// Writes what the options of `entail check` ask for.
pub fn check_results(
    found: &Found,
    report: &Report<'_>,
    check: &Check,
    loaded: &Loaded,
) -> Result<(), CommandError> {
    each([
        &|| trace(found, report, check, loaded),
        &|| drawing(found, check, loaded),
        &|| evidence(found, check, loaded),
        &|| match &check.report {
            Some(path) => write_text(path, &page(path, report)),
            None => Ok(()),
        },
    ])
}

/// A report as the file's name says: a picture, or a page.
pub fn page(path: &Path, report: &Report<'_>) -> String {
    match extension(path) {
        "svg" => picture::report(report),
        _ => html::report(report, &html::HtmlOptions::default()),
    }
}

/// Writes the files that all answers together make.
pub fn conclusion(conclusion: Conclusion) -> Result<(), CommandError> {
    for (path, text) in &conclusion.files {
        write_text(path, text)?;
    }
    for (path, view) in &conclusion.pictures {
        let drawn = entail_report::svg(view)
            .ok_or_else(|| CommandError::usage(format!("there is no picture for {}", path.display())))?;
        write_text(path, &drawn)?;
    }
    Ok(())
}

/// Does all of it, though some may fail; the last failure is given back, the others are said.
fn each<const N: usize>(tasks: [&dyn Fn() -> Result<(), CommandError>; N]) -> Result<(), CommandError> {
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

fn trace(found: &Found, report: &Report<'_>, check: &Check, loaded: &Loaded) -> Result<(), CommandError> {
    let Some(path) = &check.trace else {
        return Ok(());
    };
    let shown = found
        .items
        .iter()
        .filter(|item| item.in_full.timeline().is_some());
    let fails = |item: &&Item| item.decided.answer.verdict == Verdict::Fails;
    let Some(item) = shown.clone().find(fails).or_else(|| shown.clone().next()) else {
        note!(
            "entail: no property has a trace; {} was not written",
            path.display()
        );
        return Ok(());
    };
    let wanted = extension(path);
    if let Some((_, text)) = item.exports.iter().find(|(extension, _)| *extension == wanted) {
        let text = text
            .as_ref()
            .map_err(|why| CommandError::usage(format!("cannot write {}: {why}", path.display())))?;
        return write_text(path, text);
    }
    match wanted {
        "json" => write_text(path, &document(item, loaded)),
        "html" | "htm" | "svg" => {
            let alone = Report {
                answers: vec![item.report_in_full()],
                ..report.clone()
            };
            write_text(path, &page(path, &alone))
        }
        _ => save_shown(path, &item.in_full, report.name),
    }
}

fn drawing(found: &Found, check: &Check, loaded: &Loaded) -> Result<(), CommandError> {
    let Some(path) = &check.dot else {
        return Ok(());
    };
    let why_not = |why: &str| {
        CommandError::usage(format!(
            "the state graph cannot be drawn: {why}; {} was not written",
            path.display()
        ))
    };
    let graph = match loaded.model.graph(MOST_DRAWN, &Budget::unlimited()) {
        None => return Err(why_not("this kind of system has none")),
        Some(graph) => graph.map_err(|why| why_not(&why))?,
    };
    let marked = found.items.iter().find_map(|item| item.in_full.timeline());
    write_text(path, &dot::graph(loaded.model.source().name(), &graph, marked))
}

fn evidence(found: &Found, check: &Check, loaded: &Loaded) -> Result<(), CommandError> {
    let Some(folder) = &check.evidence else {
        return Ok(());
    };
    make_folder(folder)?;
    let names = file_names(found.items.iter().map(|item| item.heading.name.as_deref()));
    let mut result = Ok(());
    for (name, item) in names.iter().zip(&found.items) {
        if item.decided.answer.evidence.is_none() {
            continue;
        }
        let path = folder.join(format!("{name}.json"));
        result = result.and(write_text(&path, &document(item, loaded)));
        for (extension, text) in &item.exports {
            if let Ok(text) = text {
                result = result.and(write_text(&folder.join(format!("{name}.{extension}")), text));
            }
        }
    }
    result
}

/// The document of an answer, sealed.
fn document(item: &Item, loaded: &Loaded) -> String {
    let mut document = item.document.clone();
    if let Json::Object(map) = &mut document {
        map.insert("digest".into(), loaded.digest.to_string().into());
    }
    let report = match item.in_full.exhibits.is_empty() {
        true => item.report(),
        false => item.report_in_full(),
    };
    saved::add_answer(&mut document, loaded.model.source(), &report);
    sealed(document)
}

/// Writes what is shown as the file's name says: VCD, CSV, DOT, SVG of its first timeline; HTML or text of all of it.
pub fn save_shown(path: &Path, shown: &Shown, model: &str) -> Result<(), CommandError> {
    let plain = TextOptions {
        full: true,
        ..TextOptions::default()
    };
    let draw: Option<fn(&str, &Timeline) -> String> = match extension(path) {
        "vcd" => Some(vcd::vcd),
        "csv" => Some(|_, timeline| csv::timeline(timeline)),
        "dot" | "gv" => Some(dot::timeline),
        "svg" => Some(picture::timeline),
        _ => None,
    };
    let text = match (draw, shown.timeline(), extension(path)) {
        (Some(draw), Some(timeline), _) => draw(model, timeline),
        (Some(_), None, _) => {
            return Err(CommandError::input(format!(
                "there is no trace for {}",
                path.display()
            )));
        }
        (None, _, "html" | "htm") => html::shown(model, shown),
        (None, ..) => text::shown(shown, &plain),
    };
    write_text(path, &text)
}

/// The extension of a file's name.
pub fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("")
}
