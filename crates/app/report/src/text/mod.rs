//! Reports for people at a terminal.
//!
//! One line a property, the verdict first; below it what the family shows. [`answer`] gives one property's lines, so that the app can print
//! them as they are decided; [`report`] gives all of them and the totals.
//!
//! - `states`, `moves`: timelines, without and with somebody who moves;
//! - `fold`: what of a long timeline is shown;
//! - `tree`: claims with their reasons;
//! - `coverage`: what no run reaches and no proof needed;
//! - `exhibit`: the other things that are shown;
//! - `paint`: colours.

mod coverage;
mod exhibit;
mod fold;
mod moves;
pub(crate) mod paint;
mod states;
mod tree;

pub use coverage::coverage;

use crate::clean::{one_line, screen};
use crate::names::matches;
use crate::report::{AnswerReport, Report};
use crate::saved::Saved;
use entail_answer::{CheckReport, Figure, Round, Verdict};
use entail_show::{Column, ColumnRole, Shown, Timeline};
use std::fmt::Write;

/// How text reports look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Terminal colours.
    pub colour: bool,
    /// Every value at every step, not only what changes.
    pub all_values: bool,
    /// Defines as well as variables.
    pub defines: bool,
    /// The rounds of abstraction.
    pub rounds: bool,
    /// What is shown only when more detail is asked for, and why the engine was chosen.
    pub detail: bool,
    /// Message sequence charts.
    pub sequence: bool,
    /// Lines longer than this are broken where possible.
    pub width: usize,
    /// Long timelines are not folded.
    pub full: bool,
    /// Only columns whose names fit one of these; all if there are none.
    pub show: Vec<String>,
    /// No columns whose names fit one of these.
    pub hide: Vec<String>,
    /// The verdicts with what must be known about them, and nothing to look at.
    pub quiet: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions {
            colour: false,
            all_values: false,
            defines: false,
            rounds: false,
            detail: false,
            sequence: false,
            width: 100,
            full: false,
            show: Vec::new(),
            hide: Vec::new(),
            quiet: false,
        }
    }
}

/// What is known around a timeline that is written.
#[derive(Clone, Copy, Default)]
struct Context<'a> {
    /// What stands before every line.
    indent: &'a str,
    /// The property, whose names say what matters.
    formula: Option<&'a str>,
    /// The timeline and position whose state the reader has just seen: the first step shows only what is different from it.
    before: Option<(&'a Timeline, usize)>,
    /// What has been said about the answer: an ending does not say it again.
    said: Option<&'a str>,
    /// Positions that something is said about.
    remarked: &'a [usize],
    /// What is before this row has been shown already.
    from: usize,
}

/// All properties and the totals.
pub fn report(report: &Report<'_>, options: &TextOptions) -> String {
    let mut out: String = (report.answers.iter().map(|one| answer(one, options))).collect();
    out.push_str(&summary(report));
    out
}

/// The lines of one property.
pub fn answer(answer: &AnswerReport<'_>, options: &TextOptions) -> String {
    let mut out = String::new();
    head(answer, &mut out);
    remarks(answer, options, &mut out);
    if options.rounds {
        rounds(&answer.answer.rounds, &mut out);
    }
    if !options.quiet {
        let context = Context {
            indent: "    ",
            formula: Some(&answer.heading.text),
            said: answer.answer.reason.as_deref(),
            ..Context::default()
        };
        exhibit::write(answer.shown, &context, "        ", options, &mut out);
    }
    screen(&out, options.colour)
}

/// The first line: verdict, property, value, and in brackets what they rest on.
fn head(report: &AnswerReport<'_>, out: &mut String) {
    let answer = report.answer;
    let value = answer.value.as_ref().map(|value| format!(" = {value}"));
    let mut details: Vec<String> = report.heading.name.iter().cloned().collect();
    details.extend(answer.guarantee.caveat());
    details.push(report.engine.to_owned());
    if let Some(states) = answer.statistics.states().filter(|&states| states > 0) {
        let word = if states == 1 { "state" } else { "states" };
        let all_orders = report.details.get("reduction");
        let all_orders = all_orders.and_then(|reduction| reduction["reason"].as_str());
        let all_orders = all_orders.map(|reason| format!(", all orders of steps since {reason}"));
        details.push(format!("{states} {word}{}", all_orders.unwrap_or_default()));
    }
    // How states are stored is worth a word where it is not the usual way.
    if let Some(Figure::Text(storage)) = answer.statistics.get("storage")
        && storage != "exact"
    {
        details.push(storage.clone());
    }
    details.push(seconds(report.seconds));
    let _ = writeln!(
        out,
        "{} {}{}  {}",
        paint::verdict(answer.verdict),
        one_line(&report.heading.text),
        value.unwrap_or_default(),
        paint::faint(&one_line(&format!("[{}]", details.join(", "))))
    );
}

