//! Walking through a graph.

use crate::model::key;
use entail_budget::Budget;
use entail_family::Walk;
use entail_model::{ActionId, Lts, StateId};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Shown, Timeline, View};
use serde_json::{Value as Json, json};

/// A walk: the states, and the actions between them.
pub(crate) struct GraphWalk<'m> {
    lts: &'m Lts,
    states: Vec<StateId>,
    actions: Vec<ActionId>,
    /// What was offered last: the action (none for an initial state) and where it leads.
    offered: Vec<(Option<ActionId>, StateId)>,
}

impl<'m> GraphWalk<'m> {
    pub fn new(lts: &'m Lts) -> GraphWalk<'m> {
        GraphWalk {
            lts,
            states: Vec::new(),
            actions: Vec::new(),
            offered: Vec::new(),
        }
    }

    fn offers(&self) -> Vec<(Option<ActionId>, StateId)> {
        match self.states.last() {
            None => self.lts.initial().iter().map(|&state| (None, state)).collect(),
            Some(&here) => self
                .lts
                .steps(here)
                .map(|(action, to)| (Some(action), to))
                .collect(),
        }
    }

    fn follow(&mut self, (action, to): (Option<ActionId>, StateId)) {
        self.actions.extend(action);
        self.states.push(to);
    }

    fn timeline(&self) -> Timeline {
        let mut column = Column::new("state", ColumnRole::State, ColumnKind::Text);
        for (position, state) in self.states.iter().enumerate() {
            column.record(position, Some(Cell::text(state.to_string())));
        }
        let moves = self.actions.iter().map(|&action| Move {
            text: self.lts.action_name(action).to_string(),
            ..Move::default()
        });
        Timeline {
            columns: vec![column],
            positions: self.states.len(),
            moves: moves.collect(),
            keys: self.states.iter().map(|&state| key(state)).collect(),
            ..Timeline::default()
        }
    }
}

impl Walk for GraphWalk<'_> {
    fn choices(&mut self, most: usize, _budget: &Budget) -> Vec<String> {
        self.offered = self.offers();
        self.offered.truncate(most);
        let line = |&(action, to): &(Option<ActionId>, StateId)| match action {
            Some(action) => format!("{} to state {to}", self.lts.action_name(action)),
            None => format!("state {to}"),
        };
        self.offered.iter().map(line).collect()
    }

    fn take(&mut self, choice: usize) {
        if let Some(&chosen) = self.offered.get(choice) {
            self.follow(chosen);
        }
    }

    fn back(&mut self, steps: usize) {
        let kept = self.states.len().saturating_sub(steps).max(1);
        self.states.truncate(kept);
        self.actions.truncate(kept.saturating_sub(1));
    }

    fn state(&self) -> Vec<String> {
        let Some(&here) = self.states.last() else {
            return Vec::new();
        };
        let propositions: Vec<&str> = self.lts.propositions(here).iter().map(|name| &**name).collect();
        let mut lines = vec![format!("state {here}")];
        if !propositions.is_empty() {
            lines.push(propositions.join(", "));
        }
        lines
    }

    fn shown(&self) -> Shown {
        Shown::default().main(View::Timeline(self.timeline()))
    }

    fn to_json(&self) -> Json {
        let steps: Vec<Json> = (self.actions.iter().zip(&self.states[1.min(self.states.len())..]))
            .map(|(&action, to)| json!({"action": self.lts.action_name(action), "state": to.index()}))
            .collect();
        let first = self.states.first().map(|state| state.index());
        json!({"walk": {"initial": {"state": first}, "steps": steps}})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let trace = &document["walk"];
        let state = |json: &Json| json["state"].as_u64().ok_or("a step has no state");
        self.states.clear();
        self.actions.clear();
        let first = state(&trace["initial"])?;
        let steps = trace["steps"].as_array().ok_or("the walk has no steps")?;
        let wanted = std::iter::once((None, first)).chain(
            (steps
                .iter()
                .map(|step| Ok((step["action"].as_str(), state(step)?))))
            .collect::<Result<Vec<_>, &str>>()?,
        );
        for (number, (action, to)) in wanted.enumerate() {
            let fits = |&(label, target): &(Option<ActionId>, StateId)| {
                label.map(|label| &**self.lts.action_name(label)) == action && target.index() as u64 == to
            };
            let found = self.offers().into_iter().find(fits);
            self.follow(found.ok_or_else(|| format!("step {number} is not possible"))?);
        }
        Ok(())
    }
}
