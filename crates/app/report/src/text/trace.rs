//! A trace as text: what changes at each step, inputs on the arrows, the loop marked.
//!
//! ```text
//!     step 0   p1 = idle, p2 = idle, turn = 1
//!       ↓ go = TRUE
//!   ┌ step 1   p1 = trying
//!   │   ↓ go = FALSE
//!   │ step 2   p2 = trying
//!   └─▶ back to step 1: p2 = idle
//! ```

use super::TextOptions;
use super::paint::Paint;
use crate::signals::{Signal, SignalKind, SignalTable};
use std::fmt::Write;

/// Writes the steps of a trace.
pub(super) fn write(table: &SignalTable, options: &TextOptions, indent: &str, out: &mut String) {
    write_with(table, None, options, indent, &mut |_, _, _| {}, out);
}

/// Writes the steps of a trace. `before` is the table and step whose state the reader has just seen, so that the first step
/// shows only what is different from it; `after_step` writes more lines under a step, given the indentation they need.
pub(super) fn write_with(
    table: &SignalTable,
    before: Option<(&SignalTable, usize)>,
    options: &TextOptions,
    indent: &str,
    after_step: &mut dyn FnMut(usize, &str, &mut String),
    out: &mut String,
) {
    let paint = Paint(options.colour);
    let in_loop = |step: usize| table.loop_start.is_some_and(|start| step >= start);
    for step in 0..table.steps {
        let mark = match table.loop_start {
            Some(start) if start == step => "┌ ",
            _ if in_loop(step) => "│ ",
            _ => "  ",
        };
        let rail = if in_loop(step) { "│ " } else { "  " };
        let shown: Vec<String> = table
            .signals
            .iter()
            .enumerate()
            .filter(|(_, signal)| signal.kind != SignalKind::Input)
            .filter(|(position, signal)| {
                options.all_values
                    || match (step, before) {
                        (0, Some((earlier, at))) => {
                            earlier.signals.get(*position).and_then(|s| s.values.get(at))
                                != signal.values.first()
                        }
                        _ => signal.changes_at(step),
                    }
            })
            .filter_map(|(_, signal)| assignment(signal, step))
            .collect();
        let head = format!("step {step}");
        let label = if head.len() < 8 {
            format!("{head:<8}")
        } else {
            head
        };
        let nothing = if step == 0 {
            "(as above)"
        } else {
            "(nothing changes)"
        };
        let first = format!("{indent}{mark}{} ", paint.strong(&label));
        let rest = format!("{indent}{rail}{} ", " ".repeat(label.chars().count()));
        let room = options
            .width
            .saturating_sub(indent.chars().count() + 3 + label.len());
        wrap(&shown, nothing, &first, &rest, room, out);
        after_step(step, &format!("{indent}{rail}         "), out);
        let inputs: Vec<String> = table
            .signals
            .iter()
            .filter(|signal| signal.kind == SignalKind::Input)
            .filter_map(|signal| assignment(signal, step))
            .collect();
        if !inputs.is_empty() {
            let first = format!("{indent}{rail}  ↓ ");
            let rest = format!("{indent}{rail}    ");
            let inputs: Vec<String> = inputs.iter().map(|text| paint.input(text)).collect();
            wrap(&inputs, "", &first, &rest, room, out);
        }
    }
    if let Some(start) = table.loop_start {
        let back: Vec<String> = table
            .signals
            .iter()
            .filter(|signal| signal.kind != SignalKind::Input)
            .filter(|signal| signal.values.last() != signal.values.get(start))
            .filter_map(|signal| assignment(signal, start))
            .collect();
        let first = format!("{indent}└─▶ back to {}", paint.strong(&format!("step {start}")));
        if back.is_empty() {
            let _ = writeln!(out, "{first}, for ever");
        } else {
            let rest = format!("{indent}      ");
            let room = options.width.saturating_sub(indent.chars().count() + 24);
            wrap(&back, "", &format!("{first}, for ever: "), &rest, room, out);
        }
    }
}

fn assignment(signal: &Signal, step: usize) -> Option<String> {
    let value = signal.values.get(step)?.as_ref()?;
    Some(format!("{} = {value}", signal.name))
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
        if !line.is_empty() && line.chars().count() + item.chars().count() + 2 > room.max(20) {
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
