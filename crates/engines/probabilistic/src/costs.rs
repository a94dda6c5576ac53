//! Costs in whole units, and epochs: what bounds on rewards, steps or both leave to be spent and to be earned.
//!
//! An *epoch* (Hartmanns, Junges, Katoen and Quatmann 2018) is a number for every bound: how much may still be spent below an upper bound, how much
//! must still be earned below a lower one, in units of the greatest common divisor of all that can be earned. A choice leads from an epoch to the
//! same one, to a smaller one, or out of all upper bounds, where nothing is won any more. So epochs can be solved one after the other, smallest
//! first ([`crate::epochs`]); what bounds leave in the beginning is an epoch as well.
//!
//! In certificates values are in the order of epochs (by the sum of their numbers, then number by number), and of states inside an epoch.

use crate::check::{Exactness, Trouble, Workshop};
use crate::method::Method;
use crate::numbers::Num;
use crate::sparse::Sparse;
use entail_budget::{Budget, Spent};
use entail_markov::{BoundedBy, Bounds, Bracket, End, Limit, Optimum, Rational};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Up to so many states of all epochs together the unfolding is solved as one model, exactly where that is cheap.
const UNFOLDED: usize = 4_000;

/// What is left of every bound.
pub(crate) type Epoch = Vec<u64>;

/// What choices cost.
pub(crate) struct Costs {
    /// The class of each choice; choices of a class cost the same.
    pub class: Vec<u32>,
    /// What a class costs, by dimension.
    classes: Vec<Vec<u64>>,
    /// The bound and the end that each dimension counts for.
    dimensions: Vec<(usize, End)>,
    /// The unit of each bound.
    units: Vec<Rational>,
}

/// What is asked: `stay U goal` within bounds.
#[derive(Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub optimum: Optimum,
    pub stay: &'a FixedBitSet,
    pub goal: &'a FixedBitSet,
}

/// The greatest common divisor of numbers that are not negative.
fn common_divisor(mut a: Rational, mut b: Rational) -> Rational {
    while !b.is_zero() {
        let rest = &a - Rational::from((&a / &b).floor()) * &b;
        a = std::mem::replace(&mut b, rest);
    }
    a
}

fn too_large() -> Trouble {
    Trouble::Unsupported("a bound that is too large for its unit".to_owned())
}

/// How many units a limit leaves; nothing if not even the beginning is within it.
fn units_of(limit: &Limit, end: End, unit: &Rational) -> Result<Option<u64>, Trouble> {
    let ratio = &limit.value / unit;
    let (whole, next) = match end {
        End::Upper if limit.strict => (ratio.ceil(), -1),
        End::Upper => (ratio.floor(), 0),
        End::Lower if limit.strict => (ratio.floor(), 1),
        End::Lower => (ratio.ceil(), 0),
    };
    let whole = i64::try_from(whole).map_err(|_| too_large())? + next;
    Ok(match end {
        End::Upper => u64::try_from(whole).ok(),
        End::Lower => Some(whole.max(0) as u64),
    })
}

