//! Depth-first search of the graph of extrapolated zones for cycles, with Couvreur's algorithm, and for ends of runs.
//!
//! A zone that a closed component simulates is not entered: no cycle can be reached from it either (Laarman et al. 2013), and, with equal lower and upper constants, no end. Components are
//! numbered in the order in which they are closed, so steps lead to the same or a smaller number.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{split, tame};
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Stepped};
use crate::{Counters, ModelTrouble, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNode, CoverNodes};
use entail_zones::{Bound, Extrapolation, Zone, covers};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

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
    state: StateId,
    sides: u64,
    zone: Box<[Bound]>,
    /// Its position in depth-first order while its component is open; then [`CLOSED`].
    order: u32,
    /// Formulas that it meets.
    met: u64,
    /// The number of its component once that is closed.
    component: u32,
}

const CLOSED: u32 = u32::MAX;

fn hash_of(cells: &[Bound]) -> u64 {
    let mut hasher = FxHasher::default();
    cells.hash(&mut hasher);
    hasher.finish()
}

/// An open component: the position of its first node, formulas met in it, the edge that led to it is counted as the parent's.
struct Root {
    order: u32,
    met: u64,
}

struct Frame {
    node: u32,
    /// Successors that are still to be visited, the last first: (state, sides, zone, transition).
    left: Vec<(StateId, u64, Zone, u32)>,
    /// The step that led here.
    transition: u32,
}

/// A search.
pub(crate) struct DepthFirst<'s, 'n> {
    /// The discrete states.
    pub space: &'s mut Space<'n>,
    settings: Settings,
    nodes: Vec<Node>,
    /// Nodes by state, sides and the hash of their zones.
    numbers: FxHashMap<(StateId, u64, u64), Vec<u32>>,
    /// Nodes of closed components, by state and sides; none is simulated by another that was closed before it.
    closed: FxHashMap<(StateId, u64), Vec<u32>>,
    frames: Vec<Frame>,
    roots: Vec<Root>,
    /// Nodes of open components, in depth-first order.
    open: Vec<u32>,
    next_component: u32,
    sought: Sought,
    all: u64,
    /// What holds at an end that was met at the last node entered: one of these.
    ends: Vec<Vec<Constraint>>,
    trouble: Option<Box<ModelTrouble>>,
    direction: Direction,
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
        DepthFirst {
            space,
            settings,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            closed: FxHashMap::default(),
            frames: Vec::new(),
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
            if self.find(state, sides, &part).is_some() || self.is_hopeless(state, sides, part.cells()) {
                continue;
            }
            self.enter(state, sides, part, 0, counters)?;
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
        let node = |node: &Node| {
            let discrete = self.space.discrete(node.state);
            CoverNode {
                locations: discrete.locations,
                integers: discrete.integers,
                zone: node.zone.iter().map(|bound| bound.packed()).collect(),
                rank: node.component,
            }
        };
        Ok(self.nodes.iter().map(node).collect())
    }

    fn tame(&self, zone: &mut Zone, state: StateId) -> Result<(), Stop> {
        let extrapolation = self.settings.extrapolation.unwrap_or(Extrapolation::LuPlus);
        tame(self.space, Some(extrapolation), zone, state)
    }

    fn find(&self, state: StateId, sides: u64, zone: &Zone) -> Option<u32> {
        let same = self.numbers.get(&(state, sides, hash_of(zone.cells())))?;
        let is_it = |&&node: &&u32| *self.nodes[node as usize].zone == *zone.cells();
        same.iter().find(is_it).copied()
    }

    /// Whether a closed component simulates a zone.
    fn is_hopeless(&self, state: StateId, sides: u64, zone: &[Bound]) -> bool {
        let constants = &self.space.info(state).constants;
        let closed = self.closed.get(&(state, sides)).into_iter().flatten();
        let mut zones = closed.map(|&node| &self.nodes[node as usize].zone);
        zones.any(|large| covers(zone, large, constants))
    }

