//! Reports for people at a terminal.
//!
//! One line a property, the verdict first; under a failure (or a holding existential property) the evidence. A step shows
//! only what changed since the step before; inputs stand on the arrow between two steps. [`property`] gives one property's
//! lines, so that the app can print them as they are decided; [`report`] gives all of them and the totals.

mod modal;
pub(crate) mod paint;
mod trace;
mod tree;

use crate::report::{ModelReport, PropertyReport, Report};
use crate::signals::SignalTable;
use crate::violated::violated_parts;
use entail_evidence::json::SavedEvidence;
use entail_evidence::{CheckReport, Evidence, Guarantee, Quantity, Round, Verdict};
use paint::Paint;
use std::fmt::Write;

/// How text reports look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Terminal colours.
    pub colour: bool,
    /// Every value at every step, not only what changes.
    pub all_values: bool,
    /// Defines as well as variables.
    pub defines: bool,
    /// The rounds of abstraction.
    pub rounds: bool,
    /// Lines longer than this are broken where possible.
    pub width: usize,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions {
            colour: false,
            all_values: false,
            defines: false,
            rounds: false,
            width: 100,
        }
    }
}

/// All properties and the totals.
pub fn report(report: &Report<'_>, options: &TextOptions) -> String {
    let mut out = String::new();
    for answer in &report.properties {
        out.push_str(&property(&report.model, answer, options));
    }
    out.push_str(&summary(report));
    out
}

/// The lines of one property.
pub fn property(model: &ModelReport<'_>, answer: &PropertyReport<'_>, options: &TextOptions) -> String {
    let paint = Paint(options.colour);
    let mut out = String::new();
    let outcome = answer.outcome;
    let _ = write!(
        out,
        "{} {}",
        paint.verdict(outcome.verdict),
        one_line(&answer.property.text)
    );
    let mut details: Vec<String> = Vec::new();
    if let Some(name) = &answer.property.name {
        details.push(name.clone());
    }
    if let Some(value) = outcome.value {
        let _ = write!(out, " = {}", quantity(value));
    }
    match &outcome.guarantee {
        Guarantee::Complete => {}
        Guarantee::Bounded(bound) => details.push(format!("only for paths of at most {bound} steps")),
        Guarantee::Partial { coverage } => {
            details.push(format!("only for about {:.1} % of the states", coverage * 100.0))
        }
    }
    details.push(answer.engine.to_string());
    details.push(seconds(answer.seconds));
    let _ = writeln!(out, "  {}", paint.faint(&format!("[{}]", details.join(", "))));

    if let Some(reason) = &outcome.reason {
        let _ = writeln!(out, "        {}", one_line(reason));
    }
    if let Some(internal) = answer.internal {
        let _ = writeln!(out, "        {}", internal.advice());
    }
    for warning in &outcome.warnings {
        let _ = writeln!(out, "        {} {}", paint.warning("warning:"), one_line(warning));
    }
    match answer.checked {
        Some(CheckReport::Partly { unchecked }) => {
            for what in unchecked {
                let _ = writeln!(out, "        {} {what}", paint.warning("not rechecked:"));
            }
        }
        Some(CheckReport::Rejected { reason }) => {
            let _ = writeln!(out, "        {} {reason}", paint.error("evidence rejected:"));
        }
        Some(CheckReport::Accepted) | None => {}
    }
    let violated = violated_parts(model, answer);
    if !violated.is_empty() {
        let _ = writeln!(out, "        violated: {}", violated.join(" and "));
    }
    if options.rounds {
        rounds(&outcome.rounds, &paint, &mut out);
    }
    evidence(model, answer, options, &mut out);
    out
}

