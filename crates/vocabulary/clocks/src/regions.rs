//! The region graph of a small network: the reference that zones are compared with.
//!
//! A region (Alur, Dill 1994) is represented by one of its points: whole parts as they are, fractional parts spread evenly in their order, and a clock beyond the largest
//! constant put just beyond it. Comparisons of clock differences are remembered as truth values, which only setting a clock changes. The number of regions is exponential
//! in the number of clocks; this is for models with two or three.

use crate::discrete::{ClockConstraint, Discrete, Trouble};
use crate::interpreter::satisfies;
use crate::region_linear::{observed_starts, observed_steps};
use crate::{EdgeId, Formula, Measured, Network, Query, Rational, Statement};
use std::collections::HashMap;

/// A region of the clocks with the discrete state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Region {
    discrete: Discrete,
    /// Each clock in parts of its common denominator: (whole, rank of the fraction); rank 0 is no fraction.
    clocks: Vec<(i64, usize)>,
    /// The truth of each comparison of differences.
    differences: Vec<bool>,
}

/// The reachable regions and the steps between them. Delays are steps too.
#[derive(Debug)]
pub struct RegionGraph<'n> {
    pub(crate) network: &'n Network,
    regions: Vec<Region>,
    /// For each region: where a joint edge leads.
    pub(crate) actions: Vec<Vec<usize>>,
    /// For each region: where joint edges lead that the controller does not choose.
    pub(crate) opposing: Vec<Vec<usize>>,
    /// For each region: where joint edges lead that it chooses.
    pub(crate) own: Vec<Vec<usize>>,
    /// For each region: its joint edges, and where they lead.
    pub(crate) steps: Vec<Vec<(Vec<EdgeId>, usize)>>,
    /// For each region, and each clock of an interval of the question: where setting it leads.
    pub(crate) resets: Vec<Vec<usize>>,
    /// For each region: whether no step is possible at once.
    pub(crate) stuck: Vec<bool>,
    /// For each region: where waiting leads.
    pub(crate) delays: Vec<Option<usize>>,
    /// For each region: whether a run begins there.
    pub(crate) initial: Vec<bool>,
    /// The comparisons of differences whose truth regions tell.
    tracked: Vec<ClockConstraint>,
    most: i64,
}

fn largest_constant(network: &Network, query: &[Formula]) -> i64 {
    let ranges = network.ranges();
    let mut most = 0;
    let mut note = |expression: &crate::Expression| {
        let (low, high) = expression.range(&ranges);
        most = most.max(low.abs()).max(high.abs());
    };
    let conditions = (network.locations.iter().map(|one| &one.invariant))
        .chain(network.edges.iter().map(|one| &one.guard));
    for condition in conditions.flatten() {
        condition.visit_clocks(&mut |_, _, _, bound| note(bound));
    }
    fn updates(list: &[Statement], note: &mut dyn FnMut(&crate::Expression)) {
        for statement in list {
            match statement {
                Statement::Clock { offset, .. } => note(offset),
                Statement::If(_, then, otherwise) => {
                    updates(then, note);
                    updates(otherwise, note);
                }
                Statement::While(_, body) => updates(body, note),
                _ => {}
            }
        }
    }
    network
        .edges
        .iter()
        .for_each(|edge| updates(&edge.action, &mut note));
    query
        .iter()
        .for_each(|formula| formula.visit_clocks(&mut |_, _, _, bound| note(bound)));
    2 * most + 1
}

