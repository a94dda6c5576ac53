//! `entail ltl`: services on formulas of linear temporal logic.
//!
//! A *no* comes with a lasso word, evaluated once more by the naive evaluator before it is printed.

use crate::arguments::{AcceptanceGoal, AutomatonFormat, AutomatonOutput, FormulaSyntax, Ltl, LtlService};
use crate::automaton::{confirm, goal, read_word, refused, written};
use crate::failure::{CommandError, FAILS, HOLDS};
use crate::load::write_text;
use crate::psl;
use crate::terminal::{print, print_file};
use entail_automata::algebra::convert::convert;
use entail_automata::formats::hoa_writer;
use entail_automata::ltl::classify::{Class, classify};
use entail_automata::ltl::evaluate::holds;
use entail_automata::ltl::random::{Random, RandomFormula};
use entail_automata::ltl::syntax::{parse, parse_any};
use entail_automata::ltl::{print as ltl_print, syntax::Syntax};
use entail_automata::reduce::state_based::to_state_based;
use entail_automata::{Automaton, LassoWord, Preference, Target, Translation, services, translate};
use entail_budget::Budget;
use entail_logic::Formula;
use entail_source::Source;

pub fn run(options: &Ltl) -> Result<u8, CommandError> {
    if options.syntax.is_none() && psl::formulas(&options.service).into_iter().any(psl::is_psl) {
        return psl::run(options);
    }
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let read = |text: &str| read(text, options.syntax);
    let syntax_of = |to: Option<FormulaSyntax>| to.or(options.syntax).unwrap_or(FormulaSyntax::Spot);
    match &options.service {
        LtlService::Translate {
            formula,
            acceptance,
            deterministic,
            alternating,
            output,
        } => {
            let formula = read(formula)?;
            let text = if *alternating {
                alternating_text(&formula, output, &budget)?
            } else {
                let automaton = translated(&formula, *acceptance, *deterministic, output, &budget)?;
                if output.check {
                    let word = services::cross_check(&formula, &automaton, SAMPLES, 1, &budget);
                    confirm(word.map_err(refused)?.is_none())?;
                }
                written(&automaton, output.format)?
            };
            match &output.output {
                Some(path) => write_text(path, &text)?,
                None => print_file(&text),
            }
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
            let formula = read(formula)?;
            let class = classify(&formula, &budget).map_err(refused)?;
            let by_syntax = class
                .syntactic
                .map_or("none (past operators)", |class| class.name());
            let stutter = if class.stutter_invariant { "yes" } else { "no" };
            let violations = match class.semantic {
                Class::Safety | Class::SafetyAndGuarantee => {
                    // (What Spot's syntax does not have, such as the past, PSL does not have either.)
                    match printed(&formula, FormulaSyntax::Spot) {
                        Ok(text) => psl::shown_violations_of(&text, &budget)?,
                        Err(_) => String::new(),
                    }
                }
                _ => String::new(),
            };
            print(&format!(
                "class: {}\nclass by syntax: {by_syntax}\n{violations}stutter-invariant: {stutter}\n",
                class.semantic.name()
            ));
            Ok(HOLDS)
        }
        LtlService::Simplify {
            formula,
            to,
            positive,
        } => {
            let formula = read(formula)?;
            let simple = if *positive {
                formula.positive_normal_form()
            } else {
                services::simplify_formula(&formula, &budget).map_err(refused)?
            };
            print(&format!("{}\n", printed(&simple, syntax_of(*to))?));
            Ok(HOLDS)
        }
        LtlService::Print { formula, to } => {
            print(&format!("{}\n", printed(&read(formula)?, syntax_of(*to))?));
            Ok(HOLDS)
        }
        LtlService::Random {
            seed,
            number,
            props,
            size,
            past,
            to,
        } => {
            let shape = RandomFormula {
                propositions: *props,
                size: *size,
                past: *past,
            };
            let mut random = Random::new(*seed);
            for _ in 0..*number {
                print(&format!(
                    "{}\n",
                    printed(&shape.draw(&mut random), syntax_of(*to))?
                ));
            }
            Ok(HOLDS)
        }
        LtlService::Word { formula, word } => {
            let truth = holds(&read(formula)?, &read_word(word)?);
            answer("true on the word", "false on the word", truth, None)
        }
    }
}

/// How many random words `--check` compares.
const SAMPLES: usize = 200;

fn translated(
    formula: &Formula<String>,
    acceptance: AcceptanceGoal,
    deterministic: bool,
    output: &AutomatonOutput,
    budget: &Budget,
) -> Result<Automaton, CommandError> {
    let on_states = output.state_based || output.format == AutomatonFormat::Never;
    let target = match acceptance {
        _ if output.format == AutomatonFormat::Never => Target::StateBuchi,
        AcceptanceGoal::Buchi if on_states => Target::StateBuchi,
        AcceptanceGoal::Buchi => Target::Buchi,
        AcceptanceGoal::Generalized => Target::GeneralizedBuchi,
        _ => Target::Parity,
    };
    let preference = if deterministic {
        Preference::Deterministic
    } else {
        Preference::Small
    };
    let mut automaton = translate(formula, Translation { target, preference }, budget).map_err(refused)?;
    if target == Target::Parity {
        let name = automaton.name.take();
        automaton = convert(&automaton, goal(acceptance), budget).map_err(refused)?;
        automaton.name = name;
    }
    if output.simplify {
        automaton = services::simplify(&automaton, budget).map_err(refused)?;
    }
    Ok(if on_states {
        to_state_based(&automaton)
    } else {
        automaton
    })
}

fn alternating_text(
    formula: &Formula<String>,
    output: &AutomatonOutput,
    budget: &Budget,
) -> Result<String, CommandError> {
    if output.format != AutomatonFormat::Hoa {
        return Err(CommandError::usage(
            "alternating automata are written as HOA only",
        ));
    }
    let automaton = services::alternating_automaton(formula, budget).map_err(refused)?;
    Ok(hoa_writer::alternating_to_hoa(&automaton))
}

fn library_syntax(syntax: FormulaSyntax) -> Syntax {
    match syntax {
        FormulaSyntax::Spot => Syntax::Spot,
        FormulaSyntax::Spin => Syntax::Spin,
        FormulaSyntax::Smv => Syntax::Smv,
        FormulaSyntax::Lbt => Syntax::Lbt,
    }
}

fn read(text: &str, syntax: Option<FormulaSyntax>) -> Result<Formula<String>, CommandError> {
    match syntax {
        Some(syntax) => parse(text, library_syntax(syntax)),
        None => parse_any(text),
    }
    .map_err(|diagnostics| CommandError::Invalid(Source::new("formula", text), diagnostics))
}

fn printed(formula: &Formula<String>, syntax: FormulaSyntax) -> Result<String, CommandError> {
    ltl_print::print(formula, library_syntax(syntax)).map_err(refused)
}

/// Prints which of two answers it is, with the word that shows it.
pub(crate) fn answer(yes: &str, no: &str, truth: bool, word: Option<&LassoWord>) -> Result<u8, CommandError> {
    print(&format!("{}\n", if truth { yes } else { no }));
    if let Some(word) = word {
        print(&format!("  {word}\n"));
    }
    Ok(if truth { HOLDS } else { FAILS })
}
