//! The least cost of a run to a state that is looked for, on priced zones (Larsen et al. 2001), the cheapest symbolic state first.
//!
//! A node is a priced zone in which time may have passed. It is superfluous if another at the same discrete state contains its values at no larger cost. Clocks need no bounds (as in Bouyer, Colange, Markey 2016): a zone
//! is cut at the largest constant M of each clock, and beyond it the clock is forgotten, at the least cost over its values, since states that differ only there can do the same. So bounds of
//! zones are finitely many numbers, and as costs are not negative whole numbers at their vertices the search ends once the cheapest open node costs as much as the best run found.
//!
//! Nodes keep where their delays and steps lead: with the nodes that are not more expensive than the run, that is the certificate that no run is cheaper. Where differences of clocks are compared
//! nothing is forgotten, and the search may not end.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::CoverSearch;
use crate::inexact::explained;
use crate::predecessor::constrain;
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Target};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{Cheapest, PricedHint, PricedNode, Proof};
use entail_zones::{Bound, LowerUpper, PricedZone, Zone};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Costs and slopes beyond this are given up, so that sums and products stay in range.
const MOST_COST: i64 = 1 << 34;

/// A node, by number.
type NodeId = usize;

/// A part of what a delay or a step leads to.
struct Hint {
    /// The number of the transition; nothing for a delay.
    transition: Option<u32>,
    zone: Zone,
    node: NodeId,
}

struct Node {
    state: StateId,
    priced: PricedZone,
    /// How it was reached: the node before, and its transition; a delay has none.
    parent: Option<(NodeId, Option<u32>)>,
    /// A node that makes it superfluous.
    covered_by: Option<NodeId>,
    hints: Option<Vec<Hint>>,
}

/// The cheapest run found so far.
struct Best {
    cost: i64,
    node: NodeId,
    goal: Vec<Constraint>,
}

struct Search<'s, 'n> {
    space: &'s mut Space<'n>,
    nodes: Vec<Node>,
    /// The nodes of each discrete state that are not superfluous.
    groups: FxHashMap<StateId, Vec<NodeId>>,
    open: BinaryHeap<Reverse<(i64, NodeId)>>,
    best: Option<Best>,
    goes_wrong: bool,
}

/// Looks for the cheapest run.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let mut search = Search {
        space,
        nodes: Vec::new(),
        groups: FxHashMap::default(),
        open: BinaryHeap::new(),
        best: None,
        goes_wrong: false,
    };
    search.run(budget, counters)?;
    counters.stored = search.groups.values().map(|group| group.len() as u64).sum();
    if search.goes_wrong {
        return Err(explained(search.space, settings, budget, counters));
    }
    match search.best.take() {
        Some(best) => search.proof(&best),
        None => CoverSearch::new(search.space, settings).reach(budget, counters),
    }
}

impl Search<'_, '_> {
    fn run(&mut self, budget: &Budget, counters: &mut Counters) -> Result<(), Stop> {
        let dimension = self.space.network.dimension();
        for state in self.space.initial().map_err(Stop::at_start)? {
            for (_, part) in self.arrive(state, PricedZone::zero(dimension)) {
                self.insert(state, part, None)?;
            }
        }
        while let Some(Reverse((cost, node))) = self.open.pop() {
            budget.check()?;
            if self.goes_wrong || self.best.as_ref().is_some_and(|best| cost >= best.cost) {
                return Ok(());
            }
            if self.nodes[node].covered_by.is_none() {
                counters.visited += 1;
                self.expand(node, counters)?;
            }
        }
        Ok(())
    }

