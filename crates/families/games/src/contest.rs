//! Playing against the winner of a game on an arena.

use crate::model::GameModel;
use entail_family::Contest;
use entail_game::{Arena, Player, Solution, Vertex};

/// What a game is about: how its vertices are called, what counts, and how its winner plays.
pub(crate) trait Rules {
    /// Where it is played.
    fn arena(&self) -> &Arena;
    /// A vertex with what matters of it.
    fn described(&self, vertex: Vertex) -> String;
    /// A vertex by its name.
    fn name(&self, vertex: Vertex) -> String;
    /// When the user, who is this player, would win.
    fn wanted(&self, you: Player) -> Vec<String>;
    /// What is to be said of a play so far.
    fn remark(&self, play: &[Vertex]) -> Option<String>;
    /// The winner's next move.
    fn answer(&self, play: &[Vertex]) -> Option<Vertex>;
}

/// What was seen since a play was last where it is now.
pub(crate) fn seen_since<'n>(play: &[Vertex], colours: impl Fn(Vertex) -> Vec<&'n str>) -> Option<String> {
    let (here, before) = play.split_last()?;
    let last = before.iter().rposition(|vertex| vertex == here)?;
    let mut seen: Vec<&str> = before[last..]
        .iter()
        .flat_map(|&vertex| colours(vertex))
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let seen = match seen.is_empty() {
        true => "nothing".to_owned(),
        false => seen.join(", "),
    };
    Some(format!("here again: in between {seen} was seen"))
}

/// A play from a vertex: the user is the player who loses it.
pub(crate) struct ArenaContest<R> {
    rules: R,
    winner: Player,
    play: Vec<Vertex>,
}

impl<R: Rules> ArenaContest<R> {
    /// A play from a vertex that this player wins.
    pub fn new(rules: R, start: Vertex, winner: Player) -> ArenaContest<R> {
        ArenaContest {
            rules,
            winner,
            play: vec![start],
        }
    }

    fn here(&self) -> Vertex {
        self.play[self.play.len() - 1]
    }

    fn owner(&self) -> Player {
        self.rules.arena().owner(self.here())
    }
}

impl<R: Rules> Contest for ArenaContest<R> {
    fn rules(&self) -> Vec<String> {
        let mut lines = self.rules.wanted(self.winner.other());
        if let Some(first) = lines.first_mut() {
            *first = format!("{first} Entail is {}.", self.winner);
        }
        lines
    }

    fn position(&self) -> Vec<String> {
        let here = format!("{}, {} moves", self.rules.described(self.here()), self.owner());
        std::iter::once(here)
            .chain(self.rules.remark(&self.play))
            .collect()
    }

    fn choices(&self) -> Vec<String> {
        if self.owner() == self.winner {
            return Vec::new();
        }
        let successors = self.rules.arena().successors(self.here());
        successors.map(|to| self.rules.described(to)).collect()
    }

    fn choose(&mut self, choice: usize) {
        if self.owner() != self.winner {
            let to = self.rules.arena().successors(self.here()).nth(choice);
            self.play.extend(to);
        }
    }

    fn reply(&mut self) -> Option<String> {
        if self.owner() != self.winner {
            return None;
        }
        let to = self.rules.answer(&self.play)?;
        self.play.push(to);
        Some(format!("{} goes to {}", self.winner, self.rules.described(to)))
    }

    fn ending(&self) -> String {
        format!(
            "{} wins from vertex {}, whatever {} does",
            self.winner,
            self.rules.name(self.play[0]),
            self.winner.other()
        )
    }
}

/// The rules of a parity game that is solved.
pub(crate) struct ParityRules<'m> {
    pub model: &'m GameModel,
    pub solution: Solution,
}

impl Rules for ParityRules<'_> {
    fn arena(&self) -> &Arena {
        self.model.game.game.arena()
    }

    fn described(&self, vertex: Vertex) -> String {
        let priority = self.model.game.game.priority(vertex);
        format!("vertex {} (priority {priority})", self.name(vertex))
    }

    fn name(&self, vertex: Vertex) -> String {
        self.model.vertex_name(vertex)
    }

    fn wanted(&self, you: Player) -> Vec<String> {
        vec![
            format!("You are {you}: you win if the highest priority that is seen again and again is {you}."),
            "A play goes on for ever; what counts is what lies between two visits to the same vertex."
                .to_owned(),
        ]
    }

    /// The highest priority since the play was last here.
    fn remark(&self, play: &[Vertex]) -> Option<String> {
        let (here, before) = play.split_last()?;
        let last = before.iter().rposition(|vertex| vertex == here)?;
        let priorities = before[last..].iter().map(|&v| self.model.game.game.priority(v).0);
        let highest = priorities.max()?;
        let player = match highest % 2 {
            0 => Player::Even,
            _ => Player::Odd,
        };
        Some(format!(
            "here again: the highest priority in between was {highest}, so if this repeats, {player} wins"
        ))
    }

    fn answer(&self, play: &[Vertex]) -> Option<Vertex> {
        self.solution.choice(*play.last()?)
    }
}
