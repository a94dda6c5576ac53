//! Sets of infinite words, given by automata or formulas.
//!
//! **Here:** the family of HOA and LTL files: does every word of the automaton (or of the formula) satisfy another formula?
//!
//! **Not here:** the algebra of automata itself (`entail-automata`).
//!
//! **Invariant:** a word that is given as a counterexample has been judged by the naive membership test and the naive evaluation of
//! formulas; that there is none is the engine's word, and said to be.

mod checker;
mod model;

use entail_family::{EngineInfo, Family, Language};
use entail_logic::Logic;

/// The row.
pub static FAMILY: Family = Family {
    name: "words",
    about: "sets of infinite words, given by automata or formulas",
    languages: &[
        Language::new("hoa", "HOA", &["hoa", "never"]),
        Language::new("ltl", "LTL", &["ltl"]),
    ],
    options: &[],
    engines: &[EngineInfo {
        name: "automata",
        about: "linear time: the product with the automaton of the negated formula has no word",
        logics: &[Logic::Ltl],
    }],
    load: model::load,
};
