//! A report as a picture (SVG): the verdicts, the first counterexample and the state graph, for slides and pages that show no HTML.
//!
//! It is the page at first sight: a line a property; of the first property that fails (or has something to show) the waveforms of what changes, with the loop, the violating step and the truth
//! of the formula's parts, or the steps of those who move; small state graphs with the trace in them. What does not fit is left out, and the picture says so.

use crate::clean::{clean, clipped};
use crate::dot;
use crate::html::graph::{Boxes, boxes};
use crate::html::{SVG_SPACE, escaped};
use crate::report::{AnswerReport, Report};
use crate::steps::{loop_start, violation};
use crate::text::seconds;
use entail_answer::{Figure, Verdict};
use entail_show::{Column, ColumnKind, ColumnRole, FormulaRow, Graph, Timeline};
use std::fmt::{Display, Write};

const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 24.0;
/// The height of a line of the table, and of a signal.
const ROW: f64 = 30.0;
/// Where the steps begin: names are to the left.
const NAMES: f64 = 270.0;
/// A letter of the fixed-width font.
const LETTER: f64 = 7.3;

const MOST_PROPERTIES: usize = 12;
const MOST_SIGNALS: usize = 14;
const MOST_FORMULAS: usize = 8;
const MOST_STEPS: usize = 16;
const MOST_MOVES: usize = 24;
const MOST_SENTENCES: usize = 6;
/// Graphs with more nodes are not drawn.
const MOST_NODES: usize = 40;

/// The colours of the page.
const STYLE: &str = "text{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#1b2430}.mono{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px}\
.title{font-size:21px;font-weight:650}.head{font-size:15px;font-weight:650}.soft{fill:#5b6675}.pill{font-weight:650;font-size:12.5px}\
.page{fill:#f6f7f9}.panel{fill:#fff;stroke:#dfe3e8}.rule{stroke:#edf0f3}.wave{fill:none;stroke:#2457c5;stroke-width:1.6}.high{fill:#e8eefb}\
.band{fill:#eef3fd;stroke:#8aa6e3}.loop{fill:#f3effc}.loopline{stroke:#7a4fd0;fill:none}.bad{fill:#fbe9e7}.true{fill:#147a44}.false{fill:#b3261e}\
.node{fill:#fff;stroke:#8a94a3}.edge{fill:none;stroke:#8a94a3}.on .node{fill:#fbe9e7;stroke:#b3261e;stroke-width:2}.on.edge{stroke:#b3261e;stroke-width:2}";

/// The picture of a report.
pub fn report(report: &Report<'_>) -> String {
    let mut canvas = Canvas::default();
    canvas.text(MARGIN, 34.0, "title", &clipped(report.name, 60));
    let counted = |(name, figure): (&str, &Figure)| match figure {
        Figure::Count(count) => Some(format!("{count} {}", name.replace('_', " "))),
        _ => None,
    };
    let mut facts = vec![report.language.to_owned()];
    facts.extend(report.figures.iter().filter_map(counted));
    facts.push(seconds(report.seconds));
    canvas.text(MARGIN, 56.0, "soft", &facts.join(" · "));
    canvas.y = 72.0;
    verdicts(&mut canvas, report);
    let fails = |answer: &&AnswerReport<'_>| answer.answer.verdict == Verdict::Fails;
    let shown = report
        .answers
        .iter()
        .filter(|answer| answer.shown.timeline().is_some());
    let chosen = shown.clone().find(fails).or_else(|| shown.clone().next());
    let timeline = chosen.and_then(|answer| answer.shown.timeline());
    if let (Some(answer), Some(timeline)) = (chosen, timeline) {
        let title = match answer.answer.verdict {
            Verdict::Fails => "Counterexample",
            _ => "Witness",
        };
        let name = (answer.heading.name.as_deref()).unwrap_or(&answer.heading.text);
        canvas.heading(&format!("{title}: {}", clipped(name, 80)));
        path(&mut canvas, timeline);
    }
    match &report.graph {
        Some(Ok(graph)) if graph.nodes.len() <= MOST_NODES && !graph.nodes.is_empty() => {
            canvas.heading("State graph");
            states(&mut canvas, graph, timeline);
        }
        _ => {}
    }
    canvas.finished()
}

