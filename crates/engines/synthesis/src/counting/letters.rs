//! What the players can do, as far as the automata can tell.
//!
//! The diagrams of all states are gone through together. The values of what the first mover decides lead to *turns*; in a turn the values of what the
//! second one decides lead to *actions*: for each state of the automaton, the edges that can be taken.

use super::avoided::{Avoided, Count, Node};
use crate::problem::SynthesisError;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// More combinations of nodes are not gone through.
const MOST_NODES: usize = 400_000;
/// Actions of a turn are compared with each other up to this number.
const MOST_COMPARED: usize = 400;

/// A node for each state of the automata.
type Tuple = Box<[u32]>;

/// A node of a diagram over values of one player.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// A signal by its place among the player's, and the ways if it is false and true.
    Test(u32, u32, u32),
    /// A turn, or one of the actions of a turn.
    End(u32),
}

/// A diagram; its last node is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    pub nodes: Vec<Way>,
    pub root: u32,
    /// For each end, values that lead there.
    pub samples: Vec<Vec<bool>>,
}

/// What the second mover can do once the first has moved.
pub(crate) struct Turn {
    /// The actions at the ends of `ways`, by their numbers in [`Letters::actions`].
    pub actions: Vec<u32>,
    pub ways: Ways,
    /// The positions in `actions` of those that matter: one that is never better for whoever chooses is left out.
    pub relevant: Vec<u32>,
}

/// An edge that can be taken: from, to, and what it does with the count.
pub(crate) type Edge = (u32, u32, Count);

/// All turns and actions.
pub(crate) struct Letters {
    /// From what the first mover decides to turns.
    pub first: Ways,
    pub turns: Vec<Turn>,
    pub actions: Vec<Vec<Edge>>,
}

impl Letters {
    /// Of an order of signals with those of the first mover first.
    pub fn new(
        avoided: &Avoided,
        first: usize,
        second: usize,
        chooser_moves_first: bool,
        budget: &Budget,
    ) -> Result<Letters, SynthesisError> {
        let mut left = MOST_NODES;
        let roots: Tuple = avoided.roots.clone().into();
        let boundary = first as u32;
        let (ways, tuples) = together(avoided, roots, 0, boundary, first, &mut left, budget)?;
        let mut letters = Letters {
            first: ways,
            turns: Vec::new(),
            actions: Vec::new(),
        };
        let mut known: FxHashMap<Tuple, u32> = FxHashMap::default();
        let below = Below::new(avoided);
        for tuple in tuples {
            let (ways, tuples) = together(avoided, tuple, boundary, u32::MAX, second, &mut left, budget)?;
            let relevant = below.relevant(&tuples, chooser_moves_first);
            let mut actions = Vec::with_capacity(tuples.len());
            for tuple in tuples {
                let fresh = letters.actions.len() as u32;
                let number = *known.entry(tuple).or_insert_with_key(|tuple| {
                    letters.actions.push(edges(avoided, tuple));
                    fresh
                });
                actions.push(number);
            }
            letters.turns.push(Turn {
                actions,
                ways,
                relevant,
            });
        }
        Ok(letters)
    }
}

/// The edges at the ends of all states.
fn edges(avoided: &Avoided, ends: &[u32]) -> Vec<Edge> {
    let mut found = Vec::new();
    for (from, &end) in ends.iter().enumerate() {
        if let Node::End(number) = avoided.nodes()[end as usize] {
            let list = &avoided.ends[number as usize];
            found.extend(list.iter().map(|&(to, count)| (from as u32, to, count)));
        }
    }
    found
}

/// Goes through the diagrams of a tuple of nodes together, down to signals beyond the boundary. The ends are the different tuples met there.
fn together(
    avoided: &Avoided,
    tuple: Tuple,
    offset: u32,
    boundary: u32,
    signals: usize,
    left: &mut usize,
    budget: &Budget,
) -> Result<(Ways, Vec<Tuple>), SynthesisError> {
    let mut walk = Together {
        avoided,
        offset,
        boundary,
        left,
        budget,
        known: FxHashMap::default(),
        ways: Ways::default(),
        ends: Vec::new(),
        path: vec![false; signals],
    };
    let root = walk.go(tuple)?;
    walk.ways.root = root;
    Ok((walk.ways, walk.ends))
}