impl<'n> RegionGraph<'n> {
    /// Explores the regions: nothing if there are more than `limit`.
    pub fn explore(
        network: &'n Network,
        query: &Query,
        limit: usize,
    ) -> Result<Option<RegionGraph<'n>>, Trouble> {
        let mut graph = RegionGraph {
            network,
            regions: Vec::new(),
            actions: Vec::new(),
            opposing: Vec::new(),
            own: Vec::new(),
            steps: Vec::new(),
            resets: Vec::new(),
            stuck: Vec::new(),
            delays: Vec::new(),
            initial: Vec::new(),
            tracked: Vec::new(),
            most: largest_constant(network, query.formulas()),
        };
        let differences = graph.differences(query.formulas());
        graph.tracked.clone_from(&differences);
        let mut numbers = HashMap::new();
        for discrete in observed_starts(network, query)? {
            let values = vec![Rational::ZERO; network.dimension()];
            let truths: Vec<bool> = differences.iter().map(|one| satisfies(&values, one)).collect();
            if graph.meets_invariant(&discrete, &values, &truths, &differences)? {
                let region = graph.region(discrete, &values, truths);
                graph.number(region, &mut numbers);
            }
        }
        let initial = graph.regions.len();
        let mut at = 0;
        while at < graph.regions.len() {
            if graph.regions.len() > limit {
                return Ok(None);
            }
            let here = graph.regions[at].clone();
            let values = graph.values(&here);
            let mut targets = Vec::new();
            let (mut opposing, mut own, mut steps) = (Vec::new(), Vec::new(), Vec::new());
            let mut is_stuck = true;
            for joint in network.joints(&here.discrete)? {
                let (side, joint) = (joint.side, joint.edges);
                is_stuck &= graph.taken(&here, &values, &side, &joint)?.is_none();
                for joint in observed_steps(network, query, &here.discrete, joint)? {
                    let Some(region) = graph.taken(&here, &values, &side, &joint)? else {
                        continue;
                    };
                    let number = graph.number(region, &mut numbers);
                    targets.push(number);
                    match network.is_controllable(&joint) {
                        true => own.push(number),
                        false => opposing.push(number),
                    }
                    steps.push((joint, number));
                }
            }
            graph.stuck.push(is_stuck);
            targets.sort_unstable();
            targets.dedup();
            graph.actions.push(targets);
            graph.opposing.push(opposing);
            graph.own.push(own);
            graph.steps.push(steps);
            let mut resets = Vec::new();
            for &clock in query.interval_clocks() {
                let mut values = values.clone();
                values[clock] = Rational::ZERO;
                let region = graph.region(here.discrete.clone(), &values, here.differences.clone());
                resets.push(graph.number(region, &mut numbers));
            }
            graph.resets.push(resets);
            let mut waited = None;
            if network.may_delay(&here.discrete)? {
                let later = graph.later(&here);
                if graph.meets_invariant(&here.discrete, &later, &here.differences, &differences)? {
                    let region = graph.region(here.discrete.clone(), &later, here.differences.clone());
                    waited = Some(graph.number(region, &mut numbers));
                }
            }
            graph.delays.push(waited);
            graph.initial.push(at < initial);
            at += 1;
        }
        Ok(Some(graph))
    }

    /// Where a joint edge leads from a region, with what must hold beside its guard; nothing if it cannot be taken.
    fn taken(
        &self,
        here: &Region,
        values: &[Rational],
        side: &[ClockConstraint],
        joint: &[EdgeId],
    ) -> Result<Option<Region>, Trouble> {
        let differences = &self.tracked;
        let mut guard = side.to_vec();
        if !self.network.guard(joint, &here.discrete.integers, &mut guard)?
            || !(guard.iter()).all(|one| self.holds(one, values, &here.differences, differences))
        {
            return Ok(None);
        }
        let mut updates = Vec::new();
        let Some(discrete) = self.network.act(joint, &here.discrete, &mut updates)? else {
            return Ok(None);
        };
        let mut values = values.to_vec();
        let mut set = vec![false; values.len()];
        for update in &updates {
            values[update.target] = &values[update.source] + Rational::from(update.offset);
            set[update.target] = true;
        }
        let truths = (differences.iter().zip(&here.differences)).map(|(one, &before)| {
            match set[one.left] || set[one.right] {
                true => satisfies(&values, one),
                false => before,
            }
        });
        let truths: Vec<bool> = truths.collect();
        let is_allowed = self.meets_invariant(&discrete, &values, &truths, differences)?;
        Ok(is_allowed.then(|| self.region(discrete, &values, truths)))
    }

    /// The discrete state of a region.
    pub(crate) fn discrete(&self, region: usize) -> &Discrete {
        &self.regions[region].discrete
    }

    /// Whether time leads out of a region at once: some clock is at a whole number that matters.
    pub(crate) fn is_moment(&self, region: usize) -> bool {
        let mut clocks = self.regions[region].clocks[1..].iter();
        clocks.any(|&(whole, rank)| whole <= self.most && rank == 0)
    }

    /// Number of regions.
    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// All comparisons of differences that guards, invariants and formulas may make, over all values of their integers.
    fn differences(&self, formulas: &[Formula]) -> Vec<ClockConstraint> {
        let ranges = self.network.ranges();
        let conditions = (self.network.locations.iter().map(|one| &one.invariant))
            .chain(self.network.edges.iter().map(|one| &one.guard));
        let mut all = Vec::new();
        let mut comparisons = Vec::new();
        for condition in conditions.flatten() {
            condition.visit_clocks(&mut |left, right, _, bound| {
                comparisons.push((left.clone(), right.clone(), bound.clone()));
            });
        }
        for formula in formulas {
            formula.visit_clocks(&mut |left, right, _, bound| {
                comparisons.push((left.clone(), right.clone(), bound.clone()));
            });
        }
        for (left, right, bound) in comparisons {
            let (low, high) = bound.range(&ranges);
            for left in left.candidates() {
                for right in right
                    .candidates()
                    .filter(|&right| right != 0 && left != 0 && right != left)
                {
                    for bound in low..=high {
                        for strict in [false, true] {
                            for (left, right, bound) in [(left, right, bound), (right, left, -bound)] {
                                all.push(ClockConstraint {
                                    left,
                                    right,
                                    bound,
                                    strict,
                                });
                            }
                        }
                    }
                }
            }
        }
        all.sort_unstable_by_key(|one| (one.left, one.right, one.bound, one.strict));
        all.dedup();
        all
    }

    fn holds(
        &self,
        constraint: &ClockConstraint,
        values: &[Rational],
        truths: &[bool],
        differences: &[ClockConstraint],
    ) -> bool {
        match differences.iter().position(|one| one == constraint) {
            Some(position) => truths[position],
            None => satisfies(values, constraint),
        }
    }

    fn meets_invariant(
        &self,
        discrete: &Discrete,
        values: &[Rational],
        truths: &[bool],
        differences: &[ClockConstraint],
    ) -> Result<bool, Trouble> {
        let mut found = Vec::new();
        Ok(self.network.invariant(discrete, &mut found)?
            && found
                .iter()
                .all(|one| self.holds(one, values, truths, differences)))
    }

    /// The region of a point.
    fn region(&self, discrete: Discrete, values: &[Rational], differences: Vec<bool>) -> Region {
        let most = Rational::from(self.most);
        let part = |value: &Rational| value - Rational::from(value.floor());
        let mut parts: Vec<Rational> = values.iter().filter(|value| **value <= most).map(part).collect();
        parts.push(Rational::ZERO);
        parts.sort();
        parts.dedup();
        let clock = |value: &Rational| match *value > most {
            true => (self.most + 1, 0),
            false => {
                let whole = i64::try_from(value.floor()).unwrap_or(self.most);
                (whole, parts.binary_search(&part(value)).unwrap_or(0))
            }
        };
        Region {
            discrete,
            clocks: values.iter().map(clock).collect(),
            differences,
        }
    }

    /// The point that represents a region.
    fn values(&self, region: &Region) -> Vec<Rational> {
        let ranks = region.clocks.iter().map(|&(_, rank)| rank).max().unwrap_or(0) as i64;
        let value = |&(whole, rank): &(i64, usize)| {
            Rational::from(whole) + Rational::from(rank as i64) / Rational::from(ranks + 1)
        };
        region.clocks.iter().map(value).collect()
    }

    /// A point of the next region in time; the same region if all clocks are beyond the largest constant.
    fn later(&self, region: &Region) -> Vec<Rational> {
        let ranks = region.clocks.iter().map(|&(_, rank)| rank).max().unwrap_or(0) as i64;
        let bounded = || region.clocks[1..].iter().filter(|clock| clock.0 <= self.most);
        let some_whole = bounded().any(|&(_, rank)| rank == 0);
        // From whole numbers on, wait less than the least gap; otherwise until the largest fraction is whole.
        let step = match some_whole {
            true => Rational::from(1) / Rational::from(2 * (ranks + 1)),
            false => Rational::from(1) / Rational::from(ranks + 1),
        };
        let mut values = self.values(region);
        values[1..].iter_mut().for_each(|value| *value += &step);
        values
    }

    fn number(&mut self, region: Region, numbers: &mut HashMap<Region, usize>) -> usize {
        *numbers.entry(region).or_insert_with_key(|region| {
            self.regions.push(region.clone());
            self.regions.len() - 1
        })
    }

    /// Whether no step can be taken from a region, however long one waits.
    pub(crate) fn is_deadlock(&self, region: usize) -> bool {
        let mut here = region;
        loop {
            if !self.stuck[here] {
                return false;
            }
            match self.delays[here] {
                Some(next) if next != here => here = next,
                _ => return true,
            }
        }
    }

    pub(crate) fn satisfies(&self, number: usize, formula: &Formula) -> Result<bool, Trouble> {
        let region = &self.regions[number];
        let all = formula
            .satisfying(self.network, &region.discrete)
            .map_err(|fault| Trouble {
                fault,
                span: Default::default(),
            })?;
        let values = self.values(region);
        let holds = |constraint: &ClockConstraint| match constraint.about_deadlock() {
            Some(wanted) => self.is_deadlock(number) == wanted,
            None => self.holds(constraint, &values, &region.differences, &self.tracked),
        };
        Ok(all.iter().any(|one| one.iter().all(holds)))
    }

    /// Whether what the query looks for exists.
    pub fn exists(&self, query: &Query) -> Result<bool, Trouble> {
        match query {
            Query::Reach(formula, _) => {
                for region in 0..self.len() {
                    if self.satisfies(region, formula)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Query::Repeat(formulas, _) => {
                // A cycle with an action: from the target of an action back to its source.
                let components = self.components();
                for region in 0..self.len() {
                    let stays = |&target: &usize| components[target] == components[region];
                    if !self.actions[region].iter().any(stays) {
                        continue;
                    }
                    let mut met_all = true;
                    for formula in formulas {
                        let mut met = false;
                        for other in 0..self.len() {
                            met |=
                                components[other] == components[region] && self.satisfies(other, formula)?;
                        }
                        met_all &= met;
                    }
                    if met_all {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Query::Stay(formulas, _) => self.stays(formulas),
            Query::Extreme { condition, .. } => self.exists(&Query::Reach(condition.clone(), true)),
            // Regions know nothing of probabilities.
            Query::Chance(_) => Ok(false),
            Query::Cheapest(condition) => self.exists(&Query::Reach(condition.clone(), true)),
            // A run without end that stays; whether time diverges in it is not asked here.
            Query::LongRun(within) => self.stays(std::slice::from_ref(within)),
            Query::Energy(asked) => self.stays(std::slice::from_ref(&asked.within)),
            Query::Control { formulas, must_win } => self.controls(formulas, *must_win),
            // What is left depends on the strategy, and how soon on a number: the reference for the first is in tests, for the second one game for each number.
            Query::Under { question, .. } => self.exists(question),
            Query::Branching(asked) => self.branches(asked),
            Query::Linear(asked) => self.violates(asked),
            Query::Soonest(game) => self.controls(&game.formulas, true),
        }
    }

    /// The extreme value that a query asks for, with whether it is attained: nothing if no state satisfies the condition. A clock beyond the largest constant is known as that and no better.
    pub fn extreme(&self, query: &Query) -> Result<Option<(i64, bool)>, Trouble> {
        let Query::Extreme {
            measure,
            condition,
            up,
        } = query
        else {
            return Ok(None);
        };
        let mut best = None;
        for region in 0..self.len() {
            if !self.satisfies(region, condition)? {
                continue;
            }
            let one = match measure.measured(&self.regions[region].discrete)? {
                Measured::Number(number) => (number, true),
                Measured::Clock(clock) => match (self.regions[region].clocks[clock], up) {
                    ((whole, 0), _) => (whole, true),
                    ((whole, _), true) => (whole + 1, false),
                    ((whole, _), false) => (whole, false),
                },
            };
            let is_better = |best: (i64, bool)| match up {
                true => one > best,
                false => (-one.0, one.1) > (-best.0, best.1),
            };
            if best.is_none_or(is_better) {
                best = Some(one);
            }
        }
        Ok(best)
    }

    /// The largest constant: clocks beyond it have no exact value.
    pub fn largest_constant(&self) -> i64 {
        self.most
    }

    /// Whether a maximal run stays within the first condition.
    fn stays(&self, formulas: &[Formula]) -> Result<bool, Trouble> {
        let mut inside = Vec::new();
        let mut starts = Vec::new();
        for region in 0..self.len() {
            inside.push(self.satisfies(region, &formulas[0])?);
            starts.push(match formulas.get(1) {
                Some(begins) => self.satisfies(region, begins)?,
                None => self.initial[region],
            });
        }
        let stays = self.staying(&inside);
        Ok((0..self.len()).any(|region| starts[region] && stays[region]))
    }

    /// The regions from which a maximal run stays within given ones.
    pub(crate) fn staying(&self, inside: &[bool]) -> Vec<bool> {
        // Whether the run may end here: time goes on for ever, or stops without a step being possible any more, and the condition holds till then.
        let ends = |region: usize| {
            let mut here = region;
            loop {
                if !inside[here] {
                    return false;
                }
                match self.delays[here] {
                    Some(next) if next == here => return true,
                    Some(next) => here = next,
                    None => return self.is_deadlock(region),
                }
            }
        };
        // Regions from which no such run begins are removed until nothing changes: one stays if it can end, or leads by waits and a step to one that stays.
        let mut stays = inside.to_vec();
        loop {
            let before = stays.clone();
            for (region, stays) in stays.iter_mut().enumerate() {
                let mut here = region;
                let mut found = false;
                while *stays && inside[here] && !found {
                    found = ends(here) || self.actions[here].iter().any(|&next| before[next]);
                    match self.delays[here] {
                        Some(next) if next != here => here = next,
                        _ => break,
                    }
                }
                *stays &= found;
            }
            if stays == before {
                return stays;
            }
        }
    }

    /// The number of each region's strongly connected component, by reachability both ways.
    pub(crate) fn components(&self) -> Vec<usize> {
        let count = self.len();
        let reach = |start: usize| {
            let mut seen = vec![false; count];
            let mut waiting = vec![start];
            while let Some(here) = waiting.pop() {
                for &next in self.actions[here].iter().chain(&self.delays[here]) {
                    if !std::mem::replace(&mut seen[next], true) {
                        waiting.push(next);
                    }
                }
            }
            seen
        };
        let reached: Vec<Vec<bool>> = (0..count).map(reach).collect();
        let mut component: Vec<usize> = (0..count).collect();
        for one in 0..count {
            for other in 0..one {
                if reached[one][other] && reached[other][one] {
                    component[one] = component[other];
                    break;
                }
            }
        }
        component
    }
}
