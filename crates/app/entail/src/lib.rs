//! Entail as a library: the table of families, the one runner, certifying, comparing.
//!
//! **Here:** [`Table`], the kinds of systems there are, with which a file is loaded; [`run`], which decides the properties of any model and has
//! every answer's evidence checked before it is handed out; [`certify`], which re-checks saved evidence alone; labelled transition systems
//! of any model, and [`compare`] and [`minimize`] on them.
//!
//! **Not here:** any kind of system (`crates/families/`), printing (`entail-report`), the command line (`entail-cli`).
//!
//! **Invariant:** a [`run::Decided`] that says *holds* or *fails* has been through the checker of the model's family; one whose evidence
//! was rejected is never given out as a verdict, but as a [`run::InternalError`] about its property.
//!
//! Nothing here but [`FAMILIES`] names a kind of system.

mod certify;
mod compare;
mod compressed;
mod files;
mod game;
mod minimize;
pub mod run;
mod sat;
pub mod saved;
mod structure;
mod table;

pub use certify::{Certified, NO_SEAL, certify};
pub use compare::{Comparable, CompareFailure, Compared, Incomparable, Preparation, comparable, compare};
pub use entail_equivalence::game as players;
pub use entail_evidence::equivalence::{Bisimulation, Partition};
pub use entail_explicit::{Checker, Path, Reply, Secret, System};
pub use entail_graph::{Hidden, WriteError, write_aut, write_dot, write_json};
pub use entail_graphs::formulas;
pub use entail_source::{MOST_BYTES, read_file};
pub use entail_unbounded::{AletheProof, ScriptOptions, ScriptOutcome, run_script};
pub use files::{write_file, write_file_with};
pub use game::{Board, shown_game};
pub use minimize::{MinimizeError, Minimized, minimize};
pub use sat::{SatFailure, Satisfiability, satisfiability};
pub use structure::{GraphFormat, NoStructure, load_structure};
pub use table::{Loaded, Origin, Table, engine_of, refuse_for_engine};

/// The kinds of systems there are. A new one is a crate and a row here.
pub static FAMILIES: &[&entail_family::Family] = &[
    &entail_systems::FAMILY,
    &entail_systems::TRAJECTORIES,
    &entail_programs::FAMILY,
    &entail_graphs::FAMILY,
    &entail_words::FAMILY,
    &entail_stochastic::FAMILY,
    &entail_games::FAMILY,
    &entail_unbounded::FAMILY,
    &entail_realtime::FAMILY,
];
