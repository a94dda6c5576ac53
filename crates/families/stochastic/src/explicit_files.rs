//! Explicit models as PRISM writes them: transitions (`.tra`), states (`.sta`), labels (`.lab`), state rewards (`.srew`), one file each.
//!
//! The model is the reference interpreter's, states are numbered as it numbers them, so that the files of one model go together. Probabilities are
//! decimals, as PRISM reads no fractions here: the nearest double.

use entail_budget::Budget;
use entail_family::Converted;
use entail_markov::{Domain, Explicit, Kind, Network, Row, explore, interpreter, to_float};
use std::fmt::Write;

/// Larger models are not written.
const MOST_STATES: usize = 1_000_000;

/// How a model is written.
type Writer = fn(&Network, &Explicit) -> Result<String, String>;

fn writer(extension: &str) -> Option<Writer> {
    match extension {
        "tra" => Some(transitions),
        "sta" => Some(states),
        "lab" => Some(labels),
        "srew" => Some(state_rewards),
        _ => None,
    }
}

/// The file with an extension; nothing if it is none of these.
pub(crate) fn write(
    network: &Network,
    extension: &str,
    budget: &Budget,
) -> Option<Result<Converted, String>> {
    let text = writer(extension)?;
    let model = explore(network, MOST_STATES, budget).map_err(|error| error.to_string());
    Some(
        model
            .and_then(|model| text(network, &model))
            .map(Converted::whole),
    )
}

/// The file with an extension of an explicit model of a network.
pub(crate) fn write_model(network: &Network, model: &Explicit, extension: &str) -> Result<Converted, String> {
    match writer(extension) {
        Some(text) => text(network, model).map(Converted::whole),
        None => Err(format!("there are no files with the extension .{extension}")),
    }
}

/// The rate or probability of a transition.
fn weight(model: &Explicit, row: &Row, at: usize) -> f64 {
    let probability = &row.targets[at].1;
    match (&row.rate, model.kind) {
        (Some(rate), Kind::Ctmc) => to_float(&(rate * probability)),
        _ => to_float(probability),
    }
}

fn transitions(network: &Network, model: &Explicit) -> Result<String, String> {
    if model.kind == Kind::Ma {
        return Err("PRISM has no Markov automata: write a .drn file".to_owned());
    }
    let choices = model.kind.has_choices();
    let rows = model.rows.iter().flatten();
    let count: usize = rows.clone().map(|row| row.targets.len()).sum();
    let mut text = match choices {
        true => format!("{} {} {count}\n", model.rows.len(), rows.count()),
        false => format!("{} {count}\n", model.rows.len()),
    };
    for (state, rows) in model.rows.iter().enumerate() {
        for (choice, row) in rows.iter().enumerate() {
            let mut order: Vec<usize> = (0..row.targets.len()).collect();
            order.sort_by_key(|&at| row.targets[at].0);
            for at in order {
                let (target, weight) = (row.targets[at].0, weight(model, row, at));
                let _ = match (choices, network.action_name(row.action)) {
                    (true, Some(action)) => writeln!(text, "{state} {choice} {target} {weight} {action}"),
                    (true, None) => writeln!(text, "{state} {choice} {target} {weight}"),
                    (false, _) => writeln!(text, "{state} {target} {weight}"),
                };
            }
        }
    }
    Ok(text)
}

fn states(network: &Network, model: &Explicit) -> Result<String, String> {
    let names: Vec<&str> = (network.variables.iter())
        .map(|variable| variable.name.as_str())
        .collect();
    let mut text = format!("({})\n", names.join(","));
    for (number, state) in model.states.iter().enumerate() {
        let value = |(value, variable): (&i64, &entail_markov::Variable)| match variable.domain {
            Domain::Bool => (*value != 0).to_string(),
            _ => value.to_string(),
        };
        let values: Vec<String> = state.iter().zip(&network.variables).map(value).collect();
        let _ = writeln!(text, "{number}:({})", values.join(","));
    }
    Ok(text)
}

fn labels(network: &Network, model: &Explicit) -> Result<String, String> {
    let own: Vec<_> = (network.labels.iter())
        .filter(|(name, _)| name != "init" && name != "deadlock")
        .collect();
    let names = ["init", "deadlock"]
        .into_iter()
        .chain(own.iter().map(|(name, _)| name.as_str()));
    let names: Vec<String> = names
        .enumerate()
        .map(|(at, name)| format!("{at}=\"{name}\""))
        .collect();
    let mut text = format!("{}\n", names.join(" "));
    for (number, state) in model.states.iter().enumerate() {
        let mut found = Vec::new();
        found.extend(model.initial.contains(&(number as u32)).then_some(0));
        found.extend(
            model
                .deadlocks
                .binary_search(&(number as u32))
                .is_ok()
                .then_some(1),
        );
        for (at, (_, set)) in own.iter().enumerate() {
            let inside = interpreter::truth(network, set, state, entail_source::Span::new(0, 0));
            found.extend(inside.map_err(|error| error.to_string())?.then_some(at + 2));
        }
        if !found.is_empty() {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "{number}: {}", found.join(" "));
        }
    }
    Ok(text)
}

/// The rewards of states by the first structure.
fn state_rewards(_network: &Network, model: &Explicit) -> Result<String, String> {
    let Some(rewards) = model.state_rewards.first() else {
        return Err("the model has no rewards".to_owned());
    };
    let earning: Vec<_> = (rewards.iter().enumerate())
        .filter(|(_, reward)| !reward.is_zero())
        .collect();
    let mut text = format!("{} {}\n", rewards.len(), earning.len());
    for (state, reward) in earning {
        let _ = writeln!(text, "{state} {}", to_float(reward));
    }
    Ok(text)
}
