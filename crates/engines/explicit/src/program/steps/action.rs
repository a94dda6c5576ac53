//! Actions compiled, and performed on a state in place.

use super::code::{Code, Compiler, Facts, Spot, View};
use super::layout::{
    CELLS, CHANNEL_TAG, CHANNELS, LENGTH, LOCATION, Layout, MESSAGES, PRIORITY, PROCESSES, Records, Width,
};
use entail_program::{Action, Fault, Initial, LocationId, Pattern, ProcessTypeId, Program, Scope};
use std::cell::Cell;

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
    /// It may have to wait for a partner.
    pub sends: bool,
}

/// A compiled process type.
#[derive(Clone, Debug)]
pub struct CompiledProcess {
    pub locations: Vec<Box<[CompiledEdge]>>,
    /// For each location: the process may stay there for ever.
    pub ends: Vec<bool>,
    /// For each location: it is an accepting one.
    pub accepting: Vec<bool>,
    pub provided: Option<Code>,
    pub start: u16,
    pub parameters: usize,
    /// For each cell behind the parameters: how it begins.
    initial: Vec<(usize, Width, First)>,
    size: usize,
}

#[derive(Clone, Debug)]
enum First {
    Value(i32),
    Computed(Code),
    Channel(u8),
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub layout: Layout,
    pub facts: Facts,
    pub processes: Vec<CompiledProcess>,
    pub has_last: bool,
    pub has_priorities: bool,
    /// What must not be zero at a valid end.
    pub ends_when: Option<Code>,
    globals: Vec<(usize, Width, First)>,
    initial: Vec<(u8, u8)>,
}

/// A state that is being changed.
#[derive(Clone, Debug, Default)]
pub struct Working {
    pub bytes: Vec<u8>,
    pub records: Records,
}

/// A deterministic sequence may take so many steps.
const LONGEST_SEQUENCE: u32 = 1_000_000;

/// There can be so many processes, and so many channels.
const MOST_OF_A_KIND: u8 = 255;

