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
use crate::facts::{FactTable, Facts, Manner, Rest};
use crate::kept::{Kept, Lists, MOST_KEPT};
use crate::keys::{Keys, key_of, key_of_numbers};
use crate::share::Share;
use crate::under::Played;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::{EdgeId, Fault, Network, Query};
use entail_zones::{Bound, LowerUpper, Zone};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// A discrete state, by number.
pub type StateId = u32;

/// A bound on a difference of clocks: (left, right, bound).
pub type Constraint = (usize, usize, Bound);

/// No discrete state.
pub(crate) const NOWHERE: StateId = StateId::MAX >> 1;

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

/// What is known of a discrete state beside its key. Large models have millions of them: it is 8 bytes.
#[derive(Debug)]
struct StateInfo {
    /// What it asks of clocks, by number.
    facts: u32,
    /// Its steps among those that are kept, or [`UNASKED`], or [`ASKED_ONCE`].
    steps: u32,
}

/// Nobody has asked for the steps of a state.
const UNASKED: u32 = u32::MAX;
/// They were asked for once, and are not kept.
const ASKED_ONCE: u32 = u32::MAX - 1;

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
    /// What states ask of clocks.
    facts: FactTable,
    /// For parts of states: the states that they are parts of.
    bases: FxHashMap<StateId, StateId>,
    /// Which search looks after each state, if there are several.
    owners: Vec<u16>,
    /// The steps of states that were asked for again.
    kept: Kept,
    effects: IndexSet<Effect, FxBuildHasher>,
    faults: Vec<Trouble>,
    /// Joint edges, and those that leave a vector of locations, where that is worth remembering.
    joints: IndexSet<Arc<[EdgeId]>, FxBuildHasher>,
    vectors: Keys,
    leaving: Lists,
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

/// Whether each constraint of a guard is met by some values of a zone.
pub(crate) fn is_possible(zone: &Zone, guard: &[Constraint]) -> bool {
    (guard.iter()).all(|&(left, right, bound)| zone.meets(left, right, bound))
}

pub(crate) fn bounds(constraints: &[ClockConstraint]) -> Vec<Constraint> {
    let one = |one: &ClockConstraint| (one.left, one.right, Bound::new(one.bound as i32, one.strict));
    constraints.iter().map(one).collect()
}

impl<'n> Space<'n> {
    /// No state yet.
    pub fn new(network: &'n Network, query: &'n Query, constants: Constants) -> Space<'n> {
        Space {
            network,
            query,
            share: Share::whole(),
            constants,
            keys: Keys::default(),
            states: Vec::new(),
            facts: FactTable::default(),
            bases: FxHashMap::default(),
            owners: Vec::new(),
            kept: Kept::default(),
            effects: IndexSet::default(),
            faults: Vec::new(),
            joints: IndexSet::default(),
            vectors: Keys::default(),
            leaving: Lists::default(),
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

    /// What a state asks of clocks.
    pub fn info(&self, state: StateId) -> Facts<'_> {
        self.facts.get(self.states[state as usize].facts)
    }

    /// The state of the network that a state is; itself, but for a cell.
    pub(crate) fn base(&self, state: StateId) -> StateId {
        self.bases.get(&state).copied().unwrap_or(state)
    }

    /// Which search looks after a state.
    pub(crate) fn owner(&self, state: StateId) -> u16 {
        self.owners.get(state as usize).copied().unwrap_or(self.share.own)
    }

    /// The steps of a state, if they were kept.
    pub(crate) fn kept_transitions(&self, state: StateId) -> Option<Arc<[Transition]>> {
        self.kept.get(self.states[state as usize].steps)
    }

    fn keep_transitions(&mut self, state: StateId, steps: &[Transition]) {
        // Beyond so many they are made again each time.
        if self.kept.bytes.len() < MOST_KEPT {
            self.states[state as usize].steps = self.kept.push(steps);
        }
    }

