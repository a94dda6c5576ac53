//! Saved evidence: one JSON document holds the answer to one property with its evidence, and enough about model and property that it
//! can be shown without the model.
//!
//! ```json
//! {"entail": "0.1.0", "format": "entail-evidence", "model": "mutex.smv", "language": "smv",
//!  "property": {"name": "live", "formula": "G (p1 = trying -> F p1 = critical)", "logic": "ltl"},
//!  "verdict": "fails", "guarantee": "complete", "engine": "explicit", "dead_ends": "infinite", "value": null,
//!  "evidence": {"kind": "lasso", "checked": true, "trace": {"loop_start": 2, "inputs": ["go"], "steps": [{"p1": "idle", "go": true}, …]}}}
//! ```
//!
//! Keys are only ever added; readers ignore keys they do not know. Reading checks the shape only. Two shapes of traces are known: a list of
//! states (`"steps"` are objects of values, `"inputs"` names those that belong to the step from a state), and a run from an initial state
//! (`"initial"`, and `"steps"` with who moved, where, how, and what changed). Kinds of systems whose evidence has another form have what is shown
//! of it beside it (`"timeline"`), for readers only.

use entail_answer::Verdict;
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Partner, SourcePlace, Timeline};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// Adds what is shown to a document, if there is no trace in it of a form that [`read`] knows: then it can be viewed, too.
pub fn add_timeline(document: &mut Json, timeline: Option<&Timeline>) {
    let places = [
        &document["trace"],
        &document["evidence"]["trace"],
        &document["evidence"]["tree"],
    ];
    if places.iter().all(|place| place.is_null())
        && let (Some(timeline), Json::Object(map)) = (timeline, document)
    {
        map.insert("timeline".into(), json!(timeline));
    }
}

/// A saved answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// The model's file name.
    pub model: String,
    /// The model's language, if it is said.
    pub language: Option<String>,
    /// The property's name.
    pub name: Option<String>,
    /// The property as its author wrote it.
    pub formula: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The whole document.
    pub document: Json,
    timeline: Option<Timeline>,
}

impl Saved {
    /// The trace of the evidence: the whole of it, or the first path of a tree.
    pub fn timeline(&self) -> Option<Timeline> {
        self.timeline.clone()
    }

    /// The kind of the evidence.
    pub fn kind(&self) -> &str {
        self.document["evidence"]["kind"].as_str().unwrap_or("")
    }
}

/// Reads a saved answer, or a saved walk: a document with a trace and no property. An error says what is wrong and where.
pub fn read(text: &str) -> Result<Saved, String> {
    let document: Json = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        let (line, column) = (error.line(), error.column());
        format!("not a JSON document: {message} at line {line}, column {column}")
    })?;
    saved(document).map_err(|problem| format!("not saved evidence: {problem}"))
}

fn saved(document: Json) -> Result<Saved, String> {
    let root = object(&document, "")?;
    if root
        .get("format")
        .is_some_and(|format| format.as_str() != Some("entail-evidence"))
    {
        return Err("at `format`: expected \"entail-evidence\"".into());
    }
    let model = text_of(root, "", "model")?;
    let optional = |map: &Map<String, Json>, key: &str| map.get(key).and_then(Json::as_str).map(String::from);
    let language = optional(root, "language");
    let own = match root.get("timeline") {
        Some(timeline) => Some(whole(timeline)?),
        None => None,
    };
    let (trace, place) = match root.get("evidence") {
        _ if own.is_some() => (None, ""),
        None => (Some(field(root, "", "trace")?), "trace"),
        Some(evidence) => {
            text_of(object(evidence, "evidence")?, "evidence", "kind")?;
            match (evidence.get("trace"), evidence.get("tree")) {
                (Some(trace), _) => (Some(trace), "evidence.trace"),
                (None, Some(tree)) => (first_trace(tree), "evidence.tree"),
                (None, None) => (None, ""),
            }
        }
    };
    let read = trace.map(|trace| timeline(trace, place, &model)).transpose()?;
    let timeline = own.or(read);
    let (name, formula, verdict) = match root.get("property") {
        None if root.get("evidence").is_none() => (None, "(a walk)".to_owned(), Verdict::Unknown),
        None => return Err("at `property`: this is missing".into()),
        Some(property) => {
            let property = object(property, "property")?;
            let verdict = Verdict::named(&text_of(root, "", "verdict")?);
            (
                optional(property, "name"),
                text_of(property, "property", "formula")?,
                verdict.ok_or("at `verdict`: expected holds, fails or unknown")?,
            )
        }
    };
    Ok(Saved {
        model,
        language,
        name,
        formula,
        verdict,
        timeline,
        document,
    })
}

/// The first path of a tree, from its root on.
fn first_trace(tree: &Json) -> Option<&Json> {
    if let Some(trace) = tree.get("trace") {
        return Some(trace);
    }
    let operands = tree.get("operands").and_then(Json::as_array);
    operands.into_iter().flatten().find_map(first_trace)
}

