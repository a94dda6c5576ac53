//! Reachability with time that passes in each component of a network on its own.
//!
//! Steps of components that have nothing to do with each other come in any order, and each order has zones of its own: of n steps at about the same time, n! zones. In local time (Bengtsson, Jonsson, Lilius, Yi 1998; Govind, Herbreteau, Srivathsan,
//! Walukiewicz, CONCUR 2019) each component has a reference clock, its own time; waiting lets one of them grow, and a joint step is taken where those that take part agree. All orders of independent steps then lead to the same zone. A zone of this kind bounds
//! differences of *events*: of the times of components, and of the moments at which clocks were set; a clock's value is the difference of the two.
//!
//! **What is compared.** The states of the network in such a zone are those in which all times agree; as a set of clock values they are a zone, and all of them are reached: the steps that lead there, sorted by their
//! times, are a run, since each component takes its own in the same order as before. A symbolic state is superfluous if these of its states are simulated by those of another one (sync-subsumption): every step of the network from them
//! is also one in local time, so nothing is lost. Where the times cannot agree, there is nothing to explore.
//!
//! **Evidence.** For the same reason the zones of agreeing times are a cover in the usual sense, closed under the steps of the network, and are judged like any other. A run is found by solving for the times of the steps of a path
//! in local time, and sorting them.
//!
//! Termination and the number of symbolic states are bounded as in the usual search, by the simulation.

use crate::components::Components;
use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, cover_of};
use crate::groups::NOBODY;
use crate::settings::{Covering, Settings, Storage};
use crate::space::{Constraint, Space, StateId, Target};
use crate::waiting::Waiting;
use crate::zone_store::{Slot, ZoneStore};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNode, Proof};
use entail_zones::{Bound, LowerUpper, Zone};
use rustc_hash::FxHashMap;

/// A symbolic state.
struct Node {
    state: StateId,
    parent: NodeId,
    /// The step that leads here.
    step: Option<PathStep>,
    /// Its states of agreeing times; nothing once they are covered.
    agreed: Option<Slot>,
}

/// A covering search in local time.
struct LocalSearch<'s, 'n> {
    space: &'s mut Space<'n>,
    settings: Settings,
    components: Components,
    nodes: Vec<Node>,
    /// The symbolic states that are left, by discrete state.
    alive: FxHashMap<StateId, Vec<NodeId>>,
    agreed: ZoneStore,
    waiting: Waiting,
    /// The zones in local time of those that are still to be expanded.
    local: FxHashMap<NodeId, Zone>,
    found: Option<(NodeId, Vec<Constraint>)>,
}

/// How a step in local time ends.
enum Taken {
    Impossible,
    To(StateId),
    /// Its code goes wrong.
    Wrong,
}

/// Looks for a state that the query's formula describes.
pub(crate) fn reach(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let refused = |reason: &str| Err(Stop::Unknown(reason.to_owned()));
    if !space.constants.diagonals.is_empty() {
        return refused("differences of clocks are compared: local time splits no zones");
    }
    if settings.storage != Storage::All {
        return refused("local time needs all zones: it has no hull and no table of bits");
    }
    let components = Components::of(space.network).map_err(Stop::Unknown)?;
    let dimension = space.network.dimension();
    let mut search = LocalSearch {
        settings,
        components,
        nodes: Vec::new(),
        alive: FxHashMap::default(),
        agreed: ZoneStore::new(dimension),
        waiting: Waiting::new(settings.order),
        local: FxHashMap::default(),
        found: None,
        space,
    };
    if search.explore(budget, counters)? == Outcome::Wrong {
        // Which mistake of the model is met first, and by which run, is told by a search in which time passes everywhere.
        *counters = Counters::default();
        return CoverSearch::new(space, settings).reach(budget, counters);
    }
    counters.stored = search.alive.values().map(|all| all.len() as u64).sum();
    match search.found.take() {
        Some((node, goal)) => {
            let path = search.path(node);
            let run = concrete::run_of_components(search.space, &search.components, &path, &goal);
            let run = run.ok_or_else(|| Stop::Unknown("the path in local time has no run".to_owned()))?;
            Ok(Proof::Run { run })
        }
        None => Ok(Proof::Cover {
            cover: cover_of(search.space, search.cover_nodes().collect()),
        }),
    }
}

