//! The progress line: what the engine is doing, on a terminal's standard error only.

use crate::terminal::note;
use entail_budget::{Progress, Snapshot, resident_memory_bytes};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A line that is rewritten in place, at most ten times a second; nothing where standard error is not a terminal.
pub struct ProgressLine {
    bar: Option<ProgressBar>,
    rate: Mutex<Rate>,
}

struct Rate {
    begun: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    /// Shown if `wanted` and standard error is a terminal.
    pub fn new(wanted: bool) -> ProgressLine {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar
        });
        ProgressLine {
            bar,
            rate: Mutex::new(Rate {
                begun: Instant::now(),
                shown: None,
            }),
        }
    }

    /// Takes the line away before something else is printed.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.set_message("");
            bar.finish_and_clear();
        }
        if let Ok(mut rate) = self.rate.lock() {
            *rate = Rate {
                begun: Instant::now(),
                shown: None,
            };
        }
    }
}

impl Progress for ProgressLine {
    fn report(&self, snapshot: &Snapshot) {
        let (Some(bar), Ok(mut rate)) = (&self.bar, self.rate.lock()) else {
            return;
        };
        if rate
            .shown
            .is_some_and(|shown| shown.elapsed() < Duration::from_millis(100))
        {
            return;
        }
        rate.shown = Some(Instant::now());
        let mut message = snapshot.to_string();
        let seconds = rate.begun.elapsed().as_secs_f64();
        if let Some(states) = snapshot.states
            && seconds > 0.0
        {
            message += &format!(", {:.0} states/s", states as f64 / seconds);
        }
        if let Some(bytes) = resident_memory_bytes() {
            message += &format!(", {} MiB", bytes >> 20);
        }
        bar.set_message(message);
        bar.tick();
    }

    fn warn(&self, text: &str) {
        let say = || note!("entail: {text}");
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}
