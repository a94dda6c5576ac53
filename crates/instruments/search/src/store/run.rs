//! Sorted sets of states on tapes, read from the beginning to the end.
//!
//! States are written as what differs from the one before ([`delta`]), in blocks of some thousand bytes; the first state of each block is kept in memory, too. So a reader that wants a state far ahead
//! goes there at once, and reading what few states need takes about as long as they are many, however large the set.

use super::delta;
use super::tape::{Folder, Tape};
use std::io;

/// Bytes of a block, at least.
const BLOCK: usize = 8 << 10;
/// Bytes that are read at once: few where a reader has just jumped, then more and more.
const FEW: usize = 16 << 10;
const MANY: usize = 256 << 10;

/// A part of a tape with states one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Section {
    /// Where it begins and ends.
    pub begin: u64,
    pub end: u64,
    /// How many states it has.
    pub states: u64,
    /// The length of the longest.
    pub longest: usize,
}

fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "what was read is not what was written",
    )
}

/// Reads the states of a section.
#[derive(Debug)]
pub struct Entries<'t> {
    tape: &'t Tape,
    section: Section,
    /// Bytes that were read and where the next state begins in them.
    buffer: Vec<u8>,
    at: usize,
    /// Where what is read next begins on the tape.
    next: u64,
    chunk: usize,
    state: Vec<u8>,
}

impl<'t> Entries<'t> {
    /// The states of a section, from its beginning on.
    pub fn new(tape: &'t Tape, section: Section) -> Entries<'t> {
        Entries {
            tape,
            section,
            buffer: Vec::new(),
            at: 0,
            next: section.begin,
            chunk: FEW,
            state: Vec::new(),
        }
    }

    /// The state that was read last.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// Where the next state begins on the tape.
    fn position(&self) -> u64 {
        self.next - (self.buffer.len() - self.at) as u64
    }

    /// Reads the next state; false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        let needed = delta::most_bytes(self.section.longest);
        if self.buffer.len() - self.at < needed && self.next < self.section.end {
            self.buffer.drain(..self.at);
            self.at = 0;
            let have = self.buffer.len();
            let wanted = (self.chunk.max(needed) as u64).min(self.section.end - self.next) as usize;
            self.buffer.resize(have + wanted, 0);
            self.tape.read(self.next, &mut self.buffer[have..])?;
            self.next += wanted as u64;
            self.chunk = (2 * self.chunk).min(MANY);
        }
        if self.at == self.buffer.len() {
            return Ok(false);
        }
        let read = delta::decode(&self.buffer, &mut self.at, &mut self.state);
        read.map(|()| true).ok_or_else(damaged)
    }

    /// Goes on at the beginning of a block further ahead.
    fn jump(&mut self, to: u64) {
        let ahead = to - self.position();
        match self.at as u64 + ahead {
            at if at <= self.buffer.len() as u64 => self.at = at as usize,
            _ => {
                self.buffer.clear();
                self.at = 0;
                self.next = to;
                self.chunk = FEW;
            }
        }
    }
}

/// Writes states into a section at the end of a tape.
#[derive(Debug, Default)]
pub struct SectionWriter {
    section: Section,
    before: Vec<u8>,
    bytes: Vec<u8>,
}

impl SectionWriter {
    /// Begins at the end of a tape.
    pub fn new(tape: &Tape) -> SectionWriter {
        SectionWriter {
            section: Section {
                begin: tape.len(),
                ..Section::default()
            },
            ..SectionWriter::default()
        }
    }

