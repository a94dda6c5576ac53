//! Schedules (Gantt charts): a row for each process, a bar for each stretch of time.

use crate::chart::{COLOURS, Scale, number};
use crate::html::{SVG_SPACE, escaped};
use entail_show::{Axis, Bar, Schedule, Table};
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const ROW: f64 = 28.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;
/// The width of a letter, about.
const LETTER: f64 = 7.0;
/// How the schedule looks in a file of its own; pages have their own style.
const STYLE: &str =
    "text{font:12px sans-serif;fill:#222}.axis{stroke:#222;fill:none}.rule{stroke:#ddd}.bar{fill-opacity:.3}";

/// The schedule as a file.
pub fn svg(schedule: &Schedule) -> String {
    drawn(schedule, SVG_SPACE, &format!("<style>{STYLE}</style>\n"))
}

/// The schedule as a part of a page.
pub(crate) fn embedded(schedule: &Schedule) -> String {
    drawn(schedule, "", "")
}

/// The stretches as a table, for terminals.
pub(crate) fn table(schedule: &Schedule) -> Table {
    let row = |name: &str, bar: &Bar| {
        vec![
            name.to_owned(),
            bar.what.clone(),
            number(bar.from),
            number(bar.to),
        ]
    };
    let rows = (schedule.rows.iter()).flat_map(|one| one.bars.iter().map(move |bar| row(&one.name, bar)));
    Table {
        heads: ["", "what", "from", "to"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

fn drawn(schedule: &Schedule, space: &str, style: &str) -> String {
    let bars = || schedule.rows.iter().flat_map(|row| &row.bars);
    let longest = schedule.rows.iter().map(|row| row.name.chars().count()).max();
    let left = (longest.unwrap_or(0) as f64 * LETTER + 16.0).min(WIDTH / 3.0);
    let wide = WIDTH - left - 20.0;
    let axis = Axis {
        label: schedule.time.clone(),
        is_logarithmic: false,
    };
    let scale = Scale::new(&axis, bars().flat_map(|bar| [bar.from, bar.to]));
    let base = TOP + ROW * schedule.rows.len() as f64;
    let full = base + BOTTOM;
    let mut out = format!(
        "<svg class=\"schedule\"{space} width=\"{WIDTH}\" height=\"{full}\" viewBox=\"0 0 {WIDTH} {full}\" role=\"img\" aria-label=\"schedule\">\n{style}"
    );
    for value in scale.ticks() {
        let Some(share) = scale.share(value) else { continue };
        let _ = writeln!(
            out,
            "<line class=\"rule\" x1=\"{0:.1}\" y1=\"{TOP}\" x2=\"{0:.1}\" y2=\"{base}\"/><text text-anchor=\"middle\" x=\"{0:.1}\" y=\"{1}\">{2}</text>",
            left + share * wide,
            base + 16.0,
            number(value)
        );
    }
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{left} {TOP}L{left} {base}L{} {base}\"/><text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
        left + wide,
        left + wide / 2.0,
        base + 38.0,
        escaped(&schedule.time)
    );
    let mut known: Vec<&str> = Vec::new();
    for (position, row) in schedule.rows.iter().enumerate() {
        let top = TOP + ROW * position as f64;
        let _ = writeln!(
            out,
            "<text text-anchor=\"end\" x=\"{}\" y=\"{}\">{}</text>",
            left - 6.0,
            top + 18.0,
            escaped(&row.name)
        );
        for bar in &row.bars {
            let (Some(from), Some(to)) = (scale.share(bar.from), scale.share(bar.to)) else {
                continue;
            };
            let number_of = known
                .iter()
                .position(|what| *what == bar.what)
                .unwrap_or(known.len());
            if number_of == known.len() {
                known.push(&bar.what);
            }
            stretch(
                &mut out,
                bar,
                (left + from * wide, left + to * wide),
                top,
                COLOURS[number_of % COLOURS.len()],
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A bar with what is done on it, where there is room; all of it stands in its title.
fn stretch(out: &mut String, bar: &Bar, (from, to): (f64, f64), top: f64, colour: &str) {
    let _ = write!(
        out,
        "<g><title>{}: {} to {}</title><rect class=\"bar\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\" stroke=\"{colour}\"/>",
        escaped(&bar.what),
        number(bar.from),
        number(bar.to),
        top + 4.0,
        (to - from).max(0.0),
        ROW - 8.0
    );
    if to - from >= bar.what.chars().count() as f64 * LETTER + 6.0 {
        let _ = write!(
            out,
            "<text text-anchor=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (from + to) / 2.0,
            top + 18.0,
            escaped(&bar.what)
        );
    }
    out.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_show::ScheduleRow;

    #[test]
    fn bars_stand_where_their_times_are_and_escape_what_they_say() {
        let bar = |from: f64, to: f64, what: &str| Bar {
            from,
            to,
            what: what.into(),
        };
        let schedule = Schedule {
            time: "time".into(),
            rows: vec![
                ScheduleRow {
                    name: "J<1>".into(),
                    bars: vec![bar(0.0, 5.0, "wait"), bar(5.0, 10.0, "run & go")],
                },
                ScheduleRow {
                    name: "J2".into(),
                    bars: vec![bar(0.0, 0.0, "wait"), bar(0.0, f64::NAN, "lost")],
                },
            ],
        };
        let text = svg(&schedule);
        assert_eq!(text.matches("class=\"bar\"").count(), 3, "{text}");
        assert!(
            text.contains("run &amp; go: 5 to 10") && text.contains("J&lt;1&gt;"),
            "{text}"
        );
        // The same has the same colour, in every row.
        assert_eq!(text.matches("fill=\"#2457c5\"").count(), 2, "{text}");
        assert_eq!(table(&schedule).rows.len(), 4);
    }
}
