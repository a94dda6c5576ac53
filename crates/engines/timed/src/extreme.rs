//! The largest or least value of an integer or a clock in reachable states: UPPAAL's `sup` and `inf`.
//!
//! A covering search finds all symbolic states; for an integer the answer is the best among them. A clock's value is exact up to the constant M that it counts as compared with everywhere,
//! because states that stand for one another agree on it or both exceed M. So M grows until the value found does not exceed it; a clock that some zone does not bound has no largest value.

use crate::concrete;
use crate::constants::Constants;
use crate::cover_search::{CoverSearch, NodeId};
use crate::settings::Settings;
use crate::space::{Constraint, Space};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::evidence::{Extreme, Proof};
use entail_clocks::{Comparison, Expression, Fault, Formula, Measure, Network, Query};
use entail_zones::{Bound, LowerUpper, Zone};

/// A clock that exceeds the largest constant of the model so many times is given up: it may grow from cycle to cycle.
const MOST_TIMES: i32 = 256;

/// The best value so far: a bound on the measure (sup) or on its opposite (inf), and where it is reached.
struct Best {
    bound: Bound,
    node: NodeId,
    at_end: Vec<Constraint>,
}

/// Looks for the extreme value of a measure among reachable states that satisfy a condition.
pub fn decide(
    network: &Network,
    settings: Settings,
    (measure, condition, up): (&Measure, &Formula, bool),
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let (mut most, mut limit) = (0, 0);
    loop {
        let query = beyond(measure, condition, i64::from(most));
        let mut constants = Constants::of(network, &query, settings.bounds).map_err(Stop::Unknown)?;
        if query.mentions_deadlock() {
            constants.make_symmetric();
        }
        if most == 0 && matches!(measure, Measure::Clock(_)) {
            // The first guess: the largest constant of the model.
            let all = constants.at(0..network.locations.len());
            let constant = |one: &LowerUpper| one.lower.max(one.upper);
            most = all.iter().map(constant).max().unwrap_or(0).max(1);
            limit = most.saturating_mul(MOST_TIMES).min(Bound::MOST / 4);
            continue;
        }
        let asked = Query::Reach(condition.clone(), true);
        let mut space = Space::new(network, &asked, constants);
        let mut search = CoverSearch::new(&mut space, settings);
        search.exhaust(budget, counters)?;
        let Some(best) = best(&mut search, measure, up, budget)? else {
            let extreme = Extreme {
                run: None,
                value: None,
                attained: false,
                cover: Some(search.cover(&|_| 0)),
            };
            return Ok(Proof::Extreme { extreme });
        };
        let is_clock = matches!(measure, Measure::Clock(_));
        let reached = match up {
            true => best.bound.constant(),
            false => -best.bound.constant(),
        };
        if is_clock && !best.bound.is_none() && reached > most {
            if most >= limit {
                let reason = format!("the clock exceeds {most}, and whether it has a bound is not known");
                return Err(Stop::Unknown(reason));
            }
            most = (2 * most).max(reached).min(limit);
            continue;
        }
        let path = search.path(best.node);
        let run = concrete::run(search.space, &path, &best.at_end, true)
            .ok_or_else(|| Stop::Unknown("the symbolic path found has no run of its own".to_owned()))?;
        let is_bounded = !best.bound.is_none();
        let extreme = Extreme {
            run: Some(run),
            value: is_bounded.then_some(i64::from(reached)),
            attained: is_bounded && !best.bound.is_strict(),
            cover: is_bounded.then(|| search.cover(&|_| 0)),
        };
        return Ok(Proof::Extreme { extreme });
    }
}

/// The query whose clock constants are those of the search: the condition holds, and the clock exceeds a constant.
fn beyond(measure: &Measure, condition: &Formula, constant: i64) -> Query {
    let mut parts = vec![condition.clone()];
    if let Measure::Clock(clock) = measure {
        parts.push(Formula::Clock {
            left: clock.clone(),
            right: entail_clocks::ClockName::one(0),
            comparison: Comparison::Greater,
            bound: Expression::Constant(constant),
        });
    }
    Query::Reach(Formula::And(parts), true)
}

fn best(
    search: &mut CoverSearch<'_, '_>,
    measure: &Measure,
    up: bool,
    budget: &Budget,
) -> Result<Option<Best>, Stop> {
    let mut best: Option<Best> = None;
    for node in search.alive() {
        budget.check()?;
        let (state, zone) = (search.state(node), search.zone(node));
        let discrete = search.space.discrete(state);
        for part in search.space.parts_that_meet(state, 0, &zone) {
            let bound = match measure {
                Measure::Integer(expression) => {
                    let value = expression.value(&discrete.integers).map_err(fault)?;
                    let value = i32::try_from(value).map_err(|_| fault(Fault::Overflow))?;
                    Bound::at_most(if up { value } else { -value })
                }
                Measure::Clock(clock) => {
                    let clock = clock.clock(&discrete.integers).map_err(fault)?;
                    match up {
                        true => part.bound(clock, 0),
                        false => part.bound(0, clock),
                    }
                }
            };
            if best.as_ref().is_none_or(|best| bound > best.bound) {
                best = Some(Best {
                    bound,
                    node,
                    at_end: nearest(&part, measure, &discrete.integers, bound, up)?,
                });
            }
        }
    }
    Ok(best)
}

/// Constraints on the end of a run that comes near the bound: at it if it is attained, otherwise anywhere in the part.
fn nearest(
    part: &Zone,
    measure: &Measure,
    integers: &[i64],
    bound: Bound,
    up: bool,
) -> Result<Vec<Constraint>, Stop> {
    let mut found = concrete::constraints_of(part.dimension(), part.cells());
    if let (Measure::Clock(clock), false) = (measure, bound.is_none()) {
        let clock = clock.clock(integers).map_err(fault)?;
        // At least the bound, or less than one away from it.
        let near = match bound.is_strict() {
            false => Bound::at_most(-bound.constant()),
            true => Bound::below(1 - bound.constant()),
        };
        found.push(match up {
            true => (0, clock, near),
            false => (clock, 0, near),
        });
    }
    Ok(found)
}

fn fault(fault: Fault) -> Stop {
    Stop::Model(Box::new(crate::ModelTrouble {
        trouble: Trouble {
            fault,
            span: Default::default(),
        },
        run: None,
        edges: Vec::new(),
    }))
}
