//! A concrete run along a symbolic path.
//!
//! Let `t(i)` be the time of the i-th step. A clock's value at some time is the time since the step that set it last, plus what it was set to; so every comparison along the path is a bound on
//! a difference `t(i) − t(j)`, and a run exists exactly if these bounds have no negative cycle. The earliest times are found by relaxation from the first (Bellman, Ford) in O(k·m) for k
//! steps and m comparisons, in practice a few passes. A strict bound adds a little more than its constant: times are pairs of a whole number and a count of "little"s, and in the end a
//! little is the largest 1/m that fits.

use crate::components::Components;
use crate::space::{Constraint, EffectId, Space, StateId, Transition};
use entail_clocks::discrete::{ClockUpdate, Discrete};
use entail_clocks::evidence::{Run, Step, Time};
use entail_clocks::{EdgeId, Rational};
use entail_zones::{Bound, Zone};

/// A path: the first state, and the steps with the states they lead to.
#[derive(Clone, Debug)]
pub struct Path {
    /// The first state.
    pub first: StateId,
    /// Each step: joint edge, guard, updates, target.
    pub steps: Vec<PathStep>,
}

impl Path {
    /// The last state.
    pub fn last(&self) -> StateId {
        self.steps.last().map_or(self.first, |step| step.target)
    }

    /// The path with another one at its end, which begins there.
    pub fn then(mut self, rest: Path) -> Path {
        self.steps.extend(rest.steps);
        self
    }
}

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub struct PathStep {
    /// The joint edge.
    pub joint: u32,
    /// What it asks of clocks and does to them.
    pub effect: EffectId,
    /// Where it leads.
    pub target: StateId,
}

impl PathStep {
    /// The step that a transition is.
    pub fn of(transition: Transition, target: StateId) -> PathStep {
        PathStep {
            joint: transition.joint,
            effect: transition.effect,
            target,
        }
    }
}

/// `t(later) ≥ t(earlier) + least`, with so many littles.
#[derive(Clone, Copy)]
struct AtLeast {
    from: usize,
    to: usize,
    least: (i64, i64),
}

struct Times {
    bounds: Vec<AtLeast>,
}

impl Times {
    /// Notes a comparison of clocks that were set at these steps with these offsets.
    fn note(&mut self, set: &[(usize, i64)], now: usize, (left, right, bound): Constraint) {
        if bound.is_none() {
            return;
        }
        let of = |clock: usize| if clock == 0 { (now, 0) } else { set[clock] };
        let ((left_set, left_offset), (right_set, right_offset)) = (of(left), of(right));
        // left − right = t(right_set) − t(left_set) + left_offset − right_offset.
        let most = i64::from(bound.constant()) - left_offset + right_offset;
        self.bounds.push(AtLeast {
            from: right_set,
            to: left_set,
            least: (-most, i64::from(bound.is_strict())),
        });
    }

    /// The earliest times from 0 on; nothing if there are none.
    fn solve(&self, count: usize) -> Option<Vec<(i64, i64)>> {
        let mut times = vec![(0i64, 0i64); count];
        for _ in 0..=count {
            let mut changed = false;
            for &AtLeast { from, to, least } in &self.bounds {
                let earliest = (times[from].0 + least.0, times[from].1 + least.1);
                if earliest > times[to] {
                    times[to] = earliest;
                    changed = true;
                }
            }
            if times[0] != (0, 0) {
                return None;
            }
            if !changed {
                return Some(times);
            }
        }
        None
    }

    /// Exact times: the largest 1/m as the little that fits.
    fn exact(&self, times: &[(i64, i64)]) -> Vec<Rational> {
        let most = times.iter().map(|time| time.1).max().unwrap_or(0) + 1;
        let fits = |parts: i64| {
            let scaled = |time: (i64, i64)| time.0 * parts + time.1;
            self.bounds.iter().all(|bound| {
                let gap = scaled(times[bound.to]) - scaled(times[bound.from]) - bound.least.0 * parts;
                gap > 0 || (gap == 0 && bound.least.1 == 0)
            })
        };
        let parts = (1..most.min(64)).find(|&parts| fits(parts)).unwrap_or(most);
        let exact =
            |time: &(i64, i64)| Rational::from(time.0) + Rational::from(time.1) / Rational::from(parts);
        times.iter().map(exact).collect()
    }
}

