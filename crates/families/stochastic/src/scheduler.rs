//! Schedulers for people and other programs: which choice every state takes, and the chain that this makes.
//!
//! Only states that the scheduler reaches are written. Without memory states are those of the reference interpreter, so that a file says what was checked; with memory
//! they are pairs of such a state and what is remembered, numbered from the initial ones, and the variable `memory` has the number of the latter.

use entail_budget::Budget;
use entail_markov::{Domain, Explicit, Kind, Memory, Network, Rational, Row, Strategy, Variable, explore};
use entail_show::Table;
use entail_stochastic_checker::play::play;
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Larger models are not listed.
const MOST_STATES: usize = 1_000_000;

/// More rows are not shown in a terminal.
const MOST_ROWS: usize = 30;

/// The chain that a scheduler makes, and its reachable states.
pub(crate) struct Induced<'n> {
    network: Cow<'n, Network>,
    model: Explicit,
    /// States with more than one choice before.
    decided: Vec<bool>,
    reached: Vec<u32>,
}

impl<'n> Induced<'n> {
    pub fn new(network: &'n Network, strategy: &Strategy) -> Result<Induced<'n>, String> {
        let budget = Budget::unlimited();
        let model = explore(network, MOST_STATES, &budget).map_err(|error| error.to_string())?;
        match strategy.memory {
            Memory::Nothing => Induced::forgetful(network, model, strategy),
            _ => Induced::remembering(network, &model, strategy, &budget),
        }
    }

    /// The chain of a scheduler without memory: states keep their numbers.
    fn forgetful(
        network: &'n Network,
        mut model: Explicit,
        strategy: &Strategy,
    ) -> Result<Induced<'n>, String> {
        let fits = |(choice, rows): (&u32, &Vec<Row>)| (*choice as usize) < rows.len();
        if model.rows.len() != strategy.choices.len() || !strategy.choices.iter().zip(&model.rows).all(fits) {
            return Err("the scheduler is about another model".to_owned());
        }
        let decided = model.rows.iter().map(|rows| rows.len() > 1).collect();
        for (rows, &choice) in model.rows.iter_mut().zip(&strategy.choices) {
            *rows = vec![rows.swap_remove(choice as usize)];
        }
        let mut seen = vec![false; model.rows.len()];
        let mut reached = Vec::new();
        let mut waiting = model.initial.clone();
        while let Some(state) = waiting.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                reached.push(state);
                let targets = model.rows[state as usize][0].targets.iter();
                waiting.extend(targets.map(|(target, _)| *target));
            }
        }
        reached.sort_unstable();
        Ok(Induced {
            network: Cow::Borrowed(network),
            model,
            decided,
            reached,
        })
    }

    /// The chain of a scheduler that remembers something: what it remembers is one more variable.
    fn remembering(
        network: &Network,
        model: &Explicit,
        strategy: &Strategy,
        budget: &Budget,
    ) -> Result<Induced<'n>, String> {
        let played = play(model, strategy, budget)?;
        let mut network = network.clone();
        let mut name = "memory".to_owned();
        while network.variables.iter().any(|variable| variable.name == name) {
            name.push('_');
        }
        network.variables.push(Variable {
            name,
            domain: Domain::Range(0, played.memories.unwrap_or(0)),
            hidden: false,
        });
        Ok(Induced {
            network: Cow::Owned(network),
            reached: (0..played.model.rows.len() as u32).collect(),
            model: played.model,
            decided: played.decided,
        })
    }

    fn action(&self, state: u32) -> String {
        let row = &self.model.rows[state as usize][0];
        match self.network.action_name(row.action) {
            Some(name) => name.to_owned(),
            None => "-".to_owned(),
        }
    }

    fn targets(&self, state: u32) -> String {
        let part = |(target, probability): &(u32, Rational)| {
            let state = self.network.show_state(&self.model.states[*target as usize]);
            match *probability == Rational::ONE {
                true => format!("({state})"),
                false => format!("{probability}: ({state})"),
            }
        };
        let parts: Vec<String> = self.model.rows[state as usize][0]
            .targets
            .iter()
            .map(part)
            .collect();
        parts.join(" + ")
    }

    /// What is decided in the states that are reached.
    pub fn table(&self) -> Table {
        let decided: Vec<u32> = (self.reached.iter().copied())
            .filter(|&state| self.decided[state as usize])
            .collect();
        let row = |&state: &u32| {
            let values = self.network.show_state(&self.model.states[state as usize]);
            vec![values, self.action(state), self.targets(state)]
        };
        let mut rows: Vec<Vec<String>> = decided.iter().take(MOST_ROWS).map(row).collect();
        if decided.len() > MOST_ROWS {
            let more = format!("… {} more", decided.len() - MOST_ROWS);
            rows.push(vec![more, String::new(), String::new()]);
        }
        Table {
            heads: ["state", "action", "leads to"].map(str::to_owned).to_vec(),
            rows,
        }
    }

    /// The text of a file with this name.
    pub fn text(mut self, path: &Path) -> Result<String, String> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Ok(self.json()),
            Some("csv") => Ok(self.csv()),
            Some("dot") => Ok(self.dot()),
            Some("tra") => Ok(self.tra()),
            Some("drn") => {
                if self.model.kind == Kind::Mdp {
                    self.model.kind = Kind::Dtmc;
                }
                let written = crate::drn::write_model(&self.network, &self.model, &Budget::unlimited())?;
                String::from_utf8(written.bytes).map_err(|error| error.to_string())
            }
            _ => Err(format!(
                "{}: schedulers are written as .json, .csv, .dot, .tra or .drn",
                path.display()
            )),
        }
    }

    fn json(&self) -> String {
        let state = |&state: &u32| {
            let values = self
                .network
                .variables
                .iter()
                .zip(&self.model.states[state as usize]);
            let values: Map<String, Json> = values
                .map(|(variable, &value)| {
                    let value = match variable.domain {
                        Domain::Bool => json!(value != 0),
                        _ => json!(value),
                    };
                    (variable.name.clone(), value)
                })
                .collect();
            let targets = self.model.rows[state as usize][0].targets.iter();
            let targets: Vec<Json> = targets
                .map(|(target, probability)| json!({"state": target, "probability": probability.to_string()}))
                .collect();
            let action = self
                .network
                .action_name(self.model.rows[state as usize][0].action);
            json!({
                "state": state, "values": values, "action": action, "decided": self.decided[state as usize],
                "targets": targets,
            })
        };
        let states: Vec<Json> = self.reached.iter().map(state).collect();
        format!("{:#}\n", json!({"initial": self.model.initial, "states": states}))
    }

    fn csv(&self) -> String {
        let mut text = String::new();
        let names: Vec<&str> = (self.network.variables.iter())
            .map(|variable| variable.name.as_str())
            .collect();
        let _ = writeln!(text, "{},action", names.join(","));
        for &state in self.reached.iter().filter(|&&state| self.decided[state as usize]) {
            let values = self.model.states[state as usize].iter().map(ToString::to_string);
            let _ = writeln!(
                text,
                "{},{}",
                values.collect::<Vec<_>>().join(","),
                self.action(state)
            );
        }
        text
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph scheduler {\n  node [shape=box];\n");
        for &state in &self.reached {
            let values = self.network.show_state(&self.model.states[state as usize]);
            let bold = if self.model.initial.contains(&state) {
                ", style=bold"
            } else {
                ""
            };
            let _ = writeln!(text, "  {state} [label=\"{values}\"{bold}];");
            for (target, probability) in &self.model.rows[state as usize][0].targets {
                let action = self.action(state);
                let _ = writeln!(text, "  {state} -> {target} [label=\"{action} {probability}\"];");
            }
        }
        text.push_str("}\n");
        text
    }

    /// PRISM's list of transitions, of the reached states, numbered as in the model.
    fn tra(&self) -> String {
        let rows = |&state: &u32| &self.model.rows[state as usize][0].targets;
        let count: usize = self.reached.iter().map(|state| rows(state).len()).sum();
        let mut text = format!("{} {count}\n", self.model.rows.len());
        for &state in &self.reached {
            let mut targets: Vec<&(u32, Rational)> = rows(&state).iter().collect();
            targets.sort_by_key(|(target, _)| *target);
            for (target, probability) in targets {
                let _ = writeln!(text, "{state} {target} {}", entail_markov::to_float(probability));
            }
        }
        text
    }
}
