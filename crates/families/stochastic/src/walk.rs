//! Walking through a network: choices as the reference interpreter lists them, outcomes by their probabilities.

use entail_budget::Budget;
use entail_family::Walk;
use entail_markov::interpreter::{self, Choice};
use entail_markov::{Domain, Network, Variable, to_float};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Shown, Timeline, View};
use rand::{Rng, RngCore};
use serde_json::{Value as Json, json};

pub(crate) struct ChainWalk<'m> {
    network: &'m Network,
    states: Vec<Vec<i64>>,
    moves: Vec<String>,
    /// What was listed last: what it is called, and where it leads.
    offered: Vec<(String, Vec<i64>)>,
    trouble: Option<String>,
}

impl<'m> ChainWalk<'m> {
    pub fn new(network: &'m Network) -> ChainWalk<'m> {
        ChainWalk {
            network,
            states: Vec::new(),
            moves: Vec::new(),
            offered: Vec::new(),
            trouble: None,
        }
    }

    fn name(&self, choice: &Choice) -> String {
        match self.network.action_name(choice.action) {
            Some(name) => name.to_owned(),
            None => {
                let names = choice
                    .commands
                    .iter()
                    .map(|&(at, _)| self.network.components[at].name.as_str());
                names.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// All outcomes from here, with their weights and the number of the choice.
    fn outcomes(&mut self, budget: &Budget) -> Vec<(usize, f64, String, Vec<i64>)> {
        let Some(state) = self.states.last() else {
            let initial = interpreter::initial_states(self.network, 10_000, budget).unwrap_or_default();
            let shown = |state: Vec<i64>| (0, 1.0, self.network.show_state(&state), state);
            return initial.into_iter().map(shown).collect();
        };
        let choices = match interpreter::choices(self.network, state) {
            Ok(choices) => choices,
            Err(error) => {
                self.trouble = Some(error.to_string());
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for (at, choice) in choices.iter().enumerate() {
            for (weight, target) in &choice.branches {
                let text = format!(
                    "{} [{weight}] {}",
                    self.name(choice),
                    self.network.show_state(target)
                );
                found.push((at, to_float(weight), text, target.clone()));
            }
        }
        found
    }
}

impl Walk for ChainWalk<'_> {
    fn choices(&mut self, most: usize, budget: &Budget) -> Vec<String> {
        let outcomes = self.outcomes(budget);
        self.offered = outcomes
            .into_iter()
            .take(most)
            .map(|(_, _, text, target)| (text, target))
            .collect();
        self.offered.iter().map(|(text, _)| text.clone()).collect()
    }

    fn take(&mut self, choice: usize) {
        if let Some((text, target)) = self.offered.get(choice) {
            if !self.states.is_empty() {
                self.moves.push(text.clone());
            }
            self.states.push(target.clone());
        }
    }

    /// Choices of a scheduler are equally likely; in continuous time rates race.
    fn take_at_random(&mut self, random: &mut dyn RngCore, budget: &Budget) -> bool {
        let mut outcomes = self.outcomes(budget);
        if outcomes.is_empty() {
            return false;
        }
        if self.network.kind.has_choices() && !self.states.is_empty() {
            let count = outcomes.last().map_or(1, |outcome| outcome.0 + 1);
            let chosen = (&mut &mut *random).random_range(0..count);
            outcomes.retain(|outcome| outcome.0 == chosen);
        }
        let total: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
        let mut point = (&mut &mut *random).random_range(0.0..1.0) * total;
        let mut picked = outcomes.len().saturating_sub(1);
        for (at, outcome) in outcomes.iter().enumerate() {
            point -= outcome.1;
            if point < 0.0 {
                picked = at;
                break;
            }
        }
        self.offered = outcomes
            .into_iter()
            .map(|(_, _, text, target)| (text, target))
            .collect();
        let any = !self.offered.is_empty();
        self.take(picked);
        any
    }

    fn back(&mut self, steps: usize) {
        let left = self.moves.len().saturating_sub(steps);
        self.moves.truncate(left);
        self.states.truncate(left + 1);
    }

    fn ending(&self) -> Vec<String> {
        match &self.trouble {
            Some(trouble) => vec![trouble.clone()],
            None => vec!["no command is enabled: the state stays as it is for ever".to_owned()],
        }
    }

    fn has_failed(&self) -> bool {
        self.trouble.is_some()
    }

    fn shown(&self) -> Shown {
        let column = |(at, variable): (usize, &Variable)| {
            let kind = match variable.domain {
                Domain::Bool => ColumnKind::Boolean,
                _ => ColumnKind::Integer,
            };
            let mut column = Column::new(&variable.name, ColumnRole::State, kind);
            for (position, state) in self.states.iter().enumerate() {
                let text = match variable.domain {
                    Domain::Bool => (if state[at] != 0 { "TRUE" } else { "FALSE" }).to_owned(),
                    _ => state[at].to_string(),
                };
                column.record(position, Some(Cell::text(text)));
            }
            column
        };
        let visible = self
            .network
            .variables
            .iter()
            .enumerate()
            .filter(|(_, variable)| !variable.hidden);
        let moves = self.moves.iter().map(|text| Move {
            text: text.clone(),
            ..Move::default()
        });
        Shown::default().main(View::Timeline(Timeline {
            columns: visible.map(column).collect(),
            positions: self.states.len(),
            moves: moves.collect(),
            ..Timeline::default()
        }))
    }

    fn to_json(&self) -> Json {
        json!({"states": self.states, "moves": self.moves})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let states: Vec<Vec<i64>> =
            serde_json::from_value(document["states"].clone()).map_err(|error| error.to_string())?;
        let budget = Budget::unlimited();
        self.states.clear();
        self.moves.clear();
        for state in states {
            self.choices(usize::MAX, &budget);
            let Some(at) = self.offered.iter().position(|(_, target)| *target == state) else {
                return Err(format!(
                    "this is no walk of the model: step {} leads nowhere near",
                    self.states.len()
                ));
            };
            self.take(at);
        }
        Ok(())
    }
}
