//! Judging comparisons of two networks.
//!
//! The definition of each relation is followed on matrices of the clocks of both networks: a set of pairs in which every move has an answer within the set (`closed`); pairs from which moves lead to smaller ranks, whatever
//! the answer (`ranked`); a play in exact time (`play`); sets of states of the second network that words of the first lead to (`words`), at whole times where these are enough (`digits`).
//!
//! Nothing is assumed of how the pairs were found: neither about regions nor about the constants of the models.

mod closed;
mod digits;
mod play;
mod ranked;
mod words;

use crate::Objection;
use crate::cover::is_of_model;
use crate::deadlock::everything;
use crate::matrix::{Matrix, plus};
use crate::within::both;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::pairs::{Correspondence, PairZone, TimedRelation};
use entail_clocks::{Meaning, Move, Network};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Whether evidence shows that two networks are related, or that they are not: which of the two it is the evidence says itself. Their states and steps are those of the meanings; the networks name the steps.
pub fn judge_pairs(
    meanings: [&dyn Meaning; 2],
    networks: [&Network; 2],
    relation: TimedRelation,
    correspondence: &Correspondence,
    budget: &Budget,
) -> Result<(), Objection> {
    if !networks.iter().all(|network| network.stopwatches.is_empty()) {
        return Err("clocks of the networks stand still".into());
    }
    let judge = Judge {
        meanings,
        networks,
        relation,
        known: RefCell::default(),
    };
    match (correspondence, relation) {
        (Correspondence::Included { words }, TimedRelation::Inclusion) => {
            words::lead_nowhere_else(&judge, words, budget)
        }
        (Correspondence::Digitized { most, words }, TimedRelation::Inclusion) => {
            digits::lead_nowhere_else(&judge, *most, words, budget)
        }
        (Correspondence::Excluded { run }, TimedRelation::Inclusion) => words::is_no_word(&judge, run),
        (_, TimedRelation::Inclusion) => Err("the evidence is not about words".into()),
        (Correspondence::Related { pairs }, _) => closed::all_answered(&judge, pairs, budget),
        (Correspondence::Unrelated { start, losses, play }, _) => {
            ranked::none_answered(&judge, *start, losses, budget)?;
            play::is_lost(&judge, *start, play)
        }
        _ => Err("the evidence is about words".into()),
    }
}

/// A step of one side, in the clocks of both.
struct Shifted {
    name: String,
    step: Move,
    /// The values from which it can be taken; nothing if there are none.
    able: Option<Matrix>,
}

/// A discrete state of one side, in the clocks of both.
struct SideState {
    /// The values that meet its invariant.
    inside: Matrix,
    may_delay: bool,
    steps: Vec<Shifted>,
}

