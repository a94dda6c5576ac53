//! Whether a cover contains all runs, and what is claimed of it.
//!
//! The claim: every state that is reached is simulated by a state of a node with the same locations and integers, on the same sides of all tracked differences. It holds of the initial
//! states, and a step from a simulated state is simulated again, if the successors of every node are covered by nodes. So it is enough to compute these. For a state that is not to be reached:
//! no node meets it. For what is not to be met again and again: ranks do not grow along steps, so a run stays in one rank in the end, and in no rank can everything be met by nodes
//! that have a step within it.

use crate::matrix::{FREE, Matrix, plus};
use crate::{Objection, bounds, deadlock};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{ClockBounds, Cover};
use entail_clocks::{Formula, LocationId, Meaning, Network, Query};
use std::collections::HashMap;
use std::rc::Rc;

/// Nodes at the same discrete state and on the same sides.
type Key = (Discrete, Vec<bool>);

struct Checked<'c> {
    meaning: &'c dyn Meaning,
    network: &'c Network,
    cover: &'c Cover,
    matrices: Vec<Matrix>,
    /// Nodes by rank.
    groups: HashMap<Key, Vec<usize>>,
    constants: HashMap<Vec<LocationId>, Rc<Vec<ClockBounds>>>,
}

/// Checks a cover for a query that looks for something that does not exist.
pub fn contains_all_runs(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    cover: &Cover,
    budget: &Budget,
) -> Result<(), Objection> {
    if !cover.plain {
        bounds::are_sufficient(network, query, cover)?;
    }
    // Simulation keeps what can be done; what cannot be done is kept by bisimulation only, which equal constants give.
    let is_symmetric = |one: &ClockBounds| one.0 == one.1;
    if query.mentions_deadlock() && !cover.plain && !cover.bounds.iter().flatten().all(is_symmetric) {
        return Err("lower and upper clock constants differ, and deadlocks are asked for".into());
    }
    let mut checked = Checked::new(meaning, network, cover, budget)?;
    for discrete in meaning.starts()? {
        let Some(constraints) = meaning.invariant(&discrete)? else {
            continue;
        };
        let mut zone = Matrix::origin(network.dimension());
        if zone.cut_all(&constraints) {
            checked.rank_of_cover(&discrete, zone, u32::MAX)?;
        }
    }
    let goals = query.formulas();
    // For each rank: which goals are met by nodes that have a step within it.
    let mut met: HashMap<u32, Vec<bool>> = HashMap::new();
    for number in 0..cover.nodes.len() {
        budget.check()?;
        let node = &cover.nodes[number];
        let discrete = Discrete {
            locations: node.locations.clone(),
            integers: node.integers.clone(),
        };
        let mut zone = checked.matrices[number].clone();
        let Some(invariant) = meaning.invariant(&discrete)? else {
            continue;
        };
        if !zone.cut_all(&invariant) {
            continue;
        }
        if meaning.may_delay(&discrete)? {
            zone.rise();
            if !zone.cut_all(&invariant) {
                continue;
            }
        }
        if let Query::Reach(..) = query
            && meets(meaning, goals, 0, &discrete, &zone)?
        {
            return Err("the cover contains a state that is looked for".into());
        }
        let stays = checked.successors(&discrete, &zone, node.rank)?;
        if stays && matches!(query, Query::Repeat(..)) {
            let met = met.entry(node.rank).or_insert_with(|| vec![false; goals.len()]);
            for (goal, met) in met.iter_mut().enumerate() {
                *met |= meets(meaning, goals, goal, &discrete, &zone)?;
            }
        }
    }
    match met.values().any(|met| met.iter().all(|&met| met)) {
        true => Err("the ranks of the cover do not exclude what is looked for".into()),
        false => Ok(()),
    }
}

fn meets(
    meaning: &dyn Meaning,
    goals: &[Formula],
    goal: usize,
    discrete: &Discrete,
    zone: &Matrix,
) -> Result<bool, Objection> {
    let conjunctions = meaning.satisfying(goals, goal, discrete)?;
    if conjunctions
        .iter()
        .flatten()
        .any(|one| one.about_deadlock().is_some())
    {
        return deadlock::meets(meaning, &conjunctions, discrete, zone);
    }
    let is_met = |one: &Vec<ClockConstraint>| one.is_empty() || zone.clone().cut_all(one);
    Ok(conjunctions.iter().any(is_met))
}

