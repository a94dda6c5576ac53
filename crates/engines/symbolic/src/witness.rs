//! Paths that show a path formula true, or false.
//!
//! The mirror image of [`crate::branching`]: where the evaluation pushed `E` inwards and computed a set, this walks. `F` and
//! `U` walk along distance layers to the goal; `G` needs a fair lasso; what is reached is shown in turn from there.
//!
//! A **fair lasso** inside a set (Clarke, Grumberg, McMillan, Zhao 1995): from a state of the fair core walk, for each
//! justice condition, the shortest way to a step that meets it, and for each compassion pair to its second part if that can
//! still be reached; then try to close the loop at the state where the round began. If that state cannot be reached any
//! more, the walk has left its component for a later one, and a new round begins there; components are finitely many.

use crate::branching::{Shape, junction};
use crate::fair_states::Fixpoints;
use crate::machine::{Path, Point, counts_finite_paths};
use crate::model::EncodedSystem;
use crate::reachability::{Onion, Watch};
use crate::stop::{Attempt, NotComputed};
use entail_dd::Bdd;
use entail_logic::{Formula, Interval, Node, Unary};
use entail_model::TermId;

/// A path with what it claims about states on the way.
#[derive(Clone, Default)]
pub(crate) struct Walk {
    pub path: Path,
    /// Where the path goes on after its last step; the inputs of that step are the last ones.
    pub loop_start: Option<usize>,
    /// State formulas that are claimed true or false at positions.
    pub claims: Vec<(usize, Formula<TermId>, bool)>,
}

impl Walk {
    fn at(point: &Point) -> Walk {
        Walk {
            path: Path::single(point.clone()),
            ..Walk::default()
        }
    }

    fn claim(&mut self, formula: &Formula<TermId>, holds: bool) {
        if !formula.is_propositional() {
            self.claims
                .push((self.path.points.len() - 1, formula.clone(), holds));
        }
    }

    fn append(&mut self, other: Walk) {
        let offset = self.path.points.len() - 1;
        self.path.append(other.path);
        self.loop_start = other.loop_start.map(|start| start + offset);
        self.claims.extend(
            other
                .claims
                .into_iter()
                .map(|(at, formula, holds)| (at + offset, formula, holds)),
        );
    }
}

pub(crate) fn lost(what: &str) -> NotComputed {
    NotComputed::Unsupported(format!("internal: {what} could not be found again"))
}

