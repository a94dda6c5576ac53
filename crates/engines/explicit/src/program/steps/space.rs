//! The steps between states at rest.
//!
//! A state is *at rest* when no process has control: only such states are stored, as in SPIN. A step between them is what one process does,
//! the partner it meets, and everything that follows while somebody has control (an atomic sequence), every branch of it. What the
//! small steps are is said by the reference interpreter in `entail-program`; here they are compiled, and the two are compared in tests.

use super::action::{Act, Compiled, Draft, Readiness, Working};
use super::handshake::Taken;
use super::layout::{PRIORITY, Records, location};
use super::machine::{Done, Hints, Visits};
use entail_budget::{Budget, Spent};
use entail_program::{Fault, Step};
use rustc_hash::FxHashSet;

/// A step to a state at rest, or to a fault.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Where the state is in [`Successors::bytes`].
    begin: u32,
    end: u32,
    /// What goes wrong on the way.
    pub fault: Option<Fault>,
    /// The process that made the step, or its first one.
    pub process: u8,
    /// Who has control afterwards, where single small steps are made.
    pub control: Option<u8>,
    /// The processes that moved, those beyond 63 left out.
    pub movers: u64,
    /// Where the small steps are in [`Successors::steps`].
    steps: (u32, u32),
}

/// The successors of a state, in the order in which a search takes them.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    pub(super) bytes: Vec<u8>,
    pub list: Vec<Successor>,
    steps: Vec<Step>,
    /// An atomic sequence that begins here can go on for ever.
    pub diverges: bool,
    /// Nobody could move before `timeout` was true.
    pub timeout: bool,
}

impl Successors {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.steps.clear();
        self.diverges = false;
        self.timeout = false;
    }

    /// Adds the initial state, or what goes wrong before there is one.
    pub fn begin(&mut self, initial: Result<Working, Fault>) {
        let begin = self.bytes.len();
        let fault = match initial {
            Ok(state) => {
                self.bytes.extend_from_slice(&state.bytes);
                None
            }
            Err(fault) => Some(fault),
        };
        self.push(begin, 0, fault, 0, &[], None);
    }

    /// The state of a successor.
    pub fn state(&self, position: usize) -> &[u8] {
        let found = &self.list[position];
        &self.bytes[found.begin as usize..found.end as usize]
    }

    /// The same, to be changed.
    pub fn state_mut(&mut self, position: usize) -> &mut [u8] {
        let found = &self.list[position];
        &mut self.bytes[found.begin as usize..found.end as usize]
    }

    /// Adds what begins there as a successor.
    #[inline]
    fn emit(
        &mut self,
        begin: usize,
        step: Step,
        fault: Option<Fault>,
        before: Before<'_>,
        recorded: Option<Step>,
    ) {
        self.push(
            begin,
            before.process(&step),
            fault,
            before.movers() | movers(&step),
            before.path(),
            recorded,
        );
    }

    #[inline]
    fn push(
        &mut self,
        begin: usize,
        process: u8,
        fault: Option<Fault>,
        movers: u64,
        path: &[Step],
        recorded: Option<Step>,
    ) {
        let first = self.steps.len() as u32;
        self.steps.extend_from_slice(path);
        self.steps.extend(recorded);
        self.list.push(Successor {
            begin: begin as u32,
            end: self.bytes.len() as u32,
            fault,
            process,
            control: None,
            movers,
            steps: (first, self.steps.len() as u32),
        });
    }

    /// The processes that take part in the first small step to a successor, if it was recorded.
    pub fn first_movers(&self, position: usize) -> u64 {
        self.steps(position).first().map_or(0, movers)
    }

    /// The small steps to a successor, if they were recorded.
    pub fn steps(&self, position: usize) -> &[Step] {
        let (begin, end) = self.list[position].steps;
        &self.steps[begin as usize..end as usize]
    }
}

