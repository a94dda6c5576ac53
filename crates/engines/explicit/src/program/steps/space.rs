//! The steps between states at rest.
//!
//! A state is *at rest* when no process has control: only such states are stored, as in SPIN. A step between them is what one process does,
//! the partner it meets, and everything that follows while somebody has control (an atomic sequence), every branch of it. What the
//! small steps are is said by the reference interpreter in `entail-program`; here they are compiled, and the two are compared in tests.

use super::action::{Act, Compiled, CompiledEdge, Expected, Working};
use super::layout::{CHANNEL_TAG, LAST, LOCATION, PRIORITY, location};
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
    /// The processes that moved, those beyond 63 left out.
    pub movers: u64,
    /// Where the small steps are in [`Successors::steps`].
    steps: (u32, u32),
}

/// The successors of a state, in the order in which a search takes them.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    bytes: Vec<u8>,
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

    /// The state of a successor.
    pub fn state(&self, position: usize) -> &[u8] {
        let found = &self.list[position];
        &self.bytes[found.begin as usize..found.end as usize]
    }

    /// The small steps to a successor, if they were recorded.
    pub fn steps(&self, position: usize) -> &[Step] {
        let (begin, end) = self.list[position].steps;
        &self.steps[begin as usize..end as usize]
    }
}

/// A small step.
#[derive(Debug)]
struct Move {
    state: Working,
    step: Step,
    fault: Option<Fault>,
    control: Option<u8>,
}

/// A state in which somebody has control.
struct Pending {
    state: Working,
    control: u8,
    movers: u64,
    path: Vec<Step>,
}

/// From here on states inside an atomic sequence are remembered, in case it runs in circles.
const SUSPICIOUS: usize = 1_000;

/// The steps of a program. Every thread has one of its own.
pub struct Space<'a> {
    pub compiled: &'a Compiled,
    budget: &'a Budget,
    root: Working,
    moves: Vec<Move>,
    pool: Vec<Working>,
    /// Whether small steps are recorded.
    pub records_steps: bool,
}

