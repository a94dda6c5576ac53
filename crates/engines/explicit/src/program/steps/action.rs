//! Actions compiled, and performed on a state in place.

use super::code::{Code, Facts, Spot, View};
use super::layout::{
    CELLS, CHANNEL_TAG, CHANNELS, LAST, LENGTH, Layout, PRIORITY, PROCESSES, Records, Width, set_location,
};
use super::machine::LocationCode;
use entail_budget::Budget;
use entail_program::{Fault, LocationId};
use entail_search::MachineCode;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// What a receiver does with a field.
#[derive(Clone, Debug)]
pub enum Expected {
    Match(Code),
    Bind(Spot),
    Ignore,
}

/// A compiled action.
#[derive(Clone, Debug)]
pub enum Act {
    Guard(Code),
    Else,
    Skip,
    Assign(Spot, Code),
    /// A byte of the process itself or of the program, which is common.
    AssignLocal(u32, Width, Code),
    AssignGlobal(u32, Width, Code),
    Start(Option<Spot>, u8, Vec<Code>, u8),
    Send(Code, Vec<Code>, bool),
    Receive {
        channel: Code,
        expected: Vec<Expected>,
        anywhere: bool,
        keep: bool,
    },
    Assert(Code),
    Require(Code, Fault),
    Print(Vec<Code>),
    Deterministic(u16),
    SetPriority(Code, Code),
    End,
}

/// A compiled edge.
#[derive(Clone, Debug)]
pub struct CompiledEdge {
    pub first: Act,
    pub rest: Vec<Act>,
    pub target: u16,
    pub keeps_control: bool,
    pub rank: u16,
}

/// A compiled process type.
#[derive(Clone, Debug)]
pub struct CompiledProcess {
    pub locations: Vec<Box<[CompiledEdge]>>,
    /// For each location: its machine code, once there is some.
    pub machine: Vec<OnceLock<LocationCode>>,
    /// For each location: some edge begins with a receive.
    pub receives: Vec<bool>,
    /// For each location: the process may stay there for ever.
    pub ends: Vec<bool>,
    /// For each location: it is an accepting one.
    pub accepting: Vec<bool>,
    pub provided: Option<Code>,
    pub start: u16,
    pub parameters: usize,
    /// For each cell behind the parameters: how it begins.
    pub(super) initial: Vec<(usize, Width, First)>,
    pub(super) size: usize,
}

/// How a cell begins.
#[derive(Clone, Debug)]
pub enum First {
    Value(i32),
    Computed(Code),
    Channel(u8),
}

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    pub layout: Layout,
    pub facts: Facts,
    pub processes: Vec<CompiledProcess>,
    pub has_last: bool,
    pub has_priorities: bool,
    /// What must not be zero at a valid end.
    pub ends_when: Option<Code>,
    pub machine_code: MachineCode,
    /// Somebody is making machine code.
    #[cfg_attr(not(feature = "machine-code"), expect(dead_code, reason = "nobody does"))]
    pub(super) workshop_is_busy: AtomicBool,
    pub(super) globals: Vec<(usize, Width, First)>,
    pub(super) initial: Vec<(u8, u8)>,
}

/// A state, and where its records are.
#[derive(Clone, Debug, Default)]
pub struct Working {
    pub bytes: Vec<u8>,
    pub records: Records,
}

/// A state that is being changed: the last bytes of a list.
#[derive(Debug)]
pub struct Draft<'d> {
    pub list: &'d mut Vec<u8>,
    /// Where the state begins.
    pub begin: usize,
    pub records: &'d mut Records,
    /// Whether records came or went.
    pub reshaped: &'d mut bool,
    /// What may be spent on a deterministic sequence.
    pub budget: Option<&'d Budget>,
}

impl Draft<'_> {
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.list[self.begin..]
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.list[self.begin..]
    }

    /// Adds bytes for a record and says where it begins.
    fn extend(&mut self, size: usize) -> usize {
        let record = self.list.len() - self.begin;
        self.list.resize(self.list.len() + size, 0);
        *self.reshaped = true;
        record
    }
}

