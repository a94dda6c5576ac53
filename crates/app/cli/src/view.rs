//! `entail view`: a saved trace or saved evidence, without the model.

use crate::arguments::View;
use crate::failure::{HOLDS, Stop};
use crate::load::read_text;
use crate::save::save_trace;
use crate::terminal::{self, note, print};
use entail::NO_SEAL;
use entail_evidence::json::SavedEvidence;
use entail_report::text::{TextOptions, saved, trace_alone};
use entail_report::{Signal, SignalTable};

pub fn run(options: &View) -> Result<u8, Stop> {
    let wrong = |error: &dyn std::fmt::Display| Stop::input(format!("{}: {error}", options.trace.display()));
    let document = SavedEvidence::read(&read_text(&options.trace)?).map_err(|error| wrong(&error))?;
    let text_options = TextOptions {
        colour: terminal::colour(),
        all_values: options.full,
        ..TextOptions::default()
    };
    if !document.is_sealed {
        note!("entail: {} {NO_SEAL}", options.trace.display());
    }
    let plain = options.output.is_none() && options.only.is_empty();
    let trace = match document.trace() {
        Some(trace) if !plain => trace.map_err(|error| wrong(&error))?,
        None if !plain => return Err(Stop::input(format!("{} has no trace", options.trace.display()))),
        _ => {
            print(&saved(&document, &text_options));
            return Ok(HOLDS);
        }
    };
    let mut table = SignalTable::of_saved(&trace);
    let wanted = |signal: &Signal| {
        options.only.is_empty()
            || options
                .only
                .iter()
                .any(|part| signal.name.contains(part.as_str()))
    };
    table.signals.retain(wanted);
    match &options.output {
        Some(path) => save_trace(path, &table, &document.model)?,
        None => print(&trace_alone(&table, &text_options)),
    }
    Ok(HOLDS)
}
