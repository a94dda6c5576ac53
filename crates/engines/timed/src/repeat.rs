//! What can be met again and again: strongly connected components of the zone graph.
//!
//! Three attempts, each of which can end the matter:
//! 1. a depth-first search of the graph of extrapolated zones (ExtraLU+, sound for Büchi conditions by Li 2009) with Couvreur's algorithm, for a limited number of zones: where there is a
//!    cycle, it is mostly found at once. A zone that a closed component simulates is not entered: no cycle can be reached from it either (Laarman et al. 2013);
//! 2. the covering search. Its graph, with an edge from a node to whatever covers its successor, contains the shadow of every infinite run; if no component of it meets everything that is
//!    to be met, there is no such run (Herbreteau, Srivathsan, Tran, Walukiewicz 2016), and the component numbers are the certificate (Wimmer, Herbreteau, van de Pol 2020). A component
//!    that does proves nothing, since covering may close cycles that no run has;
//! 3. the depth-first search to its end.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{CoverSearch, cover_of, split, tame};
use crate::settings::Settings;
use crate::space::{Space, StateId, Stepped};
use crate::{Counters, ModelTrouble, Stop, cycle};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNode, Lasso, Proof};
use entail_zones::{Bound, Extrapolation, Zone, covers};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// Zones of the first attempt.
const FIRST_ATTEMPT: usize = 20_000;

/// Looks for a run that meets every formula of the query again and again.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    if space.constants.is_plain() {
        let reason = "the constants that clocks are compared with have no bound: cycles cannot be recognised";
        return Err(Stop::Unknown(reason.to_owned()));
    }
    if let Some(proof) = DepthFirst::new(space, settings).run(FIRST_ATTEMPT, budget, counters)? {
        return Ok(proof);
    }
    let mut search = CoverSearch::new(space, settings);
    search.exhaust(budget, counters)?;
    if let Some(proof) = no_full_component(&mut search, budget)? {
        return Ok(proof);
    }
    let deeper = DepthFirst::new(space, settings).run(usize::MAX, budget, counters)?;
    deeper.ok_or_else(|| Stop::Unknown("the search did not end".to_owned()))
}

/// The cover with component numbers, if no component of the covering graph meets every formula.
fn no_full_component(search: &mut CoverSearch<'_, '_>, budget: &Budget) -> Result<Option<Proof>, Stop> {
    let alive = search.alive();
    let position: FxHashMap<u32, usize> = alive.iter().copied().zip(0..).collect();
    let mut edges = Vec::with_capacity(alive.len());
    for &node in &alive {
        budget.check()?;
        let targets = search.successors(node)?;
        edges.push(
            targets
                .iter()
                .map(|target| position[target])
                .collect::<Vec<usize>>(),
        );
    }
    let component = components(&edges);
    let count = component.iter().max().map_or(0, |most| *most as usize + 1);
    let all = all_formulas(search.space.info(0).goals.len());
    let mut met = vec![0u64; count];
    let mut turns = vec![false; count];
    for (node, targets) in edges.iter().enumerate() {
        let own = component[node] as usize;
        met[own] |= search.met(alive[node]);
        turns[own] |= targets.iter().any(|&target| component[target] as usize == own);
    }
    if (0..count).any(|one| turns[one] && met[one] == all) {
        return Ok(None);
    }
    let cover = search.cover(&|node| component[position[&node]]);
    Ok(Some(Proof::Cover { cover }))
}

