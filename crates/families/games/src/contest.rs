//! Playing against the winner of a parity game.

use crate::model::GameModel;
use entail_family::Contest;
use entail_game::{Player, Solution, Vertex};

/// A play from a vertex: the user is the player who loses it.
pub(crate) struct GameContest<'m> {
    model: &'m GameModel,
    solution: Solution,
    winner: Player,
    play: Vec<Vertex>,
}

impl<'m> GameContest<'m> {
    pub fn new(model: &'m GameModel, start: Vertex, solution: Solution) -> Result<GameContest<'m>, String> {
        let winner = solution
            .winner(start)
            .ok_or("the solution says nothing about the start vertex")?;
        Ok(GameContest {
            model,
            solution,
            winner,
            play: vec![start],
        })
    }

    fn here(&self) -> Vertex {
        self.play[self.play.len() - 1]
    }

    fn owner(&self) -> Player {
        self.model.game.game.arena().owner(self.here())
    }

    /// The highest priority since the play was last here.
    fn highest_since(&self) -> Option<u32> {
        let before = &self.play[..self.play.len() - 1];
        let last = before.iter().rposition(|&v| v == self.here())?;
        let priorities = before[last..].iter().map(|&v| self.model.game.game.priority(v).0);
        priorities.max()
    }

    fn described(&self, vertex: Vertex) -> String {
        let priority = self.model.game.game.priority(vertex);
        format!("vertex {} (priority {priority})", self.model.vertex_name(vertex))
    }
}

impl Contest for GameContest<'_> {
    fn rules(&self) -> Vec<String> {
        let you = self.winner.other();
        vec![
            format!(
                "You are {you}: you win if the highest priority that is seen again and again is {you}. Entail is {}.",
                self.winner
            ),
            "A play goes on for ever; what counts is what lies between two visits to the same vertex."
                .to_owned(),
        ]
    }

    fn position(&self) -> Vec<String> {
        let mut lines = vec![format!("{}, {} moves", self.described(self.here()), self.owner())];
        if let Some(highest) = self.highest_since() {
            let player = if highest % 2 == 0 {
                Player::Even
            } else {
                Player::Odd
            };
            lines.push(format!(
                "here again: the highest priority in between was {highest}, so if this repeats, {player} wins"
            ));
        }
        lines
    }

    fn choices(&self) -> Vec<String> {
        if self.owner() == self.winner {
            return Vec::new();
        }
        let successors = self.model.game.game.arena().successors(self.here());
        successors.map(|to| self.described(to)).collect()
    }

    fn choose(&mut self, choice: usize) {
        if self.owner() != self.winner {
            let to = self.model.game.game.arena().successors(self.here()).nth(choice);
            self.play.extend(to);
        }
    }

    fn reply(&mut self) -> Option<String> {
        if self.owner() != self.winner {
            return None;
        }
        let to = self.solution.choice(self.here())?;
        self.play.push(to);
        Some(format!("{} goes to {}", self.winner, self.described(to)))
    }

    fn ending(&self) -> String {
        format!(
            "{} wins from vertex {}, whatever {} does",
            self.winner,
            self.model.vertex_name(self.play[0]),
            self.winner.other()
        )
    }
}