/// How abstraction found the answer: what each round could see, and what became of its counterexample.
fn rounds(rounds: &[Round], paint: &Paint, out: &mut String) {
    for (number, round) in rounds.iter().enumerate() {
        let names = match (round.added.as_slice(), number) {
            ([], _) => String::new(),
            (added, 0) => format!(": {}", added.join(", ")),
            (added, _) => format!(", new: {}", added.join(", ")),
        };
        let head = format!("round {}", number + 1);
        let _ = writeln!(out, "        {}  {}{names}", paint.faint(&head), round.size);
        let time = paint.faint(&format!("[{}]", seconds(round.seconds)));
        let _ = writeln!(out, "                 {}: {}  {time}", round.found, round.outcome);
    }
}

fn evidence(model: &ModelReport<'_>, answer: &PropertyReport<'_>, options: &TextOptions, out: &mut String) {
    match &answer.outcome.evidence {
        Some(Evidence::Trace(path)) => {
            let table = SignalTable::of_trace(model.system, path, options.defines);
            trace::write(&table, options, "    ", out);
        }
        Some(Evidence::Explanation(tree)) => tree::write(model, tree, options, out),
        Some(Evidence::Modal(model)) if options.rounds => modal::write(model, "        ", out),
        // That all states were searched is what `holds` means; the count is of interest to those who ask for more.
        Some(
            Evidence::Exhaustive(_)
            | Evidence::Invariant(_)
            | Evidence::Liveness(_)
            | Evidence::Abstraction(_)
            | Evidence::Modal(_),
        )
        | None => {}
    }
}

/// A saved trace, without its model.
pub fn saved(saved: &SavedEvidence, options: &TextOptions) -> String {
    let paint = Paint(options.colour);
    let mut out = String::new();
    let verdict = match saved.verdict.as_str() {
        "holds" => Verdict::Holds,
        "fails" => Verdict::Fails,
        _ => Verdict::Unknown,
    };
    let name = saved.property_name.as_deref().map(|name| format!("{name}, "));
    let _ = writeln!(
        out,
        "{} {}  {}",
        paint.verdict(verdict),
        one_line(&saved.property_text),
        paint.faint(&format!(
            "[{}{}]",
            name.unwrap_or_default(),
            one_line(&saved.model)
        ))
    );
    match saved.trace() {
        Some(Ok(path)) => trace::write(&SignalTable::of_saved(&path), options, "    ", &mut out),
        Some(Err(problem)) => {
            let _ = writeln!(out, "        {problem}");
        }
        None => {
            let _ = writeln!(
                out,
                "        evidence of kind `{}`, without a trace",
                saved.kind()
            );
        }
    }
    out
}

/// A trace alone, such as a simulation's.
pub fn trace_alone(table: &SignalTable, options: &TextOptions) -> String {
    let mut out = String::new();
    trace::write(table, options, "", &mut out);
    out
}

/// The last line: how many properties hold, fail, are unknown.
pub fn summary(report: &Report<'_>) -> String {
    let verdicts: Vec<Verdict> = report
        .properties
        .iter()
        .map(|answer| answer.outcome.verdict)
        .collect();
    summary_line(&verdicts, report.seconds)
}

/// How many of these verdicts there are, and the time they took.
pub(crate) fn summary_line(verdicts: &[Verdict], time: f64) -> String {
    let count = |verdict: Verdict| verdicts.iter().filter(|other| **other == verdict).count();
    let (holds, fails, unknown) = (
        count(Verdict::Holds),
        count(Verdict::Fails),
        count(Verdict::Unknown),
    );
    let mut parts = Vec::new();
    for (number, word) in [(holds, "holds"), (fails, "fails"), (unknown, "unknown")] {
        if number > 0 {
            let word = if number == 1 {
                word
            } else {
                word.trim_end_matches('s')
            };
            parts.push(format!("{number} {word}"));
        }
    }
    if parts.is_empty() {
        parts.push("no properties".into());
    }
    format!("{} in {}\n", parts.join(", "), seconds(time))
}

/// A length, as people write it.
pub(crate) fn quantity(value: Quantity) -> String {
    match value {
        Quantity::Finite(number) => number.to_string(),
        Quantity::Infinite => "infinite".into(),
        Quantity::Undefined => "undefined".into(),
    }
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

/// The text on one line; other white space and control characters become single blanks.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
