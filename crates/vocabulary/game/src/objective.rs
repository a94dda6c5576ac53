//! Objectives other than parity, and what it takes to show who wins.
//!
//! Colours stand on vertices, whole weights on edges. An objective says what Even wants of the colours or of the weights of an endless play; Odd wants the opposite.
//! What is won is shown by strategies with finite memory ([`Position`]), or, for discounted sums, by the values themselves.

use crate::{Arena, Player, Vertex};
pub use dashu_ratio::RBig as Rational;

/// The colours of a vertex, or those seen: bit `c` for colour `c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Colours(pub u64);

impl Colours {
    /// The most colours a game can have.
    pub const MOST: usize = 64;

    /// Whether the colour is among them.
    pub fn has(self, colour: u32) -> bool {
        self.0 >> colour & 1 == 1
    }
}

/// What is wanted of the colours that are seen again and again (Emerson and Lei). Büchi, co-Büchi, Rabin, Streett, Muller, GR(1), parity and their combinations are of this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Everything, or nothing.
    Constant(bool),
    /// The colour is seen again and again.
    Infinitely(u32),
    /// The colour is seen only finitely often.
    Finitely(u32),
    /// All of them.
    All(Vec<Condition>),
    /// Some of them.
    Any(Vec<Condition>),
}

impl Condition {
    /// Whether it is true of a play on which exactly these colours are seen again and again.
    pub fn holds(&self, seen: Colours) -> bool {
        match self {
            Condition::Constant(truth) => *truth,
            Condition::Infinitely(colour) => seen.has(*colour),
            Condition::Finitely(colour) => !seen.has(*colour),
            Condition::All(parts) => parts.iter().all(|part| part.holds(seen)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(seen)),
        }
    }

    /// The opposite.
    pub fn negated(self) -> Condition {
        let each = |parts: Vec<Condition>| parts.into_iter().map(Condition::negated).collect();
        match self {
            Condition::Constant(truth) => Condition::Constant(!truth),
            Condition::Infinitely(colour) => Condition::Finitely(colour),
            Condition::Finitely(colour) => Condition::Infinitely(colour),
            Condition::All(parts) => Condition::Any(each(parts)),
            Condition::Any(parts) => Condition::All(each(parts)),
        }
    }
}

/// What Even wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objective {
    /// A vertex of the colour is seen.
    Reach(u32),
    /// Only vertices of the colour are seen.
    Stay(u32),
    /// The colours seen again and again are as wanted.
    Recurring(Condition),
    /// Some credit is enough for the sum of the weights, added to it, never to fall below zero.
    Energy,
    /// The mean of the weights (its lower limit) is at least so much.
    MeanPayoff(Rational),
    /// The sum of the weights, the one of step `i` times the `i`-th power of the factor, is at least so much.
    Discounted {
        /// Between zero and one, both excluded.
        factor: Rational,
        /// The least sum that is good enough.
        at_least: Rational,
    },
}

impl Objective {
    /// Whether it is about weights.
    pub fn is_about_weights(&self) -> bool {
        matches!(
            self,
            Objective::Energy | Objective::MeanPayoff(_) | Objective::Discounted { .. }
        )
    }

    /// The colour, if all that is wanted is to see one again and again (Büchi).
    pub fn recurring_colour(&self) -> Option<u32> {
        let mut condition = match self {
            Objective::Recurring(condition) => condition,
            _ => return None,
        };
        while let Condition::All(parts) | Condition::Any(parts) = condition {
            match parts.as_slice() {
                [only] => condition = only,
                _ => return None,
            }
        }
        match condition {
            Condition::Infinitely(colour) => Some(*colour),
            _ => None,
        }
    }
}

/// A game with an objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectiveGame {
    arena: Arena,
    colours: Vec<Colours>,
    weights: Vec<Vec<i64>>,
    /// What Even wants.
    pub objective: Objective,
}

impl ObjectiveGame {
    /// The game on an arena, with the colours of each vertex and the weights of its edges, in the order of its successors. Nothing if there are not as many as there should be,
    /// or if two edges lead from one vertex to the same: a move is told by where it leads.
    pub fn new(
        arena: Arena,
        colours: Vec<Colours>,
        weights: Vec<Vec<i64>>,
        objective: Objective,
    ) -> Option<ObjectiveGame> {
        let count = arena.vertex_count();
        let fits = colours.len() == count
            && weights.len() == count
            && arena
                .vertices()
                .all(|vertex| arena.row(vertex).len() == weights[vertex.index()].len())
            && arena.vertices().all(|vertex| {
                let mut row = arena.row(vertex).to_vec();
                row.sort_unstable();
                row.windows(2).all(|pair| pair[0] != pair[1])
            });
        fits.then_some(ObjectiveGame {
            arena,
            colours,
            weights,
            objective,
        })
    }

    /// Where it is played.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The colours of a vertex.
    pub fn colours(&self, vertex: Vertex) -> Colours {
        self.colours[vertex.index()]
    }

    /// The edges of a vertex with their weights.
    pub fn edges(&self, vertex: Vertex) -> impl Iterator<Item = (Vertex, i64)> + '_ {
        self.arena
            .successors(vertex)
            .zip(self.weights[vertex.index()].iter().copied())
    }
}

/// A place in a play under strategies with memory: who wins it, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Where the play is.
    pub vertex: Vertex,
    /// What is remembered; a play begins with memory 0.
    pub memory: u32,
    /// Who wins.
    pub winner: Player,
    /// The winner's move, where it is the winner's turn.
    pub choice: Option<Vertex>,
    /// What is remembered from here on.
    pub next: u32,
}

/// Why the solution of a game with an objective is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectiveProof {
    /// Strategies with finite memory for both players, each on what it wins.
    Strategies(Vec<Position>),
    /// The discounted value of each vertex.
    Values(Vec<Rational>),
}

/// Why the mean payoff from a vertex has a value: strategies without memory, of Even for at least so much, and of Odd for at most so much, listed for where they lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeanValue {
    /// The value.
    pub value: Rational,
    /// Even's moves, by vertex.
    pub even: Vec<(Vertex, Vertex)>,
    /// Odd's moves, by vertex.
    pub odd: Vec<(Vertex, Vertex)>,
}
