//! Places: discrete states in regions of the one clock, from which some level is enough for a run that lasts.
//!
//! Some level is enough exactly if a cycle can be reached that loses nothing: one of corners whose weight is at least 0, or one through a state in which the level grows as long as one likes (a *pump*: beyond the largest constant, time has a positive
//! weight). Such cycles are found one after the other by shortest paths, and everything from which they can be reached is set aside. What remains are the corners at which every level is lost; the distances there are potentials
//! that show it.

use super::{Asked, refused};
use crate::Stop;
use crate::corner_graph::{Arrow, Weighed};
use crate::corners::Corner;
use entail_budget::Budget;
use entail_clocks::{EdgeId, Meaning};

/// A way to leave a place by a step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub to: usize,
    pub weight: i64,
    pub edges: Vec<EdgeId>,
    /// The region stays, and the clock is not set.
    pub is_inside: bool,
}

/// A discrete state in a region of the clock.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The corner at which the region is entered.
    pub corner: usize,
    /// `2k`: the clock is `k`; `2k + 1`: it is between `k` and `k + 1`, or beyond the largest constant.
    pub region: u32,
    pub rate: i64,
    /// Time may pass in the region.
    pub waits: bool,
    /// The same state in the next region, if time may pass until then.
    pub next: Option<usize>,
    pub steps: Vec<Step>,
}

impl Place {
    /// The region is an interval with an end.
    pub fn is_interval(&self, last: u32) -> bool {
        self.region % 2 == 1 && self.region < last
    }

    /// The level grows here as long as one likes.
    pub fn is_pump(&self, last: u32) -> bool {
        self.region == last && self.waits && self.rate > 0
    }
}

/// Places with ways between them.
#[derive(Debug)]
pub(super) struct Places {
    pub all: Vec<Place>,
    /// The last region.
    pub last: u32,
}

impl Places {
    /// The places of each region.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); self.last as usize + 1];
        for (number, place) in self.all.iter().enumerate() {
            groups[place.region as usize].push(number);
        }
        groups
    }
}

/// What the corners of a network come to.
pub(super) struct Sorted {
    pub places: Places,
    /// The place of each corner.
    pub place_of: Vec<Option<usize>>,
    /// Cycles that lose nothing, as arrows.
    pub cycles: Vec<Vec<usize>>,
    /// Where every level is lost: the potential, times `scale`.
    pub lost: Vec<Option<i128>>,
    pub scale: i128,
}

/// The region of a corner, as places have it.
pub(super) fn region(asked: &Asked<'_>, corner: usize) -> u32 {
    let last = 2 * asked.corners.most as u32 + 1;
    match asked.graph.corner(corner).clocks.first() {
        None | Some(None) => last,
        Some(&Some((whole, 0))) => 2 * whole as u32,
        Some(&Some((whole, rank))) if rank > 0 => 2 * whole as u32 + 1,
        Some(&Some((whole, _))) => 2 * whole as u32 - 1,
    }
}

/// The corner just above the first moment of the interval at whose last moment a corner is.
pub(super) fn first_moment(asked: &Asked<'_>, corner: usize) -> Option<usize> {
    let corner = asked.graph.corner(corner);
    let &[Some((whole, _))] = &*corner.clocks else {
        return None;
    };
    let first = Corner {
        discrete: corner.discrete.clone(),
        clocks: Box::new([Some((whole - 1, 1))]),
    };
    asked.graph.corners.get_index_of(&first)
}

/// Whether an arrow is a wait beyond the largest constant.
pub(super) fn is_endless_wait(arrow: &Arrow) -> bool {
    arrow.leads.edges.is_none() && arrow.from == arrow.to
}

