//! Reports about programs of communicating processes.
//!
//! A run is shown step by step: which process, where in the text, the statement, and what changed. Where two processes meet, both are
//! shown. Names of local variables begin with the process they belong to.
//!
//! ```text
//!     1  user(2)        mutex.pml:14   sema?p          user(2).held = 1
//!     2  user(2)        mutex.pml:15   count++         count = 1
//! ```

use crate::report::InternalReport;
use crate::text::paint::Paint;
use crate::text::{TextOptions, one_line, seconds, summary_line};
use entail_evidence::Verdict;
use entail_evidence::json::{sealed, verdict_name};
use entail_program::{
    CellType, Event, Origin, Outcome, Program, Reduction, Replayed, Requirement, Run, State, Step,
};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// The answer to one requirement.
#[derive(Clone, Debug)]
pub struct RequirementReport<'a> {
    /// What was asked.
    pub requirement: &'a Requirement,
    /// The answer.
    pub outcome: &'a Outcome,
    /// The run with its states.
    pub replayed: Option<&'a Replayed>,
    /// The engine that gave it.
    pub engine: &'a str,
    /// Seconds spent on it, checking included.
    pub seconds: f64,
    /// The mistake of Entail's because of which there is no answer.
    pub internal: Option<&'a InternalReport>,
}

/// A whole run of the checker.
#[derive(Clone, Debug)]
pub struct ProgramReport<'a> {
    /// What the user calls the model.
    pub name: &'a str,
    /// Its language.
    pub language: &'a str,
    /// The digest of the model's file.
    pub digest: String,
    /// The model.
    pub program: &'a Program,
    /// The answers.
    pub requirements: Vec<RequirementReport<'a>>,
    /// Seconds for everything.
    pub seconds: f64,
    /// The most memory the process used, if it is known.
    pub peak_memory_bytes: Option<u64>,
}

impl RequirementReport<'_> {
    /// The answer as a verdict.
    pub fn verdict(&self) -> Verdict {
        match self.outcome.holds {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::Fails,
            None => Verdict::Unknown,
        }
    }
}

/// One step of a run, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// The process: its type and number.
    pub process: String,
    /// Its number.
    pub number: u8,
    /// The position of the edge in its location.
    pub edge: u16,
    /// Of a meeting, the receiver's number and edge.
    pub meets: Option<(u8, u16)>,
    /// File and line of the statement.
    pub place: (String, usize),
    /// The statement.
    pub statement: String,
    /// Of a meeting, the receiver and its statement.
    pub receiver: Option<(String, (String, usize), String)>,
    /// What changed: names and values.
    pub changes: Vec<(String, String)>,
    /// The process goes on without others in between.
    pub keeps_control: bool,
}

/// The steps of a run.
pub fn shown_steps(program: &Program, run: &Run, replayed: &Replayed) -> Vec<ShownStep> {
    let mut shown = Vec::with_capacity(run.steps.len());
    for (position, step) in run.steps.iter().enumerate() {
        let Some(before) = replayed.situations.get(position) else {
            break;
        };
        let after = replayed.situations.get(position + 1);
        let (process, place, statement) = statement(program, &before.state, step.process, step.edge);
        shown.push(ShownStep {
            process,
            number: step.process,
            edge: step.edge,
            meets: step.receiver,
            place,
            statement,
            receiver: receiver(program, &before.state, step),
            changes: after.map_or(Vec::new(), |after| changes(program, &before.state, &after.state)),
            keeps_control: after.is_some_and(|after| after.control.is_some()),
        });
    }
    shown
}

fn receiver(program: &Program, state: &State, step: &Step) -> Option<(String, (String, usize), String)> {
    step.receiver
        .map(|(number, edge)| statement(program, state, number, edge))
}

