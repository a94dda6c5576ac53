//! States of programs as bytes.
//!
//! ```text
//! processes | channels | last | globals … | record | record | …
//! ```
//! Records lie in the order of their creation, so that what ends last began first: a process ends only when it is the youngest, and takes the
//! channels it made with it. The first byte of a record tells what it is: a process of some type (location, priority, cells) or a
//! channel of some type (how many messages, the messages; what is not used is zero). Numbers are little-endian and not aligned.

use entail_program::{CellType, Program};

/// Where the number of processes is.
pub const PROCESSES: usize = 0;
/// Where the number of channels is.
pub const CHANNELS: usize = 1;
/// Where the process that made the last step is.
pub const LAST: usize = 2;
/// Where global variables begin.
pub const GLOBALS: usize = 3;
/// Tags from here on are channels.
pub const CHANNEL_TAG: u8 = 128;

/// Where things are in a process's record.
pub const LOCATION: usize = 1;
pub const PRIORITY: usize = 3;
pub const CELLS: usize = 4;

/// Where things are in a channel's record.
pub const LENGTH: usize = 1;
pub const MESSAGES: usize = 2;

/// How a number is kept in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Bit,
    Byte,
    Short,
    UnsignedShort,
    Word,
    /// Less than a whole number of bytes: the bits that remain, in so many bytes.
    Masked(u8, i32),
}

impl Width {
    pub fn of(kind: CellType) -> Width {
        match kind {
            CellType::Bit => Width::Bit,
            CellType::Byte | CellType::MessageName | CellType::Channel | CellType::ProcessNumber => {
                Width::Byte
            }
            CellType::Short => Width::Short,
            CellType::Int => Width::Word,
            CellType::Unsigned(8) => Width::Byte,
            CellType::Unsigned(16) => Width::UnsignedShort,
            CellType::Unsigned(bits) if bits >= 32 => Width::Word,
            CellType::Unsigned(bits) => Width::Masked(kind.bytes() as u8, (1i32 << bits).wrapping_sub(1)),
        }
    }

    #[inline]
    pub fn load(self, bytes: &[u8], at: usize) -> i32 {
        match self {
            Width::Bit | Width::Byte | Width::Masked(1, _) => i32::from(bytes[at]),
            Width::Short => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
            Width::UnsignedShort | Width::Masked(2, _) => {
                i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
            }
            Width::Word | Width::Masked(..) => {
                i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
            }
        }
    }

    #[inline]
    pub fn store(self, bytes: &mut [u8], at: usize, value: i32) {
        match self {
            Width::Bit => bytes[at] = (value & 1) as u8,
            Width::Byte => bytes[at] = value as u8,
            Width::Short | Width::UnsignedShort => {
                bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes())
            }
            Width::Word => bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
            Width::Masked(length, mask) => {
                let length = length as usize;
                bytes[at..at + length].copy_from_slice(&(value & mask).to_le_bytes()[..length]);
            }
        }
    }
}

/// How one kind of channel lies in bytes.
#[derive(Clone, Debug)]
pub struct ChannelLayout {
    pub capacity: usize,
    /// Where each field is within a message, and how it is kept.
    pub fields: Vec<(usize, Width)>,
    pub message: usize,
}

/// How a program's states lie in bytes.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Where each global cell is.
    pub globals: Vec<usize>,
    /// Where records begin.
    pub records: usize,
    /// For each process type, where each cell is from the record's beginning.
    pub cells: Vec<Vec<usize>>,
    /// For each process type, the size of its record.
    pub process_sizes: Vec<usize>,
    pub channels: Vec<ChannelLayout>,
    /// For each kind of channel, the size of its record.
    pub channel_sizes: Vec<usize>,
}

impl Layout {
    /// The layout of a program, or why it has none.
    pub fn of(program: &Program) -> Result<Layout, String> {
        if program.processes.len() > CHANNEL_TAG as usize || program.channels.len() > CHANNEL_TAG as usize {
            return Err("it has more than 128 kinds of processes or channels".into());
        }
        let place = |from: usize, kinds: &mut dyn Iterator<Item = CellType>| {
            let mut at = from;
            let places: Vec<usize> = kinds
                .map(|kind| {
                    at += kind.bytes();
                    at - kind.bytes()
                })
                .collect();
            (places, at)
        };
        let (globals, records) = place(GLOBALS, &mut program.globals.iter().map(|cell| cell.kind));
        let (cells, process_sizes) = program
            .processes
            .iter()
            .map(|process| place(CELLS, &mut process.cells.iter().map(|cell| cell.kind)))
            .unzip();
        let channels: Vec<ChannelLayout> = program
            .channels
            .iter()
            .map(|channel| {
                let (places, message) = place(0, &mut channel.fields.iter().copied());
                ChannelLayout {
                    capacity: channel.capacity as usize,
                    fields: places
                        .into_iter()
                        .zip(channel.fields.iter().map(|&kind| Width::of(kind)))
                        .collect(),
                    message,
                }
            })
            .collect();
        let channel_sizes = channels
            .iter()
            .map(|channel| MESSAGES + channel.capacity * channel.message)
            .collect();
        Ok(Layout {
            globals,
            records,
            cells,
            process_sizes,
            channels,
            channel_sizes,
        })
    }
}

/// Where the records of one state are.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub processes: Vec<u32>,
    pub channels: Vec<u32>,
    /// The state's length, and all records with their tags, to recognise a state of the same shape.
    length: usize,
    tags: Vec<(u32, u8)>,
}

impl Records {
    /// Finds the records of a state. Most states have theirs where the state before had them: if the tags are where they were, so is everything.
    /// Says whether something has changed.
    #[inline]
    pub fn find(&mut self, layout: &Layout, bytes: &[u8]) -> bool {
        let as_before = self.length == bytes.len()
            && self
                .tags
                .iter()
                .all(|&(at, tag)| bytes.get(at as usize) == Some(&tag));
        if !as_before {
            self.walk(layout, bytes);
        }
        !as_before
    }

    #[cold]
    fn walk(&mut self, layout: &Layout, bytes: &[u8]) {
        self.length = bytes.len();
        self.tags.clear();
        self.processes.clear();
        self.channels.clear();
        let mut at = layout.records;
        while at < bytes.len() {
            let tag = bytes[at];
            self.tags.push((at as u32, tag));
            if tag < CHANNEL_TAG {
                self.processes.push(at as u32);
                at += layout.process_sizes[tag as usize];
            } else {
                self.channels.push(at as u32);
                at += layout.channel_sizes[(tag - CHANNEL_TAG) as usize];
            }
        }
    }

    /// Takes over what a draft needs of the records of another state.
    pub fn follow(&mut self, other: &Records) {
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
        self.length = usize::MAX;
    }
}

/// The location in a process's record.
#[inline]
pub fn location(bytes: &[u8], record: usize) -> usize {
    u16::from_le_bytes([bytes[record + LOCATION], bytes[record + LOCATION + 1]]) as usize
}

/// Sets it.
#[inline]
pub fn set_location(bytes: &mut [u8], record: usize, location: u16) {
    bytes[record + LOCATION..record + LOCATION + 2].copy_from_slice(&location.to_le_bytes());
}
