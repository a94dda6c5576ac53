//! Corners of regions, walked by the meaning of a model alone.
//!
//! A corner is represented by one of the points of its region near it: exact numbers, a little off whole ones by different amounts. Delays and steps are taken from that point as from any other, and the corner near which they end is
//! read off. That the constant is large enough is seen from every comparison that is met.

use crate::Objection;
use crate::cover::is_of_model;
use crate::replay::meet;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::{EdgeId, Meaning, Network, Query, Rational};
use std::collections::HashMap;

/// Clock values as evidence has them: the whole number nearest, and on which side of it, in which order.
pub(crate) type Rounded = Vec<Option<(i64, i32)>>;

/// What a corner leads to: the number of the corner, the cost, the time, and the joint edge.
pub(crate) struct Lead {
    pub to: usize,
    pub cost: i64,
    pub time: i64,
    /// None for a delay.
    pub edges: Vec<EdgeId>,
}

/// Corners that evidence lists, by number.
pub(crate) struct CornerWalk<'a> {
    meaning: &'a dyn Meaning,
    /// What must hold all the time, if anything.
    within: Option<&'a Query>,
    /// The largest constant that clocks are compared with.
    most: i64,
    corners: Vec<(Discrete, Rounded)>,
    numbers: HashMap<(Discrete, Rounded), usize>,
    /// How far apart points near one corner are.
    gap: Rational,
}

impl<'a> CornerWalk<'a> {
    pub fn new(
        meaning: &'a dyn Meaning,
        network: &Network,
        within: Option<&'a Query>,
        most: i64,
        corners: Vec<(Discrete, Rounded)>,
    ) -> Result<CornerWalk<'a>, Objection> {
        let size = network.clocks.len();
        let mut numbers = HashMap::new();
        for (number, (discrete, clocks)) in corners.iter().enumerate() {
            is_of_model(network, &discrete.locations, &discrete.integers)?;
            let bound =
                |near: &Option<(i64, i32)>| near.is_none_or(|near| near.1.unsigned_abs() as usize <= size);
            if clocks.len() != size || !clocks.iter().all(bound) {
                return Err("a corner has other clocks than the model".into());
            }
            numbers.insert((discrete.clone(), clocks.clone()), number);
        }
        Ok(CornerWalk {
            meaning,
            within,
            most,
            corners,
            numbers,
            gap: Rational::ONE / Rational::from(4 * size as i64 + 4),
        })
    }

    /// The corners at which runs begin.
    pub fn starts(&self, network: &Network) -> Result<Vec<usize>, Objection> {
        let origin = vec![Some(Rational::ZERO); network.clocks.len()];
        let mut found = Vec::new();
        for discrete in self.meaning.starts()? {
            if self.is_allowed(&discrete, &origin)? {
                found.push(self.number(&discrete, &origin)?);
            }
        }
        Ok(found)
    }

    /// The discrete state of a corner.
    pub fn discrete(&self, number: usize) -> &Discrete {
        &self.corners[number].0
    }

    /// Whether all clocks are 0 at a corner.
    pub fn is_origin(&self, number: usize) -> bool {
        self.corners[number].1.iter().all(|&near| near == Some((0, 0)))
    }

    /// Whether a point meets constraints; clocks beyond the largest constant are larger than all that they are compared with.
    fn meets(&self, point: &[Option<Rational>], constraints: &[ClockConstraint]) -> Result<bool, Objection> {
        let beyond = Rational::from(self.most + 1);
        let value = |clock: &Option<Rational>| clock.clone().unwrap_or_else(|| beyond.clone());
        let values: Vec<Rational> = std::iter::once(Rational::ZERO)
            .chain(point.iter().map(value))
            .collect();
        for one in constraints {
            if one.left != 0 && one.right != 0 {
                return Err("clocks are compared with each other".into());
            }
            let constant = if one.left == 0 { -one.bound } else { one.bound };
            if constant > self.most {
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
        let Some(query) = self.within else {
            return Ok(true);
        };
        let mut holds = false;
        for case in self.meaning.satisfying(query.formulas(), 0, discrete)? {
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
        let most = Rational::from(self.most);
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
    pub fn leads(&self, number: usize) -> Result<Vec<Lead>, Objection> {
        let (discrete, clocks) = &self.corners[number];
        let discrete = discrete.clone();
        let value = |&(whole, rank): &(i64, i32)| Rational::from(whole) + Rational::from(rank) * &self.gap;
        let point: Vec<Option<Rational>> = clocks.iter().map(|near| near.as_ref().map(value)).collect();
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
            let rests = || (clocks.iter().flatten()).map(|near| Rational::from(near.1) * &self.gap);
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
}
