//! Saving runs of programs: the file's name tells the format.

use crate::arguments::Check;
use crate::failure::Stop;
use crate::load::write_text;
use crate::save::extension;
use entail::ProgramModel;
use entail_program::{Replayed, Run};
use entail_report::html;
use entail_report::program::{self, ProgramReport};
use entail_report::text::TextOptions;
use std::path::Path;

/// Writes what the options of `entail check` ask for.
pub fn check_results(model: &ProgramModel, report: &ProgramReport<'_>, options: &Check) -> Result<(), Stop> {
    if let Some(path) = &options.trace {
        let shown = report
            .requirements
            .iter()
            .find_map(|answer| Some((answer.outcome.run.as_ref()?, answer.replayed?)));
        match shown {
            Some((run, replayed)) => save_run(path, model, run, replayed)?,
            None => eprintln!(
                "entail: no property has a trace; {} was not written",
                path.display()
            ),
        }
    }
    if let Some(path) = &options.report {
        write_text(path, &html::program_report(report))?;
    }
    Ok(())
}

/// Writes a run as the file's name says: a trail for SPIN, JSON, or text.
pub fn save_run(path: &Path, model: &ProgramModel, run: &Run, replayed: &Replayed) -> Result<(), Stop> {
    let program = model.program();
    let text = match extension(path) {
        "trail" => model
            .trail(run)
            .map_err(|reason| Stop::usage(format!("cannot write {}: {reason}", path.display())))?,
        "json" => json(model, run, replayed),
        "vcd" | "dot" | "gv" | "html" => {
            return Err(Stop::usage(format!(
                "runs of programs are saved as .trail, .json or text, not as .{}",
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
