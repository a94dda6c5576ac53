//! Bounded operators, one preimage per step, from the end of the interval inwards.
//!
//! `E [f U[a,b] g]` is computed from step `b`, where `g` has to hold, back to step `a` (each step adds the states of `f` that
//! step into the set so far) and on to step 0 (only those). Inside the interval the sets change in one direction, and before
//! it each is determined by the last, so both loops stop at the first repetition: the bound may be astronomical, the work is
//! at most the depth of the graph (before the interval: until two consecutive sets are equal, else `a` steps).

use crate::ctl::{Approximants, CtlError, Labelled};
use crate::{CtlEvaluator, RegionAlgebra};
use entail_logic::{Interval, Paths};

/// Both kinds of operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The goal at some step, `aside` before it.
    Some,
    /// The goal at every step, unless `aside` at a step before.
    Every,
}

/// The sets from which a bounded operator can be followed step by step.
#[derive(Clone, Debug)]
pub struct BoundedSteps<R> {
    /// Whether the goal is asked for at some step of the interval (`F U M`) or at every one (`G V W`).
    pub asks_for_some: bool,
    /// `inside[k]`: where what is left can be met with `k` steps of the interval still to come. Where the list ends, the last
    /// set goes on. For an interval without end there is one set, that of the unbounded operator.
    pub inside: Vec<R>,
    /// `before[k]`: where it can be met with `k` steps to come before the interval; `before[0]` is the last of `inside`.
    /// Where the list ends, the last set goes on.
    pub before: Vec<R>,
    /// For an interval without end: the approximants of the unbounded operator.
    pub unbounded: Option<Box<Approximants<R>>>,
}

impl<G: RegionAlgebra> CtlEvaluator<'_, G> {
    pub(crate) fn bounded(
        &mut self,
        shape: Shape,
        aside: Option<G::Region>,
        goal: G::Region,
        interval: Interval,
    ) -> Result<Labelled<G::Region>, CtlError<G::Error>> {
        if interval.is_empty() {
            let region = match shape {
                Shape::Some => self.algebra.empty()?,
                Shape::Every => self.fair()?,
            };
            return Ok(Labelled {
                region,
                approximants: Some(Approximants::Here),
            });
        }
        let met = self.beginning(&goal)?;
        let mut unbounded = None;
        let mut inside = match interval.to {
            Some(_) => vec![met.clone()],
            None => {
                let tail = self.unbounded(shape, aside.clone(), goal.clone())?;
                unbounded = tail.approximants.map(Box::new);
                vec![tail.region]
            }
        };
        for _ in interval.from..interval.to.unwrap_or(interval.from) {
            let last = &inside[inside.len() - 1];
            let onward = self.onward(shape, aside.as_ref(), last)?;
            let next = match shape {
                Shape::Some => self.algebra.or(&met, &onward)?,
                Shape::Every => self.algebra.and(&goal, &onward)?,
            };
            if self.algebra.equal(&next, last)? {
                break;
            }
            self.append(&mut inside, next);
        }
        let mut before = vec![inside[inside.len() - 1].clone()];
        for _ in 0..interval.from {
            let last = &before[before.len() - 1];
            let next = self.onward(shape, aside.as_ref(), last)?;
            if self.algebra.equal(&next, last)? {
                break;
            }
            self.append(&mut before, next);
        }
        Ok(Labelled {
            region: before[before.len() - 1].clone(),
            approximants: Some(Approximants::Bounded(BoundedSteps {
                asks_for_some: shape == Shape::Some,
                inside,
                before,
                unbounded,
            })),
        })
    }

    /// The states from which the goal may be met later: a step into `later` with `aside` now, or, if it is asked for at every
    /// step, also `aside` alone or no step at all.
    fn onward(
        &mut self,
        shape: Shape,
        aside: Option<&G::Region>,
        later: &G::Region,
    ) -> Result<G::Region, CtlError<G::Error>> {
        let step = self.algebra.pre(later)?;
        match shape {
            Shape::Some => match aside {
                Some(aside) => Ok(self.algebra.and(aside, &step)?),
                None => Ok(step),
            },
            Shape::Every => {
                let mut result = step;
                if let Some(aside) = aside {
                    let released = self.beginning(aside)?;
                    result = self.algebra.or(&result, &released)?;
                }
                if self.paths == Paths::Maximal {
                    let dead = self.dead_ends()?;
                    result = self.algebra.or(&result, &dead)?;
                }
                Ok(result)
            }
        }
    }
}