/// The timeline of a trace that stands at a place of a document.
/// A timeline as it is: the trace of a kind of system that has a form of its own for it.
fn whole(json: &Json) -> Result<Timeline, String> {
    let wrong = |what: &str| format!("at `timeline`: {what}");
    let timeline: Timeline =
        serde_json::from_value(json.clone()).map_err(|error| wrong(&error.to_string()))?;
    let is_ascending = |column: &Column| column.changes().map(|(at, _)| at).is_sorted_by(|a, b| a < b);
    if !timeline.columns.iter().all(is_ascending) {
        return Err(wrong("the changes of a column are not in order"));
    }
    let changes = timeline.columns.iter().flat_map(Column::changes);
    let told = changes.map(|(at, _)| at.saturating_add(1)).max().unwrap_or(0);
    if timeline.positions > told.max(timeline.moves.len() + 1) {
        return Err(wrong("there are positions of which nothing is said"));
    }
    if timeline
        .loop_start
        .is_some_and(|start| start > timeline.positions)
    {
        return Err(wrong("the loop starts outside of it"));
    }
    Ok(timeline)
}

fn timeline(trace: &Json, place: &str, model: &str) -> Result<Timeline, String> {
    let map = object(trace, place)?;
    let steps_place = join(place, "steps");
    let steps = list(field(map, place, "steps")?, &steps_place)?;
    let step = |(at, json)| object(json, &format!("{steps_place}[{at}]"));
    let steps: Vec<&Map<String, Json>> = steps.iter().enumerate().map(step).collect::<Result<_, _>>()?;
    let loop_place = join(place, "loop_start");
    let loop_start = match map.get("loop_start") {
        None | Some(Json::Null) => None,
        Some(json) => {
            let number = json.as_u64().and_then(|number| usize::try_from(number).ok());
            Some(number.ok_or_else(|| format!("at `{loop_place}`: expected a natural number"))?)
        }
    };
    let outside = || {
        format!(
            "at `{loop_place}`: the loop starts outside the {} steps",
            steps.len()
        )
    };
    match map.get("initial") {
        Some(initial) if !initial.is_null() => {
            if loop_start.is_some_and(|start| start > steps.len()) {
                return Err(outside());
            }
            let initial = object(initial, &join(place, "initial"))?;
            run(initial, &steps, loop_start, model)
        }
        _ => {
            if steps.is_empty() {
                return Err(format!("at `{steps_place}`: a trace has at least one step"));
            }
            if loop_start.is_some_and(|start| start >= steps.len()) {
                return Err(outside());
            }
            let inputs = map.get("inputs").and_then(Json::as_array);
            let inputs: Vec<&str> = inputs.into_iter().flatten().filter_map(Json::as_str).collect();
            Ok(states(&steps, &inputs, loop_start))
        }
    }
}

/// Columns in the order in which their names first occur.
#[derive(Default)]
struct Columns {
    list: Vec<Values>,
    known: FxHashMap<String, usize>,
}

/// What a document says about a name: positions in ascending order, nothing where there is no value.
struct Values {
    name: String,
    at: Vec<(usize, Option<Json>)>,
}

impl Columns {
    fn record(&mut self, name: &str, position: usize, value: &Json) {
        let number = *self.known.entry(name.to_owned()).or_insert_with(|| {
            self.list.push(Values {
                name: name.to_owned(),
                at: Vec::new(),
            });
            self.list.len() - 1
        });
        self.list[number].at.push((position, Some(value.clone())));
    }

    /// What nothing was said about has no value at this position.
    fn close(&mut self, position: usize) {
        for values in &mut self.list {
            if values.at.last().map(|(at, _)| *at) != Some(position) {
                values.at.push((position, None));
            }
        }
    }

    /// The columns, with the kind that all their values have.
    fn finish(self) -> Vec<Column> {
        let column = |values: Values| {
            let cells: Vec<&Json> = values.at.iter().filter_map(|(_, json)| json.as_ref()).collect();
            let mut column = Column::new(values.name, ColumnRole::State, kind_of(&cells));
            for (position, json) in &values.at {
                column.record(*position, json.as_ref().map(cell));
            }
            column
        };
        self.list.into_iter().map(column).collect()
    }
}

fn kind_of(cells: &[&Json]) -> ColumnKind {
    let width = |json: &Json| word(json.as_str()?).map(|bits| bits.len() as u32);
    let is_integer =
        |json: &&Json| json.is_i64() || json.as_str().is_some_and(|text| text.parse::<i64>().is_ok());
    if cells.iter().all(|json| json.is_boolean()) {
        return ColumnKind::Boolean;
    }
    if cells.iter().all(is_integer) {
        return ColumnKind::Integer;
    }
    match cells.first().and_then(|json| width(json)) {
        Some(first) if cells.iter().all(|json| width(json) == Some(first)) => ColumnKind::Word(first),
        _ => ColumnKind::Text,
    }
}

fn cell(json: &Json) -> Cell {
    let text = value_text(json);
    let bits = json.as_str().and_then(word).map(Arc::from);
    Cell {
        text: Arc::from(text),
        bits,
    }
}

