//! Explicit models as UMB archives: every reachable state with its labels, rewards, choices, transitions and the values of variables.
//!
//! The model is the reference interpreter's, so that what is written is what the model means, in exact numbers.

use entail_budget::Budget;
use entail_drn::{Choice, Outcome, State, Table, write_umb};
use entail_family::Converted;
use entail_markov::{Explicit, Network, Rational, Row, explore, interpreter};
use entail_source::Span;

/// Larger models are not written.
const MOST_STATES: usize = 1_000_000;

/// Writes a network.
pub(crate) fn write(network: &Network, budget: &Budget) -> Result<Converted, String> {
    let model = explore(network, MOST_STATES, budget).map_err(|error| error.to_string())?;
    write_model(network, &model)
}

/// Writes an explicit model of a network.
pub(crate) fn write_model(network: &Network, model: &Explicit) -> Result<Converted, String> {
    Ok(Converted {
        bytes: write_umb(&table(network, model)?)?,
        notes: Vec::new(),
    })
}

/// The table of an explicit model.
fn table(network: &Network, model: &Explicit) -> Result<Table, String> {
    let nowhere = Span::new(0, 0);
    let mut labels = Vec::new();
    for (name, set) in &network.labels {
        let mut states = Vec::new();
        for (number, state) in (0u32..).zip(&model.states) {
            let inside = interpreter::truth(network, set, state, nowhere);
            states.extend(inside.map_err(|error| error.to_string())?.then_some(number));
        }
        labels.push((name.clone(), states));
    }
    let earned = |structure: usize| {
        let rewards = (0u32..).zip(&model.state_rewards[structure]);
        rewards
            .filter(|(_, reward)| !reward.is_zero())
            .map(|(state, reward)| (state, reward.clone()))
            .collect()
    };
    let rewards = network.rewards.iter().enumerate();
    let variables = (network.variables.iter().enumerate()).filter(|(_, variable)| !variable.hidden);
    Ok(Table {
        kind: model.kind,
        states: (model.rows.iter())
            .map(|rows| State {
                choices: rows.iter().map(choice).collect(),
                place: nowhere,
            })
            .collect(),
        actions: network.actions.clone(),
        initial: model.initial.clone(),
        labels,
        rewards: rewards
            .map(|(structure, rewards)| (rewards.name.clone(), earned(structure)))
            .collect(),
        variables: variables
            .map(|(at, variable)| {
                let values = model.states.iter().map(|state| state[at]);
                (variable.clone(), values.collect())
            })
            .collect(),
    })
}

fn choice(row: &Row) -> Choice {
    let mut targets: Vec<&(u32, Rational)> = row.targets.iter().collect();
    targets.sort_by_key(|(target, _)| *target);
    let rewards = row.rewards.iter().enumerate();
    let earned = rewards.filter(|(_, reward)| !reward.is_zero());
    Choice {
        action: row.action.map(|action| action.0),
        rate: row.rate.clone(),
        outcomes: (targets.into_iter())
            .map(|(target, weight)| Outcome {
                target: *target,
                weight: weight.clone(),
            })
            .collect(),
        earned: earned
            .flat_map(|(structure, reward)| {
                (0..row.targets.len()).map(move |outcome| (structure, outcome, reward.clone()))
            })
            .collect(),
    }
}
