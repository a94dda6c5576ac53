//! The front of three or more objectives: all vertices of what mixtures of schedulers reach, with everything below it.
//!
//! What has been found so far is the hull of some points and everything below them. Each of its facets is a weighted sum: the best scheduler for it either reaches a
//! point beyond the facet, which is added, or proves that nothing lies beyond. When all facets are proved, the hull is what can be reached. Facets are found by trying
//! all small sets of points and axes, in rationals: the number of subsets of `n` among the points grows fast, and so does the time, which the budget ends.

use crate::check::Trouble;
use crate::weighted_sums::{Search, dot};
use entail_budget::Budget;
use entail_markov::Rational;

/// The weights that are orthogonal to some directions, none negative and 1 in sum; nothing if there is not exactly one such line.
fn normal(mut rows: Vec<Vec<Rational>>, dimension: usize) -> Option<Vec<Rational>> {
    let mut pivots = Vec::new();
    for column in 0..dimension {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|&row| !rows[row][column].is_zero()) else {
            continue;
        };
        rows.swap(at, found);
        let pivot = rows[at].clone();
        for (row, values) in rows.iter_mut().enumerate() {
            if row != at && !values[column].is_zero() {
                let factor = &values[column] / &pivot[column];
                for (value, other) in values.iter_mut().zip(&pivot) {
                    *value -= &factor * other;
                }
            }
        }
        pivots.push(column);
    }
    if pivots.len() + 1 != dimension {
        return None;
    }
    let free = (0..dimension).find(|column| !pivots.contains(column))?;
    let mut weights = vec![Rational::ZERO; dimension];
    weights[free] = Rational::ONE;
    for (row, &column) in rows.iter().zip(&pivots) {
        weights[column] = -(&row[free] / &row[column]);
    }
    // The free weight is 1: the others must not be negative either.
    if weights.iter().any(|weight| *weight < Rational::ZERO) {
        return None;
    }
    let sum = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
    Some(weights.iter().map(|weight| weight / &sum).collect())
}

/// The facets of the hull of points and everything below them, as weights.
fn facets(points: &[Vec<Rational>], budget: &Budget) -> Result<Vec<Vec<Rational>>, Trouble> {
    let dimension = points.first().map_or(0, Vec::len);
    let mut found: Vec<Vec<Rational>> = Vec::new();
    // A set of points, of which there must be one, and of axes.
    let items = points.len() + dimension;
    let mut chosen: Vec<usize> = (0..dimension).collect();
    loop {
        budget.check()?;
        if chosen[0] < points.len() {
            let direction = |&item: &usize| -> Vec<Rational> {
                match points.get(item) {
                    Some(point) => point.iter().zip(&points[chosen[0]]).map(|(a, b)| a - b).collect(),
                    None => (0..dimension)
                        .map(|axis| Rational::from(u8::from(axis == item - points.len())))
                        .collect(),
                }
            };
            if let Some(weights) = normal(chosen[1..].iter().map(direction).collect(), dimension) {
                let limit = dot(&points[chosen[0]], &weights);
                if !found.contains(&weights) && points.iter().all(|point| dot(point, &weights) <= limit) {
                    found.push(weights);
                }
            }
        }
        // The next subset.
        let Some(at) = (0..dimension)
            .rev()
            .find(|&at| chosen[at] + dimension - at < items)
        else {
            return Ok(found);
        };
        chosen[at] += 1;
        for later in at + 1..dimension {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

/// The points of which the hull is made: those in which as many facets meet as there are objectives.
fn corners(points: &mut Vec<Vec<Rational>>, hull: &[Vec<Rational>]) {
    let limit = |weights: &Vec<Rational>| points.iter().map(|point| dot(point, weights)).max();
    let limits: Vec<Option<Rational>> = hull.iter().map(limit).collect();
    points.retain(|point| {
        let tight = hull
            .iter()
            .zip(&limits)
            .filter(|(weights, limit)| Some(dot(point, weights)) == **limit);
        let mut rows: Vec<Vec<Rational>> = tight.map(|(weights, _)| weights.clone()).collect();
        rank(&mut rows, point.len()) == point.len()
    });
}

/// The rank of a matrix.
fn rank(rows: &mut [Vec<Rational>], columns: usize) -> usize {
    let mut rank = 0;
    for column in 0..columns {
        let Some(found) = (rank..rows.len()).find(|&row| !rows[row][column].is_zero()) else {
            continue;
        };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for values in rows.iter_mut().skip(rank + 1) {
            let factor = &values[column] / &pivot[column];
            for (value, other) in values.iter_mut().zip(&pivot) {
                *value -= &factor * other;
            }
        }
        rank += 1;
    }
    rank
}

impl Search {
    /// The vertices of the front of all objectives, the best of the first one first. The evidence is a scheduler for each, and the weights of every facet.
    pub(crate) fn front(&mut self, budget: &Budget) -> Result<Vec<Vec<Rational>>, Trouble> {
        let dimension = self.objectives();
        let even = vec![Rational::ONE; dimension];
        let mut points = vec![self.vertex(&even, budget)?];
        let mut proved: Vec<Vec<Rational>> = Vec::new();
        let hull = loop {
            let hull = facets(&points, budget)?;
            corners(&mut points, &hull);
            let mut beyond = None;
            for weights in &hull {
                if proved.contains(weights) {
                    continue;
                }
                let limit = points.iter().map(|point| dot(point, weights)).max();
                let point = self.vertex(weights, budget)?;
                if Some(dot(&point, weights)) > limit {
                    beyond = Some(point);
                    break;
                }
                proved.push(weights.clone());
            }
            match beyond {
                Some(point) => points.push(point),
                None => break hull,
            }
        };
        points.sort_by(|a, b| b.cmp(a));
        for weights in &hull {
            self.vertex(weights, budget)?;
            self.keep_last_facet();
        }
        for point in &points {
            self.keep_point(point);
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facets_of_a_cube_with_a_cut_corner_are_found() {
        let point = |values: [i64; 3]| values.map(Rational::from).to_vec();
        let mut points = vec![
            point([2, 2, 1]),
            point([2, 1, 2]),
            point([1, 2, 2]),
            point([1, 1, 1]),
        ];
        let hull = facets(&points, &Budget::unlimited()).expect("no limit");
        assert_eq!(hull.len(), 4, "{hull:?}");
        corners(&mut points, &hull);
        assert_eq!(points.len(), 3);
    }
}
