//! The child's side of a race: one engine, asked line by line.
//!
//! | line in | meaning |
//! |---|---|
//! | `check N [MILLISECONDS]` | decide the property at position `N` |
//! | `cancel` | stop working on it, and say what is known |
//!
//! For every `check` one line comes out: the answer as saved evidence is ([`entail_evidence::json`]), with `position`, or with `error` where
//! the model has no meaning, or with `internal` where the engine panicked. When the input ends, so does the worker, whatever it is doing. Evidence is not checked here: who asked does that.

use crate::Model;
use crate::check::Request;
use crate::choose::{EngineSettings, engines_with};
use crate::internal::caught;
use crate::sessions::{Sessions, Subject};
use crate::slice::Slices;
use entail_budget::{Cancellation, Silent};
use entail_evidence::{ModelError, json};
use entail_inductive::WhenLarge;
use entail_model::TransitionSystem;
use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::time::Duration;

/// A question that came in.
struct Task {
    position: usize,
    limit: Option<Duration>,
    cancellation: Cancellation,
}

/// Serves an engine until the input ends; then `at_end` is called, on another thread than the one that may still be working.
pub fn serve(
    model: &Model,
    engine: &str,
    request: &Request,
    input: impl BufRead + Send + 'static,
    mut output: impl Write,
    at_end: impl FnOnce() + Send + 'static,
) {
    let (send, tasks) = mpsc::channel::<Task>();
    std::thread::spawn(move || {
        let mut latest: Option<Cancellation> = None;
        for line in input.lines() {
            let Ok(line) = line else { break };
            let mut words = line.split_ascii_whitespace();
            match (words.next(), words.next().and_then(|word| word.parse().ok())) {
                (Some("check"), Some(position)) => {
                    let cancellation = Cancellation::default();
                    latest = Some(cancellation.clone());
                    let limit = words.next().and_then(|word| word.parse().ok());
                    let task = Task {
                        position,
                        limit: limit.map(Duration::from_millis),
                        cancellation,
                    };
                    if send.send(task).is_err() {
                        break;
                    }
                }
                (Some("cancel"), _) => {
                    if let Some(cancellation) = &latest {
                        cancellation.cancel();
                    }
                }
                _ => {}
            }
        }
        at_end();
    });
    let settings = EngineSettings {
        when_large: WhenLarge::GiveUp,
        ..request.settings.clone()
    };
    let engines = engines_with(&settings);
    let subject = Subject::new(model.system());
    let slices = Slices::new(&subject, model.properties(), request);
    let mut sessions = Sessions::new(&engines, &subject, &slices, &request.options);
    for task in tasks {
        let Some(property) = model.properties().get(task.position) else {
            continue;
        };
        let budget = request.budget(task.limit).with_cancellation(task.cancellation);
        let asked = caught(|| sessions.ask(engine, (task.position, property), &budget, &Silent));
        let mut document = match asked {
            Err(message) => {
                sessions.abandon(engine);
                json!({"internal": message})
            }
            Ok(Ok(outcome)) => json::document(
                model.system(),
                (model.source().name(), model.language().name()),
                property,
                &outcome,
                request.options.dead_ends,
                engine,
            ),
            Ok(Err(error)) => error_to_json(model.system(), &error),
        };
        document["position"] = task.position.into();
        if writeln!(output, "{document}")
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}

fn error_to_json(system: &TransitionSystem, error: &ModelError) -> Json {
    json!({"error": {
        "message": error.message,
        "place": error.place.map(|(start, end)| vec![start, end]),
        "help": error.help,
        "trace": error.trace.as_ref().map(|trace| json::trace_to_json(system, trace)),
    }})
}

/// An error of the model that a worker reported, if the line is one.
pub(crate) fn error_from_json(system: &TransitionSystem, document: &Json) -> Option<ModelError> {
    let error = document.get("error")?;
    let text = |key: &str| error[key].as_str().map(String::from);
    let number = |json: &Json| json.as_u64().map(|number| number as usize);
    let trace = &error["trace"];
    Some(ModelError {
        message: text("message")?,
        place: number(&error["place"][0]).zip(number(&error["place"][1])),
        trace: json::trace_from_json(system, trace).ok(),
        help: text("help"),
    })
}
