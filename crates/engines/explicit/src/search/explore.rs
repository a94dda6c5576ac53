//! The search: every reachable state once.
//!
//! Breadth-first by default: states are expanded in the order of their numbers, so the queue costs nothing and the first
//! path to a state is a shortest one. Depth-first takes the newest state first. The visitor sees each state when it is
//! found and each step; it may stop the search. Time is linear in the number of steps enumerated.

use super::hazard::HazardWatch;
use super::trace;
use crate::state_table::{StateId, StateTable};
use crate::stepper::{Cursor, Found, Stepper};
use crate::{Unsupported, describe};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_evidence::{DeadEnds, ModelError, Statistics};
use entail_model::{Hazard, Value};

/// Progress is reported once in this many expanded states.
const REPORT_EVERY: u64 = 4096;

/// So many successors are looked up together.
const BATCH: usize = 32;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first: shortest traces.
    #[default]
    BreadthFirst,
    /// Newest first: deep states early, long traces.
    DepthFirst,
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    GoOn,
    Stop,
}

/// Sees states and steps as they are found.
pub(crate) trait Visitor {
    /// Whether it wants to see steps.
    fn watches_steps(&self) -> bool;
    /// A state was found.
    fn state(&mut self, id: StateId, packed: &[u64]) -> Next;
    /// A step was found, from an expanded state to a state already numbered.
    fn step(&mut self, from: StateId, to: StateId, leaves: &[i64]) -> Next;
    /// All steps of a state have been seen; breadth-first, states come in order.
    fn expanded(&mut self, _: StateId) {}
}

/// Where a visitor stopped the search.
#[derive(Debug)]
pub(crate) enum Stopped {
    State(StateId),
    Step {
        from: StateId,
        /// The state with the inputs of the step.
        now: Vec<Option<Value>>,
        to: StateId,
    },
}

/// What a search found.
#[derive(Debug)]
pub(crate) struct Explored {
    pub table: StateTable,
    /// Initial states are numbered `0..initial`.
    pub initial: usize,
    pub transitions: u64,
    /// Breadth-first: the largest distance from an initial state.
    pub depth: u64,
    /// Expanded states; the others lie at the bound.
    pub expanded: usize,
    pub dead_end: Option<StateId>,
    pub stopped: Option<Stopped>,
}

impl Explored {
    /// Whether every reachable state was expanded.
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && self.expanded == self.table.len()
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics_without_depth().with("depth", self.depth)
    }

    /// The same for searches that do not go level by level.
    pub fn statistics_without_depth(&self) -> Statistics {
        Statistics::default()
            .with("states", self.table.len() as u64)
            .with("transitions", self.transitions)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The budget is spent, or the numbers are.
    Unknown { reason: String, statistics: Statistics },
    /// The model has no meaning.
    Error(Box<ModelError>),
}

impl From<Unsupported> for Halt {
    fn from(unsupported: Unsupported) -> Halt {
        Halt::Unknown {
            reason: unsupported.0,
            statistics: Statistics::default(),
        }
    }
}

impl From<ModelError> for Halt {
    fn from(error: ModelError) -> Halt {
        Halt::Error(Box::new(error))
    }
}

/// What to search.
pub(crate) struct Search<'a> {
    pub stepper: &'a Stepper,
    pub order: Order,
    /// Longest paths followed.
    pub bound: Option<u64>,
    pub dead_ends: DeadEnds,
    /// No state is expanded once so many are known.
    pub most_states: Option<usize>,
    pub budget: &'a Budget,
    pub progress: &'a dyn Progress,
}

