//! The discrete skeleton of a network's symbolic states: each discrete state is interpreted once, and what its steps do to zones is kept.
//!
//! Interpreting integer code is the expensive part of a symbolic step, and many zones share a discrete state. So a discrete state gets a number, and on its first visit its invariant, the
//! constants of its clocks and what the query says of it are computed for good, and its steps (guard, updates, target) from the second visit on. A symbolic step is then a few operations on a matrix.
//!
//! A step whose code goes wrong is kept as such; it is a mistake of the model only for zones that meet its guard.
//!
//! Several searches can share the discrete states, each with a space of its own (`share`): a state that another looks after is numbered, so that steps can name it, but not interpreted.

use crate::Stop;
use crate::cells::Cells;
use crate::concrete::constraints_of;
use crate::constants::Constants;
use crate::keys::{Keys, key_of};
use crate::share::Share;
use crate::under::Played;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::{EdgeId, Fault, Network, Query};
use entail_zones::{Bound, LowerUpper, Zone};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::Arc;

/// A discrete state, by number.
pub type StateId = u32;

/// A bound on a difference of clocks: (left, right, bound).
pub type Constraint = (usize, usize, Bound);

/// What a step leads to.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// This discrete state.
    State(StateId),
    /// Nothing: its code goes wrong; which mistake it is, by number.
    Fault(u32),
}

/// What a step asks of clocks and does to them, by number.
pub type EffectId = u32;

/// What a step asks of clocks and does to them. Steps of many discrete states share it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Its guards.
    pub guard: Box<[Constraint]>,
    /// Its updates, in order.
    pub updates: Box<[ClockUpdate]>,
    /// Not a step of the network: waiting leads out of the source's cell into the target's.
    pub waits: bool,
    /// What the step costs.
    pub cost: i64,
}

/// A step of a discrete state. Large models have millions of them: it is 16 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Transition {
    /// The joint edge, by number.
    pub joint: u32,
    /// What it asks of clocks and does to them.
    pub effect: EffectId,
    /// Where it leads.
    pub target: Target,
}

/// What a discrete state asks of clocks. Many states share it.
#[derive(Debug)]
pub struct Facts {
    /// The clock constraints of its invariant, shared by states.
    pub invariant: Arc<[Constraint]>,
    /// Whether time may pass.
    pub may_delay: bool,
    /// Clocks that stand still while time passes.
    pub(crate) stopped: Box<[usize]>,
    /// What a unit of time costs, where that is asked.
    pub rate: i64,
    /// The constants of its clocks.
    pub constants: Arc<[LowerUpper]>,
    /// For each formula of the query: the conjunctions of clock constraints one of which must hold; shared by states.
    pub goals: Arc<[Vec<Vec<Constraint>>]>,
    /// Whether a run may end here, as far as an automaton that reads it is concerned.
    pub(crate) may_end: bool,
    /// For a cell: the cells that waiting leads to.
    pub(crate) later: Box<[StateId]>,
}

/// What tells shared [`Facts`] apart: where their shared parts are, and the rest.
type FactsKey = ([usize; 3], bool, Box<[usize]>, i64, bool);

/// What is known of a discrete state. Large models have millions of them: it is 32 bytes.
#[derive(Debug)]
pub struct StateInfo {
    facts: Arc<Facts>,
    /// Its steps, once they were asked for again.
    transitions: Option<Arc<[Transition]>>,
    /// The state of the network that it is; itself, but for a cell.
    pub base: StateId,
    /// Which search looks after it.
    pub(crate) owner: u16,
    /// Whether its steps were asked for.
    was_asked: bool,
}

