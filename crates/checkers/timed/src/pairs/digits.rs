//! Words at whole times, where they are enough.
//!
//! If the first network compares clocks by `≤`, `≥` and `==` only, its words may be rounded: with times t it has the word with times rounded down where the fraction is at most ε, and up otherwise. Differences of rounded times keep bounds `≤ c`. If the second
//! compares clocks by `<` and `>` only, and always lets time pass, a run of it on the rounded word is one on the word itself: rounding changes differences by less than 1. So it is enough that words at whole times are words of both. This is judged on all constraints that
//! are met, and no constant may be larger than the largest that clocks count up to.

use super::Judge;
use crate::Objection;
use crate::cover::is_of_model;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate};
use entail_clocks::pairs::{WholeState, WholeWord};
use std::collections::{BTreeSet, HashMap};

/// Sets of states of the second, by the state of the first.
type Sets<'w> = HashMap<&'w WholeState, Vec<BTreeSet<&'w WholeState>>>;

/// Whether the list contains the beginnings and is closed under units of time and steps of the first.
pub(super) fn lead_nowhere_else(
    judge: &Judge<'_>,
    most: i64,
    words: &[WholeWord],
    budget: &Budget,
) -> Result<(), Objection> {
    super::words::have_names(judge.networks)?;
    let mut sets = Sets::new();
    for word in words {
        for (side, state) in std::iter::once((0, &word.first)).chain(word.second.iter().map(|one| (1, one))) {
            is_of_model(
                judge.networks[side],
                &state.discrete.locations,
                &state.discrete.integers,
            )?;
            if state.clocks.len() != judge.networks[side].clocks.len() {
                return Err("a state has another number of clocks".into());
            }
        }
        sets.entry(&word.first)
            .or_default()
            .push(word.second.iter().collect());
    }
    let contains = |first: &WholeState, second: &[WholeState]| {
        let second: BTreeSet<&WholeState> = second.iter().collect();
        (sets.get(first)).is_some_and(|known| known.iter().any(|one| one.is_subset(&second)))
    };
    let clock = Clocks { judge, most };
    let starts = clock.starts(1)?;
    for first in clock.starts(0)? {
        if starts.is_empty() || !contains(&first, &starts) {
            return Err("a beginning is not in the list".into());
        }
    }
    for word in words {
        budget.check()?;
        if let Some(first) = clock.later(0, &word.first)? {
            let mut second = Vec::new();
            for one in &word.second {
                second.extend(clock.later(1, one)?);
            }
            if !contains(&first, &second) {
                return Err("a unit of time leads out of the list".into());
            }
        }
        for (name, first) in clock.steps(0, &word.first)? {
            let mut second = Vec::new();
            for one in &word.second {
                let answers = clock.steps(1, one)?.into_iter();
                second.extend(
                    answers
                        .filter(|(other, _)| *other == name)
                        .map(|(_, state)| state),
                );
            }
            if second.is_empty() || !contains(&first, &second) {
                return Err(format!("a step `{name}` leads out of the list").into());
            }
        }
    }
    Ok(())
}

/// States with clocks that count whole units, up to one more than the largest constant.
struct Clocks<'j, 'm> {
    judge: &'j Judge<'m>,
    most: i64,
}

impl Clocks<'_, '_> {
    fn hold(&self, side: usize, all: &[ClockConstraint], clocks: &[i64]) -> Result<bool, Objection> {
        let at = |clock: usize| if clock == 0 { 0 } else { clocks[clock - 1] };
        let mut holds = true;
        for one in all {
            if one.left != 0 && one.right != 0 {
                return Err("the model compares two clocks".into());
            }
            if one.bound.abs() > self.most {
                return Err("the model compares clocks with a larger constant".into());
            }
            if one.strict != (side == 1) {
                return Err("whole times are not enough: a comparison is of the wrong kind".into());
            }
            let difference = at(one.left) - at(one.right);
            holds &= difference < one.bound || (difference == one.bound && !one.strict);
        }
        Ok(holds)
    }

    fn starts(&self, side: usize) -> Result<Vec<WholeState>, Objection> {
        let mut found = Vec::new();
        for discrete in self.judge.meanings[side].starts()? {
            let clocks = vec![0; self.judge.networks[side].clocks.len()];
            if let Some(invariant) = self.judge.meanings[side].invariant(&discrete)?
                && self.hold(side, &invariant, &clocks)?
            {
                found.push(WholeState { discrete, clocks });
            }
        }
        Ok(found)
    }

    /// The state a unit later, if it can wait so long.
    fn later(&self, side: usize, state: &WholeState) -> Result<Option<WholeState>, Objection> {
        let meaning = self.judge.meanings[side];
        let may_delay = meaning.may_delay(&state.discrete)?;
        if side == 1 && !may_delay {
            return Err("whole times are not enough: time may not pass in the second network".into());
        }
        let count = |&clock: &i64| (clock + 1).min(self.most + 1);
        let clocks: Vec<i64> = state.clocks.iter().map(count).collect();
        let invariant = meaning.invariant(&state.discrete)?;
        let holds = match &invariant {
            Some(invariant) => self.hold(side, invariant, &clocks)?,
            None => false,
        };
        Ok((may_delay && holds).then(|| WholeState {
            discrete: state.discrete.clone(),
            clocks,
        }))
    }

    /// The steps of a state: names, and where they lead.
    fn steps(&self, side: usize, state: &WholeState) -> Result<Vec<(String, WholeState)>, Objection> {
        let mut found = Vec::new();
        for step in self.judge.meanings[side].moves(&state.discrete)? {
            let mut clocks = state.clocks.clone();
            for ClockUpdate {
                target,
                source,
                offset,
            } in &step.updates
            {
                if *source != 0 || *offset < 0 {
                    return Err("the model copies clocks".into());
                }
                clocks[target - 1] = (*offset).min(self.most + 1);
            }
            let is_able = self.hold(side, &step.guard, &state.clocks)?;
            if self.hold(side, &step.invariant, &clocks)? && is_able {
                let name = self.judge.networks[side].action_name(&step.edges);
                let discrete = step.target?;
                found.push((name, WholeState { discrete, clocks }));
            }
        }
        Ok(found)
    }
}
