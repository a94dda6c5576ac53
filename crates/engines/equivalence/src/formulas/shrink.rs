//! Making a separating formula smaller by trying: every part that can be `true`, and every conjunct that can go, goes.
//!
//! What remains is needed: no part of the result can be replaced by `true` without losing the separation. Only small formulas are
//! treated; each trial evaluates the formula anew where it changed.

use super::truth::Truth;
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{HmlGraph, HmlId, HmlNode};
use entail_model::StateId;

/// Formulas with more nodes than this stay as they are.
const LARGEST: usize = 400;

/// The formula with fewer parts that is still true in `s` and false in all of `others`.
pub(crate) fn shrink(
    graph: &mut HmlGraph,
    truth: &mut Truth<'_>,
    formula: HmlId,
    s: StateId,
    others: &[StateId],
    budget: &Budget,
) -> Result<HmlId, Spent> {
    let mut best = formula;
    // Parts are tried from the top: what goes takes all below it along.
    let mut next = 0;
    loop {
        let nodes = graph.extract(best).nodes().len();
        if nodes > LARGEST || next >= nodes {
            return Ok(best);
        }
        budget.check()?;
        let place = (nodes - 1 - next) as HmlId;
        let separates = |graph: &HmlGraph, truth: &mut Truth<'_>, trial: HmlId| {
            truth.holds(graph, trial, s) && !others.iter().any(|&t| truth.holds(graph, trial, t))
        };
        let found = simpler(graph, best, place)
            .into_iter()
            .find(|&trial| trial != best && separates(graph, truth, trial));
        match found {
            // What was needed above may not be needed any more.
            Some(trial) => (best, next) = (trial, 0),
            None => next += 1,
        }
    }
}

/// The formula with one part replaced by something simpler, in all ways.
fn simpler(graph: &mut HmlGraph, formula: HmlId, place: HmlId) -> Vec<HmlId> {
    let whole = graph.extract(formula);
    let node = &whole.nodes()[place as usize];
    let mut replacements: Vec<HmlNode> = Vec::new();
    match node {
        HmlNode::True | HmlNode::Not { .. } => {}
        HmlNode::And { of } => {
            for without in 0..of.len() {
                let mut of = of.clone();
                of.remove(without);
                replacements.push(HmlNode::And { of });
            }
        }
        _ => replacements.push(HmlNode::True),
    }
    let mut trials = Vec::new();
    for replacement in replacements {
        let mut numbers: Vec<HmlId> = Vec::with_capacity(whole.nodes().len());
        for (at, node) in whole.nodes().iter().enumerate() {
            let node = if at as HmlId == place { &replacement } else { node };
            let id = graph.add(node.map(|operand| numbers[operand as usize]));
            numbers.push(id);
        }
        trials.extend(numbers.last());
    }
    trials
}
