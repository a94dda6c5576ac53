//! Transition systems behind the seam: SMV, AIGER, BLIF, BTOR2 and Verilog models; pairs of circuits that should be equivalent.
//!
//! **Here:** [`FAMILY`], the row of this kind of system in the app's table, and [`TRAJECTORIES`], that of trajectory assertions about circuits. Whatever the language, a model is an
//! [`entail_model::TransitionSystem`] with properties, and formulas about it are read as SMV's. Loading, the schedule of engines, sessions
//! (which ask engines about the cone of influence where that is smaller), the checker, what people see of answers, walks, labelled
//! transition systems, and the formats that models and counterexamples are written in.
//!
//! **Not here:** deciding (`crates/engines/`), reading (`crates/languages/`), who runs engines and prints (`crates/app/`).
//!
//! **What a caller may rely on**
//! - The checker uses `entail-evidence`, `entail-proof` and the model: no engine takes part in it.
//! - Evidence survives `to_saved_json` and `evidence_from_json`, whatever its kind.
//! - A property of CTL is asked, and its evidence judged, with compassion left out ([`entail_logic::Logic::ignores_compassion`]); one place
//!   decides that (`model.rs`).

mod abstraction_map;
mod asked;
mod assertions;
#[cfg(test)]
mod assertions_agree;
mod attempt_values;
mod bit_level;
mod branching;
mod checker;
mod checker_text;
#[cfg(test)]
mod clocked_agree;
mod clocks;
mod coverage;
mod doubt;
mod draw;
mod engines;
mod equivalence;
mod judge;
mod languages;
mod load;
#[cfg(test)]
mod locals_agree;
mod lookup_table;
mod model;
mod monitors;
mod needed;
mod netlist;
mod options;
mod order;
mod project;
mod properties;
mod psl;
mod reset;
#[cfg(test)]
mod safety_kinds_agree;
mod schedule;
mod sessions;
mod show;
mod signals;
mod simulated;
mod slice;
mod structure;
mod survey;
mod trajectory;
mod translation;
mod verilog;
mod verilog_settings;
mod walk;
mod watch;
mod witness;
mod workshop;
mod write;

use entail_family::Family;

/// Transition systems.
pub static FAMILY: Family = Family {
    name: "systems",
    about: "transition systems: SMV, and circuits in AIGER, BLIF, BTOR2 and Verilog",
    languages: languages::LANGUAGES,
    options: options::OPTIONS,
    engines: engines::ENGINES,
    load: load::load,
};

/// Trajectory assertions about circuits.
pub static TRAJECTORIES: Family = Family {
    name: "trajectories",
    about: "trajectory assertions about circuits in AIGER, BLIF, BTOR2 and Verilog",
    languages: trajectory::LANGUAGES,
    options: trajectory::OPTIONS,
    engines: trajectory::ENGINES,
    load: trajectory::load,
};
