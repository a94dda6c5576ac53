//! The least cost per unit of time in the long run: the least ratio of cost and time around a cycle of corners (Bouyer, Brinksma, Larsen 2004, 2008).
//!
//! Every run costs, up to a constant, at least as much as some path through the [corners](crate::corners) of its regions, and near every path of corners there are runs. So the least ratio in the long run is that of the best cycle of corners. It is
//! found by improvement: for a ratio μ, edges weigh their cost less μ times their time; a negative cycle has a smaller ratio, and is found by shortest paths (Bellman, Ford); without one, the distances from the beginning are *potentials*:
//! along no edge does the distance grow by more than its weight, so every run costs at least μ times its time, up to a constant. They are the evidence that nothing is cheaper. Begun with time alone as a (negative) weight, the
//! same finds a first cycle on which time passes, or potentials that show that in no run time diverges.
//!
//! There are as many corners as regions, times the number of clocks: this is for small constants and few clocks.

use crate::constants::Constants;
use crate::corner_graph::{CornerGraph, Weighed};
use crate::corners::{Corners, Leads};
use crate::settings::Bounds;
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CornerStep, LongRun, PricedCorner, Proof};
use entail_clocks::{Formula, Network, Query, Rational};

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
    let graph = CornerGraph::of(&corners, budget)?;
    if let Some(arrow) = graph.arrows.iter().find(|arrow| arrow.leads.cost < 0) {
        let at = &graph.corner(arrow.from).discrete;
        return Err(Stop::negative_cost(
            network,
            at,
            arrow.leads.edges.as_deref(),
            arrow.leads.cost,
        ));
    }
    counters.stored = graph.corners.len() as u64;
    counters.steps = graph.arrows.len() as u64;
    let too_large = || Stop::Unknown("costs in the long run are too large".to_owned());
    // The ratio so far as cost and time; at first, time alone counts.
    let (mut cost, mut time) = (1, 0);
    let mut best: Vec<usize> = Vec::new();
    loop {
        let weight = |leads: &Leads| {
            i128::from(leads.cost) * i128::from(time) - i128::from(leads.time) * i128::from(cost)
        };
        match graph.weighed(graph.from_roots(0), |arrow| Some(weight(&arrow.leads)), budget)? {
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
            Weighed::Distances(potentials, _) => {
                let long_run = graph.evidence(&corners, (cost, time), &best, &potentials);
                return Ok(Proof::LongRun {
                    long_run: long_run.ok_or_else(too_large)?,
                });
            }
        }
    }
}

impl CornerGraph {
    fn evidence(
        &self,
        corners: &Corners<'_>,
        (cost, time): (i64, i64),
        cycle: &[usize],
        potentials: &[Option<i128>],
    ) -> Option<LongRun> {
        let mut priced = Vec::with_capacity(potentials.len());
        for ((corner, _), &potential) in self.corners.iter().zip(potentials) {
            priced.push(PricedCorner {
                locations: corner.discrete.locations.clone(),
                integers: corner.discrete.integers.clone(),
                clocks: corner.clocks.to_vec(),
                potential: i64::try_from(potential.unwrap_or(0)).ok()?,
            });
        }
        let head = cycle.first().map(|&arrow| self.arrows[arrow].from);
        let (here, stem) = match head.map(|head| self.way_to(head)) {
            Some((here, stem)) => (Some(here), stem),
            None => (None, Vec::new()),
        };
        let path: Vec<&Leads> = stem
            .iter()
            .chain(cycle)
            .map(|&arrow| &self.arrows[arrow].leads)
            .collect();
        let run = here
            .and_then(|first| self.corners.get_index(first))
            .map(|(first, _)| corners.run_near(first, &path, &Rational::ONE));
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
