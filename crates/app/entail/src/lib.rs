//! Entail as a library: load a model, choose engines, check, certify.
//!
//! **Here:** the one place that knows every language and every engine. [`Model`] is a model file that has been read;
//! [`check`] decides its properties and has every answer's evidence checked before it is handed out; [`engines`] is the
//! table of engines; [`certify`] re-checks saved evidence alone.
//!
//! **Not here:** printing (`entail-report`), the command line (`entail-cli`), deciding (engines), reading (languages).
//!
//! **Invariant:** an [`Answer`] that says *holds* or *fails* has been through the checkers of `entail-evidence`; one whose
//! evidence they rejected is never given out as a verdict, but as an [`InternalError`] about its property.

mod abstraction_map;
mod bit_level;
mod certify;
mod certify_program;
mod check;
mod checkpoint;
mod choose;
mod compare;
mod convert;
mod files;
mod game;
mod internal;
mod language;
mod minimize;
mod model;
mod portfolio;
mod program;
mod sat;
mod sessions;
mod slice;
mod structure;
mod verilog;
mod witness;
mod worker;

pub use certify::{Certified, CertifyError, NO_SEAL, certify};
pub use certify_program::{CertifiedRun, certify_program};
pub use check::{Answer, Failure, Rechecking, Request, Slicing, check, check_each};
pub use checkpoint::{CheckpointError, CheckpointFile};
pub use choose::{EngineSettings, engine_names, engines, engines_with};
pub use compare::{Comparable, CompareFailure, Compared, Incomparable, Preparation, comparable, compare};
pub use convert::{ConvertError, Converted, Format, convert, convert_model};
pub use entail_abstraction::{AbstractOptions, Mode, Relation, Splitting, States};
pub use entail_equivalence::game as players;
pub use entail_evidence::equivalence::{Bisimulation, Partition};
pub use entail_explicit::{
    Checker, Cluster, MachineCode, Order, Path, Reply, SearchOptions, Secret, SimulationStep, Simulator,
    Storage, System,
};
pub use entail_graph::{Hidden, WriteError, write_aut, write_dot, write_json};
pub use entail_symbolic::{Exploration, InitialOrder, Reordering, SymbolicEngine};
pub use files::{MOST_BYTES, read_file, write_file, write_file_with};
pub use game::{Board, shown_game};
pub use internal::{Fault, InternalError};
pub use language::Language;
pub use minimize::{MinimizeError, Minimized, minimize};
pub use model::{LoadError, Model};
pub use portfolio::Launcher;
pub use program::{
    AnyModel, PROGRAM_ENGINE, Preprocessing, ProgramAnswer, ProgramModel, ProgramRequest, check_program,
    check_program_each, check_program_together,
};
pub use sat::{SatFailure, Satisfiability, satisfiability};
pub use structure::{GraphFormat, Listing, Structure, StructureError, StructureOptions, load_structure};
pub use witness::WITNESS_EXTENSION;
pub use worker::serve;
