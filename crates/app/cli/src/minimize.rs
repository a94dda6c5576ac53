//! `entail minimize`: the smallest equivalent system.

use crate::Context;
use crate::arguments::Minimize;
use crate::failure::{CommandError, HOLDS, UNKNOWN};
use crate::graph;
use crate::load::{write_bytes, write_text};
use crate::save::extension;
use crate::terminal::{note, print, print_file, print_json, say};
use entail::{Bisimulation, GraphFormat, MinimizeError, Origin, minimize, write_dot};
use entail_budget::Budget;
use entail_family::Command;
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
    let size = |lts: &Lts| (lts.state_count(), lts.transition_count());
    let outcome = Outcome {
        relation: relation.name(),
        before: size(&lts),
        after: size(&small.lts),
        read_time,
        time: small.time,
        check_time: small.check_time,
        not_checked: small.not_checked.as_deref(),
    };
    if options.dot {
        let name = options.input.file_stem().unwrap_or_default();
        say(&outcome.summary());
        print_file(&write_dot(&name.to_string_lossy(), &small.lts));
    } else if options.json {
        print_json(&outcome.document());
    } else {
        print(&outcome.summary());
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
    let start = Instant::now();
    let loaded = context
        .table
        .load(&origin, Command::Structure, &context.options, &budget)?;
    let read_time = start.elapsed();
    let target = extension(output).to_ascii_lowercase();
    let Some(found) = loaded.model.quotient(&target, &context.options, &budget) else {
        // Not a format of its kind, either: say which there are for graphs.
        graph::format_of(output)?;
        return Err(CommandError::usage(format!(
            "{} cannot be written",
            output.display()
        )));
    };
    let strong = Bisimulation::from(options.relation) == Bisimulation::Strong;
    if !strong || options.dot || !options.graph.hide.is_empty() {
        let message = "models with probabilities are minimised by strong bisimulation, without hiding, and written to the file only";
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
    let outcome = Outcome {
        relation: Bisimulation::Strong.name(),
        before: found.before,
        after: found.after,
        read_time,
        time: found.time,
        check_time: found.check_time,
        not_checked: found.not_checked.as_deref(),
    };
    match options.json {
        true => print_json(&outcome.document()),
        false => print(&outcome.summary()),
    }
    Ok(HOLDS)
}

/// What is told about a system and its quotient.
struct Outcome<'o> {
    relation: &'static str,
    /// States and transitions.
    before: (usize, usize),
    after: (usize, usize),
    /// How long reading, finding the classes and checking them took.
    read_time: Duration,
    time: Duration,
    check_time: Duration,
    not_checked: Option<&'o str>,
}

impl Outcome<'_> {
    fn summary(&self) -> String {
        let row = |name: &str, (states, transitions): (usize, usize), time: Duration| {
            format!(
                "{name:<10} {states:>12} states {transitions:>12} transitions {:>10.3} s\n",
                time.as_secs_f64()
            )
        };
        let mut text = row("read", self.before, self.read_time) + &row(self.relation, self.after, self.time);
        text += &match self.not_checked {
            Some(reason) => format!("{reason}\n"),
            None => format!(
                "checked: the states of a class are equivalent, and no two classes are ({:.3} s)\n",
                self.check_time.as_secs_f64()
            ),
        };
        text
    }

    fn document(&self) -> String {
        let size =
            |(states, transitions): (usize, usize)| json!({"states": states, "transitions": transitions});
        let document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "relation": self.relation, "before": size(self.before), "after": size(self.after),
            "seconds": self.time.as_secs_f64(), "checked": self.not_checked.is_none(), "not_checked": self.not_checked,
        });
        format!("{document:#}\n")
    }
}
