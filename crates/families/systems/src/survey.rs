//! `--reachable` and `--save-order`: the reachable states in numbers, and the variable order that their search ends with.

use crate::model::SystemModel;
use crate::options::{check_options, engine_settings};
use entail_budget::{Budget, Progress};
use entail_dd::order::write_order;
use entail_evidence::CheckOptions;
use entail_family::{ModelError, Options, Survey, SurveyWish, Usage};
use entail_show::Table;
use entail_symbolic::{Exploration, InitialOrder, SymbolicEngine, SymbolicOptions};
use serde_json::{Map, json};

/// What the options ask for.
pub(crate) fn wish(options: &Options) -> SurveyWish {
    match (options.has("reachable"), options.has("save-order")) {
        (true, _) => SurveyWish::Instead,
        (false, true) => SurveyWish::Beside,
        (false, false) => SurveyWish::None,
    }
}

/// Searches the reachable states.
pub(crate) fn survey(
    model: &SystemModel,
    options: &Options,
    budget: &Budget,
    progress: &dyn Progress,
) -> Option<Result<Survey, ModelError>> {
    if wish(options) == SurveyWish::None {
        return None;
    }
    let (check, diagrams) = match settings(model, options) {
        Ok(settings) => settings,
        Err(Usage(message)) => {
            return Some(Err(ModelError {
                message,
                place: None,
                timeline: None,
                help: None,
            }));
        }
    };
    let engine = SymbolicEngine { options: diagrams };
    let found = engine.explore(model.system(), &check, budget, progress);
    Some(match found {
        Ok(found) => Ok(shown(found, options)),
        Err(error) => Err(model.error(error)),
    })
}

fn settings(model: &SystemModel, options: &Options) -> Result<(CheckOptions, SymbolicOptions), Usage> {
    let mut diagrams = engine_settings(options)?.bdd;
    if let Some(order) = &model.asked.order {
        diagrams.order = InitialOrder::Listed(order.clone());
    }
    Ok((check_options(options)?, diagrams))
}

fn shown(found: Exploration, options: &Options) -> Survey {
    let document = json!({
        "states": found.states, "log2_states": found.log2_states, "complete": found.incomplete.is_none(),
        "reason": found.incomplete, "diameter": found.diameter, "rounds": found.rounds,
        "dead_ends": found.dead_ends, "state_bits": found.state_bits, "input_bits": found.input_bits,
        "relation_nodes": found.relation_nodes, "reached_nodes": found.reached_nodes,
        "peak_nodes": found.peak_nodes, "reorderings": found.reorderings,
    });
    let known = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
    let complete = match &found.incomplete {
        None => "yes".to_owned(),
        Some(reason) => format!("no: {reason}"),
    };
    let rows = [
        ("reachable states", found.states.clone()),
        ("  about", known(found.log2_states.map(|log| format!("2^{log}")))),
        ("complete", complete),
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
    let order = options
        .value("save-order")
        .map(|path| (path.into(), write_order(&found.order)));
    Survey {
        json: Map::from_iter([("reachable".to_owned(), document)]),
        table: Table {
            heads: vec![String::new(); 2],
            rows: rows.map(|(name, value)| vec![name.to_owned(), value]).into(),
        },
        incomplete: found.incomplete,
        files: order.into_iter().collect(),
    }
}
