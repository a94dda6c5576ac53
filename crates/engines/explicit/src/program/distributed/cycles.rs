//! Accepting cycles over all workers: OWCTY, backwards.
//!
//! *One Way Catch Them Young* (Fisler, Fraer, Kamhi, Vardi and Yang, TACAS 2001; distributed by Černá and Pelánek, SPIN 2003) takes away, again and again, what cannot be on or lead to an
//! accepting cycle: nodes that reach no accepting node, then nodes that have no successor left. When nothing changes, either nothing is left, or from every
//! node that is left an accepting cycle can be reached. Nodes know their predecessors, so both go backwards, and messages are numbers.

use super::explore::{Place, Share};
use super::links::Links;
use super::nodes::Nodes;
use entail_budget::Budget;
use entail_search::{StateNumber, Store};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Which nodes are left here, or why that is not known.
pub fn remaining(
    share: &Share,
    links: &mut Links<'_>,
    nodes: &Nodes<'_, '_>,
    budget: &Budget,
) -> Result<Vec<bool>, String> {
    let accepting: Vec<bool> = (0..share.len() as u32)
        .map(|number| nodes.is_accepting(&share.store.copy(StateNumber(number))))
        .collect();
    let predecessors = share.predecessors.as_deref().unwrap_or_default();
    let mut alive = vec![true; share.len()];
    loop {
        // What reaches an accepting node.
        let mut reaches: Vec<bool> = alive
            .iter()
            .zip(&accepting)
            .map(|(alive, accepting)| alive & accepting)
            .collect();
        let first: Vec<u32> = (0..share.len() as u32)
            .filter(|&number| reaches[number as usize])
            .collect();
        backwards(links, predecessors, first, budget, |number| {
            let number = number as usize;
            alive[number] && !std::mem::replace(&mut reaches[number], true)
        })?;
        let mut removed = alive
            .iter()
            .zip(&reaches)
            .filter(|(alive, reaches)| **alive && !**reaches)
            .count();
        alive = reaches;
        // How many successors are left of each.
        let mut successors = vec![0u32; share.len()];
        let left: Vec<u32> = (0..share.len() as u32)
            .filter(|&number| alive[number as usize])
            .collect();
        backwards(links, predecessors, left, budget, |number| {
            successors[number as usize] += u32::from(alive[number as usize]);
            false
        })?;
        // What has none goes, and then those that have lost their last one.
        let dead: Vec<u32> = (0..share.len() as u32)
            .filter(|&number| alive[number as usize] && successors[number as usize] == 0)
            .collect();
        dead.iter().for_each(|&number| alive[number as usize] = false);
        removed += dead.len();
        backwards(links, predecessors, dead, budget, |number| {
            let number = number as usize;
            if !alive[number] {
                return false;
            }
            successors[number] -= 1;
            if successors[number] > 0 {
                return false;
            }
            alive[number] = false;
            removed += 1;
            true
        })?;
        let left = alive.iter().filter(|&&alive| alive).count();
        let said = links.share(&[(removed as u64).to_le_bytes(), (left as u64).to_le_bytes()].concat());
        let sum = |at: usize| -> u64 {
            let numbers = said.iter().filter_map(|bytes| bytes.get(8 * at..)?.first_chunk());
            numbers.map(|bytes| u64::from_le_bytes(*bytes)).sum()
        };
        if sum(0) == 0 || sum(1) == 0 {
            return Ok(alive);
        }
    }
}

/// Tells the predecessors of nodes, wherever they are, and those of every node for which `visit` is true.
fn backwards(
    links: &mut Links<'_>,
    predecessors: &[Vec<Place>],
    mut pending: Vec<u32>,
    budget: &Budget,
    mut visit: impl FnMut(u32) -> bool,
) -> Result<(), String> {
    loop {
        let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); links.peers()];
        let own = links.index() as u32;
        let mut spent = budget.check_now().err();
        while let Some(number) = pending.pop() {
            if let Err(reason) = budget.check() {
                spent = Some(reason);
                break;
            }
            for &place in &predecessors[number as usize] {
                if place.worker != own {
                    parcels[place.worker as usize].extend_from_slice(&place.number.to_le_bytes());
                } else if visit(place.number) {
                    pending.push(place.number);
                }
            }
        }
        for (to, parcel) in parcels.into_iter().enumerate() {
            if !parcel.is_empty() {
                links.send(to, parcel);
            }
        }
        for (_, parcel) in links.end_round() {
            for number in parcel.as_chunks().0 {
                let number = u32::from_le_bytes(*number);
                if visit(number) {
                    pending.push(number);
                }
            }
        }
        let said = links.share(&[u8::from(!pending.is_empty()), u8::from(spent.is_some())]);
        if said.iter().any(|said| said.get(1) == Some(&1)) {
            let reason = spent.map(|spent| spent.to_string());
            return Err(reason.unwrap_or_else(|| "another worker has spent its time or memory".into()));
        }
        if said.iter().all(|said| said.first() == Some(&0)) {
            return Ok(());
        }
    }
}