pub(crate) fn statement(
    program: &Program,
    state: &State,
    number: u8,
    edge: u16,
) -> (String, (String, usize), String) {
    let Some(process) = state.processes.get(usize::from(number)) else {
        return (format!("process {number}"), (String::new(), 0), String::new());
    };
    let kind = program.process(process.kind);
    let location = &kind.locations[process.location.index()];
    let edge = location.edges.get(usize::from(edge));
    let origin = edge.map_or(location.origin, |edge| edge.origin);
    let (file, line) = program.line(origin);
    let text = match edge.and_then(|edge| edge.actions.first()) {
        Some(entail_program::Action::End) => "(the process ends)".to_owned(),
        _ => {
            // A step may join several statements; parts of one `for` stand at the same place.
            let joined = edge.map_or(&[][..], |edge| &edge.joined);
            let mut places: Vec<Origin> = std::iter::once(origin).chain(joined.iter().copied()).collect();
            places.dedup();
            let texts: Vec<String> = places
                .into_iter()
                .map(|place| clipped(one_line(program.text(place)), 60))
                .collect();
            clipped(texts.join("; "), 100)
        }
    };
    (format!("{}({number})", kind.name), (file.to_owned(), line), text)
}

fn clipped(text: String, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A value as people write it.
pub(crate) fn shown_value(program: &Program, kind: CellType, value: i32) -> String {
    let name = usize::try_from(value).ok().filter(|&at| at > 0);
    match name.and_then(|at| program.message_names.get(at)) {
        Some(name) if kind == CellType::MessageName => name.clone(),
        _ => value.to_string(),
    }
}

/// What the channels of a state are called: by the first variable that holds them.
pub(crate) fn channel_names(program: &Program, state: &State) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; state.channels.len()];
    let mut name = |number: i32, name: String| {
        if let Some(slot) = usize::try_from(number - 1).ok().and_then(|at| names.get_mut(at)) {
            slot.get_or_insert(name);
        }
    };
    for (cell, &content) in program.globals.iter().zip(&state.globals) {
        if cell.kind == CellType::Channel {
            name(content, cell.name.clone());
        }
    }
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        for (cell, &content) in kind.cells.iter().zip(&process.cells) {
            if cell.kind == CellType::Channel {
                name(content, format!("{}({number}).{}", kind.name, cell.name));
            }
        }
    }
    let numbered =
        |(at, name): (usize, Option<String>)| name.unwrap_or_else(|| format!("channel {}", at + 1));
    names.into_iter().enumerate().map(numbered).collect()
}

/// The names and values of all variables of a state.
pub fn values(program: &Program, state: &State) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (cell, &content) in program.globals.iter().zip(&state.globals) {
        if cell.shown && cell.kind != CellType::Channel {
            found.push((cell.name.clone(), shown_value(program, cell.kind, content)));
        }
    }
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        for (cell, &content) in kind.cells.iter().zip(&process.cells) {
            if cell.shown && cell.kind != CellType::Channel {
                let own = format!("{}({number}).{}", kind.name, cell.name);
                found.push((own, shown_value(program, cell.kind, content)));
            }
        }
    }
    for (channel, name) in state.channels.iter().zip(channel_names(program, state)) {
        let kinds = &program.channels[channel.kind].fields;
        let message = |message: &Vec<i32>| {
            let fields: Vec<String> = message
                .iter()
                .zip(kinds)
                .map(|(&field, &kind)| shown_value(program, kind, field))
                .collect();
            fields.join(",")
        };
        let messages: Vec<String> = channel.messages.iter().map(message).collect();
        found.push((name, format!("[{}]", messages.join(" "))));
    }
    found
}

pub(crate) fn changes(program: &Program, before: &State, after: &State) -> Vec<(String, String)> {
    let old: std::collections::BTreeMap<String, String> = values(program, before).into_iter().collect();
    let quiet = |value: &str| value == "0" || value == "[]";
    values(program, after)
        .into_iter()
        .filter(|(name, value)| old.get(name).map_or(!quiet(value), |old| old != value))
        .collect()
}

