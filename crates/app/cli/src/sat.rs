//! `entail sat`: a formula in DIMACS, in the words and exit statuses that SAT solvers use.

use crate::arguments::Sat;
use crate::failure::{CommandError, INTERNAL, UNKNOWN};
use crate::load::{read_text, write_text};
use crate::terminal::{print, print_diagnostics, print_json};
use entail::{Satisfiability, satisfiability};
use entail_budget::Budget;
use entail_dimacs::{Cnf, read};
use entail_source::{Diagnostics, Source};
use serde_json::json;
use std::fmt::Write;

/// As SAT competitions have it.
const SATISFIABLE: u8 = 10;
const UNSATISFIABLE: u8 = 20;

pub fn run(options: &Sat) -> Result<u8, CommandError> {
    let source = Source::new(options.formula.to_string_lossy(), read_text(&options.formula)?);
    let (cnf, warnings) =
        read(&source).map_err(|diagnostics| CommandError::Invalid(source.clone(), diagnostics))?;
    if !options.json && !warnings.is_empty() {
        print_diagnostics(&source, &Diagnostics(warnings));
    }
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let most = options.models.unwrap_or(1).max(1);
    let found = satisfiability(&cnf, most, &budget)
        .map_err(|failure| CommandError::Message(format!("internal error: {failure}"), INTERNAL))?;
    match found {
        Satisfiability::Satisfiable { models, complete } => {
            if options.json {
                let signed: Vec<Vec<i32>> = models.iter().map(|model| literals(model)).collect();
                print_json(&format!(
                    "{}\n",
                    json!({"answer": "satisfiable", "models": signed, "complete": complete, "checked": true})
                ));
            } else {
                let mut text = String::from("s SATISFIABLE\n");
                for model in &models {
                    text += &value_lines(model);
                }
                if most > 1 {
                    let rest = if complete {
                        "no others"
                    } else {
                        "there may be others"
                    };
                    let _ = writeln!(text, "c {} models, {rest}", models.len());
                }
                print(&text);
            }
            Ok(SATISFIABLE)
        }
        Satisfiability::Unsatisfiable { core, proof } => {
            if let Some(path) = &options.proof {
                write_text(path, &proof.lrat())?;
            }
            if let Some(path) = &options.core {
                let clauses = core.iter().map(|&at| cnf.clauses[at].clone()).collect();
                let variables = cnf.variables;
                write_text(path, &Cnf { variables, clauses }.print())?;
            }
            if options.json {
                let core: Vec<usize> = core.iter().map(|at| at + 1).collect();
                print_json(&format!(
                    "{}\n",
                    json!({"answer": "unsatisfiable", "core": core, "proof_steps": proof.steps.len(), "checked": true})
                ));
            } else {
                print(&format!(
                    "s UNSATISFIABLE\nc proof of {} steps accepted; {} of {} clauses are used\n",
                    proof.steps.len(),
                    core.len(),
                    cnf.clauses.len()
                ));
            }
            Ok(UNSATISFIABLE)
        }
        Satisfiability::Unknown(spent) => {
            if options.json {
                print_json(&format!(
                    "{}\n",
                    json!({"answer": "unknown", "reason": spent.to_string()})
                ));
            } else {
                print(&format!("s UNKNOWN\nc {spent}\n"));
            }
            Ok(UNKNOWN)
        }
    }
}

fn literals(model: &[bool]) -> Vec<i32> {
    let number = |(at, &value): (usize, &bool)| if value { at as i32 + 1 } else { -(at as i32 + 1) };
    model.iter().enumerate().map(number).collect()
}

/// The model as `v` lines of at most 78 characters.
fn value_lines(model: &[bool]) -> String {
    let mut text = String::new();
    let mut line = String::from("v");
    for literal in literals(model).into_iter().chain([0]) {
        let word = format!(" {literal}");
        if line.len() + word.len() > 78 {
            text += &line;
            text.push('\n');
            line = String::from("v");
        }
        line += &word;
    }
    text + &line + "\n"
}
