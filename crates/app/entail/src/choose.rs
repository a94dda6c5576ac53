//! Which engines there are, and in which order a property meets them.

use entail_evidence::Engine;
use entail_explicit::Explicit;
use entail_inductive::{InductiveEngine, Method};
use entail_model::TransitionSystem;
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

/// Explicit search gets so long before decision diagrams take over: enough for some hundred thousand states.
const FIRST_LOOK: Duration = Duration::from_millis(500);

/// State spaces of at most so many valuations are searched explicitly to the end.
const SMALL: u64 = 1 << 20;

/// The order in which engines are tried on a model when the user names none.
pub(crate) fn schedule(system: &TransitionSystem) -> Vec<Turn> {
    let explicit = |at_most, because| Turn {
        engine: "explicit",
        at_most,
        because,
    };
    let symbolic = |because| Turn {
        engine: "bdd",
        at_most: None,
        because,
    };
    match system.state_space_size() {
        Some(size) if size <= SMALL => vec![
            explicit(
                Some(4 * FIRST_LOOK),
                "at most 2^20 valuations of the state variables",
            ),
            symbolic("explicit search did not finish"),
        ],
        _ => vec![
            explicit(
                Some(FIRST_LOOK),
                "a short look: many large models have few reachable states",
            ),
            symbolic("too many states to search one by one"),
        ],
    }
}
