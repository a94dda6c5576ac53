//! Duplicator plays by the relation: it answers so that the two states stay related.

use super::Move;
use super::spoiler::{Reached, number};
use entail_evidence::equivalence::{Related, Relation, RelationQuery, Side};
use entail_model::{Lts, StateId, TAU};
use rustc_hash::FxHashSet;

/// Duplicator with its strategy.
pub struct Duplicator<'a> {
    systems: [&'a Lts; 2],
    question: RelationQuery,
    blocks: &'a [u32],
    pairs: FxHashSet<(u32, u32)>,
    at: [StateId; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Second)
}

impl<'a> Duplicator<'a> {
    /// Duplicator with the evidence that the systems are related. Nothing if there is no game of that kind.
    pub fn new(
        first: &'a Lts,
        second: &'a Lts,
        question: RelationQuery,
        related: &'a Related,
    ) -> Option<Duplicator<'a>> {
        let (blocks, pairs) = match related {
            Related::Partition(blocks)
                if matches!(question.relation, Relation::Strong | Relation::Branching) =>
            {
                (blocks, FxHashSet::default())
            }
            Related::Simulation { blocks, pairs } => (blocks, pairs.iter().copied().collect()),
            _ => return None,
        };
        let at = [*first.initial().first()?, *second.initial().first()?];
        Some(Duplicator {
            systems: [first, second],
            question,
            blocks,
            pairs,
            at,
        })
    }

    /// The state of each system.
    pub fn position(&self) -> [StateId; 2] {
        self.at
    }

    /// Begins in an initial state that Spoiler chooses on a side, and in one that is related to it. Says whether there is one.
    pub fn begin(&mut self, side: Side, state: StateId) -> bool {
        let other = side.other();
        let starts = self.systems[index(other)].initial();
        let answer = starts
            .iter()
            .copied()
            .find(|&answer| self.related(side, state, answer));
        self.at[index(side)] = state;
        match answer {
            Some(answer) => self.at[index(other)] = answer,
            None => return false,
        }
        true
    }

    fn block(&self, side: Side, state: StateId) -> u32 {
        let offset = match side {
            Side::First => 0,
            Side::Second => self.systems[0].state_count(),
        };
        self.blocks[state.index() + offset]
    }

    /// Whether a state of a side is related to, or at most, one of the other side.
    fn related(&self, side: Side, state: StateId, other: StateId) -> bool {
        let (here, there) = (self.block(side, state), self.block(side.other(), other));
        here == there || self.pairs.contains(&(here, there))
    }

    /// The sides that Spoiler may move in, now that it has begun on one.
    pub fn sides(&self, begun: Side) -> Vec<Side> {
        match self.question.relation.is_bisimulation() {
            true => vec![Side::First, Side::Second],
            false => vec![begun],
        }
    }

    /// What Spoiler can do on a side.
    pub fn moves(&self, side: Side) -> Vec<Move> {
        let state = self.at[index(side)];
        (self.systems[index(side)].steps(state))
            .map(|step| Move {
                side,
                path: vec![state],
                step: Some(step),
                rest: None,
            })
            .collect()
    }

    /// The answer to a step, which is then the position. Nothing if the relation does not have one: it was no such relation.
    pub fn answer(&mut self, step: &Move) -> Option<Move> {
        let side = step.side;
        let other = side.other();
        let (action, to) = step.step?;
        let t = self.at[index(other)];
        let lts = self.systems[index(other)];
        let name = self.systems[index(side)].action_name(action);
        let same = number(lts, name);
        let hides = self.question.relation == Relation::Branching;
        let stand = hides && action == TAU && self.related(side, to, t);
        let block = self.block(other, t);
        let inside = |_, next| hides && self.block(other, next) == block;
        let reached = Reached::from(lts, t, if stand { 1 } else { usize::MAX }, inside);
        let answer = match stand {
            true => Some(Move {
                side: other,
                path: vec![t],
                step: None,
                rest: None,
            }),
            false => reached.states().find_map(|(place, last)| {
                let answers = same.map_or(&[][..], |action| lts.successors(last, action));
                let answer = answers
                    .iter()
                    .copied()
                    .find(|&answer| self.related(side, to, answer))?;
                Some(Move {
                    side: other,
                    path: reached.path(place),
                    step: same.map(|action| (action, answer)),
                    rest: None,
                })
            }),
        }?;
        self.at[index(side)] = to;
        if let Some(end) = answer.end() {
            self.at[index(other)] = end;
        }
        Some(answer)
    }
}
