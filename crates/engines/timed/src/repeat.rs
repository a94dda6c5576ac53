//! What can be met again and again, also by an automaton that reads the run: strongly connected components of the zone graph.
//!
//! Four attempts, each of which can end the matter:
//! 1. a covering search of a limited number of zones, breadth first, and from those of them that meet something that is to be met a depth-first search as below: a cycle that few steps
//!    lead to is found with a short way there, however deep the first branches are;
//! 2. a depth-first search of the graph of extrapolated zones (ExtraLU+, sound for Büchi conditions by Li 2009) with Couvreur's algorithm, for a limited number of zones, entering the last successors first, and once more the first ones first: where there is a
//!    cycle, one of the two mostly finds it at once. This comes before and after the first attempt. A zone that a closed component simulates is not entered: no cycle can be reached from it either (Laarman et al. 2013);
//! 3. the covering search. Its graph, with an edge from a node to whatever covers its successor, contains the shadow of every infinite run; if no component of it meets everything that is
//!    to be met, there is no such run (Herbreteau, Srivathsan, Tran, Walukiewicz 2016), and the component numbers are the certificate (Wimmer, Herbreteau, van de Pol 2020). A component
//!    that does proves nothing, since covering may close cycles that no run has;
//! 4. the depth-first search to its end, the first successors first.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{CoverSearch, cover_of};
use crate::depth_first::{DepthFirst, Direction, Found, Sought, all_formulas};
use crate::settings::Settings;
use crate::space::{Constraint, Space};
use crate::{Counters, Stop, cycle};
use entail_budget::Budget;
use entail_clocks::evidence::{Lasso, Proof, Stay};
use rustc_hash::FxHashMap;

/// Zones near the start from which cycles are looked for, at most.
const MOST_BEGINNINGS: usize = 256;

/// Looks for a run that meets every formula of the query again and again.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    space.needs_bounds()?;
    let last_first = (Direction::LastFirst, settings.attempts.last_first);
    if let Some(proof) = depth_first(space, settings, last_first, budget, counters)? {
        return Ok(proof);
    }
    if let Some(proof) = near_the_start(space, settings, budget, counters)? {
        return Ok(proof);
    }
    let first_first = (Direction::FirstFirst, settings.attempts.first_first);
    if let Some(proof) = depth_first(space, settings, first_first, budget, counters)? {
        return Ok(proof);
    }
    let mut search = CoverSearch::new(space, settings);
    search.exhaust(budget, counters)?;
    if let Some(proof) = accepted_end(&mut search, budget)? {
        return Ok(proof);
    }
    if let Some(proof) = no_full_component(&mut search, budget)? {
        return Ok(proof);
    }
    let to_the_end = (Direction::FirstFirst, usize::MAX);
    let deeper = depth_first(space, settings, to_the_end, budget, counters)?;
    deeper.ok_or_else(|| Stop::Unknown("the search did not end".to_owned()))
}

/// A run to an end that an automaton accepts, if the zones of a covering search contain one. They are reached as they are.
fn accepted_end(search: &mut CoverSearch<'_, '_>, budget: &Budget) -> Result<Option<Proof>, Stop> {
    for node in search.alive() {
        budget.check()?;
        let (state, zone) = (search.state(node), search.zone(node));
        let ends = search.space.accepted_ends(state, &zone);
        if !ends.is_empty() {
            let path = search.path(node);
            return Ok(Some(ending(search.space, &path, &ends)?));
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

/// The cover with component numbers, if no component of the covering graph meets every formula.
fn no_full_component(search: &mut CoverSearch<'_, '_>, budget: &Budget) -> Result<Option<Proof>, Stop> {
    let alive = search.alive();
    let position: FxHashMap<u32, usize> = alive.iter().copied().zip(0..).collect();
    let mut edges = Vec::with_capacity(alive.len());
    for &node in &alive {
        budget.check()?;
        let targets = search.successors(node)?;
        edges.push(
            targets
                .iter()
                .map(|target| position[target])
                .collect::<Vec<usize>>(),
        );
    }
    let component = components(&edges);
    let count = component.iter().max().map_or(0, |most| *most as usize + 1);
    let all = all_formulas(search.space.info(0).goals.len());
    let mut met = vec![0u64; count];
    let mut turns = vec![false; count];
    for (node, targets) in edges.iter().enumerate() {
        let own = component[node] as usize;
        met[own] |= search.met(alive[node]);
        turns[own] |= targets.iter().any(|&target| component[target] as usize == own);
    }
    if (0..count).any(|one| turns[one] && met[one] == all) {
        return Ok(None);
    }
    let cover = search.cover(&|node| component[position[&node]]);
    Ok(Some(Proof::Cover { cover }))
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
    around.look_around(most, budget, counters)?;
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

/// The number of each node's strongly connected component (Tarjan, without recursion): edges lead to components of the same or a smaller number.
pub fn components(edges: &[Vec<usize>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let (mut index, mut low, mut component) = (vec![UNSEEN; count], vec![0u32; count], vec![UNSEEN; count]);
    let (mut next_index, mut next_component) = (0, 0);
    let mut stack = Vec::new();
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut frames = vec![(root, 0usize)];
        index[root] = next_index;
        low[root] = next_index;
        next_index += 1;
        stack.push(root);
        while let Some(&mut (node, ref mut edge)) = frames.last_mut() {
            if let Some(&target) = edges[node].get(*edge) {
                *edge += 1;
                if index[target] == UNSEEN {
                    index[target] = next_index;
                    low[target] = next_index;
                    next_index += 1;
                    stack.push(target);
                    frames.push((target, 0));
                } else if component[target] == UNSEEN {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}
