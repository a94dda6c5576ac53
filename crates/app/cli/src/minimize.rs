//! `entail minimize`: the smallest equivalent system.

use crate::Context;
use crate::arguments::Minimize;
use crate::failure::{CommandError, HOLDS, UNKNOWN};
use crate::graph;
use crate::load::{write_bytes, write_text};
use crate::save::extension;
use crate::terminal::{note, print, print_file, print_json, say};
use entail::{Bisimulation, GraphFormat, MinimizeError, Minimized, Origin, minimize, write_dot};
use entail_budget::Budget;
use entail_family::{Command, Quotient};
use entail_model::Lts;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the check that the result is the smallest may take.
const CHECK_TIME: Duration = Duration::from_secs(10);

pub fn run(options: &Minimize, context: &Context) -> Result<u8, CommandError> {
    if let Some(output) = &options.output
        && GraphFormat::of_file(output).is_none()
    {
        return quotient(options, output, context);
    }
    let relation = Bisimulation::from(options.relation);
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let start = Instant::now();
    let lts = graph::load(&options.input, &options.graph, context, &budget)?;
    let read_time = start.elapsed();
    let small = match minimize(&lts, relation, &budget, CHECK_TIME) {
        Ok(small) => small,
        Err(MinimizeError::Spent(spent)) => return Err(CommandError::Message(spent.to_string(), UNKNOWN)),
        Err(MinimizeError::Lts(error)) => return Err(CommandError::input(error.to_string())),
        Err(error @ MinimizeError::Rejected { .. }) => return Err(CommandError::Internal(error.to_string())),
    };
    if let Some(output) = &options.output {
        graph::save(output, &small.lts, context)?;
    }
    write_map(options, small.partition.blocks().iter())?;
    if options.dot {
        let name = options.input.file_stem().unwrap_or_default();
        say(&summary(&lts, &small, relation, read_time));
        print_file(&write_dot(&name.to_string_lossy(), &small.lts));
    } else if options.json {
        print_json(&document(&lts, &small, relation));
    } else {
        print(&summary(&lts, &small, relation, read_time));
    }
    Ok(HOLDS)
}

/// Saves which state each state has become, if that is asked for.
fn write_map(
    options: &Minimize,
    classes: impl Iterator<Item = impl std::fmt::Display>,
) -> Result<(), CommandError> {
    let Some(map) = &options.map else {
        return Ok(());
    };
    let mut text = String::new();
    for (state, class) in classes.enumerate() {
        text += &format!("{state} {class}\n");
    }
    write_text(map, &text)
}

/// Minimises a model of a kind that has its own bisimulation, and writes it in a format of its own.
fn quotient(options: &Minimize, output: &Path, context: &Context) -> Result<u8, CommandError> {
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let origin = Origin {
        language: options.graph.language.clone(),
        ..Origin::file(&options.input)
    };
    let loaded = context
        .table
        .load(&origin, Command::Structure, &context.options, &budget)?;
    let target = extension(output).to_ascii_lowercase();
    let Some(found) = loaded.model.quotient(&target, &context.options, &budget) else {
        // Not a format of its kind, either: say which there are for graphs.
        graph::format_of(output)?;
        return Err(CommandError::usage(format!(
            "{} cannot be written",
            output.display()
        )));
    };
    if Bisimulation::from(options.relation) != Bisimulation::Strong || options.dot {
        let message =
            "models with probabilities are minimised by strong bisimulation, and written to the file only";
        return Err(CommandError::usage(message.to_owned()));
    }
    let found = found.map_err(|reason| match budget.check_now() {
        Ok(()) => CommandError::input(format!("{}: {reason}", options.input.display())),
        Err(spent) => CommandError::Message(spent.to_string(), UNKNOWN),
    })?;
    for text in &found.written.notes {
        note!("entail: {text}");
    }
    write_bytes(output, &found.written.bytes)?;
    write_map(options, found.classes.iter())?;
    match options.json {
        true => print_json(&quotient_document(&found)),
        false => print(&quotient_summary(&found)),
    }
    Ok(HOLDS)
}

fn quotient_summary(found: &Quotient) -> String {
    let row = |name: &str, (states, transitions): (usize, usize), time: &str| {
        format!("{name:<10} {states:>12} states {transitions:>12} transitions {time}\n")
    };
    let time = format!("{:>10.3} s", found.time.as_secs_f64());
    let checked = match &found.not_checked {
        Some(reason) => format!("not re-checked: {reason}\n"),
        None => format!("{ALIKE} ({:.3} s)\n", found.check_time.as_secs_f64()),
    };
    row("read", found.before, "") + &row("strong", found.after, &time) + &checked
}

fn quotient_document(found: &Quotient) -> String {
    let size = |(states, transitions): (usize, usize)| json!({"states": states, "transitions": transitions});
    let document = json!({
        "entail": env!("CARGO_PKG_VERSION"), "relation": "strong", "before": size(found.before), "after": size(found.after),
        "seconds": found.time.as_secs_f64(), "checked": found.not_checked.is_none(), "not_checked": found.not_checked,
    });
    format!("{document:#}\n")
}

/// What was checked of a partition.
const ALIKE: &str = "checked: the states of a class are equivalent, and no two classes are";

fn summary(lts: &Lts, small: &Minimized, relation: Bisimulation, read_time: Duration) -> String {
    let row = |name: &str, lts: &Lts, time: Duration| {
        format!(
            "{name:<10} {:>12} states {:>12} transitions {:>10.3} s\n",
            lts.state_count(),
            lts.transition_count(),
            time.as_secs_f64()
        )
    };
    let mut text = row("read", lts, read_time) + &row(relation.name(), &small.lts, small.time);
    text += &match &small.not_checked {
        Some(reason) => format!("{reason}\n"),
        None => format!("{ALIKE} ({:.3} s)\n", small.check_time.as_secs_f64()),
    };
    text
}

fn document(lts: &Lts, small: &Minimized, relation: Bisimulation) -> String {
    let size = |lts: &Lts| json!({"states": lts.state_count(), "transitions": lts.transition_count()});
    let document = json!({
        "entail": env!("CARGO_PKG_VERSION"), "relation": relation.name(), "before": size(lts), "after": size(&small.lts),
        "seconds": small.time.as_secs_f64(), "checked": small.not_checked.is_none(), "not_checked": small.not_checked,
    });
    format!("{document:#}\n")
}
