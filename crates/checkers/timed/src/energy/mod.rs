//! Whether accumulated weights stay within bounds.
//!
//! Some run: it is replayed with exact numbers, and its cycle has to come back to the same state (clocks that are larger than all they are compared with may have grown) with no less energy. That smaller credits are not enough is shown by levels with ranks
//! (`levels`), or by potentials (`potentials`). Every run: levels at corners that are closed under delays and steps, below; or a replayed run that leaves the bounds.

mod levels;
mod potentials;
mod small;

use crate::Objection;
use crate::corner_walk::CornerWalk;
use crate::replay::{Exact, beginning, meet};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Because, LevelledCorner, Run, Sustained};
use entail_clocks::{Energy, Meaning, Network, Query, Rational, Upper};

/// Which credits are to be shown to be lost.
#[derive(Clone, Copy)]
enum Lost<'a> {
    /// This one.
    One(&'a Rational),
    /// All that are less.
    Less(&'a Rational),
    /// All.
    All,
}

/// A question with what it is about.
struct Subject<'a> {
    meaning: &'a dyn Meaning,
    network: &'a Network,
    query: &'a Query,
    asked: &'a Energy,
}

/// Checks an answer.
pub(crate) fn is_so(
    meaning: &dyn Meaning,
    network: &Network,
    (query, asked): (&Query, &Energy),
    found: &Sustained,
    budget: &Budget,
) -> Result<(), Objection> {
    let subject = Subject {
        meaning,
        network,
        query,
        asked,
    };
    let credit = found.credit.as_ref().map(|credit| &credit.0);
    if asked.credit.is_some() && asked.credit.as_ref() != credit {
        return Err("the evidence is about another credit".into());
    }
    if found.cap != asked.cap() {
        return Err("the evidence is about another upper bound".into());
    }
    match (asked.every, found.holds, &found.run) {
        (true, true, _) => subject.all_stay_within(found, budget),
        (true, false, Some(run)) => match subject.replay(run, 0, credit, budget)? {
            Replayed::Out => Ok(()),
            Replayed::Lasts(_) => Err("the run stays within the bounds".into()),
        },
        (false, true, Some(run)) => {
            let Replayed::Lasts(levels) = subject.replay(run, found.since, credit, budget)? else {
                return Err("the run leaves the bounds".into());
            };
            let is_enough = match asked.upper {
                Some(Upper::Limit(_)) => levels[0] == levels[1],
                _ => levels[0] <= levels[1],
            };
            if !is_enough {
                return Err("the level is not the same after the cycle".into());
            }
            match (&asked.credit, credit) {
                (None, Some(least)) => subject.is_lost(found, Lost::Less(least), budget),
                _ => Ok(()),
            }
        }
        (false, false, _) => match credit {
            Some(credit) if asked.cut(credit.clone()).is_none() => Ok(()),
            Some(credit) => subject.is_lost(found, Lost::One(credit), budget),
            None => subject.is_lost(found, Lost::All, budget),
        },
        (_, _, None) => Err("there is no run".into()),
    }
}

/// What came of a run.
enum Replayed {
    /// It leaves the bounds.
    Out,
    /// It does not; the levels where its cycle begins and ends.
    Lasts([Rational; 2]),
}

