//! Whether a cost per unit of time is the least in the long run.
//!
//! The theorem (Bouyer, Brinksma, Larsen 2008): up to a constant, every run costs as much less μ times its time as some path through the corners of its regions, or more; and near every path of corners there are runs. So it is enough that
//!
//! 1. the corners listed contain those at which runs begin, and those to which delays and steps lead from listed ones, as far as the condition holds there;
//! 2. along none of these does the potential grow by more than the cost less μ times the time: then no run has a smaller ratio;
//! 3. the way to the cycle and the cycle are delays and steps, and cost and time of the cycle have the ratio μ. Where time diverges in no run, potentials bound the time instead.
//!
//! What corners lead to is found by `corner_walk`. The run that is shown is replayed, and must take the steps of the way and the cycle.

use crate::Objection;
use crate::corner_walk::{CornerWalk, Lead};
use crate::replay;
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::{LongRun, PricedCorner};
use entail_clocks::{Meaning, Network, Query};

struct Checked<'a> {
    meaning: &'a dyn Meaning,
    found: &'a LongRun,
    walk: CornerWalk<'a>,
}

/// Checks the least ratio.
pub(crate) fn is_least(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    found: &LongRun,
    budget: &Budget,
) -> Result<(), Objection> {
    if found.time < 0 || found.cost < 0 || (found.time == 0 && found.cost != 1) {
        return Err("the ratio is none".into());
    }
    let corner = |corner: &PricedCorner| (discrete_of(corner), corner.clocks.clone());
    let corners = found.corners.iter().map(corner).collect();
    let checked = Checked {
        meaning,
        found,
        walk: CornerWalk::new(meaning, network, Some(query), found.most, corners)?,
    };
    checked.walk.starts(network)?;
    let weight = |lead: &Lead| {
        i128::from(lead.cost) * i128::from(found.time) - i128::from(lead.time) * i128::from(found.cost)
    };
    for (number, corner) in found.corners.iter().enumerate() {
        budget.check()?;
        for lead in checked.walk.leads(number)? {
            let grown = i128::from(found.corners[lead.to].potential) - i128::from(corner.potential);
            if grown > weight(&lead) {
                return Err("a potential grows by more than its edge weighs".into());
            }
        }
    }
    match found.time {
        0 => Ok(()),
        _ => checked.goes_round(network),
    }
}

fn discrete_of(corner: &PricedCorner) -> Discrete {
    Discrete {
        locations: corner.locations.clone(),
        integers: corner.integers.clone(),
    }
}

impl Checked<'_> {
    /// Checks the way to the cycle, the cycle, its ratio, and the run.
    fn goes_round(&self, network: &Network) -> Result<(), Objection> {
        let found = self.found;
        let count = found.corners.len();
        let start = found
            .start
            .filter(|&start| start < count)
            .ok_or("no run begins")?;
        if !self.walk.is_origin(start) || !self.meaning.starts()?.contains(self.walk.discrete(start)) {
            return Err("the way to the cycle does not begin in an initial state".into());
        }
        let head = found.stem.last().map_or(start, |step| step.corner);
        if found.cycle.last().is_none_or(|last| last.corner != head) {
            return Err("the cycle does not close".into());
        }
        let (mut here, mut cost, mut time) = (start, 0i64, 0i64);
        for (place, step) in found.stem.iter().chain(&found.cycle).enumerate() {
            let leads = self.walk.leads(here)?;
            let is_it = |lead: &&Lead| lead.to == step.corner && lead.edges == step.edges;
            let lead = leads
                .iter()
                .find(is_it)
                .ok_or("the way to the cycle, or the cycle, is none")?;
            if place >= found.stem.len() {
                cost = cost.checked_add(lead.cost).ok_or("the cost is too large")?;
                time += lead.time;
            }
            here = step.corner;
        }
        if (cost, time) != (found.cost, found.time) {
            return Err("the cycle has another cost or another time".into());
        }
        let run = found.run.as_ref().ok_or("there is no run")?;
        let path = found.stem.iter().chain(&found.cycle).map(|step| &step.edges);
        if !path
            .filter(|edges| !edges.is_empty())
            .eq(run.steps.iter().map(|step| &step.edges))
        {
            return Err("the run takes other steps than the corners".into());
        }
        replay::end_of(self.meaning, network, run).map(|_| ())
    }
}
