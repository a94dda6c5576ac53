//! Whether a maximal run stays within a condition: UPPAAL's `E[] p`, and with the verdict turned round `A<> p` and `p --> q`.
//!
//! A maximal run has infinitely many steps (time may converge), or ends in a state from which no step can be taken however long the network waits, or waits for ever. In the graph of
//! extrapolated zones, restricted to the cells of the condition, these are a cycle, a zone with deadlocked values whose remaining time passes in the condition, and a cell without an upper
//! bound (Behrmann, David, Larsen 2004). A depth-first search looks for all three; lower and upper constants are equal, so that zones that stand for one another are bisimilar.
//!
//! Where the condition may begin to hold anywhere, a covering search finds what is reachable first, and the depth-first search begins in every part of it in which it may.

use crate::concrete::{self, Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, cover_of};
use crate::depth_first::{DepthFirst, Direction, Found, Sought};
use crate::repeat::lasso;
use crate::settings::Settings;
use crate::space::{Space, StateId, Stepped};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNodes, Proof, Stay};
use entail_zones::Zone;

/// A cell in which a run begins to stay within the condition.
struct Start {
    /// Where it does not begin with the run: the node of the covering search from which it does, and the step into the cell.
    from: Option<(NodeId, PathStep)>,
    cell: StateId,
    zone: Zone,
}

/// Looks for a maximal run that stays within the query's first condition.
pub fn decide(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    space.needs_bounds()?;
    let begins_anywhere = space.query.formulas().len() > 1;
    let mut before = CoverSearch::new(space, settings);
    let starts = match begins_anywhere {
        true => {
            before.exhaust(budget, counters)?;
            later_starts(&mut before, budget)?
        }
        false => first_starts(before.space)?,
    };
    match search(before.space, settings, &starts, budget, counters)? {
        Outcome::Found(start, found) => {
            let mut path = Path {
                first: starts[start].cell,
                steps: Vec::new(),
            };
            if let Some((node, step)) = &starts[start].from {
                path = before.path(*node);
                path.steps.push(*step);
            }
            proof_of(before.space, path, found, budget)
        }
        Outcome::Nothing(nodes) => {
            let mut cover = cover_of(before.space, nodes);
            if begins_anywhere {
                cover.prelude = before.cover(&|_| 0).nodes;
            }
            Ok(Proof::Cover { cover })
        }
    }
}

/// The cells in which runs begin.
fn first_starts(space: &mut Space<'_>) -> Result<Vec<Start>, Stop> {
    let mut starts = Vec::new();
    for state in space.initial().map_err(Stop::at_start)? {
        for &cell in space.cells_of(state).iter() {
            let mut zone = Zone::zero(space.network.dimension());
            if space.arrive(cell, &mut zone) {
                starts.push(Start {
                    from: None,
                    cell,
                    zone,
                });
            }
        }
    }
    Ok(starts)
}

/// The cells in which the condition may begin to hold, from what is reachable.
fn later_starts(before: &mut CoverSearch<'_, '_>, budget: &Budget) -> Result<Vec<Start>, Stop> {
    let mut starts = Vec::new();
    for node in before.alive() {
        budget.check()?;
        let state = before.state(node);
        for step in before.space.beginnings(state) {
            let mut zone = before.zone(node);
            if let Stepped::To(cell) = before.space.step(&mut zone, step) {
                starts.push(Start {
                    from: Some((node, PathStep::of(step, cell))),
                    cell,
                    zone,
                });
            }
        }
    }
    Ok(starts)
}

/// How a depth-first search ended.
enum Outcome {
    /// Something was found from this start on.
    Found(usize, Found),
    /// These are all zones.
    Nothing(CoverNodes),
}

fn search(
    space: &mut Space<'_>,
    settings: Settings,
    starts: &[Start],
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Outcome, Stop> {
    if let Some(reason) = space.cells.refused.take() {
        return Err(Stop::Unknown(reason));
    }
    let mut search = DepthFirst::new(space, settings, Sought::Staying, Direction::LastFirst);
    for (number, start) in starts.iter().enumerate() {
        let found = search.visit(start.cell, start.zone.clone(), usize::MAX, budget, counters)?;
        if let Some(found) = found {
            counters.stored += search.len() as u64;
            return Ok(Outcome::Found(number, found));
        }
    }
    Ok(Outcome::Nothing(search.finish(counters)?))
}

/// The run along a way to a cell, and what was found from there on.
fn proof_of(space: &Space<'_>, way: Path, found: Found, budget: &Budget) -> Result<Proof, Stop> {
    let since = way.steps.len();
    let joined = |more: Path| Path {
        first: way.first,
        steps: [way.steps.as_slice(), &more.steps].concat(),
    };
    let stay = match found {
        Found::End(path, ends) => {
            // Zones are extrapolated: some of the ends may be reached only by values that are bisimilar to others.
            let path = joined(path);
            let run = (ends.iter()).find_map(|at_end| concrete::run(space, &path, at_end, true));
            let run =
                run.ok_or_else(|| Stop::Unknown("the symbolic path found has no run of its own".to_owned()))?;
            Stay {
                stem: run,
                since,
                cycle: Vec::new(),
                zone: Vec::new(),
            }
        }
        Found::Cycle(path, steps) => {
            let lasso = lasso(space, &joined(path), &steps, budget)?;
            Stay {
                stem: lasso.stem,
                since,
                cycle: lasso.cycle,
                zone: lasso.zone,
            }
        }
    };
    Ok(Proof::Stay { stay })
}
