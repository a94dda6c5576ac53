//! Playing against the winner of a game with another objective than parity. The winner remembers what the strategy says; with discounted values it takes an edge that keeps the value.

use crate::contest::{Rules, seen_since};
use crate::objective::ObjectiveModel;
use crate::objective_checker::Solved;
use entail_game::{Arena, Objective, ObjectiveProof, Player, Rational, Vertex};

/// The rules of a game that is solved.
pub(crate) struct ObjectiveRules<'m> {
    pub model: &'m ObjectiveModel,
    pub solved: Solved,
}

impl ObjectiveRules<'_> {
    /// The weight of a step.
    fn weight(&self, from: Vertex, to: Vertex) -> i64 {
        let mut edges = self.model.file.game.edges(from);
        edges
            .find(|(target, _)| *target == to)
            .map_or(0, |(_, weight)| weight)
    }
}

impl Rules for ObjectiveRules<'_> {
    fn arena(&self) -> &Arena {
        self.model.file.game.arena()
    }

    fn described(&self, vertex: Vertex) -> String {
        let colours = self.model.colours_of(vertex);
        match colours.is_empty() {
            true => self.name(vertex),
            false => format!("{} [{}]", self.name(vertex), colours.join(", ")),
        }
    }

    fn name(&self, vertex: Vertex) -> String {
        self.model.name(vertex).to_owned()
    }

    fn wanted(&self, you: Player) -> Vec<String> {
        let wants = match you {
            Player::Even => "you want",
            Player::Odd => "Entail wants, and you do not,",
        };
        vec![format!("You are {you}; {wants} {}.", self.model.file.objective)]
    }

    /// What the weights have come to, or what was seen since the play was last here.
    fn remark(&self, play: &[Vertex]) -> Option<String> {
        if self.model.file.game.objective.is_about_weights() {
            let weights = play.windows(2).map(|step| self.weight(step[0], step[1]));
            let sum: i128 = weights.map(i128::from).sum();
            let steps = play.len().saturating_sub(1);
            return Some(format!("{steps} steps, their weights add up to {sum}"));
        }
        seen_since(play, |vertex| self.model.colours_of(vertex))
    }

    fn answer(&self, play: &[Vertex]) -> Option<Vertex> {
        let (&here, before) = play.split_last()?;
        match &self.solved.proof {
            ObjectiveProof::Strategies(positions) => {
                let at = |vertex: Vertex, memory: u32| {
                    (positions.iter()).find(|position| position.vertex == vertex && position.memory == memory)
                };
                let mut memory = 0;
                for &vertex in before {
                    memory = at(vertex, memory)?.next;
                }
                at(here, memory)?.choice
            }
            ObjectiveProof::Values(values) => {
                let Objective::Discounted { factor, .. } = &self.model.file.game.objective else {
                    return None;
                };
                let keeps = |(to, weight): &(Vertex, i64)| {
                    let later = values.get(to.index()).map(|value| value * factor);
                    later.map(|later| later + Rational::from(*weight)).as_ref() == values.get(here.index())
                };
                self.model.file.game.edges(here).find(keeps).map(|(to, _)| to)
            }
        }
    }
}
