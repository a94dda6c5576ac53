//! States, decoded.

use super::evaluate::{View, evaluate};
use crate::fault::Fault;
use crate::program::{Cell, Initial, LocationId, MOST_OF_A_KIND, ProcessTypeId, Program};
use std::hash::{Hash, Hasher};

/// A process of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its kind.
    pub kind: ProcessTypeId,
    /// Where it is.
    pub location: LocationId,
    /// Its variables.
    pub cells: Vec<i32>,
    /// Its priority.
    pub priority: u8,
    /// How many channels there were when it was started: those that follow are its own and vanish with it.
    pub channels_before: usize,
}

/// A channel of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Position in [`Program::channels`].
    pub kind: usize,
    /// The messages, the oldest first. Of a channel where sender and receiver meet, none.
    pub messages: Vec<Vec<i32>>,
}

/// A state of a program.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Global variables.
    pub globals: Vec<i32>,
    /// The processes by number.
    pub processes: Vec<Process>,
    /// The channels; channel number `n` is at `n - 1`.
    pub channels: Vec<Channel>,
    /// The process that made the last step, where the program reads it (`_last`).
    pub last: u8,
    /// Global variables that are no part of the state, at the same positions; empty if there are none. States that differ only here are equal.
    pub unseen: Vec<i32>,
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.globals == other.globals
            && self.processes == other.processes
            && self.channels == other.channels
            && self.last == other.last
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.globals.hash(hasher);
        self.processes.hash(hasher);
        self.channels.hash(hasher);
        self.last.hash(hasher);
    }
}

impl State {
    /// The initial state.
    pub fn initial(program: &Program) -> Result<State, Fault> {
        let mut state = State {
            globals: vec![0; program.globals.len()],
            ..State::default()
        };
        for (position, cell) in program.globals.iter().enumerate() {
            let value = state.initial_value(program, cell, 0)?;
            state.globals[position] = cell.kind.store(value);
        }
        if program.has_unseen {
            state.unseen = state.globals.clone();
        }
        for &kind in &program.initial {
            state.start(program, kind, &[], program.process(kind).priority)?;
        }
        Ok(state)
    }

    fn initial_value(&mut self, program: &Program, cell: &Cell, process: usize) -> Result<i32, Fault> {
        match &cell.initial {
            Initial::Value(value) => Ok(*value),
            Initial::Computed(expression) => evaluate(&View::new(program, self, process), expression),
            Initial::Channel(kind) => {
                if self.channels.len() >= MOST_OF_A_KIND {
                    return Err(Fault::TooManyChannels);
                }
                self.channels.push(Channel {
                    kind: *kind,
                    messages: Vec::new(),
                });
                Ok(self.channels.len() as i32)
            }
        }
    }

    /// Starts a process and gives its number.
    pub(super) fn start(
        &mut self,
        program: &Program,
        kind: ProcessTypeId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<i32, Fault> {
        if self.processes.len() >= MOST_OF_A_KIND {
            return Err(Fault::TooManyProcesses);
        }
        let process = program.process(kind);
        let number = self.processes.len();
        self.processes.push(Process {
            kind,
            location: process.start.unwrap_or(LocationId(0)),
            cells: vec![0; process.cells.len()],
            priority,
            channels_before: self.channels.len(),
        });
        for (position, cell) in process.cells.iter().enumerate() {
            let value = match arguments.get(position).filter(|_| position < process.parameters) {
                Some(&argument) => argument,
                None => self.initial_value(program, cell, number)?,
            };
            self.processes[number].cells[position] = cell.kind.store(value);
        }
        Ok(number as i32)
    }

    /// Ends the youngest process; its channels go with it.
    pub(super) fn end_youngest(&mut self) {
        if let Some(process) = self.processes.pop() {
            self.channels.truncate(process.channels_before);
        }
    }

    /// Whether every process is where it may stay for ever.
    pub fn is_valid_end(&self, program: &Program) -> bool {
        let view = View::new(program, self, usize::MAX);
        let wanted = program.ends_when.as_ref();
        self.processes
            .iter()
            .all(|process| program.process(process.kind).locations[process.location.index()].is_end)
            && wanted.is_none_or(|wanted| !matches!(evaluate(&view, wanted), Ok(0)))
    }

    /// Whether some process is at an accepting location.
    pub fn is_accepting(&self, program: &Program) -> bool {
        self.processes
            .iter()
            .any(|process| program.process(process.kind).locations[process.location.index()].is_accepting)
    }

    /// Whether some process is at a progress location.
    pub fn is_progress(&self, program: &Program) -> bool {
        self.processes
            .iter()
            .any(|process| program.process(process.kind).locations[process.location.index()].is_progress)
    }
}