impl Compiled {
    /// Compiles a program, or says what is not supported.
    pub fn new(program: &Program) -> Result<Compiled, String> {
        let layout = Layout::of(program)?;
        let first = |compiler: &Compiler<'_>, initial: &Initial| -> Result<First, String> {
            Ok(match initial {
                Initial::Value(value) => First::Value(*value),
                Initial::Computed(expression) => First::Computed(compiler.code(expression)?),
                Initial::Channel(kind) => First::Channel(*kind as u8),
            })
        };
        let outside = Compiler {
            layout: &layout,
            process: None,
        };
        let mut globals = Vec::new();
        for (cell, &at) in program.globals.iter().zip(&layout.globals) {
            globals.push((at, Width::of(cell.kind), first(&outside, &cell.initial)?));
        }
        let mut processes = Vec::new();
        for (position, process) in program.processes.iter().enumerate() {
            let compiler = Compiler {
                layout: &layout,
                process: Some(ProcessTypeId(position as u8)),
            };
            let mut locations = Vec::new();
            for location in &process.locations {
                let mut edges = Vec::new();
                for edge in &location.edges {
                    let acts: Result<Vec<Act>, String> =
                        edge.actions.iter().map(|action| compiler.act(action)).collect();
                    let mut acts = acts?.into_iter();
                    let first = acts.next().unwrap_or(Act::Skip);
                    edges.push(CompiledEdge {
                        sends: matches!(first, Act::Send(..)),
                        first,
                        rest: acts.filter(|act| !matches!(act, Act::Skip)).collect(),
                        target: edge.target.0,
                        keeps_control: edge.keeps_control,
                        rank: edge.rank,
                    });
                }
                locations.push(edges.into_boxed_slice());
            }
            let mut initial = Vec::new();
            for (cell, &at) in process.cells.iter().zip(&layout.cells[position]) {
                initial.push((at, Width::of(cell.kind), first(&compiler, &cell.initial)?));
            }
            let flags =
                |flag: fn(&entail_program::Location) -> bool| process.locations.iter().map(flag).collect();
            processes.push(CompiledProcess {
                locations,
                ends: flags(|location| location.is_end),
                accepting: flags(|location| location.is_accepting),
                provided: process
                    .provided
                    .as_ref()
                    .map(|condition| compiler.code(condition))
                    .transpose()?,
                start: process.start.map_or(0, |start| start.0),
                parameters: process.parameters,
                initial,
                size: layout.process_sizes[position],
            });
        }
        let facts = Facts::of(program, outside)?;
        let ends_when = program.ends_when.as_ref();
        let ends_when = ends_when.map(|wanted| outside.code(wanted)).transpose()?;
        Ok(Compiled {
            ends_when,
            facts,
            processes,
            has_last: program.has_last,
            has_priorities: program.has_priorities,
            globals,
            initial: program
                .initial
                .iter()
                .map(|&kind| (kind.0, program.process(kind).priority))
                .collect(),
            layout,
        })
    }

    /// The initial state.
    pub fn initial(&self) -> Result<Working, Fault> {
        let mut state = Working {
            bytes: vec![0; self.layout.records],
            records: Records::default(),
        };
        for (at, width, first) in &self.globals {
            self.begin(&mut state, (0, 0), *at, *width, first)?;
        }
        for &(kind, priority) in &self.initial {
            self.start(&mut state, kind, &[], priority)?;
        }
        Ok(state)
    }

    fn begin(
        &self,
        state: &mut Working,
        (process, record): (usize, usize),
        at: usize,
        width: Width,
        first: &First,
    ) -> Result<(), Fault> {
        let value = match first {
            First::Value(value) => *value,
            First::Computed(code) => {
                self.evaluate(state, (process, record), false, |view| view.value(code))?
            }
            First::Channel(kind) => {
                if state.bytes[CHANNELS] == MOST_OF_A_KIND {
                    return Err(Fault::TooManyChannels);
                }
                let begin = state.bytes.len();
                state
                    .bytes
                    .resize(begin + self.layout.channel_sizes[*kind as usize], 0);
                state.bytes[begin] = CHANNEL_TAG + kind;
                state.bytes[CHANNELS] += 1;
                state.records.channels.push(begin as u32);
                i32::from(state.bytes[CHANNELS])
            }
        };
        width.store(&mut state.bytes, record + at, value);
        Ok(())
    }

    /// Starts a process and gives its number.
    fn start(&self, state: &mut Working, kind: u8, arguments: &[i32], priority: u8) -> Result<i32, Fault> {
        let number = state.bytes[PROCESSES];
        if number == MOST_OF_A_KIND {
            return Err(Fault::TooManyProcesses);
        }
        let process = &self.processes[kind as usize];
        let record = state.bytes.len();
        state.bytes.resize(record + process.size, 0);
        state.bytes[record] = kind;
        state.bytes[record + LOCATION..record + LOCATION + 2].copy_from_slice(&process.start.to_le_bytes());
        state.bytes[record + PRIORITY] = if self.has_priorities { priority } else { 0 };
        debug_assert!(process.size >= CELLS);
        state.bytes[PROCESSES] += 1;
        state.records.processes.push(record as u32);
        for (position, (at, width, first)) in process.initial.iter().enumerate() {
            match arguments.get(position).filter(|_| position < process.parameters) {
                Some(&argument) => width.store(&mut state.bytes, record + at, argument),
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
        (process, record): (usize, usize),
        timeout: bool,
        look: impl FnOnce(&View<'_>) -> T,
    ) -> Result<T, Fault> {
        let fault = Cell::new(None);
        let view = View {
            bytes: &state.bytes,
            records: &state.records,
            layout: &self.layout,
            facts: &self.facts,
            process,
            record,
            timeout,
            fault: &fault,
        };
        let value = look(&view);
        match fault.take() {
            None => Ok(value),
            Some(fault) => Err(fault),
        }
    }

    /// Performs an action; false if it blocks, and then the state is as before.
    pub fn perform(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        act: &Act,
    ) -> Result<bool, Fault> {
        let value =
            |state: &Working, code: &Code| self.evaluate(state, who, timeout, |view| view.value(code));
        match act {
            Act::Guard(condition) => return Ok(value(state, condition)? != 0),
            Act::Else | Act::Skip => {}
            Act::AssignLocal(at, width, code) => {
                let number = value(state, code)?;
                width.store(&mut state.bytes, who.1 + *at as usize, number);
            }
            Act::AssignGlobal(at, width, code) => {
                let number = value(state, code)?;
                width.store(&mut state.bytes, *at as usize, number);
            }
            Act::Assign(spot, code) => {
                let number = value(state, code)?;
                self.assign(state, who, timeout, spot, number)?;
            }
            Act::Start(number, kind, arguments, priority) => {
                let arguments: Result<Vec<i32>, Fault> =
                    arguments.iter().map(|argument| value(state, argument)).collect();
                let place = match number {
                    Some(spot) => self
                        .evaluate(state, who, timeout, |view| view.locate(spot))?
                        .map(|at| (at, spot.width)),
                    None => None,
                };
                let started = self.start(state, *kind, &arguments?, *priority)?;
                if let Some((at, width)) = place {
                    width.store(&mut state.bytes, at, started);
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
            } => return self.receive(state, who, timeout, (channel, expected), *anywhere, *keep),
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
                    state.bytes[record as usize + PRIORITY] = priority;
                }
            }
            Act::End => {
                if who.0 + 1 != state.records.processes.len() {
                    return Ok(false);
                }
                state.bytes.truncate(who.1);
                state.records.processes.pop();
                while state
                    .records
                    .channels
                    .last()
                    .is_some_and(|&record| record as usize >= who.1)
                {
                    state.records.channels.pop();
                    state.bytes[CHANNELS] -= 1;
                }
                state.bytes[PROCESSES] -= 1;
            }
        }
        Ok(true)
    }

    fn assign(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        spot: &Spot,
        number: i32,
    ) -> Result<(), Fault> {
        if let Some(at) = self.evaluate(state, who, timeout, |view| view.locate(spot))? {
            spot.width.store(&mut state.bytes, at, number);
        }
        Ok(())
    }

    /// The number and record of the channel of a send or receive.
    pub fn channel_of(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
    ) -> Result<(i32, usize), Fault> {
        let (number, record) = self.evaluate(state, who, timeout, |view| {
            let number = view.value(channel);
            (number, view.channel(number))
        })?;
        record.map(|record| (number, record)).ok_or(Fault::NoChannel)
    }

    /// Writes a message behind the last byte of `message`.
    pub fn message(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        kind: u8,
        fields: &[Code],
        message: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let channel = &self.layout.channels[kind as usize];
        let begin = message.len();
        message.resize(begin + channel.message, 0);
        for (code, (offset, width)) in fields.iter().zip(&channel.fields) {
            let number = self.evaluate(state, who, timeout, |view| view.value(code))?;
            width.store(message, begin + offset, number);
        }
        match fields.len() == channel.fields.len() {
            true => Ok(()),
            false => Err(Fault::Fields {
                given: fields.len(),
                expected: channel.fields.len(),
            }),
        }
    }

    fn send(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        fields: &[Code],
        sorted: bool,
    ) -> Result<bool, Fault> {
        let (_, record) = self.channel_of(state, who, timeout, channel)?;
        let kind = state.bytes[record] - CHANNEL_TAG;
        let layout = &self.layout.channels[kind as usize];
        let length = state.bytes[record + LENGTH] as usize;
        if length >= layout.capacity {
            return Ok(false);
        }
        let messages = record + MESSAGES;
        let end = messages + length * layout.message;
        if fields.len() != layout.fields.len() {
            return Err(Fault::Fields {
                given: fields.len(),
                expected: layout.fields.len(),
            });
        }
        for (code, (offset, width)) in fields.iter().zip(&layout.fields) {
            let number = self.evaluate(state, who, timeout, |view| view.value(code))?;
            width.store(&mut state.bytes, end + offset, number);
        }
        if sorted {
            // The new message is behind the others: it changes places with the larger ones.
            let larger = |other: usize| {
                for (offset, width) in &layout.fields {
                    let (new, old) = (
                        width.load(&state.bytes, end + offset),
                        width.load(&state.bytes, other + offset),
                    );
                    if new != old {
                        return old > new;
                    }
                }
                false
            };
            let position = (0..length)
                .map(|position| messages + position * layout.message)
                .find(|&other| larger(other));
            if let Some(position) = position {
                state.bytes[position..end + layout.message].rotate_right(layout.message);
            }
        }
        state.bytes[record + LENGTH] += 1;
        Ok(true)
    }

    fn receive(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        (channel, expected): (&Code, &[Expected]),
        anywhere: bool,
        keep: bool,
    ) -> Result<bool, Fault> {
        let (_, record) = self.channel_of(state, who, timeout, channel)?;
        let layout = &self.layout.channels[(state.bytes[record] - CHANNEL_TAG) as usize];
        if keep && layout.capacity == 0 {
            return Err(Fault::PolledRendezvous);
        }
        let length = state.bytes[record + LENGTH] as usize;
        if length == 0 {
            return Ok(false);
        }
        let fields = Fault::Fields {
            given: expected.len(),
            expected: layout.fields.len(),
        };
        if expected.len() > layout.fields.len() {
            return Err(fields);
        }
        let found = self.evaluate(state, who, timeout, |view| {
            view.matching(record, anywhere, |field| match expected.get(field) {
                Some(Expected::Match(code)) => Some(code),
                _ => None,
            })
        })?;
        let Some(position) = found else {
            return Ok(false);
        };
        if expected.len() < layout.fields.len() {
            return Err(fields);
        }
        let at = record + MESSAGES + position * layout.message;
        // Binding first and removing then is SPIN's order.
        for (expected, (offset, width)) in expected.iter().zip(&layout.fields) {
            if let Expected::Bind(spot) = expected {
                let field = width.load(&state.bytes, at + offset);
                self.assign(state, who, timeout, spot, field)?;
            }
        }
        if !keep {
            let end = record + MESSAGES + length * layout.message;
            state.bytes.copy_within(at + layout.message..end, at);
            state.bytes[end - layout.message..end].fill(0);
            state.bytes[record + LENGTH] -= 1;
        }
        Ok(true)
    }

    /// Stores the fields of a message, one after the other.
    pub fn bind(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        expected: &[Expected],
        fields: &[(usize, Width)],
        message: &[u8],
    ) -> Result<(), Fault> {
        for (expected, (offset, width)) in expected.iter().zip(fields) {
            if let Expected::Bind(spot) = expected {
                self.assign(state, who, timeout, spot, width.load(message, *offset))?;
            }
        }
        Ok(())
    }

    fn deterministic(
        &self,
        state: &mut Working,
        who: (usize, usize),
        timeout: bool,
        entry: u16,
    ) -> Result<bool, Fault> {
        let process = &self.processes[state.bytes[who.1] as usize];
        let mut at = entry;
        for step in 0..LONGEST_SEQUENCE {
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
                return Ok(true);
            }
            at = edge.target;
        }
        Err(Fault::Endless(LONGEST_SEQUENCE))
    }
}

