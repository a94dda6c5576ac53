//! `entail ltl`: services on formulas of linear temporal logic.
//!
//! A *no* comes with a lasso word, evaluated once more by the naive evaluator before it is printed.

use crate::arguments::{Acceptance, AutomatonFormat, Ltl, LtlService};
use crate::failure::{FAILS, HOLDS, Stop};
use crate::terminal::print;
use entail_automata::formats::{dot, hoa_writer, never_claim};
use entail_automata::ltl::classify::classify;
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::syntax::parse_any;
use entail_automata::{AutomataError, LassoWord, Preference, Target, Translation, services, translate};
use entail_budget::Budget;
use entail_logic::Formula;
use entail_source::Source;

pub fn run(options: &Ltl) -> Result<u8, Stop> {
    let budget = Budget::unlimited();
    match &options.service {
        LtlService::Translate {
            formula,
            acceptance,
            deterministic,
            state_based,
            format,
        } => {
            let target = match (acceptance, *state_based || *format == AutomatonFormat::Never) {
                (Acceptance::Parity, _) => Target::Parity,
                (_, true) => Target::StateBuchi,
                (Acceptance::Buchi, false) => Target::Buchi,
                (Acceptance::Generalized, false) => Target::GeneralizedBuchi,
            };
            let preference = if *deterministic {
                Preference::Deterministic
            } else {
                Preference::Small
            };
            let automaton =
                translate(&read(formula)?, Translation { target, preference }, &budget).map_err(refused)?;
            print(&match format {
                AutomatonFormat::Hoa => hoa_writer::to_hoa(&automaton),
                AutomatonFormat::Dot => dot::to_dot(&automaton),
                AutomatonFormat::Never => never_claim::to_never_claim(&automaton).map_err(refused)?,
            });
            Ok(HOLDS)
        }
        LtlService::Sat { formula } => {
            let formula = read(formula)?;
            let word = services::satisfying_word(&formula, &budget).map_err(refused)?;
            confirm(word.as_ref().is_none_or(|word| holds(&formula, word)))?;
            answer("satisfiable", "unsatisfiable", word.is_some(), word.as_ref())
        }
        LtlService::Valid { formula } => {
            let formula = read(formula)?;
            let word = services::falsifying_word(&formula, &budget).map_err(refused)?;
            confirm(word.as_ref().is_none_or(|word| !holds(&formula, word)))?;
            answer("valid", "not valid", word.is_none(), word.as_ref())
        }
        LtlService::Implies { left, right } => {
            let (left, right) = (read(left)?, read(right)?);
            let word = services::word_against_implication(&left, &right, &budget).map_err(refused)?;
            confirm(
                word.as_ref()
                    .is_none_or(|word| holds(&left, word) && !holds(&right, word)),
            )?;
            answer("implied", "not implied", word.is_none(), word.as_ref())
        }
        LtlService::Equivalent { left, right } => {
            let (left, right) = (read(left)?, read(right)?);
            let word = services::word_against_equivalence(&left, &right, &budget).map_err(refused)?;
            confirm(
                word.as_ref()
                    .is_none_or(|word| holds(&left, word) != holds(&right, word)),
            )?;
            answer("equivalent", "different", word.is_none(), word.as_ref())
        }
        LtlService::Classify { formula } => {
            let class = classify(&read(formula)?, &budget).map_err(refused)?;
            let by_syntax = class
                .syntactic
                .map_or("none (past operators)", |class| class.name());
            let stutter = if class.stutter_invariant { "yes" } else { "no" };
            print(&format!(
                "class: {}\nclass by syntax: {by_syntax}\nstutter-invariant: {stutter}\n",
                class.semantic.name()
            ));
            Ok(HOLDS)
        }
        LtlService::Word { formula, word } => {
            let word =
                LassoWord::parse(word).map_err(|found| Stop::Invalid(Source::new("word", word), found))?;
            let truth = holds(&read(formula)?, &word);
            answer("true on the word", "false on the word", truth, None)
        }
    }
}

fn read(text: &str) -> Result<Formula<String>, Stop> {
    parse_any(text).map_err(|diagnostics| Stop::Invalid(Source::new("formula", text), diagnostics))
}

fn refused(error: AutomataError) -> Stop {
    Stop::input(error.to_string())
}

/// A word that its formula's naive evaluation does not confirm is a bug in Entail, never an answer.
fn confirm(confirmed: bool) -> Result<(), Stop> {
    if confirmed {
        return Ok(());
    }
    Err(Stop::Internal(
        "internal error: the word found is not confirmed by evaluation".to_owned(),
    ))
}

fn answer(yes: &str, no: &str, truth: bool, word: Option<&LassoWord>) -> Result<u8, Stop> {
    print(&format!("{}\n", if truth { yes } else { no }));
    if let Some(word) = word {
        print(&format!("  {word}\n"));
    }
    Ok(if truth { HOLDS } else { FAILS })
}
