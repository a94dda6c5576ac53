//! The covering graph of searches that have explored everything: from a node to those that cover its successors. It contains the shadow of every infinite run, so where no component of it
//! meets everything that is to be met again and again, no run does (Herbreteau, Srivathsan, Tran, Walukiewicz 2016).
//!
//! Searches that have explored together list the edges together: what a step leads to is sent to the search that looks after it, as when it was explored, and that one knows which node covers it.
//! Components are found by one thread (Tarjan 1972), in time and room linear in the edges.

use crate::Stop;
use crate::cover_search::{CoverSearch, NodeId, split, tame};
use crate::cover_together::{Arrival, Fellows, Received};
use crate::depth_first::all_formulas;
use crate::space::{StateId, Stepped};
use entail_budget::{Budget, Spent};
use entail_clocks::evidence::CoverNodes;
use entail_zones::Zone;

/// Edges between nodes, in the numbers of all searches.
pub(crate) type Edges = Vec<(NodeId, NodeId)>;

/// The edges that lead to a search's own nodes.
pub(crate) fn edges<F: Fellows>(
    search: &mut CoverSearch<'_, '_>,
    fellows: &mut F,
    budget: &Budget,
) -> Result<Edges, Stop> {
    let mut zone = Zone::zero(search.space.network.dimension());
    let mut edges = Edges::new();
    let mut nodes = search.alive().into_iter();
    loop {
        match fellows.receive(search.space, nodes.as_slice().is_empty()) {
            Received::Nothing => {}
            Received::Some(batch) => {
                let cells = batch.cells.chunks_exact(zone.cells().len());
                for (arrival, cells) in batch.arrivals.iter().zip(cells) {
                    zone.copy_from(cells);
                    if search.space.arrive(arrival.state, &mut zone) {
                        add(search, arrival.parent, (arrival.state, &zone), &mut edges)?;
                    }
                }
                continue;
            }
            Received::End => return Ok(edges),
        }
        let Some(node) = nodes.next() else {
            continue;
        };
        budget.check()?;
        let (state, source, parent) = (
            search.state(node),
            search.zone(node),
            search.number_among_all(node),
        );
        for (number, &transition) in search.space.transitions(state).iter().enumerate() {
            zone.copy_from(source.cells());
            let Stepped::To(target) = search.space.step(&mut zone, transition) else {
                continue;
            };
            if search.space.is_elsewhere(target) {
                let arrival = Arrival {
                    state: target,
                    parent,
                    transition: number as u32,
                };
                fellows.send(search.space, arrival, &zone);
            } else {
                add(search, parent, (target, &zone), &mut edges)?;
            }
        }
    }
}

/// Adds edges of a node to those that cover the parts of a zone.
fn add(
    search: &CoverSearch<'_, '_>,
    from: NodeId,
    (state, zone): (StateId, &Zone),
    edges: &mut Edges,
) -> Result<(), Stop> {
    for (mut part, sides) in split(search.space, zone.clone()) {
        tame(search.space, search.settings.extrapolation, &mut part, state)?;
        let covering = search.covering(state, sides, &part);
        let covering = covering.ok_or_else(|| Stop::Unknown("a successor is not covered".to_owned()))?;
        edges.push((from, search.number_among_all(covering)));
    }
    Ok(())
}