/// A state in which somebody has control, and how it was reached.
#[derive(Debug, Default)]
pub(super) struct Pending {
    state: Vec<u8>,
    control: u8,
    /// Who made the first step.
    process: u8,
    movers: u64,
    path: Vec<Step>,
}

/// What came before a small step.
#[derive(Clone, Copy)]
pub(super) enum Before<'p> {
    /// Nothing: it leaves a state at rest.
    Rest,
    /// Other small steps.
    Steps(&'p Pending),
}

impl Before<'_> {
    #[inline]
    fn process(&self, step: &Step) -> u8 {
        match self {
            Before::Rest => step.process,
            Before::Steps(pending) => pending.process,
        }
    }

    #[inline]
    fn movers(&self) -> u64 {
        match self {
            Before::Rest => 0,
            Before::Steps(pending) => pending.movers,
        }
    }

    #[inline]
    fn path(&self) -> &[Step] {
        match self {
            Before::Rest => &[],
            Before::Steps(pending) => &pending.path,
        }
    }
}

/// From here on states inside an atomic sequence are remembered, in case it runs in circles.
const SUSPICIOUS: usize = 1_000;

/// The steps of a program. Every thread has one of its own.
pub struct Space<'a> {
    pub compiled: &'a Compiled,
    budget: &'a Budget,
    root: Working,
    /// The records of the state that is being made, which is at the end of a list of successors.
    pub(super) draft: Records,
    /// Those are no longer the records of the state it is made from.
    pub(super) reshaped: bool,
    /// States inside atomic sequences that are still to be left.
    pending: Vec<Pending>,
    /// The one of them that is being left.
    inside: Working,
    pub(super) pool: Vec<Vec<u8>>,
    pub(super) message: Vec<u8>,
    /// The records of the state in which the sender's part is done.
    pub(super) after: Records,
    spent: Option<Spent>,
    visits: Visits,
    /// Whether small steps are recorded.
    pub records_steps: bool,
    /// Whether states inside of atomic sequences are successors, too.
    stops_inside: bool,
}

