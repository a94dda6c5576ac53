//! A timeline with movers as text: number, who moves, where in the source, what is done, what changes.
//!
//! ```text
//!     1  user(2)        mutex.pml:14   sema?p          user(2).held = 1
//!     2  user(2)        mutex.pml:15   count++         count = 1
//! ```
//!
//! Who moves along stands on the line below; so do lines that the move prints. What is worth knowing before a move stands above it.

use super::fold::{self, Row};
use super::{Context, TextOptions, paint, wanted};
use crate::clean::one_line;
use crate::steps::{assignment, changes, loop_start, next, stays};
use entail_show::{Column, Move, SourcePlace, Timeline};
use std::fmt::Write;
use std::ops::Range;

/// Columns are at most so wide, so that one long statement does not push away what changes.
const WIDEST: usize = 40;

/// Writes the moves of a timeline.
pub(super) fn write(timeline: &Timeline, context: &Context<'_>, options: &TextOptions, out: &mut String) {
    let columns: Vec<&Column> = timeline
        .columns
        .iter()
        .filter(|column| wanted(column, options))
        .collect();
    let lead = context.indent.strip_prefix("  ").unwrap_or("  ");
    let rows = fold::rows(timeline, context, options);
    let widths = Widths::of(timeline, &rows);
    let start = loop_start(timeline);
    let in_loop = |row: usize| start.is_some_and(|start| start <= row);
    let mut has_gap = false;
    for row in rows {
        let position = match row {
            Row::Shown(position) => position,
            Row::Folded(rows) => {
                let rail = if in_loop(rows.start) { "│ " } else { "  " };
                let text = paint::faint(&fold::gap(&rows, !has_gap));
                let changed = paint::faint(&changed_by(&columns, &rows).join(", "));
                let _ = writeln!(
                    out,
                    "{}",
                    format!("{lead}{rail}      {text}  {changed}").trim_end()
                );
                has_gap = true;
                continue;
            }
        };
        let Some(step) = timeline.moves.get(position).filter(|_| position >= context.from) else {
            continue;
        };
        for remark in &step.remarks {
            let _ = writeln!(out, "      {}", one_line(remark));
        }
        let mark = match start {
            Some(start) if start == position => "┌ ",
            _ if in_loop(position) => "│ ",
            _ => "  ",
        };
        let changed = match (options.all_values, next(timeline, position)) {
            (true, Some(after)) => {
                let all = columns.iter().filter_map(|column| assignment(column, after));
                all.collect()
            }
            _ => changes(timeline, columns.iter().copied(), position),
        };
        let changed = paint::faint(&one_line(&changed.join(", ")));
        let number = position + 1;
        let _ = writeln!(
            out,
            "{}",
            format!(
                "{lead}{mark}{number:>4}  {}  {changed}",
                widths.line(&step.lane, &step.place, &step.text)
            )
            .trim_end()
        );
        if let Some(partner) = &step.partner {
            let rail = if in_loop(position) { "│ " } else { "  " };
            let line = widths.line(&partner.lane, &partner.place, &partner.text);
            let _ = writeln!(out, "{}", format!("{lead}{rail}      {line}").trim_end());
        }
        for line in &step.printed {
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    ending(timeline, context, lead, out);
}

/// The last values of what rows that are left out changed.
fn changed_by(columns: &[&Column], rows: &Range<usize>) -> Vec<String> {
    let differs = |column: &&&Column| column.cell(rows.start) != column.cell(rows.end);
    let changed = columns.iter().filter(differs);
    changed
        .filter_map(|column| assignment(column, rows.end))
        .map(|text| one_line(&text))
        .collect()
}

fn ending(timeline: &Timeline, context: &Context<'_>, lead: &str, out: &mut String) {
    if stays(timeline) {
        let _ = writeln!(out, "{lead}└─▶ nobody can move: this state is repeated for ever");
    }
    if let Some(start) = loop_start(timeline) {
        let _ = writeln!(out, "{lead}└─▶ back to before step {}, for ever", start + 1);
    }
    for line in super::ending(timeline, context) {
        let _ = writeln!(out, "{lead}      {line}");
    }
}

/// How wide the columns of who, where and what are.
struct Widths {
    lane: usize,
    place: usize,
    text: usize,
}

impl Widths {
    fn of(timeline: &Timeline, rows: &[Row]) -> Widths {
        let widest = |length: &dyn Fn(&Move) -> usize| {
            let shown = rows.iter().filter_map(|row| match row {
                Row::Shown(position) => timeline.moves.get(*position),
                Row::Folded(_) => None,
            });
            shown.map(length).max().unwrap_or(0).min(WIDEST)
        };
        Widths {
            lane: widest(&|step| step.lane.chars().count()),
            place: widest(&|step| place_text(&step.place).chars().count()),
            text: widest(&|step| step.text.chars().count()),
        }
    }

    fn line(&self, lane: &str, place: &Option<SourcePlace>, text: &str) -> String {
        let Widths {
            lane: who,
            place: at,
            text: what,
        } = self;
        let mut line = String::new();
        // A column that is empty everywhere takes no room.
        for (width, text) in [(who, lane), (at, &place_text(place)), (what, text)] {
            if *width > 0 {
                let gap = if line.is_empty() { "" } else { "  " };
                let _ = write!(line, "{gap}{:width$}", one_line(text));
            }
        }
        line
    }
}

fn place_text(place: &Option<SourcePlace>) -> String {
    place.as_ref().map(ToString::to_string).unwrap_or_default()
}
