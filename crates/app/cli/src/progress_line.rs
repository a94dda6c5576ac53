//! Progress on standard error: which property, which engine, how far it has come.
//!
//! On a terminal it is a line that is rewritten in place, at most ten times a second. Elsewhere (a log file, a CI system) it is a plain line now
//! and then: after ten seconds, and whenever the time has doubled, at the latest every five minutes. Short runs print nothing.

use crate::terminal::note;
use entail_budget::{Progress, Snapshot, resident_memory_bytes};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often the line on a terminal is drawn.
const REDRAW: Duration = Duration::from_millis(100);
/// When the first plain line is printed.
const FIRST: Duration = Duration::from_secs(10);
/// The longest time between plain lines.
const LONGEST: Duration = Duration::from_secs(300);
/// Properties are cut to so many letters.
const MOST_LETTERS: usize = 60;

/// Tells people what is going on.
pub struct ProgressLine {
    /// Progress is shown.
    wanted: bool,
    /// The line of a terminal.
    bar: Option<ProgressBar>,
    /// What properties are called, by position.
    names: Vec<String>,
    state: Mutex<State>,
}

struct State {
    /// When the work on the property began.
    begun: Instant,
    shown: Option<Instant>,
    /// The time from the beginning to the next plain line.
    next: Duration,
    property: Option<usize>,
    engines: String,
}

impl State {
    fn new() -> State {
        State {
            begun: Instant::now(),
            shown: None,
            next: FIRST,
            property: None,
            engines: String::new(),
        }
    }
}

impl ProgressLine {
    /// Progress about properties of these names, if it is `wanted`.
    pub fn new(wanted: bool, names: impl Iterator<Item = String>) -> ProgressLine {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        ProgressLine {
            wanted,
            bar,
            names: names.map(|name| shortened(&name)).collect(),
            state: Mutex::new(State::new()),
        }
    }

    /// Takes the line away before something else is printed.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
            bar.finish_and_clear();
        }
        if let Ok(mut state) = self.state.lock() {
            *state = State::new();
        }
    }

    /// What is said of the work now.
    fn message(&self, state: &State, snapshot: &Snapshot) -> String {
        let mut message = String::new();
        if let Some(name) = state.property.and_then(|property| self.names.get(property)) {
            message += &format!("{name}: ");
        }
        if !state.engines.is_empty() {
            message += &format!("{}: ", state.engines);
        }
        message += &snapshot.to_string();
        let seconds = state.begun.elapsed().as_secs_f64();
        if let Some(states) = snapshot.states
            && seconds > 0.0
        {
            message += &format!(", {:.0} states/s", states as f64 / seconds);
        }
        if let Some(bytes) = resident_memory_bytes() {
            message += &format!(", {} MiB", bytes >> 20);
        }
        message
    }
}

/// A name on one line, not too long.
fn shortened(name: &str) -> String {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

impl Progress for ProgressLine {
    fn report(&self, snapshot: &Snapshot) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        let Some(bar) = &self.bar else {
            let passed = state.begun.elapsed();
            if self.wanted && passed >= state.next {
                state.next = passed + passed.min(LONGEST);
                note!(
                    "entail: {}, {} s so far",
                    self.message(&state, snapshot),
                    passed.as_secs()
                );
            }
            return;
        };
        if state.shown.is_some_and(|shown| shown.elapsed() < REDRAW) {
            return;
        }
        state.shown = Some(Instant::now());
        bar.set_message(self.message(&state, snapshot));
        bar.tick();
    }

    fn begin(&self, property: usize, engines: &str) {
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        if state.property != Some(property) {
            *state = State::new();
            state.property = Some(property);
        }
        if state.engines != engines {
            state.engines = engines.to_owned();
        }
    }

    fn warn(&self, text: &str) {
        let say = || note!("entail: {text}");
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_property_engine_and_depth() {
        let line = ProgressLine::new(false, ["first".to_owned(), "G\n  p".to_owned()].into_iter());
        line.begin(1, "bmc");
        let snapshot = Snapshot {
            phase: "unrolling",
            depth: Some(7),
            ..Snapshot::default()
        };
        let state = line.state.lock().expect("nobody panicked");
        let message = line.message(&state, &snapshot);
        assert!(message.starts_with("G p: bmc: unrolling, depth 7"), "{message}");
    }

    #[test]
    fn a_long_name_is_cut_between_letters() {
        assert_eq!(shortened(&"ä".repeat(100)).chars().count(), MOST_LETTERS + 1);
    }
}
