//! Words: sets of infinite ones, given by automata or formulas, and single finite ones, recorded by simulators.
//!
//! **Here:** the family of HOA and LTL files: does every word of the automaton (or of the formula) satisfy another formula? And of VCD files: is a property in PSL true of the run?
//!
//! **Not here:** the algebra of automata itself (`entail-automata`).
//!
//! **Invariant:** a word that is given as a counterexample has been judged by the naive membership test and the naive evaluation of
//! formulas; that there is none is the engine's word, and said to be. What is said of a recorded run has been evaluated again by the definition of the property.

mod checker;
mod model;
mod run;

use entail_family::{EngineInfo, Family, Input, Language, LoadError, Model};
use entail_logic::Logic;

/// The row.
pub static FAMILY: Family = Family {
    name: "words",
    about: "sets of infinite words, given by automata or formulas; recorded runs",
    languages: &[
        Language::new("hoa", "HOA", &["hoa", "never"]),
        Language::new("ltl", "LTL", &["ltl"]),
        Language::new("vcd", "VCD", &["vcd"]),
    ],
    options: run::OPTIONS,
    engines: &[
        EngineInfo {
            name: "automata",
            about: "linear time: the product with the automaton of the negated formula has no word",
            logics: &[Logic::Ltl],
        },
        EngineInfo {
            name: run::ENGINE,
            about: "properties in PSL on a recorded run, from its end to its beginning",
            logics: &[Logic::Ltl],
        },
    ],
    load,
};

fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    match input.language.name {
        "vcd" => run::load(input),
        _ => model::load(input),
    }
}