/// The lines of one requirement.
pub fn requirement(program: &Program, answer: &RequirementReport<'_>, options: &TextOptions) -> String {
    let paint = Paint(options.colour);
    let outcome = answer.outcome;
    let mut details: Vec<String> = answer.requirement.name.iter().cloned().collect();
    details.push(answer.engine.to_owned());
    if outcome.states > 0 {
        details.push(match &outcome.reduction {
            Reduction::Refused(reason) => {
                format!("{} states, all orders of steps since {reason}", outcome.states)
            }
            Reduction::Used | Reduction::Off => format!("{} states", outcome.states),
        });
    }
    // Storage is worth a word where it is not the usual one.
    details.extend(outcome.storage.clone().filter(|storage| storage != "exact"));
    details.push(seconds(answer.seconds));
    let mut out = format!(
        "{} {}  {}\n",
        paint.verdict(answer.verdict()),
        one_line(&answer.requirement.text),
        paint.faint(&format!("[{}]", details.join(", ")))
    );
    if let Some(reason) = &outcome.reason {
        let _ = writeln!(out, "        {}", one_line(reason));
    }
    if let Some(internal) = answer.internal {
        let _ = writeln!(out, "        {}", internal.advice());
    }
    if let (Some(run), Some(replayed)) = (&outcome.run, answer.replayed) {
        steps(program, run, replayed, 0, options, &mut out);
        ending(program, run, replayed, &mut out);
    }
    out
}

/// A place as people read it; the file is named if it is not the main one.
pub(crate) fn place_text(program: &Program, (file, line): &(String, usize)) -> String {
    let main = program.sources.first().map_or("", |source| source.name());
    match file == main {
        true => format!("line {line}"),
        false => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
    }
}

/// The steps of a walk that is no answer to anything, with what is printed on the way.
pub fn walk(program: &Program, run: &Run, replayed: &Replayed, options: &TextOptions) -> String {
    walk_from(program, run, replayed, 0, options)
}

/// The same from a step on, counted from 0.
pub fn walk_from(
    program: &Program,
    run: &Run,
    replayed: &Replayed,
    from: usize,
    options: &TextOptions,
) -> String {
    let mut out = String::new();
    steps(program, run, replayed, from, options, &mut out);
    out
}

/// Where the processes are, one on a line.
pub fn whereabouts(program: &Program, state: &State) -> String {
    let mut out = String::new();
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        let origin = kind.locations[process.location.index()].origin;
        let (file, line) = program.line(origin);
        let place = place_text(program, &(file.to_owned(), line));
        let text = clipped(one_line(program.text(origin)), 60);
        let _ = writeln!(out, "  {}({number}) at {place}: {text}", kind.name);
    }
    out
}

/// What a step prints, indented by the process as SPIN does. What one process prints at a time goes on the same line.
pub fn printed(events: &[Event]) -> String {
    let mut out = String::new();
    let mut texts: Vec<(u8, String)> = Vec::new();
    for event in events {
        match event {
            Event::Timeout => out.push_str("      timeout\n"),
            Event::Printed { process, text } => match texts.last_mut() {
                Some((last, before)) if last == process => before.push_str(text),
                _ => texts.push((*process, text.clone())),
            },
            _ => {}
        }
    }
    for (process, text) in texts {
        for line in text.lines() {
            let _ = writeln!(out, "{:1$}{line}", "", 6 + 4 * usize::from(process));
        }
    }
    out
}