    /// Forgets what only a search needs, to make room for what is made of the states that it has met.
    pub(crate) fn end_search(&mut self) {
        self.kept = Kept::default();
        self.states.iter_mut().for_each(|state| state.steps = UNASKED);
        self.vectors = Keys::default();
        self.leaving = Lists::default();
        self.keys.end_search();
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
        self.keys.discrete(self.base(state), self.network.processes.len())
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
            zone.delay_but(info.stopped);
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
            // Another search looks after it, and knows.
            false => Some((Manner::default(), Vec::new())),
        };
        let Some((manner, constants)) = facts else {
            return Ok(None);
        };
        let facts = self.facts.number(manner, &constants);
        let state = self.states.len() as StateId;
        self.states.push(StateInfo {
            facts,
            steps: UNASKED,
        });
        if self.share.all > 1 {
            self.owners.push(owner);
        }
        let size = discrete.locations.len() + discrete.integers.len();
        self.keys.add(&key, size);
        Ok(Some(state))
    }

    /// The number of a discrete state that has one.
    pub(crate) fn known(&self, discrete: &Discrete) -> Option<StateId> {
        self.keys.find(&key_of(discrete))
    }

    /// Adds a part of a state, which asks of clocks what it asks, with the state's constants.
    pub(crate) fn add_state(&mut self, base: StateId, manner: Manner) {
        let constants = self.info(base).constants.to_vec();
        let facts = self.facts.number(manner, &constants);
        self.states.push(StateInfo {
            facts,
            steps: UNASKED,
        });
        if self.share.all > 1 {
            self.owners.push(self.owner(base));
        }
        self.bases.insert(self.states.len() as StateId - 1, base);
        self.keys.share(base);
    }

    /// What is known of a discrete state that gets the next number; nothing if the integer part of its invariant is false.
    fn interpreted(&mut self, discrete: &Discrete) -> Result<Option<(Manner, Vec<LowerUpper>)>, Trouble> {
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
        let rest = Rest {
            may_delay: self.network.may_delay(discrete)?,
            stopped: self.network.stopped(discrete)?,
            rate,
            goals,
            may_end,
            later: Vec::new(),
        };
        let manner = Manner {
            invariant: bounds(&invariant),
            rest,
        };
        Ok(Some((manner, constants)))
    }

    /// Whether another search looks after a state.
    pub(crate) fn is_elsewhere(&self, state: StateId) -> bool {
        self.owner(state) != self.share.own
    }

    /// The steps of a state. Many states are asked for them once: they are kept when they are asked for again. Searches that work together ask each other for them.
    pub fn transitions(&mut self, state: StateId) -> Arc<[Transition]> {
        self.transitions_from(state, None)
    }

    /// The steps of a state, for whoever takes them from a zone only: steps that cannot be taken from it may lead [`NOWHERE`], so that states that are never reached get no number.
    pub(crate) fn transitions_from(&mut self, state: StateId, zone: Option<&Zone>) -> Arc<[Transition]> {
        let is_missing = |step: &Transition| {
            matches!(step.target, Target::State(NOWHERE))
                && zone.is_none_or(|zone| is_possible(zone, &self.effect(step.effect).guard))
        };
        if let Some(known) = self.kept_transitions(state)
            && !known.iter().any(is_missing)
        {
            return known;
        }
        if self.base(state) != state {
            let found = self.steps_within(state);
            self.keep_transitions(state, &found);
            return found;
        }
        let is_kept = self.states[state as usize].steps != UNASKED || self.share.all > 1;
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
            let edges = Arc::clone(&self.joints[*joint as usize]);
            match self.observing() {
                Some(_) => self.observed_steps(&discrete, (*joint, &edges), side, &mut found),
                None => found.extend(self.step_along(&discrete, (*joint, &edges), side, zone)),
            }
        }
        let found: Arc<[Transition]> = found.into();
        match is_kept {
            true => self.keep_transitions(state, &found),
            false => self.states[state as usize].steps = ASKED_ONCE,
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
        let key = key_of_numbers(discrete.locations.iter().map(|&location| location as i64));
        let alone = |joints: &[u32]| joints.iter().map(|&joint| (joint, Vec::new())).collect();
        // Without integers no two discrete states have the same locations; without synchronisation the edges are found as fast as they are looked up.
        let is_remembered = !self.network.integers.is_empty() && !self.network.synchronisations.is_empty();
        let known = self.vectors.find(&key);
        if let Some(known) = known.and_then(|vector| self.leaving.get(vector)) {
            return Ok(alone(known));
        }
        let locations = &discrete.locations;
        let all = self.network.joint_edges(locations);
        let numbers: Arc<[u32]> = all.into_iter().map(|edges| self.joint_number(edges)).collect();
        if is_remembered {
            self.vectors.add(&key, locations.len());
            self.leaving.push(numbers.iter().copied());
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
