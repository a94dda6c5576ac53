//! From where the controller wins with one move, a wait and a step of its own, whatever its opponent does meanwhile, given where it wins after that.
//!
//! A move is good if it leads to a *target*: a state that wins at once, one with a step of the controller that leads on to winning states, or one from which waiting to the end is good. On the
//! way, and at the target, there must be nothing *bad*: a state that loses at once, or from which the opponent has a step to a state that is not winning (unless it wins at once: the game is over there).
//!
//! Waiting to the end. Where time is bounded, the opponent has to move in the end if its steps can be taken throughout the last of the time. If nobody's step can be taken any more, the run ends:
//! that is good unless something must be reached. Where time is not bounded, waiting for ever is good in the same case.

use super::Game;
use crate::predecessor::constrain;
use crate::space::{StateId, Target, Transition};
use entail_clocks::EdgeId;
use entail_zones::{Federation, Zone};

/// What does not change at a discrete state.
#[derive(Debug)]
pub(super) struct Board {
    /// Its steps: the transition, its number, whether the controller takes it, from where.
    steps: Vec<(Transition, u32, bool, Zone)>,
    goal: Federation,
    lost: Federation,
    /// From where waiting to the end is good as far as time and steps are concerned.
    tail: Federation,
}

/// What one move leads to.
#[derive(Debug)]
pub(super) struct OneMove {
    /// Where steps of the controller lead to winning states: transitions by number.
    pub steps: Vec<(u32, Federation)>,
    /// Where the game is won, and where waiting to the end is good.
    pub ends: Federation,
    pub bad: Federation,
}

impl OneMove {
    /// The states from which waiting leads to one of these targets.
    fn before<'z>(&self, targets: impl Iterator<Item = &'z Zone>, may_delay: bool) -> Federation {
        let mut found = Federation::default();
        for target in targets {
            found.add_all(match may_delay {
                true => target.before(self.bad.zones()),
                false => Federation::from(target.clone()).without(self.bad.zones()),
            });
        }
        found.merged()
    }

    /// From where the controller wins.
    pub fn won(&self, may_delay: bool) -> Federation {
        let steps = self.steps.iter().flat_map(|(_, zones)| zones.zones());
        self.before(self.ends.zones().iter().chain(steps), may_delay)
    }

    /// From where it wins without a step of its own.
    pub fn won_by_waiting(&self, may_delay: bool) -> Federation {
        self.before(self.ends.zones().iter(), may_delay)
    }
}

impl Game<'_, '_> {
    /// Finds out what does not change at a discrete state.
    pub(super) fn prepare(&mut self, state: StateId) {
        if self.boards[state as usize].is_some() {
            return;
        }
        let dimension = self.space.network.dimension();
        let universal = Zone::universal(dimension);
        let mut steps = Vec::new();
        for (number, &transition) in self.space.transitions(state).iter().enumerate() {
            let edges: &[EdgeId] = self.space.joint(transition.joint);
            let is_own = self.space.network.is_controllable(edges);
            if let Some(zone) = self.space.earlier(state, transition, &universal) {
                steps.push((transition, number as u32, is_own, zone));
            }
        }
        let info = self.space.info(state);
        let mut invariant = universal.clone();
        let is_met = constrain(&mut invariant, info.invariant);
        debug_assert!(is_met, "a state of the arena meets its invariant");
        let within = |formula: usize| -> Federation {
            let zones = (info.goals[formula].iter()).filter_map(|conjunction| {
                let mut zone = invariant.clone();
                constrain(&mut zone, conjunction).then_some(zone)
            });
            zones.collect()
        };
        let (goal, lost) = (within(0), within(1));
        let opposing: Federation = (steps.iter().filter(|step| !step.2))
            .map(|step| step.3.clone())
            .collect();
        let any: Federation = steps.iter().map(|step| step.3.clone()).collect();
        let is_bounded = !info.may_delay || (1..dimension).any(|clock| !invariant.bound(clock, 0).is_none());
        let whole = Federation::from(invariant);
        // Everything from which time leads into some zones, if it passes.
        let ahead = |zones: &Federation| match info.may_delay {
            true => zones.undelay(),
            false => zones.clone(),
        };
        let mut tail = Federation::default();
        if is_bounded {
            let outside = match info.may_delay {
                true => whole.without(opposing.zones()).undelay(),
                false => Federation::default(),
            };
            tail.add_all(opposing.without(outside.zones()));
            if !self.must_win {
                tail.add_all(whole.without(ahead(&any).zones()));
            }
        } else if !self.must_win {
            tail = whole;
        }
        self.boards[state as usize] = Some(Board {
            steps,
            goal,
            lost,
            tail,
        });
    }

    /// One move at a discrete state that was prepared.
    pub(super) fn one_move(&self, state: StateId) -> OneMove {
        let Some(board) = &self.boards[state as usize] else {
            return OneMove {
                steps: Vec::new(),
                ends: Federation::default(),
                bad: Federation::default(),
            };
        };
        let mut bad = board.lost.clone();
        let mut steps = Vec::new();
        for (transition, number, is_own, enabled) in &board.steps {
            let into = self.before_collected(state, *transition);
            // The collected states are won by the side that must get somewhere; all others are not, or not yet.
            let winning = match self.must_win {
                true => into,
                false => Federation::from(enabled.clone()).without(into.zones()),
            };
            match is_own {
                true => steps.push((*number, winning.merged())),
                false => {
                    let losing = Federation::from(enabled.clone()).without(winning.zones());
                    bad.add_all(losing.without(board.goal.zones()));
                }
            }
        }
        let bad = bad.merged();
        let may_delay = self.space.info(state).may_delay;
        let doomed = match may_delay {
            true => bad.undelay(),
            false => bad.clone(),
        };
        let mut ends = board.goal.clone();
        ends.add_all(board.tail.without(doomed.zones()));
        let ends = ends.merged();
        OneMove { steps, ends, bad }
    }

    /// From where a step leads to collected states.
    fn before_collected(&self, state: StateId, transition: Transition) -> Federation {
        let Target::State(target) = transition.target else {
            return Federation::default();
        };
        let parts = self.parts.get(target as usize).map_or(&[][..], Vec::as_slice);
        (parts.iter())
            .filter_map(|part| self.space.earlier(state, transition, &part.zone))
            .collect()
    }
}
