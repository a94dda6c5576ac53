//! The smallest model that is bisimilar to a given one, with the classes checked before it is written.
//!
//! The engine finds the classes on its own state space, whose states have the numbers of the reference interpreter. The checker judges them on the reference
//! interpreter's model, from which the smaller one is then made: a state for each class, with the choices of the class's first state.

use crate::explicit_files;
use entail_answer::CheckReport;
use entail_budget::{Budget, Silent};
use entail_family::Quotient;
use entail_markov::{Explicit, Network, Rational, Row, explore};
use entail_probabilistic::{Settings, Workshop};
use entail_stochastic_checker::partition;
use std::collections::HashMap;
use std::time::Instant;

/// Larger models are not minimised: the reference interpreter has to build them.
const MOST_STATES: usize = 1_000_000;

/// The quotient of a network as a file.
pub(crate) fn minimised(network: &Network, extension: &str, budget: &Budget) -> Result<Quotient, String> {
    let start = Instant::now();
    let classes = Workshop::new(network, Settings::default(), MOST_STATES, budget, &Silent)
        .and_then(|mut workshop| workshop.bisimilar(budget))
        .map_err(|trouble| trouble.to_string())?;
    let time = start.elapsed();
    let model = explore(network, MOST_STATES, budget).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let not_checked = match partition::judge(network, &model, &classes, budget) {
        CheckReport::Accepted => None,
        CheckReport::Rejected { reason } => return Err(format!("the classes were rejected: {reason}")),
        CheckReport::Partly { unchecked } => {
            Some(format!("the result was not re-checked: {}", unchecked.join("; ")))
        }
    };
    let check_time = start.elapsed();
    let small = quotient(&model, &classes);
    let mut written = match extension {
        "drn" => crate::drn::write_model(network, &small, budget)?,
        "umb" => crate::umb::write_model(network, &small)?,
        _ => explicit_files::write_model(network, &small, extension)?,
    };
    if small.kind.has_choices() {
        (written.notes).push("choices that differ only by their action are one".to_owned());
    }
    let size = |model: &Explicit| {
        let rows = model.rows.iter().flatten();
        (model.rows.len(), rows.map(|row| row.targets.len()).sum())
    };
    Ok(Quotient {
        written,
        before: size(&model),
        after: size(&small),
        classes,
        time,
        check_time,
        not_checked,
    })
}

/// The model with a state for each class. Classes are numbered in the order of their first states.
fn quotient(model: &Explicit, classes: &[u32]) -> Explicit {
    let mut first: Vec<usize> = Vec::new();
    for (state, &class) in classes.iter().enumerate() {
        if class as usize == first.len() {
            first.push(state);
        }
    }
    let of_classes = |states: &[u32]| {
        let mut found: Vec<u32> = states.iter().map(|&state| classes[state as usize]).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    Explicit {
        kind: model.kind,
        states: first.iter().map(|&state| model.states[state].clone()).collect(),
        rows: first
            .iter()
            .map(|&state| rows(&model.rows[state], classes))
            .collect(),
        initial: of_classes(&model.initial),
        deadlocks: of_classes(&model.deadlocks),
        state_rewards: (model.state_rewards.iter())
            .map(|of| first.iter().map(|&state| of[state].clone()).collect())
            .collect(),
    }
}

/// The choices of a state, with classes for targets; those that are now the same, once.
fn rows(rows: &[Row], classes: &[u32]) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    for row in rows {
        let mut positions: HashMap<u32, usize> = HashMap::new();
        let mut targets: Vec<(u32, Rational)> = Vec::new();
        for (target, probability) in &row.targets {
            let class = classes[*target as usize];
            match positions.get(&class) {
                Some(&at) => targets[at].1 += probability,
                None => {
                    positions.insert(class, targets.len());
                    targets.push((class, probability.clone()));
                }
            }
        }
        targets.sort_by_key(|(class, _)| *class);
        let known = found
            .iter()
            .any(|other| other.targets == targets && other.rate == row.rate && other.rewards == row.rewards);
        if !known {
            found.push(Row {
                targets,
                ..row.clone()
            });
        }
    }
    found
}