/// The picture of a path alone.
pub fn timeline(name: &str, timeline: &Timeline) -> String {
    let mut canvas = Canvas::default();
    canvas.text(MARGIN, 34.0, "title", &clipped(name, 60));
    canvas.y = 48.0;
    path(&mut canvas, timeline);
    canvas.finished()
}

/// What has been drawn, and how far down.
#[derive(Default)]
struct Canvas {
    out: String,
    y: f64,
    /// The widest thing so far.
    width: f64,
}

impl Canvas {
    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escaped(&clean(text));
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        );
    }

    fn middle(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escaped(&clean(text));
        let _ = writeln!(
            self.out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>"
        );
    }

    fn rectangle(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    fn path(&mut self, class: &str, points: impl Display) {
        let _ = writeln!(self.out, "<path class=\"{class}\" d=\"{points}\"/>");
    }

    fn heading(&mut self, text: &str) {
        self.y += 34.0;
        self.text(MARGIN, self.y, "head", text);
        self.y += 12.0;
    }

    fn note(&mut self, text: &str) {
        self.y += 20.0;
        self.text(MARGIN, self.y, "soft", text);
    }

    fn finished(self) -> String {
        let (width, height) = (self.width.max(WIDTH), self.y + MARGIN);
        format!(
            "<svg{SVG_SPACE} width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n\
             <rect class=\"page\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{}</svg>\n",
            self.out
        )
    }
}

/// A line a property.
fn verdicts(canvas: &mut Canvas, report: &Report<'_>) {
    let listed = report.answers.len().min(MOST_PROPERTIES);
    let height = listed as f64 * ROW;
    canvas.rectangle("panel", (MARGIN, canvas.y), (WIDTH - 2.0 * MARGIN, height));
    for answer in report.answers.iter().take(listed) {
        let (soft, strong) = match answer.answer.verdict {
            Verdict::Holds => ("#e3f4ea", "#147a44"),
            Verdict::Fails => ("#fbe9e7", "#b3261e"),
            Verdict::Unknown => ("#fdf1d8", "#8a5a00"),
        };
        let y = canvas.y;
        let _ = writeln!(
            canvas.out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"74\" height=\"20\" rx=\"10\" fill=\"{soft}\"/>\n\
             <text class=\"pill\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" style=\"fill:{strong}\">{}</text>",
            MARGIN + 10.0,
            y + 5.0,
            MARGIN + 47.0,
            y + 19.5,
            answer.answer.verdict.name()
        );
        let value = answer.answer.value.as_ref();
        let value = value.map_or(String::new(), |value| format!(" = {value}"));
        let formula = format!("{}{value}", answer.heading.text);
        canvas.text(MARGIN + 98.0, y + 19.5, "mono", &clipped(&formula, 78));
        let evidence = if answer.is_checked() { "checked, " } else { "" };
        let warned = if answer.answer.warnings.is_empty() {
            ""
        } else {
            "⚠ "
        };
        let told = format!("{warned}{evidence}{}, {}", answer.engine, seconds(answer.seconds));
        let _ = writeln!(
            canvas.out,
            "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - MARGIN - 12.0,
            y + 19.5,
            escaped(&told)
        );
        canvas.y += ROW;
    }
    if report.answers.len() > listed {
        canvas.note(&format!("and {} more properties", report.answers.len() - listed));
    }
}

fn path(canvas: &mut Canvas, timeline: &Timeline) {
    match timeline.moves.is_empty() {
        true => waves(canvas, timeline),
        false => moves(canvas, timeline),
    }
    if let Some(start) = loop_start(timeline) {
        let last = timeline.positions.saturating_sub(1);
        canvas.note(&format!(
            "after step {last} the path goes back to step {start}, for ever"
        ));
    }
    if let Some(at) = violation(timeline) {
        canvas.note(&format!("violated at step {at}"));
    }
    for sentence in timeline.ending.iter().take(MOST_SENTENCES) {
        canvas.note(&clipped(sentence, 130));
    }
}

/// The part of so many steps that is drawn: with the violation, or from the beginning.
fn window(count: usize, most: usize, at: Option<usize>) -> std::ops::Range<usize> {
    let last = count.saturating_sub(most);
    let from = at.map_or(0, |at| at.saturating_sub(most / 2)).min(last);
    from..count.min(from + most)
}