/// How a search ends.
#[derive(PartialEq, Eq)]
enum Outcome {
    /// The goal was found, or nothing is left.
    Done,
    /// Some step may go wrong.
    Wrong,
}

impl LocalSearch<'_, '_> {
    fn explore(&mut self, budget: &Budget, counters: &mut Counters) -> Result<Outcome, Stop> {
        for state in self.space.initial().map_err(Stop::at_start)? {
            let mut zone = Zone::zero(self.components.count() + self.space.network.clocks.len());
            if self.arrive(state, &mut zone) {
                self.insert(zone, state, NOBODY, None)?;
            }
        }
        while self.found.is_none() {
            let Some(node) = self.waiting.pop() else { break };
            budget.check()?;
            let Some(source) = self.local.remove(&node) else {
                continue;
            };
            counters.visited += 1;
            let state = self.nodes[node as usize].state;
            for transition in self.space.transitions(state).iter() {
                counters.steps += 1;
                let mut zone = source.clone();
                match self.take(&mut zone, transition.joint, transition.effect, transition.target) {
                    Taken::Impossible => {}
                    Taken::Wrong => return Ok(Outcome::Wrong),
                    Taken::To(target) => {
                        let step = PathStep::of(*transition, target);
                        self.insert(zone, target, node, Some(step))?;
                    }
                }
                if self.found.is_some() {
                    break;
                }
            }
        }
        Ok(Outcome::Done)
    }

    /// The place of a clock's last setting.
    fn set_at(&self, clock: usize) -> usize {
        self.components.count() + clock - 1
    }

    /// A comparison of clocks as one of events.
    fn of_events(&self, (left, right, bound): Constraint) -> Constraint {
        match (left, right) {
            (clock, 0) => (self.components.of_clock(clock), self.set_at(clock), bound),
            (0, clock) => (self.set_at(clock), self.components.of_clock(clock), bound),
            (left, right) => (self.set_at(right), self.set_at(left), bound),
        }
    }

    /// Imposes an invariant, and lets time pass in each component in which it may; false if nothing is left.
    fn arrive(&self, state: StateId, zone: &mut Zone) -> bool {
        let info = self.space.info(state);
        let meets = |zone: &mut Zone| {
            (info.invariant.iter()).all(|&one| {
                let (left, right, bound) = self.of_events(one);
                zone.constrain(left, right, bound)
            })
        };
        if !meets(zone) {
            return false;
        }
        for component in concrete::free_components(self.space, &self.components, state) {
            zone.grow(component);
        }
        meets(zone)
    }

    /// Takes a step from a zone in local time: those that take part agree about it.
    fn take(&self, zone: &mut Zone, joint: u32, effect: u32, target: Target) -> Taken {
        let members = concrete::members(self.space, &self.components, joint);
        for &member in &members[1..] {
            if !zone.constrain(members[0], member, Bound::ZERO)
                || !zone.constrain(member, members[0], Bound::ZERO)
            {
                return Taken::Impossible;
            }
        }
        let effect = self.space.effect(effect);
        for &one in &*effect.guard {
            let (left, right, bound) = self.of_events(one);
            if !zone.constrain(left, right, bound) {
                return Taken::Impossible;
            }
        }
        let Target::State(target) = target else {
            return Taken::Wrong;
        };
        for update in &*effect.updates {
            let now = self.components.of_clock(update.target);
            let offset = update.offset as i32;
            let source = match update.source {
                0 => now,
                clock => self.set_at(clock),
            };
            if update.source != 0
                && zone.meets(
                    self.components.of_clock(update.source),
                    source,
                    Bound::below(-offset),
                )
            {
                return Taken::Wrong;
            }
            zone.assign(self.set_at(update.target), source, -offset);
        }
        match self.arrive(target, zone) {
            true => Taken::To(target),
            false => Taken::Impossible,
        }
    }

