//! A set of states, sorted and compressed: evidence that no other state is reachable.
//!
//! States are byte strings; what they mean is said by each kind of system. Sorted, neighbours begin alike: in blocks of 32, each state after the first says how many bytes it
//! shares with the one before and gives the rest (front coding). A state is looked up by bisection over the blocks' first states and reading one block, so the set is used in
//! the form in which it is saved, and nothing is unpacked.
//!
//! **Invariant:** the states are strictly ascending and every block can be read; [`ClosedSet::from_bytes`] refuses everything else.

/// States in a block.
const BLOCK: usize = 32;

/// A sorted set of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedSet {
    data: Vec<u8>,
    /// Where the blocks begin.
    blocks: Vec<usize>,
    count: u64,
}

/// Appends a number, seven bits a byte, the lowest first.
pub fn put_number(number: u64, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Takes a number that was put from the front of some bytes. Each number has one form only: longer ones are refused.
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for (place, &byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        if place == 9 && bits > 1 {
            return None;
        }
        number |= bits << (7 * place);
        if byte < 0x80 {
            *bytes = &bytes[place + 1..];
            return (byte != 0 || place == 0).then_some(number);
        }
    }
    None
}

impl ClosedSet {
    /// The set of some states.
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
                let alike = before.iter().zip(state.iter()).take_while(|(a, b)| a == b);
                let shared = alike.count();
                put_number(shared as u64, &mut set.data);
                put_number((state.len() - shared) as u64, &mut set.data);
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
        let (mut at, mut before, mut state) = (0, Vec::new(), Vec::new());
        for number in 0..count {
            if number % BLOCK as u64 == 0 {
                set.blocks.push(at);
                state.clear();
            }
            at = set.read(at, &mut state)?;
            if number > 0 && state <= before {
                return None;
            }
            before.clone_from(&state);
        }
        (at == set.data.len()).then_some(set)
    }

    /// Reads the state at a place, given the one before it in the block; where the next begins.
    fn read(&self, at: usize, state: &mut Vec<u8>) -> Option<usize> {
        let mut bytes = self.data.get(at..)?;
        let shared = usize::try_from(take_number(&mut bytes)?).ok()?;
        let rest = usize::try_from(take_number(&mut bytes)?).ok()?;
        let new = bytes.get(..rest)?;
        if shared > state.len() {
            return None;
        }
        state.truncate(shared);
        state.extend_from_slice(new);
        Some(self.data.len() - bytes.len() + rest)
    }

    /// Number of states in a block.
    fn size_of(&self, block: usize) -> u64 {
        let left = self.count.saturating_sub((block * BLOCK) as u64);
        left.min(BLOCK as u64)
    }

    /// The first state of a block, which shares nothing.
    fn first(&self, block: usize) -> &[u8] {
        let mut bytes = &self.data[self.blocks[block]..];
        let (_, rest) = (take_number(&mut bytes), take_number(&mut bytes));
        let rest = usize::try_from(rest.unwrap_or(0)).unwrap_or(0);
        bytes.get(..rest).unwrap_or(&[])
    }

    /// The position of a state in the set, if it is there.
    pub fn position(&self, state: &[u8]) -> Option<u64> {
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.first(middle) <= state {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let block = low.checked_sub(1)?;
        // Of the state looked for, this many bytes are those of the state at hand, which is smaller. A state that shares more with it than that is smaller, too; one that shares less is larger.
        let (mut at, mut matched) = (self.blocks[block], 0);
        for place in 0..self.size_of(block) {
            let mut bytes = self.data.get(at..)?;
            let shared = usize::try_from(take_number(&mut bytes)?).ok()?;
            let rest = usize::try_from(take_number(&mut bytes)?).ok()?;
            let new = bytes.get(..rest)?;
            at = self.data.len() - bytes.len() + rest;
            if shared > matched {
                continue;
            }
            if shared < matched {
                return None;
            }
            let wanted = &state[matched..];
            let alike = new.iter().zip(wanted).take_while(|(a, b)| a == b).count();
            match (new.get(alike), wanted.get(alike)) {
                (None, None) => return Some((block * BLOCK) as u64 + place),
                (Some(here), Some(there)) if here > there => return None,
                (Some(_), None) => return None,
                _ => matched += alike,
            }
        }
        None
    }

    /// Whether a state is in it.
    pub fn contains(&self, state: &[u8]) -> bool {
        self.position(state).is_some()
    }

    /// Calls `visit` with each state in order, until it breaks off with an error.
    pub fn for_each<E>(&self, mut visit: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut state = Vec::new();
        for (block, &begin) in self.blocks.iter().enumerate() {
            let mut at = begin;
            state.clear();
            for _ in 0..self.size_of(block) {
                match self.read(at, &mut state) {
                    Some(next) => at = next,
                    None => return Ok(()),
                }
                visit(&state)?;
            }
        }
        Ok(())
    }

    /// Copies of all states, in order.
    pub fn states(&self) -> Vec<Box<[u8]>> {
        let mut states = Vec::new();
        let all: Result<(), ()> = self.for_each(|state| {
            states.push(state.into());
            Ok(())
        });
        debug_assert!(all.is_ok());
        states
    }

    /// The bytes as text, in base 64.
    pub fn to_text(&self) -> String {
        text_of_bytes(&self.data)
    }

    /// The set with so many states and the bytes of a text; nothing if it is no such text.
    pub fn from_text(text: &str, count: u64) -> Option<ClosedSet> {
        ClosedSet::from_bytes(bytes_of_text(text)?, count)
    }
}