/// The earliest run along a path at whose end these constraints hold. With `waits`, the run may wait at its end until they do. Nothing if there is no such run.
pub fn run(space: &Space<'_>, path: &Path, at_end: &[Constraint], waits: bool) -> Option<Run> {
    timed(space, path, &times_of(space, path, at_end, waits))
}

/// The cheapest run along a path at whose end these constraints hold, and whether none is cheaper; otherwise some run, to whose steps other delays come as near as one likes to the least cost.
pub fn cheapest(space: &Space<'_>, path: &Path, at_end: &[Constraint]) -> Option<(Run, bool)> {
    let mut times = times_of(space, path, at_end, true);
    let any = timed(space, path, &times)?;
    // What the run costs is linear in the times of its steps: the rate before a step, less the rate after it.
    let states = std::iter::once(path.first).chain(path.steps.iter().map(|step| step.target));
    let rates: Vec<i64> = states.map(|state| space.info(state).rate).collect();
    let count = path.steps.len() + 2;
    let slope = |time: usize| rates[time - 1] - rates.get(time).copied().unwrap_or(0);
    let slopes: Vec<i64> = (0..count)
        .map(|time| if time == 0 { 0 } else { slope(time) })
        .collect();
    let bound = |one: &AtLeast| {
        let most = i32::try_from(-one.least.0).ok()?;
        Some((one.from, one.to, Bound::at_most(most)))
    };
    let bounds: Option<Vec<Constraint>> = times.bounds.iter().map(bound).collect();
    let zone = Zone::of_constraints(count, &bounds?)?;
    let least = entail_zones::least(&zone, &slopes)?;
    // All times at which these bounds are met exactly have the least cost.
    for (left, right) in least.tight {
        times.bounds.push(AtLeast {
            from: right,
            to: left,
            least: (i64::from(zone.bound(left, right).constant()), 0),
        });
    }
    Some(match timed(space, path, &times) {
        Some(run) => (run, true),
        None => (any, false),
    })
}

/// What a path says of the times of its steps.
fn times_of(space: &Space<'_>, path: &Path, at_end: &[Constraint], waits: bool) -> Times {
    let count = path.steps.len() + 2;
    let mut times = Times { bounds: Vec::new() };
    let mut set = vec![(0usize, 0i64); space.network.dimension()];
    let mut here = path.first;
    // Step i happens at time i; time 0 is the beginning, the last time is the end.
    for now in 0..count - 1 {
        let info = space.info(here);
        info.invariant.iter().for_each(|&one| times.note(&set, now, one));
        let next = now + 1;
        times.bounds.push(AtLeast {
            from: now,
            to: next,
            least: (0, 0),
        });
        let is_end = next == count - 1;
        if !info.may_delay || (is_end && !waits) {
            times.bounds.push(AtLeast {
                from: next,
                to: now,
                least: (0, 0),
            });
        }
        // A wait ends in the invariant of its target.
        if is_end || !space.effect(path.steps[now].effect).waits {
            info.invariant.iter().for_each(|&one| times.note(&set, next, one));
        }
        if is_end {
            at_end.iter().for_each(|&one| times.note(&set, next, one));
            break;
        }
        let step = &path.steps[now];
        let effect = space.effect(step.effect);
        effect.guard.iter().for_each(|&one| times.note(&set, next, one));
        apply(&effect.updates, &mut set, next);
        here = step.target;
    }
    times
}

/// The earliest run along a path at these times.
fn timed(space: &Space<'_>, path: &Path, times: &Times) -> Option<Run> {
    let count = path.steps.len() + 2;
    let solution = times.solve(count)?;
    let exact = times.exact(&solution);
    let delay = |next: usize| Time(&exact[next] - &exact[next - 1]);
    let step = |(position, step): (usize, &PathStep)| Step {
        delay: delay(position + 1),
        edges: space.joint(step.joint).to_vec(),
    };
    Some(Run {
        first: space.discrete(path.first).locations,
        steps: path.steps.iter().enumerate().map(step).collect(),
        rest: delay(count - 1),
    })
}

/// The components that take part in a joint edge.
pub(crate) fn members(space: &Space<'_>, components: &Components, joint: u32) -> Vec<usize> {
    let edges = space.joint(joint).iter();
    let component = |&edge: &EdgeId| components.of_process(space.network.edges[edge].process);
    let mut members: Vec<usize> = edges.map(component).collect();
    members.sort_unstable();
    members.dedup();
    members
}

