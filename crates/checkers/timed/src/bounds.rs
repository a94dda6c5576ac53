//! Whether clock constants are large enough for LU-simulation to be one.
//!
//! For every location: comparisons of its invariant and of the guards that leave it are within its constants. For every edge, and every way through its code: a clock that keeps its value
//! has constants at the source at least as large as at the target; a clock whose value is taken from another one, plus d, needs of that one the largest constant of the clock at
//! any location, less d. Comparisons of differences must be listed, with what they become when clocks are set, and the clocks in them have constants of at least their size everywhere.

use crate::Objection;
use entail_clocks::evidence::{ClockBounds, Cover};
use entail_clocks::{Comparison, Condition, Direction, Expression, Network, Query, Statement};

/// Ways through the code of one edge, at most.
const MOST_WAYS: usize = 256;

/// For each clock: the clock its value comes from (0 for a number), and the least and largest number added.
type Way = Vec<(usize, i64, i64)>;

fn within(needed: Option<i64>, given: Option<i32>) -> bool {
    needed.is_none_or(|needed| given.is_some_and(|given| i64::from(given) >= needed))
}

/// Checks the constants of a cover.
pub fn are_sufficient(network: &Network, query: &Query, cover: &Cover) -> Result<(), Objection> {
    let clocks = network.clocks.len();
    if cover.bounds.len() != network.locations.len() || cover.bounds.iter().any(|row| row.len() != clocks) {
        return Err("the clock constants are not those of the model".into());
    }
    let ranges = network.ranges();
    let prioritised = network.has_priorities();
    for (location, one) in network.locations.iter().enumerate() {
        for condition in &one.invariant {
            visit(condition, prioritised, &mut |condition| {
                covers_condition(cover, condition, &ranges, Some(location))
            })?;
        }
    }
    for edge in &network.edges {
        // Whoever is not heard, or has to wait, negates the guard of another.
        let may_stay_out = (edge.signal.iter()).any(|signal| {
            let mut channels = network.channels[signal.base..][..signal.size].iter();
            signal.direction == Direction::Receive && channels.any(|channel| channel.broadcast)
        });
        for condition in &edge.guard {
            visit(condition, prioritised || may_stay_out, &mut |condition| {
                covers_condition(cover, condition, &ranges, Some(edge.source))
            })?;
        }
    }
    let mut asked = Vec::new();
    for formula in query.formulas() {
        formula.visit_clocks(&mut |left, right, _, bound| {
            asked.push(Condition::Clock {
                left: left.clone(),
                right: right.clone(),
                comparison: Comparison::Equal,
                bound: bound.clone(),
            });
        });
    }
    for condition in &asked {
        covers_condition(cover, condition, &ranges, None)?;
    }
    let largest: Vec<ClockBounds> = (0..clocks)
        .map(|clock| {
            let rows = || cover.bounds.iter().map(|row| row[clock]);
            (
                rows().filter_map(|one| one.0).max(),
                rows().filter_map(|one| one.1).max(),
            )
        })
        .collect();
    for &(left, right, bound) in &cover.diagonals {
        if left == 0 || right == 0 || left > clocks || right > clocks || left == right {
            return Err("a tracked difference is not one of two clocks".into());
        }
        let size = i64::from(bound >> 1).abs();
        has_everywhere(cover, left, size)?;
        has_everywhere(cover, right, size)?;
    }
    for edge in &network.edges {
        for way in ways(network, &edge.action, &ranges)? {
            for (clock, &(origin, low, high)) in way.iter().enumerate().skip(1) {
                if origin == clock && low == 0 && high == 0 {
                    let (source, target) = (
                        &cover.bounds[edge.source][clock - 1],
                        &cover.bounds[edge.target][clock - 1],
                    );
                    if !within(target.0.map(i64::from), source.0)
                        || !within(target.1.map(i64::from), source.1)
                    {
                        return Err("clock constants grow along an edge that keeps the clock".into());
                    }
                } else if origin != 0 {
                    let source = &cover.bounds[edge.source][origin - 1];
                    let less =
                        |constant: Option<i32>| constant.map(|number| (i64::from(number) - low).max(0));
                    let (lower, upper) = largest[clock - 1];
                    if !within(less(lower), source.0) || !within(less(upper), source.1) {
                        return Err("clock constants grow along an edge that copies the clock".into());
                    }
                }
                if origin != clock || low != 0 || high != 0 {
                    tracks(cover, clock, origin, low, high)?;
                }
            }
        }
    }
    Ok(())
}

/// Whether the differences with a clock that gets a new value are still tracked.
fn tracks(cover: &Cover, clock: usize, origin: usize, low: i64, high: i64) -> Result<(), Objection> {
    for &(left, right, bound) in &cover.diagonals {
        if left != clock && right != clock {
            continue;
        }
        let other = if left == clock { right } else { left };
        let constant = i64::from(bound >> 1);
        if origin == 0 {
            has_everywhere(cover, other, constant.abs() + low.abs().max(high.abs()))?;
        } else if origin != other {
            if high - low > MOST_WAYS as i64 {
                return Err(Objection::Unchecked(
                    "differences of clocks through updates".to_owned(),
                ));
            }
            for offset in low..=high {
                let shifted = |sign: i64| i64::from(bound) + 2 * sign * offset;
                let listed = match left == clock {
                    true => is_listed(cover, origin, right, shifted(-1)),
                    false => is_listed(cover, left, origin, shifted(1)),
                };
                if !listed {
                    return Err("a difference of clocks is not tracked through an update".into());
                }
            }
        }
    }
    Ok(())
}

