//! `entail mu`: services on formulas of the mu-calculus.
//!
//! A model that is printed has been checked; where there is none, so has the refutation, or it is said that it was not.

use crate::Context;
use crate::arguments::{MuCommand, MuService};
use crate::failure::{CommandError, FAILS, HOLDS, UNKNOWN};
use crate::graph;
use crate::terminal::{note, print, print_json};
use entail::formulas::{NoFormula, Satisfied, quotient, read_formula, satisfy};
use entail::{Bisimulation, minimize, write_json};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_logic::mu::{Fixpoint, Mu};
use entail_model::{Lts, StateId};
use entail_source::Source;
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How long the evidence is checked.
const CHECK_TIME: Duration = Duration::from_secs(20);
/// Systems with more states are not printed.
const MOST_PRINTED: usize = 60;

pub fn run(options: &MuCommand, context: &Context) -> Result<u8, CommandError> {
    if let Some(output) = &options.output {
        graph::format_of(output)?;
    }
    let budget = Budget::unlimited().with_timeout(options.timeout);
    let read = |text: &str| read(text, &budget);
    match &options.service {
        MuService::Sat { formula } => {
            let formula = read(formula)?;
            let found = search(&formula, &budget)?;
            answer(options, context, &found, ["satisfiable", "unsatisfiable"], true)
        }
        MuService::Valid { formula } => {
            let found = search(&read(formula)?.dual(), &budget)?;
            answer(options, context, &found, ["not valid", "valid"], false)
        }
        MuService::Equivalent { left, right } => {
            let (left, right) = (read(left)?, read(right)?);
            let differ = Mu::or([
                Mu::and([left.clone(), right.dual()]),
                Mu::and([left.dual(), right]),
            ]);
            let found = search(&differ, &budget)?;
            answer(options, context, &found, ["different", "equivalent"], false)
        }
        MuService::Info { formula } => {
            let text = info(&read(formula)?, options.json);
            match options.json {
                true => print_json(&text),
                false => print(&text),
            }
            Ok(HOLDS)
        }
        MuService::Quotient {
            formula,
            system,
            graph: input,
        } => {
            let formula = read(formula)?;
            let lts = graph::load(system, input, context, &budget)?;
            let divided = quotient(&formula, &lts, &budget).map_err(|error| undecided(&error))?;
            match options.json {
                true => print_json(&format!(
                    "{:#}\n",
                    json!({"formula": divided.to_string(), "size": divided.size()})
                )),
                false => print(&format!("{divided}\n")),
            }
            Ok(HOLDS)
        }
    }
}

fn undecided(error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Message(error.to_string(), UNKNOWN)
}

fn read(text: &str, budget: &Budget) -> Result<Mu<String>, CommandError> {
    read_formula(text, budget).map_err(|error| match error {
        NoFormula::Unreadable(diagnostics) => {
            CommandError::Invalid(Source::new("formula", text), diagnostics)
        }
        NoFormula::Untranslated(error) => CommandError::input(error.to_string()),
    })
}

/// A model of the formula as small as bisimulation makes it.
fn search(formula: &Mu<String>, budget: &Budget) -> Result<Satisfied, CommandError> {
    let checking = Budget::unlimited().with_timeout(Some(CHECK_TIME));
    let mut found = satisfy(formula, budget, &checking).map_err(|error| undecided(&error))?;
    if let CheckReport::Rejected { reason } = &found.checked {
        return Err(CommandError::Internal(format!(
            "the evidence was rejected: {reason}"
        )));
    }
    if let Some(model) = &found.model
        && let Ok(small) = minimize(model, Bisimulation::Strong, budget, CHECK_TIME)
        && small.lts.state_count() < model.state_count()
    {
        let checked = entail::formulas::check_model(&small.lts, formula, budget, &checking);
        if checked.is_accepted() {
            found.model = Some(small.lts);
            found.checked = checked;
        }
    }
    Ok(found)
}

/// Prints an answer: what is said if there is a model, and if there is none; a model may be what was hoped for or not.
fn answer(
    options: &MuCommand,
    context: &Context,
    found: &Satisfied,
    [with, without]: [&str; 2],
    hoped: bool,
) -> Result<u8, CommandError> {
    let said = if found.model.is_some() { with } else { without };
    if let (Some(output), Some(model)) = (&options.output, &found.model) {
        graph::save(output, model, context)?;
        note!("entail: the model is in {}", output.display());
    }
    if options.json {
        let model: Option<Json> =
            (found.model.as_ref()).and_then(|model| serde_json::from_str(&write_json(model)).ok());
        let document = json!({
            "answer": said, "model": model, "positions": found.positions,
            "checked": found.checked.is_accepted(), "check": found.checked.to_string(),
        });
        print_json(&format!("{document:#}\n"));
    } else {
        print(&format!("{said}\n"));
        match &found.model {
            Some(model) if model.state_count() <= MOST_PRINTED => print(&table(model)),
            Some(model) => print(&format!(
                "  a model with {} states (-o writes it)\n",
                model.state_count()
            )),
            None => {}
        }
        let what = match &found.model {
            Some(_) => "the model".to_owned(),
            None => format!("the refutation, of {} sets of formulas", found.refuted),
        };
        print(&format!("{what}: {}\n", found.checked));
    }
    Ok(if found.model.is_some() == hoped {
        HOLDS
    } else {
        FAILS
    })
}

/// A system as lines: each state, its propositions, its steps.
fn table(lts: &Lts) -> String {
    let mut text = String::new();
    let line = |state: StateId| {
        let propositions = lts.propositions(state).join(", ");
        let steps: Vec<String> = lts
            .steps(state)
            .map(|(action, to)| format!("{} -> {to}", lts.action_name(action)))
            .collect();
        let begins = if lts.initial().contains(&state) { ">" } else { " " };
        format!(
            "{begins} state {state}  {{{propositions}}}  {}\n",
            steps.join("  ")
        )
    };
    for state in lts.states() {
        text += line(state).trim_end();
        text.push('\n');
    }
    text
}

fn info(formula: &Mu<String>, as_json: bool) -> String {
    let alternation = formula.alternation();
    let depth = alternation.depth();
    let sigma = (0..).find(|&n| alternation.in_sigma(n)).unwrap_or(depth);
    let pi = (0..).find(|&n| alternation.in_pi(n)).unwrap_or(depth);
    let equations = formula.to_equations();
    let kind = |fixpoint: Fixpoint| match fixpoint {
        Fixpoint::Least => "mu",
        Fixpoint::Greatest => "nu",
    };
    let lines = (equations.equations.iter()).map(|equation| {
        format!(
            "{} ={} {}",
            equation.variable,
            kind(equation.fixpoint),
            equation.body
        )
    });
    if as_json {
        let document = json!({
            "formula": formula.to_string(), "negation": formula.dual().to_string(), "size": formula.size(),
            "alternation": depth, "sigma": sigma, "pi": pi, "guarded": formula.is_guarded(),
            "equations": lines.collect::<Vec<_>>(), "goal": equations.goal.to_string(),
        });
        return format!("{document:#}\n");
    }
    let mut text = format!(
        "formula: {formula}\nnegation: {}\nsize: {}\nalternation depth: {depth} (Sigma {sigma}, Pi {pi})\nguarded: {}\n",
        formula.dual(),
        formula.size(),
        if formula.is_guarded() { "yes" } else { "no" }
    );
    if !equations.equations.is_empty() {
        text += &format!("equations, outermost first, for {}:\n", equations.goal);
        for line in lines {
            text += &format!("  {line}\n");
        }
    }
    text
}
