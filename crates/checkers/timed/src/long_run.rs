//! Whether a cost per unit of time is the least in the long run.
//!
//! The theorem (Bouyer, Brinksma, Larsen 2008): up to a constant, every run costs as much less μ times its time as some path through the corners of its regions, or more; and near every path of corners there are runs. So it is enough that
//!
//! 1. the corners listed contain those at which runs begin, and those to which delays and steps lead from listed ones, as far as the condition holds there;
//! 2. along none of these does the potential grow by more than the cost less μ times the time: then no run has a smaller ratio;
//! 3. the way to the cycle and the cycle are delays and steps, and cost and time of the cycle have the ratio μ. Where time diverges in no run, potentials bound the time instead.
//!
//! A corner is represented by one of the points of its region near it: exact numbers, a little off whole ones by different amounts. Delays and steps are taken from that point as from any other, and the corner near which they end is
//! read off. That the constant is large enough is seen from every comparison that is met. The run that is shown is replayed, and must take the steps of the way and the cycle.

use crate::Objection;
use crate::cover::is_of_model;
use crate::replay::{self, meet};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{LongRun, PricedCorner};
use entail_clocks::{EdgeId, Meaning, Network, Query, Rational};
use std::collections::HashMap;

/// Clock values as evidence has them: the whole number nearest, and on which side of it, in which order.
type Rounded = Vec<Option<(i64, i32)>>;

/// What a corner leads to: the number of the corner, the cost, the time, and the joint edge.
struct Lead {
    to: usize,
    cost: i64,
    time: i64,
    /// None for a delay.
    edges: Vec<EdgeId>,
}

struct Checked<'a> {
    meaning: &'a dyn Meaning,
    query: &'a Query,
    found: &'a LongRun,
    numbers: HashMap<(Discrete, Rounded), usize>,
    /// How far apart points near one corner are.
    gap: Rational,
}

/// Checks the least ratio.
pub(crate) fn is_least(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    found: &LongRun,
    budget: &Budget,
) -> Result<(), Objection> {
    if found.time < 0 || found.cost < 0 || (found.time == 0 && found.cost != 1) {
        return Err("the ratio is none".into());
    }
    let size = network.clocks.len();
    let mut numbers = HashMap::new();
    for (number, corner) in found.corners.iter().enumerate() {
        is_of_model(network, &corner.locations, &corner.integers)?;
        let bound =
            |near: &Option<(i64, i32)>| near.is_none_or(|near| near.1.unsigned_abs() as usize <= size);
        if corner.clocks.len() != size || !corner.clocks.iter().all(bound) {
            return Err("a corner has other clocks than the model".into());
        }
        numbers.insert((discrete_of(corner), corner.clocks.clone()), number);
    }
    let checked = Checked {
        meaning,
        query,
        found,
        numbers,
        gap: Rational::ONE / Rational::from(4 * size as i64 + 4),
    };
    let origin = vec![Some(Rational::ZERO); size];
    for discrete in meaning.starts()? {
        if checked.is_allowed(&discrete, &origin)? {
            checked.number(&discrete, &origin)?;
        }
    }
    let weight = |lead: &Lead| {
        i128::from(lead.cost) * i128::from(found.time) - i128::from(lead.time) * i128::from(found.cost)
    };
    for (number, corner) in found.corners.iter().enumerate() {
        budget.check()?;
        for lead in checked.leads(number)? {
            let grown = i128::from(found.corners[lead.to].potential) - i128::from(corner.potential);
            if grown > weight(&lead) {
                return Err("a potential grows by more than its edge weighs".into());
            }
        }
    }
    match found.time {
        0 => Ok(()),
        _ => checked.goes_round(network),
    }
}

fn discrete_of(corner: &PricedCorner) -> Discrete {
    Discrete {
        locations: corner.locations.clone(),
        integers: corner.integers.clone(),
    }
}

