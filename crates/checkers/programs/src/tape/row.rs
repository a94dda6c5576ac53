//! A state as one row of numbers.

use entail_answer::closed_set::{put_number, take_number};
use entail_program::{Location, LocationId, ProcessTypeId, Program};

/// Where the parts of a process's record are, from its beginning; its variables follow.
pub const KIND: usize = 0;
pub const LOCATION: usize = 1;
pub const PRIORITY: usize = 2;
pub const CELLS: usize = 3;

/// Where the parts of a channel's record are, from its beginning; room for all its messages follows, with zeros where there is none.
pub const LENGTH: usize = 1;
pub const MESSAGES: usize = 2;

/// More processes or channels than this are a fault.
pub const MOST_OF_A_KIND: usize = 255;

/// The record of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Where it begins.
    pub at: u32,
    /// How many channels there were when it was started.
    pub channels_before: u32,
}

/// A state: global variables, who moved last, then the records of channels and processes in the order in which they came.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Row {
    pub(super) cells: Vec<i32>,
    pub(super) processes: Vec<Record>,
    /// Where the channels' records begin; channel number `n` is at `n - 1`.
    pub(super) channels: Vec<u32>,
}

impl Clone for Row {
    fn clone(&self) -> Row {
        Row {
            cells: self.cells.clone(),
            processes: self.processes.clone(),
            channels: self.channels.clone(),
        }
    }

    fn clone_from(&mut self, other: &Row) {
        self.cells.clone_from(&other.cells);
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
    }
}

/// The length of a channel's record.
pub fn channel_size(program: &Program, kind: usize) -> usize {
    let channel = &program.channels[kind];
    MESSAGES + channel.capacity as usize * channel.fields.len()
}

fn put_signed(value: i32, out: &mut Vec<u8>) {
    match value {
        0..64 => out.push((value << 1) as u8),
        _ => put_number(u64::from(((value << 1) ^ (value >> 31)) as u32), out),
    }
}

fn put_size(size: usize, out: &mut Vec<u8>) {
    match size {
        0..0x80 => out.push(size as u8),
        _ => put_number(size as u64, out),
    }
}

/// A number, most of which have one byte.
fn take(bytes: &mut &[u8]) -> Option<u64> {
    match bytes.split_first() {
        Some((&first, rest)) if first < 0x80 => {
            *bytes = rest;
            Some(u64::from(first))
        }
        _ => take_number(bytes),
    }
}

fn take_signed(bytes: &mut &[u8]) -> Option<i32> {
    let coded = u32::try_from(take(bytes)?).ok()?;
    Some((coded >> 1) as i32 ^ -((coded & 1) as i32))
}

fn take_below(bytes: &mut &[u8], bound: usize) -> Option<usize> {
    let number = usize::try_from(take(bytes)?).ok()?;
    (number < bound).then_some(number)
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

/// How full a channel is.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    /// Messages in it.
    pub length: usize,
    /// Messages that fit.
    pub capacity: usize,
}

impl Row {
    /// Number of processes.
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// Number of channels.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// How full the channel at a position is.
    pub fn filling(&self, program: &Program, channel: usize) -> Filling {
        let at = self.channels[channel] as usize;
        Filling {
            length: self.cells[at + LENGTH] as usize,
            capacity: program.channels[self.channel_kind(at)].capacity as usize,
        }
    }

    /// The positions of the channels that go with a process.
    pub fn own_channels(&self, process: usize) -> std::ops::Range<usize> {
        let after = self.processes.get(process + 1);
        let end = after.map_or(self.channels.len(), |after| after.channels_before as usize);
        self.processes[process].channels_before as usize..end
    }

    /// The kind of a process.
    pub fn kind(&self, process: usize) -> ProcessTypeId {
        ProcessTypeId(self.cells[self.processes[process].at as usize + KIND] as u8)
    }

    /// The location of a process.
    pub fn location(&self, process: usize) -> LocationId {
        LocationId(self.cells[self.processes[process].at as usize + LOCATION] as u16)
    }

    /// The priority of a process.
    pub fn priority(&self, process: usize) -> i32 {
        self.cells[self.processes[process].at as usize + PRIORITY]
    }

    /// The kind of the channel at a place.
    pub(super) fn channel_kind(&self, at: usize) -> usize {
        self.cells[at + KIND] as usize
    }

