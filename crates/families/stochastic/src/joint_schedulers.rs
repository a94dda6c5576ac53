//! Schedulers for several objectives, as a file: for each point the shares in which schedulers are mixed, and what each of them does.
//!
//! They are those of the certificate, which the checker has judged. A state is one of the joint process: the variables, the steps so far (up to the largest bound on
//! steps), the states of the automata that follow the path formulas. Only states that a scheduler reaches are written.

use crate::checker::MOST_STATES;
use entail_budget::Budget;
use entail_markov::{Certificate, Decision, Domain, Explicit, JointScheduler, Network, Property};
use entail_stochastic_checker::check::Checker as Bounds;
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// The text of a file with this name.
pub(crate) fn text(
    network: &Network,
    property: &Property,
    certificate: &Certificate,
    path: &Path,
) -> Result<String, String> {
    if path.extension().is_none_or(|extension| extension != "json") {
        let path = path.display();
        return Err(format!("{path}: schedulers for several objectives are written as .json"));
    }
    let achievements = certificate.achievements.first().filter(|found| !found.schedulers.is_empty());
    let achievements = achievements.ok_or("no scheduler was found: nothing is reached, or the process is large")?;
    let budget = Budget::unlimited();
    let checker = Bounds::new(network.clone(), MOST_STATES, &budget).map_err(|error| error.to_string())?;
    let joint = checker.joint_process(property, certificate, &budget)?;
    let schedulers: Vec<Json> = (achievements.schedulers.iter())
        .map(|scheduler| told(network, &joint, scheduler))
        .collect::<Option<_>>()
        .ok_or("the schedulers are about another model")?;
    let points: Vec<Json> = (achievements.points.iter())
        .map(|shares| {
            let shares: Vec<String> = shares.0.iter().map(ToString::to_string).collect();
            json!({"shares": shares})
        })
        .collect();
    Ok(format!("{:#}\n", json!({"points": points, "schedulers": schedulers})))
}

/// What a scheduler does in the states that it reaches; nothing if it takes what is not there.
fn told(network: &Network, joint: &Explicit, scheduler: &JointScheduler) -> Option<Json> {
    let mut seen = vec![false; joint.rows.len()];
    let mut waiting = joint.initial.clone();
    let mut states = Vec::new();
    while let Some(state) = waiting.pop() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        let values = &joint.states[state as usize];
        let named = network.variables.iter().zip(values).map(|(variable, &value)| {
            let value = match variable.domain {
                Domain::Bool => json!(value != 0),
                _ => json!(value),
            };
            (variable.name.clone(), value)
        });
        let named: Map<String, Json> = named.collect();
        let rest = values.get(network.variables.len()..)?;
        let mut own = json!({"state": state, "values": named, "steps": rest.first()?, "automata": &rest[1..]});
        match scheduler.decisions.get(state as usize).copied().flatten()? {
            Decision::Take(choice) => {
                let row = joint.rows[state as usize].get(choice as usize)?;
                let target = |(target, probability): &(u32, entail_markov::Rational)| {
                    json!({"state": target, "probability": probability.to_string()})
                };
                own["action"] = json!(network.action_name(row.action));
                own["targets"] = row.targets.iter().map(target).collect();
                waiting.extend(row.targets.iter().map(|(target, _)| *target));
            }
            // It stays among states in which these automata accept, and earns nothing any more.
            Decision::Stay(accepting) => {
                let automata = 0..rest.len() as u32 - 1;
                own["stays"] = automata.filter(|at| accepting >> at & 1 == 1).collect();
            }
        }
        states.push(own);
    }
    states.sort_by_key(|own| own["state"].as_u64());
    Some(json!({"states": states}))
}
