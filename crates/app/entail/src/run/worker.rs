//! The child's side of a race: one engine, asked line by line.
//!
//! | line in | meaning |
//! |---|---|
//! | an [`Assignment`] as JSON, first | the model, the engine, the options |
//! | `check N [MILLISECONDS]` | decide the property at position `N` |
//! | `cancel` | stop working on it, and say what is known |
//!
//! For every `check` one line comes out: the answer as saved evidence is, `error` where the model has no meaning, or `internal` where the
//! engine panicked. Before it, now and then, lines with the engine's counters alone come out, so that who waits can tell how far each
//! engine has come. When the input ends, so
//! does the worker, whatever it is doing. Evidence is not checked here: who asked does that.

use super::attempt::panic_text;
use crate::saved::{self, options_from_json, options_to_json};
use crate::{Loaded, Origin, Table};
use entail_budget::{Budget, Cancellation, Progress, Snapshot};
use entail_family::{Command, Model, ModelError, Options};
use entail_logic::Logic;
use entail_source::Span;
use serde_json::{Map, Value as Json, json};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// What a worker is to work on.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The model.
    pub origin: Origin,
    /// The options the model was loaded with.
    pub options: Options,
    /// The properties that were added, in order, with the logic where that was given.
    pub added: Vec<(String, Option<Logic>)>,
    /// Bytes of resident memory.
    pub memory: Option<u64>,
    /// The same where the user asked for no limit.
    pub default_memory: Option<u64>,
}

impl Assignment {
    /// The first line for a worker with an engine.
    pub(super) fn for_engine(&self, engine: &str) -> Json {
        let added: Vec<Json> = (self.added.iter())
            .map(|(text, logic)| json!({"formula": text, "logic": logic.map(Logic::name)}))
            .collect();
        json!({
            "model": self.origin.path, "language": self.origin.language, "text": self.origin.text,
            "options": options_to_json(&self.options), "added": added, "memory": self.memory,
            "default_memory": self.default_memory, "engine": engine,
        })
    }

    /// Reads a first line: the assignment, and the engine's name.
    fn read(line: &str) -> Option<(Assignment, String)> {
        let json: Json = serde_json::from_str(line).ok()?;
        let text = |key: &str| json[key].as_str().map(String::from);
        let added = json["added"].as_array()?.iter().map(|one| {
            let logic = one["logic"].as_str().and_then(Logic::named);
            Some((one["formula"].as_str()?.to_owned(), logic))
        });
        let assignment = Assignment {
            origin: Origin {
                path: PathBuf::from(text("model")?),
                language: text("language"),
                text: text("text"),
            },
            options: options_from_json(&json["options"]),
            added: added.collect::<Option<_>>()?,
            memory: json["memory"].as_u64(),
            default_memory: json["default_memory"].as_u64(),
        };
        Some((assignment, text("engine")?))
    }

    fn budget(&self) -> Budget {
        Budget::unlimited()
            .with_memory(self.memory)
            .with_default_memory(self.default_memory)
    }

    /// Reads the model.
    fn load(&self, table: Table) -> Result<Loaded, String> {
        let budget = self.budget();
        let mut loaded = table
            .load(&self.origin, Command::Check, &self.options, &budget)
            .map_err(|error| error.to_string())?;
        for (text, logic) in &self.added {
            (loaded.model.add_property(text, *logic)).map_err(|error| error.to_string())?;
        }
        Ok(loaded)
    }
}

/// A question that came in.
struct Task {
    position: usize,
    limit: Option<Duration>,
    cancellation: Cancellation,
}

/// Serves an engine until the input ends; then `at_end` is called, on another thread than the one that may still be working. The error says
/// why the work could not be begun.
pub fn serve(
    table: Table,
    mut input: impl BufRead + Send + 'static,
    mut output: impl Write + Send,
    at_end: impl FnOnce() + Send + 'static,
) -> Result<(), String> {
    let mut first = String::new();
    input.read_line(&mut first).map_err(|error| error.to_string())?;
    let (assignment, engine) = Assignment::read(&first).ok_or("the first line is no assignment")?;
    let (send, tasks) = mpsc::channel::<Task>();
    std::thread::spawn(move || {
        listen(input, &send);
        at_end();
    });
    let loaded = assignment.load(table)?;
    work(&*loaded.model, &engine, &assignment, tasks, &mut output)
}

/// Passes questions on until the input ends.
fn listen(input: impl BufRead, send: &Sender<Task>) {
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
}

