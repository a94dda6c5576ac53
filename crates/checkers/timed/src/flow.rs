//! The largest value of a linear function over a matrix.
//!
//! By duality it is the least cost of a flow in which each clock sends out its weight, clocks of negative weight receive theirs, and the reference clock makes up for the rest; bounds are the costs of sending. Any flow
//! is made cheaper along cycles of negative cost until there is none (Klein 1967). Where there is no bound, sending is so expensive that a cheapest flow does it only if there is no other way, and then there is no
//! largest value. Strict bounds count like the others: the value is a supremum.

use crate::matrix::{FREE, Matrix};

/// The cost of sending where there is no bound.
const NO_WAY: i128 = 1 << 80;

/// The supremum of `Σ weights[i] · clock i`, or nothing if there is none. The weight of the reference clock does not matter.
pub(crate) fn supremum(matrix: &Matrix, weights: &[i64]) -> Option<i128> {
    let n = matrix.size;
    let cost = |from: usize, to: usize| match matrix.at(from, to) {
        bound if bound >= FREE => NO_WAY,
        bound => i128::from(bound >> 1),
    };
    let mut sent = vec![vec![0i128; n]; n];
    for (clock, &weight) in weights.iter().enumerate().take(n).skip(1) {
        match i128::from(weight) {
            weight if weight > 0 => sent[clock][0] = weight,
            weight => sent[0][clock] = -weight,
        }
    }
    while let Some(cycle) = negative_cycle(n, &|from, to| {
        let back = (sent[to][from] > 0).then(|| -cost(to, from));
        back.map_or(cost(from, to), |back| back.min(cost(from, to)))
    }) {
        let is_back = |&(from, to): &(usize, usize)| sent[to][from] > 0 && -cost(to, from) < cost(from, to);
        let backwards: Vec<bool> = cycle.iter().map(is_back).collect();
        let given = cycle.iter().zip(&backwards).filter(|(_, back)| **back);
        let amount = given.map(|(&(from, to), _)| sent[to][from]).min()?;
        for (&(from, to), back) in cycle.iter().zip(backwards) {
            match back {
                true => sent[to][from] -= amount,
                false => sent[from][to] += amount,
            }
        }
    }
    let mut sum = 0;
    for (from, row) in sent.iter().enumerate() {
        for (to, &amount) in row.iter().enumerate().filter(|(_, amount)| **amount > 0) {
            if cost(from, to) == NO_WAY {
                return None;
            }
            sum += amount * cost(from, to);
        }
    }
    Some(sum)
}

/// A cycle whose costs have a negative sum, as steps.
fn negative_cycle(n: usize, cost: &dyn Fn(usize, usize) -> i128) -> Option<Vec<(usize, usize)>> {
    let mut far = vec![0i128; n];
    let mut before = vec![usize::MAX; n];
    let mut last = None;
    for _ in 0..n {
        last = None;
        for from in 0..n {
            for to in (0..n).filter(|&to| to != from) {
                let way = far[from] + cost(from, to);
                if way < far[to] {
                    far[to] = way;
                    before[to] = from;
                    last = Some(to);
                }
            }
        }
        last?;
    }
    // What still changes after n rounds is behind a negative cycle: so many steps back, it is on it.
    let mut here = last?;
    for _ in 0..n {
        here = before[here];
    }
    let mut cycle = Vec::new();
    let start = here;
    loop {
        cycle.push((before[here], here));
        here = before[here];
        if here == start {
            return Some(cycle);
        }
    }
}
