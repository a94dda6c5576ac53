//! Many random runs of a model, told in a table: `entail simulate MODEL --samples N`.
//!
//! Shares have the exact interval (Clopper and Pearson 1934), means that of Student. Properties are estimated from runs of their own, as many, by the statistical engine.

use crate::model::StochasticModel;
use entail_budget::Budget;
use entail_family::{Model, Options, Survey};
use entail_markov::{Network, Property, Query, Rational, Unfolding};
use entail_probabilistic::{Choosing, Estimator, Sampling, Simulated, Simulation, Trouble, sample, simulate};
use entail_show::Table;
use entail_statistics::mean::{self, Numbers};
use entail_statistics::proportion::Share;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};

/// A run is stopped after so many steps, where nobody says how many.
const LONGEST: u64 = 1000;

/// More end states are not listed.
const MOST_ENDS: usize = 20;

/// What is told, row by row, for people and as JSON.
struct Told {
    rows: Vec<Vec<String>>,
    json: Vec<Json>,
    confidence: f64,
}

/// Runs the model, and tells what was seen.
pub(crate) fn survey(model: &StochasticModel, options: &Options, budget: &Budget) -> Result<Survey, Trouble> {
    let wrong = |message: String| Trouble::Unsupported(message);
    let number = |name: &str, usual: u64| -> Result<u64, Trouble> {
        let read = options.parsed(name, |text| text.parse::<u64>().map_err(|error| error.to_string()));
        Ok(read.map_err(|usage| wrong(usage.0))?.unwrap_or(usual))
    };
    let float = |text: &str| text.parse::<f64>().map_err(|error| error.to_string());
    let confidence = options.parsed("confidence", float).map_err(|usage| wrong(usage.0))?.unwrap_or(0.99);
    let choosing = match options.value("choices") {
        None => None,
        Some("uniform") => Some(Choosing::Uniform),
        Some(path) => Some(table(&model.network, path)?),
    };
    let simulation = Simulation {
        runs: number("samples", 1)?,
        seed: number("seed", 0)?,
        longest: number("steps", LONGEST)?,
        choosing,
    };
    let found = simulate(&model.network, &simulation, budget)?;
    let mut told = Told {
        rows: Vec::new(),
        json: Vec::new(),
        confidence,
    };
    told.seen(&model.network, &simulation, &found);
    for (at, property) in model.properties.iter().enumerate() {
        told.property(model, at, property, &simulation, budget)?;
    }
    let mut json = Map::new();
    json.insert("runs".into(), simulation.runs.into());
    json.insert("seed".into(), simulation.seed.into());
    json.insert("confidence".into(), confidence.into());
    json.insert("seen".into(), told.json.into());
    let percent = format!("{} % interval", 100.0 * confidence);
    Ok(Survey {
        json,
        table: Table {
            heads: vec![format!("in {} runs", simulation.runs), "estimate".to_owned(), percent],
            rows: told.rows,
        },
        incomplete: None,
        files: Vec::new(),
    })
}

impl Told {
    fn row(&mut self, what: String, kind: &str, estimate: f64, (low, high): (f64, f64)) {
        self.json.push(json!({
            "what": what, "kind": kind, "estimate": estimate, "lower": low, "upper": high,
        }));
        self.rows.push(vec![what, short(estimate), format!("[{}, {}]", short(low), short(high))]);
    }

    fn share(&mut self, what: String, kind: &str, successes: u64, runs: u64) {
        let share = Share { runs, successes };
        self.row(what, kind, share.estimate(), share.interval(self.confidence));
    }

    fn mean(&mut self, what: String, kind: &str, numbers: &Numbers) {
        let error = mean::error(numbers.count, numbers.deviation(), self.confidence);
        let middle = numbers.mean();
        self.row(what, kind, middle, (middle - error, middle + error));
    }

    fn seen(&mut self, network: &Network, simulation: &Simulation, found: &Simulated) {
        let runs = simulation.runs;
        if found.ended < runs {
            let what = format!("stopped after {} steps", simulation.longest);
            self.share(what, "stopped", runs - found.ended, runs);
        }
        self.mean("steps".to_owned(), "steps", &found.steps);
        if network.kind.is_timed() {
            self.mean("time".to_owned(), "time", &found.time);
        }
        for (at, (rewards, numbers)) in network.rewards.iter().zip(&found.rewards).enumerate() {
            let name = match &rewards.name {
                Some(name) => format!("reward \"{name}\""),
                None => format!("reward {}", at + 1),
            };
            self.mean(name, "reward", numbers);
        }
        for ((name, _), &reached) in network.labels.iter().zip(&found.reached) {
            self.share(format!("reaches \"{name}\""), "label", reached, runs);
        }
        for (state, count) in found.ends.iter().take(MOST_ENDS) {
            self.share(format!("ends in {}", network.show_state(state)), "end", *count, runs);
        }
        if found.ends.len() > MOST_ENDS {
            let others = &found.ends[MOST_ENDS..];
            let count = others.iter().map(|(_, count)| count).sum();
            self.share(format!("ends in {} other states", others.len()), "other ends", count, runs);
        }
    }

