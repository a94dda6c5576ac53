//! Ranks as evidence of GR(1) specifications: no machine is made where only the answer is asked for.

use crate::questions::claimed;
use entail_answer::{CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::ReadError;
use entail_game::{EnvironmentLayer, Gr1Proof, Gr1Ranks, Player, SystemLayer, WrittenSet, WrittenSets};
use entail_games_checker::gr1::{Claim, check};
use entail_synthesis::{Goal, Problem};
use serde_json::{Map, Value as Json, json};

/// The engine's name.
pub(crate) const ENGINE: &str = "gr1";
/// What is said of it.
pub(crate) const ABOUT: &str = "specifications of steps and of what recurs (GR(1)): nested fixpoints with decision diagrams; the evidence is ranks, no machine";

/// Why a GR(1) specification is realizable or not.
#[derive(Clone, Debug)]
pub(crate) struct Ranks(pub Gr1Proof);

impl Evidence for Ranks {
    fn kind(&self) -> &'static str {
        "ranks"
    }
}

impl Ranks {
    /// Whether they show what is claimed.
    pub fn judged(&self, problem: &Problem, verdict: Verdict, budget: &Budget) -> CheckReport {
        let Goal::Formula(formula) = &problem.goal else {
            return CheckReport::rejected("ranks are about formulas");
        };
        let claim = Claim {
            formula,
            inputs: &problem.inputs,
            outputs: &problem.outputs,
            first: problem.first,
            winner: claimed(verdict),
        };
        check(&claim, &self.0, budget)
    }

    /// What is said of them.
    pub fn described(&self) -> String {
        let (who, what) = match self.0.ranks.winner() {
            Player::Even => (
                "the system",
                "in each it comes nearer to a goal, or an assumption is not met",
            ),
            Player::Odd => (
                "the environment",
                "in each it prevents a goal and meets its assumptions",
            ),
        };
        format!(
            "{who} wins by ranks: {} layers of states ({} nodes); {what} (`entail synth` makes a machine of it)",
            self.0.ranks.layers(),
            self.0.sets.nodes.len()
        )
    }

    /// In a few numbers.
    pub fn summary(&self, into: &mut Map<String, Json>) {
        let of = match self.0.ranks.winner() {
            Player::Even => "system",
            Player::Odd => "environment",
        };
        into.insert("of".into(), of.into());
        into.insert("layers".into(), self.0.ranks.layers().into());
        into.insert("nodes".into(), self.0.sets.nodes.len().into());
    }

    /// All of them.
    pub fn save(&self, into: &mut Map<String, Json>) {
        into.insert("order".into(), json!(self.0.sets.order));
        into.insert("sets".into(), json!(self.0.sets.nodes));
        into.insert("ranks".into(), ranks_to_json(&self.0.ranks));
        if let Some(broken) = &self.0.broken {
            into.insert("broken".into(), ranks_to_json(broken));
        }
    }

    /// Reads what was saved.
    pub fn from_json(evidence: &Json) -> Result<Ranks, ReadError> {
        let strings = |json: &Json| json.as_str().map(str::to_owned);
        let order = list(&evidence["order"], strings).ok_or("`order`: expected the names of signals")?;
        let node = |json: &Json| {
            let numbers = list(json, number)?;
            <[u32; 3]>::try_from(numbers).ok()
        };
        let nodes = list(&evidence["sets"], node).ok_or("`sets`: expected nodes of three numbers")?;
        let broken = match evidence.get("broken") {
            Some(json) => Some(ranks_from_json(json).ok_or("`broken`: these are no ranks")?),
            None => None,
        };
        Ok(Ranks(Gr1Proof {
            sets: WrittenSets { order, nodes },
            ranks: ranks_from_json(&evidence["ranks"]).ok_or("`ranks`: these are no ranks")?,
            broken,
        }))
    }
}

fn ranks_to_json(ranks: &Gr1Ranks) -> Json {
    match ranks {
        Gr1Ranks::System { wins, goals } => {
            let layer = |layer: &SystemLayer| json!([layer.assumption, layer.states.0]);
            let goals: Vec<Vec<Json>> = goals
                .iter()
                .map(|layers| layers.iter().map(layer).collect())
                .collect();
            json!({"wins": wins.0, "goals": goals})
        }
        Gr1Ranks::Environment { layers } => {
            let hunt = |hunt: &Vec<WrittenSet>| hunt.iter().map(|set| set.0).collect::<Vec<u32>>();
            let layer = |layer: &EnvironmentLayer| {
                let hunts: Vec<Vec<u32>> = layer.hunts.iter().map(hunt).collect();
                json!({"goal": layer.goal, "states": layer.states.0, "hunts": hunts})
            };
            json!({"layers": layers.iter().map(layer).collect::<Vec<Json>>()})
        }
    }
}

fn ranks_from_json(json: &Json) -> Option<Gr1Ranks> {
    if let Some(layers) = json.get("layers") {
        let layer = |json: &Json| {
            Some(EnvironmentLayer {
                goal: number(&json["goal"])?,
                states: set(&json["states"])?,
                hunts: list(&json["hunts"], |hunt| list(hunt, set))?,
            })
        };
        return Some(Gr1Ranks::Environment {
            layers: list(layers, layer)?,
        });
    }
    let layer = |json: &Json| {
        Some(SystemLayer {
            assumption: number(json.get(0)?)?,
            states: set(json.get(1)?)?,
        })
    };
    Some(Gr1Ranks::System {
        wins: set(&json["wins"])?,
        goals: list(&json["goals"], |layers| list(layers, layer))?,
    })
}

fn list<T>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(read).collect()
}

fn number(json: &Json) -> Option<u32> {
    u32::try_from(json.as_u64()?).ok()
}

fn set(json: &Json) -> Option<WrittenSet> {
    number(json).map(WrittenSet)
}

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;
