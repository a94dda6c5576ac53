//! Depth-first search of the graph of extrapolated zones for cycles, with Couvreur's algorithm, and for ends of runs.
//!
//! A zone that a closed component simulates is not entered: no cycle can be reached from it either (Laarman et al. 2013), and, with equal lower and upper constants, no end. Components are
//! numbered in the order in which they are closed, so steps lead to the same or a smaller number.
//!
//! Successors are computed one by one when they are visited: the stack of a deep search has no zones of its own.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{NodeId, split, tame};
use crate::groups::{GroupId, Groups, NOBODY};
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Stepped, Transition};
use crate::zone_store::{Slot, ZoneStore};
use crate::{Counters, ModelTrouble, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::evidence::{CoverNode, CoverNodes};
use entail_zones::{Bound, Extrapolation, Zone};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// A cycle in which each of so many formulas or marks is met, or where an automaton reads the run, an end that it accepts.
    Meeting(usize),
    /// Any cycle, or a cell in which the run may end.
    Staying,
}

/// What was found, from the state on where the search began.
pub(crate) enum Found {
    /// A way to a cycle, and the cycle.
    Cycle(Path, Vec<PathStep>),
    /// A way to an end, and what holds there: one of these.
    End(Path, Vec<Vec<Constraint>>),
}

