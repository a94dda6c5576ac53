//! The least cost per unit of time in the long run: the least ratio of cost and time around a cycle of corners (Bouyer, Brinksma, Larsen 2004, 2008).
//!
//! Every run costs, up to a constant, at least as much as some path through the [corners](crate::corners) of its regions, and near every path of corners there are runs. So the least ratio in the long run is that of the best cycle of corners. It is
//! found by improvement: for a ratio μ, edges weigh their cost less μ times their time; a negative cycle has a smaller ratio, and is found by shortest paths (Bellman, Ford); without one, the distances from the beginning are *potentials*:
//! along no edge does the distance grow by more than its weight, so every run costs at least μ times its time, up to a constant. They are the evidence that nothing is cheaper. Begun with time alone as a (negative) weight, the
//! same finds a first cycle on which time passes, or potentials that show that in no run time diverges.
//!
//! There are as many corners as regions, times the number of clocks: this is for small constants and few clocks.

use crate::constants::Constants;
use crate::corners::{Corner, Corners, Leads};
use crate::settings::Bounds;
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CornerStep, LongRun, PricedCorner, Proof};
use entail_clocks::{Formula, Network, Query};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Corners, at most.
const MOST_CORNERS: usize = 2_000_000;

/// An edge between corners, by number.
struct Arrow {
    from: usize,
    to: usize,
    leads: Leads,
}

/// The corners that are reached.
struct Graph {
    /// How each is reached first: an arrow.
    corners: IndexMap<Corner, Option<usize>, FxBuildHasher>,
    roots: usize,
    arrows: Vec<Arrow>,
}

/// What weights have.
enum Weighed {
    /// A cycle of arrows with a negative sum.
    Cycle(Vec<usize>),
    /// Distances from the beginning.
    Potentials(Vec<i128>),
}

/// Finds the least ratio of runs that stay within a condition.
pub(crate) fn decide(
    network: &Network,
    within: &Formula,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let refused = |reason: &str| Err(Stop::Unknown(reason.to_owned()));
    if !network.stopwatches.is_empty() {
        return refused("of models with stopwatches only `E<>` and `A[]`, without `deadlock`, are decided");
    }
    if within.mentions_deadlock() {
        return refused("`deadlock` is not asked of runs that go on for ever");
    }
    let query = Query::LongRun(within.clone());
    let constants = Constants::of(network, &query, Bounds::Global).map_err(Stop::Unknown)?;
    if !constants.diagonals.is_empty() || constants.is_plain() {
        return refused(
            "clocks are compared with each other, or with constants without a bound: long runs are not priced then",
        );
    }
    let corners = Corners {
        network,
        most: i64::from(constants.most()),
        within: std::slice::from_ref(within),
    };
    let graph = Graph::of(&corners, budget)?;
    counters.stored = graph.corners.len() as u64;
    counters.steps = graph.arrows.len() as u64;
    let too_large = || Stop::Unknown("costs in the long run are too large".to_owned());
    // The ratio so far as cost and time; at first, time alone counts.
    let (mut cost, mut time) = (1, 0);
    let mut best: Vec<usize> = Vec::new();
    loop {
        match graph.weighed(cost, time, budget)? {
            Weighed::Cycle(cycle) => {
                let sum = |what: fn(&Leads) -> i64| -> Option<i64> {
                    cycle.iter().try_fold(0i64, |sum, &arrow| {
                        sum.checked_add(what(&graph.arrows[arrow].leads))
                    })
                };
                cost = sum(|leads| leads.cost).ok_or_else(too_large)?;
                time = sum(|leads| leads.time).ok_or_else(too_large)?;
                best = cycle;
            }
            Weighed::Potentials(potentials) => {
                let long_run = graph.evidence(&corners, (cost, time), &best, &potentials);
                return Ok(Proof::LongRun {
                    long_run: long_run.ok_or_else(too_large)?,
                });
            }
        }
    }
}

impl Graph {
    fn of(corners: &Corners<'_>, budget: &Budget) -> Result<Graph, Stop> {
        let mut graph = Graph {
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

    /// Looks for a cycle whose ratio is below cost/time, by shortest paths from the beginning.
    fn weighed(&self, cost: i64, time: i64, budget: &Budget) -> Result<Weighed, Stop> {
        let weight = |leads: &Leads| {
            i128::from(leads.cost) * i128::from(time) - i128::from(leads.time) * i128::from(cost)
        };
        let mut distances: Vec<Option<i128>> = vec![None; self.corners.len()];
        distances[..self.roots].fill(Some(0));
        // The arrow by which each distance came about.
        let mut by: Vec<Option<usize>> = vec![None; self.corners.len()];
        loop {
            budget.check()?;
            let mut changed = false;
            for (number, arrow) in self.arrows.iter().enumerate() {
                let Some(begun) = distances[arrow.from] else {
                    continue;
                };
                let distance = begun + weight(&arrow.leads);
                if distances[arrow.to].is_none_or(|known| distance < known) {
                    distances[arrow.to] = Some(distance);
                    by[arrow.to] = Some(number);
                    changed = true;
                }
            }
            if !changed {
                return Ok(Weighed::Potentials(
                    distances.into_iter().map(|one| one.unwrap_or(0)).collect(),
                ));
            }
            if let Some(cycle) = self.cycle(&by) {
                return Ok(Weighed::Cycle(cycle));
            }
        }
    }

    /// A cycle among the arrows by which distances came about: its weight is negative.
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

    fn evidence(
        &self,
        corners: &Corners<'_>,
        (cost, time): (i64, i64),
        cycle: &[usize],
        potentials: &[i128],
    ) -> Option<LongRun> {
        let mut priced = Vec::with_capacity(potentials.len());
        for ((corner, _), &potential) in self.corners.iter().zip(potentials) {
            priced.push(PricedCorner {
                locations: corner.discrete.locations.clone(),
                integers: corner.discrete.integers.clone(),
                clocks: corner.clocks.to_vec(),
                potential: i64::try_from(potential).ok()?,
            });
        }
        let head = cycle.first().map(|&arrow| self.arrows[arrow].from);
        let mut stem = Vec::new();
        let mut here = head;
        while let Some(arrow) = here.and_then(|here| self.corners[here]) {
            stem.push(arrow);
            here = Some(self.arrows[arrow].from);
        }
        stem.reverse();
        let path: Vec<&Leads> = stem
            .iter()
            .chain(cycle)
            .map(|&arrow| &self.arrows[arrow].leads)
            .collect();
        let run = here
            .and_then(|first| self.corners.get_index(first))
            .map(|(first, _)| corners.run_near(first, &path));
        let step = |&arrow: &usize| CornerStep {
            edges: self.arrows[arrow].leads.edges.clone().unwrap_or_default(),
            corner: self.arrows[arrow].to,
        };
        Some(LongRun {
            run,
            cost,
            time,
            most: corners.most,
            corners: priced,
            start: here,
            stem: stem.iter().map(step).collect(),
            cycle: cycle.iter().map(step).collect(),
        })
    }
}
