//! The mu-calculus by its definition: every fixpoint is iterated from the beginning, every time.
//!
//! This is what the checker judges by. It takes steps in proportion to the states to the power of the nesting depth, and stops when
//! its budget is spent.

use entail_budget::{Budget, Spent};
use entail_logic::mu::{Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_model::Lts;
use fixedbitset::FixedBitSet;

/// The states of a graph where a formula without free variables is true.
pub fn states_where(lts: &Lts, formula: &Mu<String>, budget: &Budget) -> Result<FixedBitSet, Spent> {
    let mut values = Vec::new();
    states(lts, formula, &mut values, budget)
}

fn states(
    lts: &Lts,
    formula: &Mu<String>,
    values: &mut Vec<(MuVar, FixedBitSet)>,
    budget: &Budget,
) -> Result<FixedBitSet, Spent> {
    budget.check()?;
    let mut result = FixedBitSet::with_capacity(lts.state_count());
    match formula.node() {
        MuNode::Constant(true) => result.insert_range(..),
        MuNode::Constant(false) => {}
        MuNode::Literal(name, positive) => {
            let fits = |state| lts.propositions(state).iter().any(|one| **one == **name) == *positive;
            result.extend(
                lts.states()
                    .filter(|&state| fits(state))
                    .map(|state| state.index()),
            );
        }
        // The innermost binder of the name counts; a free variable is true nowhere.
        MuNode::Variable(name) => {
            if let Some((_, value)) = values.iter().rev().find(|(known, _)| known == name) {
                result.union_with(value);
            }
        }
        MuNode::And(parts) => {
            result.insert_range(..);
            for part in parts {
                result.intersect_with(&states(lts, part, values, budget)?);
            }
        }
        MuNode::Or(parts) => {
            for part in parts {
                result.union_with(&states(lts, part, values, budget)?);
            }
        }
        MuNode::Modal(modality, actions, inner) => {
            let inner = states(lts, inner, values, budget)?;
            for state in lts.states() {
                let fits = |label| actions.contains(lts.action_name(label));
                let mut leading = lts.steps(state).filter(|(label, _)| fits(*label));
                let is_true = match modality {
                    Modality::Some => leading.any(|(_, to)| inner.contains(to.index())),
                    Modality::Every => leading.all(|(_, to)| inner.contains(to.index())),
                };
                result.set(state.index(), is_true);
            }
        }
        MuNode::Fixpoint(kind, name, body) => {
            if *kind == Fixpoint::Greatest {
                result.insert_range(..);
            }
            loop {
                values.push((name.clone(), result.clone()));
                let next = states(lts, body, values, budget);
                values.pop();
                let next = next?;
                if next == result {
                    break;
                }
                result = next;
            }
        }
    }
    Ok(result)
}
