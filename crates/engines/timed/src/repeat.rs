//! What can be met again and again, also by an automaton that reads the run: strongly connected components of the zone graph.
//!
//! Four ways, each of which can end the matter:
//! 1. a covering search of a limited number of zones, breadth first, and from those of them that meet something that is to be met a depth-first search as below: a cycle that few steps
//!    lead to is found with a short way there, however deep the first branches are;
//! 2. a depth-first search of the graph of extrapolated zones (ExtraLU+, sound for Büchi conditions by Li 2009) with Couvreur's algorithm, for a limited number of zones, entering the last successors first, and once more the first ones first: where there is a
//!    cycle, one of the two mostly finds it at once. The one comes before the first way; the other behind it, and behind the third where that has few zones. A zone that a closed component simulates is not entered: no cycle can be reached from it either (Laarman et al. 2013);
//! 3. the covering search. Its graph, with an edge from a node to whatever covers its successor, contains the shadow of every infinite run; if no component of it meets everything that is
//!    to be met, there is no such run (Herbreteau, Srivathsan, Tran, Walukiewicz 2016), and the component numbers are the certificate (Wimmer, Herbreteau, van de Pol 2020). A component
//!    that does proves nothing, since covering may close cycles that no run has;
//! 4. the depth-first search to its end, the first successors first.
//!
//! With several threads, the first two of these are made at the same time, and the first cycle that one of them finds counts; the covering search and its graph are shared by all threads
//! (`cover_together`); deeper depth-first searches are made in both orders, whichever is first.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, cover_of};
use crate::cover_together::{Alone, Together, shared_spaces};
use crate::covering_graph;
use crate::depth_first::{DepthFirst, Direction, Found, Sought};
use crate::settings::Settings;
use crate::space::{Constraint, Space};
use crate::{Counters, Stop, cycle};
use entail_budget::{Budget, Cancellation};
use entail_clocks::evidence::{Lasso, Proof, Stay};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Zones near the start from which cycles are looked for, at most.
const MOST_BEGINNINGS: usize = 256;

/// How often a thread that waits for others looks at the limits.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A search for a cycle that may end without an answer.
#[derive(Clone, Copy)]
enum Attempt {
    /// Depth first, of so many zones at most.
    Deep(Direction, usize),
    /// From zones near the start.
    Around,
}

impl Attempt {
    fn make(
        self,
        space: &mut Space<'_>,
        settings: Settings,
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Option<Proof>, Stop> {
        match self {
            Attempt::Deep(direction, most) => {
                depth_first(space, settings, (direction, most), budget, counters)
            }
            Attempt::Around => near_the_start(space, settings, budget, counters),
        }
    }
}

/// Looks for a run that meets every formula of the query again and again.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    space.needs_bounds()?;
    let attempts = settings.attempts;
    let near = [
        Attempt::Deep(Direction::LastFirst, attempts.last_first),
        Attempt::Around,
    ];
    if let Some(proof) = first_of(&near, space, settings, budget, counters)? {
        return Ok(proof);
    }
    let mut covered = by_covering(space, settings, attempts.covering, budget, counters)?;
    let mut most = attempts.first_first;
    loop {
        if let Covered::Answered(proof) = covered {
            return Ok(*proof);
        }
        // With several threads the other order is tried beside the one that mostly leads to a cycle.
        let deep = [Direction::FirstFirst, Direction::LastFirst].map(|order| Attempt::Deep(order, most));
        let orders = if settings.threads > 1 { 2 } else { 1 };
        if let Some(proof) = first_of(&deep[..orders], space, settings, budget, counters)? {
            return Ok(proof);
        }
        if most == usize::MAX {
            return Err(Stop::Unknown("the search did not end".to_owned()));
        }
        most = usize::MAX;
        if let Covered::TooMuch = covered {
            covered = by_covering(space, settings, usize::MAX, budget, counters)?;
        }
    }
}

/// Makes attempts until one has an answer: at the same time, where there are threads for it.
fn first_of(
    attempts: &[Attempt],
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    match settings.threads > 1 && attempts.len() > 1 {
        true => at_once(attempts, space, settings, budget, counters),
        false => in_turn(attempts, space, settings, budget, counters),
    }
}

/// Makes attempts one after the other until one has an answer.
fn in_turn(
    attempts: &[Attempt],
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    for attempt in attempts {
        if let Some(proof) = attempt.make(space, settings, budget, counters)? {
            return Ok(Some(proof));
        }
    }
    Ok(None)
}