    /// The clock values of a zone where all times agree; nothing if they cannot.
    fn agreed(&self, zone: &Zone) -> Option<Zone> {
        let mut agreed = zone.clone();
        for component in 1..self.components.count() {
            if !agreed.constrain(component, 0, Bound::ZERO) || !agreed.constrain(0, component, Bound::ZERO) {
                return None;
            }
        }
        let dimension = self.space.network.dimension();
        // A clock is the time that all agree about, less the moment at which it was set.
        let place = |clock: usize| if clock == 0 { 0 } else { self.set_at(clock) };
        let mut cells = Vec::with_capacity(dimension * dimension);
        for left in 0..dimension {
            cells.extend((0..dimension).map(|right| agreed.bound(place(right), place(left))));
        }
        Some(Zone::from_cells(dimension, &cells))
    }

    fn insert(
        &mut self,
        zone: Zone,
        state: StateId,
        parent: NodeId,
        step: Option<PathStep>,
    ) -> Result<(), Stop> {
        let Some(agreed) = self.agreed(&zone) else {
            return Ok(());
        };
        if zone.is_huge() || agreed.is_huge() {
            return Err(Stop::Unknown(
                "the times of components grow out of range".to_owned(),
            ));
        }
        let node = self.nodes.len() as NodeId;
        let goal = self.space.meets(state, 0, &agreed);
        let both: Vec<LowerUpper>;
        let info = self.space.info(state);
        let constants = match self.settings.covering {
            _ if self.space.constants.is_plain() => None,
            Covering::Inclusion => None,
            Covering::Am => {
                both = info.constants.iter().map(|one| one.both()).collect();
                Some(both.as_slice())
            }
            Covering::Alu => Some(info.constants),
        };
        let (nodes, zones) = (&mut self.nodes, &mut self.agreed);
        let others = self.alive.entry(state).or_default();
        if goal.is_none() {
            let is_covered = |&other: &NodeId| {
                (nodes[other as usize].agreed).is_some_and(|slot| zones.covers(slot, &agreed, constants))
            };
            if others.iter().any(is_covered) {
                return Ok(());
            }
            others.retain(|&other| {
                let Some(slot) = nodes[other as usize].agreed else {
                    return false;
                };
                let is_covered = zones.is_covered(slot, &agreed, constants);
                if is_covered {
                    nodes[other as usize].agreed = None;
                    self.local.remove(&other);
                    zones.release(slot);
                }
                !is_covered
            });
        }
        others.push(node);
        nodes.push(Node {
            state,
            parent,
            step,
            agreed: Some(zones.put(agreed.cells())),
        });
        self.waiting.push(node, &agreed);
        self.local.insert(node, zone);
        self.found = goal.map(|goal| (node, goal));
        Ok(())
    }

    /// The path to a node.
    fn path(&self, node: NodeId) -> Path {
        let mut steps = Vec::new();
        let mut here = &self.nodes[node as usize];
        while let Some(step) = here.step {
            steps.push(step);
            here = &self.nodes[here.parent as usize];
        }
        steps.reverse();
        Path {
            first: here.state,
            steps,
        }
    }

    /// What is left, as a cover.
    fn cover_nodes(&self) -> impl Iterator<Item = CoverNode> {
        let mut cells = vec![Bound::ZERO; self.space.network.dimension().pow(2)];
        self.nodes.iter().filter_map(move |node| {
            self.agreed.read(node.agreed?, &mut cells);
            let discrete = self.space.discrete(node.state);
            Some(CoverNode {
                locations: discrete.locations,
                integers: discrete.integers,
                zone: cells.iter().map(|bound| bound.packed()).collect(),
                rank: 0,
            })
        })
    }
}
