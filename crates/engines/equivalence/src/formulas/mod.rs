//! Formulas that tell states apart.

mod levels;
mod parts;
mod saturate;
mod separate;
mod shrink;
pub(crate) mod truth;

pub(crate) use parts::{drop_superfluous, look};
pub(crate) use shrink::shrink;

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Hml, HmlNode, Relation};
use entail_model::{Lts, StateId};
use levels::{Levels, Observation};
use separate::Separator;

/// A formula that is true in `s` and in none of `others`, which are not bisimilar to it. The system is reduced: no two of its
/// states are bisimilar, and hidden loops mean divergence or nothing.
pub(crate) fn bisimulation_formula(
    lts: &Lts,
    relation: Relation,
    s: StateId,
    others: &[StateId],
    budget: &Budget,
) -> Result<Hml, Spent> {
    let observation = match relation {
        Relation::Branching => Observation::Branching { divergence: false },
        Relation::DivergenceBranching => Observation::Branching { divergence: true },
        _ => Observation::Steps,
    };
    let saturated;
    let lts = match relation {
        Relation::Weak => {
            saturated = saturate::saturate(lts, budget)?;
            &saturated
        }
        _ => lts,
    };
    let levels = Levels::refine(lts, observation, budget, |block_of| {
        (others.iter()).all(|t| block_of[t.index()] != block_of[s.index()])
    })?;
    let mut separator = Separator::new(lts, &levels, observation, budget);
    let formula = separator.exclude(s, others)?;
    let Separator {
        mut graph, mut truth, ..
    } = separator;
    let formula = shrink(&mut graph, &mut truth, formula, s, others, budget)?;
    let formula = graph.extract(formula);
    Ok(match relation {
        Relation::Weak => weakened(&formula),
        _ => formula,
    })
}

/// The same formula about the system before it was saturated.
fn weakened(formula: &Hml) -> Hml {
    let nodes = formula.nodes().iter().map(|node| match node {
        HmlNode::Some { action, then } => HmlNode::Weak {
            action: action.clone(),
            then: *then,
        },
        node => node.clone(),
    });
    Hml::new(nodes.collect()).unwrap_or_else(|| formula.clone())
}
