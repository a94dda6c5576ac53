//! A run of the first network along given edges whose word is none of the second.
//!
//! All that is asked of clocks along the way is asked of the times of the steps: a clock is the time since the step that set it, plus what it was set to. So the possible times are a zone, which is divided by which states
//! of the second can follow, step by step, until none can; its times are then chosen one after the other.

use super::Refusal;
use super::inclusion::{NamedStep, Names, Side};
use super::moment::Interval;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate};
use entail_clocks::evidence::{Run, Step, Time};
use entail_clocks::{EdgeId, Rational};
use entail_zones::{Bound, Zone};
use std::rc::Rc;

/// When each clock was set, as the number of the step, and to what.
type Stamps = Vec<(usize, i64)>;

/// A state with its clocks.
#[derive(Clone, PartialEq)]
struct Stamped {
    state: usize,
    clocks: Stamps,
}

/// Where a word leads, with the times of its steps.
struct Prefix {
    times: Zone,
    first: Stamped,
    second: Vec<Stamped>,
    next: usize,
}

/// Constraints of clocks at a time, as constraints of times.
fn at(all: &[ClockConstraint], clocks: &Stamps, now: usize) -> Vec<(usize, usize, i64, bool)> {
    let of = |clock: usize| if clock == 0 { (now, 0) } else { clocks[clock] };
    let one = |one: &ClockConstraint| {
        let ((left, left_offset), (right, right_offset)) = (of(one.left), of(one.right));
        // left − right = time(right) − time(left) + the difference of what they were set to.
        (right, left, one.bound - left_offset + right_offset, one.strict)
    };
    all.iter().map(one).collect()
}

fn cut(times: &mut Zone, all: &[(usize, usize, i64, bool)]) -> bool {
    all.iter()
        .all(|&(left, right, bound, strict)| times.constrain(left, right, Bound::new(bound as i32, strict)))
}

fn updated(clocks: &Stamps, updates: &[ClockUpdate], now: usize) -> Stamps {
    let mut next = clocks.clone();
    for update in updates {
        let (set, offset) = if update.source == 0 {
            (now, 0)
        } else {
            next[update.source]
        };
        next[update.target] = (set, offset + update.offset);
    }
    next
}

/// What a step asks of the times.
fn asked(step: &NamedStep, clocks: &Stamps, now: usize) -> Vec<(usize, usize, i64, bool)> {
    let mut all = at(&step.guard, clocks, now);
    all.extend(at(&step.entering, &updated(clocks, &step.updates, now), now));
    all
}

/// A run along these edges whose word is none of the second network; nothing if there is none.
pub(super) fn run(
    sides: &mut [Side<'_>; 2],
    names: &mut Names,
    edges: &[Vec<EdgeId>],
    budget: &Budget,
) -> Result<Option<Run>, Refusal> {
    let dimension = edges.len() + 1;
    let starts = sides[0].starts()?;
    let stamps = |side: &Side<'_>| vec![(0, 0); side.network.dimension()];
    let second: Vec<Stamped> = (sides[1].starts()?.into_iter())
        .map(|state| Stamped {
            state,
            clocks: stamps(&sides[1]),
        })
        .collect();
    for start in starts {
        let mut open = vec![Prefix {
            times: Zone::universal(dimension),
            first: Stamped {
                state: start,
                clocks: stamps(&sides[0]),
            },
            second: second.clone(),
            next: 0,
        }];
        while let Some(prefix) = open.pop() {
            budget.check()?;
            let (now, own) = (prefix.next + 1, &edges[prefix.next]);
            let state = &sides[0].states[prefix.first.state];
            let mut times = prefix.times;
            let may_wait = state.may_delay || times.constrain(now, now - 1, Bound::ZERO);
            let is_later = may_wait
                && times.constrain(now - 1, now, Bound::ZERO)
                && cut(&mut times, &at(&state.invariant, &prefix.first.clocks, now));
            if !is_later {
                continue;
            }
            let steps = sides[0].steps(prefix.first.state, names)?;
            for step in steps.iter().filter(|step| step.edges == *own) {
                let mut times = times.clone();
                let Ok(target) = step.target else { continue };
                if !cut(&mut times, &asked(step, &prefix.first.clocks, now)) {
                    continue;
                }
                let first = Stamped {
                    state: target,
                    clocks: updated(&prefix.first.clocks, &step.updates, now),
                };
                for (times, second) in followed(sides, names, &prefix.second, step.name, times, now)? {
                    if now < edges.len() {
                        open.push(Prefix {
                            times,
                            first: first.clone(),
                            second,
                            next: now,
                        });
                    } else if second.is_empty()
                        && let Some(times) = chosen(&times)
                    {
                        let step = |number: usize| Step {
                            delay: Time(&times[number + 1] - &times[number]),
                            edges: edges[number].clone(),
                        };
                        let start = sides[0].states.get_index(start).expect("a known state");
                        return Ok(Some(Run {
                            first: start.0.locations.clone(),
                            steps: (0..edges.len()).map(step).collect(),
                            rest: Time(Rational::ZERO),
                        }));
                    }
                }
            }
        }
    }
    Ok(None)
}

/// The times divided by which states of the second can follow a step of this name, with those.
fn followed(
    sides: &mut [Side<'_>; 2],
    names: &mut Names,
    second: &[Stamped],
    name: usize,
    times: Zone,
    now: usize,
) -> Result<Vec<(Zone, Vec<Stamped>)>, Refusal> {
    let mut parts = vec![(times, Vec::new())];
    for one in second {
        let steps: Rc<[NamedStep]> = sides[1].steps(one.state, names)?;
        let state = &sides[1].states[one.state];
        for step in steps.iter().filter(|step| step.name == name) {
            let Ok(target) = step.target else { continue };
            let mut able = Zone::universal(parts[0].0.dimension());
            let waits = state.may_delay || able.constrain(now, now - 1, Bound::ZERO);
            let is_able = waits
                && cut(&mut able, &at(&state.invariant, &one.clocks, now))
                && cut(&mut able, &asked(step, &one.clocks, now));
            if !is_able {
                continue;
            }
            let next = Stamped {
                state: target,
                clocks: updated(&one.clocks, &step.updates, now),
            };
            let mut divided: Vec<(Zone, Vec<Stamped>)> = Vec::new();
            for (times, taken) in parts {
                let without = times.without(&able).into_iter();
                divided.extend(without.map(|times| (times, taken.clone())));
                if let Some(times) = times.meet(&able) {
                    let mut taken = taken;
                    if !taken.contains(&next) {
                        taken.push(next.clone());
                    }
                    divided.push((times, taken));
                }
            }
            parts = divided;
        }
    }
    Ok(parts)
}

/// Times within a zone, each the simplest that fits those before it.
fn chosen(zone: &Zone) -> Option<Vec<Rational>> {
    let mut times = vec![Rational::ZERO];
    for now in 1..zone.dimension() {
        let mut interval = Interval::from_zero();
        for (before, time) in times.iter().enumerate() {
            interval.at_most(time, zone.bound(now, before));
            interval.at_least(time, zone.bound(before, now));
        }
        times.push(interval.simplest()?);
    }
    Some(times)
}
