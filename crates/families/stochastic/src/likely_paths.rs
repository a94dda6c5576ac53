//! Why a bound is violated, for people: the most probable paths as a table, the states that are enough as a drawing.

use entail_budget::Budget;
use entail_markov::{Critical, Explicit, Network, explore};
use entail_show::{Exhibit, Graph, GraphEdge, GraphNode, Prominence, Shown, Table, View};
use std::collections::HashMap;
use std::time::Duration;

/// Larger models are not built again to be shown.
const MOST_STATES: usize = 100_000;

/// More states are not drawn.
const DRAWN: usize = 60;

/// States of a path that are written out; the middle of longer ones is left out.
const WRITTEN: usize = 12;

/// Adds the paths, and the states if they are few.
pub(crate) fn show(network: &Network, critical: &Critical, mut shown: Shown) -> Shown {
    let budget = Budget::unlimited().part(Duration::from_secs(5));
    let Ok(model) = explore(network, MOST_STATES, &budget) else {
        return shown;
    };
    let known = |states: &[u32]| states.iter().all(|&state| (state as usize) < model.states.len());
    if !critical.paths.iter().all(|path| known(&path.states)) || !known(&critical.states) {
        return shown;
    }
    shown.exhibits.push(Exhibit {
        title: Some("the most probable paths".to_owned()),
        prominence: Prominence::Main,
        view: View::Table(paths(network, &model, critical)),
    });
    if critical.states.len() <= DRAWN {
        shown.exhibits.push(Exhibit {
            title: Some("states that violate the bound by themselves".to_owned()),
            prominence: Prominence::Detail,
            view: View::Graph(part(network, &model, critical)),
        });
    }
    shown
}

fn paths(network: &Network, model: &Explicit, critical: &Critical) -> Table {
    let name = |&state: &u32| format!("({})", network.show_state(&model.states[state as usize]));
    let row = |path: &entail_markov::LikelyPath| {
        let states = &path.states;
        let steps = match states.len() > WRITTEN {
            false => states.iter().map(name).collect::<Vec<_>>(),
            true => {
                let (half, left_out) = (WRITTEN / 2, states.len() - WRITTEN);
                let ends = states[..half].iter().map(name);
                let dots = std::iter::once(format!("… {left_out} more …"));
                let last = states[states.len() - half..].iter().map(name);
                ends.chain(dots).chain(last).collect()
            }
        };
        vec![path.probability.clone(), steps.join(" ")]
    };
    Table {
        heads: ["probability", "states"].map(str::to_owned).to_vec(),
        rows: critical.paths.iter().map(row).collect(),
    }
}

/// The states and the steps between them.
fn part(network: &Network, model: &Explicit, critical: &Critical) -> Graph {
    let places: HashMap<u32, usize> = (critical.states.iter().copied()).zip(0..).collect();
    let ends: Vec<u32> = (critical.paths.iter())
        .filter_map(|path| path.states.last().copied())
        .collect();
    let mut graph = Graph::default();
    for &state in &critical.states {
        graph.nodes.push(GraphNode {
            label: vec![network.show_state(&model.states[state as usize])],
            is_initial: model.initial.contains(&state),
            is_marked: ends.contains(&state),
            ..GraphNode::default()
        });
        let rows = &model.rows[state as usize];
        let Some(row) = rows.get(critical.choice(state)) else {
            continue;
        };
        // What is chosen, where there is a choice.
        let action = network.action_name(row.action).filter(|_| rows.len() > 1);
        for (target, probability) in &row.targets {
            if let Some(&to) = places.get(target) {
                graph.edges.push(GraphEdge {
                    from: places[&state],
                    to,
                    label: match action {
                        Some(action) => format!("{action} {probability}"),
                        None => probability.to_string(),
                    },
                    is_dashed: false,
                });
            }
        }
    }
    graph
}
