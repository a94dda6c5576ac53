//! What happened, round by round, for people to read.

use entail_evidence::Round;
use std::time::Instant;

/// A round, and the latches that are kept after it, by position in the circuit. Who knows their names puts them in the round.
#[derive(Clone, Debug, Default)]
pub struct LocalizationRound {
    /// What happened.
    pub round: Round,
    /// What is kept.
    pub latches: Vec<usize>,
}

/// The rounds so far.
pub(super) struct Rounds {
    pub(super) list: Vec<LocalizationRound>,
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
            format!("{met} times {}", fails_in(depth)),
            format!(
                "{tried} objects were tried out; a proof that there is no such run needs {needed} of them"
            ),
        );
    }

    pub(super) fn push(&mut self, found: String, outcome: String) {
        let now = Instant::now();
        self.list.push(LocalizationRound {
            round: Round {
                found,
                outcome,
                seconds: (now - self.begun).as_secs_f64(),
                ..Round::default()
            },
            latches: Vec::new(),
        });
        self.begun = now;
    }

    /// Says how large the abstraction is after the last round, and which latches it keeps.
    pub(super) fn measure(&mut self, size: String, latches: Vec<usize>) {
        if let Some(last) = self.list.last_mut() {
            last.round.size = size;
            last.latches = latches;
        }
    }
}

/// How an abstract counterexample is spoken of.
pub(super) fn fails_in(steps: usize) -> String {
    match steps {
        0 => "fails at once".to_owned(),
        1 => "fails in one step".to_owned(),
        _ => format!("fails in {steps} steps"),
    }
}
