//! Two networks side by side: the pairs of states that plays reach, as zones of the clocks of both.
//!
//! The matrix has the reference clock, the clocks of the first network, and those of the second. Zones are stored after delays, so that they are closed under them within the invariants; where delays are
//! matched by any delays, time passes for each side alone. They are made larger beyond the constants of the two networks, so that there are finitely many: more pairs than plays reach are looked at, but still a set that no
//! play leaves, and that is all that is needed.

use super::{Refusal, constants_of};
use crate::constants::Constants;
use crate::predecessor::constrain;
use crate::space::{Constraint, Space};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete, Trouble};
use entail_clocks::pairs::TimedRelation;
use entail_clocks::{EdgeId, Fault, Meaning, Network};
use entail_zones::{Bound, Extrapolation, Federation, LowerUpper, Zone};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::ops::Range;

/// A map that numbers its keys.
type Numbered<K, V> = IndexMap<K, V, FxBuildHasher>;

/// A step of one side, in the clocks of both.
pub(super) struct SideStep {
    /// Its name, by number.
    pub name: usize,
    pub edges: Vec<EdgeId>,
    /// What it asks of the clocks.
    pub guard: Vec<Constraint>,
    pub updates: Vec<ClockUpdate>,
    /// The state it leads to, or what goes wrong.
    pub target: Result<usize, Trouble>,
    /// The values from which it can be taken, the invariant it leads to included; nothing if there are none.
    pub able: Option<Zone>,
}

/// A discrete state of one side, in the clocks of both.
pub(super) struct SideState {
    pub invariant: Vec<Constraint>,
    pub may_delay: bool,
    constants: Option<Vec<LowerUpper>>,
    /// Known once a pair with it was explored.
    pub steps: Vec<SideStep>,
    is_expanded: bool,
}

/// The pairs with some discrete states of both sides.
#[derive(Default)]
pub(super) struct Place {
    /// What plays reach.
    pub reach: Federation,
    /// The places from which a step of both leads here.
    pub before: Vec<usize>,
}

pub(super) struct Board<'n> {
    pub networks: [&'n Network; 2],
    pub relation: TimedRelation,
    constants: [Option<Constants>; 2],
    names: Numbered<String, ()>,
    states: [Numbered<Discrete, SideState>; 2],
    /// By the numbers of the states of both.
    pub places: Numbered<[usize; 2], Place>,
    /// The beginnings of both sides that meet their invariants, by number.
    pub starts: [Vec<usize>; 2],
}

