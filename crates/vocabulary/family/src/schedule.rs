//! In which order a property meets engines.

use std::time::Duration;

/// An engine in a turn, and how long it may try (no limit: as long as the property's budget lasts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner {
    /// The engine's name.
    pub engine: &'static str,
    /// How long it may try.
    pub at_most: Option<Duration>,
    /// In a race: it joins after so long, whoever else is running, and yields to others.
    pub joins_after: Option<Duration>,
}

impl Runner {
    /// An engine that may try as long as the property's budget lasts, or for so long.
    pub fn new(engine: &'static str, at_most: Option<Duration>) -> Runner {
        Runner {
            engine,
            at_most,
            joins_after: None,
        }
    }
}

/// One entry of a schedule: an engine by itself, or several that race. When nobody decides, the next entry has its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The engines that run; never empty.
    pub runners: Vec<Runner>,
    /// Why they were chosen, for people.
    pub because: &'static str,
}

impl Turn {
    /// A turn in which engines race, or without processes to race in, the first of them tries.
    pub fn race(engines: &[&'static str], because: &'static str) -> Turn {
        let runners = engines.iter().map(|engine| Runner::new(engine, None));
        Turn {
            runners: runners.collect(),
            because,
        }
    }

    /// A turn of one engine.
    pub fn alone(engine: &'static str, at_most: Option<Duration>, because: &'static str) -> Turn {
        Turn {
            runners: vec![Runner::new(engine, at_most)],
            because,
        }
    }
}
