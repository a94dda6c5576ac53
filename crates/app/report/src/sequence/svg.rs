//! Charts as SVG: processes are lines downwards, messages arrows from where they are sent to where they are received.

use crate::html::{SVG_SPACE, escaped};
use entail_show::SequenceChart;
use std::fmt::Write;

const LEFT: usize = 60;
const TOP: usize = 50;
const DISTANCE: usize = 170;
const HEIGHT: usize = 30;

/// Longer charts are not drawn inside a page.
const MOST_ROWS: usize = 2_000;

/// How the chart looks in a file of its own; pages have their own style.
const STYLE: &str = "text{font:12px monospace;fill:#222}.name{text-anchor:middle;font-weight:700}.number{text-anchor:end;opacity:.6}\
.life{stroke:#222;opacity:.35}.step{fill:#222}.message{stroke:#2457c5;stroke-width:1.5}.lost{stroke-dasharray:4 3}.head{fill:#2457c5}\
.label{text-anchor:middle}.source{white-space:pre}.loop{fill:#7a4fd0;opacity:.12}";

/// The chart as a file.
pub fn svg(chart: &SequenceChart) -> String {
    drawn(chart, SVG_SPACE, &format!("<style>{STYLE}</style>\n"))
}

/// The chart as a part of a page.
pub(crate) fn embedded(chart: &SequenceChart) -> String {
    drawn(chart, "", "")
}

/// Whether the chart is small enough for a page.
pub(crate) fn is_small(chart: &SequenceChart) -> bool {
    chart.rows.len() <= MOST_ROWS
}

fn drawn(chart: &SequenceChart, space: &str, style: &str) -> String {
    let x = |lane: usize| LEFT + lane * DISTANCE + DISTANCE / 2;
    let y = |row: usize| TOP + row * HEIGHT + HEIGHT / 2;
    let texts = LEFT + chart.lanes.len() * DISTANCE + 20;
    let (width, height) = (texts + 520, TOP + (chart.rows.len() + 1) * HEIGHT);
    let mut out = format!(
        "<svg class=\"sequence\"{space} width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"message sequence chart\">\n{style}"
    );
    if let Some(start) = chart.loop_start.filter(|&start| start < chart.rows.len()) {
        let _ = writeln!(
            out,
            "<rect class=\"loop\" x=\"4\" y=\"{}\" width=\"{}\" height=\"{}\"><title>repeated for ever</title></rect>",
            TOP + start * HEIGHT,
            width - 8,
            (chart.rows.len() - start) * HEIGHT
        );
    }
    for (position, lane) in chart.lanes.iter().enumerate() {
        let (from, to) = (TOP + lane.first * HEIGHT, TOP + lane.end * HEIGHT);
        let _ = writeln!(
            out,
            "<line class=\"life\" x1=\"{0}\" y1=\"{from}\" x2=\"{0}\" y2=\"{to}\"/><text class=\"name\" x=\"{0}\" y=\"{1}\">{2}</text>",
            x(position),
            from.max(TOP) - 8,
            escaped(&lane.name)
        );
    }
    for (number, row) in chart.rows.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text class=\"number\" x=\"{}\" y=\"{1}\">{2}</text><circle class=\"step\" cx=\"{3}\" cy=\"{4}\" r=\"4\"/><text class=\"source\" x=\"{texts}\" y=\"{1}\">{5}  {6}</text>",
            LEFT - 16,
            y(number) + 4,
            number + 1,
            x(row.lane),
            y(number),
            escaped(&row.place),
            escaped(&row.text)
        );
    }
    for arrow in &chart.arrows {
        let (from_x, from_y) = (x(arrow.from.1), y(arrow.from.0));
        let label = escaped(&format!("{} {}", arrow.channel, arrow.message));
        // What nobody receives ends beside its sender.
        let (to_x, to_y, class) = match arrow.to {
            Some((row, column)) => (x(column), y(row), "message"),
            None => (from_x + 60, from_y, "message lost"),
        };
        let _ = writeln!(
            out,
            "<line class=\"{class}\" x1=\"{from_x}\" y1=\"{from_y}\" x2=\"{to_x}\" y2=\"{to_y}\"/>{}<text class=\"label\" x=\"{}\" y=\"{}\">{label}</text>",
            head((from_x, from_y), (to_x, to_y)),
            (from_x + to_x) / 2,
            (from_y + to_y) / 2 - 5
        );
    }
    out.push_str("</svg>\n");
    out
}

/// The head of an arrow.
fn head(from: (usize, usize), to: (usize, usize)) -> String {
    let (dx, dy) = (to.0 as f64 - from.0 as f64, to.1 as f64 - from.1 as f64);
    let angle = dy.atan2(dx).to_degrees();
    format!(
        "<path class=\"head\" d=\"M0 0L-9 -4L-9 4Z\" transform=\"translate({} {}) rotate({angle:.1})\"/>",
        to.0, to.1
    )
}
