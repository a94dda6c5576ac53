//! Whether a cost is the least: a run at that cost, and why there is none at a smaller one.
//!
//! The claim about nodes: every state that is reached at a cost c, at whatever moment, is in a node whose bound for it is at most c, or c is not smaller than the claimed cost. It holds of the initial
//! states, and is kept by delays and steps if for every node the parts that it names contain everything a delay or a step leads to, and on each part the bound of the node it names is nowhere larger than what
//! the way there costs, or that is nowhere smaller than the claimed cost. A state that is looked for is in no node at less than it. Bounds are linear, so each of these is one supremum of a linear
//! function over a matrix.

use crate::deadlock::everything;
use crate::flow::supremum;
use crate::matrix::{FREE, Matrix};
use crate::replay::{beginning, meet};
use crate::within::{both, without};
use crate::{Objection, cover};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockUpdate, Discrete};
use entail_clocks::evidence::{Cheapest, PricedHint, PricedNode};
use entail_clocks::{Meaning, Move, Network, Query, Rational};

/// Costs beyond this are not compared.
const MOST: i64 = 1 << 60;

/// A node with its matrix. The bound of the cost is `offset + Σ slopes[i] · clock i`.
struct Node<'e> {
    evidence: &'e PricedNode,
    discrete: Discrete,
    zone: Matrix,
    slopes: Vec<i64>,
}

struct Claim<'c> {
    meaning: &'c dyn Meaning,
    cost: i64,
    nodes: Vec<Node<'c>>,
    size: usize,
}

/// Checks that a cost is the least of a run to a state that is looked for.
pub fn is_least(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    cheapest: &Cheapest,
    budget: &Budget,
) -> Result<(), Objection> {
    let replayed = cost_of_run(meaning, network, query, cheapest)?;
    let claimed = Rational::from(cheapest.cost);
    if replayed < claimed || (cheapest.attained && replayed != claimed) {
        return Err(format!("the run costs {replayed}").into());
    }
    if !(0..MOST).contains(&cheapest.cost) {
        return Err("the cost is out of range".into());
    }
    let claim = Claim::read(meaning, network, cheapest)?;
    for (discrete, zone) in cover::starts(meaning, network)? {
        let holds = |node: &Node<'_>| {
            node.discrete == discrete && zone.is_within(&node.zone) && node.evidence.offset <= 0
        };
        if cheapest.cost > 0 && !claim.nodes.iter().any(holds) {
            return Err("no node contains the beginning".into());
        }
    }
    for node in &claim.nodes {
        budget.check()?;
        claim.is_closed(node)?;
        for conjunction in meaning.satisfying(query.formulas(), 0, &node.discrete)? {
            if conjunction.iter().any(|one| one.about_deadlock().is_some()) {
                return Err("deadlocks occur in a question about costs".into());
            }
            let mut met = node.zone.clone();
            if met.cut_all(&conjunction) {
                let falling: Vec<i64> = node.slopes.iter().map(|slope| -slope).collect();
                if !is_at_most(&met, &falling, node.evidence.offset - cheapest.cost) {
                    return Err("a state that is looked for is cheaper".into());
                }
            }
        }
    }
    match cheapest.attained {
        true => Ok(()),
        false => Err(Objection::Unchecked(
            "that runs come as near to the cost as one likes".to_owned(),
        )),
    }
}

/// Whether a linear function is at most a number in all of a matrix.
fn is_at_most(matrix: &Matrix, weights: &[i64], most: i64) -> bool {
    supremum(matrix, weights).is_some_and(|found| found <= i128::from(most))
}