    fn enter(
        &mut self,
        state: StateId,
        sides: u64,
        zone: Zone,
        transition: u32,
        counters: &mut Counters,
    ) -> Result<(), Stop> {
        counters.visited += 1;
        let node = self.nodes.len() as u32;
        let goals = &self.space.info(state).goals;
        let met = (goals.iter().enumerate()).fold(0, |bits, (number, goal)| {
            bits | u64::from(!goal.is_empty()) << number
        });
        self.ends = match self.sought {
            Sought::Staying => self.space.ends(state, &zone),
            Sought::Meeting(_) => self.space.accepted_ends(state, &zone),
        };
        let order = self.open.len() as u32;
        let mut left = Vec::new();
        let transitions = self.space.transitions(state);
        for (number, &step) in transitions.iter().enumerate() {
            counters.steps += 1;
            let mut next = zone.clone();
            match self.space.step(&mut next, step) {
                Stepped::Empty => {}
                Stepped::Fault(trouble) => {
                    if self.trouble.is_none() {
                        let mut path = self.stem(self.frames.len());
                        if let (Some(last), false) = (self.frames.last(), self.frames.is_empty()) {
                            let parent = self.nodes[last.node as usize].state;
                            path.steps.push(self.path_step(parent, transition, state));
                        } else {
                            path.first = state;
                        }
                        self.trouble = Some(Box::new(ModelTrouble {
                            trouble,
                            run: concrete::run(
                                self.space,
                                &path,
                                &self.space.effect(step.effect).guard,
                                true,
                            ),
                            edges: self.space.joint(step.joint).to_vec(),
                        }));
                    }
                }
                Stepped::To(target) => {
                    for (mut part, sides) in split(self.space, next) {
                        self.tame(&mut part, target)?;
                        left.push((target, sides, part, number as u32));
                    }
                }
            }
        }
        if self.direction == Direction::FirstFirst {
            left.reverse();
        }
        self.numbers
            .entry((state, sides, hash_of(zone.cells())))
            .or_default()
            .push(node);
        self.nodes.push(Node {
            state,
            sides,
            zone: zone.cells().into(),
            order,
            met,
            component: 0,
        });
        self.open.push(node);
        self.roots.push(Root { order, met });
        self.frames.push(Frame {
            node,
            left,
            transition,
        });
        Ok(())
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
            let Some(frame) = self.frames.last_mut() else {
                return Ok(None);
            };
            if self.nodes.len() > most {
                return Ok(None);
            }
            let here = frame.node;
            let Some((state, sides, zone, transition)) = frame.left.pop() else {
                self.leave(here);
                continue;
            };
            let Some(known) = self.find(state, sides, &zone) else {
                if self.is_hopeless(state, sides, zone.cells()) {
                    continue;
                }
                self.enter(state, sides, zone, transition, counters)?;
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
            let (state, sides) = (one.state, one.sides);
            if !self.is_hopeless(state, sides, &self.nodes[member as usize].zone) {
                self.closed.entry((state, sides)).or_default().push(member);
            }
        }
        self.next_component += 1;
    }

    fn path_step(&mut self, source: StateId, transition: u32, target: StateId) -> PathStep {
        PathStep::of(self.space.transitions(source)[transition as usize], target)
    }

    /// The path along the first so many frames.
    fn stem(&mut self, frames: usize) -> Path {
        let on_stack: Vec<(StateId, u32)> = (self.frames[..frames].iter())
            .map(|frame| (self.nodes[frame.node as usize].state, frame.transition))
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
        let (state, cells) = {
            let node = &self.nodes[node as usize];
            (node.state, node.zone.clone())
        };
        let zone = Zone::from_cells(self.space.network.dimension(), &cells);
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
        let mut missing = self.all & !self.nodes[head as usize].met;
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
                        missing => self.nodes[target as usize].met & missing != 0,
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
                let (source, target) = (self.nodes[from as usize].state, self.nodes[at as usize].state);
                part.push(self.path_step(source, transition, target));
                at = from;
                if at == here {
                    break;
                }
            }
            part.reverse();
            steps.extend(part);
            let is_back = missing == 0;
            missing &= !self.nodes[goal as usize].met;
            here = goal;
            if is_back || (missing == 0 && goal == head) {
                break;
            }
        }
        Ok(Some(Found::Cycle(stem, steps)))
    }
}
