//! Runs as JSON: the steps, which are all that a reader needs to repeat the run, and beside them what they mean for people.

use crate::show::steps::{ShownStep, shown_steps};
use crate::show::values::values;
use entail_program::{Event, Program, Replayed, Run, Step};
use serde_json::{Map, Value as Json, json};

/// The steps alone, of a run that cannot be repeated.
pub fn bare(run: &Run) -> Json {
    let steps: Vec<Json> = run.steps.iter().map(bare_step).collect();
    json!({"loop_start": run.loop_start, "steps": steps})
}

/// A run with names, places, statements and changes.
pub fn described(program: &Program, run: &Run, replayed: &Replayed) -> Json {
    let initial = replayed.situations.first().map(|situation| {
        let values = values(program, &situation.state);
        object(values.into_iter().map(|value| (value.name, value.text)))
    });
    let shown = shown_steps(program, run, replayed).into_iter();
    let steps: Vec<Json> = (shown.zip(&run.steps).zip(&replayed.events))
        .map(|((shown, step), events)| described_step(shown, step, events))
        .collect();
    json!({"loop_start": run.loop_start, "initial": initial, "steps": steps})
}

fn described_step(shown: ShownStep, step: &Step, events: &[Event]) -> Json {
    let mut json = json!({
        "process": step.process,
        "edge": step.edge,
        "name": shown.party.name,
        "file": shown.party.file,
        "line": shown.party.line,
        "statement": shown.party.statement,
        "changes": object(shown.changes.into_iter()),
    });
    if let (Some(partner), Some((process, edge))) = (shown.partner, step.receiver) {
        json["receiver"] = json!({
            "name": partner.name, "file": partner.file, "line": partner.line, "statement": partner.statement,
            "process": process, "edge": edge,
        });
    }
    let printed: Vec<&str> = (events.iter())
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
}

fn bare_step(step: &Step) -> Json {
    let mut json = json!({"process": step.process, "edge": step.edge});
    if let Some((process, edge)) = step.receiver {
        json["receiver"] = json!({"process": process, "edge": edge});
    }
    json
}

fn object(pairs: impl Iterator<Item = (String, String)>) -> Json {
    Json::Object(
        pairs
            .map(|(name, value)| (name, Json::String(value)))
            .collect::<Map<_, _>>(),
    )
}

/// Where what a document shows of a run, beside its steps, is not what the run does, which is given as [`described`] gives it. Files may have
/// been moved, and keys be added.
pub fn difference(saved: &Json, real: &Json) -> Option<String> {
    let differs = |saved: &Json, real: &Json, place: &str| {
        let keys = real.as_object().into_iter().flatten();
        keys.filter(|(key, _)| !["file", "receiver", "steps"].contains(&key.as_str()))
            .find(|(key, value)| saved[key.as_str()] != **value)
            .map(|(key, value)| format!("{place} says {key}: {}; it is {value}", saved[key.as_str()]))
    };
    let steps = |trace: &Json| trace["steps"].as_array().cloned().unwrap_or_default();
    differs(saved, real, "the run").or_else(|| {
        let mut pairs = steps(saved).into_iter().zip(steps(real)).enumerate();
        pairs.find_map(|(position, (saved, real))| {
            let place = format!("step {}", position + 1);
            differs(&saved, &real, &place).or_else(|| {
                let receiver = format!("the receiver of {place}");
                differs(&saved["receiver"], &real["receiver"], &receiver)
            })
        })
    })
}

/// Reads the steps of a saved run.
pub fn read(trace: &Json) -> Result<Run, String> {
    let mut run = Run::default();
    for step in trace["steps"].as_array().ok_or("the run has no steps")? {
        let receiver = &step["receiver"];
        run.steps.push(Step {
            process: small(&step["process"], "a process")?,
            edge: edge(&step["edge"])?,
            receiver: match receiver.is_null() {
                true => None,
                false => Some((
                    small(&receiver["process"], "a receiver")?,
                    edge(&receiver["edge"])?,
                )),
            },
        });
    }
    run.loop_start = match &trace["loop_start"] {
        Json::Null => None,
        value => {
            let start = value.as_u64().and_then(|start| usize::try_from(start).ok());
            let start = start.filter(|&start| start <= run.steps.len());
            Some(start.ok_or("the loop begins outside of the run")?)
        }
    };
    Ok(run)
}

fn number(value: &Json, what: &str) -> Result<u64, String> {
    value
        .as_u64()
        .ok_or_else(|| format!("the run has a step without {what}"))
}

fn small(value: &Json, what: &str) -> Result<u8, String> {
    u8::try_from(number(value, what)?).map_err(|_| format!("{what} is too large"))
}

fn edge(value: &Json) -> Result<u16, String> {
    u16::try_from(number(value, "an edge")?).map_err(|_| "an edge is too large".to_owned())
}