/// Replays a run to a state that is looked for, and adds up what it costs.
fn cost_of_run(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    cheapest: &Cheapest,
) -> Result<Rational, Objection> {
    let mut state = beginning(meaning, network, &cheapest.run)?;
    let mut cost = Rational::ZERO;
    for step in &cheapest.run.steps {
        cost += Rational::from(meaning.rate(&state.discrete)?) * &step.delay.0;
        if !state.wait(meaning, &step.delay.0)? {
            return Err("time may not pass so long".into());
        }
        let moves = meaning.moves(&state.discrete)?;
        let taken = moves
            .iter()
            .find(|one| one.edges == step.edges && meet(&state.clocks, &one.guard));
        cost += Rational::from(taken.map_or(0, |taken| taken.cost));
        if !state.step(meaning, &step.edges)? {
            return Err("a step of the run is not enabled".into());
        }
    }
    cost += Rational::from(meaning.rate(&state.discrete)?) * &cheapest.run.rest.0;
    if !state.wait(meaning, &cheapest.run.rest.0)? {
        return Err("time may not pass so long".into());
    }
    let goals = meaning.satisfying(query.formulas(), 0, &state.discrete)?;
    match goals.iter().any(|goal| meet(&state.clocks, goal)) {
        true => Ok(cost),
        false => Err("the run does not end in a state that is looked for".into()),
    }
}