    /// What arrives at a state, after any delay: parts, each with what the search goes on with, which contains it at no larger cost.
    fn arrive(&self, state: StateId, mut arrived: PricedZone) -> Vec<(Zone, PricedZone)> {
        let info = self.space.info(state);
        if !constrain(&mut arrived.zone, info.invariant) {
            return Vec::new();
        }
        let later = match info.may_delay {
            true => arrived.delay(info.rate),
            false => vec![arrived],
        };
        let mut parts = Vec::new();
        for mut part in later {
            if constrain(&mut part.zone, info.invariant) {
                parts.push((part.zone.clone(), part));
            }
        }
        if self.space.constants.diagonals.is_empty() && !self.space.constants.is_plain() {
            for (clock, constants) in info.constants.iter().enumerate().skip(1) {
                parts = (parts.into_iter())
                    .flat_map(|(raw, part)| forgotten(raw, part, clock, *constants))
                    .collect();
            }
        }
        parts
    }

    /// Takes a part into the search; gives the node that contains it at no larger cost.
    fn insert(
        &mut self,
        state: StateId,
        part: PricedZone,
        parent: Option<(NodeId, Option<u32>)>,
    ) -> Result<NodeId, Stop> {
        let rate = self.space.info(state).rate;
        if rate < 0 {
            let at = self.space.discrete(state);
            return Err(Stop::negative_cost(self.space.network, &at, None, rate));
        }
        let is_large = |number: &i64| number.abs() > MOST_COST;
        if is_large(&(part.offset >> 16)) || part.slopes.iter().any(is_large) || part.zone.is_huge() {
            return Err(Stop::Unknown(
                "costs or clock values grow out of range".to_owned(),
            ));
        }
        let group = self.groups.entry(state).or_default();
        let dominates = |&&other: &&NodeId| part.is_dominated_by(&self.nodes[other].priced);
        if let Some(&known) = group.iter().find(dominates) {
            return Ok(known);
        }
        let number = self.nodes.len();
        group.retain(|&other| {
            let is_superfluous = self.nodes[other].priced.is_dominated_by(&part);
            if is_superfluous {
                self.nodes[other].covered_by = Some(number);
            }
            !is_superfluous
        });
        group.push(number);
        let least = part.least();
        let least = least.ok_or_else(|| Stop::Unknown("a cost has no lower bound".to_owned()))?;
        for goal in &self.space.info(state).goals[0] {
            let mut met = part.clone();
            if !constrain(&mut met.zone, goal) {
                continue;
            }
            let Some(cost) = met.least() else { continue };
            if self.best.as_ref().is_none_or(|best| cost < best.cost) {
                self.best = Some(Best {
                    cost,
                    node: number,
                    goal: goal.clone(),
                });
            }
        }
        self.open.push(Reverse((least, number)));
        self.nodes.push(Node {
            state,
            priced: part,
            parent,
            covered_by: None,
            hints: None,
        });
        Ok(number)
    }

    fn expand(&mut self, node: NodeId, counters: &mut Counters) -> Result<(), Stop> {
        let (state, priced) = (self.nodes[node].state, self.nodes[node].priced.clone());
        let mut hints = Vec::new();
        // Delays first: steps from what they lead to are found there.
        for (zone, part) in self.arrive(state, priced.clone()) {
            let to = self.insert(state, part, Some((node, None)))?;
            hints.push(Hint {
                transition: None,
                zone,
                node: to,
            });
        }
        for (number, &transition) in self.space.transitions(state).iter().enumerate() {
            counters.steps += 1;
            let effect = self.space.effect(transition.effect);
            let mut before = priced.clone();
            if !constrain(&mut before.zone, &effect.guard) {
                continue;
            }
            if effect.cost < 0 {
                let (cost, joint) = (effect.cost, transition.joint);
                let (at, edges) = (self.space.discrete(state), self.space.joint(joint).to_vec());
                return Err(Stop::negative_cost(self.space.network, &at, Some(&edges), cost));
            }
            let Target::State(target) = transition.target else {
                self.goes_wrong = true;
                return Ok(());
            };
            before.offset += effect.cost;
            let mut after = vec![before];
            for update in &*effect.updates {
                self.goes_wrong |= after.iter().any(|part| Space::is_negative(&part.zone, update));
                let assigned =
                    |part: &PricedZone| part.assign(update.target, update.source, update.offset as i32);
                after = after.iter().flat_map(assigned).collect();
            }
            let number = number as u32;
            for arrived in after {
                let before_delay = arrived.zone.clone();
                for (zone, part) in self.arrive(target, arrived) {
                    let to = self.insert(target, part, Some((node, Some(number))))?;
                    // Where time has passed, the same values may be reached at a smaller cost without it, from another part.
                    hints.extend(zone.meet(&before_delay).map(|zone| Hint {
                        transition: Some(number),
                        zone,
                        node: to,
                    }));
                }
            }
        }
        self.nodes[node].hints = Some(hints);
        Ok(())
    }