impl std::ops::Deref for StateInfo {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl StateInfo {
    /// The steps of a state, if they were kept.
    pub(crate) fn kept_transitions(&self) -> Option<&Arc<[Transition]>> {
        self.transitions.as_ref()
    }
}

/// The discrete states met so far.
#[derive(Debug)]
pub struct Space<'n> {
    /// The network.
    pub network: &'n Network,
    pub(crate) query: &'n Query,
    /// Which discrete states are interpreted.
    pub(crate) share: Share,
    /// The constants.
    pub constants: Constants,
    /// Locations and integers of each discrete state.
    keys: Keys,
    states: Vec<StateInfo>,
    effects: IndexSet<Effect, FxBuildHasher>,
    faults: Vec<Trouble>,
    /// Joint edges, and those that leave a vector of locations, where that is worth remembering.
    joints: IndexSet<Box<[EdgeId]>, FxBuildHasher>,
    leaving: FxHashMap<Box<[i32]>, Arc<[u32]>>,
    /// The constants, invariants and goals that occur, each once.
    rows: FxHashSet<Arc<[LowerUpper]>>,
    invariants: FxHashSet<Arc<[Constraint]>>,
    goals: FxHashSet<Arc<[Vec<Vec<Constraint>>]>>,
    facts: FxHashMap<FactsKey, Arc<Facts>>,
    /// For each process and event: whether it is synchronised.
    synchronised: Vec<Vec<bool>>,
    /// The cells of states, where a run is to stay within a condition.
    pub(crate) cells: Cells,
    /// For states that were asked: the values from which some step can be taken sooner or later.
    pub(crate) able: FxHashMap<StateId, Arc<[Zone]>>,
    /// The strategy that the controller plays, where it plays one.
    pub(crate) played: Option<Box<Played>>,
}

/// Joint edges by number, with what must hold beside their guards.
type Leaving = Arc<[(u32, Vec<ClockConstraint>)]>;

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

/// A list that equals a known one becomes that one.
fn shared<T: Eq + Hash>(known: &mut FxHashSet<Arc<[T]>>, list: Vec<T>) -> Arc<[T]> {
    if let Some(known) = known.get(list.as_slice()) {
        return Arc::clone(known);
    }
    let list: Arc<[T]> = list.into();
    known.insert(Arc::clone(&list));
    list
}

