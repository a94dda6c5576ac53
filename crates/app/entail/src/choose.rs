//! Which engines there are, and in which order a property meets them.

use entail_evidence::Engine;
use entail_explicit::Explicit;
use entail_inductive::{InductiveEngine, Method};
use entail_symbolic::{SymbolicEngine, SymbolicOptions};
use std::time::Duration;

/// What the user may set for single engines.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// Decision diagrams: variable order and reordering.
    pub bdd: SymbolicOptions,
}

/// All engines as they come.
pub fn engines() -> Vec<Box<dyn Engine>> {
    engines_with(&EngineSettings::default())
}

/// All engines with the user's settings.
pub fn engines_with(settings: &EngineSettings) -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Explicit::default()),
        Box::new(SymbolicEngine {
            options: settings.bdd.clone(),
        }),
        Box::new(InductiveEngine::new(Method::Bmc)),
        Box::new(InductiveEngine::new(Method::KInduction)),
        Box::new(InductiveEngine::new(Method::Ic3)),
    ]
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

/// Explicit search gets so long before decision diagrams take over: enough for some hundred thousand states. It costs little
/// where they are needed, and small models get shortest traces and repeated searches as evidence.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// The order in which engines are tried when the user names none.
pub(crate) fn schedule() -> Vec<Turn> {
    vec![
        Turn {
            engine: "explicit",
            at_most: Some(FIRST_LOOK),
            because: "a short look at every model",
        },
        Turn {
            engine: "bdd",
            at_most: None,
            because: "too many states to search one by one",
        },
    ]
}
