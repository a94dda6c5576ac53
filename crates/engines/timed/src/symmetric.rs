//! Reachability up to permutations of scalars: a covering search of representatives, and what becomes of its result.
//!
//! A path of representatives leads back to one of the network (`symmetry`), whose run is the evidence. A cover is the images of the representatives; where these are too many to be listed, the representatives stand alone, nobody checks them, and the answer rests
//! on the test that permutations keep what the network means.

use crate::concrete::{Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, cover_of, run_along, tame};
use crate::settings::Settings;
use crate::space::{Constraint, Space, StateId, Stepped, Target};
use crate::symmetry::{Motion, Symmetry, after, inverse};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_zones::Zone;

/// Looks for a state that the query's formula describes, up to permutations of scalars where these are of use.
pub(crate) fn reach(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    match decide(space, settings, budget, counters)? {
        Some(proof) => Ok(proof),
        None => CoverSearch::new(space, settings).reach(budget, counters),
    }
}

fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    let is_usable = settings.symmetry && space.constants.diagonals.is_empty();
    let Some(symmetry) = (is_usable.then(|| Symmetry::of(space.network, space.query))).flatten() else {
        return Ok(None);
    };
    let mut search = CoverSearch::new(space, settings);
    search.symmetry = Some(symmetry);
    match search.explore(budget, counters) {
        // Which mistake is met first, and by which run, is told by a search of the states themselves.
        Err(Stop::Model(_)) => {
            *counters = Counters::default();
            return Ok(None);
        }
        other => other?,
    }
    if let Some((node, _)) = search.found.take() {
        let (path, goal) = run_of(&mut search, settings, node)?;
        return Ok(Some(run_along(search.space, &path, &goal)?));
    }
    let alive = search.alive().len();
    let listed = match search.symmetry.take() {
        Some(mut symmetry) if symmetry.can_list(alive) => symmetry.all_images(search.cover_nodes(&|_| 0)),
        _ => None,
    };
    Ok(Some(match listed {
        Some(nodes) => Proof::Cover {
            cover: cover_of(search.space, nodes),
        },
        None => Proof::Representatives {
            cover: search.cover(&|_| 0),
        },
    }))
}

/// The path of the network that a path of representatives stands for, and what is met at its end.
fn run_of(
    search: &mut CoverSearch<'_, '_>,
    settings: Settings,
    node: NodeId,
) -> Result<(Path, Vec<Constraint>), Stop> {
    let lost = || Stop::Unknown("the path of representatives stands for no path of the network".to_owned());
    let mut numbers = Vec::new();
    let mut here = node;
    while let Some((parent, transition)) = search.origin(here) {
        numbers.push(transition);
        here = parent;
    }
    let root = search.state(here);
    let Some(mut symmetry) = search.symmetry.take() else {
        return Err(lost());
    };
    let space = &mut *search.space;
    let (first, mut state, mut zone, mut motion) = start(space, &mut symmetry, root)?.ok_or_else(lost)?;
    let mut path = Path {
        first,
        steps: Vec::new(),
    };
    for &number in numbers.iter().rev() {
        let step = space.transitions(state)[number as usize];
        let Stepped::To(target) = space.step(&mut zone, step) else {
            return Err(lost());
        };
        let back = inverse(&motion);
        let (real, _) = (symmetry.moved(&back, &space.discrete(target), &zone)).ok_or_else(lost)?;
        let real = space.number(&real).map_err(Stop::at_start)?.ok_or_else(lost)?;
        // What the step asks of clocks and does to them, moved back, tells it from others that lead there.
        let mut clock = |clock: usize| symmetry.clock(&back, clock);
        let effect = space.effect(step.effect);
        let guard: Option<Vec<Constraint>> = (effect.guard.iter())
            .map(|&(left, right, bound)| Some((clock(left)?, clock(right)?, bound)))
            .collect();
        let updates: Option<Vec<(usize, usize, i64)>> = (effect.updates.iter())
            .map(|one| Some((clock(one.target)?, clock(one.source)?, one.offset)))
            .collect();
        let (guard, updates) = (sorted(guard.ok_or_else(lost)?), updates.ok_or_else(lost)?);
        let own = space.transitions(path.last());
        let is_image = own.iter().find(|own| {
            let effect = space.effect(own.effect);
            let own_updates = effect
                .updates
                .iter()
                .map(|one| (one.target, one.source, one.offset));
            matches!(own.target, Target::State(state) if state == real)
                && sorted(effect.guard.to_vec()) == guard
                && own_updates.eq(updates.iter().copied())
        });
        path.steps.push(PathStep::of(*is_image.ok_or_else(lost)?, real));
        state = target;
        tame_and_represent(space, &mut symmetry, settings, &mut state, &mut zone, &mut motion)?;
    }
    let (_, real) = symmetry
        .moved(&inverse(&motion), &space.discrete(state), &zone)
        .ok_or_else(lost)?;
    let goal = space.meets(path.last(), 0, &real).ok_or_else(lost)?;
    Ok((path, goal))
}

fn sorted(mut guard: Vec<Constraint>) -> Vec<Constraint> {
    guard.sort_unstable();
    guard
}

/// The representative of what a step leads to, as the search has stored it, and the motion from the network's own state to it.
fn tame_and_represent(
    space: &mut Space<'_>,
    symmetry: &mut Symmetry<'_>,
    settings: Settings,
    state: &mut StateId,
    zone: &mut Zone,
    motion: &mut Motion,
) -> Result<(), Stop> {
    let own = symmetry.represent(space, state, zone)?;
    tame(space, settings.extrapolation, zone, *state)?;
    *motion = after(motion, &own);
    Ok(())
}

/// An initial state that a state represents: itself, its representative, and the motion there.
fn start(
    space: &mut Space<'_>,
    symmetry: &mut Symmetry<'_>,
    root: StateId,
) -> Result<Option<(StateId, StateId, Zone, Motion)>, Stop> {
    for first in space.initial().map_err(Stop::at_start)? {
        let Some(mut zone) = space.begin(first) else {
            continue;
        };
        let mut state = first;
        let motion = symmetry.represent(space, &mut state, &mut zone)?;
        if state == root {
            return Ok(Some((first, state, zone, motion)));
        }
    }
    Ok(None)
}
