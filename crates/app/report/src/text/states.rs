//! A timeline without movers as text: what changes at each step, inputs on the arrows, the loop marked.
//!
//! ```text
//!     step 0   p1 = idle, p2 = idle, turn = 1
//!       ↓ go = TRUE
//!   ┌ step 1   p1 = trying
//!   │   ↓ go = FALSE
//!   │ step 2   p2 = trying
//!   └─▶ back to step 1: p2 = idle
//! ```

use super::fold::{self, Row};
use super::{Context, TextOptions, paint, wanted};
use crate::clean::{one_line, seen};
use crate::steps::{assignment, in_loop, loop_start, stays};
use entail_show::{Column, ColumnRole, Timeline};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Writes the positions of a timeline; `after_step` writes more lines under a step, given the indentation they need.
pub(super) fn write(
    timeline: &Timeline,
    context: &Context<'_>,
    options: &TextOptions,
    after_step: &mut dyn FnMut(usize, &str, &mut String),
    out: &mut String,
) {
    let indent = context.indent;
    let inputs: Vec<&Column> = chosen(timeline, options, true);
    let others: Vec<&Column> = chosen(timeline, options, false);
    let before = context.before.map(|(earlier, at)| {
        let columns = earlier.columns.iter();
        let cells = columns.map(|column| (column.name.as_str(), column.cell(at)));
        cells.collect::<FxHashMap<_, _>>()
    });
    // The position that the reader saw last.
    let mut last_seen: Option<usize> = None;
    let mut has_gap = false;
    for row in fold::rows(timeline, context, options) {
        let step = match row {
            Row::Shown(step) => step,
            Row::Folded(steps) => {
                let rail = if in_loop(timeline, steps.start) {
                    "│ "
                } else {
                    "  "
                };
                let text = paint::faint(&fold::gap(&steps, !has_gap));
                let _ = writeln!(out, "{indent}{rail}{text}");
                has_gap = true;
                continue;
            }
        };
        if step < context.from {
            last_seen = Some(step);
            continue;
        }
        let mark = match loop_start(timeline) {
            Some(start) if start == step => "┌ ",
            _ if in_loop(timeline, step) => "│ ",
            _ => "  ",
        };
        let rail = if in_loop(timeline, step) { "│ " } else { "  " };
        let differs = |column: &&&Column| match (options.all_values, last_seen, &before) {
            (true, ..) | (_, None, None) => true,
            (_, Some(before), _) => column.cell(before) != column.cell(step),
            (_, None, Some(before)) => {
                before.get(column.name.as_str()).copied().flatten() != column.cell(step)
            }
        };
        let shown = others.iter().filter(differs);
        let shown: Vec<String> = shown.filter_map(|column| shown_at(column, step)).collect();
        let label = format!("{:<8}", format!("step {step}"));
        let nothing = if step == 0 {
            "(as above)"
        } else {
            "(nothing changes)"
        };
        let first = format!("{indent}{mark}{} ", paint::strong(&label));
        let rest = format!("{indent}{rail}{} ", " ".repeat(label.chars().count()));
        let taken = indent.chars().count() + 3 + label.len();
        let room = options.width.saturating_sub(taken);
        wrap(&shown, nothing, &first, &rest, room, out);
        after_step(step, &format!("{indent}{rail}         "), out);
        let arrow = inputs.iter().filter_map(|column| shown_at(column, step));
        let arrow: Vec<String> = arrow.map(|text| paint::input(&text)).collect();
        if !arrow.is_empty() {
            let first = format!("{indent}{rail}  ↓ ");
            let rest = format!("{indent}{rail}    ");
            wrap(&arrow, "", &first, &rest, room, out);
        }
        last_seen = Some(step);
    }
    back(timeline, &others, indent, options, out);
    for line in super::ending(timeline, context) {
        let _ = writeln!(out, "{indent}    {line}");
    }
}

/// How the timeline goes on after its last position.
fn back(timeline: &Timeline, columns: &[&Column], indent: &str, options: &TextOptions, out: &mut String) {
    if stays(timeline) {
        let _ = writeln!(out, "{indent}└─▶ this state is repeated for ever");
    }
    let Some(start) = loop_start(timeline) else {
        return;
    };
    let last = timeline.positions.saturating_sub(1);
    let changed = columns
        .iter()
        .filter(|column| column.cell(last) != column.cell(start));
    let changed: Vec<String> = changed.filter_map(|column| shown_at(column, start)).collect();
    let first = format!("{indent}└─▶ back to {}", paint::strong(&format!("step {start}")));
    if changed.is_empty() {
        let _ = writeln!(out, "{first}, for ever");
    } else {
        let rest = format!("{indent}      ");
        let room = options.width.saturating_sub(indent.chars().count() + 24);
        wrap(&changed, "", &format!("{first}, for ever: "), &rest, room, out);
    }
}

fn chosen<'a>(timeline: &'a Timeline, options: &TextOptions, inputs: bool) -> Vec<&'a Column> {
    let columns = timeline
        .columns
        .iter()
        .filter(|column| (column.role == ColumnRole::Input) == inputs);
    columns.filter(|column| wanted(column, options)).collect()
}

fn shown_at(column: &Column, step: usize) -> Option<String> {
    assignment(column, step).map(|text| one_line(&text))
}

/// Items separated by commas, broken into lines of about `room` characters.
fn wrap(items: &[String], nothing: &str, first: &str, rest: &str, room: usize, out: &mut String) {
    if items.is_empty() {
        let _ = writeln!(out, "{}", format!("{first}{nothing}").trim_end());
        return;
    }
    let mut line = String::new();
    let mut lead = first;
    for (position, item) in items.iter().enumerate() {
        let separator = if line.is_empty() { "" } else { " " };
        if !line.is_empty() && seen(&line) + seen(item) + 2 > room.max(20) {
            let _ = writeln!(out, "{lead}{line}");
            lead = rest;
            line.clear();
        } else {
            line.push_str(separator);
        }
        line.push_str(item);
        if position + 1 < items.len() {
            line.push(',');
        }
    }
    let _ = writeln!(out, "{lead}{line}");
}
