//! Runs that violate a requirement about infinite runs: the emptiness check of the program's product with a watcher.
//!
//! Couvreur's algorithm (*On-the-fly verification of linear temporal logic*, FM 1999): one depth-first search that keeps a stack of the
//! roots of strongly connected components that are still open, with the marks seen inside. When an edge closes a cycle, components
//! merge; as soon as one has all marks, there is a violation. Several marks cost nothing, so weak fairness is two lines: a mark for
//! every process, seen where the process moves or cannot.
//!
//! Successors are inserted into the table when a state is entered, so that the stack holds numbers, not states.

use super::path::{steps_between, steps_to_rest};
use super::safety::Counts;
use super::watch::{Watch, WatchStep};
use crate::program::steps::space::{Space, Successors};
use crate::program::store::vector_table::{StateNumber, TableFull, VectorTable};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_program::{Fault, Run};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What the search found.
#[derive(Debug)]
pub enum Found {
    /// No run violates the requirement.
    Nothing,
    /// This one does.
    Violation(Run),
    /// It could not be decided.
    Stopped(String),
}

/// Why a search stops early.
enum Stop {
    Spent(Spent),
    Full,
    Fault(Fault),
    TooManyProcesses,
}

impl From<Spent> for Stop {
    fn from(spent: Spent) -> Stop {
        Stop::Spent(spent)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<TableFull> for Stop {
    fn from(_: TableFull) -> Stop {
        Stop::Full
    }
}

impl From<Stop> for String {
    fn from(stop: Stop) -> String {
        match stop {
            Stop::Spent(spent) => spent.to_string(),
            Stop::Full => "there are more states than can be numbered".into(),
            Stop::Fault(fault) => format!("the property cannot be evaluated in a reachable state: {fault}"),
            Stop::TooManyProcesses => "fairness is supported for at most 50 processes".into(),
        }
    }
}

/// A component that is still open.
struct Root {
    number: u32,
    marks: u64,
    /// The marks of the edge by which it was entered.
    incoming: u64,
}

/// A state whose successors are being visited.
struct Frame {
    state: StateNumber,
    /// Its successors that are still to be visited are from here on.
    successors: usize,
}

const CLOSED: u32 = u32::MAX;

/// Processes get marks behind the watcher's; there is room for so many.
const MOST_FAIR: u32 = 50;

struct Search<'s, 'b> {
    space: &'s mut Space<'b>,
    watch: &'s Watch,
    fair: bool,
    table: VectorTable,
    /// The order of discovery by number of state; 0 before, `CLOSED` after its component is done.
    order: Vec<u32>,
    out: Successors,
    watch_steps: Vec<WatchStep>,
    counts: Counts,
}

/// Looks for a run that violates what the watcher watches for.
pub fn search(
    space: &mut Space<'_>,
    watch: &Watch,
    fair: bool,
    budget: &Budget,
    progress: &dyn Progress,
) -> (Found, Counts) {
    let mut search = Search {
        space,
        watch,
        fair,
        table: VectorTable::new(),
        order: Vec::new(),
        out: Successors::default(),
        watch_steps: Vec::new(),
        counts: Counts::default(),
    };
    let found = match search.run(budget, progress) {
        Ok(None) if search.counts.diverges => Found::Stopped(
            "an atomic sequence can go on for ever, which the property cannot look into".into(),
        ),
        Ok(None) => Found::Nothing,
        Ok(Some(run)) => Found::Violation(run),
        Err(stop) => Found::Stopped(stop.into()),
    };
    search.counts.states = search.table.len() as u64;
    (found, search.counts)
}

impl Search<'_, '_> {
    fn required(&self) -> u64 {
        let own = (1u64 << self.watch.marks) - 1;
        match self.fair {
            true => own | ((1u64 << MOST_FAIR) - 1) << self.watch.marks.min(13),
            false => own,
        }
    }

    fn run(&mut self, budget: &Budget, progress: &dyn Progress) -> Result<Option<Run>, Stop> {
        if self.watch.marks > 13 && self.fair {
            return Err(Stop::TooManyProcesses);
        }
        let initial = match self.space.compiled.initial() {
            Ok(state) => state.bytes,
            Err(fault) => return Err(Stop::Fault(fault)),
        };
        for &at in &self.watch.initial {
            let (state, _) = self.insert(&initial, at, None)?;
            if self.order[state.index()] == 0
                && let Some(run) = self.explore(state, budget, progress)?
            {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// Inserts a pair of a state of the program and one of the watcher.
    fn insert(
        &mut self,
        state: &[u8],
        at: u16,
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), Stop> {
        let mut pair = Vec::with_capacity(state.len() + 2);
        pair.extend_from_slice(state);
        pair.extend_from_slice(&at.to_le_bytes());
        let (number, new) = self.table.insert(&pair, parent)?;
        if new {
            self.order.push(0);
        }
        Ok((number, new))
    }

    fn explore(
        &mut self,
        first: StateNumber,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Run>, Stop> {
        let required = self.required();
        let mut frames: Vec<Frame> = Vec::new();
        let mut pending: Vec<(StateNumber, u64)> = Vec::new();
        let mut roots: Vec<Root> = Vec::new();
        let mut active: Vec<StateNumber> = Vec::new();
        let mut discovered = 0u32;
        let mut enter = Some((first, 0));
        loop {
            if let Some((state, incoming)) = enter.take() {
                budget.check()?;
                if self.watch.is_done(split(self.table.state(state)).1) {
                    return self.prefix(state).map(Some);
                }
                discovered += 1;
                if discovered.is_multiple_of(8192) {
                    progress.report(&Snapshot {
                        phase: "searching for a violating run",
                        depth: Some(frames.len() as u64),
                        states: Some(self.table.len() as u64),
                        ..Snapshot::default()
                    });
                }
                self.order[state.index()] = discovered;
                roots.push(Root {
                    number: discovered,
                    marks: 0,
                    incoming,
                });
                active.push(state);
                let successors = pending.len();
                self.expand(state, &mut pending)?;
                pending[successors..].reverse();
                frames.push(Frame { state, successors });
                self.counts.depth = self.counts.depth.max(frames.len() as u64);
            }
            let Some(frame) = frames.last() else {
                return Ok(None);
            };
            if pending.len() > frame.successors {
                let (next, marks) = pending.pop().expect("there is one above the frame's first");
                match self.order[next.index()] {
                    0 => enter = Some((next, marks)),
                    CLOSED => {}
                    number => {
                        let mut seen = marks;
                        while let Some(root) = roots.pop_if(|root| root.number > number) {
                            seen |= root.marks | root.incoming;
                        }
                        let root = roots.last_mut().expect("the state is in an open component");
                        root.marks |= seen;
                        if root.marks & required == required {
                            let root = root.number;
                            return self.lasso(root, &active).map(Some);
                        }
                    }
                }
            } else {
                let state = frame.state;
                frames.pop();
                if roots
                    .last()
                    .is_some_and(|root| root.number == self.order[state.index()])
                {
                    roots.pop();
                    while let Some(member) = active.pop() {
                        self.order[member.index()] = CLOSED;
                        if member == state {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// The successors of a pair, with marks.
    fn expand(&mut self, pair: StateNumber, found: &mut Vec<(StateNumber, u64)>) -> Result<(), Stop> {
        for (state, at, marks, _) in self.successors(pair)? {
            self.counts.transitions += 1;
            let (number, _) = self.insert(&state, at, Some(pair))?;
            found.push((number, marks));
        }
        Ok(())
    }

    /// The successors of a pair: state, watcher, marks, who moved (none where the last state is repeated).
    fn successors(&mut self, pair: StateNumber) -> Result<Vec<Successor>, Stop> {
        let (state, at) = split(self.table.state(pair));
        let state = state.to_vec();
        let mut watch_steps = std::mem::take(&mut self.watch_steps);
        self.watch.steps(self.space, &state, at, &mut watch_steps)?;
        let mut found = Vec::new();
        if !watch_steps.is_empty() {
            let mut out = std::mem::take(&mut self.out);
            self.space.expand(&state, &mut out)?;
            self.counts.diverges |= out.diverges;
            if self.fair && self.space.entered().records.processes.len() > MOST_FAIR as usize {
                return Err(Stop::TooManyProcesses);
            }
            let enabled = out
                .list
                .iter()
                .fold(0, |enabled, successor| enabled | successor.movers);
            let fairness = |movers: u64| match self.fair {
                true => (!enabled | movers) & ((1 << MOST_FAIR) - 1),
                false => 0,
            };
            for &(target, marks) in &watch_steps {
                for position in (0..out.list.len()).filter(|&position| out.list[position].fault.is_none()) {
                    let movers = out.list[position].movers;
                    let marks = marks | fairness(movers) << self.watch.marks;
                    found.push((out.state(position).to_vec(), target, marks, Some(movers)));
                }
                if out.list.is_empty() && self.watch.stutters && !out.diverges {
                    found.push((
                        state.clone(),
                        target,
                        marks | fairness(0) << self.watch.marks,
                        None,
                    ));
                }
            }
            self.out = out;
        }
        self.watch_steps = watch_steps;
        Ok(found)
    }

    /// A finite run to a pair in which the watcher has come to its end.
    fn prefix(&mut self, goal: StateNumber) -> Result<Run, Stop> {
        let steps = steps_to_rest(self.space, &self.table, goal, 2)?;
        Ok(Run {
            steps,
            loop_start: None,
        })
    }

    /// A run into the open component with this root and round in it through all marks.
    fn lasso(&mut self, root: u32, active: &[StateNumber]) -> Result<Run, Stop> {
        let start = *active
            .iter()
            .find(|state| self.order[state.index()] == root)
            .expect("the root is active");
        let mut missing = self.required();
        let mut cycle: Vec<(StateNumber, Option<u64>)> = Vec::new();
        let mut at = start;
        while missing != 0 {
            let path = self.path_within(root, at, |_, marks| marks & missing != 0)?;
            for (state, marks, movers) in path {
                missing &= !marks;
                cycle.push((state, movers));
                at = state;
            }
        }
        if at != start || cycle.is_empty() {
            let path = self.path_within(root, at, |state, _| state == start)?;
            cycle.extend(path.into_iter().map(|(state, _, movers)| (state, movers)));
        }
        let mut steps = steps_to_rest(self.space, &self.table, start, 2)?;
        let loop_start = Some(steps.len());
        let mut from = split(self.table.state(start)).0.to_vec();
        for (state, movers) in cycle {
            let to = split(self.table.state(state)).0.to_vec();
            if movers.is_some() {
                steps.extend(steps_between(self.space, &from, &to, movers)?);
            }
            from = to;
        }
        Ok(Run { steps, loop_start })
    }

    /// The shortest path inside an open component whose last edge is wanted: states with the marks and movers of the edges to them.
    fn path_within(
        &mut self,
        root: u32,
        from: StateNumber,
        wanted: impl Fn(StateNumber, u64) -> bool,
    ) -> Result<Vec<(StateNumber, u64, Option<u64>)>, Stop> {
        type Edge = (StateNumber, u64, Option<u64>);
        let mut reached: FxHashMap<StateNumber, Edge> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (bytes, at, marks, movers) in self.successors(state)? {
                let mut pair = bytes;
                pair.extend_from_slice(&at.to_le_bytes());
                let Some(next) = self.table.find(&pair) else {
                    continue;
                };
                let order = self.order[next.index()];
                if order == 0 || order == CLOSED || order < root {
                    continue;
                }
                if wanted(next, marks) {
                    let mut path = vec![(next, marks, movers)];
                    let mut at = state;
                    while at != from {
                        let (before, marks, movers) = reached[&at];
                        path.push((at, marks, movers));
                        at = before;
                    }
                    path.reverse();
                    return Ok(path);
                }
                if next != from && !reached.contains_key(&next) {
                    reached.insert(next, (state, marks, movers));
                    queue.push_back(next);
                }
            }
        }
        // The component has the marks, so this is not reached.
        Ok(vec![(from, u64::MAX, None)])
    }
}

type Successor = (Vec<u8>, u16, u64, Option<u64>);

/// The state of the program and of the watcher in a pair.
fn split(pair: &[u8]) -> (&[u8], u16) {
    let (state, at) = pair.split_at(pair.len() - 2);
    (state, u16::from_le_bytes([at[0], at[1]]))
}
