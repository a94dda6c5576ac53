//! Proofs by sets of states as JSON: one list of lines for all their formulas, and the numbers of those that are meant.
//!
//! ```json
//! {"kind": "fixpoints", "monitored": false, "nodes": ["var x", …], "reachable": 12,
//!  "unfair": {"states": 14, "progress": [{"stages": [[14, 0]]}]},
//!  "operators": [{"states": 20, "progress": [{"stages": [[16, null], [20, null]], "strategy": [["x", 30]]}]}]}
//! ```
//!
//! A stage is the number of its states and the number of the justice condition that is not met in it. What all this means is said in [`crate::FixpointProof`]'s module.

use super::document::{ReadError, field, index, list, object};
use super::term_list::{LineReader, LineWriter, read_lines};
use crate::{FixpointProof, FixpointStage, Progress, ProvedSet};
use entail_model::{TransitionSystem, VarId};
use serde_json::{Map, Value as Json, json};

/// The proof with everything needed to check it; nothing is added if it has a part that cannot be written.
pub(super) fn add_to(json: &mut Json, system: &TransitionSystem, proof: &FixpointProof) {
    if let (Some(written), Some(map)) = (to_map(system, proof), json.as_object_mut()) {
        map.extend(written);
    }
}

fn to_map(system: &TransitionSystem, proof: &FixpointProof) -> Option<Map<String, Json>> {
    let mut writer = LineWriter::new(system, &proof.terms);
    let mut map = Map::new();
    map.insert("reachable".into(), writer.add(proof.reachable)?.into());
    for (key, set) in [("unfair", &proof.unfair), ("fair", &proof.fair)] {
        if let Some(set) = set {
            map.insert(key.into(), set_to_json(system, &mut writer, set)?);
        }
    }
    let operators = (proof.operators.iter()).map(|set| set_to_json(system, &mut writer, set));
    let operators = operators.collect::<Option<Vec<Json>>>()?;
    map.insert("operators".into(), operators.into());
    map.insert("nodes".into(), Json::Array(writer.lines));
    Some(map)
}

fn set_to_json(system: &TransitionSystem, writer: &mut LineWriter<'_>, set: &ProvedSet) -> Option<Json> {
    let mut progress = Vec::new();
    for each in &set.progress {
        let mut stages = Vec::new();
        for stage in &each.stages {
            stages.push(json!([writer.add(stage.states)?, stage.unmet]));
        }
        let mut strategy = Vec::new();
        for &(variable, value) in &each.strategy {
            let name = match system.variables().get(variable.index()) {
                Some(known) => Json::from(&*known.name),
                None => (variable.index() - system.variables().len()).into(),
            };
            strategy.push(json!([name, writer.add(value)?]));
        }
        progress.push(json!({"stages": stages, "strategy": strategy}));
    }
    Some(json!({"states": writer.add(set.states)?, "progress": progress}))
}

/// Reads a proof. `monitors` says how many Boolean variables may follow the model's.
pub(super) fn from_json(
    system: &TransitionSystem,
    map: &Map<String, Json>,
    monitors: usize,
) -> Result<FixpointProof, ReadError> {
    let monitored = map.get("monitored").and_then(Json::as_bool).unwrap_or(false);
    let monitors = if monitored { monitors } else { 0 };
    let nodes = field(map, "evidence", "nodes")?;
    let mut reader = read_lines(system, monitors, nodes, "evidence.nodes")?;
    let reachable = reader.condition(field(map, "evidence", "reachable")?, "evidence.reachable")?;
    let mut set = |key: &str| match map.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(json) => set_from_json(system, &mut reader, json, &format!("evidence.{key}")).map(Some),
    };
    let (unfair, fair) = (set("unfair")?, set("fair")?);
    let mut operators = Vec::new();
    let written = list(field(map, "evidence", "operators")?, "evidence.operators")?;
    for (at, json) in written.iter().enumerate() {
        let place = format!("evidence.operators[{at}]");
        operators.push(set_from_json(system, &mut reader, json, &place)?);
    }
    Ok(FixpointProof {
        terms: reader.terms,
        monitored,
        reachable,
        unfair,
        fair,
        operators,
        hazards: None,
    })
}

fn set_from_json(
    system: &TransitionSystem,
    reader: &mut LineReader<'_>,
    json: &Json,
    place: &str,
) -> Result<ProvedSet, ReadError> {
    let map = object(json, place)?;
    let states = reader.condition(field(map, place, "states")?, place)?;
    let mut progress = Vec::new();
    for json in list(field(map, place, "progress")?, place)? {
        let map = object(json, place)?;
        let mut read = Progress::default();
        for stage in list(field(map, place, "stages")?, place)? {
            let [states, unmet] = list(stage, place)?.as_slice() else {
                return Err(ReadError::shape(place, "a stage is a pair of numbers"));
            };
            read.stages.push(FixpointStage {
                states: reader.condition(states, place)?,
                unmet: match unmet {
                    Json::Null => None,
                    number => Some(index(number, place)?),
                },
            });
        }
        for choice in list(field(map, place, "strategy")?, place)? {
            let [name, value] = list(choice, place)?.as_slice() else {
                return Err(ReadError::shape(place, "a choice is a variable and a number"));
            };
            let variables = system.variables();
            let position = match name.as_str() {
                Some(name) => variables.iter().position(|known| &*known.name == name),
                None => variables.len().checked_add(index(name, place)?),
            };
            let position = position.and_then(|position| u32::try_from(position).ok());
            let position =
                position.ok_or_else(|| ReadError::foreign(place, "the model has no such variable"))?;
            let value = reader.term(value, place)?;
            read.strategy.push((VarId::new(position), value));
        }
        progress.push(read);
    }
    Ok(ProvedSet { states, progress })
}