impl EncodedSystem<'_> {
    /// A path from a state that satisfies (or violates) the path formula. The state must be one of [`EncodedSystem::exists`].
    pub fn walk(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        from: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        if !self.is_stepwise(path, holds) {
            return self.walk_by_tester(path, holds, from, watch);
        }
        let mut walk = self.walk_stepwise(path, holds, from, watch)?;
        self.complete(&mut walk, watch)?;
        Ok(walk)
    }

    /// A path as a walk that visibly counts.
    pub fn counting_walk(&mut self, path: Path, watch: Watch<'_>) -> Attempt<Walk> {
        let mut walk = Walk {
            path,
            ..Walk::default()
        };
        self.complete(&mut walk, watch)?;
        Ok(walk)
    }

    /// Continues a finite path to one that visibly counts, where that is in question.
    fn complete(&mut self, walk: &mut Walk, watch: Watch<'_>) -> Attempt<()> {
        if walk.loop_start.is_some() {
            return Ok(());
        }
        let fairness = self.system.has_fairness();
        if !fairness && (counts_finite_paths(self.dead_end_policy) || self.has_no_dead_ends(watch)?) {
            return Ok(());
        }
        let all = self.reachable(watch)?;
        let last = walk.path.last().clone();
        let rest = self.globally_walk(&all, &last, watch)?;
        walk.append(rest);
        Ok(())
    }

    fn walk_stepwise(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        from: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        stacker::maybe_grow(1 << 16, 1 << 20, || self.walk_node(path, holds, from, watch))
    }

    fn walk_node(
        &mut self,
        path: &Formula<TermId>,
        holds: bool,
        from: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        let mut walk = Walk::at(from);
        if self.is_label(path) {
            walk.claim(path, holds);
            return Ok(walk);
        }
        match path.node() {
            Node::Not(p) => self.walk_stepwise(p, !holds, from, watch),
            Node::And(_) | Node::Or(_) | Node::Implies(..) => {
                let (operands, conjunction) = junction(path, holds).expect("a junction");
                if !conjunction {
                    for (p, holds) in operands {
                        let states = self.exists(p, holds, watch)?;
                        if self.machine.contains(&states, from) {
                            return self.walk_stepwise(p, holds, from, watch);
                        }
                    }
                    return Err(lost("a true alternative"));
                }
                let (labels, moving): (Vec<_>, Vec<_>) =
                    operands.into_iter().partition(|(p, _)| self.is_label(p));
                for (p, holds) in labels {
                    walk.claim(p, holds);
                }
                for (p, holds) in moving {
                    let rest = self.walk_stepwise(p, holds, from, watch)?;
                    walk.append(rest);
                }
                Ok(walk)
            }
            Node::Unary(Unary::Next, _, p) => {
                let after = self.exists(p, holds, watch)?;
                match self.machine.step(&self.encoding, from, &after, None)? {
                    Some((inputs, point)) => {
                        walk.path.push(inputs, point.clone());
                        let rest = self.walk_stepwise(p, holds, &point, watch)?;
                        walk.append(rest);
                        Ok(walk)
                    }
                    // Past the end of a finite path no next state satisfies anything.
                    None if !holds => Ok(walk),
                    None => Err(lost("a successor")),
                }
            }
            Node::Unary(op @ (Unary::Finally | Unary::Globally), interval, p) => {
                let strong = (*op == Unary::Finally) == holds;
                let everywhere = Formula::constant(true);
                let never = Formula::constant(false);
                if strong {
                    let shape = Shape {
                        held: &everywhere,
                        goal: p,
                        strong,
                        together: false,
                    };
                    self.until_walk(&shape, true, holds, *interval, walk, watch)
                } else {
                    let shape = Shape {
                        held: p,
                        goal: &never,
                        strong,
                        together: true,
                    };
                    self.release_walk(&shape, holds, true, *interval, walk, watch)
                }
            }
            Node::Binary(op, interval, p, q) => {
                let shape = Shape::of(*op, holds, p, q).expect("past operators are not stepwise");
                if shape.strong {
                    self.until_walk(&shape, holds, holds, *interval, walk, watch)
                } else {
                    self.release_walk(&shape, holds, holds, *interval, walk, watch)
                }
            }
            _ => Err(lost("a stepwise operator")),
        }
    }

    fn exists_goal(&mut self, goal: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        self.exists(goal, holds, watch)
    }

    /// Walks through `held` to the goal and goes on from there.
    fn until_walk(
        &mut self,
        shape: &Shape<'_>,
        held_truth: bool,
        goal_truth: bool,
        interval: Interval,
        mut walk: Walk,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        let held = self.label_as(shape.held, held_truth, watch)?;
        let mut goal = self.exists_goal(shape.goal, goal_truth, watch)?;
        if shape.together {
            goal = goal.and(&held)?;
        }
        let route = self.route(&held, &goal, interval, walk.path.last(), watch)?;
        self.follow(&mut walk, route, shape.held, held_truth);
        if shape.together {
            walk.claim(shape.held, held_truth);
        }
        let last = walk.path.last().clone();
        let rest = self.walk_stepwise(shape.goal, goal_truth, &last, watch)?;
        walk.append(rest);
        Ok(walk)
    }

    /// Adds a path, claiming a formula at every position but the last.
    fn follow(&self, walk: &mut Walk, route: Path, held: &Formula<TermId>, truth: bool) {
        for (point, inputs) in route.points.into_iter().skip(1).zip(route.inputs) {
            walk.claim(held, truth);
            walk.path.push(inputs, point);
        }
    }

    /// A path inside `held` to the goal whose length lies in the interval; a shortest one.
    fn route(
        &mut self,
        held: &Bdd,
        goal: &Bdd,
        interval: Interval,
        from: &Point,
        watch: Watch<'_>,
    ) -> Attempt<Path> {
        let start = self.machine.cube(&self.encoding, from)?;
        if interval.from == 0 {
            let onion = Onion::toward(&self.encoding, &self.machine, goal, held, &start, watch)?;
            return onion
                .walk(&self.encoding, &self.machine, from)?
                .ok_or_else(|| lost("a path to the goal"));
        }
        // The sets of states that can still make it, by the number of steps already done, from the end back.
        let mut layers = vec![match interval.to {
            None => self.fixpoints(watch).until(held, goal)?,
            Some(_) => goal.clone(),
        }];
        for step in (0..interval.to.unwrap_or(interval.from)).rev() {
            let next = layers.last().expect("the goal is there").clone();
            let mut here = self.some_next(&next, false, watch)?.and(held)?;
            if step >= interval.from {
                here = here.or(goal)?;
            }
            layers.push(here);
        }
        layers.reverse();
        let mut path = Path::single(from.clone());
        for (step, layer) in layers.iter().enumerate().skip(1) {
            if step > interval.from as usize && self.machine.contains(goal, path.last()) {
                return Ok(path);
            }
            match self.machine.step(&self.encoding, path.last(), layer, None)? {
                Some((inputs, point)) => path.push(inputs, point),
                None => return Err(lost("a path of the right length")),
            }
        }
        if interval.to.is_none() && !self.machine.contains(goal, path.last()) {
            let last = path.last().clone();
            let rest = self.route(held, goal, Interval::ALWAYS, &last, watch)?;
            path.append(rest);
        }
        Ok(path)
    }

    /// `held` up to the goal, or for ever.
    fn release_walk(
        &mut self,
        shape: &Shape<'_>,
        held_truth: bool,
        goal_truth: bool,
        interval: Interval,
        mut walk: Walk,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        if !interval.is_always() || interval.is_empty() {
            return self.bounded_release_walk(shape, held_truth, goal_truth, interval, walk, watch);
        }
        let held = self.label_as(shape.held, held_truth, watch)?;
        let goal = self.exists_goal(shape.goal, goal_truth, watch)?;
        let ended = if shape.together { goal.and(&held)? } else { goal };
        let from = walk.path.last().clone();
        if !ended.is_false()
            && self
                .machine
                .contains(&self.fixpoints(watch).until(&held, &ended)?, &from)
        {
            return self.until_walk(shape, held_truth, goal_truth, interval, walk, watch);
        }
        let mut rest = self.globally_walk(&held, &from, watch)?;
        if !shape.held.is_propositional() {
            rest.claims = (0..rest.path.points.len())
                .map(|at| (at, shape.held.clone(), held_truth))
                .collect();
        }
        walk.append(rest);
        Ok(walk)
    }

    /// Step by step, through states from which the rest of the interval can be survived.
    fn bounded_release_walk(
        &mut self,
        shape: &Shape<'_>,
        held_truth: bool,
        goal_truth: bool,
        interval: Interval,
        mut walk: Walk,
        watch: Watch<'_>,
    ) -> Attempt<Walk> {
        if interval.is_empty() {
            return Ok(walk);
        }
        let goal_set = self.label_as(shape.goal, goal_truth, watch)?;
        let mut held_set = self.label_as(shape.held, held_truth, watch)?;
        if !shape.together {
            held_set = held_set.or(&goal_set)?;
        }
        let last = interval.to.unwrap_or(interval.from);
        // survive[k]: what is asked of the state after k steps.
        let mut survive = vec![match interval.to {
            None => self.survivors(&goal_set, &held_set, watch)?,
            Some(_) => held_set.and(&self.fair_states(watch)?)?,
        }];
        for step in (0..last).rev() {
            let next = survive.last().expect("the last step is there").clone();
            let released = goal_set.and(&self.fair_states(watch)?)?;
            let mut here = self.some_next(&next, true, watch)?.or(&released)?;
            if step >= interval.from {
                here = here.and(&held_set)?;
            }
            survive.push(here);
        }
        survive.reverse();
        for step in 0..=last {
            let here = walk.path.last().clone();
            let released = self.machine.contains(&goal_set, &here);
            if step >= interval.from || released {
                let goal_claimed = released && (!shape.together || step < interval.from);
                if step >= interval.from && !goal_claimed {
                    walk.claim(shape.held, held_truth);
                }
                if released {
                    walk.claim(shape.goal, goal_truth);
                    return Ok(walk);
                }
            }
            if step == last {
                break;
            }
            match self
                .machine
                .step(&self.encoding, &here, &survive[step as usize + 1], None)?
            {
                Some((inputs, point)) => walk.path.push(inputs, point),
                None => return Ok(walk),
            }
        }
        if interval.to.is_none() {
            let rest_shape = Shape {
                held: shape.held,
                goal: shape.goal,
                strong: false,
                together: shape.together,
            };
            walk.claims.retain(|(at, ..)| *at + 1 < walk.path.points.len());
            return self.release_walk(&rest_shape, held_truth, goal_truth, Interval::ALWAYS, walk, watch);
        }
        Ok(walk)
    }

    fn survivors(&mut self, goal: &Bdd, held: &Bdd, watch: Watch<'_>) -> Attempt<Bdd> {
        let for_ever = self.some_globally(held, watch)?;
        let ended = goal.and(held)?.and(&self.fair_states(watch)?)?;
        self.fixpoints(watch).until(held, &ended.or(&for_ever)?)
    }

    /// A fair lasso inside a set, or (maximal paths) a finite path to a dead end.
    pub(crate) fn globally_walk(&mut self, within: &Bdd, from: &Point, watch: Watch<'_>) -> Attempt<Walk> {
        let compassion = self.compassion();
        let fair = self.fair_states(watch)?;
        let within = within.and(&fair)?;
        let fixpoints = self.fixpoints(watch);
        let core = fixpoints.fair_core(&within, &self.machine.justice, &compassion)?;
        if let Some((path, start)) =
            fixpoints.lasso(&within, &core, &self.machine.justice, &compassion, from)?
        {
            return Ok(Walk {
                path,
                loop_start: Some(start),
                claims: Vec::new(),
            });
        }
        let dead = self.dead_ends(watch)?.and(&within)?;
        let path = self.route(&within, &dead, Interval::ALWAYS, from, watch)?;
        Ok(Walk {
            path,
            ..Walk::default()
        })
    }
}