/// Makes attempts at the same time, each with a space of its own: the first answer counts, and the others are stopped.
fn at_once(
    attempts: &[Attempt],
    space: &Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    let switch = Cancellation::default();
    let (send, receive) = channel();
    let (mut found, mut stopped) = (None, None);
    thread::scope(|scope| {
        for attempt in attempts {
            let (send, budget) = (
                send.clone(),
                budget.same_limits().with_cancellation(switch.clone()),
            );
            scope.spawn(move || {
                let mut own = Space::new(space.network, space.query, space.constants.clone());
                let mut counters = Counters::default();
                let ended = attempt.make(&mut own, settings, &budget, &mut counters);
                // Whoever waits has not gone away.
                let _ = send.send((ended, counters));
            });
        }
        drop(send);
        loop {
            let (ended, own) = match receive.recv_timeout(LOOK_EVERY) {
                Ok(ended) => ended,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(spent) = budget.check_now() {
                        switch.cancel();
                        stopped.get_or_insert(Stop::from(spent));
                    }
                    continue;
                }
            };
            counters.visited += own.visited;
            counters.steps += own.steps;
            counters.stored = counters.stored.max(own.stored);
            match ended {
                Ok(None) => {}
                Ok(Some(proof)) => {
                    switch.cancel();
                    found.get_or_insert(proof);
                }
                // Once somebody has an answer, the others were interrupted.
                Err(stop) => {
                    stopped.get_or_insert(stop);
                }
            }
        }
    });
    match (found, stopped) {
        (None, Some(stop)) => Err(stop),
        (found, _) => Ok(found),
    }
}

/// What a covering search has shown.
enum Covered {
    /// A run to an end that is accepted, or that there is no run that is looked for.
    Answered(Box<Proof>),
    /// Some component meets everything, which proves nothing.
    Open,
    /// There are more zones than it was to have.
    TooMuch,
}

impl Covered {
    fn of(proof: Option<Proof>) -> Covered {
        proof.map_or(Covered::Open, |proof| Covered::Answered(Box::new(proof)))
    }
}

