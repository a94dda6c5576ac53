//! Walking through a game, both players' moves being the user's.

use crate::drawing::key;
use crate::model::GameModel;
use entail_budget::Budget;
use entail_family::Walk;
use entail_game::Vertex;
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View};
use serde_json::{Value as Json, json};

/// A walk by its vertices.
pub(crate) struct GameWalk<'m> {
    model: &'m GameModel,
    play: Vec<Vertex>,
    offered: Vec<Vertex>,
}

impl<'m> GameWalk<'m> {
    pub fn new(model: &'m GameModel) -> GameWalk<'m> {
        GameWalk {
            model,
            play: Vec::new(),
            offered: Vec::new(),
        }
    }

    fn offers(&self) -> Vec<Vertex> {
        match self.play.last() {
            None => vec![self.model.questions.start(0)],
            Some(&here) => self.model.game.game.arena().successors(here).collect(),
        }
    }
}

impl Walk for GameWalk<'_> {
    fn choices(&mut self, most: usize, _budget: &Budget) -> Vec<String> {
        self.offered = self.offers();
        self.offered.truncate(most);
        let line = |&v: &Vertex| {
            let game = &self.model.game.game;
            let (priority, owner) = (game.priority(v), game.arena().owner(v));
            format!(
                "vertex {} (priority {priority}, {owner} moves)",
                self.model.vertex_name(v)
            )
        };
        self.offered.iter().map(line).collect()
    }

    fn take(&mut self, choice: usize) {
        self.play.extend(self.offered.get(choice));
    }

    fn back(&mut self, steps: usize) {
        let kept = self.play.len().saturating_sub(steps).max(1);
        self.play.truncate(kept);
    }

    fn shown(&self) -> Shown {
        let game = &self.model.game.game;
        let names = ["vertex", "owner", "priority"];
        let mut columns = names.map(|name| Column::new(name, ColumnRole::State, ColumnKind::Text));
        for (position, &v) in self.play.iter().enumerate() {
            let cells = [
                self.model.vertex_name(v),
                game.arena().owner(v).to_string(),
                game.priority(v).to_string(),
            ];
            for (column, text) in columns.iter_mut().zip(cells) {
                column.record(position, Some(Cell::text(text)));
            }
        }
        Shown::default().main(View::Timeline(Timeline {
            columns: columns.to_vec(),
            positions: self.play.len(),
            keys: self.play.iter().map(|&v| key(v)).collect(),
            ..Timeline::default()
        }))
    }

    fn to_json(&self) -> Json {
        let ids: Vec<u64> = self.play.iter().map(|&v| self.model.game.id(v)).collect();
        json!({"play": ids})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        let play = document["play"].as_array().ok_or("this is no play of a game")?;
        self.play.clear();
        for (number, id) in play.iter().enumerate() {
            let vertex = id.as_u64().and_then(|id| self.model.game.vertex(id));
            let found = vertex.filter(|vertex| self.offers().contains(vertex));
            self.play
                .push(found.ok_or_else(|| format!("step {number} is not possible"))?);
        }
        Ok(())
    }
}