impl Search<'_> {
    /// Visits every reachable state.
    pub fn run(&self, visitor: &mut impl Visitor) -> Result<Explored, Halt> {
        let mut hazards = HazardWatch::new(self.stepper)?;
        let mut explored = Explored {
            table: StateTable::new(self.stepper.layout.words()),
            initial: 0,
            transitions: 0,
            depth: 0,
            expanded: 0,
            dead_end: None,
            stopped: None,
        };
        self.start(&mut explored, &mut hazards, visitor)?;
        let mut stack: Vec<StateId> = Vec::new();
        if self.order == Order::DepthFirst {
            stack.extend(explored.table.ids());
            stack.reverse();
        }
        let mut level_end = explored.table.len();
        let mut cursor = self.stepper.cursor();
        let enough = |explored: &Explored| self.most_states.is_some_and(|most| explored.table.len() > most);
        while explored.stopped.is_none() && !enough(&explored) {
            let from = match self.order {
                Order::DepthFirst => match stack.pop() {
                    Some(id) => id,
                    None => break,
                },
                Order::BreadthFirst => {
                    if explored.expanded == explored.table.len() {
                        break;
                    }
                    if explored.expanded == level_end {
                        explored.depth += 1;
                        level_end = explored.table.len();
                    }
                    if self.bound == Some(explored.depth) {
                        break;
                    }
                    StateId(explored.expanded as u32)
                }
            };
            self.report(&explored);
            self.poll(&explored)?;
            let dead = self.expand(
                from,
                &mut cursor,
                &mut explored,
                &mut hazards,
                &mut stack,
                visitor,
            )?;
            if dead {
                if self.dead_ends == DeadEnds::Error {
                    return Err(self.dead_end(&explored, from));
                }
                explored.dead_end.get_or_insert(from);
            }
            visitor.expanded(from);
            explored.expanded += 1;
        }
        Ok(explored)
    }

    /// Finds the steps of a state; whether there are none.
    fn expand(
        &self,
        from: StateId,
        cursor: &mut Cursor<'_>,
        explored: &mut Explored,
        hazards: &mut HazardWatch,
        stack: &mut Vec<StateId>,
        visitor: &mut impl Visitor,
    ) -> Result<bool, Halt> {
        let words = self.stepper.layout.words();
        // Where nobody looks at single steps, successors are looked up a handful at a time: memory is then waited for
        // once a handful and not once a state.
        let at_once = visitor.watches_steps();
        let mut batch: Vec<u64> = Vec::with_capacity(if at_once { 0 } else { BATCH * words });
        let mut dead = true;
        cursor.start_steps(explored.table.state(from));
        while explored.stopped.is_none() {
            let found = cursor
                .next(self.budget)
                .map_err(|spent| self.spent(spent, explored))?;
            let Some(found) = found else { break };
            if let Some(hazard) = hazards.in_step(self.stepper, cursor.leaves()) {
                let now = self.stepper.layout.read_values(cursor.leaves(), true);
                return Err(self.hazard(hazard, &explored.table, from, Some(now)));
            }
            if found == Found::Outside {
                continue;
            }
            dead = false;
            explored.transitions += 1;
            if !at_once {
                batch.extend_from_slice(cursor.packed());
                if batch.len() == BATCH * words {
                    self.arrive_all(from, &mut batch, explored, hazards, stack, visitor)?;
                }
                continue;
            }
            let to = self.arrive(from, cursor.packed(), explored, hazards, stack, visitor)?;
            if explored.stopped.is_none() && visitor.step(from, to, cursor.leaves()) == Next::Stop {
                let now = self.stepper.layout.read_values(cursor.leaves(), true);
                explored.stopped = Some(Stopped::Step { from, now, to });
            }
        }
        self.arrive_all(from, &mut batch, explored, hazards, stack, visitor)?;
        Ok(dead)
    }

    fn arrive_all(
        &self,
        from: StateId,
        batch: &mut Vec<u64>,
        explored: &mut Explored,
        hazards: &mut HazardWatch,
        stack: &mut Vec<StateId>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Halt> {
        explored.table.warm(batch);
        for packed in batch.chunks_exact(self.stepper.layout.words()) {
            if explored.stopped.is_some() {
                break;
            }
            self.arrive(from, packed, explored, hazards, stack, visitor)?;
        }
        batch.clear();
        Ok(())
    }

    /// Numbers a successor, and shows it to the visitor if it is new.
    fn arrive(
        &self,
        from: StateId,
        packed: &[u64],
        explored: &mut Explored,
        hazards: &mut HazardWatch,
        stack: &mut Vec<StateId>,
        visitor: &mut impl Visitor,
    ) -> Result<StateId, Halt> {
        let (to, new) = self.number(packed, from, explored)?;
        if new {
            if let Some(hazard) = hazards.in_state(self.stepper, packed) {
                return Err(self.hazard(hazard, &explored.table, to, None));
            }
            if self.order == Order::DepthFirst {
                stack.push(to);
            }
            if visitor.state(to, packed) == Next::Stop {
                explored.stopped = Some(Stopped::State(to));
            }
        }
        Ok(to)
    }

    /// Numbers the initial states.
    pub(super) fn start(
        &self,
        explored: &mut Explored,
        hazards: &mut HazardWatch,
        visitor: &mut impl Visitor,
    ) -> Result<(), Halt> {
        let mut cursor = self.stepper.cursor();
        cursor.start_initial();
        loop {
            let found = cursor
                .next(self.budget)
                .map_err(|spent| self.spent(spent, explored))?;
            let Some(found) = found else { break };
            if found == Found::Outside {
                if let Some(hazard) = hazards.in_current(self.stepper, cursor.leaves()) {
                    return Err(Halt::from(ModelError {
                        message: format!("in an initial state: {}", hazard.message),
                        place: hazard.place,
                        trace: None,
                        help: None,
                    }));
                }
                continue;
            }
            let (id, new) = explored
                .table
                .insert(cursor.packed(), None)
                .map_err(|_| full(explored))?;
            if !new {
                continue;
            }
            explored.initial += 1;
            self.report(explored);
            if let Some(hazard) = hazards.in_state(self.stepper, cursor.packed()) {
                return Err(self.hazard(hazard, &explored.table, id, None));
            }
            if visitor.state(id, cursor.packed()) == Next::Stop {
                explored.stopped = Some(Stopped::State(id));
                return Ok(());
            }
        }
        if explored.initial == 0 {
            return Err(Halt::from(ModelError {
                message: "the model has no initial state".into(),
                place: None,
                trace: None,
                help: Some("the initial conditions and the invariants contradict each other".into()),
            }));
        }
        Ok(())
    }

    pub(super) fn report(&self, explored: &Explored) {
        let done = explored.expanded as u64;
        if done.is_multiple_of(REPORT_EVERY) {
            self.progress.report(&Snapshot {
                phase: "reachability",
                depth: Some(explored.depth),
                states: Some(explored.table.len() as u64),
                frontier: Some(explored.table.len() as u64 - done),
                nodes: None,
            });
        }
    }

    /// Whether anything is left of the budget.
    pub(super) fn poll(&self, explored: &Explored) -> Result<(), Halt> {
        self.budget.check().map_err(|spent| self.spent(spent, explored))
    }

    /// The number of a successor, and whether it is new.
    pub(super) fn number(
        &self,
        packed: &[u64],
        from: StateId,
        explored: &mut Explored,
    ) -> Result<(StateId, bool), Halt> {
        explored
            .table
            .insert(packed, Some(from))
            .map_err(|_| full(explored))
    }

    pub(super) fn spent(&self, spent: Spent, explored: &Explored) -> Halt {
        let depth = match self.order {
            Order::BreadthFirst => format!("at depth {}", explored.depth),
            Order::DepthFirst => "depth first".to_string(),
        };
        Halt::Unknown {
            reason: format!("{spent} after {} states, {depth}", explored.table.len()),
            statistics: explored.statistics(),
        }
    }

    pub(super) fn hazard(
        &self,
        hazard: &Hazard,
        table: &StateTable,
        state: StateId,
        with_inputs: Option<Vec<Option<Value>>>,
    ) -> Halt {
        let mut trace = trace::to_state(self.stepper, table, state, self.budget);
        // The step that has no meaning leads nowhere, so its inputs are shown in the last state.
        if let (Some(now), Some(trace)) = (with_inputs, trace.as_mut())
            && let Some(last) = trace.steps.last_mut()
        {
            *last = now;
        }
        Halt::from(ModelError {
            message: hazard.message.clone(),
            place: hazard.place,
            trace,
            help: None,
        })
    }

    fn dead_end(&self, explored: &Explored, state: StateId) -> Halt {
        let values = self.stepper.layout.values(explored.table.state(state));
        Halt::from(ModelError {
            message: format!(
                "the state {} has no successor",
                describe::state(&self.stepper.system, &values)
            ),
            place: None,
            trace: trace::to_state(self.stepper, &explored.table, state, self.budget),
            help: Some("make the transition relation total, or choose another meaning of dead ends".into()),
        })
    }
}

fn full(explored: &Explored) -> Halt {
    Halt::Unknown {
        reason: format!("more than {} states", explored.table.len()),
        statistics: explored.statistics(),
    }
}
