//! Parts of separating formulas that all relations have.

use super::truth::Truth;
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{HmlGraph, HmlId, HmlNode};
use entail_model::{Lts, StateId};

/// A proposition that only one of two states has, with the sign that is right for the first; true if there is none.
pub(crate) fn look(graph: &mut HmlGraph, lts: &Lts, s: StateId, t: StateId) -> HmlId {
    let (here, there) = (lts.propositions(s), lts.propositions(t));
    let more = here.iter().find(|name| !there.contains(name));
    let less = there.iter().find(|name| !here.contains(name));
    match (more, less) {
        (Some(name), _) => graph.add(HmlNode::Proposition { name: name.clone() }),
        (None, Some(name)) => {
            let of = graph.add(HmlNode::Proposition { name: name.clone() });
            graph.add(HmlNode::Not { of })
        }
        (None, None) => graph.add(HmlNode::True),
    }
}

/// Drops conjuncts without which each of the states is still excluded.
pub(crate) fn drop_superfluous(
    graph: &HmlGraph,
    truth: &mut Truth<'_>,
    chosen: &mut Vec<HmlId>,
    others: &[StateId],
    budget: &Budget,
) -> Result<(), Spent> {
    let mut place = 0;
    while chosen.len() > 1 && place < chosen.len() {
        budget.check()?;
        let dropped = chosen.remove(place);
        let needed = (others.iter()).any(|&other| chosen.iter().all(|&part| truth.holds(graph, part, other)));
        if needed {
            chosen.insert(place, dropped);
            place += 1;
        }
    }
    Ok(())
}
