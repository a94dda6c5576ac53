//! A set of states of a program, sorted and compressed: evidence that no other state is reachable.
//!
//! States at rest (nobody has control) are written as bytes in a form of their own ([`encode`]), which has nothing to do with how engines pack them. Sorted, neighbours begin
//! alike: in blocks of 32, each state after the first says how many bytes it shares with the one before and gives the rest. A state is looked up by bisection over the blocks'
//! first states and reading one block, so the set is used as it is saved, and nothing is unpacked.

use crate::interpret::{Channel, Process, State};
use crate::program::{LocationId, MOST_OF_A_KIND, ProcessTypeId, Program};

/// States in a block.
const BLOCK: usize = 32;

/// A sorted set of encoded states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedSet {
    data: Vec<u8>,
    /// Where the blocks begin.
    blocks: Vec<usize>,
    count: u64,
}

fn put(number: u64, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn put_signed(value: i32, out: &mut Vec<u8>) {
    put(u64::from(((value << 1) ^ (value >> 31)) as u32), out);
}

/// Reads what was put, from the front.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for (place, &byte) in self.0.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f).checked_shl(7 * place as u32)?;
            if byte < 0x80 {
                self.0 = &self.0[place + 1..];
                return Some(number);
            }
        }
        None
    }

    fn below(&mut self, bound: usize) -> Option<usize> {
        let number = usize::try_from(self.number()?).ok()?;
        (number < bound).then_some(number)
    }

    fn signed(&mut self) -> Option<i32> {
        let coded = u32::try_from(self.number()?).ok()?;
        Some((coded >> 1) as i32 ^ -((coded & 1) as i32))
    }
}

/// A state as bytes. Equal states have equal bytes, if no global variable is left out of states.
pub fn encode(state: &State, out: &mut Vec<u8>) {
    out.clear();
    state.globals.iter().for_each(|&value| put_signed(value, out));
    out.push(state.last);
    put(state.processes.len() as u64, out);
    for process in &state.processes {
        out.push(process.kind.0);
        put(u64::from(process.location.0), out);
        out.push(process.priority);
        put(process.channels_before as u64, out);
        process.cells.iter().for_each(|&value| put_signed(value, out));
    }
    put(state.channels.len() as u64, out);
    for channel in &state.channels {
        put(channel.kind as u64, out);
        put(channel.messages.len() as u64, out);
        for message in &channel.messages {
            put(message.len() as u64, out);
            message.iter().for_each(|&value| put_signed(value, out));
        }
    }
}

/// The state of some bytes; nothing if they are none of the program.
pub fn decode(program: &Program, bytes: &[u8]) -> Option<State> {
    let mut bytes = Bytes(bytes);
    let mut state = State {
        globals: (program.globals.iter())
            .map(|cell| bytes.signed().filter(|&value| cell.kind.store(value) == value))
            .collect::<Option<_>>()?,
        ..State::default()
    };
    state.last = u8::try_from(bytes.number()?).ok()?;
    for _ in 0..bytes.below(MOST_OF_A_KIND + 1)? {
        let kind = bytes.below(program.processes.len())?;
        let process = &program.processes[kind];
        let location = bytes.below(process.locations.len())?;
        let priority = u8::try_from(bytes.number()?).ok()?;
        let channels_before = bytes.below(MOST_OF_A_KIND + 1)?;
        let cells = process.cells.iter();
        let cells = cells.map(|cell| bytes.signed().filter(|&value| cell.kind.store(value) == value));
        state.processes.push(Process {
            kind: ProcessTypeId(kind as u8),
            location: LocationId(location as u16),
            cells: cells.collect::<Option<_>>()?,
            priority,
            channels_before,
        });
    }
    for _ in 0..bytes.below(MOST_OF_A_KIND + 1)? {
        let kind = bytes.below(program.channels.len())?;
        let channel = &program.channels[kind];
        let count = bytes.below(channel.capacity as usize + 1)?;
        let mut messages = Vec::with_capacity(count);
        for _ in 0..count {
            let fields = bytes.below(channel.fields.len() + 1)?;
            if fields != channel.fields.len() {
                return None;
            }
            let message = (0..fields)
                .map(|_| bytes.signed())
                .collect::<Option<Vec<i32>>>()?;
            messages.push(message);
        }
        state.channels.push(Channel { kind, messages });
    }
    bytes.0.is_empty().then_some(state)
}