/// How it stands with an edge before it is taken.
#[derive(Clone, Copy, Debug)]
pub enum Readiness {
    Blocked,
    Ready,
    /// Only trying tells.
    Open,
    /// It needs a partner who receives from the channel of this number and record.
    Offers(i32, usize),
}

/// Machine code leaves a deterministic sequence that takes more steps to the interpreter, which looks at the time.
#[cfg(feature = "machine-code")]
pub const LONGEST_SEQUENCE: u32 = 1_000_000;

/// After so many steps of a deterministic sequence the budget is looked at.
const PATIENCE: u64 = 10_000;

/// There can be so many processes, and so many channels.
const MOST_OF_A_KIND: u8 = 255;

impl Compiled {
    /// The initial state.
    pub fn initial(&self) -> Result<Working, Fault> {
        let mut state = Working {
            bytes: vec![0; self.layout.records],
            records: Records::default(),
        };
        let mut draft = Draft {
            list: &mut state.bytes,
            begin: 0,
            records: &mut state.records,
            reshaped: &mut false,
            budget: None,
        };
        for (at, width, first) in &self.globals {
            self.begin(&mut draft, (0, 0), *at, *width, first)?;
        }
        for &(kind, priority) in &self.initial {
            self.start(&mut draft, kind, &[], priority)?;
        }
        Ok(state)
    }

    fn begin(
        &self,
        state: &mut Draft<'_>,
        (process, record): (usize, usize),
        at: usize,
        width: Width,
        first: &First,
    ) -> Result<(), Fault> {
        let value = match first {
            First::Value(value) => *value,
            First::Computed(code) => self.value(state, (process, record), false, code)?,
            First::Channel(kind) => {
                if state.bytes()[CHANNELS] == MOST_OF_A_KIND {
                    return Err(Fault::TooManyChannels);
                }
                let begin = state.extend(self.layout.channel_sizes[*kind as usize]);
                state.records.channels.push(begin as u32);
                let bytes = state.bytes_mut();
                bytes[begin] = CHANNEL_TAG + kind;
                bytes[CHANNELS] += 1;
                i32::from(bytes[CHANNELS])
            }
        };
        width.store(state.bytes_mut(), record + at, value);
        Ok(())
    }

    /// Starts a process and gives its number.
    fn start(&self, state: &mut Draft<'_>, kind: u8, arguments: &[i32], priority: u8) -> Result<i32, Fault> {
        let number = state.bytes()[PROCESSES];
        if number == MOST_OF_A_KIND {
            return Err(Fault::TooManyProcesses);
        }
        let process = &self.processes[kind as usize];
        debug_assert!(process.size >= CELLS);
        let record = state.extend(process.size);
        state.records.processes.push(record as u32);
        let bytes = state.bytes_mut();
        bytes[record] = kind;
        set_location(bytes, record, process.start);
        bytes[record + PRIORITY] = if self.has_priorities { priority } else { 0 };
        bytes[PROCESSES] += 1;
        for (position, (at, width, first)) in process.initial.iter().enumerate() {
            match arguments.get(position).filter(|_| position < process.parameters) {
                Some(&argument) => width.store(state.bytes_mut(), record + at, argument),
                None => self.begin(state, (number.into(), record), *at, *width, first)?,
            }
        }
        Ok(number.into())
    }

