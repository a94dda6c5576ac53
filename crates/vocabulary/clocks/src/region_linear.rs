//! Questions about single runs on the region graph: the regions of the network with the observer beside it, from the definition.

use crate::discrete::{Discrete, Trouble};
use crate::linear::{Linear, ObserverEdge, Runs};
use crate::regions::RegionGraph;
use crate::{EdgeId, Network, Query};

/// The truth of each condition in a state.
fn letter(network: &Network, asked: &Linear, state: &Discrete) -> Result<Vec<bool>, Trouble> {
    let truth = |formula: &crate::Formula| Ok(!formula.satisfying(network, state)?.is_empty());
    asked.conditions.iter().map(truth).collect()
}

/// The edges of the observer that read a state, from the location it is at.
fn readings<'a>(
    network: &Network,
    asked: &'a Linear,
    location: usize,
    entered: &Discrete,
) -> Result<Vec<&'a ObserverEdge>, Trouble> {
    let letter = letter(network, asked, entered)?;
    let edges = asked
        .state(network, location)
        .map_or(&[][..], |state| &state.edges);
    let suits = |edge: &&ObserverEdge| edge.literals.iter().all(|&(atom, truth)| letter[atom] == truth);
    Ok(edges.iter().filter(suits).collect())
}

/// The initial states, each in every way in which an observer reads it.
pub(crate) fn observed_starts(network: &Network, query: &Query) -> Result<Vec<Discrete>, Trouble> {
    let Query::Linear(asked) = query else {
        return Ok(network.initial());
    };
    let mut found = Vec::new();
    for start in network.initial() {
        let Some(&location) = start.locations.last() else {
            continue;
        };
        for edge in readings(network, asked, location, &start)? {
            if edge.guard.iter().all(|test| test.is_passed(0.cmp(&test.bound))) {
                let mut start = start.clone();
                start.locations.pop();
                start
                    .locations
                    .push(network.edges[asked.edge(network, edge)].target);
                found.push(start);
            }
        }
    }
    Ok(found)
}

/// A joint edge, with each edge of an observer that reads where it leads.
pub(crate) fn observed_steps(
    network: &Network,
    query: &Query,
    state: &Discrete,
    joint: Vec<EdgeId>,
) -> Result<Vec<Vec<EdgeId>>, Trouble> {
    let Query::Linear(asked) = query else {
        return Ok(vec![joint]);
    };
    if !network.guard(&joint, &state.integers, &mut Vec::new())? {
        return Ok(Vec::new());
    }
    let Some(entered) = network.act(&joint, state, &mut Vec::new())? else {
        return Ok(Vec::new());
    };
    let Some(&location) = state.locations.last() else {
        return Ok(Vec::new());
    };
    let with = |edge: &ObserverEdge| [joint.as_slice(), &[asked.edge(network, edge)]].concat();
    let readings = readings(network, asked, location, &entered)?;
    Ok(readings.into_iter().map(with).collect())
}

impl RegionGraph<'_> {
    /// Whether some run is accepted by the observer.
    pub(crate) fn violates(&self, asked: &Linear) -> Result<bool, Trouble> {
        let watcher = |region: usize| {
            let location = self.discrete(region).locations.last().copied();
            location.and_then(|location| asked.state(self.network, location))
        };
        for region in 0..self.len() {
            let Some(state) = watcher(region) else { continue };
            let letter = letter(self.network, asked, self.discrete(region))?;
            let holds = |one: &Vec<(usize, bool)>| one.iter().all(|&(atom, truth)| letter[atom] == truth);
            let may_end = match asked.runs {
                Runs::Maximal => self.waits_for_ever(region) || self.is_deadlock(region),
                Runs::Divergent => self.waits_for_ever(region),
                Runs::DivergentSteps => false,
            };
            if may_end && state.ends.iter().any(holds) {
                return Ok(true);
            }
        }
        let components = self.components();
        let all = (1u64 << asked.observer.marks) - 1;
        for region in 0..self.len() {
            let own = |other: &usize| components[*other] == components[region];
            if !self.actions[region].iter().any(own) {
                continue;
            }
            let members = (0..self.len()).filter(own);
            let marks = members
                .filter_map(watcher)
                .fold(0, |marks, state| marks | state.marks);
            if marks == all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether time passes for ever from a region on.
    fn waits_for_ever(&self, region: usize) -> bool {
        let mut here = region;
        loop {
            match self.delays[here] {
                Some(next) if next == here => return true,
                Some(next) => here = next,
                None => return false,
            }
        }
    }
}