/// Sorts corners by whether some level is enough, and makes places of those where one is.
pub(super) fn sort(asked: &Asked<'_>, budget: &Budget) -> Result<Sorted, Stop> {
    let graph = &asked.graph;
    let count = graph.corners.len();
    let mut is_pump = vec![false; count];
    for arrow in &graph.arrows {
        is_pump[arrow.from] |= is_endless_wait(arrow) && arrow.leads.cost > 0;
    }
    // With a unit for every arrow, cycles of weight 0 grow.
    let scale = count as i128 + 1;
    let total: i128 = graph
        .arrows
        .iter()
        .map(|arrow| i128::from(arrow.leads.cost.abs()))
        .sum();
    let large = (total + 1) * scale;
    let mut before = vec![Vec::new(); count];
    for arrow in &graph.arrows {
        before[arrow.to].push(arrow.from);
    }
    let mut is_left = vec![true; count];
    let mut cycles = Vec::new();
    let distances = loop {
        let begin = is_left.iter().map(|&left| left.then_some(0)).collect();
        let weight = |arrow: &Arrow| {
            let counts = is_left[arrow.from] && is_left[arrow.to] && !is_endless_wait(arrow);
            let pumped = if is_pump[arrow.from] { large } else { 0 };
            counts.then(|| -(i128::from(arrow.leads.cost) * scale + 1) - pumped)
        };
        match graph.weighed(begin, weight, budget)? {
            Weighed::Distances(distances, _) => break distances,
            Weighed::Cycle(cycle) => {
                // Everything that leads to it.
                let mut open = vec![graph.arrows[cycle[0]].from];
                while let Some(corner) = open.pop() {
                    if std::mem::take(&mut is_left[corner]) {
                        open.extend(&before[corner]);
                    }
                }
                cycles.push(cycle);
            }
        }
    };
    let lost = |(&left, distance): (&bool, &Option<i128>)| {
        let distance = distance.filter(|_| left);
        distance.map(|distance| -distance)
    };
    let lost: Vec<Option<i128>> = is_left.iter().zip(&distances).map(lost).collect();
    let (places, place_of) = places_of(asked, &is_left)?;
    Ok(Sorted {
        places,
        place_of,
        cycles,
        lost,
        scale,
    })
}

/// The places of the corners that are not lost. Both corners of an interval belong to one.
fn places_of(asked: &Asked<'_>, is_lost: &[bool]) -> Result<(Places, Vec<Option<usize>>), Stop> {
    let graph = &asked.graph;
    let last = 2 * asked.corners.most as u32 + 1;
    let mut place_of: Vec<Option<usize>> = vec![None; is_lost.len()];
    let mut all: Vec<Place> = Vec::new();
    // An interval is entered just above its first moment.
    let enters = |corner: usize| {
        let clock = graph.corner(corner).clocks.first().copied().flatten();
        clock.is_none_or(|(_, rank)| rank >= 0)
    };
    for corner in (0..is_lost.len()).filter(|&corner| !is_lost[corner] && enters(corner)) {
        place_of[corner] = Some(all.len());
        let discrete = &graph.corner(corner).discrete;
        all.push(Place {
            corner,
            region: region(asked, corner),
            rate: Meaning::rate(asked.network, discrete).map_err(Stop::at_start)?,
            waits: false,
            next: None,
            steps: Vec::new(),
        });
    }
    // The last moments of intervals belong to the same places as the first.
    for corner in (0..is_lost.len()).filter(|&corner| !enters(corner)) {
        place_of[corner] = first_moment(asked, corner).and_then(|first| place_of[first]);
    }
    for arrow in &graph.arrows {
        if arrow.leads.edges.is_none()
            && arrow.leads.time == 1
            && let Some(place) = place_of[arrow.from]
        {
            all[place].waits = true;
        }
    }
    for arrow in &graph.arrows {
        let (Some(from), Some(to)) = (place_of[arrow.from], place_of[arrow.to]) else {
            continue;
        };
        match &arrow.leads.edges {
            None if from != to => all[from].next = Some(to),
            None => {}
            // What can be done at the last moment of an interval can be done at its first.
            Some(_) if !enters(arrow.from) => {}
            Some(edges) => {
                if all[to].is_interval(last) && all[to].region != all[from].region {
                    return refused("--energy: the clock is set to itself and something more");
                }
                let is_inside = all[from].region == all[to].region;
                all[from].steps.push(Step {
                    to,
                    weight: arrow.leads.cost,
                    edges: edges.clone(),
                    is_inside,
                });
            }
        }
    }
    Ok((Places { all, last }, place_of))
}
