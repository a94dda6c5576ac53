//! Where a scheduler can almost surely keep away from a set of states although time goes on for ever (Kwiatkowska, Norman, Sproston and Wang 2007, after de Alfaro).
//!
//! The automaton has a clock that is reset whenever it reaches 1 (`Timed::with_pulse`). The states wanted are the greatest set from which it is almost surely possible, inside the set that is not to be left, to come to where
//! the pulse is 1, from there to where it is 0, and there into the set again. *Almost surely* is a fixpoint in a fixpoint: the greatest set from which the target is reached with positive probability while the set is left
//! with probability zero. All sets are unions of zones.

use super::MOST_LOCATIONS;
use super::automaton::{Automaton, Edge, Location, automaton, shown};
use super::backward::Sets;
use crate::check::Trouble;
use entail_budget::Budget;
use entail_markov::{Event, Expr, Timed};
use entail_zones::{Bound, Federation, Zone};

/// A union of zones for each location.
type Regions = Vec<Federation>;

/// The states of `stay` from which time can almost surely go on for ever inside `stay`; the pulse is the last clock.
pub(super) fn staying(automaton: &Automaton, stay: &Regions, budget: &Budget) -> Result<Regions, Trouble> {
    let pulse = automaton.dimension - 1;
    let at = |value: i32| {
        let equal = [
            (pulse, 0, Bound::at_most(value)),
            (0, pulse, Bound::at_most(-value)),
        ];
        Zone::of_constraints(automaton.dimension, &equal)
    };
    let (Some(zero), Some(one)) = (at(0), at(1)) else {
        return Ok(vec![Federation::default(); stay.len()]);
    };
    let within = |sets: &Regions, zone: &Zone| -> Regions { sets.iter().map(|set| set.meet(zone)).collect() };
    let mut all = stay.clone();
    loop {
        let begun = surely(automaton, stay, within(&all, &zero), budget)?;
        let next = surely(automaton, stay, within(&begun, &one), budget)?;
        let next: Regions = next
            .iter()
            .zip(&all)
            .map(|(next, all)| next.meet_all(all).merged())
            .collect();
        if covers(&next, &all) {
            return Ok(next);
        }
        all = next;
    }
}

/// A location that is reached with values of the clocks from which time cannot go on for ever, whatever a scheduler does.
pub(super) fn trap(timed: &Timed, budget: &Budget) -> Result<Option<String>, Trouble> {
    let (timed, _) = timed.with_pulse();
    let nothing = Event::Reach(Expr::truth(), Expr::from(false));
    let automaton = automaton(&timed, &nothing, MOST_LOCATIONS, budget)?;
    if automaton.is_rough {
        return Ok(None);
    }
    let everywhere = automaton
        .locations
        .iter()
        .map(|location| location.invariant.clone());
    let everywhere: Regions = everywhere.map(Federation::from).collect();
    let going_on = staying(&automaton, &everywhere, budget)?;
    let trapped = (automaton.locations.iter().zip(&going_on)).find(|(location, going_on)| {
        let reached: Federation = location.reached.iter().cloned().collect();
        !reached.without(going_on.zones()).is_empty()
    });
    Ok(trapped.map(|(location, _)| shown(&timed, &location.state)))
}

/// Whether each union of zones contains the other one.
fn covers(large: &Regions, small: &Regions) -> bool {
    large
        .iter()
        .zip(small)
        .all(|(large, small)| small.without(large.zones()).is_empty())
}

/// The states from which some scheduler almost surely reaches the goal and stays in `stay` before.
fn surely(automaton: &Automaton, stay: &Regions, goal: Regions, budget: &Budget) -> Result<Regions, Trouble> {
    let sets = Sets {
        stay: stay.clone(),
        goal,
    };
    let bad = sets.bad(automaton);
    let mut all: Regions = (sets.stay.iter().zip(&sets.goal))
        .map(|(stay, goal)| {
            let mut both = stay.clone();
            both.add_all(goal.clone());
            both
        })
        .collect();
    loop {
        let mut found: Regions = vec![Federation::default(); all.len()];
        let mut fresh: Vec<Vec<Zone>> = (sets.goal.iter())
            .zip(&bad)
            .zip(&automaton.locations)
            .map(|((goal, bad), location)| ahead_of_all(goal.zones(), bad, location))
            .collect();
        while fresh.iter().any(|zones| !zones.is_empty()) {
            for (set, zones) in found.iter_mut().zip(&mut fresh) {
                zones.drain(..).for_each(|zone| set.add(zone));
                *set = std::mem::take(set).merged();
            }
            for (at, location) in automaton.locations.iter().enumerate() {
                for edge in &location.edges {
                    budget.check()?;
                    let before = leading(edge, &all, &found);
                    let before = before.meet_all(&sets.stay[at]).without(found[at].zones());
                    let ahead = ahead_of_all(before.zones(), &bad[at], location);
                    let ahead: Federation = ahead.into_iter().collect();
                    fresh[at].extend(ahead.without(found[at].zones()).zones().iter().cloned());
                }
            }
        }
        if covers(&found, &all) {
            return Ok(all);
        }
        all = found
            .iter()
            .zip(&all)
            .map(|(found, all)| found.meet_all(all).merged())
            .collect();
    }
}

fn ahead_of_all(zones: &[Zone], bad: &[Zone], location: &Location) -> Vec<Zone> {
    let each = zones.iter().map(|zone| location.ahead_of(zone, bad));
    each.flat_map(|ahead| ahead.zones().to_vec()).collect()
}

/// The values under which an edge leads into `all` with each outcome, and into `some` with one.
fn leading(edge: &Edge, all: &Regions, some: &Regions) -> Federation {
    let before = |sets: &Regions, at: usize| -> Federation {
        let branch = &edge.branches[at];
        let zones = sets[branch.target].zones().iter();
        zones
            .filter_map(|zone| branch.before(zone)?.meet(&edge.guard))
            .collect()
    };
    let mut into_some = Federation::default();
    for at in 0..edge.branches.len() {
        into_some.add_all(before(some, at));
    }
    if into_some.is_empty() || edge.branches.len() == 1 {
        return into_some;
    }
    let mut leading = into_some;
    for at in 0..edge.branches.len() {
        leading = leading.meet_all(&before(all, at));
        if leading.is_empty() {
            break;
        }
    }
    leading
}
