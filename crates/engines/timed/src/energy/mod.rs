//! Whether the weight that a run accumulates stays within bounds (Bouyer, Fahrenberg, Larsen, Markey, Srba 2008; with weights of edges beside those of time Bouyer, Fahrenberg, Larsen, Markey 2010).
//!
//! *Every run* (`every`): least and largest weights of paths to [corners](crate::corners) of regions, for any number of clocks. *Some run* with an upper bound: a search of states with their levels, without clocks (`levels`). *Some run* with a lower bound
//! alone, for one clock or none (`one_clock`): the least level that is needed is found for each state. With several clocks that question is undecidable in general (from four clocks on), and refused.

mod amount;
mod every;
mod levels;
mod one_clock;
mod places;
mod realise;
mod shortage;
mod steady;
mod sweep;

use crate::constants::Constants;
use crate::corner_graph::CornerGraph;
use crate::corners::Corners;
use crate::settings::Bounds;
use crate::{Counters, Stop};
use entail_answer::Quantity;
use entail_budget::Budget;
use entail_clocks::evidence::{Proof, Sustained};
use entail_clocks::{Energy, Formula, Network, Query};

/// A question with what it is about.
struct Asked<'n> {
    network: &'n Network,
    question: &'n Energy,
    corners: Corners<'n>,
    graph: CornerGraph,
}

fn refused<T>(reason: &str) -> Result<T, Stop> {
    Err(Stop::Unknown(reason.to_owned()))
}

/// Decides whether the level stays within its bounds.
pub(crate) fn decide(
    network: &Network,
    question: &Energy,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    if !network.stopwatches.is_empty() {
        return refused("of models with stopwatches only `E<>` and `A[]`, without `deadlock`, are decided");
    }
    if question.within.mentions_deadlock() || question.within.mentions_clocks() {
        return refused("--energy: clocks and `deadlock` are not asked of runs");
    }
    if !question.every && network.clocks.len() > 1 {
        return refused(
            "--energy: whether some run stays within bounds is decided for models with one clock at most; with several it is undecidable in general",
        );
    }
    let query = Query::Energy(Box::new(question.clone()));
    let constants = Constants::of(network, &query, Bounds::Global).map_err(Stop::Unknown)?;
    if !constants.diagonals.is_empty() || constants.is_plain() {
        return refused("--energy: clocks are compared with each other, or with constants without a bound");
    }
    let within: &[Formula] = match question.every {
        true => &[],
        false => std::slice::from_ref(&question.within),
    };
    let corners = Corners {
        network,
        most: i64::from(constants.most()),
        within,
    };
    let graph = CornerGraph::of(&corners, budget)?;
    counters.stored = graph.corners.len() as u64;
    counters.steps = graph.arrows.len() as u64;
    let asked = Asked {
        network,
        question,
        corners,
        graph,
    };
    let sustained = match (question.every, question.upper) {
        (true, _) => every::decide(&asked, budget)?,
        (false, Some(_)) => levels::decide(&asked, budget)?,
        (false, None) => one_clock::decide(&asked, budget)?,
    };
    Ok(Proof::Energy { sustained })
}

/// The value of an answer: the least credit, where that is asked for.
pub(crate) fn value_of(query: &Query, sustained: &Sustained) -> (Option<Quantity>, Option<String>) {
    let is_open = matches!(query, Query::Energy(asked) if asked.credit.is_none());
    match &sustained.credit {
        Some(credit) if is_open => (Some(Quantity::Exact(credit.0.clone())), None),
        None if is_open => (None, Some("no initial credit is enough".to_owned())),
        _ => (None, None),
    }
}