impl<'n> Board<'n> {
    pub fn new(networks: [&'n Network; 2], relation: TimedRelation) -> Result<Board<'n>, Refusal> {
        let constants = [constants_of(networks[0])?, constants_of(networks[1])?];
        Ok(Board {
            networks,
            relation,
            constants,
            names: Numbered::default(),
            states: [Numbered::default(), Numbered::default()],
            places: Numbered::default(),
            starts: [Vec::new(), Vec::new()],
        })
    }

    /// The number of clocks of both, with the reference clock.
    pub fn dimension(&self) -> usize {
        1 + self.networks[0].clocks.len() + self.networks[1].clocks.len()
    }

    /// The clocks of a side.
    pub fn own(&self, side: usize) -> Range<usize> {
        let first = 1 + self.networks[0].clocks.len();
        match side {
            0 => 1..first,
            _ => first..self.dimension(),
        }
    }

    /// The sides that are challenged to match.
    pub fn sides(&self) -> &'static [usize] {
        match self.relation.is_symmetric() {
            true => &[0, 1],
            false => &[0],
        }
    }

    /// The state of a side at a place.
    pub fn state(&self, place: usize, side: usize) -> &SideState {
        &self.states[side][self.places.get_index(place).expect("a known place").0[side]]
    }

    /// The discrete states at a place.
    pub fn discrete(&self, place: usize) -> [&Discrete; 2] {
        let numbers = self.places.get_index(place).expect("a known place").0;
        [0, 1].map(|side| {
            self.states[side]
                .get_index(numbers[side])
                .expect("a known state")
                .0
        })
    }

    /// The place to which a step of each side leads, if plays do so.
    pub fn after(&self, first: &SideStep, second: &SideStep) -> Option<usize> {
        let (Ok(one), Ok(other)) = (&first.target, &second.target) else {
            return None;
        };
        self.places.get_index_of(&[*one, *other])
    }

    /// What plays reach at a place.
    pub fn reach(&self, place: usize) -> &Federation {
        &self.places[place].reach
    }

    /// The values of a state of a side that meet its invariant.
    pub fn inside(&self, place: usize, side: usize) -> Zone {
        let invariant = &self.state(place, side).invariant;
        Zone::of_constraints(self.dimension(), invariant).expect("a state that plays reach")
    }

    /// Number of zones.
    pub fn zones(&self) -> usize {
        self.places.values().map(|place| place.reach.zones().len()).sum()
    }

    /// The number of a clock of a side among those of both.
    fn shifted(&self, side: usize, clock: usize) -> usize {
        match clock {
            0 => 0,
            clock => clock + self.own(side).start - 1,
        }
    }

    fn constraints(&self, side: usize, all: &[ClockConstraint]) -> Vec<Constraint> {
        let one = |one: &ClockConstraint| {
            let bound = Bound::new(one.bound as i32, one.strict);
            (self.shifted(side, one.left), self.shifted(side, one.right), bound)
        };
        all.iter().map(one).collect()
    }

    /// The number of a discrete state; nothing if its invariant is false whatever the clocks.
    fn number(&mut self, side: usize, state: Discrete) -> Result<Option<usize>, Refusal> {
        if let Some(known) = self.states[side].get_index_of(&state) {
            return Ok(Some(known));
        }
        let network = self.networks[side];
        let trouble = |trouble| Refusal::Model(side == 1, trouble);
        let Some(invariant) = Meaning::invariant(network, &state).map_err(trouble)? else {
            return Ok(None);
        };
        let own = SideState {
            invariant: self.constraints(side, &invariant),
            may_delay: network.may_delay(&state).map_err(trouble)?,
            constants: (self.constants[side].as_ref()).map(|one| one.at(state.locations.iter().copied())),
            steps: Vec::new(),
            is_expanded: false,
        };
        Ok(Some(self.states[side].insert_full(state, own).0))
    }

    /// Lists the steps of a state.
    fn expand(&mut self, side: usize, state: usize) -> Result<(), Refusal> {
        if std::mem::replace(&mut self.states[side][state].is_expanded, true) {
            return Ok(());
        }
        let network = self.networks[side];
        let discrete = self.states[side]
            .get_index(state)
            .expect("a known state")
            .0
            .clone();
        let moves = network
            .moves(&discrete)
            .map_err(|trouble| Refusal::Model(side == 1, trouble))?;
        let mut steps = Vec::new();
        for step in moves {
            let shifted = |update: &ClockUpdate| ClockUpdate {
                target: self.shifted(side, update.target),
                source: self.shifted(side, update.source),
                offset: update.offset,
            };
            let updates: Vec<ClockUpdate> = step.updates.iter().map(shifted).collect();
            let guard = self.constraints(side, &step.guard);
            let entering = self.constraints(side, &step.invariant);
            let mut able = Zone::universal(self.dimension());
            let is_able = constrain(&mut able, &entering)
                && (updates.iter().rev())
                    .all(|update| able.unassign(update.target, update.source, update.offset as i32))
                && constrain(&mut able, &guard);
            let target = match step.target {
                Err(trouble) => Err(trouble),
                Ok(target) => match self.number(side, target)? {
                    Some(target) => Ok(target),
                    None => continue,
                },
            };
            let name = self.names.insert_full(network.action_name(&step.edges), ()).0;
            steps.push(SideStep {
                name,
                edges: step.edges,
                guard,
                updates,
                target,
                able: is_able.then_some(able),
            });
        }
        self.states[side][state].steps = steps;
        Ok(())
    }

    /// Lets time pass at a place, within the invariants.
    fn wait(&self, place: usize, zone: &mut Zone) -> bool {
        let sides = [self.state(place, 0), self.state(place, 1)];
        let is_inside = sides.iter().all(|side| constrain(zone, &side.invariant));
        if !is_inside {
            return false;
        }
        if self.relation.is_abstract() {
            for side in (0..2).filter(|&side| sides[side].may_delay) {
                zone.delay_group(self.own(side));
            }
        } else if sides.iter().all(|side| side.may_delay) {
            zone.delay();
        }
        sides.iter().all(|side| constrain(zone, &side.invariant))
    }

    /// What plays reach from values at a place: later, and larger; false if they do not meet the invariants.
    fn arrive(&self, place: usize, zone: &mut Zone) -> Result<bool, Refusal> {
        if !self.wait(place, zone) {
            return Ok(false);
        }
        let constants = [0, 1].map(|side| self.state(place, side).constants.as_ref());
        if let [Some(first), Some(second)] = constants {
            let all: Vec<LowerUpper> = first.iter().chain(&second[1..]).copied().collect();
            Extrapolation::MPlus.apply(zone, &all);
            if self.relation.is_abstract() {
                zone.separate(self.own(1).start);
            }
        }
        if zone.is_huge() {
            return Err(Refusal::Spent("clock values grow out of range".to_owned()));
        }
        Ok(self.wait(place, zone))
    }

    fn place(&mut self, states: [usize; 2]) -> usize {
        match self.places.get_index_of(&states) {
            Some(known) => known,
            None => self.places.insert_full(states, Place::default()).0,
        }
    }

    /// Finds what plays reach.
    pub fn explore(&mut self, budget: &Budget) -> Result<(), Refusal> {
        for side in 0..2 {
            for state in self.networks[side].initial() {
                let Some(state) = self.number(side, state)? else {
                    continue;
                };
                let mut zone = Zone::zero(self.dimension());
                if constrain(&mut zone, &self.states[side][state].invariant) {
                    self.starts[side].push(state);
                }
            }
        }
        let mut waiting = VecDeque::new();
        for first in self.starts[0].clone() {
            for second in self.starts[1].clone() {
                let place = self.place([first, second]);
                let mut zone = Zone::zero(self.dimension());
                if self.arrive(place, &mut zone)? {
                    self.places[place].reach.add(zone.clone());
                    waiting.push_back((place, zone));
                }
            }
        }
        while let Some((place, zone)) = waiting.pop_front() {
            budget.check().map_err(|spent| {
                Refusal::Spent(format!("{spent}: {} zones of pairs were found", self.zones()))
            })?;
            if !self.places[place].reach.zones().contains(&zone) {
                continue;
            }
            for (target, zone) in self.successors(place, &zone)? {
                let to = &mut self.places[target];
                if !to.before.contains(&place) {
                    to.before.push(place);
                }
                if !to.reach.zones().iter().any(|known| zone.is_within(known)) {
                    to.reach.add(zone.clone());
                    waiting.push_back((target, zone));
                }
            }
        }
        Ok(())
    }

    /// Where steps of both lead.
    fn successors(&mut self, place: usize, zone: &Zone) -> Result<Vec<(usize, Zone)>, Refusal> {
        let states = *self.places.get_index(place).expect("a known place").0;
        for (side, state) in states.into_iter().enumerate() {
            self.expand(side, state)?;
            for step in &self.states[side][state].steps {
                // What goes wrong is noticed wherever it can be taken.
                let mut able = zone.clone();
                if !constrain(&mut able, &step.guard) {
                    continue;
                }
                if let Err(trouble) = step.target {
                    return Err(Refusal::Model(side == 1, trouble));
                }
                let is_negative = |update: &ClockUpdate| {
                    let is_it = Space::is_negative(&able, update);
                    able.assign(update.target, update.source, update.offset as i32);
                    is_it
                };
                if step.updates.iter().any(is_negative) {
                    let trouble = Trouble {
                        fault: Fault::NegativeClock,
                        span: Default::default(),
                    };
                    return Err(Refusal::Model(side == 1, trouble));
                }
            }
        }
        let mut found = Vec::new();
        for first in &self.states[0][states[0]].steps {
            for second in &self.states[1][states[1]].steps {
                let (Ok(to), Ok(other)) = (&first.target, &second.target) else {
                    continue;
                };
                let mut next = zone.clone();
                let is_able = first.name == second.name
                    && constrain(&mut next, &first.guard)
                    && constrain(&mut next, &second.guard);
                if is_able {
                    for update in first.updates.iter().chain(&second.updates) {
                        next.assign(update.target, update.source, update.offset as i32);
                    }
                    found.push(([*to, *other], next));
                }
            }
        }
        let mut arrived = Vec::new();
        for (states, mut zone) in found {
            let is_known = self.places.contains_key(&states);
            let target = self.place(states);
            if self.arrive(target, &mut zone)? {
                arrived.push((target, zone));
            } else if !is_known {
                self.places.pop();
            }
        }
        Ok(arrived)
    }
}