    /// A property, from as many runs of its own.
    fn property(
        &mut self,
        model: &StochasticModel,
        at: usize,
        property: &Property,
        simulation: &Simulation,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let heading = &model.properties()[at];
        let what = heading.name.clone().unwrap_or_else(|| heading.text.clone());
        let sampling = Sampling {
            confidence: self.confidence,
            error: 0.01,
            estimator: Estimator::Fixed(simulation.runs),
            importance: None,
            seed: simulation.seed.wrapping_add(1),
            longest: 10_000_000,
            choosing: simulation.choosing.clone(),
        };
        let mut asked = property.clone();
        if let Property::Probability { query, .. } = &mut asked {
            *query = Query::Value;
        }
        match sample(&model.network, &asked, &sampling, budget) {
            Ok(sampled) => {
                let share = Share {
                    runs: sampled.runs,
                    successes: sampled.successes,
                };
                self.row(what, "property", share.estimate(), sampled.interval);
            }
            Err(Trouble::Unsupported(reason) | Trouble::Undecided(reason)) => {
                self.json.push(json!({"what": what, "kind": "property", "reason": reason}));
                self.rows.push(vec![what, "not estimated".to_owned(), reason]);
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }
}

/// A number with six digits.
fn short(number: f64) -> String {
    match number.abs() {
        size if size == 0.0 || (1e-4..1e6).contains(&size) => {
            let digits = (5 - size.log10().floor().max(-4.0) as i32).clamp(0, 10) as usize;
            let text = format!("{number:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        _ => format!("{number:.5e}"),
    }
}

/// The choices of a scheduler that was written as JSON.
fn table(network: &Network, path: &str) -> Result<Choosing, Trouble> {
    let wrong = |reason: &str| Trouble::Unsupported(format!("--choices {path}: {reason}"));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let document: Json = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let listed = document["states"].as_array().ok_or_else(|| wrong("no scheduler: it has no states"))?;
    let mut states: FxHashMap<u64, Vec<i64>> = FxHashMap::default();
    for entry in listed {
        let values = entry["values"].as_object().ok_or_else(|| wrong("a state without values"))?;
        if values.len() != network.variables.len() {
            return Err(wrong("the scheduler is about other variables, or remembers something: write its chain as .drn, and run that"));
        }
        let value = |variable: &entail_markov::Variable| match values.get(&variable.name) {
            Some(Json::Bool(truth)) => Some(i64::from(*truth)),
            Some(number) => number.as_i64(),
            None => None,
        };
        let state: Option<Vec<i64>> = network.variables.iter().map(value).collect();
        let state = state.ok_or_else(|| wrong("a state of another model"))?;
        let number = entry["state"].as_u64().ok_or_else(|| wrong("a state without a number"))?;
        states.insert(number, state);
    }
    let mut unfolding = Unfolding::new(network);
    let mut table = FxHashMap::default();
    for entry in listed {
        let state = entry["state"].as_u64().and_then(|number| states.get(&number));
        let state = state.ok_or_else(|| wrong("a state without a number"))?;
        let targets = entry["targets"].as_array().ok_or_else(|| wrong("a state without targets"))?;
        let target = |target: &Json| -> Option<(u32, Rational)> {
            let state = states.get(&target["state"].as_u64()?)?;
            Some((unfolding.number(state), target["probability"].as_str()?.parse().ok()?))
        };
        let mut wanted: Vec<(u32, Rational)> =
            targets.iter().map(target).collect::<Option<_>>().ok_or_else(|| wrong("a target that is none"))?;
        wanted.sort();
        let action = entry["action"].as_str();
        let number = unfolding.number(state);
        let rows = unfolding.rows(number)?;
        let same = rows.iter().position(|row| {
            let mut own = row.targets.clone();
            own.sort();
            network.action_name(row.action) == action && own == wanted
        });
        let same = same.ok_or_else(|| wrong("the scheduler is about another model"))?;
        table.insert(state.clone(), same as u32);
    }
    Ok(Choosing::Table(table))
}