impl Fixpoints<'_> {
    /// A path inside `within` from a state to a loop inside the fair core that meets every condition; with the position the
    /// loop returns to. None if the core cannot be reached.
    pub fn lasso(
        &self,
        within: &Bdd,
        core: &Bdd,
        justice: &[Bdd],
        compassion: &[(Bdd, Bdd)],
        from: &Point,
    ) -> Attempt<Option<(Path, usize)>> {
        if core.is_false() {
            return Ok(None);
        }
        let start = self.machine.cube(self.encoding, from)?;
        let approach = Onion::toward(self.encoding, self.machine, core, within, &start, self.watch)?;
        let Some(mut path) = approach.walk(self.encoding, self.machine, from)? else {
            return Ok(None);
        };
        // Distances to each goal are computed once and grow when a walk needs them to.
        let nothing = core.manager().zero();
        let mut goals = Vec::new();
        for condition in justice {
            let meeting = self
                .machine
                .preimage_along(self.encoding, core, Some(condition))?
                .and(core)?;
            goals.push((
                Onion::toward(self.encoding, self.machine, &meeting, core, &nothing, self.watch)?,
                Some(condition),
            ));
        }
        for (_, q) in compassion {
            let meeting = core.and(q)?;
            goals.push((
                Onion::toward(self.encoding, self.machine, &meeting, core, &nothing, self.watch)?,
                None,
            ));
        }
        loop {
            self.watch.budget.check_now()?;
            let round = path.points.len() - 1;
            for (onion, along) in &goals {
                let here = path.last().clone();
                let Some(leg) = onion.walk(self.encoding, self.machine, &here)? else {
                    // Only the second part of a compassion pair may be out of reach; then the first is, too.
                    continue;
                };
                path.append(leg);
                if let Some(condition) = along {
                    let here = path.last().clone();
                    match self.machine.step(self.encoding, &here, core, Some(condition))? {
                        Some((inputs, point)) => path.push(inputs, point),
                        None => return Err(lost("a step that meets a fairness condition")),
                    }
                }
            }
            if path.points.len() - 1 == round {
                match self
                    .machine
                    .step(self.encoding, &path.last().clone(), core, None)?
                {
                    Some((inputs, point)) => path.push(inputs, point),
                    None => return Err(lost("a successor in the fair core")),
                }
            }
            // Close the loop at the state where the round began.
            let here = path.last().clone();
            let home = self.machine.cube(self.encoding, &path.points[round])?;
            let here_cube = self.machine.cube(self.encoding, &here)?;
            let back = Onion::toward(self.encoding, self.machine, &home, core, &here_cube, self.watch)?;
            if let Some(leg) = back.walk(self.encoding, self.machine, &here)? {
                path.append(leg);
                // The last state is the first of the loop again.
                path.points.pop();
                return Ok(Some((path, round)));
            }
        }
    }
}
