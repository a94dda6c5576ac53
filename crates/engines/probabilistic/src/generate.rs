//! Exploring a network: guards, weights and updates compiled, states packed, probabilities interned.
//!
//! The order of choices and targets is that of the reference interpreter (`entail_markov::interpreter`), so that states get the same numbers.
//! Weights that depend on the state are evaluated by the reference evaluator once for each combination of values of the variables they
//! mention. When anything goes wrong in a state, the reference interpreter is asked for the error.

use crate::bytecode::Stopped;
use crate::condition::Condition;
use crate::expand::{End, Explorer};
use crate::numbers::Num;
use crate::rows::Parts;
use crate::sparse::{NONE, Sparse};
use entail_budget::{Budget, Progress, Snapshot};
use entail_markov::interpreter::{self, ExploreError};
use entail_markov::{Expr, Network, SemanticError};

/// How much of a network is explored.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The greatest number of states.
    pub limit: usize,
    /// Whether the states that are met once there are so many are left unexplored; otherwise exploring gives up.
    pub partly: bool,
    /// States that are not expanded, for what is asked is settled in them.
    pub settled: Option<Expr>,
}

/// The whole, if it has at most so many states.
impl From<usize> for Extent {
    fn from(limit: usize) -> Extent {
        Extent {
            limit,
            partly: false,
            settled: None,
        }
    }
}

/// Explores a network. If its probabilities are intervals, it is explored once for each end: no outcome of an interval is
/// impossible, so that both have the same states and transitions.
pub fn generate(
    network: &Network,
    extent: impl Into<Extent>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let extent = extent.into();
    let mut model = generate_end(network, End::Lower, &extent, budget, progress)?;
    if network.has_intervals() {
        let other = generate_end(network, End::Upper, &extent, budget, progress)?;
        if other.targets != model.targets || other.rows != model.rows {
            return Err(SemanticError {
                message: "the two ends of the intervals have different transitions".to_owned(),
                place: None,
                state: None,
                help: None,
            }
            .into());
        }
        let names: Vec<Num> = (0..other.numbers.len() as u32)
            .map(|number| model.numbers.intern(other.numbers.exact(Num(number)).clone()))
            .collect();
        model.uppers = (other.values.iter())
            .map(|value| names[value.0 as usize])
            .collect();
    }
    Ok(model)
}

/// Explores a network with one end of its intervals as weights.
fn generate_end(
    network: &Network,
    end: End,
    extent: &Extent,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let limit = extent.limit;
    let mut explorer = Explorer::new(network, end);
    let initial = explorer.begin(interpreter::initial_states(network, limit, budget)?);
    let settled =
        (extent.settled.as_ref()).map(|settled| Condition::new(network, &explorer.store.layout, settled));
    let mut sparse = Parts::new(network);
    let mut unexplored: Vec<u32> = Vec::new();
    let mut state = Vec::new();
    let (mut at, mut reported) = (0usize, 0usize);
    while at < explorer.store.len() {
        let full = explorer.store.len() > limit;
        if full && !extent.partly {
            return Err(ExploreError::TooMany(limit));
        }
        if at >= reported {
            reported = at + 65_536;
            budget.check_now()?;
            progress.report(&Snapshot {
                phase: "exploring",
                ..Snapshot::default()
            });
        }
        let first = at;
        explorer.clear_batch();
        while at < explorer.store.len() && !explorer.batch_is_full() {
            budget.check()?;
            explorer.store.read(at, &mut state);
            let skipped = full || (settled.as_ref()).is_some_and(|set| explorer.meets(set, at, &state));
            if skipped {
                unexplored.push(at as u32);
                explorer.pass_over();
            } else if let Err(Stopped) = explorer.expand(at, &state) {
                return Err(explain(network, &state).into());
            }
            at += 1;
        }
        explorer.number_targets();
        let mut skipped = unexplored.partition_point(|&state| (state as usize) < first);
        for number in first..at {
            if unexplored.get(skipped) == Some(&(number as u32)) {
                skipped += 1;
                sparse.stay(number as u32, network.kind, &explorer.compiled.earns);
            } else {
                explorer.close_or_stay(number - first, number as u32, &mut sparse)?;
            }
            sparse.choices.push((sparse.rows.len() - 1) as u32);
            if sparse.targets.len() >= NONE as usize {
                return Err(ExploreError::TooMany(number));
            }
        }
    }
    explorer.store.finish();
    Ok(sparse.into_model(
        network.kind,
        initial,
        &unexplored,
        (explorer.mixed, explorer.numbers, explorer.store),
    ))
}

/// The error in a state, by the reference interpreter.
pub(crate) fn explain(network: &Network, state: &[i64]) -> SemanticError {
    match interpreter::uncertain_choices(network, state) {
        Err(error) => error,
        Ok(_) => {
            for structure in 0..network.rewards.len() {
                for action in (0..network.actions.len())
                    .map(|at| Some(entail_markov::ActionId(at as u32)))
                    .chain([None])
                {
                    if let Err(error) = interpreter::step_reward(network, structure, state, action) {
                        return error;
                    }
                }
            }
            SemanticError {
                message: "a step cannot be computed".to_owned(),
                place: None,
                state: Some(network.show_state(state)),
                help: None,
            }
        }
    }
}