impl Costs {
    /// The costs of choices by the counts of some bounds. A dimension is open (`open` names bound and end) although it has no limit.
    fn new(
        counts: &[Vec<Num>],
        bounds: &[&Bounds],
        open: Option<(usize, End)>,
        model: &Sparse,
    ) -> Result<Costs, Trouble> {
        let numbers = &model.numbers;
        let mut units = Vec::new();
        let mut scaled: Vec<FxHashMap<Num, u64>> = Vec::new();
        for count in counts {
            let different: FxHashSet<Num> = count.iter().copied().collect();
            let mut unit = (different.iter()).fold(Rational::ZERO, |unit, &earned| {
                common_divisor(unit, numbers.exact(earned).clone())
            });
            if unit.is_zero() {
                unit = Rational::ONE;
            }
            let whole = |&earned: &Num| {
                let units = (numbers.exact(earned) / &unit).floor();
                Ok((earned, u64::try_from(units).map_err(|_| too_large())?))
            };
            scaled.push(different.iter().map(whole).collect::<Result<_, Trouble>>()?);
            units.push(unit);
        }
        let mut dimensions = Vec::new();
        for (at, bounds) in bounds.iter().enumerate() {
            for (limit, end) in [(&bounds.lower, End::Lower), (&bounds.upper, End::Upper)] {
                if limit.is_some() || open == Some((at, end)) {
                    dimensions.push((at, end));
                }
            }
        }
        let mut numbered: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let (mut class, mut classes) = (Vec::new(), Vec::new());
        for choice in 0..model.rows.len() - 1 {
            let costs: Vec<u64> = (dimensions.iter())
                .map(|&(at, _)| scaled[at][&counts[at][choice]])
                .collect();
            let own = *numbered.entry(costs).or_insert_with_key(|costs| {
                classes.push(costs.clone());
                (classes.len() - 1) as u32
            });
            class.push(own);
        }
        Ok(Costs {
            class,
            classes,
            dimensions,
            units,
        })
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The unit of a bound.
    pub fn unit(&self, bound: usize) -> &Rational {
        &self.units[bound]
    }

    /// The epoch in which everything begins; nothing if it is beyond a bound. An open dimension begins with so many units.
    pub fn start(
        &self,
        bounds: &[&Bounds],
        open: Option<((usize, End), u64)>,
    ) -> Result<Option<Epoch>, Trouble> {
        let mut epoch = Vec::with_capacity(self.dimensions.len());
        for &(at, end) in &self.dimensions {
            let limit = match end {
                End::Lower => &bounds[at].lower,
                End::Upper => &bounds[at].upper,
            };
            let left = match (open, limit) {
                (Some((which, units)), _) if which == (at, end) => Some(units),
                (_, Some(limit)) => units_of(limit, end, &self.units[at])?,
                (_, None) => Some(0),
            };
            let Some(left) = left else { return Ok(None) };
            epoch.push(left);
        }
        Ok(Some(epoch))
    }

    /// Whether all lower bounds are met, so that the goal counts.
    pub fn counts(&self, epoch: &[u64]) -> bool {
        let mut left = self.dimensions.iter().zip(epoch);
        left.all(|(&(_, end), &left)| end == End::Upper || left == 0)
    }

    /// The epoch after a choice of a class; nothing beyond an upper bound.
    pub fn after(&self, epoch: &[u64], class: usize) -> Option<Epoch> {
        let left = self.dimensions.iter().zip(epoch).zip(&self.classes[class]);
        left.map(|((&(_, end), &left), &cost)| match end {
            End::Upper => left.checked_sub(cost),
            End::Lower => Some(left.saturating_sub(cost)),
        })
        .collect()
    }

    /// All epochs that some lead to, with them, in order.
    pub fn closure(
        &self,
        starts: impl IntoIterator<Item = Epoch>,
        budget: &Budget,
    ) -> Result<Vec<Epoch>, Spent> {
        let mut waiting: Vec<Epoch> = starts.into_iter().collect();
        let mut known: FxHashSet<Epoch> = waiting.iter().cloned().collect();
        while let Some(epoch) = waiting.pop() {
            budget.check()?;
            for next in (0..self.classes()).filter_map(|class| self.after(&epoch, class)) {
                if known.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        let mut epochs: Vec<Epoch> = known.into_iter().collect();
        epochs.sort_by_cached_key(|epoch| (epoch.iter().sum::<u64>(), epoch.clone()));
        Ok(epochs)
    }
}

impl Workshop<'_> {
    /// What choices earn by the counts of bounds, which must be the same for all outcomes of a choice: averages do not tell when a bound is passed.
    pub(crate) fn costs(
        &mut self,
        bounds: &[&Bounds],
        open: Option<(usize, End)>,
        budget: &Budget,
    ) -> Result<Costs, Trouble> {
        self.without_intervals("bounds on rewards")?;
        self.without_fairness("bounds on rewards")?;
        if self.network.kind.is_timed() {
            return Err(Trouble::Unsupported(
                "bounds on rewards in timed models are not supported".to_owned(),
            ));
        }
        let mut counts = Vec::new();
        for bounds in bounds {
            counts.push(match bounds.by {
                BoundedBy::Time => vec![crate::numbers::Numbers::ONE; self.model.rows.len() - 1],
                BoundedBy::Reward(structure) if self.model.mixed_rewards[structure] => {
                    let message =
                        "bounds on a reward that differs between outcomes of one choice are not supported";
                    return Err(Trouble::Unsupported(message.to_owned()));
                }
                BoundedBy::Reward(structure) => self.choice_rewards(structure, budget)?,
            });
        }
        Costs::new(&counts, bounds, open, &self.model)
    }

    /// The probability of `stay U goal` within bounds on rewards, or several bounds; noted in the certificate.
    pub(crate) fn until_within_costs(
        &mut self,
        aim: Aim<'_>,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let bounds: Vec<&Bounds> = bounds.all().collect();
        let costs = self.costs(&bounds, None, budget)?;
        let Some(start) = costs.start(&bounds, None)? else {
            let nowhere = FixedBitSet::with_capacity(self.size());
            return Ok(crate::brackets::indicator(&nowhere));
        };
        let epochs = costs.closure([start.clone()], budget)?;
        let all = self.size().saturating_mul(epochs.len());
        let bracket = match self.unfolds(all) {
            true => self.unfolded(aim, &costs, &epochs, budget)?,
            false => {
                let only = self.only_initial.then(|| self.model.initial.clone());
                return self.by_epochs(aim, &costs, &epochs, only.as_deref(), budget);
            }
        };
        let bracket = self.certified(bracket);
        Ok(self.in_epoch(&bracket, epochs.len() - 1))
    }

    /// The values of the states in the epoch at a position.
    pub(crate) fn in_epoch(&self, bracket: &Bracket, at: usize) -> Bracket {
        let own = at * self.size()..(at + 1) * self.size();
        match bracket {
            Bracket::Exact(values) => Bracket::Exact(values[own].to_vec()),
            Bracket::Between { lower, upper } => Bracket::Between {
                lower: lower[own.clone()].to_vec(),
                upper: upper[own].to_vec(),
            },
        }
    }

    /// Whether so many states of all epochs are solved as one model.
    fn unfolds(&self, all: usize) -> bool {
        let exact = self.settings.exactness == Exactness::Always
            || matches!(
                self.settings.method,
                Method::Policy | Method::LinearProgram | Method::RationalSearch
            );
        exact || (self.settings.exactness == Exactness::WhereCheap && all <= UNFOLDED)
    }

    /// The values of all states in all epochs, from one model that is made of all of them and of a state that is lost.
    pub(crate) fn unfolded(
        &mut self,
        aim: Aim<'_>,
        costs: &Costs,
        epochs: &[Epoch],
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let size = self.size();
        let all = size * epochs.len();
        if all >= u32::MAX as usize {
            return Err(Trouble::TooMany(u32::MAX as usize));
        }
        let position: FxHashMap<&Epoch, usize> = epochs.iter().zip(0..).collect();
        let mut model = Sparse::empty(self.model.kind, &self.network);
        let (mut way, mut there) = (
            FixedBitSet::with_capacity(all + 1),
            FixedBitSet::with_capacity(all + 1),
        );
        for (at, epoch) in epochs.iter().enumerate() {
            let base = at * size;
            let counts = costs.counts(epoch);
            let next: Vec<Option<usize>> = (0..costs.classes())
                .map(|class| (costs.after(epoch, class)).map(|next| position[&next] * size))
                .collect();
            for state in 0..size {
                budget.check()?;
                way.set(base + state, aim.stay.contains(state));
                there.set(base + state, counts && aim.goal.contains(state));
                for choice in self.model.choices_of(state) {
                    for transition in self.model.row(choice) {
                        let target = match next[costs.class[choice] as usize] {
                            Some(base) => base + self.model.targets[transition] as usize,
                            None => all,
                        };
                        model.targets.push(target as u32);
                        model.values.push(self.model.values[transition]);
                    }
                    model.rows.push(model.targets.len() as u32);
                }
                model.choices.push((model.rows.len() - 1) as u32);
            }
        }
        model.targets.push(all as u32);
        model.values.push(crate::numbers::Numbers::ONE);
        model.rows.push(model.targets.len() as u32);
        model.choices.push((model.rows.len() - 1) as u32);
        let last = (epochs.len() - 1) * size;
        let begin = |&state: &u32| last as u32 + state;
        model.initial = self.model.initial.iter().map(begin).collect();
        model.numbers = self.model.numbers.clone();
        let mut workshop = Workshop::around(&self.network, model, self.settings);
        let mut bracket = workshop.until_bracket(aim.optimum, &way, &there, budget)?;
        self.sweeps += workshop.sweeps;
        match &mut bracket {
            Bracket::Exact(values) => values.truncate(all),
            Bracket::Between { lower, upper } => {
                lower.truncate(all);
                upper.truncate(all);
            }
        }
        Ok(bracket)
    }
}