    fn path(&mut self, node: NodeId) -> Path {
        let mut steps = Vec::new();
        let mut here = node;
        while let Some((parent, transition)) = self.nodes[here].parent {
            if let Some(number) = transition {
                let transition = self.space.transitions(self.nodes[parent].state)[number as usize];
                steps.push(PathStep::of(transition, self.nodes[here].state));
            }
            here = parent;
        }
        steps.reverse();
        Path {
            first: self.nodes[here].state,
            steps,
        }
    }

    /// The node that stands for another.
    fn standing(&self, mut node: NodeId) -> NodeId {
        while let Some(other) = self.nodes[node].covered_by {
            node = other;
        }
        node
    }

    fn proof(&mut self, best: &Best) -> Result<Proof, Stop> {
        let path = self.path(best.node);
        let found = concrete::cheapest(self.space, &path, &best.goal);
        let (run, attained) =
            found.ok_or_else(|| Stop::Unknown("the symbolic path found has no run of its own".to_owned()))?;
        let kept: Vec<NodeId> = (0..self.nodes.len())
            .filter(|&node| self.nodes[node].covered_by.is_none() && self.nodes[node].hints.is_some())
            .collect();
        let numbers: FxHashMap<NodeId, usize> =
            kept.iter().enumerate().map(|(at, &node)| (node, at)).collect();
        let mut nodes = Vec::new();
        for &number in &kept {
            let state = self.nodes[number].state;
            let transitions = self.space.transitions(state);
            let packed = |zone: &Zone| zone.cells().iter().map(|bound| bound.packed()).collect();
            let hint = |hint: &Hint| PricedHint {
                edges: hint.transition.map_or_else(Vec::new, |number| {
                    self.space.joint(transitions[number as usize].joint).to_vec()
                }),
                zone: packed(&hint.zone),
                node: numbers.get(&self.standing(hint.node)).copied(),
            };
            let discrete = self.space.discrete(state);
            let node = &self.nodes[number];
            nodes.push(PricedNode {
                locations: discrete.locations,
                integers: discrete.integers,
                zone: packed(&node.priced.zone),
                offset: node.priced.offset,
                slopes: node.priced.slopes[1..].to_vec(),
                hints: node.hints.iter().flatten().map(hint).collect(),
            });
        }
        Ok(Proof::Cheapest {
            cheapest: Cheapest {
                run,
                cost: best.cost,
                attained,
                nodes,
            },
        })
    }
}

/// Cuts a part at the largest constant of a clock, and forgets the clock beyond it.
fn forgotten(raw: Zone, part: PricedZone, clock: usize, constants: LowerUpper) -> Vec<(Zone, PricedZone)> {
    let most = constants.lower.max(constants.upper);
    let mut found = Vec::new();
    let beyond = match most {
        LowerUpper::NEVER => Bound::ZERO,
        most => {
            let (mut raw, mut within) = (raw.clone(), part.clone());
            let bound = Bound::at_most(most);
            if raw.constrain(clock, 0, bound) && within.zone.constrain(clock, 0, bound) {
                found.push((raw, within));
            }
            Bound::below(-most)
        }
    };
    let mut above = part;
    if !above.zone.constrain(0, clock, beyond) {
        return found;
    }
    for mut piece in above.forget(clock) {
        let is_left = piece.zone.constrain(0, clock, beyond);
        if is_left && let Some(raw) = raw.meet(&piece.zone) {
            found.push((raw, piece));
        }
    }
    found
}
