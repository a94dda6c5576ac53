//! Machines whose states are vectors of counts.
//!
//! Given are vectors within the bound such that from each of them the player can, whatever the opponent does, come below one of them again: the maximal elements of what it can stay in, or
//! the annotation of a machine that was searched for. A state of the machine is one of these vectors, and stands for all that is below it. The player goes to itself if it
//! can, or else where it has been before, so that few states are met. The machine is loose: whatever leads below the next vector may be written.

use super::antichain::{Counts, is_below};
use super::bounded::Bounded;
use super::letters::Turn;
use crate::loose_nodes::LooseNodes;
use crate::problem::SynthesisError;
use entail_budget::Budget;
use entail_reactive::{LooseMachine, LooseNode};
use rustc_hash::FxHashMap;

/// Vectors to stay below, the position of the first one, and how much was looked at to find them.
pub(crate) struct Stay {
    pub vectors: Vec<Counts>,
    pub first: usize,
    pub looked_at: usize,
}

/// The machine that stays below these vectors.
pub(crate) fn machine(
    game: &Bounded<'_>,
    stay: &Stay,
    reads: &[String],
    writes: &[String],
    budget: &Budget,
) -> Result<LooseMachine, SynthesisError> {
    let mut making = Making {
        game,
        budget,
        vectors: &stay.vectors,
        made: LooseNodes::default(),
        state_of: FxHashMap::default(),
        met: Vec::new(),
    };
    making.state(stay.first);
    let mut states = Vec::new();
    while let Some(&vector) = making.met.get(states.len()) {
        states.push(match game.moves_first {
            true => making.write_first(vector)?,
            false => making.read_first(vector)?,
        });
    }
    Ok(LooseMachine {
        reads: reads.to_vec(),
        writes: writes.to_vec(),
        is_moore: game.moves_first,
        sets: making.made.sets,
        nodes: making.made.nodes,
        states,
    })
}

/// A machine being made.
struct Making<'a> {
    game: &'a Bounded<'a>,
    budget: &'a Budget,
    vectors: &'a [Counts],
    made: LooseNodes,
    /// The machine's state for a vector.
    state_of: FxHashMap<usize, u32>,
    /// The vectors that are states, in their order.
    met: Vec<usize>,
}

fn no_move() -> SynthesisError {
    SynthesisError::Refused("the strategy has no move where it needs one".into())
}

impl Making<'_> {
    fn state(&mut self, vector: usize) -> u32 {
        let fresh = self.met.len() as u32;
        *self.state_of.entry(vector).or_insert_with(|| {
            self.met.push(vector);
            fresh
        })
    }

    /// Where an action leads from a vector, if no count becomes too high.
    fn after(&self, vector: usize, action: u32) -> Option<Vec<i8>> {
        let mut after = vec![-1i8; self.vectors[vector].len()];
        let action = &self.game.letters.actions[action as usize];
        (self.game)
            .successor(&self.vectors[vector], action, &mut after)
            .then_some(after)
    }

    /// A vector that is a state already, this one first, and not below what was reached.
    fn known(&self, vector: usize, after: &[i8]) -> Option<usize> {
        let fits = |&other: &usize| is_below(after, &self.vectors[other]);
        (Some(vector).filter(fits)).or_else(|| self.met.iter().copied().find(fits))
    }

    /// Any vector that is not below what was reached.
    fn fresh(&self, after: &[i8]) -> Option<usize> {
        self.vectors.iter().position(|vector| is_below(after, vector))
    }

    /// The vector to go to in a turn of the opponent: if some action leads back to a state, the first such state.
    fn answer(&self, reached: &[Option<Vec<i8>>], vector: usize) -> Option<usize> {
        let reached = || reached.iter().flatten();
        let back = reached().filter_map(|after| self.known(vector, after));
        let place = |&next: &usize| (next != vector, self.state_of.get(&next).copied());
        back.min_by_key(place)
            .or_else(|| reached().find_map(|after| self.fresh(after)))
    }

    /// The diagram of a player who moves second.
    fn read_first(&mut self, vector: usize) -> Result<u32, SynthesisError> {
        let letters = self.game.letters;
        let mut ends = Vec::with_capacity(letters.turns.len());
        for turn in &letters.turns {
            self.budget.check_now()?;
            let reached: Vec<Option<Vec<i8>>> = (turn.actions.iter())
                .map(|&action| self.after(vector, action))
                .collect();
            let next = self.answer(&reached, vector).ok_or_else(no_move)?;
            let below = &self.vectors[next];
            let stays = |end: usize| reached[end].as_ref().is_some_and(|after| is_below(after, below));
            let allowed = self.made.allowed(&turn.ways, &stays);
            let next = Some(self.state(next));
            ends.push(self.made.node(LooseNode::Step { allowed, next }));
        }
        Ok(self.made.diagram(&letters.first, &ends))
    }

    /// Where all actions of an own turn lead, and how many of these vectors are no states yet.
    fn led(&self, vector: usize, turn: &Turn) -> Option<(Vec<usize>, usize)> {
        let mut fresh = 0;
        let next = turn.actions.iter().map(|&action| {
            let after = self.after(vector, action)?;
            self.known(vector, &after).or_else(|| {
                fresh += 1;
                self.fresh(&after)
            })
        });
        let next = next.collect::<Option<Vec<usize>>>()?;
        Some((next, fresh))
    }

    /// The diagram of a player who moves first.
    fn write_first(&mut self, vector: usize) -> Result<u32, SynthesisError> {
        let letters = self.game.letters;
        self.budget.check_now()?;
        let turns = (letters.turns.iter().enumerate())
            .filter_map(|(number, turn)| Some((number, self.led(vector, turn)?)));
        let (chosen, (next, _)) = turns.min_by_key(|(_, (_, fresh))| *fresh).ok_or_else(no_move)?;
        let allowed = self.made.allowed(&letters.first, &|end| end == chosen);
        let mut ends = Vec::with_capacity(next.len());
        for vector in next {
            let next = Some(self.state(vector));
            ends.push(self.made.node(LooseNode::Step { allowed, next }));
        }
        Ok(self.made.diagram(&letters.turns[chosen].ways, &ends))
    }
}
