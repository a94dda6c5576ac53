//! Elimination of states (Daws 2004; Hahn, Hermanns and Zhang 2010): a chain with parameters, made smaller until only its first state is left.
//!
//! A state is taken out by giving its predecessors what it would have done: the weight of going there, divided by the probability of not coming straight back, times each weight of going on.
//! States with few predecessors and successors go first, so that few weights are new (the rule of Markowitz). Weights are steps of a program: an operation
//! on functions costs as much as one on numbers. Before, states that do the same are put together: refinement by the weights into the classes so far,
//! given up once there are more classes than half the states.

use crate::programs::{Program, Step};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A state's equation: `x = base + Σ weight · x(target)`; targets have equations themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub base: Option<Step>,
    pub weights: BTreeMap<u32, Step>,
}

/// Rounds of refinement after which the chain is used as it is.
const MOST_ROUNDS: usize = 400;

/// The chain of classes of states that do the same, state 0 in class 0; nothing if that does not pay.
pub(crate) fn quotient(
    program: &mut Program,
    rows: &[Row],
    budget: &Budget,
) -> Result<Option<Vec<Row>>, Spent> {
    let mut class: Vec<u32> = vec![0; rows.len()];
    let mut count = 1;
    for _ in 0..MOST_ROUNDS {
        budget.check()?;
        let mut numbers: FxHashMap<(u32, Option<Step>, Vec<(u32, Step)>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(rows.len());
        for (state, row) in rows.iter().enumerate() {
            let into = of_classes(program, row, &class);
            let key = (class[state], row.base, into.into_iter().collect());
            let fresh = numbers.len() as u32;
            next.push(*numbers.entry(key).or_insert(fresh));
        }
        let found = numbers.len();
        if found > rows.len() / 2 {
            return Ok(None);
        }
        class = next;
        if found == count {
            let mut quotient = vec![None; count];
            for (state, row) in rows.iter().enumerate() {
                let own: &mut Option<Row> = &mut quotient[class[state] as usize];
                if own.is_none() {
                    *own = Some(Row {
                        base: row.base,
                        weights: of_classes(program, row, &class),
                    });
                }
            }
            return Ok(quotient.into_iter().collect());
        }
        count = found;
    }
    Ok(None)
}

/// The weights of a row by class.
fn of_classes(program: &mut Program, row: &Row, class: &[u32]) -> BTreeMap<u32, Step> {
    let mut into: BTreeMap<u32, Step> = BTreeMap::new();
    for (&target, &weight) in &row.weights {
        let own = into.entry(class[target as usize]).or_insert(Step::ZERO);
        *own = program.sum(*own, weight);
    }
    into
}

/// The value of state 0.
pub(crate) fn eliminated(program: &mut Program, mut rows: Vec<Row>, budget: &Budget) -> Result<Step, Spent> {
    let mut before: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); rows.len()];
    for (state, row) in rows.iter().enumerate() {
        for &target in row.weights.keys() {
            before[target as usize].insert(state as u32);
        }
    }
    let cost = |rows: &[Row], before: &[BTreeSet<u32>], state: u32| {
        let (ahead, behind) = (&rows[state as usize].weights, &before[state as usize]);
        (ahead.len() * behind.len(), Reverse(state))
    };
    let mut queue: BinaryHeap<Reverse<(usize, Reverse<u32>)>> = (1..rows.len() as u32)
        .map(|state| Reverse(cost(&rows, &before, state)))
        .collect();
    let mut gone = vec![false; rows.len()];
    while let Some(Reverse((known, Reverse(state)))) = queue.pop() {
        budget.check()?;
        if gone[state as usize] {
            continue;
        }
        let now = cost(&rows, &before, state);
        if now.0 > known {
            queue.push(Reverse(now));
            continue;
        }
        gone[state as usize] = true;
        let mut row = std::mem::take(&mut rows[state as usize]);
        normalised(program, &mut row, state);
        let predecessors = std::mem::take(&mut before[state as usize]);
        for target in row.weights.keys() {
            before[*target as usize].remove(&state);
        }
        for predecessor in predecessors {
            if predecessor == state {
                continue;
            }
            let own = &mut rows[predecessor as usize];
            let Some(weight) = own.weights.remove(&state) else {
                continue;
            };
            for (&target, &further) in &row.weights {
                let step = program.product(weight, further);
                let entry = own.weights.entry(target).or_insert(Step::ZERO);
                *entry = program.sum(*entry, step);
                before[target as usize].insert(predecessor);
            }
            if let Some(base) = row.base {
                let step = program.product(weight, base);
                own.base = Some(program.sum(own.base.unwrap_or(Step::ZERO), step));
            }
            if predecessor != 0 {
                queue.push(Reverse(cost(&rows, &before, predecessor)));
            }
        }
    }
    let mut first = std::mem::take(&mut rows[0]);
    normalised(program, &mut first, 0);
    Ok(first.base.unwrap_or(Step::ZERO))
}

/// A row without a way straight back: everything else is divided by what is left of 1.
fn normalised(program: &mut Program, row: &mut Row, state: u32) {
    let Some(back) = row.weights.remove(&state) else {
        return;
    };
    let rest = program.rest_of_one(back);
    let factor = program.inverse(rest);
    for weight in row.weights.values_mut() {
        *weight = program.product(*weight, factor);
    }
    row.base = row.base.map(|base| program.product(base, factor));
}
