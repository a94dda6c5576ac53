//! Programs of communicating processes behind the seam: Promela models.
//!
//! **Here:** [`FAMILY`], the row of this kind of system in the app's table. A model is an [`entail_program::Program`] with what is asked about
//! it (safety, LTL formulas, never claims, acceptance and progress cycles). Loading with preprocessing, the session, the checker, what people
//! see of runs (timelines, message sequence charts, the source with marks), walks, state graphs, checkpoints, searches that several
//! processes share.
//!
//! **Not here:** searching (`entail-explicit`), reading (`entail-promela`), what a program means (`entail-program`), who runs engines and
//! prints (`crates/app/`).
//!
//! **What a caller may rely on**
//! - The checker uses the reference interpreter of `entail-program`: no engine takes part. A run is repeated and judged; that everything was
//!   searched is checked by searching again, in another way, as far as the budget goes.
//! - Evidence survives `to_json` and `evidence_from_json`, whatever its kind.

mod checker;
mod coverage;
mod model;
mod options;
mod run_json;
mod session;
mod show;
mod state_graph;
mod structure;
mod walk;

pub use model::{Preprocessing, ProgramModel};
pub use options::search_options;

use entail_family::{EngineInfo, Family, Language};
use entail_logic::Logic;

/// The name of the only engine.
const ENGINE: &str = "explicit";

const LANGUAGES: &[Language] = &[Language::new("promela", "Promela", &["pml", "promela", "prom"])];

const ENGINES: &[EngineInfo] = &[EngineInfo {
    name: ENGINE,
    about: "state by state: breadth-first search for safety, Couvreur's algorithm for LTL, claims and cycles, partial-order reduction",
    logics: &[
        Logic::Safety,
        Logic::Ltl,
        Logic::NeverClaim,
        Logic::Acceptance,
        Logic::Progress,
    ],
}];

/// Programs of communicating processes.
pub static FAMILY: Family = Family {
    name: "programs",
    about: "programs of communicating processes: Promela",
    languages: LANGUAGES,
    options: options::OPTIONS,
    engines: ENGINES,
    load: model::load,
};