impl Checked<'_> {
    /// Whether a point meets constraints; clocks beyond the largest constant are larger than all that they are compared with.
    fn meets(&self, point: &[Option<Rational>], constraints: &[ClockConstraint]) -> Result<bool, Objection> {
        let beyond = Rational::from(self.found.most + 1);
        let value = |clock: &Option<Rational>| clock.clone().unwrap_or_else(|| beyond.clone());
        let values: Vec<Rational> = std::iter::once(Rational::ZERO)
            .chain(point.iter().map(value))
            .collect();
        for one in constraints {
            if one.left != 0 && one.right != 0 {
                return Err("clocks are compared with each other".into());
            }
            let constant = if one.left == 0 { -one.bound } else { one.bound };
            if constant > self.found.most {
                return Err("a clock is compared with a larger constant than the evidence says".into());
            }
        }
        Ok(meet(&values, constraints))
    }

    /// Whether a state meets its invariant, and the condition.
    fn is_allowed(&self, discrete: &Discrete, point: &[Option<Rational>]) -> Result<bool, Objection> {
        let Some(invariant) = self.meaning.invariant(discrete)? else {
            return Ok(false);
        };
        if !self.meets(point, &invariant)? {
            return Ok(false);
        }
        let mut holds = false;
        for case in self.meaning.satisfying(self.query.formulas(), 0, discrete)? {
            if case.iter().any(|one| one.about_deadlock().is_some()) {
                return Err("the condition is about deadlocks".into());
            }
            holds |= self.meets(point, &case)?;
        }
        Ok(holds)
    }

    /// The number of the corner near a point.
    fn number(&self, discrete: &Discrete, point: &[Option<Rational>]) -> Result<usize, Objection> {
        let half = Rational::ONE / Rational::from(2);
        let near = |value: &Rational| {
            let whole = (value + &half).floor();
            let rest = value - Rational::from(whole.clone());
            i64::try_from(whole).map(|whole| (whole, rest))
        };
        let most = Rational::from(self.found.most);
        let mut parts = Vec::with_capacity(point.len());
        for value in point {
            let kept = value.as_ref().filter(|value| **value <= most);
            let part = kept.map(near).transpose();
            parts.push(part.map_err(|_| Objection::from("a clock is too large"))?);
        }
        let mut above: Vec<&Rational> = parts.iter().flatten().map(|part| &part.1).collect();
        above.sort();
        above.dedup();
        let rank = |rest: &Rational| match rest.cmp(&Rational::ZERO) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => above
                .iter()
                .filter(|one| ***one > Rational::ZERO && **one <= rest)
                .count() as i32,
            std::cmp::Ordering::Less => {
                -(above
                    .iter()
                    .filter(|one| ***one < Rational::ZERO && **one >= rest)
                    .count() as i32)
            }
        };
        let rounded: Rounded = parts
            .iter()
            .map(|part| part.as_ref().map(|(whole, rest)| (*whole, rank(rest))))
            .collect();
        let known = self.numbers.get(&(discrete.clone(), rounded));
        known
            .copied()
            .ok_or_else(|| "a corner that is reached is not listed".into())
    }

    /// What a corner leads to.
    fn leads(&self, number: usize) -> Result<Vec<Lead>, Objection> {
        let corner = &self.found.corners[number];
        let discrete = discrete_of(corner);
        let value = |&(whole, rank): &(i64, i32)| Rational::from(whole) + Rational::from(rank) * &self.gap;
        let point: Vec<Option<Rational>> = corner
            .clocks
            .iter()
            .map(|near| near.as_ref().map(value))
            .collect();
        if point.iter().flatten().any(|value| *value < Rational::ZERO) {
            return Err("a clock is negative".into());
        }
        let mut found = Vec::new();
        if !self.is_allowed(&discrete, &point)? {
            return Ok(found);
        }
        if !self.meaning.stopped(&discrete)?.is_empty() {
            return Err(Objection::Unchecked("clocks that stand still".to_owned()));
        }
        if self.meaning.may_delay(&discrete)? {
            let rests = || (corner.clocks.iter().flatten()).map(|near| Rational::from(near.1) * &self.gap);
            let half = &self.gap / Rational::from(2);
            let (delay, time) = if rests().any(|rest| rest == Rational::ZERO) {
                (half, 0)
            } else if let Some(nearest) = rests().filter(|rest| *rest < Rational::ZERO).max() {
                (-nearest, 0)
            } else {
                // From just above a corner to just below the next.
                let most = rests().max().unwrap_or(Rational::ZERO);
                (Rational::ONE - most - half, 1)
            };
            let later: Vec<Option<Rational>> = point
                .iter()
                .map(|value| value.as_ref().map(|value| value + &delay))
                .collect();
            if self.is_allowed(&discrete, &later)? {
                found.push(Lead {
                    to: self.number(&discrete, &later)?,
                    cost: self.meaning.rate(&discrete)? * time,
                    time,
                    edges: Vec::new(),
                });
            }
        }
        for step in self.meaning.moves(&discrete)? {
            if !self.meets(&point, &step.guard)? {
                continue;
            }
            let target = step.target?;
            let mut after = point.clone();
            for update in &step.updates {
                let source = match update.source {
                    0 => Some(Rational::ZERO),
                    source => after[source - 1].clone(),
                };
                if update.offset < 0 && update.source != 0 {
                    return Err("a clock is set back".into());
                }
                after[update.target - 1] = source.map(|value| value + Rational::from(update.offset));
            }
            if self.is_allowed(&target, &after)? {
                found.push(Lead {
                    to: self.number(&target, &after)?,
                    cost: step.cost,
                    time: 0,
                    edges: step.edges,
                });
            }
        }
        Ok(found)
    }

    /// Checks the way to the cycle, the cycle, its ratio, and the run.
    fn goes_round(&self, network: &Network) -> Result<(), Objection> {
        let found = self.found;
        let count = found.corners.len();
        let start = found
            .start
            .filter(|&start| start < count)
            .ok_or("no run begins")?;
        let first = discrete_of(&found.corners[start]);
        let is_origin = found.corners[start]
            .clocks
            .iter()
            .all(|&near| near == Some((0, 0)));
        if !is_origin || !self.meaning.starts()?.contains(&first) {
            return Err("the way to the cycle does not begin in an initial state".into());
        }
        let head = found.stem.last().map_or(start, |step| step.corner);
        if found.cycle.last().is_none_or(|last| last.corner != head) {
            return Err("the cycle does not close".into());
        }
        let (mut here, mut cost, mut time) = (start, 0i64, 0i64);
        for (place, step) in found.stem.iter().chain(&found.cycle).enumerate() {
            let leads = self.leads(here)?;
            let is_it = |lead: &&Lead| lead.to == step.corner && lead.edges == step.edges;
            let lead = leads
                .iter()
                .find(is_it)
                .ok_or("the way to the cycle, or the cycle, is none")?;
            if place >= found.stem.len() {
                cost = cost.checked_add(lead.cost).ok_or("the cost is too large")?;
                time += lead.time;
            }
            here = step.corner;
        }
        if (cost, time) != (found.cost, found.time) {
            return Err("the cycle has another cost or another time".into());
        }
        let run = found.run.as_ref().ok_or("there is no run")?;
        let path = found.stem.iter().chain(&found.cycle).map(|step| &step.edges);
        if !path
            .filter(|edges| !edges.is_empty())
            .eq(run.steps.iter().map(|step| &step.edges))
        {
            return Err("the run takes other steps than the corners".into());
        }
        replay::end_of(self.meaning, network, run).map(|_| ())
    }
}