pub(crate) fn bounds(constraints: &[ClockConstraint]) -> Vec<Constraint> {
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
            share: Share::whole(),
            constants,
            keys: Keys::default(),
            states: Vec::new(),
            effects: IndexSet::default(),
            faults: Vec::new(),
            joints: IndexSet::default(),
            leaving: FxHashMap::default(),
            rows: FxHashSet::default(),
            invariants: FxHashSet::default(),
            goals: FxHashSet::default(),
            facts: FxHashMap::default(),
            synchronised,
            cells: Cells::default(),
            able: FxHashMap::default(),
            played: None,
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

    /// Refuses constants without a bound: by them symbolic states that come again cannot be recognised.
    pub(crate) fn needs_bounds(&self) -> Result<(), Stop> {
        let reason = "the constants that clocks are compared with have no bound: what comes again cannot be recognised";
        match self.constants.is_plain() {
            true => Err(Stop::Unknown(reason.to_owned())),
            false => Ok(()),
        }
    }

    /// The joint edge of a number.
    pub fn joint(&self, joint: u32) -> &[EdgeId] {
        &self.joints[joint as usize]
    }

    /// The discrete state of a number.
    pub fn discrete(&self, state: StateId) -> Discrete {
        self.keys
            .discrete(self.info(state).base, self.network.processes.len())
    }

    /// The number of what a step asks and does, the same for others that ask and do the same.
    pub(crate) fn effect_number(&mut self, effect: Effect) -> EffectId {
        self.effects.insert_full(effect).0 as EffectId
    }

    /// What a step asks of clocks and does to them.
    pub fn effect(&self, number: EffectId) -> &Effect {
        &self.effects[number as usize]
    }

    pub(crate) fn fault(&mut self, trouble: Trouble) -> Target {
        self.faults.push(trouble);
        Target::Fault(self.faults.len() as u32 - 1)
    }

    /// The discrete initial states whose invariants allow it; the zone of each is what `begin` makes of it.
    pub fn initial(&mut self) -> Result<Vec<StateId>, Trouble> {
        let mut found = Vec::new();
        for discrete in self.network.initial() {
            let starts = match self.observing() {
                Some(asked) => self.observed_starts(asked, discrete)?,
                None => vec![discrete],
            };
            for discrete in starts {
                found.extend(self.number(&discrete)?);
            }
        }
        Ok(self.parts_of_all(found))
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
            zone.delay_but(&info.stopped);
            return meets(zone);
        }
        true
    }

    /// The number of a discrete state; nothing if the integer part of its invariant is false.
    pub(crate) fn number(&mut self, discrete: &Discrete) -> Result<Option<StateId>, Trouble> {
        let key = key_of(discrete);
        if let Some(state) = self.keys.find(&key) {
            return Ok(Some(state));
        }
        let owner = self.share.owner(discrete);
        let facts = match owner == self.share.own || self.share.interprets_all {
            true => self.interpreted(discrete)?,
            false => Some(self.uninterpreted()),
        };
        let Some(facts) = facts else { return Ok(None) };
        let facts = self.shared_facts(facts);
        let state = self.states.len() as StateId;
        self.states.push(StateInfo {
            facts,
            transitions: None,
            base: state,
            owner,
            was_asked: false,
        });
        let size = discrete.locations.len() + discrete.integers.len();
        self.keys.add(&key, size);
        Ok(Some(state))
    }

    /// Adds a part of a state, with facts of its own.
    pub(crate) fn add_state(&mut self, base: StateId, facts: Facts) {
        self.states.push(StateInfo {
            facts: Arc::new(facts),
            transitions: None,
            base,
            owner: self.info(base).owner,
            was_asked: false,
        });
        self.keys.share(base);
    }

    /// Facts that equal known ones become those. Their parts are shared already, so that it is enough to compare where they are.
    fn shared_facts(&mut self, facts: Facts) -> Arc<Facts> {
        let parts = [
            facts.invariant.as_ptr() as usize,
            facts.constants.as_ptr() as usize,
            facts.goals.as_ptr() as usize,
        ];
        let rest = (facts.may_delay, facts.stopped.clone(), facts.rate, facts.may_end);
        let key = (parts, rest.0, rest.1, rest.2, rest.3);
        Arc::clone(self.facts.entry(key).or_insert_with(|| Arc::new(facts)))
    }

    /// What is known of a discrete state that gets the next number; nothing if the integer part of its invariant is false.
    fn interpreted(&mut self, discrete: &Discrete) -> Result<Option<Facts>, Trouble> {
        let mut invariant = Vec::new();
        if !self.network.invariant(discrete, &mut invariant)? {
            return Ok(None);
        }
        let (mut goals, mut may_end) = (Vec::new(), false);
        if let Some(asked) = self.observing() {
            goals = self.marks(asked, discrete);
            may_end = self.may_end(asked, discrete)?;
        } else {
            for formula in self.query.formulas() {
                let conjunctions = formula.satisfying(self.network, discrete)?;
                goals.push(conjunctions.iter().map(|one| bounds(one)).collect());
            }
        }
        let constants = self.constants.at(discrete.locations.iter().copied());
        let rate = match self.query {
            Query::Cheapest(_) => self.network.rate(discrete)?,
            _ => 0,
        };
        Ok(Some(Facts {
            invariant: shared(&mut self.invariants, bounds(&invariant)),
            may_delay: self.network.may_delay(discrete)?,
            stopped: self.network.stopped(discrete)?.into(),
            rate,
            constants: shared(&mut self.rows, constants),
            goals: shared(&mut self.goals, goals),
            may_end,
            later: Box::new([]),
        }))
    }

    /// What is known of a discrete state that gets the next number and that another search looks after.
    fn uninterpreted(&mut self) -> Facts {
        Facts {
            invariant: shared(&mut self.invariants, Vec::new()),
            may_delay: false,
            stopped: Box::new([]),
            rate: 0,
            constants: shared(&mut self.rows, Vec::new()),
            goals: shared(&mut self.goals, Vec::new()),
            may_end: false,
            later: Box::new([]),
        }
    }

    /// Whether another search looks after a state.
    pub(crate) fn is_elsewhere(&self, state: StateId) -> bool {
        self.info(state).owner != self.share.own
    }

    /// The steps of a state. Many states are asked for them once: they are kept when they are asked for again. Searches that work together ask each other for them.
    pub fn transitions(&mut self, state: StateId) -> Arc<[Transition]> {
        if let Some(known) = &self.states[state as usize].transitions {
            return Arc::clone(known);
        }
        if self.info(state).base != state {
            let found = self.steps_within(state);
            self.states[state as usize].transitions = Some(Arc::clone(&found));
            return found;
        }
        let discrete = self.discrete(state);
        let mut found = Vec::new();
        let joints = match self.leaving(&discrete) {
            Ok(joints) => joints,
            Err(trouble) => {
                // Which edges move together cannot be told: a mistake in every zone of the state.
                let nothing = Effect {
                    guard: Box::new([]),
                    updates: Box::new([]),
                    waits: false,
                    cost: 0,
                };
                found.push(Transition {
                    joint: self.joint_number(Vec::new()),
                    effect: self.effect_number(nothing),
                    target: self.fault(trouble),
                });
                Arc::new([])
            }
        };
        for (joint, side) in joints.iter() {
            let edges = self.joints[*joint as usize].clone();
            match self.observing() {
                Some(_) => self.observed_steps(&discrete, (*joint, &edges), side, &mut found),
                None => found.extend(self.step_along(&discrete, (*joint, &edges), side)),
            }
        }
        let found: Arc<[Transition]> = found.into();
        let info = &mut self.states[state as usize];
        if std::mem::replace(&mut info.was_asked, true) || self.share.all > 1 {
            info.transitions = Some(Arc::clone(&found));
        }
        found
    }

    pub(crate) fn joint_number(&mut self, edges: Vec<EdgeId>) -> u32 {
        self.joints.insert_full(edges.into()).0 as u32
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
        let alone = |joints: &[u32]| joints.iter().map(|&joint| (joint, Vec::new())).collect();
        // Without integers no two discrete states have the same locations; without synchronisation the edges are found as fast as they are looked up.
        let is_remembered = !self.network.integers.is_empty() && !self.network.synchronisations.is_empty();
        if let Some(known) = self.leaving.get(&key) {
            return Ok(alone(known));
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
        let numbers: Arc<[u32]> = all.into_iter().map(|edges| self.joint_number(edges)).collect();
        if is_remembered {
            self.leaving.insert(key, Arc::clone(&numbers));
        }
        Ok(alone(&numbers))
    }

    /// Whether an update makes a clock negative for some values of a zone.
    pub(crate) fn is_negative(zone: &Zone, update: &ClockUpdate) -> bool {
        update.source != 0 && zone.meets(update.source, 0, Bound::below(-update.offset as i32))
    }

    /// Changes a zone of a state to what a step of that state leads to.
    pub fn step(&self, zone: &mut Zone, transition: Transition) -> Stepped {
        let effect = self.effect(transition.effect);
        if effect.waits {
            zone.delay();
        }
        for &(left, right, bound) in &*effect.guard {
            if !zone.constrain(left, right, bound) {
                return Stepped::Empty;
            }
        }
        let target = match transition.target {
            Target::State(target) => target,
            Target::Fault(number) => return Stepped::Fault(self.faults[number as usize]),
        };
        for update in &*effect.updates {
            let offset = update.offset as i32;
            if Space::is_negative(zone, update) {
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
