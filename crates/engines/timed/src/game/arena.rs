//! The symbolic states of a game, explored forwards.
//!
//! Zones are closed under waiting. Each is extrapolated and kept unless another at the same discrete state contains it; so the states of all zones together contain the initial ones and are
//! closed under steps and waits.

use crate::cover_search::{split, tame};
use crate::space::{Space, StateId, Stepped};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_zones::{Extrapolation, Zone};
use std::collections::VecDeque;

/// What is known of a discrete state.
#[derive(Debug, Default)]
struct Place {
    zones: Vec<Zone>,
    /// A zone, closed under waiting, that contains them.
    hull: Option<Zone>,
    /// The discrete states with steps to it.
    sources: Vec<StateId>,
    has_grown: bool,
}

/// The arena of a game.
#[derive(Debug)]
pub(crate) struct Arena {
    extrapolation: Extrapolation,
    places: Vec<Place>,
    waiting: VecDeque<(StateId, Zone)>,
    grown: Vec<StateId>,
    /// Whether a step goes wrong in some state of it.
    pub goes_wrong: bool,
}

impl Arena {
    /// Nothing is explored.
    pub fn new(extrapolation: Option<Extrapolation>) -> Arena {
        Arena {
            extrapolation: extrapolation.unwrap_or(Extrapolation::LuPlus),
            places: Vec::new(),
            waiting: VecDeque::new(),
            grown: Vec::new(),
            goes_wrong: false,
        }
    }

    /// Number of zones.
    pub fn len(&self) -> usize {
        self.places.iter().map(|place| place.zones.len()).sum()
    }

    fn place(&mut self, state: StateId) -> &mut Place {
        let needed = state as usize + 1;
        if self.places.len() < needed {
            self.places.resize_with(needed, Place::default);
        }
        &mut self.places[state as usize]
    }

    /// Adds the states of a zone.
    pub fn offer(&mut self, space: &Space<'_>, state: StateId, zone: Zone) -> Result<(), Stop> {
        for (mut zone, _) in split(space, zone) {
            tame(space, Some(self.extrapolation), &mut zone, state)?;
            // What extrapolation adds may wait as well, within the invariant.
            if !space.arrive(state, &mut zone) {
                continue;
            }
            let place = self.place(state);
            if place.zones.iter().any(|known| zone.is_within(known)) {
                continue;
            }
            place.zones.retain(|known| !known.is_within(&zone));
            place.zones.push(zone.clone());
            let hull = match &place.hull {
                Some(hull) => {
                    let mut larger = hull.hull(&zone);
                    let _ = space.arrive(state, &mut larger);
                    larger
                }
                None => zone.clone(),
            };
            if place.hull.as_ref() != Some(&hull) {
                place.hull = Some(hull);
                self.note_growth(state);
            }
            self.waiting.push_back((state, zone));
        }
        Ok(())
    }

    fn note_growth(&mut self, state: StateId) {
        if !std::mem::replace(&mut self.place(state).has_grown, true) {
            self.grown.push(state);
        }
    }

    /// Explores so many zones; tells whether more are left.
    pub fn explore(
        &mut self,
        space: &mut Space<'_>,
        count: usize,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<bool, Stop> {
        for _ in 0..count {
            budget.check()?;
            let Some((state, zone)) = self.waiting.pop_front() else {
                return Ok(false);
            };
            // A larger zone has come since.
            if !self.places[state as usize].zones.contains(&zone) {
                continue;
            }
            counters.visited += 1;
            for &transition in space.transitions(state).iter() {
                counters.steps += 1;
                let mut next = zone.clone();
                match space.step(&mut next, transition) {
                    Stepped::Empty => {}
                    Stepped::Fault(_) => self.goes_wrong = true,
                    Stepped::To(target) => {
                        let sources = &mut self.place(target).sources;
                        if !sources.contains(&state) {
                            sources.push(state);
                            // It may have been looked at before anything was known of the target.
                            self.note_growth(state);
                        }
                        self.offer(space, target, next)?;
                    }
                }
            }
        }
        Ok(!self.waiting.is_empty() && !self.goes_wrong)
    }

    /// The discrete states whose hulls or targets have grown since they were taken last.
    pub fn take_grown(&mut self) -> Vec<StateId> {
        let grown = std::mem::take(&mut self.grown);
        for &state in &grown {
            self.places[state as usize].has_grown = false;
        }
        grown
    }

    /// The discrete states with steps to one.
    pub fn sources(&self, state: StateId) -> &[StateId] {
        self.places
            .get(state as usize)
            .map_or(&[], |place| &place.sources)
    }

    /// A zone that contains those of a discrete state.
    pub fn hull(&self, state: StateId) -> Option<&Zone> {
        self.places.get(state as usize)?.hull.as_ref()
    }

    /// The zones of a discrete state.
    pub fn zones(&self, state: StateId) -> &[Zone] {
        self.places.get(state as usize).map_or(&[], |place| &place.zones)
    }

    /// The discrete states that have zones.
    pub fn states(&self) -> impl Iterator<Item = StateId> {
        let has_zones =
            |(state, place): (usize, &Place)| (!place.zones.is_empty()).then_some(state as StateId);
        self.places.iter().enumerate().filter_map(has_zones)
    }
}