/// What must be known about the verdict.
fn remarks(report: &AnswerReport<'_>, options: &TextOptions, out: &mut String) {
    let mut line = |head: String, text: &str| {
        let blank = if head.is_empty() { "" } else { " " };
        let _ = writeln!(out, "        {head}{blank}{}", one_line(text));
    };
    if let Some(failure) = report.failure {
        line(paint::error("internal error:"), failure);
    }
    if let Some(reason) = &report.answer.reason {
        line(String::new(), reason);
    }
    for warning in &report.answer.warnings {
        line(paint::warning("warning:"), &warning.text);
    }
    match report.checked {
        Some(CheckReport::Partly { unchecked }) => {
            for what in unchecked {
                line(paint::warning("not rechecked:"), what);
            }
        }
        Some(CheckReport::Rejected { reason }) => line(paint::error("evidence rejected:"), reason),
        Some(CheckReport::Accepted) | None => {}
    }
    if options.detail && !report.because.is_empty() {
        line(
            paint::faint("engine:"),
            &format!("{}: {}", report.engine, report.because),
        );
    }
    if !report.shown.violated.is_empty() {
        line(
            String::new(),
            &format!("violated: {}", report.shown.violated.join(" and ")),
        );
    }
}

/// How abstraction found the answer: what each round could see, and what became of its counterexample.
fn rounds(rounds: &[Round], out: &mut String) {
    for (number, round) in rounds.iter().enumerate() {
        let names = match (round.added.as_slice(), number) {
            ([], _) => String::new(),
            (added, 0) => format!(": {}", added.join(", ")),
            (added, _) => format!(", new: {}", added.join(", ")),
        };
        let head = paint::faint(&format!("round {}", number + 1));
        let _ = writeln!(
            out,
            "        {head}  {}",
            one_line(&format!("{}{names}", round.size))
        );
        let time = paint::faint(&format!("[{}]", seconds(round.seconds)));
        let text = one_line(&format!("{}: {}", round.found, round.outcome));
        let _ = writeln!(out, "                 {text}  {time}");
    }
}

/// Everything that is shown of a walk, or of anything else that is no answer.
pub fn shown(shown: &Shown, options: &TextOptions) -> String {
    let mut out = String::new();
    flush_left(shown, options, &mut out);
    screen(&out, options.colour)
}

/// What is shown, without indentation.
pub(crate) fn flush_left(shown: &Shown, options: &TextOptions, out: &mut String) {
    exhibit::write(shown, &Context::default(), "", options, out);
}

/// A timeline alone, such as a simulation's.
pub fn timeline(timeline: &Timeline, options: &TextOptions) -> String {
    timeline_from(timeline, 0, options)
}

/// The same without the rows before `from`: positions, or moves where there are some.
pub fn timeline_from(timeline: &Timeline, from: usize, options: &TextOptions) -> String {
    let mut out = String::new();
    let context = Context {
        from,
        ..Context::default()
    };
    write_timeline(timeline, &context, options, &mut out);
    screen(&out, options.colour)
}

fn write_timeline(timeline: &Timeline, context: &Context<'_>, options: &TextOptions, out: &mut String) {
    for pattern in options.show.iter().filter(|_| context.from == 0) {
        let mut names = timeline.columns.iter().map(|column| &column.name);
        if !names.any(|name| matches(name, pattern)) {
            let _ = writeln!(
                out,
                "{}(nothing is called `{}`)",
                context.indent,
                one_line(pattern)
            );
        }
    }
    match timeline.moves.is_empty() {
        true => states::write(timeline, context, options, &mut |_, _, _| {}, out),
        false => moves::write(timeline, context, options, out),
    }
}

/// The sentences about how a timeline ends that have not been said already.
fn ending<'a>(timeline: &'a Timeline, context: &Context<'_>) -> impl Iterator<Item = String> + 'a {
    let said = context.said.map(one_line);
    let lines = timeline.ending.iter().map(|line| one_line(line));
    lines.filter(move |line| said.as_ref() != Some(line))
}

/// Whether a column is shown.
fn wanted(column: &Column, options: &TextOptions) -> bool {
    let fits = |patterns: &[String]| patterns.iter().any(|pattern| matches(&column.name, pattern));
    let asked = match options.show.is_empty() {
        true => {
            (options.defines || column.role != ColumnRole::Define)
                && (options.all_values || column.nature.is_own())
        }
        false => fits(&options.show),
    };
    asked && !fits(&options.hide)
}

/// A saved answer or walk, without its model.
pub fn saved(saved: &Saved, options: &TextOptions) -> String {
    let model = one_line(saved.source.name());
    match saved.report().as_ref().and_then(|report| report.answers.first()) {
        Some(one) => {
            let head = paint::faint(&format!("an answer about {model}"));
            screen(&format!("{head}\n"), options.colour) + &answer(one, options)
        }
        None => {
            let head = paint::faint(&format!("a walk through {model}"));
            screen(&format!("{head}\n"), options.colour) + &shown(&saved.shown, options)
        }
    }
}

/// The last line: how many properties hold, fail, are unknown.
pub fn summary(report: &Report<'_>) -> String {
    let count = |verdict: Verdict| {
        let verdicts = report.answers.iter().map(|answer| answer.answer.verdict);
        verdicts.filter(|other| *other == verdict).count()
    };
    let mut parts = Vec::new();
    for verdict in [Verdict::Holds, Verdict::Fails, Verdict::Unknown] {
        let word = match (count(verdict), verdict.name()) {
            (0, _) => continue,
            (1, word) => word,
            (_, word) => word.trim_end_matches('s'),
        };
        parts.push(format!("{} {word}", count(verdict)));
    }
    if parts.is_empty() {
        parts.push("no properties".into());
    }
    format!("{} in {}\n", parts.join(", "), seconds(report.seconds))
}

/// A time, as people write it.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 0.001 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 10.0 {
        format!("{seconds:.3} s")
    } else {
        format!("{seconds:.1} s")
    }
}