fn has_everywhere(cover: &Cover, clock: usize, size: i64) -> Result<(), Objection> {
    let fits =
        |row: &Vec<ClockBounds>| within(Some(size), row[clock - 1].0) && within(Some(size), row[clock - 1].1);
    match cover.bounds.iter().all(fits) {
        true => Ok(()),
        false => Err("the constants of a clock in a tracked difference are too small".into()),
    }
}

/// Whether a difference, or its opposite, is tracked.
fn is_listed(cover: &Cover, left: usize, right: usize, bound: i64) -> bool {
    (cover.diagonals.iter()).any(|&(one, other, listed)| {
        (one, other, i64::from(listed)) == (left, right, bound)
            || (one, other, i64::from(listed)) == (right, left, 1 - bound)
    })
}

/// Goes through the comparisons in a condition; one that is negated somewhere counts as an equation.
fn visit(
    condition: &Condition,
    is_negated: bool,
    judge: &mut dyn FnMut(&Condition) -> Result<(), Objection>,
) -> Result<(), Objection> {
    match condition {
        Condition::Integer(_) => Ok(()),
        Condition::When(_, inner) => inner.iter().try_for_each(|one| visit(one, is_negated, judge)),
        Condition::Clock { .. } if !is_negated => judge(condition),
        Condition::Clock {
            left, right, bound, ..
        } => judge(&Condition::Clock {
            left: left.clone(),
            right: right.clone(),
            comparison: Comparison::Equal,
            bound: bound.clone(),
        }),
    }
}

fn covers_condition(
    cover: &Cover,
    condition: &Condition,
    ranges: &[(i64, i64)],
    location: Option<usize>,
) -> Result<(), Objection> {
    let Condition::Clock {
        left,
        right,
        comparison,
        bound,
    } = condition
    else {
        return Ok(());
    };
    let (low, high) = bound.range(ranges);
    let is_reference = |name: &entail_clocks::ClockName| name.base == 0;
    if is_reference(left) || is_reference(right) {
        let (clock, comparison, constant) = match is_reference(right) {
            true => (left, *comparison, high),
            false => (right, comparison.mirrored(), -low),
        };
        let constant = Some(constant.max(0));
        let (lower, upper) = match comparison {
            Comparison::Less | Comparison::LessEqual => (None, constant),
            Comparison::Greater | Comparison::GreaterEqual => (constant, None),
            Comparison::Equal | Comparison::Different => (constant, constant),
        };
        let rows = match location {
            Some(location) => &cover.bounds[location..location + 1],
            None => &cover.bounds[..],
        };
        for clock in clock.candidates().filter(|&clock| clock != 0) {
            if !rows
                .iter()
                .all(|row| within(lower, row[clock - 1].0) && within(upper, row[clock - 1].1))
            {
                return Err("a clock is compared with more than its constants".into());
            }
        }
        return Ok(());
    }
    if high - low > MOST_WAYS as i64 {
        return Err(Objection::Unchecked(
            "differences of clocks compared with many values".to_owned(),
        ));
    }
    for left in left.candidates() {
        for right in right.candidates().filter(|&right| right != left) {
            for bound in low..=high {
                let listed = match comparison {
                    Comparison::Less => is_listed(cover, left, right, 2 * bound),
                    Comparison::LessEqual => is_listed(cover, left, right, 2 * bound + 1),
                    Comparison::Greater => is_listed(cover, right, left, -2 * bound),
                    Comparison::GreaterEqual => is_listed(cover, right, left, 1 - 2 * bound),
                    Comparison::Equal | Comparison::Different => {
                        is_listed(cover, left, right, 2 * bound + 1)
                            && is_listed(cover, right, left, 1 - 2 * bound)
                    }
                };
                if !listed {
                    return Err("a comparison of a difference of clocks is not tracked".into());
                }
            }
        }
    }
    Ok(())
}

/// All ways through an action.
fn ways(network: &Network, action: &[Statement], ranges: &[(i64, i64)]) -> Result<Vec<Way>, Objection> {
    let identity: Way = (0..network.dimension()).map(|clock| (clock, 0, 0)).collect();
    follow(action, vec![identity], ranges)
}

fn sets_clocks(action: &[Statement]) -> bool {
    action.iter().any(|statement| match statement {
        Statement::Clock { .. } => true,
        Statement::If(_, then, otherwise) => sets_clocks(then) || sets_clocks(otherwise),
        Statement::While(_, body) => sets_clocks(body),
        _ => false,
    })
}

fn follow(action: &[Statement], mut ways: Vec<Way>, ranges: &[(i64, i64)]) -> Result<Vec<Way>, Objection> {
    for statement in action {
        match statement {
            Statement::Clock {
                target,
                source,
                offset,
                ..
            } => {
                let (low, high): (i64, i64) = Expression::range(offset, ranges);
                let mut more = Vec::new();
                for way in &ways {
                    for target in target.candidates() {
                        for source in source.candidates() {
                            let mut way = way.clone();
                            let (origin, from, to) = way[source];
                            way[target] = (origin, from + low, to + high);
                            more.push(way);
                        }
                    }
                }
                ways = more;
            }
            Statement::If(_, then, otherwise) if sets_clocks(then) || sets_clocks(otherwise) => {
                let other = follow(otherwise, ways.clone(), ranges)?;
                ways = follow(then, ways, ranges)?;
                ways.extend(other);
            }
            Statement::While(_, body) if sets_clocks(body) => {
                return Err(Objection::Unchecked(
                    "clock constants through a loop that sets clocks".to_owned(),
                ));
            }
            _ => {}
        }
        if ways.len() > MOST_WAYS {
            return Err(Objection::Unchecked(
                "clock constants through code with very many ways".to_owned(),
            ));
        }
    }
    Ok(ways)
}