fn steps(
    program: &Program,
    run: &Run,
    replayed: &Replayed,
    from: usize,
    options: &TextOptions,
    out: &mut String,
) {
    let paint = Paint(options.colour);
    let shown = shown_steps(program, run, replayed);
    let place = |place: &(String, usize)| place_text(program, place);
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0).min(40);
    let process = width(&mut shown.iter().map(|step| step.process.chars().count()));
    let line = width(&mut shown.iter().map(|step| place(&step.place).chars().count()));
    let text = width(&mut shown.iter().map(|step| step.statement.chars().count()));
    if shown.is_empty() {
        let _ = writeln!(out, "    (in the initial state)");
    }
    for (position, step) in shown.iter().enumerate().skip(from) {
        // That time is out shows before the step, what is printed below it.
        let events: &[Event] = replayed.events.get(position).map_or(&[], |events| events);
        let time_is_out = events.first() == Some(&Event::Timeout);
        let (before, during) = events.split_at(usize::from(time_is_out));
        out.push_str(&printed(before));
        let mark = match run.loop_start {
            Some(start) if start == position => "┌ ",
            Some(start) if start < position => "│ ",
            _ => "  ",
        };
        let changes: Vec<String> = step
            .changes
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let row = format!(
            "  {mark}{:>4}  {:process$}  {:line$}  {:text$}  {}",
            position + 1,
            step.process,
            place(&step.place),
            step.statement,
            paint.faint(&changes.join(", ")),
        );
        let _ = writeln!(out, "{}", row.trim_end());
        if let Some((who, at, statement)) = &step.receiver {
            let rail = if run.loop_start.is_some_and(|start| start <= position) {
                "│ "
            } else {
                "  "
            };
            let _ = writeln!(
                out,
                "  {rail}      {:process$}  {:line$}  {statement}",
                who,
                place(at)
            );
        }
        out.push_str(&printed(during));
    }
}

/// How a run ends: in a loop, or with processes that are stuck.
fn ending(program: &Program, run: &Run, replayed: &Replayed, out: &mut String) {
    match run.loop_start {
        Some(start) if start == run.steps.len() => {
            let _ = writeln!(out, "  └─▶ nobody can move: this state is repeated for ever");
        }
        Some(start) => {
            let _ = writeln!(out, "  └─▶ back to before step {}, for ever", start + 1);
        }
        None => {
            if let (None, Some(last)) = (&replayed.fault, replayed.situations.last()) {
                out.push_str(&stuck(program, &last.state));
            }
        }
    }
}

/// The processes that are where none may stay.
pub fn stuck(program: &Program, state: &State) -> String {
    let mut out = String::new();
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        let location = &kind.locations[process.location.index()];
        if !location.is_end {
            let (file, line) = program.line(location.origin);
            let at = place_text(program, &(file.to_owned(), line));
            let text = one_line(program.text(location.origin));
            let text: String = text.chars().take(60).collect();
            let _ = writeln!(out, "        {}({number}) is stuck at {at}: {text}", kind.name);
        }
    }
    out
}

/// The last line: how many requirements hold, fail, are unknown.
pub fn summary(report: &ProgramReport<'_>) -> String {
    let verdicts: Vec<Verdict> = report
        .requirements
        .iter()
        .map(RequirementReport::verdict)
        .collect();
    summary_line(&verdicts, report.seconds)
}

/// The JSON document, on one line with a newline at its end.
pub fn json(report: &ProgramReport<'_>) -> String {
    let properties: Vec<Json> = report
        .requirements
        .iter()
        .map(|answer| property(report.program, answer))
        .collect();
    let document = json!({
        "entail": env!("CARGO_PKG_VERSION"),
        "model": report.name,
        "language": report.language,
        "properties": properties,
        "seconds": report.seconds,
        "peak_memory_bytes": report.peak_memory_bytes,
    });
    format!("{document}\n")
}

/// A document with the answer to one requirement and its evidence, for `entail certify`.
pub fn saved(report: &ProgramReport<'_>, answer: &RequirementReport<'_>) -> String {
    sealed(json!({
        "entail": env!("CARGO_PKG_VERSION"), "format": "entail-evidence", "model": report.name, "language": report.language,
        "digest": report.digest,
        "property": {
            "name": answer.requirement.name, "formula": answer.requirement.text, "logic": logic(answer.requirement),
        },
        "verdict": verdict_name(answer.verdict()), "guarantee": guarantee(answer.outcome), "engine": answer.engine,
        "fairness": if answer.outcome.fair { "weak" } else { "none" },
        "evidence": evidence(report.program, answer),
    }))
}