impl<'c> Checked<'c> {
    fn new(
        meaning: &'c dyn Meaning,
        network: &'c Network,
        cover: &'c Cover,
        budget: &Budget,
    ) -> Result<Checked<'c>, Objection> {
        let mut checked = Checked {
            meaning,
            network,
            cover,
            matrices: Vec::with_capacity(cover.nodes.len()),
            groups: HashMap::new(),
            constants: HashMap::new(),
        };
        for (number, node) in cover.nodes.iter().enumerate() {
            budget.check()?;
            let is_location = |(process, &location): (usize, &LocationId)| {
                (network.locations.get(location)).is_some_and(|location| location.process == process)
            };
            if node.locations.len() != network.processes.len()
                || node.integers.len() != network.integers.len()
                || !node.locations.iter().enumerate().all(is_location)
            {
                return Err("a symbolic state is not one of the model".into());
            }
            let matrix =
                Matrix::read(network.dimension(), &node.zone).ok_or("a zone is empty or malformed")?;
            let mut sides = Vec::new();
            for &(left, right, bound) in checked.tracked() {
                let (inside, outside) = (i64::from(bound), 1 - i64::from(bound));
                match (
                    matrix.at(left, right) <= inside,
                    matrix.at(right, left) <= outside,
                ) {
                    (true, _) => sides.push(true),
                    (_, true) => sides.push(false),
                    _ => return Err("a zone lies on both sides of a tracked difference".into()),
                }
            }
            let discrete = Discrete {
                locations: node.locations.clone(),
                integers: node.integers.clone(),
            };
            checked.groups.entry((discrete, sides)).or_default().push(number);
            checked.matrices.push(matrix);
        }
        for group in checked.groups.values_mut() {
            group.sort_by_key(|&node| cover.nodes[node].rank);
        }
        Ok(checked)
    }

    fn tracked(&self) -> &'c [(usize, usize, i32)] {
        if self.cover.plain {
            &[]
        } else {
            &self.cover.diagonals
        }
    }

    fn constants(&mut self, locations: &[LocationId]) -> Rc<Vec<ClockBounds>> {
        if let Some(known) = self.constants.get(locations) {
            return Rc::clone(known);
        }
        let mut all: Vec<ClockBounds> = vec![(None, None); self.network.clocks.len()];
        for &location in locations {
            for (one, other) in all.iter_mut().zip(&self.cover.bounds[location]) {
                *one = (one.0.max(other.0), one.1.max(other.1));
            }
        }
        let all = Rc::new(all);
        self.constants.insert(locations.to_vec(), Rc::clone(&all));
        all
    }

    /// Checks that the successors of a zone are covered by nodes of no larger rank; says whether one of the same rank is needed.
    fn successors(&mut self, discrete: &Discrete, zone: &Matrix, rank: u32) -> Result<bool, Objection> {
        let mut stays = false;
        for step in self.meaning.moves(discrete)? {
            let mut next_zone = zone.clone();
            if !next_zone.cut_all(&step.guard) {
                continue;
            }
            let next = step.target?;
            for update in &step.updates {
                let mut negative = next_zone.clone();
                if update.source != 0 && negative.cut(update.source, 0, -2 * update.offset) {
                    return Err("a clock may become negative".into());
                }
                next_zone.set(update);
            }
            if !next_zone.cut_all(&step.invariant) {
                continue;
            }
            stays |= self.rank_of_cover(&next, next_zone, rank)? == rank;
        }
        Ok(stays)
    }

    /// The largest rank among the nodes of least rank that cover the parts of a zone; an objection if one is not covered, or only by larger ranks than `most`.
    fn rank_of_cover(&mut self, discrete: &Discrete, zone: Matrix, most: u32) -> Result<u32, Objection> {
        let mut parts = vec![(zone, Vec::new())];
        for &(left, right, bound) in self.tracked() {
            let mut finer = Vec::new();
            for (part, sides) in parts {
                for side in [true, false] {
                    let mut half = part.clone();
                    let is_left = match side {
                        true => half.cut(left, right, i64::from(bound)),
                        false => half.cut(right, left, 1 - i64::from(bound)),
                    };
                    if is_left {
                        finer.push((half, [sides.as_slice(), &[side]].concat()));
                    }
                }
            }
            parts = finer;
        }
        let constants = match self.cover.plain {
            true => None,
            false => Some(self.constants(&discrete.locations)),
        };
        let mut largest = 0;
        for (part, sides) in parts {
            let group = self.groups.get(&(discrete.clone(), sides));
            let is_cover = |&&node: &&usize| match &constants {
                None => part.is_within(&self.matrices[node]),
                Some(constants) => is_simulated(&part, &self.matrices[node], constants),
            };
            let node = group
                .into_iter()
                .flatten()
                .find(is_cover)
                .ok_or("a successor is not covered")?;
            let rank = self.cover.nodes[*node].rank;
            if rank > most {
                return Err("ranks grow along a step".into());
            }
            largest = largest.max(rank);
        }
        Ok(largest)
    }
}

/// Whether every value of a zone is LU-simulated by one of another. By Herbreteau, Srivathsan and Walukiewicz it is not exactly if there are clocks x and y such that, with `Z(y, x)` the bound
/// on y − x: some value of the first zone has x at most U(x), the second zone bounds y − x more tightly, and that bound less L(y) is below the bound on −x.
fn is_simulated(small: &Matrix, large: &Matrix, constants: &[ClockBounds]) -> bool {
    let lower = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].0
        }
    };
    let upper = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].1
        }
    };
    for x in 0..small.size {
        let Some(upper) = upper(x) else { continue };
        let least = small.at(0, x);
        // x ≤ U(x) is possible: −x may be at least −U(x).
        if least < 1 - 2 * i64::from(upper) {
            continue;
        }
        for y in 0..small.size {
            let Some(lower) = lower(y) else { continue };
            let bound = large.at(y, x);
            if bound < small.at(y, x) && bound < FREE && plus(bound, -2 * i64::from(lower)) < least {
                return false;
            }
        }
    }
    true
}
