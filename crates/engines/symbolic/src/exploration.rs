//! What is reachable, in numbers: for `--reachable`.

use crate::model::EncodedSystem;
use crate::reachability::Watch;
use crate::session::SymbolicEngine;
use crate::stop::{Attempt, NotComputed};
use entail_budget::{Budget, Progress};
use entail_dd::shared_node_count;
use entail_evidence::{CheckOptions, ModelError};
use entail_model::TransitionSystem;

/// The reachable states of a model in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exploration {
    /// How many states were reached, in decimal; they may be far more than fit a machine word.
    pub states: String,
    /// The logarithm of that number, base 2, rounded down; none if there is no state.
    pub log2_states: Option<u64>,
    /// Whether these are all, and if not, why the search ended.
    pub incomplete: Option<String>,
    /// The greatest distance of a reachable state from the initial ones. Not known where the search chains the actions of an
    /// interleaving model.
    pub diameter: Option<u64>,
    /// Rounds of the search.
    pub rounds: u64,
    /// How many of the states have no successor, in decimal; none if the search was not completed.
    pub dead_ends: Option<String>,
    /// Bits of a state, and of the inputs.
    pub state_bits: usize,
    /// Bits of the inputs.
    pub input_bits: usize,
    /// Disjunctive parts of the transition relation.
    pub parts: usize,
    /// Nodes of the transition relation.
    pub relation_nodes: usize,
    /// Nodes of the set of reachable states.
    pub reached_nodes: usize,
    /// Nodes of the set of initial states.
    pub initial_nodes: usize,
    /// The largest number of nodes at any time.
    pub peak_nodes: usize,
    /// Reorderings so far.
    pub reorderings: usize,
    /// The variable order at the end, from the top, in the names of order files.
    pub order: Vec<String>,
}

impl SymbolicEngine {
    /// Computes the reachable states and counts them. When the budget is spent the numbers are lower bounds.
    pub fn explore(
        &self,
        system: &TransitionSystem,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Exploration, ModelError> {
        let watch = Watch { budget, progress };
        let problem = |stop: NotComputed| match stop {
            NotComputed::Model(error) => *error,
            NotComputed::Unsupported(message) => ModelError {
                message,
                place: None,
                trace: None,
                help: None,
            },
            NotComputed::Diagram(error) => ModelError {
                message: format!("the transition relation could not be built: {error}"),
                place: None,
                trace: None,
                help: Some("more memory or time may help".into()),
            },
        };
        let mut model = EncodedSystem::build(system, options, &self.options, watch).map_err(problem)?;
        let outcome = model.reachable(watch).and_then(|_| model.dead_ends(watch));
        let (dead, incomplete) = match outcome {
            Ok(dead) => (Some(dead.count(&model.machine.vars).to_string()), None),
            Err(NotComputed::Diagram(error)) => (None, Some(error.to_string())),
            Err(stop) => return Err(problem(stop)),
        };
        // Counting makes no nodes; only the budget could object.
        model.manager().watch(&Budget::unlimited());
        numbers(&model, dead, incomplete).map_err(problem)
    }
}

fn numbers(
    model: &EncodedSystem<'_>,
    dead_ends: Option<String>,
    incomplete: Option<String>,
) -> Attempt<Exploration> {
    let reached = &model.reached;
    let count = reached.states.count(&model.machine.vars);
    let rounds = reached.rings.len() as u64 - 1;
    let diagrams = model.manager().statistics();
    Ok(Exploration {
        log2_states: count.bits().checked_sub(1),
        states: count.to_string(),
        incomplete,
        diameter: (reached.complete && reached.exact_rings).then_some(rounds),
        rounds,
        dead_ends,
        state_bits: model.machine.vars.len(),
        input_bits: model.encoding.input_bits.len(),
        parts: model.machine.parts.len(),
        relation_nodes: model.machine.nodes(),
        reached_nodes: reached.states.node_count(),
        initial_nodes: shared_node_count([&model.machine.initial]),
        peak_nodes: diagrams.peak_nodes,
        reorderings: diagrams.reorderings,
        order: model.encoding.order_names(model.system),
    })
}