impl<'a> Space<'a> {
    pub fn new(compiled: &'a Compiled, budget: &'a Budget) -> Space<'a> {
        Space {
            compiled,
            budget,
            root: Working::default(),
            draft: Records::default(),
            reshaped: true,
            pending: Vec::new(),
            inside: Working::default(),
            pool: Vec::new(),
            message: Vec::new(),
            after: Records::default(),
            spent: None,
            visits: Visits::new(compiled),
            records_steps: false,
            stops_inside: false,
        }
    }

    fn any_process(&mut self, state: &[u8], holds: impl Fn(usize, usize) -> bool) -> bool {
        self.reshaped |= self.root.records.find(&self.compiled.layout, state);
        self.root
            .records
            .processes
            .iter()
            .any(|&record| holds(state[record as usize] as usize, location(state, record as usize)))
    }

    /// Whether every process is where it may stay for ever.
    pub fn is_valid_end(&mut self, state: &[u8]) -> bool {
        let compiled = self.compiled;
        !self.any_process(state, |kind, location| !compiled.processes[kind].ends[location])
            && self.is_complete(state)
    }

    /// Whether what must be so at an end is so.
    fn is_complete(&mut self, state: &[u8]) -> bool {
        let compiled = self.compiled;
        let Some(wanted) = &compiled.ends_when else {
            return true;
        };
        self.enter(state);
        !matches!(self.observe(|view| view.value(wanted)), Ok(0))
    }

    /// Whether some process is at an accepting location.
    pub fn is_accepting(&mut self, state: &[u8]) -> bool {
        let compiled = self.compiled;
        self.any_process(state, |kind, location| {
            compiled.processes[kind].accepting[location]
        })
    }

    /// Looks at the entered state from outside of all processes.
    pub fn observe<T>(&self, look: impl FnOnce(&super::code::View<'_>) -> T) -> Result<T, Fault> {
        self.compiled.evaluate(&self.root, (0, 0), false, look)
    }

    /// All successors of a state.
    pub fn expand(&mut self, state: &[u8], out: &mut Successors) -> Result<(), Spent> {
        self.expand_without(state, |_| false, false, out)
    }

    /// All successors of a state, without those of some processes that can move, if there are any.
    pub fn expand_without(
        &mut self,
        state: &[u8],
        is_left_out: impl Fn(usize) -> bool,
        some_left_out: bool,
        out: &mut Successors,
    ) -> Result<(), Spent> {
        out.clear();
        self.enter(state);
        let root = std::mem::take(&mut self.root);
        for timeout in [false, true] {
            out.timeout = timeout;
            for process in (0..root.records.processes.len()).rev() {
                if is_left_out(process) {
                    continue;
                }
                self.process_moves(
                    &root,
                    process,
                    timeout,
                    self.compiled.has_priorities,
                    Before::Rest,
                    out,
                );
            }
            if !out.list.is_empty() || out.diverges || some_left_out {
                break;
            }
        }
        self.root = root;
        self.result()
    }

    /// All states that one small step leads to from a state in which somebody may have control; the steps are recorded.
    pub fn expand_inside(
        &mut self,
        state: &[u8],
        control: Option<u8>,
        out: &mut Successors,
    ) -> Result<(), Spent> {
        (self.records_steps, self.stops_inside) = (true, true);
        let going_on = self.expand_controlled(state, control, out);
        let expanded = match out.list.is_empty() && going_on.is_ok() {
            true => self.expand(state, out),
            false => going_on,
        };
        (self.records_steps, self.stops_inside) = (false, false);
        expanded
    }

    /// Whether a process that has control can use it.
    pub fn can_go_on(&mut self, state: &[u8], control: u8, out: &mut Successors) -> Result<bool, Spent> {
        self.stops_inside = true;
        let expanded = self.expand_controlled(state, Some(control), out);
        self.stops_inside = false;
        expanded.map(|()| !out.list.is_empty())
    }

    /// The small steps of the process that has control, if there is one.
    fn expand_controlled(
        &mut self,
        state: &[u8],
        control: Option<u8>,
        out: &mut Successors,
    ) -> Result<(), Spent> {
        out.clear();
        self.enter(state);
        let root = std::mem::take(&mut self.root);
        if let Some(process) = control.map(usize::from)
            && process < root.records.processes.len()
        {
            self.process_moves(
                &root,
                process,
                false,
                self.compiled.has_priorities,
                Before::Rest,
                out,
            );
        }
        self.root = root;
        self.result()
    }

    /// Whether the budget was spent on the way.
    fn result(&mut self) -> Result<(), Spent> {
        match self.spent.take() {
            None => Ok(()),
            Some(spent) => Err(spent),
        }
    }

    /// Begins with a state.
    pub fn enter(&mut self, state: &[u8]) {
        self.visits.enter(self.compiled);
        self.root.bytes.clear();
        self.root.bytes.extend_from_slice(state);
        self.reshaped |= self.root.records.find(&self.compiled.layout, state);
    }

    /// The state that was entered.
    pub fn entered(&self) -> &Working {
        &self.root
    }

    /// Everything that follows while somebody has control.
    fn follow(&mut self, out: &mut Successors) -> Result<(), Spent> {
        let mut here = std::mem::take(&mut self.inside);
        let mut seen: FxHashSet<(Vec<u8>, u8)> = FxHashSet::default();
        let mut steps = 0;
        while let Some(mut now) = self.pending.pop() {
            self.budget.check()?;
            steps += 1;
            if steps > SUSPICIOUS && !seen.insert((now.state.clone(), now.control)) {
                out.diverges = true;
                self.pool.push(now.state);
                continue;
            }
            here.bytes = std::mem::take(&mut now.state);
            here.records.find(&self.compiled.layout, &here.bytes);
            self.reshaped = true;
            let (done, begin) = (out.list.len(), self.pending.len());
            if usize::from(now.control) < here.records.processes.len() {
                let priorities = self.compiled.has_priorities;
                let before = Before::Steps(&now);
                self.process_moves(&here, now.control.into(), false, priorities, before, out);
            }
            if out.list.len() == done && self.pending.len() == begin {
                let state = out.bytes.len();
                out.bytes.extend_from_slice(&here.bytes);
                out.push(state, now.process, None, now.movers, &now.path, None);
            }
            self.pending[begin..].reverse();
            self.pool.push(std::mem::take(&mut here.bytes));
        }
        self.inside = here;
        self.reshaped = true;
        Ok(())
    }

    /// Begins a state as a copy of another.
    #[inline]
    pub(super) fn copy(&mut self, from: &Working, out: &mut Successors) -> usize {
        if self.reshaped {
            self.draft.follow(&from.records);
            self.reshaped = false;
        }
        let begin = out.bytes.len();
        out.bytes.extend_from_slice(&from.bytes);
        begin
    }

    /// The state that was begun there.
    #[inline]
    pub(super) fn draft<'d>(&'d mut self, begin: usize, out: &'d mut Successors) -> Draft<'d> {
        Draft {
            list: &mut out.bytes,
            begin,
            records: &mut self.draft,
            reshaped: &mut self.reshaped,
            budget: Some(self.budget),
        }
    }

    /// A small step has been made; the state it leads to begins there.
    #[inline]
    pub(super) fn arrive(
        &mut self,
        begin: usize,
        step: Step,
        control: Option<u8>,
        before: Before<'_>,
        out: &mut Successors,
    ) {
        let recorded = self.records_steps.then_some(step);
        let Some(control) = control else {
            out.emit(begin, step, None, before, recorded);
            return;
        };
        if self.stops_inside {
            out.emit(begin, step, None, before, recorded);
            if let Some(emitted) = out.list.last_mut() {
                emitted.control = Some(control);
            }
            return;
        }
        let mut state = self.pool.pop().unwrap_or_default();
        state.clear();
        state.extend_from_slice(&out.bytes[begin..]);
        out.bytes.truncate(begin);
        self.pending.push(Pending {
            state,
            control,
            process: before.process(&step),
            movers: before.movers() | movers(&step),
            path: before.path().iter().copied().chain(recorded).collect(),
        });
        if matches!(before, Before::Rest)
            && let Err(spent) = self.follow(out)
        {
            self.pending.clear();
            self.spent = Some(spent);
        }
    }

    /// A small step goes wrong; what there is of a state begins there.
    #[cold]
    pub(super) fn fail(
        &mut self,
        begin: usize,
        step: Step,
        fault: Fault,
        before: Before<'_>,
        out: &mut Successors,
    ) {
        out.bytes.truncate(begin);
        // A deterministic sequence without an end has no state after it; one that is stopped is so because time or memory is spent.
        match fault {
            Fault::Endless => {
                out.diverges = true;
                return;
            }
            Fault::TooLong(_) => {
                self.spent = Some(self.budget.check_now().err().unwrap_or(Spent::Cancelled));
                return;
            }
            _ => {}
        }
        let recorded = self.records_steps.then_some(step);
        out.emit(begin, step, Some(fault), before, recorded);
    }

    /// Whether the process may move at all as far as its `provided` says.
    #[inline]
    pub(super) fn is_provided(
        &self,
        state: &Working,
        who: (usize, usize),
        kind: usize,
        timeout: bool,
    ) -> bool {
        let Some(provided) = &self.compiled.processes[kind].provided else {
            return true;
        };
        let value = self
            .compiled
            .evaluate(state, who, timeout, |view| view.value(provided));
        !matches!(value, Ok(0))
    }

    /// What one process can do.
    fn process_moves(
        &mut self,
        state: &Working,
        process: usize,
        timeout: bool,
        priorities: bool,
        before: Before<'_>,
        out: &mut Successors,
    ) {
        let record = state.records.processes[process] as usize;
        let who = (process, record);
        let kind = state.bytes[record] as usize;
        if !self.is_provided(state, who, kind, timeout)
            || priorities && self.is_outranked(state, process, timeout)
        {
            return;
        }
        let compiled = self.compiled;
        let at = location(&state.bytes, record);
        let edges = &compiled.processes[kind].locations[at];
        let machine = compiled.processes[kind].machine[at].get();
        let hints = match machine {
            Some(code) => code.hints(&state.bytes, &state.records.channels, who, timeout),
            None => {
                self.visits.count(kind, at);
                Hints::NONE
            }
        };
        if hints.is_blocked(edges.len()) {
            return;
        }
        // Whether some edge could be taken, and the rank of the last that was.
        let (mut moved, mut rank_taken) = (false, None);
        for (position, edge) in edges.iter().enumerate() {
            if rank_taken.is_some_and(|rank| rank < edge.rank) {
                break;
            }
            let step = Step {
                process: process as u8,
                edge: position as u16,
                receiver: None,
            };
            let ready = match (&edge.first, hints.can_take(position)) {
                (Act::Else, _) if moved => continue,
                (Act::Else | Act::Skip, _) | (_, Some(true)) => Ok(Readiness::Ready),
                (_, Some(false)) => continue,
                (act, None) => compiled.readiness(state, who, timeout, act),
            };
            let taken = match ready {
                Ok(Readiness::Blocked) => false,
                Ok(Readiness::Offers(channel, channel_record)) => {
                    let offer = (channel, channel_record);
                    let taken = self.offer(state, who, timeout, edge, offer, step, before, out);
                    // A send that needs a partner does not count for `else`, as in SPIN's verifier.
                    moved |= taken == Taken::Failed;
                    taken != Taken::No
                }
                Ok(Readiness::Ready | Readiness::Open) => {
                    let mut begin = self.copy(state, out);
                    let mut done = Done::Ask;
                    if let Some(code) = machine.and_then(|code| code.edge(position)) {
                        let channels = &state.records.channels;
                        done = code.take(&mut out.bytes[begin..], channels, who, timeout);
                        if done == Done::Ask {
                            out.bytes.truncate(begin);
                            begin = self.copy(state, out);
                        }
                    }
                    let done = match done {
                        Done::Taken => Ok(true),
                        Done::Blocked => Ok(false),
                        Done::Ask => compiled.take(&mut self.draft(begin, out), who, timeout, edge),
                    };
                    let taken = done != Ok(false);
                    match done {
                        Ok(true) => {
                            let control = edge.keeps_control.then_some(process as u8);
                            self.arrive(begin, step, control, before, out);
                        }
                        Ok(false) => out.bytes.truncate(begin),
                        Err(fault) => self.fail(begin, step, fault, before, out),
                    }
                    moved |= taken;
                    taken
                }
                Err(fault) => {
                    self.fail(out.bytes.len(), step, fault, before, out);
                    moved = true;
                    true
                }
            };
            if taken {
                rank_taken = Some(edge.rank);
            }
        }
    }

    /// Whether a process of higher priority can do something.
    fn is_outranked(&mut self, state: &Working, process: usize, timeout: bool) -> bool {
        let priority = |process: usize| state.bytes[state.records.processes[process] as usize + PRIORITY];
        let own = priority(process);
        let mut out = Successors::default();
        let (nobody, waiting) = (Pending::default(), self.pending.len());
        (0..state.records.processes.len()).any(|other| {
            out.clear();
            if priority(other) > own {
                self.process_moves(state, other, timeout, false, Before::Steps(&nobody), &mut out);
            }
            let moves = !out.list.is_empty() || out.diverges || self.pending.len() > waiting;
            self.pending.truncate(waiting);
            moves
        })
    }
}

fn movers(step: &Step) -> u64 {
    let bit = |process: u8| 1u64.checked_shl(process.into()).unwrap_or(0);
    bit(step.process) | step.receiver.map_or(0, |(receiver, _)| bit(receiver))
}
