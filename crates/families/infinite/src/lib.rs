//! Systems over integers, reals, words and arrays, and scripts of SMT-LIB.
//!
//! **Here:** the row of VMT-LIB, MCMT and Horn clauses; sessions of their engines; the checker, which asks the solver for proofs and
//! believes only these, and replays traces in exact arithmetic; [`run_script`], which answers the commands of an SMT-LIB script.
//!
//! **Not here:** reading terms (`languages/smtlib`), deciding (`engines/infinite`, `instruments/smt`), judging proofs (`checkers/proof`).

mod checker;
mod circuits;
mod cores;
mod evidence;
mod interpolants;
mod judge;
mod model;
mod queries;
mod script;
mod shown_model;
mod write;

pub use entail_proof::first_order::AletheProof;
pub use evidence::{InfiniteEvidence, RecurringMove};
pub use script::{ScriptOptions, ScriptOutcome, run_script};

use entail_family::{EngineInfo, Family, Language, standard};
use entail_logic::Logic;

/// The row of systems over unbounded data.
pub static FAMILY: Family = Family {
    name: "infinite",
    about: "systems over integers, reals, words and arrays",
    languages: &[
        Language {
            name: "nuxmv",
            title: "SMV with integers and reals (nuXmv)",
            extensions: &["smv", "nuxmv"],
            recognises: Some(entail_smv::looks_unbounded),
        },
        Language {
            name: "btor2-memory",
            title: "BTOR2 with large memories",
            extensions: &["btor2", "btor"],
            recognises: Some(entail_btor2::has_large_memory),
        },
        Language::new("vmt", "VMT-LIB transition systems", &["vmt"]),
        Language::new("mcmt", "transition systems of Sally", &["mcmt"]),
        Language::new("horn", "linear Horn clauses (CHC-COMP)", &["smt2", "chc"]),
    ],
    options: &[standard::BOUND, queries::DUMP_QUERIES],
    engines: &[
        EngineInfo::new(
            "bmc",
            "bounded search by an SMT solver: paths and lassos",
            &[Logic::Safety, Logic::Ltl],
        ),
        EngineInfo::new(
            "kind",
            "k-induction by an SMT solver",
            &[Logic::Safety, Logic::Ltl],
        ),
        EngineInfo::new(
            "ic3mbp",
            "IC3 with model-based projection; k-liveness",
            &[Logic::Safety, Logic::Ltl],
        ),
        EngineInfo::new(
            "ic3ia",
            "IC3 with implicit predicate abstraction; k-liveness",
            &[Logic::Safety, Logic::Ltl],
        ),
        EngineInfo::new("interpolation", "interpolation", &[Logic::Safety]),
        EngineInfo::new(
            "ranks",
            "ranks that descend between rounds of fairness",
            &[Logic::Ltl],
        ),
        EngineInfo::new(
            "recurring",
            "paths that go on for ever without returning",
            &[Logic::Ltl],
        ),
    ],
    load: model::load,
};
