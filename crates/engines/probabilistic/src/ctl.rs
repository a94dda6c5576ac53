//! Whether some path, however improbable, or every path satisfies a formula. Only the graph counts; paths are infinite. The operators of CTL are least and
//! greatest sets; what else a path formula may be (CTL*) goes to the product with its automaton.

use crate::check::{Trouble, Workshop};
use crate::graph::reach_some;
use entail_budget::Budget;
use entail_markov::{Bounds, Path};
use fixedbitset::FixedBitSet;

impl Workshop<'_> {
    /// The states from which some path satisfies a formula.
    pub(crate) fn exists(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        match path.is_ctl() {
            true => self.exists_ctl(path, budget),
            false => self.exists_linear(path, budget),
        }
    }

    /// The states from which all paths satisfy a formula.
    pub(crate) fn for_all(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        if path.is_ctl() {
            return self.for_all_ctl(path, budget);
        }
        let mut wrong = self.exists_linear(&Path::Not(Box::new(path.clone())), budget)?;
        wrong.toggle_range(..);
        Ok(wrong)
    }

    fn exists_ctl(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        match path {
            Path::State(states) => self.set(states, budget),
            Path::Not(inner) => Ok(not(self.for_all(inner, budget)?)),
            Path::Next(inner) => {
                let goal = self.path_set(inner, budget)?;
                Ok(self.some_successor(&goal))
            }
            Path::Finally(goal, bounds) => {
                let goal = self.path_set(goal, budget)?;
                let everywhere = self.everywhere();
                self.exists_until(&everywhere, &goal, bounds.as_ref(), budget)
            }
            Path::Until(stay, goal, bounds) => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                self.exists_until(&stay, &goal, bounds.as_ref(), budget)
            }
            Path::Globally(stay, bounds) => {
                let stay = self.path_set(stay, budget)?;
                let nowhere = FixedBitSet::with_capacity(self.size());
                self.exists_weak(&stay, &nowhere, bounds.as_ref(), budget)
            }
            Path::WeakUntil(stay, goal, bounds) => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                self.exists_weak(&stay, &goal, bounds.as_ref(), budget)
            }
            Path::Release(first, second, bounds) => {
                // a R b = b W (a & b)
                let (first, second) = (self.path_set(first, budget)?, self.path_set(second, budget)?);
                let mut both = first;
                both.intersect_with(&second);
                self.exists_weak(&second, &both, bounds.as_ref(), budget)
            }
            _ => Err(Trouble::Unsupported("no operator of CTL".to_owned())),
        }
    }

    fn for_all_ctl(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        match path {
            Path::State(states) => self.set(states, budget),
            Path::Not(inner) => Ok(not(self.exists(inner, budget)?)),
            Path::Next(inner) => {
                let bad = not(self.path_set(inner, budget)?);
                Ok(not(self.some_successor(&bad)))
            }
            Path::Finally(goal, bounds) => {
                let bad = not(self.path_set(goal, budget)?);
                let nowhere = FixedBitSet::with_capacity(self.size());
                Ok(not(self.exists_weak(&bad, &nowhere, bounds.as_ref(), budget)?))
            }
            // Not (a U b) is (!b) W (!a & !b); not (a W b) is (!b) U (!a & !b).
            Path::Until(stay, goal, bounds) | Path::WeakUntil(stay, goal, bounds) => {
                let (stay, goal) = (
                    not(self.path_set(stay, budget)?),
                    not(self.path_set(goal, budget)?),
                );
                let mut both = stay;
                both.intersect_with(&goal);
                let bounds = bounds.as_ref();
                Ok(not(match path {
                    Path::Until(..) => self.exists_weak(&goal, &both, bounds, budget)?,
                    _ => self.exists_until(&goal, &both, bounds, budget)?,
                }))
            }
            Path::Globally(stay, bounds) => {
                let bad = not(self.path_set(stay, budget)?);
                let everywhere = self.everywhere();
                Ok(not(self.exists_until(
                    &everywhere,
                    &bad,
                    bounds.as_ref(),
                    budget,
                )?))
            }
            Path::Release(first, second, bounds) => {
                let (first, second) = (
                    not(self.path_set(first, budget)?),
                    not(self.path_set(second, budget)?),
                );
                Ok(not(self.exists_until(
                    &first,
                    &second,
                    bounds.as_ref(),
                    budget,
                )?))
            }
            _ => Err(Trouble::Unsupported("no operator of CTL".to_owned())),
        }
    }

    fn some_successor(&self, goal: &FixedBitSet) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.size());
        for state in goal.ones() {
            for &choice in self.before.of(state) {
                found.insert(self.before.owner[choice as usize] as usize);
            }
        }
        found
    }

    /// Steps of an upper bound; other bounds are refused.
    fn steps_of(&self, bounds: Option<&Bounds>) -> Result<Option<u64>, Trouble> {
        let Some(bounds) = bounds else {
            return Ok(None);
        };
        if !bounds.is_time() || self.network.kind.is_timed() {
            let message = "bounds on time or rewards in A and E are not supported, only those on steps";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        match (&bounds.lower, &bounds.upper) {
            (None, Some(limit)) => {
                let steps = u64::try_from(limit.value.clone())
                    .map_err(|_| Trouble::Unsupported("too many steps".to_owned()))?;
                Ok(Some(steps.saturating_sub(u64::from(limit.strict))))
            }
            _ => Err(Trouble::Unsupported(
                "lower bounds in A and E are not supported".to_owned(),
            )),
        }
    }

    fn exists_until(
        &self,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        bounds: Option<&Bounds>,
        budget: &Budget,
    ) -> Result<FixedBitSet, Trouble> {
        let Some(steps) = self.steps_of(bounds)? else {
            return Ok(reach_some(&self.before, stay, goal));
        };
        let mut found = goal.clone();
        for _ in 0..steps {
            budget.check_now()?;
            let mut next = self.some_successor(&found);
            next.intersect_with(stay);
            next.union_with(goal);
            if next == found {
                break;
            }
            found = next;
        }
        Ok(found)
    }

    /// `stay W goal` on some path.
    fn exists_weak(
        &self,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        bounds: Option<&Bounds>,
        budget: &Budget,
    ) -> Result<FixedBitSet, Trouble> {
        let steps = self.steps_of(bounds)?;
        let mut found = stay.clone();
        found.union_with(goal);
        let mut step = 0;
        while steps.is_none_or(|steps| step < steps) {
            budget.check_now()?;
            let mut next = self.some_successor(&found);
            next.intersect_with(stay);
            next.union_with(goal);
            next.intersect_with(&found);
            if next == found {
                break;
            }
            found = next;
            step += 1;
        }
        Ok(found)
    }
}