fn logic(requirement: &Requirement) -> &'static str {
    match requirement.question {
        entail_program::Question::Safety => "safety",
        entail_program::Question::Always(_) => "ltl",
        entail_program::Question::NeverClaim(_) => "never",
        entail_program::Question::NoAcceptanceCycle => "acceptance",
        entail_program::Question::Progress => "progress",
    }
}

/// How far a verdict goes.
fn guarantee(outcome: &Outcome) -> &'static str {
    match (outcome.coverage, outcome.bound) {
        (Some(_), _) => "partial",
        (None, Some(_)) => "bounded",
        (None, None) => "complete",
    }
}

fn property(program: &Program, answer: &RequirementReport<'_>) -> Json {
    let outcome = answer.outcome;
    json!({
        "name": answer.requirement.name,
        "formula": answer.requirement.text,
        "logic": logic(answer.requirement),
        "verdict": verdict_name(answer.verdict()),
        "guarantee": guarantee(outcome),
        "bound": outcome.bound,
        "engine": answer.engine,
        "seconds": answer.seconds,
        "evidence": evidence(program, answer),
        "reason": outcome.reason,
        "internal_error": answer.internal.map(InternalReport::json),
        "coverage": outcome.coverage,
        "statistics": {
            "states": outcome.states,
            "transitions": outcome.transitions,
            "depth": outcome.depth,
            "storage": outcome.storage,
            "state_bytes": outcome.bytes,
        },
        "reduction": match &outcome.reduction {
            Reduction::Off => json!({"used": false}),
            Reduction::Used => json!({"used": true}),
            Reduction::Refused(reason) => json!({"used": false, "reason": reason}),
        },
    })
}

fn evidence(program: &Program, answer: &RequirementReport<'_>) -> Json {
    match (&answer.outcome.run, answer.replayed, answer.outcome.holds) {
        (Some(run), Some(replayed), _) => {
            json!({
                "kind": "run",
                "checked": true,
                "trace": trace(program, run, replayed),
            })
        }
        (_, _, Some(true)) => {
            json!({"kind": "exhaustive", "checked": false, "states": answer.outcome.states})
        }
        _ => Json::Null,
    }
}

/// A run as JSON.
pub fn trace(program: &Program, run: &Run, replayed: &Replayed) -> Json {
    let initial = replayed
        .situations
        .first()
        .map(|situation| object(values(program, &situation.state)));
    let steps: Vec<Json> = shown_steps(program, run, replayed)
        .into_iter()
        .zip(&replayed.events)
        .map(|(step, events)| {
            let mut json = json!({
                "process": step.number,
                "edge": step.edge,
                "name": step.process,
                "file": step.place.0,
                "line": step.place.1,
                "statement": step.statement,
                "changes": object(step.changes),
            });
            if let Some((who, (file, line), statement)) = step.receiver {
                json["receiver"] = json!({"name": who, "file": file, "line": line, "statement": statement});
                if let Some((process, edge)) = step.meets {
                    json["receiver"]["process"] = process.into();
                    json["receiver"]["edge"] = edge.into();
                }
            }
            let printed: Vec<&str> = events
                .iter()
                .filter_map(|event| match event {
                    Event::Printed { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            if !printed.is_empty() {
                json["printed"] = printed.concat().into();
            }
            if events.contains(&Event::Timeout) {
                json["timeout"] = true.into();
            }
            json
        })
        .collect();
    json!({"loop_start": run.loop_start, "initial": initial, "steps": steps})
}

fn object(pairs: Vec<(String, String)>) -> Json {
    Json::Object(
        pairs
            .into_iter()
            .map(|(name, value)| (name, Json::String(value)))
            .collect::<Map<_, _>>(),
    )
}

/// A step that could be taken, on one line.
pub fn offered(program: &Program, state: &State, step: &Step) -> String {
    let (process, place, statement) = statement(program, state, step.process, step.edge);
    let mut line = format!("{process}  {}  {statement}", place_text(program, &place));
    if let Some((receiver, place, statement)) = receiver(program, state, step) {
        let _ = write!(
            line,
            "  →  {receiver}  {}  {statement}",
            place_text(program, &place)
        );
    }
    line
}
