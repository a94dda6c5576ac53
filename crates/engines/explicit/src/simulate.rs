//! Walking through a system, and its graph for drawing.

use crate::Unsupported;
use crate::graph::state_graph::StateGraph;
use crate::search::explore::{Exploration, ExplorationEnd};
use crate::stepper::{Cursor, Found, Stepper};
use entail_budget::{Budget, Silent, Spent};
use entail_evidence::{DeadEnds, ModelError};
use entail_model::{TransitionSystem, Value};
use hashbrown::HashSet;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The values of all variables, indexed as the system's; inputs `None` where they are not chosen.
pub type Values = Vec<Option<Value>>;

/// A step from a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SimulationStep {
    /// The state with the inputs chosen for the step.
    pub now: Values,
    /// The state it leads to.
    pub next: Values,
}

/// The initial states and steps of a system, one at a time.
#[derive(Debug)]
pub struct Simulator {
    stepper: Stepper,
}

impl Simulator {
    /// Prepares a system. Every input is enumerated that a condition, a hazard or a fairness constraint reads.
    pub fn new(system: &TransitionSystem) -> Result<Simulator, Unsupported> {
        Ok(Simulator {
            stepper: Stepper::new(system, &system.roots())?,
        })
    }

    /// The initial states, at most so many.
    pub fn initial_states(&self, most: usize, budget: &Budget) -> Result<Vec<Values>, Spent> {
        let mut cursor = self.stepper.cursor();
        cursor.start_initial();
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut states = Vec::new();
        while states.len() < most
            && let Some(found) = cursor.next(budget)?
        {
            if found == Found::State && seen.insert(cursor.packed().to_vec()) {
                states.push(self.stepper.layout.values(cursor.packed()));
            }
        }
        Ok(states)
    }

    /// The steps from a state, at most so many; none if the values are not a state's.
    pub fn successors(
        &self,
        state: &[Option<Value>],
        most: usize,
        budget: &Budget,
    ) -> Result<Vec<SimulationStep>, Spent> {
        let Some(packed) = self.stepper.layout.pack_values(state) else {
            return Ok(Vec::new());
        };
        let mut cursor = self.stepper.cursor();
        cursor.start_steps(&packed);
        let mut seen: HashSet<SimulationStep> = HashSet::new();
        let mut steps = Vec::new();
        while steps.len() < most
            && let Some(found) = cursor.next(budget)?
        {
            if found == Found::State {
                let step = SimulationStep {
                    now: self.stepper.layout.read_values(cursor.leaves(), true),
                    next: self.stepper.layout.values(cursor.packed()),
                };
                if seen.insert(step.clone()) {
                    steps.push(step);
                }
            }
        }
        Ok(steps)
    }

    /// An initial state, each as likely as the others if there are at most so many; otherwise one of the first so many. Also whether there are no more. `below`
    /// chooses a number below the one it is given.
    pub fn random_initial_state(
        &self,
        most: usize,
        below: &mut dyn FnMut(usize) -> usize,
        budget: &Budget,
    ) -> Option<(Values, bool)> {
        let mut cursor = self.stepper.cursor();
        cursor.start_initial();
        sample(&mut cursor, most, below, budget, |cursor| {
            self.stepper.layout.values(cursor.packed())
        })
    }

    /// A step from a state, each as likely as the others if there are at most so many; otherwise one of the first so many. Also whether there are no more. `below`
    /// chooses a number below the one it is given.
    pub fn random_successor(
        &self,
        state: &[Option<Value>],
        most: usize,
        below: &mut dyn FnMut(usize) -> usize,
        budget: &Budget,
    ) -> Option<(SimulationStep, bool)> {
        let packed = self.stepper.layout.pack_values(state)?;
        let mut cursor = self.stepper.cursor();
        cursor.start_steps(&packed);
        sample(&mut cursor, most, below, budget, |cursor| SimulationStep {
            now: self.stepper.layout.read_values(cursor.leaves(), true),
            next: self.stepper.layout.values(cursor.packed()),
        })
    }
}

/// One of the first so many different solutions, each as likely as the others (a reservoir of one). When the budget is spent, one of those
/// found until then. Also whether these were all.
fn sample<T>(
    cursor: &mut Cursor<'_>,
    most: usize,
    below: &mut dyn FnMut(usize) -> usize,
    budget: &Budget,
    read: impl Fn(&Cursor<'_>) -> T,
) -> Option<(T, bool)> {
    let mut seen: HashSet<u64> = HashSet::new();
    let mut chosen = None;
    let is_whole = loop {
        let found = match cursor.next(budget) {
            Ok(Some(found)) => found,
            Ok(None) => break true,
            Err(_) => break false,
        };
        if seen.len() >= most {
            break false;
        }
        if found == Found::State {
            let mut hasher = FxHasher::default();
            (cursor.leaves(), cursor.packed()).hash(&mut hasher);
            if seen.insert(hasher.finish()) && below(seen.len()) == 0 {
                chosen = Some(read(cursor));
            }
        }
    };
    chosen.map(|chosen| (chosen, is_whole))
}

/// The reachable states and the edges between them.
#[derive(Clone, Debug)]
pub struct ReachableGraph {
    /// States in breadth-first order.
    pub states: Vec<Values>,
    /// How many of the first states are initial.
    pub initial: usize,
    /// Edges by state numbers, each once, sorted.
    pub edges: Vec<(u32, u32)>,
    /// Whether that is all of them; otherwise there are more than was asked for.
    pub complete: bool,
}

/// The graph of the reachable states, up to so many; `Ok(Err(reason))` if the budget was spent or the system is not
/// supported.
pub fn reachable_graph(
    system: &TransitionSystem,
    most_states: usize,
    budget: &Budget,
) -> Result<Result<ReachableGraph, String>, ModelError> {
    let explore = || -> Result<ReachableGraph, ExplorationEnd> {
        let hazards: Vec<_> = system.hazards.iter().map(|hazard| hazard.condition).collect();
        let stepper = Stepper::new(system, &hazards)?;
        let search = Exploration {
            stepper: &stepper,
            bound: None,
            dead_ends: DeadEnds::Infinite,
            most_states: Some(most_states),
            budget,
            progress: &Silent,
        };
        let graph = StateGraph::build(&search, &[])?;
        let (table, layout) = (&graph.explored.table, &stepper.layout);
        let edges_of = |state: u32| graph.successors(state).iter().map(move |&to| (state, to));
        Ok(ReachableGraph {
            states: (table.ids())
                .map(|id| layout.values(&table.state(layout, id)))
                .collect(),
            initial: graph.explored.initial,
            edges: (0..graph.len() as u32).flat_map(edges_of).collect(),
            complete: graph.explored.is_complete(),
        })
    };
    match explore() {
        Ok(graph) => Ok(Ok(graph)),
        Err(ExplorationEnd::Unknown { reason, .. }) => Ok(Err(reason)),
        Err(ExplorationEnd::Error(error)) => Err(*error),
    }
}
