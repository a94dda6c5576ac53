//! Exploring a network: guards, weights and updates compiled, states packed, probabilities interned.
//!
//! The order of choices and targets is that of the reference interpreter (`entail_markov::interpreter`), so that states get the same numbers.
//! Weights that depend on the state are evaluated by the reference evaluator once for each combination of values of the variables they
//! mention. When anything goes wrong in a state, the reference interpreter is asked for the error.

use crate::bytecode::Stopped;
use crate::expand::{End, Explorer, Parts};
use crate::numbers::Num;
use crate::sparse::{NONE, Sparse};
use entail_budget::{Budget, Progress, Snapshot};
use entail_markov::interpreter::{self, ExploreError};
use entail_markov::{Network, SemanticError};
use fixedbitset::FixedBitSet;

/// Explores a network, at most so many states. If its probabilities are intervals, it is explored once for each end: no outcome of an interval is
/// impossible, so that both have the same states and transitions.
pub fn generate(
    network: &Network,
    limit: usize,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let mut model = generate_end(network, End::Lower, limit, budget, progress)?;
    if network.has_intervals() {
        let other = generate_end(network, End::Upper, limit, budget, progress)?;
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
    limit: usize,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let mut explorer = Explorer::new(network, end);
    let mut packed = vec![0u64; explorer.store.width()];
    let mut initial = Vec::new();
    for state in interpreter::initial_states(network, limit, budget)? {
        explorer.store.layout.pack(&state, &mut packed);
        initial.push(explorer.store.intern(&packed));
    }
    let structures = network.rewards.len();
    let mut sparse = Parts {
        choices: vec![0],
        rows: vec![0],
        step_rewards: vec![Vec::new(); structures],
        ..Parts::default()
    };
    let mut state = Vec::new();
    let (mut at, mut reported) = (0usize, 0usize);
    while at < explorer.store.len() {
        if explorer.store.len() > limit {
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
            if let Err(Stopped) = explorer.expand(at, &state) {
                return Err(explain(network, &state).into());
            }
            at += 1;
        }
        explorer.number_targets();
        for number in first..at {
            if !explorer.close_all(number - first, &mut sparse) {
                explorer.store.read(number, &mut state);
                if let Some(mistake) = network.dead_ends.mistake(network, &state) {
                    return Err(mistake.into());
                }
                sparse.stay(number as u32, network.kind, &explorer.compiled.earns);
            }
            sparse.choices.push((sparse.rows.len() - 1) as u32);
            if sparse.targets.len() >= NONE as usize {
                return Err(ExploreError::TooMany(number));
            }
        }
    }
    let mut deadlocks = FixedBitSet::with_capacity(at);
    for state in sparse.deadlocks {
        deadlocks.insert(state as usize);
    }
    let mut model = Sparse {
        kind: network.kind,
        choices: sparse.choices,
        rows: sparse.rows,
        targets: sparse.targets,
        values: sparse.values,
        uppers: Vec::new(),
        rates: sparse.rates,
        actions: sparse.actions,
        initial,
        deadlocks,
        step_rewards: sparse.step_rewards,
        mixed_rewards: explorer.mixed,
        numbers: explorer.numbers,
        store: explorer.store,
    };
    model.store.finish();
    Ok(model)
}

/// The error in a state, by the reference interpreter.
fn explain(network: &Network, state: &[i64]) -> SemanticError {
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