/// The bits of so many formulas.
pub(crate) fn all_formulas(count: usize) -> u64 {
    match count {
        64.. => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// A symbolic state of the depth-first search.
struct Node {
    group: GroupId,
    slot: Slot,
    /// Its position in depth-first order while its component is open; then [`CLOSED`].
    order: u32,
    /// The number of its component once that is closed.
    component: u32,
    /// The next node of the group that is closed.
    next: NodeId,
}

const CLOSED: u32 = u32::MAX;

fn hash_of(group: GroupId, slot: Slot) -> u64 {
    let mut hasher = FxHasher::default();
    (group, slot).hash(&mut hasher);
    hasher.finish()
}

/// An open component: the position of its first node, formulas met in it, the edge that led to it is counted as the parent's.
struct Root {
    order: u32,
    met: u64,
}

/// A node whose successors are visited.
struct Frame {
    node: NodeId,
    /// The steps of its state, and how many of them are still to be taken.
    steps: Arc<[Transition]>,
    left: u32,
    /// The step that led here.
    transition: u32,
}

/// A zone that a step of the last node entered leads to.
struct Arrival {
    state: StateId,
    sides: u64,
    zone: Zone,
    transition: u32,
}

/// A search.
pub(crate) struct DepthFirst<'s, 'n> {
    /// The discrete states.
    pub space: &'s mut Space<'n>,
    settings: Settings,
    nodes: Vec<Node>,
    zones: ZoneStore,
    /// Nodes by group and zone.
    numbers: HashTable<NodeId>,
    /// Nodes of closed components, by state and sides; none of a group is simulated by another.
    closed: Groups,
    frames: Vec<Frame>,
    /// Parts of zones that a step leads to and that are still to be visited, with the depth of its node. There are several where differences are tracked.
    parts: Vec<(usize, Arrival)>,
    roots: Vec<Root>,
    /// Nodes of open components, in depth-first order.
    open: Vec<NodeId>,
    next_component: u32,
    sought: Sought,
    all: u64,
    /// What holds at an end that was met at the last node entered: one of these.
    ends: Vec<Vec<Constraint>>,
    trouble: Option<Box<ModelTrouble>>,
    direction: Direction,
    /// A stored zone that is looked at.
    scratch: Vec<Bound>,
}

/// Which successors of a zone are entered first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    LastFirst,
    FirstFirst,
}

impl<'s, 'n> DepthFirst<'s, 'n> {
    /// A search that has not begun.
    pub fn new(
        space: &'s mut Space<'n>,
        settings: Settings,
        sought: Sought,
        direction: Direction,
    ) -> DepthFirst<'s, 'n> {
        let dimension = space.network.dimension();
        let closed = Groups::new(!space.constants.diagonals.is_empty());
        DepthFirst {
            space,
            settings,
            nodes: Vec::new(),
            zones: ZoneStore::new(dimension),
            numbers: HashTable::new(),
            closed,
            frames: Vec::new(),
            parts: Vec::new(),
            roots: Vec::new(),
            open: Vec::new(),
            next_component: 0,
            sought,
            all: match sought {
                Sought::Meeting(count) => all_formulas(count),
                Sought::Staying => 0,
            },
            ends: Vec::new(),
            trouble: None,
            direction,
            scratch: vec![Bound::ZERO; dimension * dimension],
        }
    }

    /// Number of zones.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Searches from a zone on until something is found, everything is seen, or there are too many zones.
    pub fn visit(
        &mut self,
        state: StateId,
        zone: Zone,
        most: usize,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Found>, Stop> {
        for (mut part, sides) in split(self.space, zone) {
            self.tame(&mut part, state)?;
            let arrival = Arrival {
                state,
                sides,
                zone: part,
                transition: 0,
            };
            if self.find(state, sides, &arrival.zone).is_some() || self.is_hopeless(&arrival) {
                continue;
            }
            self.enter(arrival, counters);
            let found = self.search(most, budget, counters)?;
            if found.is_some() || self.nodes.len() > most {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Everything that was seen, with component numbers, once nothing was found.
    pub fn finish(mut self, counters: &mut Counters) -> Result<CoverNodes, Stop> {
        counters.stored += self.nodes.len() as u64;
        if let Some(trouble) = self.trouble.take() {
            return Err(Stop::Model(trouble));
        }
        let mut cells = std::mem::take(&mut self.scratch);
        let node = |node: &Node| {
            let discrete = self.space.discrete(self.closed.state(node.group));
            self.zones.read(node.slot, &mut cells);
            CoverNode {
                locations: discrete.locations,
                integers: discrete.integers,
                zone: cells.iter().map(|bound| bound.packed()).collect(),
                rank: node.component,
            }
        };
        Ok(self.nodes.iter().map(node).collect())
    }

    fn tame(&self, zone: &mut Zone, state: StateId) -> Result<(), Stop> {
        let extrapolation = self.settings.extrapolation.unwrap_or(Extrapolation::LuPlus);
        tame(self.space, Some(extrapolation), zone, state)
    }

    fn state(&self, node: NodeId) -> StateId {
        self.closed.state(self.nodes[node as usize].group)
    }

    /// The formulas that a node meets, as bits.
    fn met(&self, node: NodeId) -> u64 {
        let goals = &self.space.info(self.state(node)).goals;
        (goals.iter().enumerate()).fold(0, |bits, (number, goal)| {
            bits | u64::from(!goal.is_empty()) << number
        })
    }

    fn find(&self, state: StateId, sides: u64, zone: &Zone) -> Option<NodeId> {
        let group = self.closed.find(state, sides)?;
        let slot = self.zones.find(zone.cells())?;
        let is_it = |&node: &NodeId| {
            let node = &self.nodes[node as usize];
            node.group == group && node.slot == slot
        };
        self.numbers.find(hash_of(group, slot), is_it).copied()
    }

    /// Whether a closed component simulates a zone.
    fn is_hopeless(&self, arrival: &Arrival) -> bool {
        let constants = &self.space.info(arrival.state).constants;
        let group = self.closed.find(arrival.state, arrival.sides);
        let mut other = group.map_or(NOBODY, |group| self.closed.first(group));
        while other != NOBODY {
            let node = &self.nodes[other as usize];
            if self.zones.covers(node.slot, &arrival.zone, Some(constants)) {
                return true;
            }
            other = node.next;
        }
        false
    }

    fn enter(&mut self, arrival: Arrival, counters: &mut Counters) {
        counters.visited += 1;
        let Arrival {
            state,
            sides,
            zone,
            transition,
        } = arrival;
        self.ends = match self.sought {
            Sought::Staying => self.space.ends(state, &zone),
            Sought::Meeting(_) => self.space.accepted_ends(state, &zone),
        };
        let (node, order) = (self.nodes.len() as NodeId, self.open.len() as u32);
        let group = self.closed.number(state, sides);
        let slot = self.zones.put(zone.cells());
        self.nodes.push(Node {
            group,
            slot,
            order,
            component: 0,
            next: NOBODY,
        });
        let nodes = &self.nodes;
        let rehash = |&node: &NodeId| hash_of(nodes[node as usize].group, nodes[node as usize].slot);
        self.numbers.insert_unique(hash_of(group, slot), node, rehash);
        self.open.push(node);
        let met = self.met(node);
        self.roots.push(Root { order, met });
        let steps = self.space.transitions(state);
        self.frames.push(Frame {
            node,
            left: steps.len() as u32,
            steps,
            transition,
        });
    }

    /// What is to be visited next from the last node entered; nothing once that was everything.
    fn next(&mut self, counters: &mut Counters) -> Result<Option<Arrival>, Stop> {
        let depth = self.frames.len();
        loop {
            if let Some((_, arrival)) = self.parts.pop_if(|(of, _)| *of == depth) {
                return Ok(Some(arrival));
            }
            let Some(frame) = self.frames.last_mut().filter(|frame| frame.left > 0) else {
                return Ok(None);
            };
            frame.left -= 1;
            let number = match self.direction {
                Direction::LastFirst => frame.left,
                Direction::FirstFirst => frame.steps.len() as u32 - 1 - frame.left,
            };
            let (node, step) = (frame.node, frame.steps[number as usize]);
            counters.steps += 1;
            let mut zone = self.zone(node);
            match self.space.step(&mut zone, step) {
                Stepped::Empty => {}
                Stepped::Fault(trouble) => self.fault(step, trouble),
                Stepped::To(target) => {
                    for (mut part, sides) in split(self.space, zone) {
                        self.tame(&mut part, target)?;
                        let arrival = Arrival {
                            state: target,
                            sides,
                            zone: part,
                            transition: number,
                        };
                        self.parts.push((depth, arrival));
                    }
                }
            }
        }
    }

    /// Remembers the first mistake of the model: a step of the last node entered.
    fn fault(&mut self, step: Transition, trouble: Trouble) {
        if self.trouble.is_none() {
            let path = self.stem(self.frames.len());
            let guard = &self.space.effect(step.effect).guard;
            self.trouble = Some(Box::new(ModelTrouble {
                trouble,
                run: concrete::run(self.space, &path, guard, true),
                edges: self.space.joint(step.joint).to_vec(),
            }));
        }
    }

    fn zone(&mut self, node: NodeId) -> Zone {
        let slot = self.nodes[node as usize].slot;
        self.zones.read(slot, &mut self.scratch);
        Zone::from_cells(self.space.network.dimension(), &self.scratch)
    }

    fn search(
        &mut self,
        most: usize,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Found>, Stop> {
        loop {
            budget.check()?;
            if let Some(reason) = self.space.cells.refused.take() {
                return Err(Stop::Unknown(reason));
            }
            if !self.ends.is_empty() {
                let ends = std::mem::take(&mut self.ends);
                return Ok(Some(Found::End(self.stem(self.frames.len()), ends)));
            }
            let Some(here) = self.frames.last().map(|frame| frame.node) else {
                return Ok(None);
            };
            if self.nodes.len() > most {
                return Ok(None);
            }
            let Some(arrival) = self.next(counters)? else {
                self.leave(here);
                continue;
            };
            let Some(known) = self.find(arrival.state, arrival.sides, &arrival.zone) else {
                if !self.is_hopeless(&arrival) {
                    self.enter(arrival, counters);
                }
                continue;
            };
            let order = self.nodes[known as usize].order;
            if order == CLOSED {
                continue;
            }
            // The edge closes a cycle: every component since that node is one.
            let mut met = 0;
            while let Some(root) = self.roots.pop() {
                met |= root.met;
                if root.order <= order {
                    self.roots.push(Root {
                        order: root.order,
                        met,
                    });
                    break;
                }
            }
            if met == self.all {
                let root = self.roots.last().map_or(0, |root| root.order);
                if let Some(found) = self.cycle(root, budget)? {
                    return Ok(Some(found));
                }
            }
        }
    }

    /// A node without further successors: closes its component if it is the first of it.
    fn leave(&mut self, node: u32) {
        self.frames.pop();
        let order = self.nodes[node as usize].order;
        if self.roots.last().is_none_or(|root| root.order != order) {
            return;
        }
        self.roots.pop();
        for member in self.open.split_off(order as usize) {
            let one = &mut self.nodes[member as usize];
            one.order = CLOSED;
            one.component = self.next_component;
            self.close(member);
        }
        self.next_component += 1;
    }

    /// Adds a node to the closed ones of its group, unless one of them simulates it; leaves those out that it simulates.
    fn close(&mut self, node: NodeId) {
        let group = self.nodes[node as usize].group;
        let zone = self.zone(node);
        let constants = &self.space.info(self.closed.state(group)).constants;
        let mut first = self.closed.first(group);
        let (mut other, mut last_kept) = (first, NOBODY);
        while other != NOBODY {
            let Node { slot, next, .. } = self.nodes[other as usize];
            if self.zones.covers(slot, &zone, Some(constants)) {
                return;
            }
            match (self.zones.is_covered(slot, &zone, Some(constants)), last_kept) {
                (false, _) => last_kept = other,
                (true, NOBODY) => first = next,
                (true, kept) => self.nodes[kept as usize].next = next,
            }
            other = next;
        }
        self.nodes[node as usize].next = first;
        self.closed.set_first(group, node);
    }

    fn path_step(&mut self, source: StateId, transition: u32, target: StateId) -> PathStep {
        PathStep::of(self.space.transitions(source)[transition as usize], target)
    }

    /// The path along the first so many frames.
    fn stem(&mut self, frames: usize) -> Path {
        let on_stack: Vec<(StateId, u32)> = (self.frames[..frames].iter())
            .map(|frame| (self.state(frame.node), frame.transition))
            .collect();
        let first = on_stack.first().map_or(0, |one| one.0);
        let mut steps = Vec::new();
        for pair in on_stack.windows(2) {
            steps.push(self.path_step(pair[0].0, pair[1].1, pair[1].0));
        }
        Path { first, steps }
    }

    /// The nodes that a node of an open component leads to within it, with the steps.
    fn inner(&mut self, node: u32, root: u32) -> Result<Vec<(u32, u32)>, Stop> {
        let (state, zone) = (self.state(node), self.zone(node));
        let mut found = Vec::new();
        for (number, &step) in self.space.transitions(state).iter().enumerate() {
            let mut next = zone.clone();
            let Stepped::To(target) = self.space.step(&mut next, step) else {
                continue;
            };
            for (mut part, sides) in split(self.space, next) {
                self.tame(&mut part, target)?;
                if let Some(known) = self.find(target, sides, &part) {
                    let order = self.nodes[known as usize].order;
                    if order != CLOSED && order >= root {
                        found.push((known, number as u32));
                    }
                }
            }
        }
        Ok(found)
    }

    /// A cycle through the open component that begins at this position, and the way there.
    fn cycle(&mut self, root: u32, budget: &Budget) -> Result<Option<Found>, Stop> {
        let head = self.open[root as usize];
        // Where the head lies on the stack: its frame is there, because its component is open.
        let Some(frame) = self.frames.iter().position(|frame| frame.node == head) else {
            return Ok(None);
        };
        let stem = self.stem(frame + 1);
        let mut steps: Vec<PathStep> = Vec::new();
        let mut here = head;
        let mut missing = self.all & !self.met(head);
        loop {
            budget.check()?;
            // The nearest node that meets something that is missing, then the head.
            let mut before: FxHashMap<u32, (u32, u32)> = FxHashMap::default();
            let mut queue = VecDeque::from([here]);
            let mut reached = None;
            'nearest: while let Some(node) = queue.pop_front() {
                for (target, transition) in self.inner(node, root)? {
                    if before.contains_key(&target) {
                        continue;
                    }
                    before.insert(target, (node, transition));
                    let is_it = match missing {
                        0 => target == head,
                        missing => self.met(target) & missing != 0,
                    };
                    if is_it {
                        reached = Some(target);
                        break 'nearest;
                    }
                    queue.push_back(target);
                }
            }
            let Some(goal) = reached else {
                return Ok(None);
            };
            let mut part = Vec::new();
            let mut at = goal;
            loop {
                let (from, transition) = before[&at];
                let (source, target) = (self.state(from), self.state(at));
                part.push(self.path_step(source, transition, target));
                at = from;
                if at == here {
                    break;
                }
            }
            part.reverse();
            steps.extend(part);
            let is_back = missing == 0;
            missing &= !self.met(goal);
            here = goal;
            if is_back || (missing == 0 && goal == head) {
                break;
            }
        }
        Ok(Some(Found::Cycle(stem, steps)))
    }
}