/// The bits of a word as SMV prints it (`0ud8_5`, `-0sd4_3`), up to 128 of them.
fn word(text: &str) -> Option<String> {
    let (head, digits) = text.split_once('_')?;
    let (negative, head) = match head.strip_prefix('-') {
        Some(head) => (true, head),
        None => (false, head),
    };
    let width = head.strip_prefix("0ud").or_else(|| head.strip_prefix("0sd"))?;
    let width: u32 = width.parse().ok().filter(|width| (1..=128).contains(width))?;
    let size: u128 = digits.parse().ok()?;
    let number = if negative { size.wrapping_neg() } else { size };
    let bit = |at: u32| if number >> at & 1 == 1 { '1' } else { '0' };
    Some((0..width).rev().map(bit).collect())
}

/// A saved value as the model's language prints it.
fn value_text(json: &Json) -> String {
    match json {
        Json::Bool(true) => "TRUE".into(),
        Json::Bool(false) => "FALSE".into(),
        Json::String(text) => text.clone(),
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(value_text).collect();
            format!("[{}]", elements.join(", "))
        }
        other => other.to_string(),
    }
}

/// A list of states.
fn states(steps: &[&Map<String, Json>], inputs: &[&str], loop_start: Option<usize>) -> Timeline {
    let mut columns = Columns::default();
    for (position, step) in steps.iter().enumerate() {
        for (name, value) in step.iter() {
            columns.record(name, position, value);
        }
        columns.close(position);
    }
    let mut columns = columns.finish();
    for column in &mut columns {
        if inputs.contains(&column.name.as_str()) {
            column.role = ColumnRole::Input;
        }
    }
    Timeline {
        columns,
        positions: steps.len(),
        loop_start,
        ..Timeline::default()
    }
}

/// A run from an initial state.
fn run(
    initial: &Map<String, Json>,
    steps: &[&Map<String, Json>],
    loop_start: Option<usize>,
    model: &str,
) -> Result<Timeline, String> {
    // The state in which a loop closes is the one it began with.
    let positions = match loop_start {
        Some(start) if start < steps.len() => steps.len(),
        _ => steps.len() + 1,
    };
    let mut columns = Columns::default();
    for (name, value) in initial {
        columns.record(name, 0, value);
    }
    for (before, step) in steps
        .iter()
        .enumerate()
        .filter(|(before, _)| before + 1 < positions)
    {
        let changes = step.get("changes").and_then(Json::as_object);
        for (name, value) in changes.into_iter().flatten() {
            columns.record(name, before + 1, value);
        }
    }
    Ok(Timeline {
        columns: columns.finish(),
        positions,
        loop_start: loop_start.map(|start| if start < steps.len() { start } else { positions }),
        moves: steps.iter().map(|step| saved_move(step, model)).collect(),
        ..Timeline::default()
    })
}

fn saved_move(step: &Map<String, Json>, model: &str) -> Move {
    let text =
        |map: &Map<String, Json>, key: &str| map.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
    let place = |map: &Map<String, Json>| {
        let line = map.get("line").and_then(Json::as_u64)?;
        let file = text(map, "file");
        Some(SourcePlace {
            file: (!file.is_empty() && file != model).then_some(file),
            line: usize::try_from(line).ok()?,
        })
    };
    let process = step.get("process").and_then(Json::as_u64).unwrap_or(0);
    let indent = " ".repeat(6 + 4 * process.min(20) as usize);
    let printed = text(step, "printed");
    let timeout = step.get("timeout").and_then(Json::as_bool) == Some(true);
    let partner = step.get("receiver").and_then(Json::as_object);
    Move {
        lane: text(step, "name"),
        place: place(step),
        text: text(step, "statement"),
        partner: partner.map(|partner| Partner {
            lane: text(partner, "name"),
            place: place(partner),
            text: text(partner, "statement"),
        }),
        remarks: timeout.then(|| "timeout".to_owned()).into_iter().collect(),
        printed: printed.lines().map(|line| format!("{indent}{line}")).collect(),
    }
}

fn join(place: &str, key: &str) -> String {
    match place.is_empty() {
        true => key.to_owned(),
        false => format!("{place}.{key}"),
    }
}

fn object<'a>(json: &'a Json, place: &str) -> Result<&'a Map<String, Json>, String> {
    json.as_object()
        .ok_or_else(|| format!("at `{place}`: expected an object"))
}

fn list<'a>(json: &'a Json, place: &str) -> Result<&'a Vec<Json>, String> {
    json.as_array()
        .ok_or_else(|| format!("at `{place}`: expected a list"))
}

fn field<'a>(map: &'a Map<String, Json>, place: &str, key: &str) -> Result<&'a Json, String> {
    map.get(key)
        .ok_or_else(|| format!("at `{}`: this is missing", join(place, key)))
}

fn text_of(map: &Map<String, Json>, place: &str, key: &str) -> Result<String, String> {
    let text = field(map, place, key)?.as_str().map(String::from);
    text.ok_or_else(|| format!("at `{}`: expected a string", join(place, key)))
}