/// Bytes as text, in base 64.
pub fn text_of_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, place| {
            bits << 8 | u32::from(group.get(place).copied().unwrap_or(0))
        });
        for place in 0..4 {
            let letter = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(match place <= group.len() {
                true => char::from(letter),
                false => '=',
            });
        }
    }
    text
}

/// The bytes of a text in base 64; nothing if it is no such text.
pub fn bytes_of_text(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut data = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.len() / 4;
    for (number, group) in text.chunks(4).enumerate() {
        let filled = group.iter().take_while(|&&letter| letter != b'=').count();
        let is_last = number + 1 == groups;
        if filled < 4 && (!is_last || filled < 2 || group[filled..].iter().any(|&letter| letter != b'=')) {
            return None;
        }
        let mut bits = 0u32;
        for &letter in &group[..filled] {
            bits = bits << 6 | digit_of(letter)?;
        }
        bits <<= 6 * (4 - filled);
        let bytes = bits.to_be_bytes();
        let (kept, lost) = bytes[1..].split_at(filled - 1);
        if lost.iter().any(|&byte| byte != 0) {
            return None;
        }
        data.extend_from_slice(kept);
    }
    Some(data)
}

/// The value of a digit of base 64.
fn digit_of(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// The digits of base 64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn some_states(seed: u64, count: usize) -> Vec<Box<[u8]>> {
        let mut seed = seed * 2 + 1;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            seed >> 33
        };
        let mut state = || (0..next() % 7).map(|_| next() as u8 % 4).collect();
        (0..count).map(|_| state()).collect()
    }

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        for seed in 0..40 {
            let inside: BTreeSet<Box<[u8]>> = some_states(seed, 400).into_iter().collect();
            let set = ClosedSet::new(inside.iter().rev().cloned().collect());
            assert_eq!(set.len(), inside.len() as u64);
            for (position, state) in inside.iter().enumerate() {
                assert_eq!(set.position(state), Some(position as u64));
            }
            for state in some_states(seed + 1000, 2000) {
                assert_eq!(set.contains(&state), inside.contains(&state), "{state:?}");
            }
            assert!(set.states().iter().eq(inside.iter()));
        }
        assert!(!ClosedSet::default().contains(&[]));
    }

    #[test]
    fn a_set_is_read_back_from_its_text_and_damaged_ones_are_refused() {
        for count in [0, 1, 2, 31, 32, 33, 34, 400] {
            let set = ClosedSet::new(some_states(count as u64, count));
            let text = set.to_text();
            assert_eq!(ClosedSet::from_text(&text, set.len()), Some(set.clone()));
            assert_eq!(ClosedSet::from_text(&text, set.len() + 1), None);
            assert_eq!(ClosedSet::from_text(&format!("{text}A"), set.len()), None);
            if !set.is_empty() {
                assert_eq!(ClosedSet::from_text(&text, set.len() - 1), None);
                let cut = set.bytes()[..set.bytes().len() - 1].to_vec();
                assert_eq!(ClosedSet::from_bytes(cut, set.len()), None);
            }
        }
        let states: Vec<Box<[u8]>> = (0..1000u32)
            .map(|state| (state * 3).to_be_bytes().to_vec().into())
            .collect();
        assert!(ClosedSet::new(states).bytes().len() < 3500);
        for text in ["A", "AA", "AAA", "====", "A===", "AA==A===", "A!AA", "AB=="] {
            assert_eq!(ClosedSet::from_text(text, 1), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_one_form() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_number(number, &mut bytes);
            assert_eq!(take_number(&mut bytes.as_slice()), Some(number));
        }
        assert_eq!(take_number(&mut [0x80, 0].as_slice()), None);
        assert_eq!(take_number(&mut [0xff; 12].as_slice()), None);
        assert_eq!(take_number(&mut [].as_slice()), None);
    }
}
