//! The front of three or more objectives: that points are its vertices.
//!
//! Every facet is a weighted sum that no scheduler exceeds. What the facets leave is a polyhedron; if the axes are among them, everything in it lies below some mixture of
//! its vertices. These are found by definition: the places where as many facets meet as there are objectives, and which no other facet cuts off. If they are the points, which
//! schedulers reach, then the points are all there is.

use crate::check::NotConfirmed;
use entail_budget::Budget;
use entail_markov::{Rational, naive};

/// More sets of facets are not tried.
const MOST_SETS: u64 = 2_000_000;

fn wrong(what: &str) -> NotConfirmed {
    NotConfirmed::Wrong(what.to_owned())
}

/// Whether points are the vertices of what facets leave.
pub(crate) fn vertices_are(
    points: &[Vec<Rational>],
    weights: &[&[Rational]],
    limits: &[Rational],
    budget: &Budget,
) -> Result<(), NotConfirmed> {
    let dimension = points.first().map_or(0, Vec::len);
    for axis in 0..dimension {
        let alone = |weights: &&&[Rational]| {
            weights
                .iter()
                .enumerate()
                .all(|(at, weight)| (at == axis) == (*weight > Rational::ZERO))
        };
        if !weights.iter().any(|own| alone(&own)) {
            return Err(wrong("the front is not bounded in all objectives"));
        }
    }
    let sets = (0..dimension as u64).fold(1u64, |sets, at| {
        sets.saturating_mul((weights.len() as u64).saturating_sub(at)) / (at + 1)
    });
    if sets > MOST_SETS {
        return Err(NotConfirmed::Unchecked("a front with many facets".to_owned()));
    }
    let value = |weights: &[Rational], point: &[Rational]| {
        weights
            .iter()
            .zip(point)
            .fold(Rational::ZERO, |sum, (weight, value)| sum + weight * value)
    };
    let mut found: Vec<Vec<Rational>> = Vec::new();
    let mut chosen: Vec<usize> = (0..dimension).collect();
    loop {
        budget.check()?;
        let equations = chosen.iter().map(|&facet| weights[facet].to_vec()).collect();
        let sums = chosen.iter().map(|&facet| limits[facet].clone()).collect();
        if let Some(place) = naive::solve(equations, sums) {
            let inside = weights
                .iter()
                .zip(limits)
                .all(|(weights, limit)| value(weights, &place) <= *limit);
            if inside && !found.contains(&place) {
                if !points.contains(&place) {
                    return Err(wrong("the front has a vertex that no scheduler was given for"));
                }
                found.push(place);
            }
        }
        let Some(at) = (0..dimension)
            .rev()
            .find(|&at| chosen[at] + dimension - at < weights.len())
        else {
            break;
        };
        chosen[at] += 1;
        for later in at + 1..dimension {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
    let once = |at: usize| !points[..at].contains(&points[at]);
    match found.len() == points.len() && (0..points.len()).all(once) {
        true => Ok(()),
        false => Err(wrong("a point of the front is no vertex")),
    }
}
