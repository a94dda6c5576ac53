//! `entail check --reachable`: the reachable states in numbers.

use crate::arguments::Check;
use crate::failure::{HOLDS, Stop, UNKNOWN, meaningless};
use crate::load::write_text;
use crate::progress_line::ProgressLine;
use crate::terminal::{print, print_json};
use entail::{Exploration, Model, Request, SymbolicEngine};
use entail_budget::Budget;
use entail_dd::order::write_order;
use serde_json::json;

/// Explores, prints, and saves the order if that was asked for.
pub fn run(model: &Model, request: &Request, options: &Check) -> Result<u8, Stop> {
    let found = explore(model, request, options)?;
    if options.json {
        let document = json!({
            "entail": env!("CARGO_PKG_VERSION"), "model": model.source().name(), "language": model.language().name(),
            "reachable": {
                "states": found.states, "log2_states": found.log2_states, "complete": found.incomplete.is_none(),
                "reason": found.incomplete, "diameter": found.diameter, "rounds": found.rounds,
                "dead_ends": found.dead_ends, "state_bits": found.state_bits, "input_bits": found.input_bits,
                "relation_nodes": found.relation_nodes, "reached_nodes": found.reached_nodes,
                "peak_nodes": found.peak_nodes, "reorderings": found.reorderings,
            },
        });
        print_json(&format!("{document:#}\n"));
    } else {
        let known = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
        let rows = [
            ("reachable states", found.states.clone()),
            ("  about", known(found.log2_states.map(|log| format!("2^{log}")))),
            (
                "complete",
                found
                    .incomplete
                    .clone()
                    .map_or("yes".to_owned(), |reason| format!("no: {reason}")),
            ),
            (
                "diameter",
                known(found.diameter.map(|diameter| diameter.to_string())),
            ),
            ("rounds", found.rounds.to_string()),
            ("dead ends", known(found.dead_ends.clone())),
            ("bits of a state", found.state_bits.to_string()),
            ("bits of the inputs", found.input_bits.to_string()),
            ("nodes: relation", found.relation_nodes.to_string()),
            ("nodes: reachable set", found.reached_nodes.to_string()),
            ("nodes: peak", found.peak_nodes.to_string()),
            ("reorderings", found.reorderings.to_string()),
        ];
        for (name, value) in rows {
            print(&format!("{name:<22} {value}\n"));
        }
    }
    Ok(if found.incomplete.is_none() {
        HOLDS
    } else {
        UNKNOWN
    })
}

/// Explores and saves the variable order at the end, if that was asked for.
pub fn explore(model: &Model, request: &Request, options: &Check) -> Result<Exploration, Stop> {
    let engine = SymbolicEngine {
        options: request.settings.bdd.clone(),
    };
    let budget = Budget::unlimited()
        .with_timeout(request.timeout)
        .with_memory(request.memory)
        .with_default_memory(request.default_memory)
        .with_cancellation(request.cancellation.clone());
    let line = ProgressLine::new(!options.json);
    let found = engine.explore(model.system(), &request.options, &budget, &line);
    line.clear();
    let found = found.map_err(|error| meaningless(model, &error))?;
    if let Some(path) = &options.save_order {
        write_text(path, &write_order(&found.order))?;
    }
    Ok(found)
}