fn waves(canvas: &mut Canvas, timeline: &Timeline) {
    let shown = |column: &&Column| column.nature.is_own() && column.role != ColumnRole::Define;
    let changing: Vec<&Column> = (timeline.columns.iter())
        .filter(shown)
        .filter(|column| column.varies())
        .collect();
    let all: Vec<&Column> = match changing.is_empty() {
        true => timeline.columns.iter().filter(shown).collect(),
        false => changing,
    };
    let bad = violation(timeline);
    let steps = window(timeline.positions, MOST_STEPS, bad);
    let formulas: Vec<&FormulaRow> = timeline.formulas.iter().take(MOST_FORMULAS).collect();
    let signals = &all[..all.len().min(MOST_SIGNALS)];
    let step = (WIDTH - NAMES - MARGIN) / steps.len().max(1) as f64;
    let step = step.min(130.0);
    let top = canvas.y;
    let bottom = top + ROW * (1 + signals.len() + formulas.len()) as f64;
    canvas.rectangle("panel", (MARGIN, top), (WIDTH - 2.0 * MARGIN, bottom - top));
    let x = |at: usize| NAMES + (at - steps.start) as f64 * step;
    let end = NAMES + steps.len() as f64 * step;
    if let Some(start) = loop_start(timeline).filter(|start| *start < steps.end) {
        let left = x(start.max(steps.start));
        canvas.rectangle("loop", (left, top), (end - left, bottom - top));
        canvas.path("loopline", format_args!("M{left:.1} {top:.1}V{bottom:.1}"));
    }
    if let Some(at) = bad.filter(|at| steps.contains(at)) {
        canvas.rectangle("bad", (x(at), top), (step, bottom - top));
    }
    canvas.text(MARGIN + 12.0, top + 19.5, "soft", "step");
    for at in steps.clone() {
        canvas.middle(x(at) + step / 2.0, top + 19.5, "soft", &at.to_string());
    }
    let mut y = top + ROW;
    for column in signals {
        canvas.path("rule", format_args!("M{MARGIN:.1} {y:.1}H{:.1}", WIDTH - MARGIN));
        canvas.text(MARGIN + 12.0, y + 19.5, "mono", &clipped(&column.name, 32));
        signal(canvas, column, &steps, (y, step));
        y += ROW;
    }
    for row in formulas {
        canvas.path("rule", format_args!("M{MARGIN:.1} {y:.1}H{:.1}", WIDTH - MARGIN));
        let indent = MARGIN + 12.0 + 10.0 * row.depth as f64;
        let letters = ((NAMES - indent) / LETTER) as usize;
        canvas.text(
            indent,
            y + 19.5,
            "mono",
            &clipped(&row.text, letters.saturating_sub(1)),
        );
        for at in steps.clone() {
            let (class, letter) = match row.truth.get(at) {
                Some(Some(true)) => ("true", "T"),
                Some(Some(false)) => ("false", "F"),
                _ => ("soft", "?"),
            };
            canvas.middle(x(at) + step / 2.0, y + 19.5, class, letter);
        }
        y += ROW;
    }
    canvas.y = bottom;
    let left_out = timeline.positions - steps.len();
    if left_out > 0 || all.len() > signals.len() {
        canvas.note(&format!(
            "not drawn: {left_out} steps, {} signals",
            all.len() - signals.len()
        ));
    }
}

/// Runs of equal values, as levels or as bands with their values.
fn signal(canvas: &mut Canvas, column: &Column, steps: &std::ops::Range<usize>, (y, step): (f64, f64)) {
    let mut from = steps.start;
    let mut trail = String::new();
    while from < steps.end {
        let value = column.value(from);
        let same = (from..steps.end).take_while(|at| column.value(*at) == value);
        let until = from + same.count();
        let (left, right) = (
            NAMES + (from - steps.start) as f64 * step,
            NAMES + (until - steps.start) as f64 * step,
        );
        match (value, column.kind == ColumnKind::Boolean) {
            (None, _) => trail.clear(),
            (Some(value), true) => {
                let is_high = matches!(value, "TRUE" | "true" | "1");
                let level = if is_high { y + 7.0 } else { y + ROW - 7.0 };
                if is_high {
                    canvas.rectangle("high", (left, y + 7.0), (right - left, ROW - 14.0));
                }
                let joint = if trail.is_empty() { 'M' } else { 'L' };
                let _ = write!(trail, "{joint}{left:.1} {level:.1}H{right:.1}");
            }
            (Some(value), false) => {
                canvas.rectangle("band", (left + 1.0, y + 5.0), (right - left - 2.0, ROW - 10.0));
                let letters = ((right - left) / LETTER) as usize;
                let text = clipped(value, letters.saturating_sub(1).max(1));
                canvas.middle((left + right) / 2.0, y + 19.5, "mono", &text);
            }
        }
        from = until;
    }
    if !trail.is_empty() {
        canvas.path("wave", trail);
    }
}