impl<'a> Space<'a> {
    pub fn new(compiled: &'a Compiled, budget: &'a Budget) -> Space<'a> {
        Space {
            compiled,
            budget,
            root: Working::default(),
            moves: Vec::new(),
            pool: Vec::new(),
            records_steps: false,
        }
    }

    fn any_process(&mut self, state: &[u8], holds: impl Fn(usize, usize) -> bool) -> bool {
        self.root.records.find(&self.compiled.layout, state);
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
        out.clear();
        self.enter(state);
        for timeout in [false, true] {
            out.timeout = timeout;
            for process in (0..self.root.records.processes.len()).rev() {
                self.expand_process(process, timeout, out)?;
            }
            if !out.list.is_empty() || out.diverges {
                break;
            }
        }
        Ok(())
    }

    /// Begins with a state.
    pub fn enter(&mut self, state: &[u8]) {
        self.root.bytes.clear();
        self.root.bytes.extend_from_slice(state);
        self.root.records.find(&self.compiled.layout, state);
    }

    /// The state that was entered.
    pub fn entered(&self) -> &Working {
        &self.root
    }

    /// Adds the successors of the entered state that begin with a step of one process.
    pub fn expand_process(
        &mut self,
        process: usize,
        timeout: bool,
        out: &mut Successors,
    ) -> Result<(), Spent> {
        let mut moves = std::mem::take(&mut self.moves);
        let root = std::mem::take(&mut self.root);
        self.process_moves(&root, process, timeout, self.compiled.has_priorities, &mut moves);
        self.root = root;
        for next in moves.drain(..) {
            let movers = movers(&next.step);
            match (next.control, &next.fault) {
                (Some(control), None) => {
                    let path = if self.records_steps {
                        vec![next.step]
                    } else {
                        Vec::new()
                    };
                    let pending = Pending {
                        state: next.state,
                        control,
                        movers,
                        path,
                    };
                    self.follow(process as u8, pending, out)?;
                }
                _ => {
                    let path = std::slice::from_ref(&next.step);
                    emit(
                        &next.state,
                        next.fault.clone(),
                        process as u8,
                        movers,
                        if self.records_steps { path } else { &[] },
                        out,
                    );
                    self.pool.push(next.state);
                }
            }
        }
        self.moves = moves;
        Ok(())
    }

    /// Everything that follows while somebody has control.
    fn follow(&mut self, process: u8, first: Pending, out: &mut Successors) -> Result<(), Spent> {
        let mut pending = vec![first];
        let mut seen: FxHashSet<(Vec<u8>, u8)> = FxHashSet::default();
        let mut steps = 0;
        let mut moves = Vec::new();
        while let Some(now) = pending.pop() {
            self.budget.check()?;
            steps += 1;
            if steps > SUSPICIOUS && !seen.insert((now.state.bytes.clone(), now.control)) {
                out.diverges = true;
                self.pool.push(now.state);
                continue;
            }
            if usize::from(now.control) < now.state.records.processes.len() {
                self.process_moves(
                    &now.state,
                    now.control.into(),
                    false,
                    self.compiled.has_priorities,
                    &mut moves,
                );
            }
            if moves.is_empty() {
                emit(&now.state, None, process, now.movers, &now.path, out);
            }
            let begin = pending.len();
            for next in moves.drain(..) {
                let mut path = now.path.clone();
                if self.records_steps {
                    path.push(next.step);
                }
                let movers = now.movers | movers(&next.step);
                match (next.control, &next.fault) {
                    (Some(control), None) => pending.push(Pending {
                        state: next.state,
                        control,
                        movers,
                        path,
                    }),
                    _ => {
                        emit(&next.state, next.fault, process, movers, &path, out);
                        self.pool.push(next.state);
                    }
                }
            }
            pending[begin..].reverse();
            self.pool.push(now.state);
        }
        Ok(())
    }

    fn copy(&mut self, state: &Working) -> Working {
        let mut copy = self.pool.pop().unwrap_or_default();
        copy.bytes.clone_from(&state.bytes);
        copy.records.processes.clone_from(&state.records.processes);
        copy.records.channels.clone_from(&state.records.channels);
        copy
    }

    /// What one process can do.
    fn process_moves(
        &mut self,
        state: &Working,
        process: usize,
        timeout: bool,
        priorities: bool,
        moves: &mut Vec<Move>,
    ) {
        let record = state.records.processes[process] as usize;
        let who = (process, record);
        let kind = state.bytes[record] as usize;
        if let Some(provided) = &self.compiled.processes[kind].provided
            && matches!(
                self.compiled
                    .evaluate(state, who, timeout, |view| view.value(provided)),
                Ok(0)
            )
        {
            return;
        }
        if priorities && self.is_outranked(state, process, timeout) {
            return;
        }
        let compiled = self.compiled;
        let edges = &compiled.processes[kind].locations[location(&state.bytes, record)];
        self.edge_moves(edges, state, who, timeout, moves);
    }

    fn edge_moves(
        &mut self,
        edges: &[CompiledEdge],
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        moves: &mut Vec<Move>,
    ) {
        let (mut rank_taken, mut moved) = (None, false);
        let first_move = moves.len();
        let mut trial: Option<Working> = None;
        for (position, edge) in edges.iter().enumerate() {
            if rank_taken.is_some_and(|rank| rank < edge.rank) {
                break;
            }
            let step = Step {
                process: who.0 as u8,
                edge: position as u16,
                receiver: None,
            };
            let before = moves.len();
            if edge.sends
                && let Act::Send(channel, fields, _) = &edge.first
            {
                match self.offer(state, who, timeout, channel, fields) {
                    Ok(None) => {}
                    Ok(Some((channel, message))) => {
                        let mut after = self.copy(state);
                        match self.finish(&mut after, who, timeout, edge) {
                            Ok(()) => self.meet(&after, who.0, channel, &message, step, timeout, moves),
                            Err(fault) => moves.push(failed(step, fault)),
                        }
                        self.pool.push(after);
                        if moves.len() > before {
                            rank_taken = Some(edge.rank);
                        }
                        continue;
                    }
                    Err(fault) => {
                        moved = true;
                        rank_taken = Some(edge.rank);
                        moves.push(failed(step, fault));
                        continue;
                    }
                }
            }
            let enabled = match &edge.first {
                Act::Else => Ok(!moved),
                Act::Skip => Ok(true),
                Act::Guard(condition) => self
                    .compiled
                    .evaluate(state, who, timeout, |view| view.value(condition) != 0),
                act => {
                    let mut next = match trial.take() {
                        Some(next) => next,
                        None => self.copy(state),
                    };
                    let done = self.compiled.perform(&mut next, who, timeout, act);
                    trial = Some(next);
                    done
                }
            };
            match enabled {
                Ok(false) => {}
                Ok(true) => {
                    let changes = !matches!(edge.first, Act::Else | Act::Skip | Act::Guard(_));
                    let mut next = match trial.take().filter(|_| changes) {
                        Some(next) => next,
                        None => self.copy(state),
                    };
                    let result = self.finish(&mut next, who, timeout, edge);
                    moved = true;
                    moves.push(Move {
                        state: next,
                        step,
                        fault: result.err(),
                        control: edge.keeps_control.then_some(who.0 as u8),
                    });
                }
                Err(fault) => {
                    moved = true;
                    trial = None;
                    moves.push(failed(step, fault));
                }
            }
            if moves.len() > before {
                rank_taken = Some(edge.rank);
            }
        }
        debug_assert!(moves.len() >= first_move);
        self.pool.extend(trial);
    }

    /// The channel and the message of a send that needs a partner; none if it does not.
    fn offer(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        channel: &super::code::Code,
        fields: &[super::code::Code],
    ) -> Result<Option<(i32, Vec<u8>)>, Fault> {
        let (number, record) = self.compiled.channel_of(state, who, timeout, channel)?;
        let kind = state.bytes[record] - CHANNEL_TAG;
        if self.compiled.layout.channels[kind as usize].capacity > 0 {
            return Ok(None);
        }
        let mut message = Vec::new();
        self.compiled
            .message(state, who, timeout, kind, fields, &mut message)?;
        Ok(Some((number, message)))
    }

    /// Everything behind an edge's first action.
    fn finish(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
    ) -> Result<(), Fault> {
        if self.compiled.has_last {
            state.bytes[LAST] = who.0 as u8;
        }
        for act in &edge.rest {
            if !self.compiled.perform(state, who, timeout, act)? {
                return Err(Fault::BlockedInside);
            }
        }
        if who.0 < state.records.processes.len() {
            state.bytes[who.1 + LOCATION..who.1 + LOCATION + 2].copy_from_slice(&edge.target.to_le_bytes());
        }
        Ok(())
    }

    /// The receivers that are ready for an offered message.
    #[expect(clippy::too_many_arguments, reason = "the parts of one handshake")]
    fn meet(
        &mut self,
        after: &Working,
        sender: usize,
        channel: i32,
        message: &[u8],
        step: Step,
        timeout: bool,
        moves: &mut Vec<Move>,
    ) {
        for receiver in (0..after.records.processes.len())
            .rev()
            .filter(|&other| other != sender)
        {
            let record = after.records.processes[receiver] as usize;
            let who = (receiver, record);
            let kind = after.bytes[record] as usize;
            if let Some(provided) = &self.compiled.processes[kind].provided
                && matches!(
                    self.compiled
                        .evaluate(after, who, timeout, |view| view.value(provided)),
                    Ok(0)
                )
            {
                continue;
            }
            let at = location(&after.bytes, record);
            let compiled = self.compiled;
            let edges = &compiled.processes[kind].locations[at];
            let mut rank_taken = None;
            for (position, edge) in edges.iter().enumerate() {
                let rank = edge.rank;
                if rank_taken.is_some_and(|taken| taken < rank) {
                    break;
                }
                let ready = match self.is_ready(after, who, timeout, edge, channel, message) {
                    Ok(false) => continue,
                    other => other,
                };
                rank_taken = Some(rank);
                let control = edge.keeps_control.then_some(receiver as u8);
                let step = Step {
                    receiver: Some((receiver as u8, position as u16)),
                    ..step
                };
                let mut next = self.copy(after);
                let result =
                    ready.and_then(|_| self.hand_over(&mut next, who, timeout, edge, channel, message));
                moves.push(Move {
                    state: next,
                    step,
                    fault: result.err(),
                    control,
                });
            }
        }
    }

    fn is_ready(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
        offered: i32,
        message: &[u8],
    ) -> Result<bool, Fault> {
        let Act::Receive {
            channel, expected, ..
        } = &edge.first
        else {
            return Ok(false);
        };
        if self
            .compiled
            .evaluate(state, who, timeout, |view| view.value(channel))?
            != offered
        {
            return Ok(false);
        }
        let fields = self.fields_of(state, offered);
        if expected.len() != fields.len() {
            return Err(Fault::Fields {
                given: expected.len(),
                expected: fields.len(),
            });
        }
        for (expected, (offset, width)) in expected.iter().zip(fields) {
            if let Expected::Match(code) = expected
                && self
                    .compiled
                    .evaluate(state, who, timeout, |view| view.value(code))?
                    != width.load(message, *offset)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fields_of(&self, state: &Working, channel: i32) -> &[(usize, super::layout::Width)] {
        let record = state.records.channels.get((channel as usize).wrapping_sub(1));
        record.map_or(&[], |&record| {
            let kind = state.bytes[record as usize] - CHANNEL_TAG;
            &self.compiled.layout.channels[kind as usize].fields
        })
    }

    fn hand_over(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
        channel: i32,
        message: &[u8],
    ) -> Result<(), Fault> {
        if let Act::Receive { expected, .. } = &edge.first {
            let fields = self.fields_of(state, channel).to_vec();
            self.compiled
                .bind(state, who, timeout, expected, &fields, message)?;
        }
        self.finish(state, who, timeout, edge)
    }

    /// Whether a process of higher priority can do something.
    fn is_outranked(&mut self, state: &Working, process: usize, timeout: bool) -> bool {
        let priority = |process: usize| state.bytes[state.records.processes[process] as usize + PRIORITY];
        let own = priority(process);
        (0..state.records.processes.len()).any(|other| {
            let mut moves = Vec::new();
            if priority(other) > own {
                self.process_moves(state, other, timeout, false, &mut moves);
            }
            !moves.is_empty()
        })
    }
}

fn failed(step: Step, fault: Fault) -> Move {
    Move {
        state: Working::default(),
        step,
        fault: Some(fault),
        control: None,
    }
}

fn movers(step: &Step) -> u64 {
    let bit = |process: u8| 1u64.checked_shl(process.into()).unwrap_or(0);
    bit(step.process) | step.receiver.map_or(0, |(receiver, _)| bit(receiver))
}

fn emit(
    state: &Working,
    fault: Option<Fault>,
    process: u8,
    movers: u64,
    path: &[Step],
    out: &mut Successors,
) {
    let begin = out.bytes.len() as u32;
    out.bytes.extend_from_slice(&state.bytes);
    let first = out.steps.len() as u32;
    out.steps.extend_from_slice(path);
    out.list.push(Successor {
        begin,
        end: out.bytes.len() as u32,
        fault,
        process,
        movers,
        steps: (first, out.steps.len() as u32),
    });
}
