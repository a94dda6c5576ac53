//! `entail minimize`: the smallest equivalent system.

use crate::Context;
use crate::arguments::Minimize;
use crate::failure::{CommandError, HOLDS, UNKNOWN};
use crate::graph;
use crate::load::write_text;
use crate::terminal::{print, print_file, print_json, say};
use entail::{Bisimulation, MinimizeError, Minimized, minimize, write_dot};
use entail_budget::Budget;
use entail_model::Lts;
use serde_json::json;
use std::time::{Duration, Instant};

/// How long the check that the result is the smallest may take.
const CHECK_TIME: Duration = Duration::from_secs(10);

pub fn run(options: &Minimize, context: &Context) -> Result<u8, CommandError> {
    if let Some(output) = &options.output {
        graph::format_of(output)?;
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
    if let Some(map) = &options.map {
        let mut text = String::new();
        for (state, block) in small.partition.blocks().iter().enumerate() {
            text += &format!("{state} {block}\n");
        }
        write_text(map, &text)?;
    }
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
        None => format!(
            "checked: the states of a class are equivalent, and no two classes are ({:.3} s)\n",
            small.check_time.as_secs_f64()
        ),
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
