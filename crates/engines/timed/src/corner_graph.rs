//! The corners that are reached, with delays and steps between them, and cycles among them by shortest paths (Bellman, Ford).

use crate::Stop;
use crate::corners::{Corner, Corners, Leads};
use entail_budget::Budget;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Corners, at most.
const MOST_CORNERS: usize = 2_000_000;

/// An edge between corners, by number.
pub(crate) struct Arrow {
    pub from: usize,
    pub to: usize,
    pub leads: Leads,
}

/// The corners that are reached.
pub(crate) struct CornerGraph {
    /// How each is reached first: an arrow.
    pub corners: IndexMap<Corner, Option<usize>, FxBuildHasher>,
    /// So many of the first corners are where runs begin.
    pub roots: usize,
    pub arrows: Vec<Arrow>,
}

/// What weights have.
pub(crate) enum Weighed {
    /// A cycle of arrows with a negative sum.
    Cycle(Vec<usize>),
    /// Least distances, nothing where none leads, and the arrows by which they came about.
    Distances(Vec<Option<i128>>, Vec<Option<usize>>),
}

impl CornerGraph {
    pub fn of(corners: &Corners<'_>, budget: &Budget) -> Result<CornerGraph, Stop> {
        let mut graph = CornerGraph {
            corners: IndexMap::default(),
            roots: 0,
            arrows: Vec::new(),
        };
        for start in corners.starts()? {
            graph.corners.insert(start, None);
        }
        graph.roots = graph.corners.len();
        let mut from = 0;
        while let Some((corner, _)) = graph.corners.get_index(from) {
            budget.check()?;
            for leads in corners.successors(corner)? {
                let entry = graph.corners.entry(leads.target.clone());
                let to = entry.index();
                entry.or_insert(Some(graph.arrows.len()));
                graph.arrows.push(Arrow { from, to, leads });
            }
            if graph.corners.len() > MOST_CORNERS {
                return Err(Stop::Unknown(format!(
                    "there are more than {MOST_CORNERS} corners of regions"
                )));
            }
            from += 1;
        }
        Ok(graph)
    }

    /// The way on which a corner was reached first, with the corner where it begins.
    pub fn way_to(&self, corner: usize) -> (usize, Vec<usize>) {
        let (mut here, mut way) = (corner, Vec::new());
        while let Some(arrow) = self.corners[here] {
            way.push(arrow);
            here = self.arrows[arrow].from;
        }
        way.reverse();
        (here, way)
    }

    /// Distances where runs begin.
    pub fn from_roots(&self, distance: i128) -> Vec<Option<i128>> {
        let mut distances = vec![None; self.corners.len()];
        distances[..self.roots].fill(Some(distance));
        distances
    }

    /// The corner of a number.
    pub fn corner(&self, number: usize) -> &Corner {
        &self.corners.get_index(number).expect("corners are numbered").0
    }

    /// Least distances from those that are given, or a negative cycle. Arrows without a weight do not count.
    pub fn weighed(
        &self,
        mut distances: Vec<Option<i128>>,
        weight: impl Fn(&Arrow) -> Option<i128>,
        budget: &Budget,
    ) -> Result<Weighed, Stop> {
        // The arrow by which each distance came about.
        let mut by: Vec<Option<usize>> = vec![None; self.corners.len()];
        loop {
            budget.check()?;
            let mut changed = false;
            for (number, arrow) in self.arrows.iter().enumerate() {
                let (Some(begun), Some(weight)) = (distances[arrow.from], weight(arrow)) else {
                    continue;
                };
                let distance = begun + weight;
                if distances[arrow.to].is_none_or(|known| distance < known) {
                    distances[arrow.to] = Some(distance);
                    by[arrow.to] = Some(number);
                    changed = true;
                }
            }
            if !changed {
                return Ok(Weighed::Distances(distances, by));
            }
            if let Some(cycle) = self.cycle(&by) {
                return Ok(Weighed::Cycle(cycle));
            }
        }
    }

    /// A cycle among the arrows by which shortest distances came about: its weight is negative.
    fn cycle(&self, by: &[Option<usize>]) -> Option<Vec<usize>> {
        // In which walk each corner was met.
        let mut met = vec![usize::MAX; by.len()];
        for start in 0..by.len() {
            let mut here = start;
            while met[here] == usize::MAX {
                met[here] = start;
                match by[here] {
                    Some(arrow) => here = self.arrows[arrow].from,
                    None => break,
                }
            }
            if met[here] != start || by[here].is_none() {
                continue;
            }
            let mut cycle = Vec::new();
            let mut at = here;
            while let Some(arrow) = by[at] {
                cycle.push(arrow);
                at = self.arrows[arrow].from;
                if at == here {
                    cycle.reverse();
                    return Some(cycle);
                }
            }
        }
        None
    }
}
