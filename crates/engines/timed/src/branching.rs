//! Nested questions (TCTL) on unions of zones: for each discrete state, the clock values at which a formula holds.
//!
//! The clocks of the network and of the intervals of the formula are the dimensions of the zones (Henzinger, Nicollin, Sifakis, Yovine 1994). `E[ p U q ]` is a least fixpoint, backwards: wait, without leaving `p` before `q`, to `q` or to a step that leads on.
//! `E[] p` is a greatest one: wait within `p` to a step that leads on, or to an end of the run. All that is computed are unions of regions, of which there are finitely many. An
//! operator with an interval is evaluated with its clock, and then holds where it does when that clock is 0.
//!
//! The discrete states are those that a forward exploration of zones reaches. At clock values that are not reached there the result means nothing, and nothing depends on it.

use crate::game::Arena;
use crate::inexact::explained;
use crate::predecessor::constrain;
use crate::settings::Settings;
use crate::space::{Space, StateId, Target};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{BranchingSets, CoverNode, CoverNodes};
use entail_clocks::{Branching, Nested};
use entail_zones::{Federation, Zone, is_covered};
use std::collections::VecDeque;

/// Zones that are explored between two looks at the budget.
const BATCH: usize = 1024;

/// For each discrete state: where a formula holds.
type Sets = Vec<Federation>;

struct Evaluation<'s, 'n> {
    space: &'s mut Space<'n>,
    arena: Arena,
    states: Vec<StateId>,
    /// The invariant of each discrete state.
    wholes: Vec<Zone>,
    budget: &'s Budget,
    /// Evidence for operators about runs, in the order in which they were evaluated.
    sets: Vec<CoverNodes>,
}

/// A zone that a fixpoint gained or lost, and when.
struct Change {
    state: StateId,
    zone: Zone,
    turn: u32,
}

/// Where the parts of a formula hold, and whether it holds in every initial state.
pub(crate) fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    asked: &Branching,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<BranchingSets, Stop> {
    space.needs_bounds()?;
    let initial = space.initial().map_err(Stop::at_start)?;
    let mut arena = Arena::new(settings.extrapolation);
    let mut starts = Vec::new();
    for state in initial {
        if let Some(zone) = space.begin(state) {
            arena.offer(space, state, zone)?;
            starts.push(state);
        }
    }
    while arena.explore(space, BATCH, budget, counters)? {}
    counters.stored = arena.len() as u64;
    if arena.goes_wrong {
        return Err(explained(space, settings, budget, counters));
    }
    let dimension = space.network.dimension();
    let whole = |state: StateId| {
        let mut zone = Zone::universal(dimension);
        let _ = constrain(&mut zone, space.info(state).invariant);
        zone
    };
    let wholes = (0..space.len() as StateId).map(whole).collect();
    let states = arena.states().collect();
    let mut evaluation = Evaluation {
        space,
        arena,
        states,
        wholes,
        budget,
        sets: Vec::new(),
    };
    let holds = evaluation.evaluate(&asked.formula)?;
    let zero = Zone::zero(dimension);
    let reached = evaluation.reached(&asked.clocks);
    Ok(BranchingSets {
        holds: (starts.iter()).all(|&state| is_covered(&zero, holds[state as usize].zones())),
        reached,
        sets: evaluation.sets,
    })
}

impl Evaluation<'_, '_> {
    fn each(&self, of: impl Fn(&Self, StateId) -> Federation) -> Sets {
        let mut sets = vec![Federation::default(); self.wholes.len()];
        for &state in &self.states {
            sets[state as usize] = of(self, state);
        }
        sets
    }

    fn evaluate(&mut self, formula: &Nested) -> Result<Sets, Stop> {
        self.budget.check()?;
        Ok(match formula {
            Nested::Condition(number) => self.each(|this, state| {
                let conjunctions = &this.space.info(state).goals[*number];
                let zone = |conjunction: &Vec<_>| {
                    let mut zone = this.wholes[state as usize].clone();
                    constrain(&mut zone, conjunction).then_some(zone)
                };
                conjunctions.iter().filter_map(zone).collect()
            }),
            Nested::Not(inner) => {
                let holds = self.evaluate(inner)?;
                self.each(|this, state| this.rest(state, &holds))
            }
            Nested::And(parts) => {
                let mut all = self.each(|this, state| this.wholes[state as usize].clone().into());
                for part in parts {
                    let holds = self.evaluate(part)?;
                    all = self.each(|_, state| all[state as usize].meet_all(&holds[state as usize]).merged());
                }
                all
            }
            Nested::Or(parts) => {
                let mut all = vec![Federation::default(); self.wholes.len()];
                for part in parts {
                    let holds = self.evaluate(part)?;
                    for (all, one) in all.iter_mut().zip(holds) {
                        all.add_all(one);
                    }
                }
                all
            }
            Nested::SomeUntil(from, to) => {
                let (from, to) = (self.evaluate(from)?, self.evaluate(to)?);
                let (holds, gained) = self.some_until(&from, &to)?;
                self.note(&gained);
                holds
            }
            Nested::SomeAlways(inner) => {
                let inside = self.evaluate(inner)?;
                let (holds, lost) = self.some_always(inside)?;
                self.note(&lost);
                holds
            }
            Nested::Fresh(clock, inner) => {
                let holds = self.evaluate(inner)?;
                let set = |zone: &Zone| {
                    let mut zone = zone.clone();
                    zone.unassign(*clock, 0, 0).then_some(zone)
                };
                self.each(|_, state| holds[state as usize].zones().iter().filter_map(set).collect())
            }
        })
    }

    /// What of a discrete state is not in a set.
    fn rest(&self, state: StateId, holds: &Sets) -> Federation {
        let whole = Federation::from(self.wholes[state as usize].clone());
        whole.without(holds[state as usize].zones()).merged()
    }

