//! Labelled transition systems that are given as graphs.
//!
//! **Here:** the family of `.aut`, JSON and DOT files: formulas of the mu-calculus about them, walks, drawings; [`formulas`]: services on formulas alone, with their evidence checked.
//!
//! **Not here:** comparing and minimising (commands of the app over [`entail_family::Model::structure`]), the formats (`entail-graph`).
//!
//! **Invariant:** strategies in games of formulas are judged by `entail-games-checker`; verdicts without one are re-checked by [`naive`], which evaluates formulas by their
//! definition and uses no code of the engine.

mod checker;
mod contest;
mod engine;
pub mod formulas;
mod model;
pub mod naive;
mod walk;

use entail_family::{Command, EngineInfo, Family, Language, OptionSpec, standard};
use entail_logic::Logic;

/// The row.
pub static FAMILY: Family = Family {
    name: "graphs",
    about: "labelled transition systems given state by state",
    languages: &[
        Language::new("aut", "Aldebaran", &["aut"]),
        Language {
            name: "graph-json",
            title: "a graph in JSON",
            extensions: &["json"],
            recognises: Some(has_states),
        },
        Language::new("graph-dot", "a graph in DOT", &["dot", "gv"]),
    ],
    options: &[TAU, standard::OBSERVE],
    engines: &[
        EngineInfo {
            name: engine::GAME,
            about: "the mu-calculus as a parity game of formula and graph, built on the fly; the winner's strategy is checked",
            logics: &[Logic::Mu],
        },
        EngineInfo {
            name: engine::FIXPOINT,
            about: "the mu-calculus by fixpoints over sets of states; all of its alternation levels",
            logics: &[Logic::Mu],
        },
    ],
    load: model::load,
};

/// `--tau HOW`
const TAU: OptionSpec = standard::TAU.of(&[
    Command::Check,
    Command::Simulate,
    Command::Certify,
    Command::Structure,
]);

/// Whether a JSON file begins like a graph: an object with `states` among its first keys.
fn has_states(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    text.trim_start().starts_with('{') && text.contains("\"states\"")
}
