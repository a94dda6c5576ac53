//! Exploring a network: guards, weights and updates compiled, states packed, probabilities interned.
//!
//! The order of choices and targets is that of the reference interpreter (`entail_markov::interpreter`), so that states get the same numbers.
//! Weights that depend on the state are evaluated by the reference evaluator once for each combination of values of the variables they
//! mention. When anything goes wrong in a state, the reference interpreter is asked for the error. Where many states are waiting, they are
//! explored by several threads ([`crate::together`]), which give them the same numbers.

use crate::bytecode::Stopped;
use crate::condition::{Condition, Seen};
use crate::expand::{End, Explorer};
use crate::numbers::Num;
use crate::rows::Parts;
use crate::sparse::{NONE, Sparse};
use crate::store::StateStore;
use crate::together::Team;
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_markov::interpreter::{self, ExploreError};
use entail_markov::{Expr, Network, SemanticError};
use std::ops::Range;

/// How much of a network is explored.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The greatest number of states.
    pub limit: usize,
    /// Whether the states that are met once there are so many are left unexplored; otherwise exploring gives up.
    pub partly: bool,
    /// States that are not expanded, for what is asked is settled in them.
    pub settled: Option<Expr>,
    /// How many threads may explore.
    pub threads: usize,
    /// Threads explore together where so many states are waiting.
    pub share: usize,
}

/// Fewer waiting states are not worth several threads.
const WORTHWHILE: usize = 4096;

/// The whole, if it has at most so many states.
impl From<usize> for Extent {
    fn from(limit: usize) -> Extent {
        Extent {
            limit,
            partly: false,
            settled: None,
            threads: 1,
            share: WORTHWHILE,
        }
    }
}

/// How exploring goes on after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// To the end.
    GoOn,
    /// Until so many states are known; then there is another pause.
    PauseAt(usize),
    /// Not at all.
    GiveUp,
}

/// Once so many states are known, exploring pauses and asks how to go on.
pub type Pause<'p> = (usize, &'p mut dyn FnMut(usize) -> Next);

/// Explores a network. If its probabilities are intervals, it is explored once for each end: no outcome of an interval is
/// impossible, so that both have the same states and transitions.
pub fn generate(
    network: &Network,
    extent: impl Into<Extent>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    generate_pausing(network, &extent.into(), None, budget, progress)
}

