//! Reachability by a covering search: symbolic states are expanded unless another one covers them.
//!
//! Zones are exact unless the settings extrapolate; a zone is superfluous if each of its valuations is simulated by one of another zone at the same discrete state (aLU,
//! Herbreteau, Srivathsan, Walukiewicz 2012). There are finitely many zones up to that, so the search ends, with at most as many zones as with any extrapolation by the same constants. When a
//! new zone covers old ones, these are dropped, and not expanded if they have not been. What is left in the end contains the initial states and, up to simulation, the
//! successors of its own: a cover, which is the certificate that nothing else is reachable.
//!
//! A path to the goal consists of exact or extrapolated steps; in either case the concrete run along it is found afterwards. Where only the convex hull of the zones at a discrete state is
//! kept, there may be none: then nothing is known.
//!
//! Several threads do this together (`cover_together`): each looks after some of the discrete states, and sends the others what leads there.

use crate::concrete::{Path, PathStep};
use crate::cover_together::{Alone, Arrival, Batch, Fellows, Received};
use crate::groups::{GroupId, Groups, NOBODY};
use crate::settings::{Covering, Settings, Storage};
use crate::space::{Constraint, Space, StateId, Stepped};
use crate::symmetry::Symmetry;
use crate::waiting::Waiting;
use crate::zone_store::{Slot, ZoneStore};
use crate::{Counters, ModelTrouble, Stop, stopwatch};
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::evidence::{Cover, CoverNode, CoverNodes, Proof};
use entail_zones::{Bound, Extrapolation, LowerUpper, Zone};

/// A symbolic state, by number.
pub type NodeId = u32;

#[derive(Debug)]
struct Node {
    group: GroupId,
    /// The next node of the group.
    next: NodeId,
    /// The parent, in the [numbering of all searches](CoverSearch::number_among_all).
    parent: NodeId,
    /// The parent's step that leads here.
    transition: u32,
    /// Where its zone is; [`COVERED`] once another node covers it.
    slot: Slot,
}

/// The slot of nodes whose zones are forgotten.
const COVERED: Slot = Slot::MAX;

impl Node {
    fn is_alive(&self) -> bool {
        self.slot != COVERED
    }
}

/// A covering search over a space.
pub struct CoverSearch<'s, 'n> {
    /// The discrete states.
    pub space: &'s mut Space<'n>,
    pub(crate) settings: Settings,
    groups: Groups,
    nodes: Vec<Node>,
    zones: ZoneStore,
    waiting: Waiting,
    /// The first mistake of the model that was met: the node, among those of all searches, and the step.
    pub(crate) trouble: Option<(NodeId, u32, Trouble)>,
    /// Whether a state of the query's only formula ends the search.
    seeks: bool,
    pub(crate) found: Option<(NodeId, Vec<Constraint>)>,
    /// Replaces symbolic states by representatives.
    pub(crate) symmetry: Option<Symmetry<'n>>,
    /// The search stops where it has stored more symbolic states than this.
    most: usize,
}

impl<'s, 'n> CoverSearch<'s, 'n> {
    /// A search that has not begun; one of several, if the space is one of several.
    pub fn new(space: &'s mut Space<'n>, settings: Settings) -> CoverSearch<'s, 'n> {
        let dimension = space.network.dimension();
        let groups = Groups::new(!space.constants.diagonals.is_empty());
        CoverSearch {
            space,
            settings,
            groups,
            nodes: Vec::new(),
            zones: ZoneStore::new(dimension),
            waiting: Waiting::new(settings.order),
            trouble: None,
            seeks: true,
            found: None,
            symmetry: None,
            most: usize::MAX,
        }
    }

    /// Looks for a state that the query's formula describes: a run to it, or a cover without it.
    pub fn reach(mut self, budget: &Budget, counters: &mut Counters) -> Result<Proof, Stop> {
        self.explore(budget, counters)?;
        match self.found.take() {
            Some((node, goal)) => {
                let path = self.path(node);
                run_along(self.space, &path, &goal)
            }
            None => {
                self.waiting = Waiting::new(self.settings.order);
                self.zones.end_search();
                self.space.end_search();
                Ok(Proof::Cover {
                    cover: self.cover(&|_| 0),
                })
            }
        }
    }