impl ClosedSet {
    /// The set of some encoded states.
    pub fn new(mut states: Vec<Box<[u8]>>) -> ClosedSet {
        states.sort_unstable();
        states.dedup();
        let mut set = ClosedSet {
            count: states.len() as u64,
            ..ClosedSet::default()
        };
        for block in states.chunks(BLOCK) {
            set.blocks.push(set.data.len());
            let mut before: &[u8] = &[];
            for state in block {
                let shared = before
                    .iter()
                    .zip(state.iter())
                    .take_while(|(a, b)| a == b)
                    .count();
                put(shared as u64, &mut set.data);
                put((state.len() - shared) as u64, &mut set.data);
                set.data.extend_from_slice(&state[shared..]);
                before = state;
            }
        }
        set
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether it has no state.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes of all blocks, from which [`ClosedSet::from_bytes`] makes the set again.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The set with so many states and these bytes; nothing if they are not sorted or not of this form.
    pub fn from_bytes(data: Vec<u8>, count: u64) -> Option<ClosedSet> {
        let mut set = ClosedSet {
            data,
            blocks: Vec::new(),
            count,
        };
        let (mut at, mut before) = (0, Vec::new());
        for number in 0..count {
            if number % BLOCK as u64 == 0 {
                set.blocks.push(at);
            }
            let starts_block = number % BLOCK as u64 == 0;
            let mut state = if starts_block { Vec::new() } else { before.clone() };
            at = set.read(at, &mut state)?;
            if number > 0 && state <= before {
                return None;
            }
            before = state;
        }
        (at == set.data.len()).then_some(set)
    }

    /// Reads the state at a place, given the one before it in the block; where the next begins.
    fn read(&self, at: usize, state: &mut Vec<u8>) -> Option<usize> {
        let mut bytes = Bytes(self.data.get(at..)?);
        let shared = usize::try_from(bytes.number()?).ok()?;
        let rest = usize::try_from(bytes.number()?).ok()?;
        let new = bytes.0.get(..rest)?;
        if shared > state.len() {
            return None;
        }
        state.truncate(shared);
        state.extend_from_slice(new);
        Some(self.data.len() - bytes.0.len() + rest)
    }

    /// The states of a block.
    fn block(&self, number: usize) -> Vec<Vec<u8>> {
        let mut states: Vec<Vec<u8>> = Vec::with_capacity(BLOCK);
        let mut at = self.blocks[number];
        let left = self.count - (number * BLOCK) as u64;
        for _ in 0..left.min(BLOCK as u64) {
            let mut state = states.last().cloned().unwrap_or_default();
            match self.read(at, &mut state) {
                Some(next) => at = next,
                None => break,
            }
            states.push(state);
        }
        states
    }

    /// The first state of a block.
    fn first(&self, number: usize) -> &[u8] {
        let mut bytes = Bytes(&self.data[self.blocks[number]..]);
        let (_, rest) = (bytes.number(), bytes.number());
        let rest = usize::try_from(rest.unwrap_or(0)).unwrap_or(0);
        bytes.0.get(..rest).unwrap_or(&[])
    }

    /// Whether an encoded state is in it.
    pub fn contains(&self, state: &[u8]) -> bool {
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.first(middle) <= state {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let Some(number) = low.checked_sub(1) else {
            return false;
        };
        let mut at = self.blocks[number];
        let mut here = Vec::with_capacity(state.len());
        let left = self.count - (number * BLOCK) as u64;
        for _ in 0..left.min(BLOCK as u64) {
            match self.read(at, &mut here) {
                Some(next) => at = next,
                None => return false,
            }
            if here == state {
                return true;
            }
        }
        false
    }

    /// All encoded states, in order.
    pub fn iter(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..self.blocks.len()).flat_map(|number| self.block(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        let all: Vec<Box<[u8]>> = (0..1000u32)
            .map(|number| (number * 3).to_be_bytes().to_vec().into())
            .collect();
        let set = ClosedSet::new(all.clone());
        assert_eq!(set.len(), 1000);
        assert!(all.iter().all(|state| set.contains(state)));
        assert!((0..1000u32).all(|number| !set.contains(&(number * 3 + 1).to_be_bytes())));
        assert!(set.iter().eq(all.iter().map(|state| state.to_vec())));
        assert!(set.bytes().len() < 4000);
        assert_eq!(
            ClosedSet::from_bytes(set.bytes().to_vec(), 1000),
            Some(set.clone())
        );
        assert_eq!(ClosedSet::from_bytes(set.bytes().to_vec(), 999), None);
        let cut = set.bytes()[..set.bytes().len() - 1].to_vec();
        assert_eq!(ClosedSet::from_bytes(cut, 1000), None);
        assert!(!ClosedSet::default().contains(&[]));
    }
}