impl<'c> Claim<'c> {
    fn read(
        meaning: &'c dyn Meaning,
        network: &Network,
        cheapest: &'c Cheapest,
    ) -> Result<Claim<'c>, Objection> {
        let size = network.dimension();
        let mut nodes = Vec::new();
        for evidence in &cheapest.nodes {
            cover::is_of_model(network, &evidence.locations, &evidence.integers)?;
            let zone = Matrix::read(size, &evidence.zone).ok_or("a zone is empty or malformed")?;
            let is_small = |number: &i64| number.abs() < MOST >> 16;
            if evidence.slopes.len() + 1 != size
                || !evidence.slopes.iter().all(is_small)
                || !is_small(&(evidence.offset >> 8))
            {
                return Err("the bound of a node is malformed".into());
            }
            nodes.push(Node {
                discrete: Discrete {
                    locations: evidence.locations.clone(),
                    integers: evidence.integers.clone(),
                },
                zone,
                slopes: std::iter::once(0)
                    .chain(evidence.slopes.iter().copied())
                    .collect(),
                evidence,
            });
        }
        Ok(Claim {
            meaning,
            cost: cheapest.cost,
            nodes,
            size,
        })
    }

    /// Checks where the delays and steps of a node lead.
    fn is_closed(&self, node: &Node<'_>) -> Result<(), Objection> {
        let meaning = self.meaning;
        let Some(invariant) = meaning.invariant(&node.discrete)? else {
            return Ok(());
        };
        let mut whole = node.zone.clone();
        if !whole.cut_all(&invariant) {
            return Ok(());
        }
        if meaning.may_delay(&node.discrete)? {
            let mut later = whole.clone();
            later.rise();
            if later.cut_all(&invariant) {
                let rate = meaning.rate(&node.discrete)?;
                if rate < 0 {
                    return Err("time has a negative cost".into());
                }
                self.are_delays_right(node, &whole, &later, rate)?;
            }
        }
        for step in meaning.moves(&node.discrete)? {
            let mut before = whole.clone();
            if !before.cut_all(&step.guard) {
                continue;
            }
            if step.cost < 0 {
                return Err("a step has a negative cost".into());
            }
            let target = step.target.clone()?;
            let mut after = before.clone();
            step.updates.iter().for_each(|update| after.set(update));
            if !after.cut_all(&step.invariant) {
                continue;
            }
            let mut left = vec![after.clone()];
            for hint in node.evidence.hints.iter().filter(|hint| hint.edges == step.edges) {
                let part = self.part(hint)?;
                if self.is_step_right(node, &step, &target, (&before, &after), (hint, &part))? {
                    left = without(left, &[part])?;
                }
            }
            if !left.is_empty() {
                return Err("a step leads to where no node is named that is as cheap".into());
            }
        }
        Ok(())
    }

    fn part(&self, hint: &PricedHint) -> Result<Matrix, Objection> {
        Matrix::read(self.size, &hint.zone).ok_or_else(|| "a part is empty or malformed".into())
    }

    /// Whether the node that a hint names contains a part at this discrete state.
    fn is_in_node(&self, hint: &PricedHint, discrete: &Discrete, part: &Matrix) -> Result<bool, Objection> {
        let Some(number) = hint.node else {
            return Ok(true);
        };
        let node = self
            .nodes
            .get(number)
            .ok_or("a node is named that does not exist")?;
        Ok(node.discrete == *discrete && part.is_within(&node.zone))
    }

    /// Whether what a step leads to in a part is in the node that is named for it, at no larger bound than what the way there costs.
    fn is_step_right(
        &self,
        node: &Node<'_>,
        step: &Move,
        target: &Discrete,
        (before, after): (&Matrix, &Matrix),
        (hint, part): (&PricedHint, &Matrix),
    ) -> Result<bool, Objection> {
        let Some(mut values) = both(part, after) else {
            return Ok(true);
        };
        if !self.is_in_node(hint, target, &values)? {
            return Ok(false);
        }
        // The values before the step, and the bound after it in terms of them.
        let is_left = step.updates.iter().rev().all(|update| values.unset(update));
        let Some(values) = both(&values, before).filter(|_| is_left) else {
            return Ok(true);
        };
        let mut weights: Vec<i64> = node.slopes.iter().map(|slope| -slope).collect();
        let mut named = self.cost;
        if let Some(by) = hint.node.and_then(|number| self.nodes.get(number)) {
            let (origins, added) = origins(self.size, &step.updates);
            named = by.evidence.offset;
            for ((&slope, origin), more) in by.slopes.iter().zip(origins).zip(added).skip(1) {
                weights[origin] += slope;
                named += slope * more;
            }
        }
        Ok(is_at_most(
            &values,
            &weights,
            node.evidence.offset + step.cost - named,
        ))
    }

    /// Checks delays: over the values after a delay and its length, as one more clock.
    fn are_delays_right(
        &self,
        node: &Node<'_>,
        whole: &Matrix,
        later: &Matrix,
        rate: i64,
    ) -> Result<(), Objection> {
        let size = self.size;
        let mut left = vec![later.clone()];
        for hint in node.evidence.hints.iter().filter(|hint| hint.edges.is_empty()) {
            let named = self.part(hint)?;
            let Some(part) = both(&named, later) else { continue };
            if !self.is_in_node(hint, &node.discrete, &part)? {
                continue;
            }
            let mut ways = everything(size + 1);
            let mut is_left = true;
            for row in 0..size {
                for column in (0..size).filter(|&column| column != row) {
                    let after = part.at(row, column);
                    is_left = is_left && (after >= FREE || ways.cut(row, column, after));
                    // Before the delay every clock had a value smaller by its length, the last clock here.
                    let (row, column) = (
                        if row == 0 { size } else { row },
                        if column == 0 { size } else { column },
                    );
                    let before = whole.at(row % size, column % size);
                    is_left = is_left && (before >= FREE || ways.cut(row, column, before));
                }
            }
            if !is_left {
                continue;
            }
            let mut weights: Vec<i64> = node.slopes.iter().map(|slope| -slope).collect();
            weights.push(node.slopes.iter().sum::<i64>() - rate);
            let bound = match hint.node.and_then(|number| self.nodes.get(number)) {
                Some(by) => {
                    (1..size).for_each(|clock| weights[clock] += by.slopes[clock]);
                    node.evidence.offset - by.evidence.offset
                }
                None => node.evidence.offset - self.cost,
            };
            if is_at_most(&ways, &weights, bound) {
                left = without(left, &[named])?;
            }
        }
        match left.is_empty() {
            true => Ok(()),
            false => Err("a delay leads to where no node is named that is as cheap".into()),
        }
    }
}

/// For each clock: the clock whose value before updates it has after them, and what is added.
fn origins(size: usize, updates: &[ClockUpdate]) -> (Vec<usize>, Vec<i64>) {
    let (mut from, mut added): (Vec<usize>, Vec<i64>) = ((0..size).collect(), vec![0; size]);
    for update in updates {
        (from[update.target], added[update.target]) =
            (from[update.source], added[update.source] + update.offset);
    }
    (from, added)
}
