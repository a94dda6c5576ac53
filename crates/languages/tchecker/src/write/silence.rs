//! When none of several guards holds.
//!
//! The opposite of a disjunction of conjunctions is a conjunction of disjunctions; multiplied out, each summand is a guard of its own. The first conjunct of a guard that fails is one of the cases, with those before it,
//! so that a condition is evaluated only where it would have been.

use entail_clocks::{Comparison, Condition, Expression};

/// Ways in which guards fail, at most.
pub(super) const MOST_WAYS: usize = 64;

/// The ways in which none of these guards holds; nothing if there are very many. A guard that always holds leaves none.
pub(super) fn silent(guards: &[&[Condition]]) -> Option<Vec<Vec<Condition>>> {
    let mut ways: Vec<Vec<Condition>> = vec![Vec::new()];
    for guard in guards {
        let failing = failures(guard);
        let mut longer = Vec::new();
        for way in &ways {
            longer.extend(failing.iter().map(|more| [way.as_slice(), more].concat()));
        }
        ways = longer;
        if ways.len() > MOST_WAYS {
            return None;
        }
    }
    Some(ways)
}

/// The ways in which a conjunction fails. Those that differ in clocks may overlap; either does the same.
fn failures(guard: &[Condition]) -> Vec<Vec<Condition>> {
    let mut found = Vec::new();
    let mut before = Vec::new();
    // Conditions on clocks have a value always, and count only where those on integers hold.
    let (integers, clocks): (Vec<_>, Vec<_>) =
        (guard.iter()).partition(|one| matches!(one, Condition::Integer(_)));
    for condition in integers.into_iter().chain(clocks) {
        for opposite in opposites(condition) {
            found.push([before.as_slice(), &[opposite]].concat());
        }
        if let Condition::Integer(_) = condition {
            before.push(condition.clone());
        }
    }
    found
}

fn opposites(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::Integer(Expression::Not(inner)) => vec![Condition::Integer((**inner).clone())],
        Condition::Integer(inner) => vec![Condition::Integer(Expression::Not(Box::new(inner.clone())))],
        Condition::Clock {
            left,
            right,
            comparison,
            bound,
        } => {
            let comparisons: &[Comparison] = match comparison {
                Comparison::Less => &[Comparison::GreaterEqual],
                Comparison::LessEqual => &[Comparison::Greater],
                Comparison::Greater => &[Comparison::LessEqual],
                Comparison::GreaterEqual => &[Comparison::Less],
                Comparison::Equal => &[Comparison::Less, Comparison::Greater],
                Comparison::Different => &[Comparison::Equal],
            };
            let one = |comparison: &Comparison| Condition::Clock {
                left: left.clone(),
                right: right.clone(),
                comparison: *comparison,
                bound: bound.clone(),
            };
            comparisons.iter().map(one).collect()
        }
        // Guards have been cut into cases before.
        Condition::When(..) => Vec::new(),
    }
}