    /// Adds a state.
    pub fn push(&mut self, tape: &mut Tape, state: &[u8]) -> io::Result<()> {
        let is_first = self.section.states == 0;
        delta::encode(&mut self.before, state, is_first, &mut self.bytes);
        self.section.states += 1;
        self.section.longest = self.section.longest.max(state.len());
        if self.bytes.len() >= BLOCK {
            tape.append(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    /// Ends the section.
    pub fn finish(self, tape: &mut Tape) -> io::Result<Section> {
        tape.append(&self.bytes)?;
        Ok(Section {
            end: tape.len(),
            ..self.section
        })
    }
}

/// A sorted set of states.
#[derive(Debug)]
pub struct Run {
    tape: Tape,
    section: Section,
    /// Where each block begins on the tape, and where its first state ends in `firsts`.
    blocks: Vec<(u64, usize)>,
    firsts: Vec<u8>,
}

impl Run {
    /// How many states it has.
    pub fn states(&self) -> u64 {
        self.section.states
    }

    /// Bytes of its states, and of what is kept in memory of them.
    pub fn bytes(&self) -> u64 {
        self.tape.len() + (self.blocks.len() * size_of::<(u64, usize)>() + self.firsts.len()) as u64
    }

    fn first(&self, block: usize) -> &[u8] {
        let begin = block.checked_sub(1).map_or(0, |before| self.blocks[before].1);
        &self.firsts[begin..self.blocks[block].1]
    }

    /// Reads it from the beginning.
    pub fn reader(&self) -> RunReader<'_> {
        RunReader {
            run: self,
            entries: Entries::new(&self.tape, self.section),
            block: 0,
            has: Has::Before,
        }
    }
}

/// Writes a sorted set of states.
#[derive(Debug)]
pub struct RunWriter {
    run: Run,
    before: Vec<u8>,
    bytes: Vec<u8>,
}

impl RunWriter {
    /// A set in a folder.
    pub fn new(folder: &Folder) -> RunWriter {
        RunWriter {
            run: Run {
                tape: Tape::new(folder),
                section: Section::default(),
                blocks: Vec::new(),
                firsts: Vec::new(),
            },
            before: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Adds a state that is larger than all before.
    pub fn push(&mut self, state: &[u8]) -> io::Result<()> {
        let run = &mut self.run;
        let is_first = self.bytes.len() >= BLOCK || run.section.states == 0;
        if is_first {
            run.tape.append(&self.bytes)?;
            self.bytes.clear();
            run.firsts.extend_from_slice(state);
            run.blocks.push((run.tape.len(), run.firsts.len()));
        }
        delta::encode(&mut self.before, state, is_first, &mut self.bytes);
        run.section.states += 1;
        run.section.longest = run.section.longest.max(state.len());
        Ok(())
    }

    /// The set.
    pub fn finish(mut self) -> io::Result<Run> {
        self.run.tape.append(&self.bytes)?;
        self.run.tape.rest()?;
        self.run.section.end = self.run.tape.len();
        self.run.blocks.shrink_to_fit();
        self.run.firsts.shrink_to_fit();
        Ok(self.run)
    }
}

/// Where a reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    Before,
    State,
    Nothing,
}

/// Reads a sorted set.
#[derive(Debug)]
pub struct RunReader<'r> {
    run: &'r Run,
    entries: Entries<'r>,
    /// The next block.
    block: usize,
    has: Has,
}

impl RunReader<'_> {
    /// The state it is at; nothing before the first and behind the last.
    pub fn state(&self) -> Option<&[u8]> {
        (self.has == Has::State).then(|| self.entries.state())
    }

    /// Goes on to the next state.
    pub fn advance(&mut self) -> io::Result<bool> {
        if let Some(&(at, _)) = self.run.blocks.get(self.block)
            && at == self.entries.position()
        {
            self.entries.state.clear();
            self.block += 1;
        }
        let is_there = self.entries.advance()?;
        self.has = if is_there { Has::State } else { Has::Nothing };
        Ok(is_there)
    }

    /// Goes on to the first state that is not smaller than this one, unless it is there; whether it is this one. Asked for larger and larger ones.
    pub fn seek(&mut self, goal: &[u8]) -> io::Result<bool> {
        loop {
            match self.state() {
                Some(state) if state >= goal => return Ok(state == goal),
                _ if self.has == Has::Nothing => return Ok(false),
                _ => {}
            }
            if self.block < self.run.blocks.len() && self.run.first(self.block) <= goal {
                let ahead = self.blocks_below(goal);
                self.block = ahead;
                self.entries.jump(self.run.blocks[ahead].0);
            }
            if !self.advance()? {
                return Ok(false);
            }
        }
    }

    /// The last block that begins with a state that is not larger, which the next one does: by doubling steps, then halving.
    fn blocks_below(&self, goal: &[u8]) -> usize {
        let (mut low, mut step) = (self.block, 1);
        while low + step < self.run.blocks.len() && self.run.first(low + step) <= goal {
            low += step;
            step *= 2;
        }
        let mut high = (low + step).min(self.run.blocks.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.run.first(middle) <= goal {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    }
}

/// The union of sorted sets, in order.
#[derive(Debug)]
pub struct Union<'r> {
    readers: Vec<RunReader<'r>>,
    /// Those that have a state, as a heap: the one with the smallest first.
    heap: Vec<usize>,
    state: Vec<u8>,
}

impl<'r> Union<'r> {
    /// The union of sets.
    pub fn new(runs: &'r [Run]) -> io::Result<Union<'r>> {
        let mut union = Union {
            readers: runs.iter().map(Run::reader).collect(),
            heap: Vec::new(),
            state: Vec::new(),
        };
        for reader in 0..union.readers.len() {
            if union.readers[reader].advance()? {
                union.heap.push(reader);
            }
        }
        for place in (0..union.heap.len()).rev() {
            union.sink(place);
        }
        Ok(union)
    }

    /// The state that was read last.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// Reads the next state; false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        let Some(&first) = self.heap.first() else {
            return Ok(false);
        };
        self.state.clear();
        self.state
            .extend_from_slice(self.readers[first].state().unwrap_or_default());
        while let Some(&top) = self.heap.first()
            && self.readers[top].state() == Some(&self.state)
        {
            if !self.readers[top].advance()? {
                self.heap.swap_remove(0);
            }
            self.sink(0);
        }
        Ok(true)
    }

    fn key(&self, place: usize) -> Option<&[u8]> {
        self.readers[self.heap[place]].state()
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let mut least = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.key(child) < self.key(least) {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use std::collections::BTreeSet;

    /// Random states; so many of a thousand random bytes that sets do not stay in memory.
    fn set(random: &mut StdRng, count: usize) -> BTreeSet<Vec<u8>> {
        let mut states = BTreeSet::new();
        for _ in 0..count {
            let mut state: Vec<u8> = vec![random.random_range(0..4), random.random_range(0..4)];
            state.extend((0..random.random_range(0..4) * 400).map(|_| random.random::<u8>()));
            states.insert(state);
        }
        states
    }

    fn written(states: &BTreeSet<Vec<u8>>) -> Run {
        let mut writer = RunWriter::new(&Folder::new(None));
        states
            .iter()
            .for_each(|state| writer.push(state).expect("there is room"));
        writer.finish().expect("there is room")
    }

    #[test]
    fn unions_have_every_state_once_and_in_order() {
        let random = &mut StdRng::seed_from_u64(3);
        for count in [0, 1, 40, 4000] {
            let sets: Vec<_> = (0..4).map(|_| set(random, count)).collect();
            let runs: Vec<Run> = sets.iter().map(written).collect();
            let mut union = Union::new(&runs).expect("it can be read");
            for state in sets.iter().flatten().collect::<BTreeSet<_>>() {
                assert!(union.advance().expect("it can be read"));
                assert!(union.state() == state);
            }
            assert!(!union.advance().expect("it can be read"));
        }
    }

    #[test]
    fn readers_find_what_is_there_and_nothing_else() {
        let random = &mut StdRng::seed_from_u64(4);
        for (count, wanted) in [(0, 5), (1, 5), (300, 300), (6000, 20), (6000, 6000)] {
            let states = set(random, count);
            let run = written(&states);
            assert_eq!(run.states(), states.len() as u64);
            let mut goals = set(random, wanted);
            goals.extend(states.iter().filter(|_| random.random_bool(0.1)).cloned());
            let mut reader = run.reader();
            for goal in goals {
                assert_eq!(
                    reader.seek(&goal).expect("it can be read"),
                    states.contains(&goal)
                );
            }
        }
    }
}