/// The nodes with component numbers, if no component meets each of so many formulas.
pub(crate) fn without_full_component(
    searches: &[CoverSearch<'_, '_>],
    edges: Edges,
    formulas: usize,
    budget: &Budget,
) -> Result<Option<CoverNodes>, Spent> {
    let nodes = searches.iter().flat_map(|search| {
        let all = |node: &NodeId| (search, *node);
        search.alive().iter().map(all).collect::<Vec<_>>()
    });
    let nodes: Vec<_> = nodes.collect();
    let most = nodes
        .iter()
        .map(|(search, node)| search.number_among_all(*node) + 1);
    let mut places = vec![0; most.max().unwrap_or(0) as usize];
    for (place, (search, node)) in (0..).zip(&nodes) {
        places[search.number_among_all(*node) as usize] = place;
    }
    let place = |node: NodeId| places[node as usize];
    let graph = Graph::of(
        nodes.len(),
        edges
            .into_iter()
            .map(|(from, to)| (place(from), place(to)))
            .collect(),
    );
    let component = graph.components(budget)?;
    let count = component.iter().max().map_or(0, |most| *most as usize + 1);
    let mut met = vec![0u64; count];
    let mut turns = vec![false; count];
    for (number, (search, node)) in nodes.iter().enumerate() {
        let own = component[number];
        met[own as usize] |= search.met(*node);
        turns[own as usize] |=
            (graph.targets(number).iter()).any(|&target| component[target as usize] == own);
    }
    let all = all_formulas(formulas);
    if (0..count).any(|one| turns[one] && met[one] == all) {
        return Ok(None);
    }
    let rank = |search: &CoverSearch<'_, '_>, node| component[place(search.number_among_all(node)) as usize];
    let kept = searches
        .iter()
        .flat_map(|search| search.cover_nodes(move |node| rank(search, node)));
    Ok(Some(kept.collect()))
}

/// A graph in compressed rows.
struct Graph {
    /// Where the targets of each node begin, and where they all end.
    first: Vec<usize>,
    targets: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Graph {
    fn of(count: usize, mut edges: Vec<(u32, u32)>) -> Graph {
        edges.sort_unstable();
        edges.dedup();
        let mut first = vec![0; count + 1];
        for &(from, _) in &edges {
            first[from as usize + 1] += 1;
        }
        for node in 0..count {
            first[node + 1] += first[node];
        }
        Graph {
            first,
            targets: edges.into_iter().map(|(_, to)| to).collect(),
        }
    }

    fn targets(&self, node: usize) -> &[u32] {
        &self.targets[self.first[node]..self.first[node + 1]]
    }

    /// The number of each node's strongly connected component (Tarjan, without recursion): edges lead to components of the same or a smaller number.
    fn components(&self, budget: &Budget) -> Result<Vec<u32>, Spent> {
        let count = self.first.len() - 1;
        let (mut index, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
        let mut component = vec![UNSEEN; count];
        let (mut next_index, mut next_component) = (0, 0);
        let (mut stack, mut frames) = (Vec::new(), Vec::new());
        for root in 0..count {
            budget.check()?;
            if index[root] == UNSEEN {
                frames.push((root, self.first[root]));
            }
            while let Some(&mut (node, ref mut edge)) = frames.last_mut() {
                if index[node] == UNSEEN {
                    (index[node], low[node]) = (next_index, next_index);
                    next_index += 1;
                    stack.push(node);
                }
                if *edge < self.first[node + 1] {
                    let target = self.targets[*edge] as usize;
                    *edge += 1;
                    if index[target] == UNSEEN {
                        frames.push((target, self.first[target]));
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
        Ok(component)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_those_that_reach_each_other_and_edges_lead_to_no_larger_numbers() {
        // Every graph of four nodes with these edges or without them.
        let pairs: Vec<(u32, u32)> = (0..4).flat_map(|from| (0..4).map(move |to| (from, to))).collect();
        for chosen in 0u32..1 << pairs.len() {
            let is_chosen = |&(number, _): &(usize, &(u32, u32))| chosen >> number & 1 == 1;
            let edges: Vec<(u32, u32)> = (pairs.iter().enumerate().filter(is_chosen))
                .map(|(_, &edge)| edge)
                .collect();
            let mut reaches = [[false; 4]; 4];
            (reaches.iter_mut().enumerate()).for_each(|(node, row)| row[node] = true);
            edges
                .iter()
                .for_each(|&(from, to)| reaches[from as usize][to as usize] = true);
            for (middle, from, to) in (0..64).map(|code| (code / 16, code / 4 % 4, code % 4)) {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
            let component = Graph::of(4, edges.clone())
                .components(&Budget::unlimited())
                .expect("no limit");
            for (one, other) in (0..16).map(|code| (code / 4, code % 4)) {
                let is_same = reaches[one][other] && reaches[other][one];
                assert_eq!(
                    component[one] == component[other],
                    is_same,
                    "{edges:?}: {component:?}"
                );
            }
            for (from, to) in edges {
                assert!(component[to as usize] <= component[from as usize]);
            }
        }
    }
}
