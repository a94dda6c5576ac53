//! Which engines there are, and in which order a property meets them.

use entail_evidence::Engine;
use entail_explicit::Explicit;
use entail_model::TransitionSystem;
use std::time::Duration;

/// All engines.
pub fn engines() -> Vec<Box<dyn Engine>> {
    vec![Box::new(Explicit::default())]
}

/// The names of all engines.
pub fn engine_names() -> Vec<&'static str> {
    engines().iter().map(|engine| engine.name()).collect()
}

/// One entry of a schedule: an engine, and how long it may try before the next one gets its turn (no limit: as long as the
/// property's budget lasts).
pub(crate) struct Turn {
    pub(crate) engine: &'static str,
    pub(crate) at_most: Option<Duration>,
    pub(crate) because: &'static str,
}

/// The order in which engines are tried on a model when the user names none.
pub(crate) fn schedule(_system: &TransitionSystem) -> Vec<Turn> {
    vec![Turn {
        engine: "explicit",
        at_most: None,
        because: "the only engine",
    }]
}