    /// The locations at which the processes are.
    pub fn locations<'p>(&'p self, program: &'p Program) -> impl Iterator<Item = &'p Location> {
        (0..self.processes.len())
            .map(|process| &program.process(self.kind(process)).locations[self.location(process).index()])
    }

    /// The bytes of the state, as saved sets have them (`entail_program::state_bytes`), behind those of `out`.
    pub fn write(&self, program: &Program, out: &mut Vec<u8>) {
        let globals = program.globals.len();
        self.cells[..globals]
            .iter()
            .for_each(|&value| put_signed(value, out));
        out.push(self.cells[globals] as u8);
        put_size(self.processes.len(), out);
        for record in &self.processes {
            let at = record.at as usize;
            out.push(self.cells[at + KIND] as u8);
            put_size(self.cells[at + LOCATION] as usize, out);
            if program.has_priorities {
                out.push(self.cells[at + PRIORITY] as u8);
            }
            put_size(record.channels_before as usize, out);
            let count = program.processes[self.cells[at + KIND] as usize].cells.len();
            let cells = &self.cells[at + CELLS..at + CELLS + count];
            cells.iter().for_each(|&value| put_signed(value, out));
        }
        put_size(self.channels.len(), out);
        for &at in &self.channels {
            let at = at as usize;
            let (kind, length) = (self.channel_kind(at), self.cells[at + LENGTH] as usize);
            put_size(kind, out);
            put_size(length, out);
            let values = length * program.channels[kind].fields.len();
            let messages = &self.cells[at + MESSAGES..at + MESSAGES + values];
            messages.iter().for_each(|&value| put_signed(value, out));
        }
    }

    /// Becomes the state of some bytes; nothing if they are none of the program, or have processes and channels in an order that cannot come about.
    pub fn read(&mut self, program: &Program, bytes: &[u8]) -> Option<()> {
        let rest = &mut &*bytes;
        self.cells.clear();
        self.processes.clear();
        self.channels.clear();
        for cell in &program.globals {
            let value = take_signed(rest).filter(|&value| cell.kind.store(value) == value)?;
            self.cells.push(value);
        }
        self.cells.push(i32::from(take_byte(rest)?));
        // The channels come last in the bytes, but before the processes that are younger in the row.
        let processes = take_below(rest, MOST_OF_A_KIND + 1)?;
        let mut later = *rest;
        for _ in 0..processes {
            skip_process(program, &mut later)?;
        }
        let channels = take_below(&mut later, MOST_OF_A_KIND + 1)?;
        for _ in 0..processes {
            let at_channels = self.channels.len();
            let number = take_byte(rest)?;
            let kind = program.processes.get(usize::from(number))?;
            let location = take_below(rest, kind.locations.len())?;
            let priority = match program.has_priorities {
                true => take_byte(rest)?,
                false => kind.priority,
            };
            let before = take_below(rest, channels + 1)?;
            for _ in at_channels..before {
                self.read_channel(program, &mut later)?;
            }
            if self.channels.len() != before {
                return None;
            }
            self.processes.push(Record {
                at: self.cells.len() as u32,
                channels_before: before as u32,
            });
            self.cells
                .extend([i32::from(number), location as i32, i32::from(priority)]);
            for cell in &kind.cells {
                let value = take_signed(rest).filter(|&value| cell.kind.store(value) == value)?;
                self.cells.push(value);
            }
        }
        for _ in self.channels.len()..channels {
            self.read_channel(program, &mut later)?;
        }
        later.is_empty().then_some(())
    }

    fn read_channel(&mut self, program: &Program, bytes: &mut &[u8]) -> Option<()> {
        let kind = take_below(bytes, program.channels.len())?;
        let channel = &program.channels[kind];
        let length = take_below(bytes, channel.capacity as usize + 1)?;
        self.channels.push(self.cells.len() as u32);
        self.cells.extend([kind as i32, length as i32]);
        for _ in 0..length * channel.fields.len() {
            self.cells.push(take_signed(bytes)?);
        }
        let free = (channel.capacity as usize - length) * channel.fields.len();
        self.cells.resize(self.cells.len() + free, 0);
        Some(())
    }
}

fn skip_process(program: &Program, bytes: &mut &[u8]) -> Option<()> {
    let kind = program.processes.get(usize::from(take_byte(bytes)?))?;
    take(bytes)?;
    if program.has_priorities {
        take_byte(bytes)?;
    }
    take(bytes)?;
    for _ in &kind.cells {
        take_signed(bytes)?;
    }
    Some(())
}