    /// Looks at a state through a process's eyes.
    #[inline]
    pub fn evaluate<T>(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        look: impl FnOnce(&View<'_>) -> T,
    ) -> Result<T, Fault> {
        self.look(&state.bytes, &state.records, who, timeout, look)
    }

    #[inline]
    pub(super) fn look<T>(
        &self,
        bytes: &[u8],
        records: &Records,
        (process, record): (usize, usize),
        timeout: bool,
        look: impl FnOnce(&View<'_>) -> T,
    ) -> Result<T, Fault> {
        let view = View {
            bytes,
            records,
            layout: &self.layout,
            facts: &self.facts,
            process,
            record,
            timeout,
            fault: Cell::new(None),
        };
        let value = look(&view);
        match view.fault.into_inner() {
            None => Ok(value),
            Some(fault) => Err(fault),
        }
    }

    #[inline]
    pub(super) fn value(
        &self,
        state: &Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        code: &Code,
    ) -> Result<i32, Fault> {
        self.look(state.bytes(), state.records, who, timeout, |view| {
            view.value(code)
        })
    }

    fn place(
        &self,
        state: &Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        spot: &Spot,
    ) -> Result<Option<usize>, Fault> {
        self.look(state.bytes(), state.records, who, timeout, |view| {
            view.locate(spot)
        })
    }

    /// Whether an action can be performed, as far as can be told without trying. `else` and actions that never block are ready.
    #[inline]
    pub fn readiness(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        act: &Act,
    ) -> Result<Readiness, Fault> {
        let ready = match act {
            Act::Guard(condition) => self.evaluate(state, who, timeout, |view| view.value(condition) != 0)?,
            Act::Send(channel, ..) => {
                let (number, record) = self.channel_of(state, who, timeout, channel)?;
                match self.channel_layout(&state.bytes, record).capacity {
                    0 => return Ok(Readiness::Offers(number, record)),
                    capacity => (state.bytes[record + LENGTH] as usize) < capacity,
                }
            }
            Act::Receive {
                channel,
                expected,
                anywhere,
                keep,
            } => {
                let receive = (expected.as_slice(), *anywhere, *keep);
                self.message_for(&state.bytes, &state.records, who, timeout, channel, receive)?
                    .is_some()
            }
            Act::End => who.0 + 1 == state.records.processes.len(),
            Act::Deterministic(_) => return Ok(Readiness::Open),
            _ => true,
        };
        Ok(if ready {
            Readiness::Ready
        } else {
            Readiness::Blocked
        })
    }

    /// Performs an action; false if it blocks, and then the state is as before.
    pub fn perform(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        act: &Act,
    ) -> Result<bool, Fault> {
        let value = |state: &Draft<'_>, code: &Code| self.value(state, who, timeout, code);
        match act {
            Act::Guard(condition) => return Ok(value(state, condition)? != 0),
            Act::Else | Act::Skip => {}
            Act::AssignLocal(at, width, code) => {
                let number = value(state, code)?;
                width.store(state.bytes_mut(), who.1 + *at as usize, number);
            }
            Act::AssignGlobal(at, width, code) => {
                let number = value(state, code)?;
                width.store(state.bytes_mut(), *at as usize, number);
            }
            Act::Assign(spot, code) => {
                let number = value(state, code)?;
                self.assign(state, who, timeout, spot, number)?;
            }
            Act::Start(number, kind, arguments, priority) => {
                let arguments: Result<Vec<i32>, Fault> =
                    arguments.iter().map(|argument| value(state, argument)).collect();
                let place = match number {
                    Some(spot) => self.place(state, who, timeout, spot)?.map(|at| (at, spot.width)),
                    None => None,
                };
                let started = self.start(state, *kind, &arguments?, *priority)?;
                if let Some((at, width)) = place {
                    width.store(state.bytes_mut(), at, started);
                }
            }
            Act::Send(channel, fields, sorted) => {
                return self.send(state, who, timeout, channel, fields, *sorted);
            }
            Act::Receive {
                channel,
                expected,
                anywhere,
                keep,
            } => return self.receive(state, who, timeout, channel, (expected, *anywhere, *keep)),
            Act::Assert(condition) => {
                if value(state, condition)? == 0 {
                    return Err(Fault::Assertion);
                }
            }
            Act::Require(condition, fault) => {
                if value(state, condition)? == 0 {
                    return Err(fault.clone());
                }
            }
            Act::Print(values) => {
                for code in values {
                    value(state, code)?;
                }
            }
            Act::Deterministic(entry) => return self.deterministic(state, who, timeout, *entry),
            Act::SetPriority(process, code) => {
                let (number, priority) = (value(state, process)?, value(state, code)?);
                let priority = u8::try_from(priority)
                    .ok()
                    .filter(|&priority| priority > 0)
                    .ok_or(Fault::Priority(priority))?;
                if let Some(&record) = state.records.processes.get(number as usize) {
                    state.bytes_mut()[record as usize + PRIORITY] = priority;
                }
            }
            Act::End => {
                if who.0 + 1 != state.records.processes.len() {
                    return Ok(false);
                }
                *state.reshaped = true;
                state.list.truncate(state.begin + who.1);
                state.records.processes.pop();
                let channels = &mut state.records.channels;
                while channels.last().is_some_and(|&record| record as usize >= who.1) {
                    channels.pop();
                    state.list[state.begin + CHANNELS] -= 1;
                }
                state.bytes_mut()[PROCESSES] -= 1;
            }
        }
        Ok(true)
    }

    pub(super) fn assign(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        spot: &Spot,
        number: i32,
    ) -> Result<(), Fault> {
        if let Some(at) = self.place(state, who, timeout, spot)? {
            spot.width.store(state.bytes_mut(), at, number);
        }
        Ok(())
    }

    /// Takes an edge that is ready; false if it blocks all the same, which only trying could tell.
    #[inline]
    pub fn take(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
    ) -> Result<bool, Fault> {
        let done = match &edge.first {
            Act::Guard(_) | Act::Else | Act::Skip => true,
            act => self.perform(state, who, timeout, act)?,
        };
        if done {
            self.finish(state, who, timeout, edge)?;
        }
        Ok(done)
    }

    /// Everything behind an edge's first action.
    #[inline]
    pub fn finish(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        edge: &CompiledEdge,
    ) -> Result<(), Fault> {
        if self.has_last {
            state.bytes_mut()[LAST] = who.0 as u8;
        }
        for act in &edge.rest {
            if !self.perform(state, who, timeout, act)? {
                return Err(Fault::BlockedInside);
            }
        }
        if who.0 < state.records.processes.len() {
            set_location(state.bytes_mut(), who.1, edge.target);
        }
        Ok(())
    }

    fn deterministic(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        entry: u16,
    ) -> Result<bool, Fault> {
        let process = &self.processes[state.bytes()[who.1] as usize];
        let mut at = entry;
        // Brent's algorithm: compared with a state that is moved on after 1, 2, 4, … rounds of many steps, a circle shows.
        let (mut earlier, mut next_earlier) = ((entry, Vec::new()), PATIENCE);
        for step in 0u64.. {
            if step >= PATIENCE {
                if at == earlier.0 && *state.bytes() == earlier.1 {
                    return Err(Fault::Endless);
                }
                if step == next_earlier {
                    earlier = (at, state.bytes().to_vec());
                    next_earlier *= 2;
                }
                if step.is_multiple_of(PATIENCE)
                    && state.budget.is_some_and(|budget| budget.check_now().is_err())
                {
                    return Err(Fault::TooLong(step));
                }
            }
            let mut taken = None;
            for edge in process.locations[at as usize].iter() {
                if self.perform(state, who, timeout, &edge.first)? {
                    taken = Some(edge);
                    break;
                }
            }
            let Some(edge) = taken else {
                return if step == 0 {
                    Ok(false)
                } else {
                    Err(Fault::BlockedInside)
                };
            };
            for act in &edge.rest {
                if !self.perform(state, who, timeout, act)? {
                    return Err(Fault::BlockedInside);
                }
            }
            if edge.target == LocationId::DONE.0 {
                break;
            }
            at = edge.target;
        }
        Ok(true)
    }
}
