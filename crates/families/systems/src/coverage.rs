//! Values that variables of a small model never have.
//!
//! All reachable states are listed by the checker's own enumeration; a variable with few values is covered if each of them occurs. What no
//! state has is often a typing mistake in a guard, or a mode that nothing ever enters.

use crate::model::SystemModel;
use entail_budget::Budget;
use entail_family::{Coverage, Unreached};
use entail_systems_checker::{CheckLimits, Graph, NotRechecked};
use std::collections::BTreeSet;

/// Variables with more values are not looked at.
const MOST_VALUES: u64 = 64;
/// Input values enumerated in a state.
const MOST_INPUTS: u64 = 1 << 12;

/// The coverage of a model with at most so many states, or why it is not known.
pub(crate) fn coverage(model: &SystemModel, most_states: usize, budget: &Budget) -> Result<Coverage, String> {
    let limits = CheckLimits {
        states: most_states,
        steps: most_states.saturating_mul(20),
        values: MOST_INPUTS,
    };
    let system = model.system();
    let graph = Graph::of(system, limits, budget).map_err(|why| match why {
        NotRechecked::TooLarge(why) => why.to_string(),
        why => why.to_string(),
    })?;
    let mut found = Coverage {
        states: graph.states().len() as u64,
        ..Coverage::default()
    };
    for id in system.state_variables() {
        let variable = system.variable(id);
        if variable.sort.size().is_none_or(|size| size > MOST_VALUES)
            || !model.content.dress.is_own(&variable.name)
        {
            continue;
        }
        let values = graph
            .states()
            .iter()
            .filter_map(|state| state[id.index()].as_ref());
        let seen: BTreeSet<String> = values.map(ToString::to_string).collect();
        for value in variable.sort.values() {
            found.parts += 1;
            if !seen.contains(&value.to_string()) {
                let line = model.content.dress.line(&variable.name);
                found.unreached.push(Unreached {
                    of: variable.name.to_string(),
                    place: line.map(|line| (None, line)),
                    text: format!("{} = {}", variable.name, model.content.dress.text(&value)),
                });
            }
        }
    }
    Ok(found)
}