fn all_formulas(count: usize) -> u64 {
    match count {
        64.. => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// The number of each node's strongly connected component (Tarjan, without recursion): edges lead to components of the same or a smaller number.
pub fn components(edges: &[Vec<usize>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let (mut index, mut low, mut component) = (vec![UNSEEN; count], vec![0u32; count], vec![UNSEEN; count]);
    let (mut next_index, mut next_component) = (0, 0);
    let mut stack = Vec::new();
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut frames = vec![(root, 0usize)];
        index[root] = next_index;
        low[root] = next_index;
        next_index += 1;
        stack.push(root);
        while let Some(&mut (node, ref mut edge)) = frames.last_mut() {
            if let Some(&target) = edges[node].get(*edge) {
                *edge += 1;
                if index[target] == UNSEEN {
                    index[target] = next_index;
                    low[target] = next_index;
                    next_index += 1;
                    stack.push(target);
                    frames.push((target, 0));
                } else if component[target] == UNSEEN {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
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

struct DepthFirst<'s, 'n> {
    space: &'s mut Space<'n>,
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
    all: u64,
    trouble: Option<Box<ModelTrouble>>,
}

impl<'s, 'n> DepthFirst<'s, 'n> {
    fn new(space: &'s mut Space<'n>, settings: Settings) -> DepthFirst<'s, 'n> {
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
            all: 0,
            trouble: None,
        }
    }

    /// Searches until a cycle is found, everything is seen, or there are too many zones.
    fn run(mut self, most: usize, budget: &Budget, counters: &mut Counters) -> Result<Option<Proof>, Stop> {
        let initial = self.space.initial().map_err(|trouble| {
            Stop::Model(Box::new(ModelTrouble {
                trouble,
                run: None,
                edges: Vec::new(),
            }))
        })?;
        for state in initial {
            self.all = all_formulas(self.space.info(state).goals.len());
            let Some(zone) = self.space.begin(state) else {
                continue;
            };
            for (mut part, sides) in split(self.space, zone) {
                self.tame(&mut part, state)?;
                if self.find(state, sides, &part).is_some() {
                    continue;
                }
                self.enter(state, sides, part, 0, counters)?;
                if let Some(proof) = self.search(most, budget, counters)? {
                    return Ok(Some(proof));
                }
                if self.nodes.len() > most {
                    return Ok(None);
                }
            }
        }
        counters.stored = self.nodes.len() as u64;
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
        let nodes = self.nodes.iter().map(node).collect();
        Ok(Some(Proof::Cover {
            cover: cover_of(self.space, nodes),
        }))
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
        let order = self.open.len() as u32;
        let mut left = Vec::new();
        let transitions = self.space.transitions(state);
        for (number, step) in transitions.iter().enumerate() {
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
                            run: concrete::run(self.space, &path, &step.guard, true),
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
    ) -> Result<Option<Proof>, Stop> {
        while let Some(frame) = self.frames.last_mut() {
            budget.check()?;
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
                if let Some(proof) = self.lasso(root, budget)? {
                    return Ok(Some(proof));
                }
            }
        }
        Ok(None)
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
        let transition = &self.space.transitions(source)[transition as usize];
        PathStep {
            joint: transition.joint,
            guard: transition.guard.clone(),
            updates: transition.updates.clone(),
            target,
        }
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
        for (number, step) in self.space.transitions(state).iter().enumerate() {
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

    /// The lasso through the open component that begins at this position.
    fn lasso(&mut self, root: u32, budget: &Budget) -> Result<Option<Proof>, Stop> {
        let head = self.open[root as usize];
        let head_state = self.nodes[head as usize].state;
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
        let zone = cycle::for_ever(self.space, head_state, &steps, budget);
        budget.check()?;
        let Some(zone) = zone else {
            return Err(Stop::Unknown(
                "the symbolic cycle found cannot be run for ever".to_owned(),
            ));
        };
        let dimension = self.space.network.dimension();
        let at_end = concrete::constraints_of(dimension, zone.cells());
        let Some(run) = concrete::run(self.space, &stem, &at_end, false) else {
            return Err(Stop::Unknown(
                "the stem of the symbolic cycle has no run of its own".to_owned(),
            ));
        };
        Ok(Some(Proof::Lasso {
            lasso: Lasso {
                stem: run,
                cycle: steps
                    .iter()
                    .map(|step| self.space.joint(step.joint).to_vec())
                    .collect(),
                zone: zone.cells().iter().map(|bound| bound.packed()).collect(),
            },
        }))
    }
}