struct Together<'a> {
    avoided: &'a Avoided,
    offset: u32,
    boundary: u32,
    left: &'a mut usize,
    budget: &'a Budget,
    known: FxHashMap<Tuple, u32>,
    ways: Ways,
    ends: Vec<Tuple>,
    /// The values on the way to the present tuple.
    path: Vec<bool>,
}

impl Together<'_> {
    fn go(&mut self, tuple: Tuple) -> Result<u32, SynthesisError> {
        self.budget.check()?;
        if let Some(&known) = self.known.get(&tuple) {
            return Ok(known);
        }
        *self.left = (self.left.checked_sub(1))
            .ok_or(SynthesisError::TooLarge("there are too many different letters"))?;
        let nodes = self.avoided.nodes();
        let top = (tuple.iter())
            .filter_map(|&node| match nodes[node as usize] {
                Node::Test(level, _, _) if level < self.boundary => Some(level),
                _ => None,
            })
            .min();
        let way = match top {
            None => {
                self.ends.push(tuple.clone());
                self.ways.samples.push(self.path.clone());
                Way::End(self.ends.len() as u32 - 1)
            }
            Some(top) => {
                let side = |high: bool| -> Tuple {
                    let cofactor = |&node: &u32| match nodes[node as usize] {
                        Node::Test(level, low, up) if level == top => {
                            if high {
                                up
                            } else {
                                low
                            }
                        }
                        _ => node,
                    };
                    tuple.iter().map(cofactor).collect()
                };
                let signal = (top - self.offset) as usize;
                let low = self.go(side(false))?;
                self.path[signal] = true;
                let high = self.go(side(true))?;
                self.path[signal] = false;
                Way::Test(signal as u32, low, high)
            }
        };
        self.ways.nodes.push(way);
        let number = self.ways.nodes.len() as u32 - 1;
        self.known.insert(tuple, number);
        Ok(number)
    }
}

/// Which sets of edges lie below others.
struct Below<'a> {
    avoided: &'a Avoided,
}

impl<'a> Below<'a> {
    fn new(avoided: &'a Avoided) -> Below<'a> {
        Below { avoided }
    }

    /// Whether all edges at one end are among those at another, with counts that are no lower there.
    fn end(&self, one: u32, other: u32) -> bool {
        if one == other {
            return true;
        }
        let of = |node: u32| match self.avoided.nodes()[node as usize] {
            Node::End(number) => &self.avoided.ends[number as usize][..],
            Node::Test(..) => &[],
        };
        let (one, other) = (of(one), of(other));
        // Both are sorted by state, the highest first.
        let mut at = 0;
        one.iter().all(|&(to, count)| {
            while other.get(at).is_some_and(|&(known, _)| known > to) {
                at += 1;
            }
            other
                .get(at)
                .is_some_and(|&(known, more)| known == to && count <= more)
        })
    }

    fn tuple(&self, one: &[u32], other: &[u32]) -> bool {
        one.iter().zip(other).all(|(&one, &other)| self.end(one, other))
    }

    /// Actions that matter: for a chooser who moves second those with the fewest edges, against one who has moved already those with the most.
    fn relevant(&self, tuples: &[Tuple], chooser_moves_first: bool) -> Vec<u32> {
        let all: Vec<u32> = (0..tuples.len() as u32).collect();
        if tuples.len() > MOST_COMPARED {
            return all;
        }
        let mut kept: Vec<u32> = Vec::new();
        for at in all {
            let tuple = &tuples[at as usize];
            let covers = |one: &[u32], other: &[u32]| match chooser_moves_first {
                false => self.tuple(one, other),
                true => self.tuple(other, one),
            };
            if kept.iter().any(|&known| covers(&tuples[known as usize], tuple)) {
                continue;
            }
            kept.retain(|&known| !covers(tuple, &tuples[known as usize]));
            kept.push(at);
        }
        kept
    }
}