    /// From where a step leads into a set.
    fn before_step(&mut self, state: StateId, sets: &Sets) -> Federation {
        let mut found = Federation::default();
        for &transition in self.space.transitions(state).iter() {
            if let Target::State(target) = transition.target
                && let Some(into) = sets.get(target as usize)
            {
                let earlier = into.zones().iter();
                found.add_all(
                    earlier
                        .filter_map(|zone| self.space.earlier(state, transition, zone))
                        .collect(),
                );
            }
        }
        found
    }

    /// From where a wait leads to targets, and never into what is bad.
    fn before_wait(&self, state: StateId, targets: &Federation, bad: &Federation) -> Federation {
        if !self.space.info(state).may_delay {
            return targets.without(bad.zones());
        }
        let mut found = Federation::default();
        for target in targets.zones() {
            found.add_all(target.before(bad.zones()).meet(&self.wholes[state as usize]));
        }
        found
    }

    /// The least fixpoint, and when it gained what.
    fn some_until(&mut self, from: &Sets, to: &Sets) -> Result<(Sets, Vec<Change>), Stop> {
        let mut gained = Vec::new();
        let mut holds = vec![Federation::default(); self.wholes.len()];
        let mut dirty: VecDeque<StateId> = self.states.iter().copied().collect();
        while let Some(state) = dirty.pop_front() {
            self.budget.check()?;
            let at = state as usize;
            let whole = Federation::from(self.wholes[at].clone());
            let bad = whole.without(from[at].zones()).without(to[at].zones());
            let mut targets = to[at].clone();
            targets.add_all(from[at].meet_all(&self.before_step(state, &holds)));
            let found = self.before_wait(state, &targets, &bad);
            if !(found.zones().iter()).all(|zone| is_covered(zone, holds[at].zones())) {
                note_changes(&mut gained, state, found.without(holds[at].zones()));
                holds[at].add_all(found);
                holds[at] = std::mem::take(&mut holds[at]).merged();
                self.again(state, &mut dirty);
            }
        }
        Ok((holds, gained))
    }

    /// The greatest fixpoint, and when it lost what.
    fn some_always(&mut self, inside: Sets) -> Result<(Sets, Vec<Change>), Stop> {
        let mut lost = Vec::new();
        let mut ends = vec![Federation::default(); self.wholes.len()];
        for state in self.states.clone() {
            ends[state as usize] = self.ends(state, &inside);
        }
        let mut holds = inside.clone();
        let mut dirty: VecDeque<StateId> = self.states.iter().copied().collect();
        while let Some(state) = dirty.pop_front() {
            self.budget.check()?;
            let at = state as usize;
            let bad = self.rest(state, &inside);
            let mut targets = inside[at].meet_all(&self.before_step(state, &holds));
            targets.add_all(ends[at].clone());
            let found = self.before_wait(state, &targets, &bad).merged();
            if !(holds[at].zones().iter()).all(|zone| is_covered(zone, found.zones())) {
                note_changes(&mut lost, state, holds[at].without(found.zones()));
                holds[at] = found;
                self.again(state, &mut dirty);
            }
        }
        Ok((holds, lost))
    }

    /// Where a run may end within a set: time passes for ever, or no step is possible any more, and the time that is left passes in the set.
    fn ends(&mut self, state: StateId, inside: &Sets) -> Federation {
        let at = state as usize;
        let bad = self.rest(state, inside);
        let whole = &self.wholes[at];
        let is_bounded = (1..whole.dimension()).any(|clock| !whole.bound(clock, 0).is_none());
        if !self.space.info(state).may_delay {
            let able = self.space.able(state);
            return inside[at].without(able.iter());
        }
        let lasting = inside[at].without(bad.undelay().zones());
        match is_bounded {
            false => lasting,
            true => lasting.without(self.space.able(state).iter()),
        }
    }

    fn node(&self, state: StateId, zone: &Zone, rank: u32) -> CoverNode {
        let discrete = self.space.discrete(state);
        CoverNode {
            locations: discrete.locations,
            integers: discrete.integers,
            zone: zone.cells().iter().map(|bound| bound.packed()).collect(),
            rank,
        }
    }

    /// Keeps what a fixpoint gained or lost as evidence.
    fn note(&mut self, changes: &[Change]) {
        let node = |one: &Change| self.node(one.state, &one.zone, one.turn);
        let nodes = changes.iter().map(node).collect();
        self.sets.push(nodes);
    }

    /// All that was explored, with any value of the clocks of intervals.
    fn reached(&self, clocks: &[usize]) -> CoverNodes {
        let mut found = CoverNodes::default();
        for &state in &self.states {
            let mut kept: Vec<Zone> = Vec::new();
            for zone in self.arena.zones(state) {
                let mut zone = zone.clone();
                clocks.iter().for_each(|&clock| zone.free(clock));
                if !kept.iter().any(|other| zone.is_within(other)) {
                    found.push(&self.node(state, &zone, 0));
                    kept.push(zone);
                }
            }
        }
        found
    }

    /// Looks again at what has steps into a state.
    fn again(&self, state: StateId, dirty: &mut VecDeque<StateId>) {
        for &source in self.arena.sources(state) {
            if !dirty.contains(&source) {
                dirty.push_back(source);
            }
        }
    }
}

/// Notes zones that a fixpoint gained or lost in one turn; turns are numbered.
fn note_changes(changes: &mut Vec<Change>, state: StateId, zones: Federation) {
    let turn = changes.last().map_or(0, |one| one.turn + 1);
    let change = |zone: &Zone| Change {
        state,
        zone: zone.clone(),
        turn,
    };
    changes.extend(zones.zones().iter().map(change));
}
