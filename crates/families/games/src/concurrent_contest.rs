//! Playing a game in which both players move at once: the user takes the side that does not get what it wants, and says its action without knowing Entail's.
//!
//! Where Even surely wins, Entail's action is the strategy's. Where Even wins with dice, Entail throws them; an action of a higher level comes up a tenth as often as one of the level below. Where Even
//! does not win surely, that is because each of its actions has an answer; so Entail, as Odd, is told first, and says so. With dice Odd needs to know nothing.

use crate::concurrent::ConcurrentModel;
use crate::contest::seen_since;
use entail_arena::colour_names;
use entail_automata::ltl::random::Random;
use entail_family::Contest;
use entail_game::{Certainty, ChancePosition, ConcurrentPosition, ConcurrentProof, Player, Vertex};

/// How much rarer an action is than one of the level below.
const RARER: usize = 10;
/// Actions of higher levels are as rare as those of this one.
const HIGHEST: u32 = 4;

/// A play from a vertex.
pub(crate) struct ConcurrentContest<'m> {
    model: &'m ConcurrentModel,
    proof: ConcurrentProof,
    winner: Player,
    play: Vec<Vertex>,
    memory: u32,
    dice: Random,
    /// The last pair of actions.
    last: Option<String>,
}

impl<'m> ConcurrentContest<'m> {
    /// A play from a vertex; nothing if the solution does not say who wins there.
    pub fn new(
        model: &'m ConcurrentModel,
        proof: ConcurrentProof,
        start: Vertex,
    ) -> Option<ConcurrentContest<'m>> {
        Some(ConcurrentContest {
            model,
            winner: proof.winner(start)?,
            proof,
            play: vec![start],
            memory: 0,
            dice: Random::new(1),
            last: None,
        })
    }

    fn here(&self) -> Vertex {
        self.play[self.play.len() - 1]
    }

    fn position_of(&self, vertex: Vertex) -> Option<&ConcurrentPosition> {
        match &self.proof {
            ConcurrentProof::Strategies(positions) => {
                let is_here =
                    |place: &&ConcurrentPosition| place.vertex == vertex && place.memory == self.memory;
                positions.iter().find(is_here)
            }
            ConcurrentProof::Chances(_) => None,
        }
    }

    /// Entail's action where the user takes this one.
    fn action(&mut self, yours: u32) -> Option<u32> {
        let here = self.here();
        if let ConcurrentProof::Strategies(_) = &self.proof {
            let moves = &self.position_of(here)?.moves;
            return match self.winner {
                Player::Even => moves.first().copied(),
                Player::Odd => moves.get(yours as usize).copied(),
            };
        }
        let ConcurrentProof::Chances(positions) = &self.proof else {
            return None;
        };
        let weighted: Vec<(u32, usize)> = match positions.get(here.index())? {
            ChancePosition::Wins { levels, .. } => {
                let weight = |level: u32| RARER.pow(HIGHEST - level.min(HIGHEST));
                levels
                    .iter()
                    .map(|&(action, level)| (action, weight(level)))
                    .collect()
            }
            ChancePosition::Fails { answers, .. } => answers.iter().map(|&action| (action, 1)).collect(),
        };
        let all: usize = weighted.iter().map(|(_, weight)| weight).sum();
        let mut thrown = self.dice.below(all.max(1));
        for (action, weight) in weighted {
            match thrown.checked_sub(weight) {
                Some(rest) => thrown = rest,
                None => return Some(action),
            }
        }
        // Where nothing is said, every action is as good as any other.
        Some(0)
    }

    fn colours(&self, vertex: Vertex) -> Vec<&str> {
        colour_names(&self.model.file.colours, self.model.file.game.colours(vertex))
    }
}

impl Contest for ConcurrentContest<'_> {
    fn rules(&self) -> Vec<String> {
        let you = self.winner.other();
        let wants = match you {
            Player::Even => "you want",
            Player::Odd => "Entail wants, and you do not,",
        };
        let mut lines = vec![
            format!(
                "You are {you}; {wants} {}. Entail is {}.",
                self.model.file.objective, self.winner
            ),
            "Both move at once: neither knows the other's action.".to_owned(),
        ];
        if (self.winner, self.model.file.game.certainty) == (Player::Odd, Certainty::Sure) {
            lines[1] = "Both move at once. To win surely you would have to win against somebody who guesses your actions, so Entail is told yours first.".to_owned();
        }
        lines
    }

    fn position(&self) -> Vec<String> {
        let colours = self.colours(self.here());
        let here = match colours.is_empty() {
            true => self.model.name(self.here()).to_owned(),
            false => format!("{} [{}]", self.model.name(self.here()), colours.join(", ")),
        };
        let again = seen_since(&self.play, |vertex| self.colours(vertex));
        self.last.clone().into_iter().chain([here]).chain(again).collect()
    }

    fn choices(&self) -> Vec<String> {
        let (file, here, you) = (&self.model.file, self.here(), self.winner.other());
        let actions = file.game.actions(here, you);
        actions
            .map(|action| file.action(here, you, action).to_owned())
            .collect()
    }

    fn choose(&mut self, choice: usize) {
        let (file, here, you) = (&self.model.file, self.here(), self.winner.other());
        let Some(yours) = file.game.actions(here, you).nth(choice) else {
            return;
        };
        let Some(own) = self.action(yours) else {
            return;
        };
        let (even, odd) = match you {
            Player::Even => (yours, own),
            Player::Odd => (own, yours),
        };
        let to = file.game.target(here, even, odd);
        let named = |player: Player, action: u32| file.action(here, player, action).to_owned();
        self.last = Some(format!(
            "you {}, Entail {}: to {}",
            named(you, yours),
            named(self.winner, own),
            self.model.name(to)
        ));
        if let Some(next) = self.position_of(here).map(|position| position.next) {
            self.memory = next;
        }
        self.play.push(to);
    }

    fn reply(&mut self) -> Option<String> {
        None
    }

    fn ending(&self) -> String {
        let how = match self.model.file.game.certainty {
            Certainty::Sure => "surely",
            Certainty::Almost => "with probability one",
            Certainty::Limit => "with probabilities as near to one as it likes",
        };
        let name = self.model.name(self.play[0]);
        match self.winner {
            Player::Even => format!("Even wins from vertex {name} {how}, whatever Odd does"),
            Player::Odd => format!("Even cannot win from vertex {name} {how}"),
        }
    }
}
