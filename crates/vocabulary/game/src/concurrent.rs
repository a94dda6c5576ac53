//! Concurrent games: at every vertex both players choose an action at the same time, and the pair of actions says where the play goes (de Alfaro, Henzinger, Kupferman,
//! *Concurrent reachability games*, FOCS 1998).
//!
//! Such games are not determined as long as players may not throw dice: in matching pennies neither player surely gets what it wants. So there are three questions, from the strictest
//! to the weakest ([`Certainty`]): can Even win whatever happens, with probability one, with every probability below one?
//!
//! What is won, or not, is shown by strategies with finite memory where winning is sure ([`ConcurrentPosition`]), and by one mixed choice of actions for each vertex otherwise ([`ChancePosition`]).

use crate::{Colours, Objective, Player, Vertex};

/// How certain Even's victory has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Every play that agrees with Even's strategy is won. Dice do not help.
    Sure,
    /// Even has a strategy, with dice, that wins with probability one whatever Odd does.
    Almost,
    /// For every number below one Even has a strategy that wins with at least this probability.
    Limit,
}

/// Where pairs of actions lead from one vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Number of Odd's actions.
    columns: u32,
    /// For each action of Even one row: where each action of Odd leads.
    targets: Vec<u32>,
}

impl Choices {
    /// One row for each action of Even, in which one vertex stands for each action of Odd. Nothing if a player has no action, or the rows have not the same length.
    pub fn new(rows: &[Vec<u32>]) -> Option<Choices> {
        let columns = rows.first()?.len();
        let fits = columns > 0 && rows.iter().all(|row| row.len() == columns);
        fits.then(|| Choices {
            columns: columns as u32,
            targets: rows.concat(),
        })
    }
}

/// A concurrent game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrentGame {
    choices: Vec<Choices>,
    colours: Vec<Colours>,
    /// What Even wants; it is about colours.
    pub objective: Objective,
    /// How certainly.
    pub certainty: Certainty,
}

impl ConcurrentGame {
    /// The game with these choices and colours at its vertices. Nothing if there are not as many of the one as of the other, if there are none, if an action leads nowhere, or if
    /// the objective is about weights.
    pub fn new(
        choices: Vec<Choices>,
        colours: Vec<Colours>,
        objective: Objective,
        certainty: Certainty,
    ) -> Option<ConcurrentGame> {
        let count = choices.len();
        let leads = |to: &u32| (*to as usize) < count;
        let fits = count > 0
            && count == colours.len()
            && !objective.is_about_weights()
            && choices.iter().all(|own| own.targets.iter().all(leads));
        fits.then_some(ConcurrentGame {
            choices,
            colours,
            objective,
            certainty,
        })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.choices.len()
    }

    /// All vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vertex> + use<> {
        (0..self.choices.len() as u32).map(Vertex)
    }

    /// The colours of a vertex.
    pub fn colours(&self, vertex: Vertex) -> Colours {
        self.colours[vertex.index()]
    }

    /// The actions of a player at a vertex, numbered from 0.
    pub fn actions(&self, vertex: Vertex, player: Player) -> std::ops::Range<u32> {
        let own = &self.choices[vertex.index()];
        match player {
            Player::Even => 0..own.targets.len() as u32 / own.columns,
            Player::Odd => 0..own.columns,
        }
    }

    /// Where the play goes from a vertex when Even and Odd choose these actions.
    pub fn target(&self, vertex: Vertex, even: u32, odd: u32) -> Vertex {
        let own = &self.choices[vertex.index()];
        Vertex(own.targets[(even * own.columns + odd) as usize])
    }
}

/// A place in a play under strategies with memory, in a game that is to be won surely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrentPosition {
    /// Where the play is.
    pub vertex: Vertex,
    /// What is remembered; a play begins with memory 0.
    pub memory: u32,
    /// Even, or Odd if Even cannot win surely from here.
    pub winner: Player,
    /// Even's action if Even wins. Otherwise an action of Odd for each of Even's, in their order: what Odd should have done, had Odd known.
    pub moves: Vec<u32>,
    /// What is remembered from here on.
    pub next: u32,
}

/// Why Even wins from a vertex with the certainty that is asked for, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChancePosition {
    /// Even throws dice.
    Wins {
        /// Falls on the way to the goal, where it is 0.
        rank: u32,
        /// Even's actions, each with its level: an action of level `i` is chosen with a probability that is `i` times as small an order as one of level 0.
        levels: Vec<(u32, u32)>,
    },
    /// Odd keeps Even from it.
    Fails {
        /// From a vertex of stage `k` Even comes nearer to the goal only by a risk of falling to a lower stage. From stage 1 the goal is out of reach.
        stage: u32,
        /// The actions among which Odd chooses.
        answers: Vec<u32>,
    },
}

impl ChancePosition {
    /// Even, or Odd if Even does not win with the certainty that is asked for.
    pub fn winner(&self) -> Player {
        match self {
            ChancePosition::Wins { .. } => Player::Even,
            ChancePosition::Fails { .. } => Player::Odd,
        }
    }
}

/// Why the solution of a concurrent game is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConcurrentProof {
    /// Strategies with finite memory, for the vertices that Even surely wins and for the others.
    Strategies(Vec<ConcurrentPosition>),
    /// One position for each vertex.
    Chances(Vec<ChancePosition>),
}

impl ConcurrentProof {
    /// Who is said to win from a vertex.
    pub fn winner(&self, vertex: Vertex) -> Option<Player> {
        match self {
            ConcurrentProof::Strategies(positions) => positions
                .iter()
                .find(|position| position.vertex == vertex && position.memory == 0)
                .map(|position| position.winner),
            ConcurrentProof::Chances(positions) => positions.get(vertex.index()).map(ChancePosition::winner),
        }
    }
}
