//! Saving runs of programs: the file's name tells the format.

use crate::arguments::Check;
use crate::failure::Stop;
use crate::file_names::file_names;
use crate::load::{make_folder, write_text};
use crate::save::{MOST_DRAWN, each, extension};
use crate::terminal::note;
use entail::ProgramModel;
use entail_program::{Replayed, Run, StateGraph};
use entail_report::program::{self, ProgramReport};
use entail_report::text::TextOptions;
use entail_report::{html, program_dot};
use std::path::Path;

/// Writes what the options of `entail check` ask for.
pub fn check_results(model: &ProgramModel, report: &ProgramReport<'_>, options: &Check) -> Result<(), Stop> {
    each([
        &|| trace(model, report, options),
        &|| match &options.dot {
            Some(path) => draw(path, model, report),
            None => Ok(()),
        },
        &|| evidence(report, options),
        &|| match &options.report {
            Some(path) => write_text(path, &html::program_report(report)),
            None => Ok(()),
        },
    ])
}

fn trace(model: &ProgramModel, report: &ProgramReport<'_>, options: &Check) -> Result<(), Stop> {
    if let Some(path) = &options.trace {
        let shown = report
            .requirements
            .iter()
            .find_map(|answer| Some((answer, answer.outcome.run.as_ref()?, answer.replayed?)));
        match shown {
            Some((answer, ..)) if extension(path) == "json" => {
                write_text(path, &program::saved(report, answer))?
            }
            Some((answer, ..)) if ["html", "htm"].contains(&extension(path)) => {
                let alone = ProgramReport {
                    requirements: vec![answer.clone()],
                    ..report.clone()
                };
                write_text(path, &html::program_report(&alone))?
            }
            Some((_, run, replayed)) => save_run(path, model, run, replayed)?,
            None => note!(
                "entail: no property has a trace; {} was not written",
                path.display()
            ),
        }
    }
    Ok(())
}

fn evidence(report: &ProgramReport<'_>, options: &Check) -> Result<(), Stop> {
    let Some(folder) = &options.evidence else {
        return Ok(());
    };
    make_folder(folder)?;
    let requirements = &report.requirements;
    let names = file_names(
        requirements
            .iter()
            .map(|answer| answer.requirement.name.as_deref()),
    );
    let mut result = Ok(());
    for (name, answer) in names.iter().zip(requirements) {
        let path = folder.join(format!("{name}.json"));
        result = result.and(write_text(&path, &program::saved(report, answer)));
    }
    result
}

/// Draws the state graph with the first run in it.
fn draw(path: &Path, model: &ProgramModel, report: &ProgramReport<'_>) -> Result<(), Stop> {
    let run = report.requirements.iter().find_map(|answer| answer.replayed);
    match StateGraph::explore(model.program(), MOST_DRAWN) {
        Ok(Some(graph)) => {
            let name = model.source().name();
            write_text(
                path,
                &program_dot::state_graph(name, model.program(), &graph, run),
            )
        }
        Ok(None) => Err(Stop::usage(format!(
            "the model has more than {MOST_DRAWN} states, too many to be drawn; {} was not written",
            path.display()
        ))),
        Err(fault) => Err(Stop::input(format!("there is no initial state: {fault}"))),
    }
}

/// Writes a run as the file's name says: a trail for SPIN, JSON, or text.
pub fn save_run(path: &Path, model: &ProgramModel, run: &Run, replayed: &Replayed) -> Result<(), Stop> {
    let program = model.program();
    let text = match extension(path) {
        "trail" => model
            .trail(run)
            .map_err(|reason| Stop::usage(format!("cannot write {}: {reason}", path.display())))?,
        "json" => json(model, run, replayed),
        "dot" | "gv" => program_dot::run(model.source().name(), program, run, replayed),
        "vcd" | "html" | "htm" => {
            return Err(Stop::usage(format!(
                "walks through programs are saved as .trail, .json, .dot or text, not as .{}; `check --report` writes HTML",
                extension(path)
            )));
        }
        _ => program::walk(program, run, replayed, &TextOptions::default()),
    };
    write_text(path, &text)
}

/// A run that belongs to no property, as JSON.
pub fn json(model: &ProgramModel, run: &Run, replayed: &Replayed) -> String {
    let document = serde_json::json!({
        "entail": env!("CARGO_PKG_VERSION"), "model": model.source().name(), "language": "promela",
        "trace": program::trace(model.program(), run, replayed),
        "error": replayed.fault.as_ref().map(ToString::to_string),
    });
    format!("{document}\n")
}
