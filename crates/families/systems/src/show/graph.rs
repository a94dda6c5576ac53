//! The state graph of a small model.

use super::timeline::state_key;
use entail_budget::Budget;
use entail_model::{TransitionSystem, Value, VarId};
use entail_show::{Graph, GraphEdge, GraphNode};
use entail_systems_checker::{CheckLimits, Graph as Reachable, NotRechecked};

/// Variables shown in a node; with more, nodes show their number only.
const SHOWN: usize = 4;
/// Characters in a line of a node.
const LONGEST: usize = 22;
/// Input values enumerated in a state.
const MOST_VALUES: u64 = 1 << 12;

/// The reachable states and the steps between them, or why they are not drawn.
pub(crate) fn state_graph(
    system: &TransitionSystem,
    most_states: usize,
    budget: &Budget,
) -> Result<Graph, String> {
    let limits = CheckLimits {
        states: most_states,
        steps: most_states.saturating_mul(20),
        values: MOST_VALUES,
    };
    let reachable = Reachable::of(system, limits, budget).map_err(|why| match why {
        NotRechecked::TooLarge(why) => format!("The state graph is too large to be drawn: {why}."),
        why => format!("The state graph was not drawn: {why}."),
    })?;
    let variables: Vec<VarId> = system.state_variables().collect();
    let labelled = in_labels(&variables, &reachable);
    let nodes = reachable
        .states()
        .iter()
        .enumerate()
        .map(|(number, state)| GraphNode {
            label: label(system, &labelled, number, state),
            values: values(&variables, state),
            is_initial: number < reachable.initial_states(),
            is_marked: false,
            key: Some(state_key(system, state)),
        });
    let edges = reachable.edges().into_iter().map(|edge| GraphEdge {
        from: edge.from,
        to: edge.to,
        ..GraphEdge::default()
    });
    Ok(Graph {
        names: (variables.iter())
            .map(|&variable| system.variable(variable).name.to_string())
            .collect(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    })
}

fn values(variables: &[VarId], state: &[Option<Value>]) -> Vec<String> {
    let value = |variable: &VarId| state[variable.index()].as_ref().map(Value::to_string);
    variables
        .iter()
        .map(|variable| value(variable).unwrap_or_default())
        .collect()
}

/// The variables that labels show: those that differ between states, if these are few.
fn in_labels(variables: &[VarId], reachable: &Reachable) -> Vec<VarId> {
    let differs = |variable: &VarId| {
        let mut values = (reachable.states().iter()).map(|state| &state[variable.index()]);
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let differing: Vec<VarId> = variables.iter().copied().filter(differs).collect();
    match differing.len() {
        ..=SHOWN => differing,
        _ => Vec::new(),
    }
}

/// A line for each variable, or the number of the state if none is shown.
fn label(
    system: &TransitionSystem,
    variables: &[VarId],
    number: usize,
    state: &[Option<Value>],
) -> Vec<String> {
    if variables.is_empty() {
        return vec![number.to_string()];
    }
    let line = |&variable: &VarId| {
        let name = &system.variable(variable).name;
        match &state[variable.index()] {
            Some(Value::Bool(true)) => cut(name, LONGEST),
            Some(Value::Bool(false)) => format!("!{}", cut(name, LONGEST - 1)),
            Some(value) => {
                // The value says more than the end of a long name.
                let value = cut(&value.to_string(), LONGEST - 8);
                let room = LONGEST.saturating_sub(value.chars().count() + 1);
                format!("{}={value}", cut(name, room))
            }
            None => cut(name, LONGEST),
        }
    };
    variables.iter().map(line).collect()
}

/// At most so many characters.
fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() > longest {
        text.chars()
            .take(longest.saturating_sub(1))
            .chain(['…'])
            .collect()
    } else {
        text.to_owned()
    }
}