/// The same with a pause.
pub(crate) fn generate_pausing(
    network: &Network,
    extent: &Extent,
    pause: Option<Pause<'_>>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let mut model = generate_end(network, End::Lower, extent, pause, budget, progress)?;
    if network.has_intervals() {
        let other = generate_end(network, End::Upper, extent, None, budget, progress)?;
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
    mut pause: Option<Pause<'_>>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Sparse, ExploreError> {
    let mut store = StateStore::new(network);
    let initial = store.intern_values(interpreter::initial_states(network, extent.limit, budget)?);
    let mut found = Found {
        store,
        rows: Parts::new(network),
        unexplored: Vec::new(),
        at: 0,
    };
    let mut stretch = Stretch::new(network, end, extent.settled.as_ref());
    let mut team: Option<Team> = None;
    // A part is the same however many threads there are, since it is explored by one.
    let mut alone = extent.threads < 2 || extent.partly;
    let mut reported = 0;
    while found.at < found.store.len() {
        let full = found.store.len() > extent.limit;
        if full && !extent.partly {
            return Err(ExploreError::TooMany(extent.limit));
        }
        if let Some((states, next)) = pause.take_if(|(states, _)| found.store.len() > *states) {
            match next(states) {
                Next::GoOn => {}
                Next::PauseAt(later) => pause = Some((later, next)),
                Next::GiveUp => return Err(ExploreError::TooMany(found.store.len())),
            }
        }
        if found.at >= reported {
            reported = found.at + 65_536;
            budget.check_now()?;
            progress.report(&Snapshot {
                phase: "exploring",
                ..Snapshot::default()
            });
        }
        let together = !alone && found.store.len() - found.at >= extent.share;
        if together && team.is_none() {
            team = Team::new(network, end, extent, budget);
            alone = team.is_none();
        }
        match &mut team {
            Some(team) if together => team.round(&mut found, &mut stretch.explorer.numbers)?,
            _ => {
                stretch.fill(found.at..found.store.len(), full, true, &found.store, budget)?;
                stretch.explorer.look_up_targets(&found.store);
                stretch.explorer.number_new_targets(&mut found.store);
                stretch.write(&found.store, &mut found.rows)?;
                found.pass(&stretch);
            }
        }
        if found.rows.targets.len() >= NONE as usize {
            return Err(ExploreError::TooMany(found.at));
        }
    }
    found.store.finish();
    let mut explorer = stretch.explorer;
    if let Some(team) = team {
        team.add_mixed_to(&mut explorer.mixed);
    }
    let beside = (explorer.mixed, explorer.numbers, found.store);
    Ok((found.rows).into_model(network.kind, initial, &found.unexplored, beside))
}

/// What has been found so far.
pub(crate) struct Found {
    pub store: StateStore,
    pub rows: Parts,
    pub unexplored: Vec<u32>,
    /// The first state that is not expanded yet.
    pub at: usize,
}

impl Found {
    /// Goes on behind a stretch of states whose rows were written.
    pub fn pass(&mut self, stretch: &Stretch) {
        self.unexplored.extend_from_slice(&stretch.skipped);
        self.at = stretch.range.end;
    }
}

/// Consecutive states that one explorer expands together.
pub(crate) struct Stretch<'n> {
    network: &'n Network,
    pub explorer: Explorer<'n>,
    settled: Option<Condition>,
    pub range: Range<usize>,
    /// Those that are not expanded.
    skipped: Vec<u32>,
    /// What is wrong in the state behind the last one.
    mistake: Option<SemanticError>,
    state: Vec<i64>,
}

impl<'n> Stretch<'n> {
    pub fn new(network: &'n Network, end: End, settled: Option<&Expr>) -> Stretch<'n> {
        let explorer = Explorer::new(network, end);
        Stretch {
            network,
            settled: settled.map(|set| Condition::new(network, &explorer.layout, set)),
            explorer,
            range: 0..0,
            skipped: Vec::new(),
            mistake: None,
            state: Vec::new(),
        }
    }

    /// Expands states, all of them or as many as are well looked up together, or none but passes them over.
    pub fn fill(
        &mut self,
        range: Range<usize>,
        pass_over: bool,
        in_batches: bool,
        store: &StateStore,
        budget: &Budget,
    ) -> Result<(), Spent> {
        self.explorer.clear_batch();
        self.skipped.clear();
        self.range = range.start..range.start;
        for at in range {
            if in_batches && self.explorer.batch_is_full() {
                break;
            }
            budget.check()?;
            store.read(at, &mut self.state);
            let seen = Seen {
                packed: store.packed(at),
                values: &self.state,
            };
            if pass_over || (self.settled.as_ref()).is_some_and(|set| self.explorer.meets(set, seen)) {
                self.skipped.push(at as u32);
                self.explorer.pass_over();
            } else if let Err(Stopped) = self.explorer.expand(seen) {
                self.mistake = Some(explain(self.network, &self.state));
                break;
            }
            self.range.end = at + 1;
        }
        Ok(())
    }

    /// Writes the rows of the states, all of whose targets have numbers. Of all mistakes that of the first state is told.
    pub fn write(&mut self, store: &StateStore, rows: &mut Parts) -> Result<(), SemanticError> {
        let mut skipped = self.skipped.iter().peekable();
        for number in self.range.clone() {
            let (position, number) = (number - self.range.start, number as u32);
            match skipped.next_if(|&&skipped| skipped == number) {
                Some(_) => rows.stay(number, self.network.kind, &self.explorer.compiled.earns),
                None => (self.explorer).close_or_stay(position, number, store, rows)?,
            }
            rows.choices.push((rows.rows.len() - 1) as u32);
        }
        match self.mistake.take() {
            Some(mistake) => Err(mistake),
            None => Ok(()),
        }
    }
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