/// Explores everything by a covering search, unless it has more zones than so many; all threads share the work.
fn by_covering(
    space: &mut Space<'_>,
    settings: Settings,
    most: usize,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Covered, Stop> {
    let goals = count_of_goals(space);
    if settings.threads > 1 {
        let mut spaces = shared_spaces(space, settings.threads);
        let mut together = Together::explore(
            &mut spaces,
            (settings, Some(most / settings.threads)),
            budget,
            counters,
        )?;
        if together.searches.iter().any(CoverSearch::is_stopped) {
            return Ok(Covered::TooMuch);
        }
        together.refuse_trouble(space)?;
        for which in 0..together.searches.len() {
            if let Some((node, ends)) = accepted_end(&mut together.searches[which], budget)? {
                let path = together.path(space, node)?;
                return Ok(Covered::Answered(Box::new(ending(space, &path, &ends)?)));
            }
        }
        let edges = together.edges(budget)?;
        let nodes = covering_graph::without_full_component(&together.searches, edges, goals, budget)?;
        return Ok(Covered::of(nodes.map(|nodes| Proof::Cover {
            cover: cover_of(space, nodes),
        })));
    }
    let mut search = CoverSearch::new(space, settings);
    if !search.exhaust_up_to(most, budget, counters)? {
        return Ok(Covered::TooMuch);
    }
    if let Some((node, ends)) = accepted_end(&mut search, budget)? {
        let path = search.path(node);
        return Ok(Covered::Answered(Box::new(ending(search.space, &path, &ends)?)));
    }
    let edges = covering_graph::edges(&mut search, &mut Alone, budget)?;
    let one = std::slice::from_ref(&search);
    let nodes = covering_graph::without_full_component(one, edges, goals, budget)?;
    Ok(Covered::of(nodes.map(|nodes| Proof::Cover {
        cover: cover_of(search.space, nodes),
    })))
}

/// A node, in the numbers of all searches, and what holds at an end of runs in it: one of these.
type AcceptedEnd = (NodeId, Vec<Vec<Constraint>>);

/// A node with an end of runs in it that an automaton accepts, if a covering search has one. Zones are reached as they are.
fn accepted_end(search: &mut CoverSearch<'_, '_>, budget: &Budget) -> Result<Option<AcceptedEnd>, Stop> {
    if search.space.observing().is_none() {
        return Ok(None);
    }
    for node in search.alive() {
        budget.check()?;
        let (state, zone) = (search.state(node), search.zone(node));
        let ends = search.space.accepted_ends(state, &zone);
        if !ends.is_empty() {
            return Ok(Some((search.number_among_all(node), ends)));
        }
    }
    Ok(None)
}

/// A run along a path to one of some ends.
fn ending(space: &Space<'_>, path: &Path, ends: &[Vec<Constraint>]) -> Result<Proof, Stop> {
    // Zones may be extrapolated: some of the ends may be reached only by values that are bisimilar to others.
    let run = ends.iter().find_map(|end| concrete::run(space, path, end, true));
    let stem =
        run.ok_or_else(|| Stop::Unknown("the symbolic path found has no run of its own".to_owned()))?;
    let stay = Stay {
        stem,
        since: 0,
        cycle: Vec::new(),
        zone: Vec::new(),
    };
    Ok(Proof::Stay { stay })
}

/// How many formulas or marks are to be met.
fn count_of_goals(space: &Space<'_>) -> usize {
    match space.observing() {
        Some(asked) => asked.observer.marks as usize,
        None => space.query.formulas().len(),
    }
}

/// Looks for a cycle from those zones near the start that meet something.
fn near_the_start(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    let most = settings.attempts.around;
    let mut around = CoverSearch::new(space, settings);
    around.look_around(&mut Alone, most, budget, counters)?;
    let mut beginnings = Vec::new();
    for node in around.alive() {
        if around.met(node) != 0 {
            beginnings.push((around.path(node), around.zone(node)));
        }
        if beginnings.len() == MOST_BEGINNINGS {
            break;
        }
    }
    let sought = Sought::Meeting(count_of_goals(space));
    let mut search = DepthFirst::new(space, settings, sought, Direction::LastFirst);
    for (way, zone) in beginnings {
        match search.visit(way.last(), zone, most, budget, counters)? {
            Some(Found::Cycle(stem, cycle)) => {
                let lasso = lasso(space, &way.then(stem), &cycle, budget)?;
                return Ok(Some(Proof::Lasso { lasso }));
            }
            Some(Found::End(stem, ends)) => return Ok(Some(ending(space, &way.then(stem), &ends)?)),
            None if search.len() > most => break,
            None => {}
        }
    }
    Ok(None)
}

/// Searches until a cycle is found or everything is seen; nothing if there are too many zones.
fn depth_first(
    space: &mut Space<'_>,
    settings: Settings,
    (direction, most): (Direction, usize),
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Proof>, Stop> {
    let initial = space.initial().map_err(Stop::at_start)?;
    counters.stored = 0;
    let sought = Sought::Meeting(count_of_goals(space));
    let mut search = DepthFirst::new(space, settings, sought, direction);
    for state in initial {
        let Some(zone) = search.space.begin(state) else {
            continue;
        };
        let found = search.visit(state, zone, most, budget, counters)?;
        match found {
            Some(Found::Cycle(stem, cycle)) => {
                let lasso = lasso(space, &stem, &cycle, budget)?;
                return Ok(Some(Proof::Lasso { lasso }));
            }
            Some(Found::End(path, ends)) => return Ok(Some(ending(space, &path, &ends)?)),
            None => {}
        }
        if search.len() > most {
            return Ok(None);
        }
    }
    let nodes = search.finish(counters)?;
    Ok(Some(Proof::Cover {
        cover: cover_of(space, nodes),
    }))
}

/// A run along a stem to values from which a cycle can be run for ever, and all such values.
pub(crate) fn lasso(
    space: &Space<'_>,
    stem: &Path,
    steps: &[PathStep],
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let zone = cycle::for_ever(space, stem.last(), steps, budget);
    budget.check()?;
    let zone =
        zone.ok_or_else(|| Stop::Unknown("the symbolic cycle found cannot be run for ever".to_owned()))?;
    let at_end = concrete::constraints_of(space.network.dimension(), zone.cells());
    let run = concrete::run(space, stem, &at_end, false)
        .ok_or_else(|| Stop::Unknown("the stem of the symbolic cycle has no run of its own".to_owned()))?;
    let joint = |step: &PathStep| space.joint(step.joint).to_vec();
    Ok(Lasso {
        stem: run,
        cycle: steps.iter().map(joint).collect(),
        zone: zone.cells().iter().map(|bound| bound.packed()).collect(),
    })
}
