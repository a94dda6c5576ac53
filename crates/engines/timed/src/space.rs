//! The discrete skeleton of a network's symbolic states: each discrete state is interpreted once, and what its steps do to zones is kept.
//!
//! Interpreting integer code is the expensive part of a symbolic step, and many zones share a discrete state. So a discrete state gets a number, and on its first visit its invariant, the
//! constants of its clocks, what the query says of it, and its steps (guard, updates, target) are computed for good. A symbolic step is then a few operations on a matrix.
//!
//! A step whose code goes wrong is kept as such; it is a mistake of the model only for zones that meet its guard.

use crate::cells::Cells;
use crate::concrete::constraints_of;
use crate::constants::Constants;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::{EdgeId, Fault, Network, Query};
use entail_zones::{Bound, LowerUpper, Zone};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A discrete state, by number.
pub type StateId = u32;

/// A bound on a difference of clocks: (left, right, bound).
pub type Constraint = (usize, usize, Bound);

/// What a step leads to.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// This discrete state.
    State(StateId),
    /// Nothing: its code goes wrong.
    Fault(Trouble),
}

/// A step of a discrete state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The joint edge, by number.
    pub joint: u32,
    /// Its guards.
    pub guard: Box<[Constraint]>,
    /// Its updates, in order.
    pub updates: Box<[ClockUpdate]>,
    /// Where it leads.
    pub target: Target,
    /// Not a step of the network: waiting leads out of the source's cell into the target's.
    pub waits: bool,
}

/// What is known of a discrete state.
#[derive(Debug)]
pub struct StateInfo {
    /// The clock constraints of its invariant.
    pub invariant: Box<[Constraint]>,
    /// Whether time may pass.
    pub may_delay: bool,
    /// The constants of its clocks.
    pub constants: Rc<[LowerUpper]>,
    /// For each formula of the query: the conjunctions of clock constraints one of which must hold.
    pub goals: Box<[Vec<Vec<Constraint>>]>,
    /// Its steps, once they were asked for.
    pub(crate) transitions: Option<Rc<[Transition]>>,
    /// The state of the network that it is; itself, but for a cell.
    pub base: StateId,
    /// For a cell: the cells that waiting leads to.
    pub(crate) later: Box<[StateId]>,
}

/// The discrete states met so far.
#[derive(Debug)]
pub struct Space<'n> {
    /// The network.
    pub network: &'n Network,
    pub(crate) query: &'n Query,
    /// The constants.
    pub constants: Constants,
    pub(crate) keys: Vec<Box<[i32]>>,
    pub(crate) states: Vec<StateInfo>,
    numbers: FxHashMap<Box<[i32]>, StateId>,
    /// Joint edges, and those that leave a vector of locations.
    joints: Vec<Box<[EdgeId]>>,
    joint_numbers: FxHashMap<Box<[EdgeId]>, u32>,
    leaving: FxHashMap<Box<[i32]>, Leaving>,
    constants_of: FxHashMap<Box<[i32]>, Rc<[LowerUpper]>>,
    /// For each process and event: whether it is synchronised.
    synchronised: Vec<Vec<bool>>,
    /// The cells of states, where a run is to stay within a condition.
    pub(crate) cells: Cells,
    /// For states that were asked: the values from which some step can be taken sooner or later.
    pub(crate) able: FxHashMap<StateId, Rc<[Zone]>>,
}

/// Joint edges by number, with what must hold beside their guards.
type Leaving = Rc<[(u32, Vec<ClockConstraint>)]>;

/// A zone left by a step, or what went wrong.
#[derive(Debug)]
pub enum Stepped {
    /// Nothing is left.
    Empty,
    /// The zone was changed to what the step leads to.
    To(StateId),
    /// The code of the step goes wrong for some values of the zone.
    Fault(Trouble),
}

fn bounds(constraints: &[ClockConstraint]) -> Box<[Constraint]> {
    let one = |one: &ClockConstraint| (one.left, one.right, Bound::new(one.bound as i32, one.strict));
    constraints.iter().map(one).collect()
}

