//! What happened, round by round, for people to read.

use entail_evidence::Round;
use std::time::Instant;

/// The rounds so far.
pub(super) struct Rounds {
    pub(super) list: Vec<Round>,
    begun: Instant,
}

impl Rounds {
    pub(super) fn new() -> Rounds {
        Rounds {
            list: Vec::new(),
            begun: Instant::now(),
        }
    }

    /// A depth was refuted after counterexamples.
    pub(super) fn refuted(&mut self, depth: usize, met: usize, tried: usize, needed: usize) {
        self.push(
            format!("fails in {depth} steps, {met} times"),
            format!("{tried} objects were tried out, of which a proof that there is none needs {needed}"),
        );
    }

    pub(super) fn push(&mut self, found: String, outcome: String) {
        let now = Instant::now();
        self.list.push(Round {
            found,
            outcome,
            seconds: (now - self.begun).as_secs_f64(),
            ..Round::default()
        });
        self.begun = now;
    }

    /// Says how large the abstraction is after the last round.
    pub(super) fn measure(&mut self, size: String) {
        if let Some(last) = self.list.last_mut() {
            last.size = size;
        }
    }
}