    /// Explores everything, without looking for a goal.
    pub fn exhaust(&mut self, budget: &Budget, counters: &mut Counters) -> Result<(), Stop> {
        self.seeks = false;
        self.explore(budget, counters)
    }

    /// Explores the first so many symbolic states, without looking for a goal. Mistakes of the model are passed over.
    pub(crate) fn look_around<F: Fellows>(
        &mut self,
        fellows: &mut F,
        most: usize,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<(), Stop> {
        (self.seeks, self.most) = (false, most);
        self.search(fellows, budget, counters)
    }

    /// Whether it has stopped since it had stored so many symbolic states.
    pub(crate) fn is_stopped(&self) -> bool {
        self.nodes.len() > self.most
    }

    pub(crate) fn explore(&mut self, budget: &Budget, counters: &mut Counters) -> Result<(), Stop> {
        self.search(&mut Alone, budget, counters)?;
        self.refuse_trouble()
    }

    /// An error if a mistake of the model was met, and nothing that is looked for.
    fn refuse_trouble(&mut self) -> Result<(), Stop> {
        match (self.found.is_some(), self.trouble) {
            (false, Some((node, transition, trouble))) => {
                let path = self.path(node);
                Err(model_trouble(self.space, &path, transition, trouble))
            }
            _ => Ok(()),
        }
    }

    /// Explores everything, unless that is more than so many symbolic states; says whether it is not.
    pub(crate) fn exhaust_up_to(
        &mut self,
        most: usize,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<bool, Stop> {
        self.look_around(&mut Alone, most, budget, counters)?;
        match self.is_stopped() {
            true => Ok(false),
            false => self.refuse_trouble().map(|()| true),
        }
    }

    /// Expands what this search looks after until nothing is left to anybody, or somebody has found what is looked for.
    pub(crate) fn search<F: Fellows>(
        &mut self,
        fellows: &mut F,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<(), Stop> {
        let begun = self.begin(counters);
        let result = begun.and_then(|()| self.run(fellows, budget, counters));
        counters.stored = self.nodes.iter().filter(|node| node.is_alive()).count() as u64;
        result
    }

    fn begin(&mut self, counters: &mut Counters) -> Result<(), Stop> {
        let mut initial = self.space.initial().map_err(Stop::at_start)?;
        initial.retain(|&state| !self.space.is_elsewhere(state));
        for mut state in initial {
            if let Some(mut zone) = self.space.begin(state) {
                self.represent(&mut state, &mut zone)?;
                self.offer(zone, state, NOBODY, 0, counters)?;
            }
        }
        Ok(())
    }

    fn run<F: Fellows>(
        &mut self,
        fellows: &mut F,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<(), Stop> {
        let mut zone = Zone::zero(self.space.network.dimension());
        let mut source = zone.cells().to_vec();
        while self.found.is_none() && !self.is_stopped() {
            match fellows.receive(self.space, self.waiting.is_empty()) {
                Received::Nothing => {}
                Received::Some(batch) => {
                    self.take_in(&batch, &mut zone, counters)?;
                    continue;
                }
                Received::End => return Ok(()),
            }
            let Some(node) = self.waiting.pop() else {
                continue;
            };
            budget.check()?;
            if !self.nodes[node as usize].is_alive() {
                continue;
            }
            counters.visited += 1;
            self.zones.read(self.nodes[node as usize].slot, &mut source);
            let state = self.state(node);
            zone.copy_from(&source);
            let transitions = self.space.transitions_from(state, Some(&zone));
            for (number, &transition) in transitions.iter().enumerate() {
                if !self.nodes[node as usize].is_alive() {
                    break;
                }
                counters.steps += 1;
                zone.copy_from(&source);
                match self.space.step(&mut zone, transition) {
                    Stepped::Empty => {}
                    Stepped::Fault(trouble) => {
                        let node = self.number_among_all(node);
                        self.trouble.get_or_insert((node, number as u32, trouble));
                    }
                    Stepped::To(target) => {
                        let arrival = Arrival {
                            state: target,
                            parent: self.number_among_all(node),
                            transition: number as u32,
                        };
                        if self.space.is_elsewhere(target) {
                            fellows.send(self.space, arrival, &zone);
                            continue;
                        }
                        self.arrive(&mut zone, arrival, counters)?;
                        if self.found.is_some() {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores what others have sent.
    fn take_in(&mut self, batch: &Batch, zone: &mut Zone, counters: &mut Counters) -> Result<(), Stop> {
        self.trouble = self.trouble.or(batch.trouble);
        let cells = batch.cells.chunks_exact(zone.cells().len());
        for (&arrival, cells) in batch.arrivals.iter().zip(cells) {
            zone.copy_from(cells);
            if self.space.arrive(arrival.state, zone) {
                self.arrive(zone, arrival, counters)?;
            }
            if self.found.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Replaces a symbolic state by its representative, where there is symmetry.
    fn represent(&mut self, state: &mut StateId, zone: &mut Zone) -> Result<(), Stop> {
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.represent(self.space, state, zone)?;
        }
        Ok(())
    }

    /// Stores what a step leads to.
    fn arrive(&mut self, zone: &mut Zone, arrival: Arrival, counters: &mut Counters) -> Result<(), Stop> {
        let Arrival {
            mut state,
            parent,
            transition,
        } = arrival;
        self.represent(&mut state, zone)?;
        if self.space.constants.diagonals.is_empty() {
            return self.insert(zone, state, 0, parent, transition);
        }
        self.offer(zone.clone(), state, parent, transition, counters)
    }

    /// How many discrete states it has met and looks after.
    pub(crate) fn discrete_states(&self) -> u64 {
        self.groups.states() as u64
    }

    /// The number of a node among those of all searches.
    pub(crate) fn number_among_all(&self, node: NodeId) -> NodeId {
        node * NodeId::from(self.space.share.all) + NodeId::from(self.space.share.own)
    }

    /// The parent of a node, among those of all searches, and its step that leads to the node; nothing where a run begins.
    pub(crate) fn origin(&self, node: NodeId) -> Option<(NodeId, u32)> {
        let Node {
            parent, transition, ..
        } = self.nodes[node as usize];
        (parent != NOBODY).then_some((parent, transition))
    }

    /// Splits a zone along the tracked differences and stores the parts.
    fn offer(
        &mut self,
        zone: Zone,
        state: StateId,
        parent: NodeId,
        transition: u32,
        counters: &mut Counters,
    ) -> Result<(), Stop> {
        for (mut part, sides) in split(self.space, zone) {
            self.insert(&mut part, state, sides, parent, transition)?;
            counters.steps += 1;
        }
        Ok(())
    }

    fn insert(
        &mut self,
        zone: &mut Zone,
        state: StateId,
        sides: u64,
        parent: NodeId,
        transition: u32,
    ) -> Result<(), Stop> {
        tame(self.space, self.settings.extrapolation, zone, state)?;
        let group = self.groups.number(state, sides);
        if self.settings.storage == Storage::Hull {
            self.join_stored(group, zone);
        }
        let goal = match self.seeks {
            true => self.space.meets(state, 0, zone),
            false => None,
        };
        let constants = self.space.info(state).constants;
        let is_plain = self.space.constants.is_plain();
        let covering = if is_plain {
            Covering::Inclusion
        } else {
            self.settings.covering
        };
        let both: Vec<LowerUpper>;
        let constants = match covering {
            Covering::Am => {
                both = constants.iter().map(|one| one.both()).collect();
                &both
            }
            _ => constants,
        };
        let constants = (covering != Covering::Inclusion).then_some(constants);
        let (nodes, zones) = (&mut self.nodes, &mut self.zones);
        let mut first = self.groups.first(group);
        if goal.is_none() {
            let mut other = first;
            while other != NOBODY {
                if zones.covers(nodes[other as usize].slot, zone, constants) {
                    return Ok(());
                }
                other = nodes[other as usize].next;
            }
            let (mut other, mut last_kept) = (first, NOBODY);
            while other != NOBODY {
                let Node { slot, next, .. } = nodes[other as usize];
                if zones.is_covered(slot, zone, constants) {
                    nodes[other as usize].slot = COVERED;
                    zones.release(slot);
                    match last_kept {
                        NOBODY => first = next,
                        kept => nodes[kept as usize].next = next,
                    }
                } else {
                    last_kept = other;
                }
                other = next;
            }
        }
        let slot = self.zones.put(zone.cells());
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            group,
            next: first,
            parent,
            transition,
            slot,
        });
        self.groups.set_first(group, node);
        self.waiting.push(node, zone);
        if let Some(goal) = goal {
            self.found = Some((node, goal));
        }
        Ok(())
    }

    /// Makes a zone contain what is stored in its group, which is one zone.
    fn join_stored(&self, group: GroupId, zone: &mut Zone) {
        let first = self.groups.first(group);
        if first != NOBODY {
            zone.join(self.zone(first).cells());
        }
    }

    /// The discrete state of a node.
    pub fn state(&self, node: NodeId) -> StateId {
        self.groups.state(self.nodes[node as usize].group)
    }

    /// The zone of a node that is left.
    pub fn zone(&self, node: NodeId) -> Zone {
        let mut zone = Zone::zero(self.space.network.dimension());
        let mut cells = zone.cells().to_vec();
        self.zones.read(self.nodes[node as usize].slot, &mut cells);
        zone.copy_from(&cells);
        zone
    }

    /// The path to a node.
    pub fn path(&mut self, node: NodeId) -> Path {
        let mut steps = Vec::new();
        let mut here = node;
        while let Some((parent, transition)) = self.origin(here) {
            let (target, source) = (self.state(here), self.state(parent));
            let transition = self.space.transitions(source)[transition as usize];
            steps.push(PathStep::of(transition, target));
            here = parent;
        }
        steps.reverse();
        Path {
            first: self.state(here),
            steps,
        }
    }

    /// The nodes that are not covered, in ascending order.
    pub fn alive(&self) -> Vec<NodeId> {
        (0..self.nodes.len() as NodeId)
            .filter(|&node| self.nodes[node as usize].is_alive())
            .collect()
    }

    /// The nodes that are left at a discrete state, on some sides.
    fn members(&self, state: StateId, sides: u64) -> impl Iterator<Item = NodeId> {
        let is_node = |node: &NodeId| *node != NOBODY;
        let group = self.groups.find(state, sides);
        let first = group.map(|group| self.groups.first(group));
        std::iter::successors(first.filter(is_node), move |&node| {
            Some(self.nodes[node as usize].next).filter(is_node)
        })
    }

    /// A node that is left and covers a zone.
    pub(crate) fn covering(&self, state: StateId, sides: u64, zone: &Zone) -> Option<NodeId> {
        let constants = self.space.info(state).constants;
        let constants = (!self.space.constants.is_plain()).then_some(constants);
        let covers = |&other: &NodeId| {
            let slot = self.nodes[other as usize].slot;
            self.zones.covers(slot, zone, constants)
        };
        self.members(state, sides).find(covers)
    }

    /// Which formulas of the query a node meets, as bits.
    pub fn met(&self, node: NodeId) -> u64 {
        let goals = &self.space.info(self.state(node)).goals;
        (goals.iter().enumerate()).fold(0, |bits, (number, goal)| {
            bits | u64::from(!goal.is_empty()) << number
        })
    }

    /// What is left, as a certificate with ranks.
    pub fn cover(&self, rank: &dyn Fn(NodeId) -> u32) -> Cover {
        cover_of(self.space, self.cover_nodes(rank).collect())
    }

    /// What is left, with ranks.
    pub(crate) fn cover_nodes(&self, rank: impl Fn(NodeId) -> u32) -> impl Iterator<Item = CoverNode> {
        let dimension = self.space.network.dimension();
        let mut cells = vec![Bound::ZERO; dimension * dimension];
        let node = move |node: NodeId| {
            let discrete = self.space.discrete(self.state(node));
            self.zones.read(self.nodes[node as usize].slot, &mut cells);
            CoverNode {
                locations: discrete.locations,
                integers: discrete.integers,
                zone: cells.iter().map(|bound| bound.packed()).collect(),
                rank: rank(node),
            }
        };
        self.alive().into_iter().map(node)
    }
}

/// The run along a path at whose end these constraints hold, as evidence.
pub(crate) fn run_along(space: &Space<'_>, path: &Path, goal: &[Constraint]) -> Result<Proof, Stop> {
    let run = stopwatch::run_to(space, path, goal);
    let run = run.ok_or_else(|| Stop::Unknown("the symbolic path found has no run of its own".to_owned()))?;
    Ok(Proof::Run { run })
}

/// A step after a path goes wrong.
pub(crate) fn model_trouble(space: &mut Space<'_>, path: &Path, transition: u32, trouble: Trouble) -> Stop {
    let transition = space.transitions(path.last())[transition as usize];
    let guard = &space.effect(transition.effect).guard;
    let run = stopwatch::run_to(space, path, guard);
    if run.is_none() && !space.network.stopwatches.is_empty() {
        return Stop::Unknown("some step may go wrong, and no run to it was found".to_owned());
    }
    Stop::Model(Box::new(ModelTrouble {
        trouble,
        run,
        edges: space.joint(transition.joint).to_vec(),
    }))
}

/// A certificate of these nodes.
pub(crate) fn cover_of(space: &Space<'_>, nodes: CoverNodes) -> Cover {
    let diagonals = space.constants.diagonals.iter();
    Cover {
        bounds: space.constants.to_evidence(),
        diagonals: diagonals
            .map(|one| (one.left, one.right, one.bound.packed()))
            .collect(),
        nodes,
        plain: space.constants.is_plain(),
        prelude: CoverNodes::default(),
        cuts: space.cells.cuts(),
    }
}

/// The parts of a zone on either side of each tracked difference, with the sides as bits.
pub(crate) fn split(space: &Space<'_>, zone: Zone) -> Vec<(Zone, u64)> {
    let mut parts = vec![(zone, 0)];
    for (number, diagonal) in space.constants.diagonals.iter().enumerate() {
        let mut finer = Vec::with_capacity(parts.len());
        for (part, sides) in parts {
            let mut inside = part.clone();
            if inside.constrain(diagonal.left, diagonal.right, diagonal.bound) {
                finer.push((inside, sides | 1 << number));
            }
            let mut outside = part;
            if outside.constrain(diagonal.right, diagonal.left, diagonal.bound.opposite()) {
                finer.push((outside, sides));
            }
        }
        parts = finer;
    }
    parts
}

/// Extrapolates a zone, if that is wanted or its entries have grown out of range.
pub(crate) fn tame(
    space: &Space<'_>,
    extrapolation: Option<Extrapolation>,
    zone: &mut Zone,
    state: StateId,
) -> Result<(), Stop> {
    let is_huge = zone.is_huge();
    if !is_huge && (extrapolation.is_none() || space.constants.is_plain()) {
        return Ok(());
    }
    if space.constants.is_plain() {
        return Err(Stop::Unknown(
            "clock values grow without end, and the constants they are compared with have no bound"
                .to_owned(),
        ));
    }
    let exact = (!space.constants.diagonals.is_empty()).then(|| zone.clone());
    let constants = &space.info(state).constants;
    extrapolation
        .unwrap_or(Extrapolation::LuPlus)
        .apply(zone, constants);
    if let Some(exact) = exact {
        // It stays on its sides of the tracked differences.
        for diagonal in &space.constants.diagonals {
            let (left, right, bound) = (diagonal.left, diagonal.right, diagonal.bound);
            let _ = match exact.bound(left, right) <= bound {
                true => zone.constrain(left, right, bound),
                false => zone.constrain(right, left, bound.opposite()),
            };
        }
    }
    Ok(())
}