impl<'n> Space<'n> {
    /// No state yet.
    pub fn new(network: &'n Network, query: &'n Query, constants: Constants) -> Space<'n> {
        let mut synchronised = vec![vec![false; network.events.len()]; network.processes.len()];
        for partner in network.synchronisations.iter().flat_map(|one| &one.partners) {
            synchronised[partner.process][partner.event] = true;
        }
        Space {
            network,
            query,
            constants,
            keys: Vec::new(),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            joints: Vec::new(),
            joint_numbers: FxHashMap::default(),
            leaving: FxHashMap::default(),
            constants_of: FxHashMap::default(),
            synchronised,
            cells: Cells::default(),
            able: FxHashMap::default(),
        }
    }

    /// Number of discrete states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What is known of a state.
    pub fn info(&self, state: StateId) -> &StateInfo {
        &self.states[state as usize]
    }

    /// The joint edge of a number.
    pub fn joint(&self, joint: u32) -> &[EdgeId] {
        &self.joints[joint as usize]
    }

    /// The discrete state of a number.
    pub fn discrete(&self, state: StateId) -> Discrete {
        let key = &self.keys[self.info(state).base as usize];
        let (locations, integers) = key.split_at(self.network.processes.len());
        Discrete {
            locations: locations.iter().map(|&location| location as usize).collect(),
            integers: integers.iter().map(|&integer| i64::from(integer)).collect(),
        }
    }

    /// The discrete initial states whose invariants allow it; the zone of each is what `begin` makes of it.
    pub fn initial(&mut self) -> Result<Vec<StateId>, Trouble> {
        let mut found = Vec::new();
        for discrete in self.network.initial() {
            if let Some(state) = self.number(&discrete)? {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// The zone in which a run begins in a state; nothing if the invariant forbids it.
    pub fn begin(&self, state: StateId) -> Option<Zone> {
        let mut zone = Zone::zero(self.network.dimension());
        self.arrive(state, &mut zone).then_some(zone)
    }

    /// Imposes the invariant on a zone that arrives at a state, and lets time pass; false if nothing is left.
    pub fn arrive(&self, state: StateId, zone: &mut Zone) -> bool {
        let info = self.info(state);
        let meets = |zone: &mut Zone| {
            (info.invariant.iter()).all(|&(left, right, bound)| zone.constrain(left, right, bound))
        };
        if !meets(zone) {
            return false;
        }
        if info.may_delay {
            zone.delay();
            return meets(zone);
        }
        true
    }

    /// The number of a discrete state; nothing if the integer part of its invariant is false.
    fn number(&mut self, discrete: &Discrete) -> Result<Option<StateId>, Trouble> {
        let locations = discrete.locations.iter().map(|&location| location as i32);
        let key: Box<[i32]> = locations
            .chain(discrete.integers.iter().map(|&integer| integer as i32))
            .collect();
        if let Some(&state) = self.numbers.get(&key) {
            return Ok(Some(state));
        }
        let mut invariant = Vec::new();
        if !self.network.invariant(discrete, &mut invariant)? {
            return Ok(None);
        }
        let mut goals = Vec::new();
        for formula in self.query.formulas() {
            let conjunctions = formula
                .satisfying(self.network, discrete)
                .map_err(|fault| Trouble {
                    fault,
                    span: Default::default(),
                })?;
            goals.push(conjunctions.iter().map(|one| bounds(one).into_vec()).collect());
        }
        let locations: Box<[i32]> = key[..self.network.processes.len()].into();
        let constants = match self.constants_of.get(&locations) {
            Some(constants) => Rc::clone(constants),
            None => {
                let constants: Rc<[LowerUpper]> =
                    self.constants.at(discrete.locations.iter().copied()).into();
                self.constants_of.insert(locations, Rc::clone(&constants));
                constants
            }
        };
        let may_delay = self.network.may_delay(discrete)?;
        let state = self.states.len() as StateId;
        self.states.push(StateInfo {
            invariant: bounds(&invariant),
            may_delay,
            constants,
            goals: goals.into(),
            transitions: None,
            base: state,
            later: Box::new([]),
        });
        self.keys.push(key.clone());
        self.numbers.insert(key, state);
        Ok(Some(state))
    }

    /// The steps of a state.
    pub fn transitions(&mut self, state: StateId) -> Rc<[Transition]> {
        if let Some(known) = &self.states[state as usize].transitions {
            return Rc::clone(known);
        }
        if self.info(state).base != state {
            let found = self.steps_within(state);
            self.states[state as usize].transitions = Some(Rc::clone(&found));
            return found;
        }
        let discrete = self.discrete(state);
        let mut found = Vec::new();
        let joints = match self.leaving(&discrete) {
            Ok(joints) => joints,
            Err(trouble) => {
                // Which edges move together cannot be told: a mistake in every zone of the state.
                found.push(Transition {
                    joint: self.joint_number(Vec::new()),
                    guard: Box::new([]),
                    updates: Box::new([]),
                    target: Target::Fault(trouble),
                    waits: false,
                });
                Rc::new([])
            }
        };
        for (joint, side) in joints.iter() {
            let (joint, mut guard) = (*joint, side.clone());
            let edges = self.joints[joint as usize].clone();
            let fault = |trouble| Target::Fault(trouble);
            let mut updates = Vec::new();
            let target = match self.network.guard(&edges, &discrete.integers, &mut guard) {
                Ok(false) => continue,
                Err(trouble) => fault(trouble),
                Ok(true) => match self.network.act(&edges, &discrete, &mut updates) {
                    Ok(None) => continue,
                    Err(trouble) => fault(trouble),
                    Ok(Some(next)) => match self.number(&next) {
                        Ok(None) => continue,
                        Ok(Some(next)) => Target::State(next),
                        Err(trouble) => fault(trouble),
                    },
                },
            };
            found.push(Transition {
                joint,
                guard: bounds(&guard),
                updates: updates.into(),
                target,
                waits: false,
            });
        }
        let found: Rc<[Transition]> = found.into();
        self.states[state as usize].transitions = Some(Rc::clone(&found));
        found
    }

    pub(crate) fn joint_number(&mut self, edges: Vec<EdgeId>) -> u32 {
        let edges: Box<[EdgeId]> = edges.into();
        *self.joint_numbers.entry(edges).or_insert_with_key(|edges| {
            self.joints.push(edges.clone());
            self.joints.len() as u32 - 1
        })
    }

    /// The joint edges that leave a state, with what must hold beside their guards. Without channels and priorities they depend on its locations alone.
    fn leaving(&mut self, discrete: &Discrete) -> Result<Leaving, Trouble> {
        if !self.network.channels.is_empty() || self.network.has_priorities() {
            let joints = self.network.joints(discrete)?;
            let number = |joint: entail_clocks::Joint| (self.joint_number(joint.edges), joint.side);
            return Ok(joints.into_iter().map(number).collect());
        }
        let key: Box<[i32]> = discrete
            .locations
            .iter()
            .map(|&location| location as i32)
            .collect();
        if let Some(known) = self.leaving.get(&key) {
            return Ok(Rc::clone(known));
        }
        let network = self.network;
        let locations = &discrete.locations;
        let mut all: Vec<Vec<EdgeId>> = Vec::new();
        for &location in locations {
            for &edge in &network.locations[location].outgoing {
                let one = &network.edges[edge];
                if !self.synchronised[one.process][one.event] {
                    all.push(vec![edge]);
                }
            }
        }
        for synchronisation in &network.synchronisations {
            let own = |partner: &entail_clocks::Synchroniser| -> Vec<EdgeId> {
                let outgoing = network.locations[locations[partner.process]]
                    .outgoing
                    .iter()
                    .copied();
                outgoing
                    .filter(|&edge| network.edges[edge].event == partner.event)
                    .collect()
            };
            let mut chosen: Vec<Vec<EdgeId>> = vec![Vec::new()];
            for partner in &synchronisation.partners {
                let own = own(partner);
                if own.is_empty() && partner.weak {
                    continue;
                }
                let longer = |begun: &Vec<EdgeId>| {
                    let begun = begun.clone();
                    own.clone()
                        .into_iter()
                        .map(move |edge| [begun.as_slice(), &[edge]].concat())
                };
                chosen = chosen.iter().flat_map(longer).collect();
                if chosen.is_empty() {
                    break;
                }
            }
            all.extend(chosen.into_iter().filter(|edges| !edges.is_empty()));
        }
        if locations
            .iter()
            .any(|&location| network.locations[location].committed)
        {
            let is_committed = |&edge: &EdgeId| network.locations[network.edges[edge].source].committed;
            all.retain(|edges| edges.iter().any(is_committed));
        }
        let number = |edges: Vec<EdgeId>| (self.joint_number(edges), Vec::new());
        let numbers: Leaving = all.into_iter().map(number).collect();
        self.leaving.insert(key, Rc::clone(&numbers));
        Ok(numbers)
    }

    /// Changes a zone of a state to what a step of that state leads to.
    pub fn step(&self, zone: &mut Zone, transition: &Transition) -> Stepped {
        if transition.waits {
            zone.delay();
        }
        for &(left, right, bound) in &*transition.guard {
            if !zone.constrain(left, right, bound) {
                return Stepped::Empty;
            }
        }
        let target = match transition.target {
            Target::State(target) => target,
            Target::Fault(trouble) => return Stepped::Fault(trouble),
        };
        for update in &*transition.updates {
            let offset = update.offset as i32;
            if update.source != 0 && zone.meets(update.source, 0, Bound::below(-offset)) {
                return Stepped::Fault(Trouble {
                    fault: Fault::NegativeClock,
                    span: Default::default(),
                });
            }
            zone.assign(update.target, update.source, offset);
        }
        match self.arrive(target, zone) {
            true => Stepped::To(target),
            false => Stepped::Empty,
        }
    }

    /// Whether a zone at a state meets a formula of the query: gives the constraints of a part of it that does.
    pub fn meets(&mut self, state: StateId, formula: usize, zone: &Zone) -> Option<Vec<Constraint>> {
        if self.query.mentions_deadlock() {
            let parts = self.parts_that_meet(state, formula, zone);
            let constraints = |part: &Zone| constraints_of(part.dimension(), part.cells());
            return parts.first().map(constraints);
        }
        let conjunctions = &self.info(state).goals[formula];
        let is_met = |conjunction: &&Vec<Constraint>| match conjunction.is_empty() {
            true => true,
            false => {
                let mut rest = zone.clone();
                (conjunction.iter()).all(|&(left, right, bound)| rest.constrain(left, right, bound))
            }
        };
        conjunctions.iter().find(is_met).cloned()
    }
}
