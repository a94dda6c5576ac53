//! Actions compiled, and performed on a state in place.

use super::code::{Code, Compiler, Facts, Spot, View};
use super::layout::{
    CELLS, CHANNEL_TAG, CHANNELS, ChannelLayout, LAST, LENGTH, Layout, MESSAGES, PRIORITY, PROCESSES,
    Records, Width, set_location,
};
use super::machine::{LocationCode, MachineCode};
use entail_program::{Action, Fault, Initial, LocationId, Pattern, ProcessTypeId, Program};
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
#[derive(Debug)]
pub struct Compiled {
    pub layout: Layout,
    pub facts: Facts,
    pub processes: Vec<CompiledProcess>,
    pub has_last: bool,
    pub has_priorities: bool,
    pub machine_code: MachineCode,
    /// Somebody is making machine code.
    pub(super) workshop_is_busy: AtomicBool,
    globals: Vec<(usize, Width, First)>,
    initial: Vec<(u8, u8)>,
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

/// A deterministic sequence may take so many steps.
pub const LONGEST_SEQUENCE: u32 = 1_000_000;

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
            let mut locations: Vec<Box<[CompiledEdge]>> = Vec::new();
            for location in &process.locations {
                let mut edges = Vec::new();
                for edge in &location.edges {
                    let acts: Result<Vec<Act>, String> =
                        edge.actions.iter().map(|action| compiler.act(action)).collect();
                    let mut acts = acts?.into_iter();
                    let first = acts.next().unwrap_or(Act::Skip);
                    edges.push(CompiledEdge {
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
            let receive = |edge: &CompiledEdge| matches!(edge.first, Act::Receive { .. });
            processes.push(CompiledProcess {
                receives: locations.iter().map(|edges| edges.iter().any(receive)).collect(),
                machine: locations.iter().map(|_| OnceLock::new()).collect(),
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
        Ok(Compiled {
            facts: Facts::of(program),
            processes,
            has_last: program.has_last,
            has_priorities: program.has_priorities,
            machine_code: MachineCode::default(),
            workshop_is_busy: AtomicBool::new(false),
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
        let mut draft = Draft {
            list: &mut state.bytes,
            begin: 0,
            records: &mut state.records,
            reshaped: &mut false,
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
    fn look<T>(
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
    fn value(
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

    fn assign(
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

    /// How the channel with a record lies in bytes.
    #[inline]
    pub fn channel_layout(&self, bytes: &[u8], record: usize) -> &ChannelLayout {
        &self.layout.channels[(bytes[record] - CHANNEL_TAG) as usize]
    }

    /// The number and record of the channel of a send or receive.
    pub fn channel_of(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
    ) -> Result<(i32, usize), Fault> {
        self.find_channel(&state.bytes, &state.records, who, timeout, channel)
    }

    #[inline]
    fn find_channel(
        &self,
        bytes: &[u8],
        records: &Records,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
    ) -> Result<(i32, usize), Fault> {
        let (number, record) = self.look(bytes, records, who, timeout, |view| {
            let number = view.value(channel);
            (number, view.channel(number))
        })?;
        record.map(|record| (number, record)).ok_or(Fault::NoChannel)
    }

    /// Writes a message for the channel with a record behind the last byte of `message`.
    pub fn message(
        &self,
        state: &Working,
        who: (usize, usize),
        timeout: bool,
        record: usize,
        fields: &[Code],
        message: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let channel = self.channel_layout(&state.bytes, record);
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
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        fields: &[Code],
        sorted: bool,
    ) -> Result<bool, Fault> {
        let (_, record) = self.find_channel(state.bytes(), state.records, who, timeout, channel)?;
        let layout = self.channel_layout(state.bytes(), record);
        let length = state.bytes()[record + LENGTH] as usize;
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
            let number = self.value(state, who, timeout, code)?;
            width.store(state.bytes_mut(), end + offset, number);
        }
        let bytes = state.bytes_mut();
        if sorted {
            // The new message is behind the others: it changes places with the larger ones.
            let larger = |other: usize| {
                for (offset, width) in &layout.fields {
                    let (new, old) = (width.load(bytes, end + offset), width.load(bytes, other + offset));
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
                bytes[position..end + layout.message].rotate_right(layout.message);
            }
        }
        bytes[record + LENGTH] += 1;
        Ok(true)
    }

    /// The channel's record and the position of the message that a receive takes, if there is one.
    fn message_for(
        &self,
        bytes: &[u8],
        records: &Records,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        (expected, anywhere, keep): (&[Expected], bool, bool),
    ) -> Result<Option<(usize, usize)>, Fault> {
        let (_, record) = self.find_channel(bytes, records, who, timeout, channel)?;
        let layout = self.channel_layout(bytes, record);
        if keep && layout.capacity == 0 {
            return Err(Fault::PolledRendezvous);
        }
        if bytes[record + LENGTH] == 0 {
            return Ok(None);
        }
        let fields = Fault::Fields {
            given: expected.len(),
            expected: layout.fields.len(),
        };
        if expected.len() > layout.fields.len() {
            return Err(fields);
        }
        let found = self.look(bytes, records, who, timeout, |view| {
            view.matching(record, anywhere, |field| match expected.get(field) {
                Some(Expected::Match(code)) => Some(code),
                _ => None,
            })
        })?;
        match found {
            Some(_) if expected.len() < layout.fields.len() => Err(fields),
            found => Ok(found.map(|position| (record, position))),
        }
    }

    fn receive(
        &self,
        state: &mut Draft<'_>,
        who: (usize, usize),
        timeout: bool,
        channel: &Code,
        receive: (&[Expected], bool, bool),
    ) -> Result<bool, Fault> {
        let found = self.message_for(state.bytes(), state.records, who, timeout, channel, receive)?;
        let Some((record, position)) = found else {
            return Ok(false);
        };
        let (expected, _, keep) = receive;
        let layout = self.channel_layout(state.bytes(), record);
        let length = state.bytes()[record + LENGTH] as usize;
        let at = record + MESSAGES + position * layout.message;
        // Binding first and removing then is SPIN's order.
        for (expected, (offset, width)) in expected.iter().zip(&layout.fields) {
            if let Expected::Bind(spot) = expected {
                let field = width.load(state.bytes(), at + offset);
                self.assign(state, who, timeout, spot, field)?;
            }
        }
        if !keep {
            let end = record + MESSAGES + length * layout.message;
            let bytes = state.bytes_mut();
            bytes.copy_within(at + layout.message..end, at);
            bytes[end - layout.message..end].fill(0);
            bytes[record + LENGTH] -= 1;
        }
        Ok(true)
    }

    /// Stores the fields of a message, one after the other.
    pub fn bind(
        &self,
        state: &mut Draft<'_>,
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
            Action::Assign(place, value) => {
                let (spot, code) = (self.spot(place)?, self.code(value)?);
                match (spot.fixed(), matches!(place.scope, entail_program::Scope::Local)) {
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
                number.as_ref().map(|place| self.spot(place)).transpose()?,
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
            Action::Print(_, values) => Act::Print(codes(values)?),
            Action::Deterministic(entry) => Act::Deterministic(entry.0),
            Action::SetPriority(process, value) => Act::SetPriority(self.code(process)?, self.code(value)?),
            Action::End => Act::End,
        })
    }
}