impl Compiler<'_> {
    fn act(&self, action: &Action) -> Result<Act, String> {
        let codes = |expressions: &[entail_program::Expression]| -> Result<Vec<Code>, String> {
            expressions
                .iter()
                .map(|expression| self.code(expression))
                .collect()
        };
        Ok(match action {
            Action::Guard(condition) => match self.code(condition)? {
                Code::Constant(value) if value != 0 => Act::Skip,
                code => Act::Guard(code),
            },
            Action::Else => Act::Else,
            Action::Skip => Act::Skip,
            // Stored nowhere; what is computed may go wrong all the same.
            Action::Assign(place, value) if place.scope == Scope::Unseen => {
                let mut values = vec![self.code(value)?];
                if !place.indices.is_empty() {
                    values.push(Code::Load(Box::new(self.spot(place)?)));
                }
                Act::Print(values)
            }
            Action::Assign(place, value) => {
                let (spot, code) = (self.spot(place)?, self.code(value)?);
                match (spot.fixed(), matches!(place.scope, Scope::Local)) {
                    (Some(at), true) => Act::AssignLocal(at, spot.width, code),
                    (Some(at), false) => Act::AssignGlobal(at, spot.width, code),
                    (None, _) => Act::Assign(spot, code),
                }
            }
            Action::Start {
                number,
                process,
                arguments,
                priority,
            } => Act::Start(
                number
                    .as_ref()
                    .filter(|place| place.scope != Scope::Unseen)
                    .map(|place| self.spot(place))
                    .transpose()?,
                process.0,
                codes(arguments)?,
                *priority,
            ),
            Action::Send {
                channel,
                fields,
                sorted,
            } => Act::Send(self.code(channel)?, codes(fields)?, *sorted),
            Action::Receive {
                channel,
                patterns,
                anywhere,
                keep,
            } => {
                let expected: Result<Vec<Expected>, String> = patterns
                    .iter()
                    .map(|pattern| {
                        Ok(match pattern {
                            Pattern::Match(value) => Expected::Match(self.code(value)?),
                            Pattern::Bind(place) => Expected::Bind(self.spot(place)?),
                            Pattern::Ignore => Expected::Ignore,
                        })
                    })
                    .collect();
                Act::Receive {
                    channel: self.code(channel)?,
                    expected: expected?,
                    anywhere: *anywhere,
                    keep: *keep,
                }
            }
            Action::Assert(condition) => Act::Assert(self.code(condition)?),
            Action::Require(condition, fault) => Act::Require(self.code(condition)?, fault.clone()),
            Action::Print(_, values) => Act::Print(codes(values)?),
            Action::Deterministic(entry) => Act::Deterministic(entry.0),
            Action::SetPriority(process, value) => Act::SetPriority(self.code(process)?, self.code(value)?),
            Action::End => Act::End,
        })
    }
}