/// The steps of those who move.
fn moves(canvas: &mut Canvas, timeline: &Timeline) {
    let bad = violation(timeline);
    let steps = window(timeline.moves.len(), MOST_MOVES, bad);
    let top = canvas.y;
    let height = ROW * steps.len() as f64;
    canvas.rectangle("panel", (MARGIN, top), (WIDTH - 2.0 * MARGIN, height));
    for (row, at) in steps.clone().enumerate() {
        let y = top + row as f64 * ROW;
        let step = &timeline.moves[at];
        if bad == Some(at + 1) {
            canvas.rectangle("bad", (MARGIN, y), (WIDTH - 2.0 * MARGIN, ROW));
        } else if loop_start(timeline).is_some_and(|start| at >= start) {
            canvas.rectangle("loop", (MARGIN, y), (WIDTH - 2.0 * MARGIN, ROW));
        }
        canvas.text(MARGIN + 12.0, y + 19.5, "soft", &(at + 1).to_string());
        canvas.text(MARGIN + 52.0, y + 19.5, "mono", &clipped(&step.lane, 20));
        let place = step.place.as_ref().map_or(String::new(), ToString::to_string);
        canvas.text(MARGIN + 210.0, y + 19.5, "soft", &clipped(&place, 16));
        let text = step.text.replace('\n', " ");
        canvas.text(MARGIN + 300.0, y + 19.5, "mono", &clipped(&text, 46));
        let changes = crate::steps::changes(timeline, timeline.columns.iter(), at).join(", ");
        canvas.text(MARGIN + 660.0, y + 19.5, "mono", &clipped(&changes, 38));
    }
    canvas.y = top + height;
    let left_out = timeline.moves.len() - steps.len();
    if left_out > 0 {
        canvas.note(&format!("not drawn: {left_out} steps"));
    }
}

/// The states of a small model, with a path marked.
fn states(canvas: &mut Canvas, graph: &Graph, timeline: Option<&Timeline>) {
    let Boxes {
        labels,
        edges,
        layout,
        sizes,
    } = boxes(graph);
    let marked: Vec<Option<usize>> = match timeline {
        Some(timeline) if !timeline.keys.is_empty() => dot::positions(graph, timeline),
        _ => Vec::new(),
    };
    let mut steps: Vec<(usize, usize)> = (marked.windows(2))
        .filter_map(|pair| Some((pair[0]?, pair[1]?)))
        .collect();
    let back = timeline
        .and_then(loop_start)
        .and_then(|start| *marked.get(start)?);
    steps.extend(marked.last().copied().flatten().zip(back));
    let top = canvas.y;
    let _ = writeln!(canvas.out, "<g transform=\"translate({MARGIN:.1} {top:.1})\">");
    canvas.rectangle("panel", (0.0, 0.0), (layout.width, layout.height));
    for ((from, to), curve) in edges.iter().zip(&layout.curves) {
        let class = if steps.contains(&(*from, *to)) {
            "edge on"
        } else {
            "edge"
        };
        canvas.path(class, curve);
    }
    for (node, lines) in labels.iter().enumerate() {
        let ((x, y), (width, height)) = (layout.middles[node], sizes[node]);
        let class = if marked.contains(&Some(node)) { "on" } else { "" };
        let thick = if graph.nodes[node].is_initial { 2 } else { 1 };
        let _ = writeln!(canvas.out, "<g class=\"{class}\" stroke-width=\"{thick}\">");
        canvas.rectangle("node", (x - width / 2.0, y - height / 2.0), (width, height));
        for (number, line) in lines.iter().enumerate() {
            let down = y - height / 2.0 + 18.0 + 16.0 * number as f64;
            canvas.middle(x, down, "mono", line);
        }
        canvas.out.push_str("</g>\n");
    }
    canvas.out.push_str("</g>\n");
    canvas.width = canvas.width.max(layout.width + 2.0 * MARGIN);
    canvas.y = top + layout.height;
}
