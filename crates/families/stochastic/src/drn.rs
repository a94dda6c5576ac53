//! Explicit models as text, in Storm's DRN format: every reachable state with its labels, rewards, choices and transitions.
//!
//! The model is the reference interpreter's, so that what is written is what the model means. Numbers are exact: fractions are written as
//! `1/3`, which Storm reads. States of timed models have their exit rates; transitions of continuous-time chains are then rates, those of Markov
//! automata probabilities.

use entail_budget::Budget;
use entail_family::Converted;
use entail_markov::{Domain, Explicit, Expr, Kind, Network, Rational, Row, explore, interpreter};
use std::fmt::Write;

/// Larger models are not written.
const MOST_STATES: usize = 1_000_000;

/// Writes a network.
pub(crate) fn write(network: &Network, budget: &Budget) -> Result<Converted, String> {
    let model = explore(network, MOST_STATES, budget).map_err(|error| error.to_string())?;
    write_model(network, &model, budget)
}

/// Writes an explicit model of a network.
pub(crate) fn write_model(network: &Network, model: &Explicit, budget: &Budget) -> Result<Converted, String> {
    let mut notes = Vec::new();
    let mut text = String::new();
    let kind = match model.kind {
        Kind::Dtmc => "DTMC",
        Kind::Ctmc => "CTMC",
        Kind::Mdp => "MDP",
        Kind::Ma => "Markov Automaton",
    };
    let choices: usize = model.rows.iter().map(Vec::len).sum();
    let names: Vec<String> = (network.rewards.iter().enumerate())
        .map(|(at, rewards)| {
            rewards
                .name
                .clone()
                .unwrap_or_else(|| format!("reward{}", at + 1))
        })
        .collect();
    if names.iter().any(|name| name.contains(char::is_whitespace)) {
        return Err("a reward structure has a name with spaces, which DRN cannot write".to_owned());
    }
    let labels: Vec<&(String, Expr)> = (network.labels.iter())
        .filter(|(name, _)| name != "init" && name != "deadlock")
        .collect();
    let line = |text: &mut String, part: &str| {
        text.push_str(part);
        text.push('\n');
    };
    line(
        &mut text,
        &format!(
            "@type: {kind}\n@parameters\n\n@reward_models\n{}",
            names.join(" ")
        ),
    );
    line(
        &mut text,
        &format!("@nr_states\n{}\n@nr_choices\n{choices}\n@model", model.rows.len()),
    );
    for state in 0..model.rows.len() {
        budget.check().map_err(|spent| spent.to_string())?;
        let mut head = format!("state {state}");
        if model.kind.is_timed() {
            let rate = model.rows[state][0].rate.clone().unwrap_or(Rational::ZERO);
            let _ = write!(head, " !{rate}");
        }
        if !names.is_empty() {
            let rewards = model.state_rewards.iter().map(|of| of[state].to_string());
            let _ = write!(head, " [{}]", rewards.collect::<Vec<_>>().join(", "));
        }
        if model.initial.contains(&(state as u32)) {
            head.push_str(" init");
        }
        if model.deadlocks.binary_search(&(state as u32)).is_ok() {
            head.push_str(" deadlock");
        }
        for (name, set) in &labels {
            let inside =
                interpreter::truth(network, set, &model.states[state], entail_source::Span::new(0, 0));
            if inside.map_err(|error| error.to_string())? {
                let _ = write!(head, " {name}");
            }
        }
        line(&mut text, &head);
        for (at, row) in model.rows[state].iter().enumerate() {
            write_row(&mut text, network, model, at, row, !names.is_empty());
        }
    }
    let unseen = network
        .variables
        .iter()
        .any(|variable| variable.domain != Domain::Bool)
        || network.variables.len() > 1;
    if unseen {
        notes.push("values of variables are not written: states have their labels".to_owned());
    }
    Ok(Converted {
        bytes: text.into_bytes(),
        notes,
    })
}

fn write_row(text: &mut String, network: &Network, model: &Explicit, at: usize, row: &Row, rewards: bool) {
    let name = match network.action_name(row.action) {
        Some(name) => name.to_owned(),
        None => at.to_string(),
    };
    let _ = write!(text, "\taction {name}");
    if rewards {
        let earned: Vec<String> = row.rewards.iter().map(ToString::to_string).collect();
        let _ = write!(text, " [{}]", earned.join(", "));
    }
    text.push('\n');
    let mut targets: Vec<&(u32, Rational)> = row.targets.iter().collect();
    targets.sort_by_key(|(target, _)| *target);
    for (target, probability) in targets {
        let weight = match (&row.rate, model.kind) {
            (Some(rate), Kind::Ctmc) => rate * probability,
            _ => probability.clone(),
        };
        let _ = writeln!(text, "\t\t{target} : {weight}");
    }
}
