//! Evidence about games: where one side wins, and what the controller does there.
//!
//! Of the collected states those are kept that matter from the start: with ranks up to that of the start, and at discrete states that are reached when the controller plays as it should. What is
//! not collected in the end is won by the other side, as far as the arena goes.

use super::{Game, Part};
use crate::Stop;
use crate::space::{StateId, Target};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNode, CoverNodes, Proof, Strategy};
use entail_zones::{Federation, Zone, is_covered};

impl Game<'_, '_> {
    fn node(&self, state: StateId, zone: &Zone, rank: u32) -> CoverNode {
        let discrete = self.space.discrete(state);
        CoverNode {
            locations: discrete.locations,
            integers: discrete.integers,
            zone: zone.cells().iter().map(|bound| bound.packed()).collect(),
            rank,
        }
    }

    /// The largest rank that is needed at the start.
    fn first_rank(&self) -> u32 {
        let zero = Zone::zero(self.space.network.dimension());
        let rank = |&state: &StateId| {
            let parts = self.parts[state as usize].iter();
            let ranks = parts
                .filter(|part| zero.is_within(&part.zone))
                .map(|part| part.rank);
            ranks.min()
        };
        let ranks = self.initial.iter().filter_map(rank);
        match self.must_win {
            true => ranks.max().unwrap_or(0),
            false => ranks.min().unwrap_or(0),
        }
    }

    /// The nodes of a strategy, at the discrete states that are reached by playing it; with `all`, also those that other steps of the controller lead to.
    fn strategy(&mut self, parts: &dyn Fn(StateId) -> Vec<Part>, all: bool) -> Proof {
        let mut strategy = Strategy::default();
        let mut is_reached = vec![false; self.space.len()];
        let mut waiting = self.initial.clone();
        waiting
            .iter()
            .for_each(|&state| is_reached[state as usize] = true);
        while let Some(state) = waiting.pop() {
            let parts = parts(state);
            let transitions = self.space.transitions(state);
            let mut targets = Vec::new();
            for part in &parts {
                strategy.winning.push(&self.node(state, &part.zone, part.rank));
                let choice = part.takes.map(|number| transitions[number as usize]);
                strategy.choices.push(match choice {
                    Some(transition) => self.space.joint(transition.joint).to_vec(),
                    None => Vec::new(),
                });
                targets.extend(choice.map(|transition| transition.target));
            }
            let is_own = |joint: u32| self.space.network.is_controllable(self.space.joint(joint));
            let followed = (transitions.iter()).filter(|transition| all || !is_own(transition.joint));
            targets.extend(followed.map(|transition| transition.target));
            for target in targets {
                if let Target::State(target) = target
                    && let Some(is_reached) = is_reached.get_mut(target as usize)
                    && !std::mem::replace(is_reached, true)
                {
                    waiting.push(target);
                }
            }
        }
        Proof::Strategy { strategy }
    }

    /// How the controller gets where it must.
    pub(super) fn ranked_strategy(&mut self) -> Proof {
        let most = self.first_rank();
        let parts = std::mem::take(&mut self.parts);
        let needed = |state: StateId| -> Vec<Part> {
            let parts = parts.get(state as usize).into_iter().flatten();
            parts.filter(|part| part.rank <= most).cloned().collect()
        };
        self.strategy(&needed, false)
    }

    /// How the controller keeps out of what loses: it waits where it can for ever, and takes a step where that is not enough. With `all`, the nodes are everywhere where it may get without losing.
    pub(super) fn lasting_strategy(&mut self, all: bool, budget: &Budget) -> Result<Proof, Stop> {
        let mut kept: Vec<Vec<Part>> = vec![Vec::new(); self.space.len()];
        for state in self.arena.states().collect::<Vec<_>>() {
            budget.check()?;
            self.prepare(state);
            let may_delay = self.space.info(state).may_delay;
            let found = self.one_move(state);
            let won: Federation = (self.left(state).into_iter()).collect();
            let own = &mut kept[state as usize];
            let mut rest = won.without(found.won_by_waiting(may_delay).zones());
            for (transition, zones) in &found.steps {
                if rest.is_empty() {
                    break;
                }
                let steps = zones.without(found.bad.zones()).meet_all(&won);
                let before = steps.zones().iter().map(|zone| match may_delay {
                    true => zone.before(found.bad.zones()),
                    false => Federation::from(zone.clone()),
                });
                let mut reached = Federation::default();
                before.for_each(|zones| reached.add_all(zones));
                if reached.meet_all(&rest).is_empty() {
                    continue;
                }
                rest = rest.without(reached.zones());
                own.extend(steps.zones().iter().map(|zone| Part {
                    zone: zone.clone(),
                    rank: 0,
                    takes: Some(*transition),
                }));
            }
            own.extend(won.zones().iter().map(|zone| Part {
                zone: zone.clone(),
                rank: 0,
                takes: None,
            }));
        }
        Ok(self.strategy(&|state| kept[state as usize].clone(), all))
    }

    /// What of the arena is not collected at a discrete state.
    fn left(&self, state: StateId) -> Vec<Zone> {
        let collected = || self.parts[state as usize].iter().map(|part| &part.zone);
        let mut left: Vec<Zone> = Vec::new();
        for zone in self.arena.zones(state) {
            for part in Federation::from(zone.clone()).without(collected()).zones() {
                if !is_covered(part, &left) {
                    left.push(part.clone());
                }
            }
        }
        left.into_iter().collect::<Federation>().merged().zones().to_vec()
    }

    /// How the opponent gets the controller to lose.
    pub(super) fn ranked_spoiling(&self) -> Proof {
        let most = self.first_rank();
        let mut losing = CoverNodes::default();
        for (state, parts) in self.parts.iter().enumerate() {
            for part in parts.iter().filter(|part| part.rank <= most) {
                losing.push(&self.node(state as StateId, &part.zone, part.rank));
            }
        }
        Proof::Spoiled { losing }
    }

    /// How the opponent keeps the controller from winning.
    pub(super) fn lasting_spoiling(&self) -> Proof {
        let mut losing = CoverNodes::default();
        for state in self.arena.states() {
            for zone in self.left(state) {
                losing.push(&self.node(state, &zone, 0));
            }
        }
        Proof::Spoiled { losing }
    }
}