/// The components in which time may pass on its own in a state.
pub(crate) fn free_components(space: &Space<'_>, components: &Components, state: StateId) -> Vec<usize> {
    let mut is_free = vec![true; components.count()];
    for location in space.discrete(state).locations {
        let location = &space.network.locations[location];
        is_free[components.of_process(location.process)] &= !location.committed && !location.urgent;
    }
    (0..components.count())
        .filter(|&component| is_free[component])
        .collect()
}

/// The earliest run along a path of steps, each of which is taken at the time of the components that take part in it, with all of them at one time in the end: the steps sorted by their times.
pub(crate) fn run_of_components(
    space: &Space<'_>,
    components: &Components,
    path: &Path,
    at_end: &[Constraint],
) -> Option<Run> {
    let end = path.steps.len() + 1;
    let mut times = Times { bounds: Vec::new() };
    let mut set = vec![(0usize, 0i64); space.network.dimension()];
    // The last step of each component.
    let mut last = vec![0; components.count()];
    let mut here = path.first;
    let all: Vec<usize> = (0..components.count()).collect();
    let impose = |times: &mut Times, set: &[(usize, i64)], state: StateId, members: &[usize], now: usize| {
        let clock = |one: &Constraint| if one.0 == 0 { one.1 } else { one.0 };
        let invariant = space.info(state).invariant.iter();
        let own = invariant.filter(|&one| members.contains(&components.of_clock(clock(one))));
        own.for_each(|&one| times.note(set, now, one));
    };
    impose(&mut times, &set, here, &all, 0);
    for now in 1..=end {
        let step = path.steps.get(now - 1);
        let members = step.map_or_else(|| all.clone(), |step| members(space, components, step.joint));
        let free = free_components(space, components, here);
        for &member in &members {
            let (from, to) = (last[member], now);
            let least = (0, 0);
            times.bounds.push(AtLeast { from, to, least });
            if !free.contains(&member) {
                times.bounds.push(AtLeast {
                    from: to,
                    to: from,
                    least,
                });
            }
            last[member] = now;
        }
        impose(&mut times, &set, here, &members, now);
        let Some(step) = step else {
            at_end.iter().for_each(|&one| times.note(&set, now, one));
            break;
        };
        let effect = space.effect(step.effect);
        effect.guard.iter().for_each(|&one| times.note(&set, now, one));
        apply(&effect.updates, &mut set, now);
        here = step.target;
        impose(&mut times, &set, here, &members, now);
    }
    let exact = times.exact(&times.solve(end + 1)?);
    let mut order: Vec<usize> = (1..end).collect();
    order.sort_by(|&one, &other| exact[one].cmp(&exact[other]));
    let mut before = Rational::ZERO;
    let mut steps = Vec::with_capacity(order.len());
    for now in order {
        steps.push(Step {
            delay: Time(&exact[now] - &before),
            edges: space.joint(path.steps[now - 1].joint).to_vec(),
        });
        before = exact[now].clone();
    }
    Some(Run {
        first: space.discrete(path.first).locations,
        steps,
        rest: Time(&exact[end] - &before),
    })
}

/// A run of delays and joint edges.
pub(crate) fn rational_run(
    first: &Discrete,
    steps: impl Iterator<Item = (Rational, Vec<EdgeId>)>,
    rest: Rational,
) -> Run {
    let step = |(delay, edges)| Step {
        delay: Time(delay),
        edges,
    };
    Run {
        first: first.locations.clone(),
        steps: steps.map(step).collect(),
        rest: Time(rest),
    }
}

/// Notes what a step at a time does to clocks.
fn apply(updates: &[ClockUpdate], set: &mut [(usize, i64)], now: usize) {
    for update in updates {
        let (at, offset) = if update.source == 0 {
            (now, 0)
        } else {
            set[update.source]
        };
        set[update.target] = (at, offset + update.offset);
    }
}

/// The constraints of a matrix.
pub fn constraints_of(dimension: usize, cells: &[Bound]) -> Vec<Constraint> {
    let cell = |(position, &bound): (usize, &Bound)| (position / dimension, position % dimension, bound);
    let all = cells.iter().enumerate().map(cell);
    all.filter(|&(left, right, bound)| left != right && !bound.is_none())
        .collect()
}