/// A cycle through an accepting node among those that are left: its nodes, the first at the beginning and at the end, and where the first is. The same
/// for all workers.
pub fn cycle(
    share: &Share,
    links: &mut Links<'_>,
    nodes: &Nodes<'_, '_>,
    alive: &[bool],
) -> Option<(Place, Vec<Vec<u8>>)> {
    let own = links.index() as u32;
    let mut said = Vec::new();
    let predecessors = share.predecessors.as_deref().unwrap_or_default();
    for number in (0..alive.len() as u32).filter(|&number| alive[number as usize]) {
        let place = Place { worker: own, number };
        let accepting = nodes.is_accepting(&share.store.copy(StateNumber(number)));
        for &before in &predecessors[number as usize] {
            before.write(&mut said);
            place.write(&mut said);
            said.push(accepting.into());
        }
    }
    // Every worker finds the same cycle in the same graph.
    let mut follows: FxHashMap<Place, Vec<Place>> = FxHashMap::default();
    let mut accepting: Vec<Place> = Vec::new();
    for edges in links.share(&said) {
        for edge in edges.chunks_exact(2 * Place::SIZE + 1) {
            let (Some(from), Some(to)) = (Place::read(edge), Place::read(&edge[Place::SIZE..])) else {
                continue;
            };
            follows.entry(from).or_default().push(to);
            if edge[2 * Place::SIZE] == 1 {
                accepting.push(to);
            }
        }
    }
    accepting.sort_unstable();
    accepting.dedup();
    let is_accepting = |place: &Place| accepting.binary_search(place).is_ok();
    // From one accepting node to the next, until one comes again.
    let mut legs: Vec<(Place, Vec<Place>)> = Vec::new();
    let mut at = *accepting.first()?;
    let begin = loop {
        if let Some(begin) = legs.iter().position(|(from, _)| *from == at) {
            break begin;
        }
        let leg = path(&follows, at, is_accepting)?;
        let next = *leg.last()?;
        legs.push((at, leg));
        at = next;
    };
    let start = legs[begin].0;
    let round: Vec<Place> = std::iter::once(start)
        .chain(legs[begin..].iter().flat_map(|(_, leg)| leg.iter().copied()))
        .collect();
    // Everybody says the nodes that are its own.
    let mut said = Vec::new();
    for place in round.iter().filter(|place| place.worker == own) {
        let node = share.store.copy(StateNumber(place.number));
        said.extend_from_slice(&(node.len() as u16).to_le_bytes());
        said.extend_from_slice(&node);
    }
    let all = links.share(&said);
    let mut cursors: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let mut found = Vec::new();
    for place in &round {
        let cursor = cursors.get_mut(place.worker as usize)?;
        let (length, rest) = cursor.split_first_chunk()?;
        let (node, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        found.push(node.to_vec());
        *cursor = rest;
    }
    Some((start, found))
}

/// The shortest path with at least one step from a place to one that is wanted, without the first.
fn path(
    follows: &FxHashMap<Place, Vec<Place>>,
    from: Place,
    wanted: impl Fn(&Place) -> bool,
) -> Option<Vec<Place>> {
    let mut reached: FxHashMap<Place, Place> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &next in follows.get(&at).into_iter().flatten() {
            if wanted(&next) {
                let (mut path, mut back) = (vec![next], at);
                while back != from {
                    path.push(back);
                    back = reached[&back];
                }
                path.reverse();
                return Some(path);
            }
            if next != from && !reached.contains_key(&next) {
                reached.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    None
}