struct Judge<'m> {
    meanings: [&'m dyn Meaning; 2],
    networks: [&'m Network; 2],
    relation: TimedRelation,
    known: RefCell<[HashMap<Discrete, Rc<SideState>>; 2]>,
}

/// Discrete states of both sides.
type States = [Discrete; 2];

impl Judge<'_> {
    /// The number of clocks of both, with the reference clock.
    fn size(&self) -> usize {
        1 + self.networks[0].clocks.len() + self.networks[1].clocks.len()
    }

    /// The clocks of a side.
    fn own(&self, side: usize) -> Vec<usize> {
        let first = self.networks[0].clocks.len();
        match side {
            0 => (1..=first).collect(),
            _ => (first + 1..self.size()).collect(),
        }
    }

    fn sides(&self) -> &'static [usize] {
        match self.relation.is_symmetric() {
            true => &[0, 1],
            false => &[0],
        }
    }

    /// The beginnings of a side that meet their invariants.
    fn starts(&self, side: usize) -> Result<Vec<Discrete>, Objection> {
        let mut found = Vec::new();
        for state in self.meanings[side].starts()? {
            if let Some(invariant) = self.meanings[side].invariant(&state)?
                && Matrix::origin(self.networks[side].dimension()).cut_all(&invariant)
            {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// A state of a side, in the clocks of both.
    fn state(&self, side: usize, discrete: &Discrete) -> Result<Rc<SideState>, Objection> {
        if let Some(known) = self.known.borrow()[side].get(discrete) {
            return Ok(Rc::clone(known));
        }
        let meaning = self.meanings[side];
        let before = self.own(side).first().map_or(0, |first| first - 1);
        let clock = |clock: usize| if clock == 0 { 0 } else { clock + before };
        let shifted = |all: &[ClockConstraint]| -> Vec<ClockConstraint> {
            let one = |one: &ClockConstraint| ClockConstraint {
                left: clock(one.left),
                right: clock(one.right),
                ..*one
            };
            all.iter().map(one).collect()
        };
        let mut inside = everything(self.size());
        let invariant = meaning.invariant(discrete)?;
        if !invariant.is_some_and(|invariant| inside.cut_all(&shifted(&invariant))) {
            return Err("a pair does not meet an invariant".into());
        }
        let mut steps = Vec::new();
        for mut step in meaning.moves(discrete)? {
            let name = self.networks[side].action_name(&step.edges);
            step.guard = shifted(&step.guard);
            step.invariant = shifted(&step.invariant);
            for update in &mut step.updates {
                *update = ClockUpdate {
                    target: clock(update.target),
                    source: clock(update.source),
                    offset: update.offset,
                };
            }
            let mut able = everything(self.size());
            let is_able = able.cut_all(&step.invariant)
                && step.updates.iter().rev().all(|update| able.unset(update))
                && able.cut_all(&step.guard);
            steps.push(Shifted {
                name,
                step,
                able: is_able.then_some(able),
            });
        }
        let state = Rc::new(SideState {
            inside,
            may_delay: meaning.may_delay(discrete)?,
            steps,
        });
        self.known.borrow_mut()[side].insert(discrete.clone(), Rc::clone(&state));
        Ok(state)
    }

    /// Reads pairs of the evidence, which are pairs of these networks and meet the invariants.
    fn read(&self, pairs: &PairZone) -> Result<(States, Matrix), Objection> {
        let states = [pairs.first.clone(), pairs.second.clone()];
        let matrix = Matrix::read(self.size(), &pairs.zone).ok_or("a zone is empty or malformed")?;
        for (side, state) in states.iter().enumerate() {
            is_of_model(self.networks[side], &state.locations, &state.integers)?;
            if !matrix.is_within(&self.state(side, state)?.inside) {
                return Err("a pair does not meet an invariant".into());
            }
        }
        let is_bound =
            |one: usize, other: usize| matrix.at(one, other) < plus(matrix.at(one, 0), matrix.at(0, other));
        let is_mixed = self
            .own(0)
            .iter()
            .any(|&one| (self.own(1).iter()).any(|&other| is_bound(one, other) || is_bound(other, one)));
        if self.relation.is_abstract() && is_mixed {
            return Err("a zone bounds clocks of one side by clocks of the other".into());
        }
        Ok((states, matrix))
    }
}

/// The values from which steps of both sides can be taken and lead into a matrix; nothing if there are none.
fn before(one: &Shifted, other: &Shifted, into: &Matrix) -> Option<Matrix> {
    let mut matrix = into.clone();
    let mut updates = (one.step.updates.iter().chain(&other.step.updates)).rev();
    if !updates.all(|update| matrix.unset(update)) {
        return None;
    }
    let first = both(&matrix, one.able.as_ref()?)?;
    both(&first, other.able.as_ref()?)
}

/// The states that steps of both sides lead to, of which the first is this side's.
fn after(side: usize, one: &Shifted, other: &Shifted) -> Result<States, Objection> {
    let (one, other) = (one.step.target.clone()?, other.step.target.clone()?);
    Ok(if side == 0 { [one, other] } else { [other, one] })
}

/// The values from which waiting some time, more than none, leads into a matrix; nothing if there are none.
fn strictly_before(matrix: &Matrix) -> Option<Matrix> {
    let mut earlier = matrix.clone();
    earlier.sink();
    let mut clocks = 1..matrix.size;
    // An upper bound that allows equality is odd.
    let is_left = clocks.all(|clock| {
        let bound = matrix.at(clock, 0);
        bound >= crate::matrix::FREE || earlier.cut(clock, 0, bound & !1)
    });
    is_left.then_some(earlier)
}