impl Subject<'_> {
    fn is_lost(&self, found: &Sustained, which: Lost<'_>, budget: &Budget) -> Result<(), Objection> {
        match (&found.because, self.asked.upper) {
            (Some(Because::Levels(levels)), Some(_)) => levels::are_lost(self, levels, which, budget),
            (Some(Because::Potentials(all)), None) => potentials::show_loss(self, all, which, budget),
            _ => Err("nothing shows that smaller credits are not enough".into()),
        }
    }

    /// Whether what must hold all the time holds in a state.
    fn stays(&self, discrete: &Discrete) -> Result<bool, Objection> {
        let cases = self.meaning.satisfying(self.query.formulas(), 0, discrete)?;
        match cases.iter().all(Vec::is_empty) {
            true => Ok(!cases.is_empty()),
            false => Err(Objection::Unchecked(
                "conditions on clocks along the run".to_owned(),
            )),
        }
    }

    /// Replays a run with its levels. If some run is asked about, its cycle has to come back to the same state.
    fn replay(
        &self,
        run: &Run,
        since: usize,
        credit: Option<&Rational>,
        budget: &Budget,
    ) -> Result<Replayed, Objection> {
        let wants_cycle = !self.asked.every;
        if wants_cycle && since >= run.steps.len() {
            return Err("the cycle has no steps".into());
        }
        let mut state = beginning(self.meaning, self.network, run)?;
        let credit = credit.ok_or("there is no credit")?;
        let Some(mut level) = self.asked.cut(credit.clone()) else {
            return Ok(Replayed::Out);
        };
        let mut head = None;
        // What is compared with on the cycle.
        let mut compared: Vec<ClockConstraint> = Vec::new();
        let rests = std::iter::once((&run.rest.0, None));
        let steps = run.steps.iter().map(|step| (&step.delay.0, Some(&step.edges)));
        for (position, (delay, edges)) in steps.chain(rests).enumerate() {
            budget.check()?;
            if wants_cycle && !self.stays(&state.discrete)? {
                return Err("the run does not stay where it has to".into());
            }
            if position == since {
                head = Some((state.discrete.clone(), state.clocks.clone(), level.clone()));
            }
            compared.extend(self.meaning.invariant(&state.discrete)?.unwrap_or_default());
            let rate = self.meaning.rate(&state.discrete)?;
            if !state.wait(self.meaning, delay)? {
                return Err("time may not pass so long".into());
            }
            match self.asked.cut(&level + Rational::from(rate) * delay) {
                Some(after) => level = after,
                None => return Ok(Replayed::Out),
            }
            let Some(edges) = edges else { break };
            let moves = self.meaning.moves(&state.discrete)?;
            let taken = moves
                .iter()
                .find(|one| one.edges == *edges && meet(&state.clocks, &one.guard));
            let taken = taken.ok_or("a step of the run is not enabled")?;
            if position >= since {
                compared.extend(&taken.guard);
                compared.extend(&taken.invariant);
            } else {
                compared.clear();
            }
            if !state.step(self.meaning, edges)? {
                return Err("a step of the run is not enabled".into());
            }
            match self.asked.cut(&level + Rational::from(taken.cost)) {
                Some(after) => level = after,
                None => return Ok(Replayed::Out),
            }
        }
        let (discrete, clocks, before) = head.ok_or("the cycle does not begin")?;
        if wants_cycle {
            if run.rest.0 != Rational::ZERO {
                return Err("the cycle ends with a wait".into());
            }
            comes_back(&state, &discrete, &clocks, &compared)?;
        }
        Ok(Replayed::Lasts([before, level]))
    }

    /// Checks that levels at corners contain those of all runs, and are within the bounds.
    fn all_stay_within(&self, found: &Sustained, budget: &Budget) -> Result<(), Objection> {
        let Some(Because::Corners { most, corners }) = &found.because else {
            return Err("nothing shows that all runs stay within the bounds".into());
        };
        let credit = self.asked.credit.clone().ok_or("no credit is given")?;
        let credit = self.asked.cut(credit);
        let corner = |corner: &LevelledCorner| {
            let discrete = Discrete {
                locations: corner.locations.clone(),
                integers: corner.integers.clone(),
            };
            (discrete, corner.clocks.clone())
        };
        let listed = corners.iter().map(corner).collect();
        let walk = CornerWalk::new(self.meaning, self.network, None, *most, listed)?;
        let lower = Rational::from(self.asked.lower);
        let upper = self.asked.upper;
        for one in corners {
            let is_within = match upper {
                Some(Upper::Limit(most)) => {
                    let highest = one
                        .most
                        .as_ref()
                        .ok_or("an upper bound of the level is missing")?;
                    highest.0 <= Rational::from(most)
                }
                Some(Upper::Weak(most)) => one.least.0 <= Rational::from(most),
                None => true,
            };
            if one.least.0 < lower || !is_within {
                return Err("a level is out of bounds".into());
            }
        }
        // A level that arrives is between the bounds of the corner.
        let contains = |to: usize, least: &Rational, most: Option<&Rational>| {
            let to = &corners[to];
            to.least.0 <= *least
                && match (upper, &to.most, most) {
                    (Some(Upper::Limit(_)), Some(to), Some(most)) => to.0 >= *most,
                    (Some(Upper::Limit(_)), ..) => false,
                    _ => true,
                }
        };
        for start in walk.starts(self.network)? {
            let credit = credit.as_ref().ok_or("the credit is out of bounds")?;
            if !contains(start, credit, Some(credit)) {
                return Err("the credit is not between the bounds where runs begin".into());
            }
        }
        for (number, one) in corners.iter().enumerate() {
            budget.check()?;
            for lead in walk.leads(number)? {
                let more = Rational::from(lead.cost);
                let most = one.most.as_ref().map(|most| &most.0 + &more);
                if !contains(lead.to, &(&one.least.0 + &more), most.as_ref()) {
                    return Err("a level grows or falls by more than its corners say".into());
                }
            }
        }
        Ok(())
    }
}

/// Whether a run is where its cycle began: clocks larger than all constants on the cycle may differ.
fn comes_back(
    state: &Exact,
    discrete: &Discrete,
    clocks: &[Rational],
    compared: &[ClockConstraint],
) -> Result<(), Objection> {
    if state.discrete != *discrete {
        return Err("the cycle does not come back to its state".into());
    }
    let has_differences = compared.iter().any(|one| one.left != 0 && one.right != 0);
    let most = compared.iter().map(|one| one.bound.abs()).max().unwrap_or(0);
    let is_beyond = |value: &Rational| !has_differences && *value > Rational::from(most);
    let mut pairs = state.clocks.iter().zip(clocks);
    match pairs.all(|(one, other)| one == other || (is_beyond(one) && is_beyond(other))) {
        true => Ok(()),
        false => Err("the cycle does not come back to its clock values".into()),
    }
}
