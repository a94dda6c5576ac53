//! Timed games: whether the controller has a strategy, and how it plays.
//!
//! On the fly as in Cassez, David, Fleury, Larsen and Lime (CONCUR 2005): symbolic states are explored forwards in growing batches ([`arena`]); between the batches what one side is known to win is
//! carried backwards from discrete state to discrete state ([`one_move`]) until nothing changes or the initial state is decided. The side that must get somewhere is the one whose states are collected:
//! the controller where it must win in the end, its opponent where the controller only has to avoid losing. So in both cases a least fixpoint is computed, which is sound while the arena is still incomplete: a
//! state that is not collected yet is one that this side is not known to win. The states collected in one evaluation have a rank of their own, larger than those they were computed from.
//!
//! Zones of the arena may be extrapolated: that adds states that no run reaches, and everything is computed exactly on what is there, which is closed under steps and waits.
//!
//! **What is played.** As in UPPAAL TIGA: the opponent may take its steps whenever they are enabled, also at the very moment at which the controller takes one. At the end of the time that an invariant
//! allows somebody has to move: the opponent if it can; the controller cannot stop time while it could move itself; where no step at all is possible, the run ends.

mod arena;
mod one_move;
mod strategy;

use crate::inexact::explained;
use crate::settings::Settings;
use crate::space::{Space, StateId};
use crate::{Counters, Stop};
pub(crate) use arena::Arena;
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_zones::{Federation, Zone, is_covered};
use one_move::Board;
use std::collections::VecDeque;

/// Symbolic states of the first batch.
const FIRST_BATCH: usize = 256;

/// States that one side wins.
#[derive(Clone, Debug)]
struct Part {
    zone: Zone,
    /// Larger than those of the states that it was computed from.
    rank: u32,
    /// The transition of the state that the controller takes there.
    takes: Option<u32>,
}

/// A game on its way.
struct Game<'s, 'n> {
    space: &'s mut Space<'n>,
    /// Whether the controller must win in the end: then its states are collected, otherwise its opponent's.
    must_win: bool,
    arena: Arena,
    /// What is known of each discrete state, once it was evaluated.
    boards: Vec<Option<Board>>,
    /// The collected states.
    parts: Vec<Vec<Part>>,
    /// Discrete states to evaluate, each once.
    dirty: VecDeque<StateId>,
    is_dirty: Vec<bool>,
    rank: u32,
    initial: Vec<StateId>,
}

/// Decides a game. With `all`, a strategy that only has to avoid something has nodes everywhere where the controller may get without losing.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    (must_win, all): (bool, bool),
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    space.needs_bounds()?;
    let initial = space.initial().map_err(Stop::at_start)?;
    let mut game = Game {
        space,
        must_win,
        arena: Arena::new(settings.extrapolation),
        boards: Vec::new(),
        parts: Vec::new(),
        dirty: VecDeque::new(),
        is_dirty: Vec::new(),
        rank: 0,
        initial: Vec::new(),
    };
    for state in initial {
        if let Some(zone) = game.space.begin(state) {
            game.arena.offer(game.space, state, zone)?;
            game.initial.push(state);
        }
    }
    let is_decided = game.play(budget, counters)?;
    counters.stored = game.arena.len() as u64;
    if game.arena.goes_wrong {
        return Err(explained(game.space, settings, budget, counters));
    }
    Ok(match (must_win, is_decided) {
        (true, true) => game.ranked_strategy(),
        (false, false) => game.lasting_strategy(all, budget)?,
        (false, true) => game.ranked_spoiling(),
        (true, false) => game.lasting_spoiling(),
    })
}

impl Game<'_, '_> {
    /// Explores and evaluates in turns; tells whether the side whose states are collected wins from the start.
    fn play(&mut self, budget: &Budget, counters: &mut Counters) -> Result<bool, Stop> {
        let mut batch = FIRST_BATCH;
        loop {
            let more = self.arena.explore(self.space, batch, budget, counters)?;
            batch *= 2;
            let states = self.space.len();
            self.boards.resize_with(states, || None);
            self.parts.resize_with(states, Vec::new);
            self.is_dirty.resize(states, false);
            for state in self.arena.take_grown() {
                self.mark(state);
            }
            while let Some(state) = self.dirty.pop_front() {
                budget.check()?;
                self.is_dirty[state as usize] = false;
                if self.evaluate(state) {
                    for source in self.arena.sources(state).to_vec() {
                        self.mark(source);
                    }
                    if self.initial.contains(&state) && self.is_decided() {
                        return Ok(true);
                    }
                }
            }
            if !more {
                return Ok(self.is_decided());
            }
        }
    }

    fn mark(&mut self, state: StateId) {
        if !std::mem::replace(&mut self.is_dirty[state as usize], true) {
            self.dirty.push_back(state);
        }
    }

    /// Collects what one move adds at a discrete state; false if that is nothing.
    fn evaluate(&mut self, state: StateId) -> bool {
        self.prepare(state);
        let Some(hull) = self.arena.hull(state).cloned() else {
            return false;
        };
        let found = self.one_move(state);
        self.rank += 1;
        let before = self.parts[state as usize].len();
        if self.must_win {
            for (transition, steps) in &found.steps {
                for zone in steps.without(found.bad.zones()).meet(&hull).merged().zones() {
                    self.collect(state, zone, Some(*transition));
                }
            }
            for zone in found.won(self.space.info(state).may_delay).meet(&hull).zones() {
                self.collect(state, zone, None);
            }
        } else {
            let won = found.won(self.space.info(state).may_delay);
            let lost = Federation::from(hull).without(won.zones()).merged();
            for zone in lost.zones() {
                self.collect(state, zone, None);
            }
        }
        self.parts[state as usize].len() > before
    }

    fn collect(&mut self, state: StateId, zone: &Zone, takes: Option<u32>) {
        let parts = &mut self.parts[state as usize];
        if !is_covered(zone, parts.iter().map(|part| &part.zone)) {
            parts.push(Part {
                zone: zone.clone(),
                rank: self.rank,
                takes,
            });
        }
    }

    /// Whether the start is collected: for the controller all initial states must be, for its opponent one.
    fn is_decided(&self) -> bool {
        let zero = Zone::zero(self.space.network.dimension());
        let is_in = |&state: &StateId| {
            let parts = self.parts.get(state as usize);
            parts.is_some_and(|parts| parts.iter().any(|part| zero.is_within(&part.zone)))
        };
        match self.must_win {
            true => self.initial.iter().all(is_in),
            false => self.initial.iter().any(is_in),
        }
    }
}