/// Answers questions.
fn work(
    model: &dyn Model,
    engine: &str,
    assignment: &Assignment,
    tasks: Receiver<Task>,
    output: &mut (impl Write + Send),
) -> Result<(), String> {
    let options = &assignment.options;
    let mut session = model.open(options, true).map_err(|usage| usage.to_string())?;
    let checker = model.checker(options).map_err(|usage| usage.to_string())?;
    for task in tasks {
        if task.position >= model.properties().len() {
            continue;
        }
        let budget = (assignment.budget())
            .with_timeout(task.limit)
            .with_cancellation(task.cancellation);
        let asked = telling(output, |latest| {
            catch_unwind(AssertUnwindSafe(|| {
                session.check(engine, task.position, &budget, latest)
            }))
        });
        let document = match asked {
            Ok(Ok(answer)) => saved::document(model, options, task.position, engine, &answer, &*checker),
            Ok(Err(error)) => error_to_json(&error),
            Err(panic) => {
                // What a session that panicked left behind is not even to be cleared up.
                let fresh = model.open(options, true).map_err(|usage| usage.to_string())?;
                std::mem::forget(std::mem::replace(&mut session, fresh));
                json!({"internal": panic_text(&*panic)})
            }
        };
        if writeln!(output, "{document}")
            .and_then(|()| output.flush())
            .is_err()
        {
            break;
        }
    }
    Ok(())
}

/// The key of a line with counters.
const PROGRESS: &str = "progress";

/// The time between lines with counters.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// What the engine reported last, and whether that has been told.
#[derive(Default)]
struct Latest(Mutex<(Snapshot, bool)>);

impl Latest {
    /// A line with the counters, if they are news.
    fn line(&self) -> Option<String> {
        let mut latest = self.0.lock().ok()?;
        let (snapshot, is_news) = *latest;
        latest.1 = false;
        let counters: Map<String, Json> = snapshot
            .counters()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        is_news.then(|| json!({ PROGRESS: counters }).to_string())
    }
}

impl Progress for Latest {
    fn report(&self, snapshot: &Snapshot) {
        if let Ok(mut latest) = self.0.lock() {
            *latest = (*snapshot, true);
        }
    }
}

/// Does some work, and writes meanwhile, now and then, how far it has come. The last counters before a long silence are written too, which
/// is why a clock decides and not the engine.
fn telling<T>(output: &mut (impl Write + Send), work: impl FnOnce(&Latest) -> T) -> T {
    let latest = Latest::default();
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let latest = &latest;
        scope.spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(TELL_EVERY) {
                let Some(line) = latest.line() else { continue };
                if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
                    break;
                }
            }
        });
        let result = work(latest);
        drop(done);
        result
    })
}

/// How far a worker has come, for people: `depth 12, nodes 3000`. Nothing if the line is something else, and nothing to be said if it has no
/// counters.
pub(super) fn progress_from_line(line: &str) -> Option<String> {
    // Answers may be long: they are not read twice.
    if !line.starts_with(&format!("{{\"{PROGRESS}\":")) {
        return None;
    }
    let document: Json = serde_json::from_str(line).ok()?;
    let counter = |name: &str| Some(format!("{name} {}", document[PROGRESS].get(name)?.as_u64()?));
    let counters: Vec<String> = ["depth", "states", "frontier", "nodes"]
        .into_iter()
        .filter_map(counter)
        .collect();
    Some(counters.join(", "))
}

fn error_to_json(error: &ModelError) -> Json {
    json!({"error": {
        "message": error.message,
        "place": error.place.map(|place| [place.start, place.end]),
        "help": error.help,
        "timeline": error.timeline,
    }})
}

/// An error of the model that a worker reported, if the line is one.
pub(super) fn error_from_json(document: &Json) -> Option<ModelError> {
    let error = document.get("error")?;
    let text = |key: &str| error[key].as_str().map(String::from);
    let number = |json: &Json| json.as_u64().and_then(|number| usize::try_from(number).ok());
    let place = number(&error["place"][0]).zip(number(&error["place"][1]));
    Some(ModelError {
        message: text("message")?,
        place: place.map(|(start, end)| Span::new(start, end)),
        timeline: serde_json::from_value(error["timeline"].clone()).ok(),
        help: text("help"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_cross_the_border_and_answers_are_not_taken_for_them() {
        let mut written = Vec::new();
        telling(&mut written, |latest| {
            latest.report(&Snapshot {
                phase: "frames",
                depth: Some(12),
                nodes: Some(3000),
                ..Snapshot::default()
            });
            // Silence long enough for lines: only news is written.
            std::thread::sleep(TELL_EVERY * 3);
        });
        let text = String::from_utf8(written).expect("JSON is text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert_eq!(
            progress_from_line(lines[0]).as_deref(),
            Some("depth 12, nodes 3000")
        );
        assert_eq!(progress_from_line(r#"{"verdict":"holds"}"#), None);
    }
}
