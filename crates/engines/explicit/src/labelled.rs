//! The reachable states as a labelled transition system.
//!
//! What is observed of states becomes propositions, what is observed of steps (conditions over inputs or next values) becomes the action of
//! an edge: the set of those that are met, hidden if none is.

use crate::graph::state_graph::StateGraph;
use crate::search::explore::{Exploration, ExplorationEnd};
use crate::stepper::Stepper;
use entail_budget::{Budget, Silent};
use entail_evidence::{DeadEnds, ModelError};
use entail_model::{ActionId, Colour, Lts, LtsBuilder, StateId, TAU, TermId, TransitionSystem, VarId};
use hashbrown::HashMap;
use std::sync::Arc;

/// Something that is seen of a system.
#[derive(Clone, Debug)]
pub enum Observed {
    /// Whether a condition is true; it has this name.
    Condition(Arc<str>, TermId),
    /// The value of a state variable: a proposition `x=v`, or `x` for Booleans.
    Value(VarId),
}

/// The reachable states of a system; `Ok(Err(reason))` if there are more than `most_states`, the budget was spent, or the system is not supported.
/// Fairness is left out.
pub fn labelled_graph(
    system: &TransitionSystem,
    observed: &[Observed],
    most_states: usize,
    budget: &Budget,
) -> Result<Result<Lts, String>, ModelError> {
    match explore(system, observed, most_states, budget) {
        Ok(lts) => Ok(Ok(lts)),
        Err(ExplorationEnd::Unknown { reason, .. }) => Ok(Err(reason)),
        Err(ExplorationEnd::Error(error)) => Err(*error),
    }
}

fn explore(
    system: &TransitionSystem,
    observed: &[Observed],
    most_states: usize,
    budget: &Budget,
) -> Result<Lts, ExplorationEnd> {
    let conditions: Vec<(&Arc<str>, TermId)> = (observed.iter())
        .filter_map(|one| match one {
            Observed::Condition(name, term) => Some((name, *term)),
            Observed::Value(_) => None,
        })
        .collect();
    let values: Vec<VarId> = (observed.iter())
        .filter_map(|one| match one {
            Observed::Value(variable) => Some(*variable),
            Observed::Condition(..) => None,
        })
        .collect();
    let terms: Vec<TermId> = conditions.iter().map(|condition| condition.1).collect();
    let hazards = system.hazards.iter().map(|hazard| hazard.condition);
    let read: Vec<TermId> = hazards.chain(terms.iter().copied()).collect();
    let stepper = Stepper::new(system, &read)?;
    let search = Exploration {
        stepper: &stepper,
        bound: None,
        dead_ends: DeadEnds::Infinite,
        most_states: Some(most_states),
        budget,
        progress: &Silent,
    };
    let graph = StateGraph::build(&search, &terms)?;
    if !graph.explored.is_complete() {
        return Err(ExplorationEnd::Unknown {
            reason: format!("more than {most_states} states are reachable"),
            statistics: graph.explored.statistics(),
        });
    }
    if graph.len() == 0 {
        return Err(ExplorationEnd::Unknown {
            reason: "there is no initial state".to_owned(),
            statistics: graph.explored.statistics(),
        });
    }
    let mut builder = LtsBuilder::new(graph.len() as u64);
    for state in 0..graph.explored.initial as u32 {
        builder.initial(StateId::new(state));
    }

    let (of_steps, of_states): (Vec<_>, Vec<_>) =
        (conditions.into_iter()).partition(|(_, term)| graph.step_bit(*term).is_some());
    let mut sets = Vec::new();
    for (name, term) in of_states {
        sets.push((name, graph.states_where(&stepper, term, budget)?));
    }
    // States are painted by what is seen; the set of propositions is made once for each colour.
    let mut colours: HashMap<(Vec<bool>, Vec<String>), Colour> = HashMap::new();
    for id in graph.explored.table.ids() {
        budget.check().map_err(|spent| graph.spent(spent))?;
        let truths: Vec<bool> = sets.iter().map(|(_, set)| set.contains(id.index())).collect();
        let all = match values.is_empty() {
            true => Vec::new(),
            false => (stepper.layout).values(&graph.explored.table.state(&stepper.layout, id)),
        };
        let shown: Vec<String> = (values.iter())
            .filter_map(|variable| {
                let name = &system.variable(*variable).name;
                let value = all[variable.index()].as_ref()?;
                match value.as_bool() {
                    Some(truth) => truth.then(|| name.to_string()),
                    None => Some(format!("{name}={value}")),
                }
            })
            .collect();
        let colour = *colours
            .entry((truths, shown))
            .or_insert_with_key(|(truths, shown)| {
                let names = (sets.iter().zip(truths)).filter(|(_, truth)| **truth);
                let names = names.map(|((name, _), _)| Arc::clone(name));
                builder.colour(names.chain(shown.iter().map(|name| Arc::from(name.as_str()))))
            });
        builder.paint(StateId::new(id.0), colour);
    }

    let bits: Vec<(&Arc<str>, usize)> = (of_steps.into_iter())
        .filter_map(|(name, term)| Some((name, graph.step_bit(term)?)))
        .collect();
    let mut actions: HashMap<u32, ActionId> = HashMap::new();
    for state in 0..graph.len() as u32 {
        for edge in graph.edges(state) {
            let action = match bits.is_empty() {
                true => TAU,
                false => *actions.entry(graph.mark_of(edge)).or_insert_with(|| {
                    let mut met: Vec<&str> = (bits.iter())
                        .filter(|(_, bit)| graph.meets(edge, *bit))
                        .map(|(name, _)| &***name)
                        .collect();
                    met.sort_unstable();
                    match met.is_empty() {
                        true => TAU,
                        false => builder.action(&format!("{{{}}}", met.join(", "))),
                    }
                }),
            };
            builder.transition(StateId::new(state), action, StateId::new(graph.edge_target(edge)));
        }
    }
    Ok(builder
        .build()
        .expect("the edges of a graph are between its states"))
}
