//! States written as what differs from the state before.
//!
//! In sorted order neighbours are alike: they share a beginning, and often all but a few bytes behind it. A state is written as a list of pairs, how many bytes stay and how many are replaced, with the new
//! bytes behind each pair, until its length is reached. A pair takes one byte where both numbers are below 15, four bits each; otherwise what is above 15 follows as a number of seven bits a byte. The pair of two zeros
//! cannot occur otherwise, so it says that a new length follows; bytes that the state before did not have count as zeros there.
//!
//! The first state of a block is written as if the one before were empty, always with its length: what is read there depends on nothing before.

/// Equal bytes in a row that end a list of new ones: a pair takes a byte by itself.
const WORTHWHILE: usize = 2;
/// Numbers from here on do not fit into four bits.
const LARGE: usize = 15;

/// The most bytes that a state of some length takes.
pub fn most_bytes(length: usize) -> usize {
    // Every pair but the last stands for two bytes that stay, or has new bytes behind it and takes at most one more than it saves.
    length + length / 2 + 32
}

/// Writes a state behind the one before, which it replaces. `is_first` if it is the first of a block.
pub fn encode(before: &mut Vec<u8>, state: &[u8], is_first: bool, out: &mut Vec<u8>) {
    if is_first {
        before.clear();
    }
    if is_first || before.len() != state.len() {
        out.push(0);
        put(out, state.len());
        before.resize(state.len(), 0);
    }
    let mut at = 0;
    while at < state.len() {
        let same = equal(&before[at..], &state[at..]);
        let begin = at + same;
        let mut end = begin;
        while end < state.len() {
            let pause = equal(&before[end..], &state[end..]);
            if pause >= WORTHWHILE || end + pause == state.len() && pause > 0 {
                break;
            }
            end += pause + 1;
        }
        let fresh = end - begin;
        out.push((same.min(LARGE) << 4 | fresh.min(LARGE)) as u8);
        for number in [same, fresh] {
            if number >= LARGE {
                put(out, number - LARGE);
            }
        }
        out.extend_from_slice(&state[begin..end]);
        at = end;
    }
    before.copy_from_slice(state);
}

/// How many bytes are equal at the beginning.
fn equal(left: &[u8], right: &[u8]) -> usize {
    let pairs = left.iter().zip(right);
    pairs.take_while(|(left, right)| left == right).count()
}

/// Reads a state that was written behind the one that is there. Nothing if the bytes are not such a state, or are not all there.
pub fn decode(bytes: &[u8], at: &mut usize, state: &mut Vec<u8>) -> Option<()> {
    let mut pair = *bytes.get(*at)?;
    *at += 1;
    if pair == 0 {
        let length = get(bytes, at)?;
        if length > usize::from(u16::MAX) {
            return None;
        }
        state.resize(length, 0);
        if length == 0 {
            return Some(());
        }
        pair = *bytes.get(*at)?;
        *at += 1;
    }
    let mut position = 0;
    loop {
        let (mut same, mut fresh) = (usize::from(pair >> 4), usize::from(pair & 15));
        if same == LARGE {
            same += get(bytes, at)?;
        }
        if fresh == LARGE {
            fresh += get(bytes, at)?;
        }
        position += same;
        let new = bytes.get(*at..)?.get(..fresh)?;
        state.get_mut(position..)?.get_mut(..fresh)?.copy_from_slice(new);
        *at += fresh;
        position += fresh;
        if position == state.len() {
            return Some(());
        }
        if same + fresh == 0 {
            return None;
        }
        pair = *bytes.get(*at)?;
        *at += 1;
    }
}

fn put(out: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0;
    for shift in (0..21).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= usize::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn states_come_back_as_they_were_written_in_any_order_and_of_any_length() {
        let random = &mut StdRng::seed_from_u64(7);
        for _ in 0..2000 {
            let mut states: Vec<Vec<u8>> = Vec::new();
            for _ in 0..random.random_range(1..20) {
                let mut state = states.last().cloned().unwrap_or_default();
                if random.random_bool(0.3) {
                    state.resize(
                        [0, 1, 2, 14, 15, 16, 40, 500, 65_535][random.random_range(0..9)],
                        3,
                    );
                }
                for _ in 0..random.random_range(0..6) {
                    if !state.is_empty() {
                        let at = random.random_range(0..state.len());
                        state[at] = random.random();
                    }
                }
                // What is equal to the state before has no bytes of its own if both are empty, and sets have each state once.
                if states.last() != Some(&state) {
                    states.push(state);
                }
            }
            let (mut before, mut bytes) = (Vec::new(), Vec::new());
            for (position, state) in states.iter().enumerate() {
                let begin = bytes.len();
                encode(&mut before, state, position == 0, &mut bytes);
                assert!(bytes.len() - begin <= most_bytes(state.len()));
            }
            let (mut at, mut read) = (0, Vec::new());
            for state in &states {
                decode(&bytes, &mut at, &mut read).expect("it is a state");
                assert_eq!(&read, state);
            }
            assert_eq!(at, bytes.len());
        }
    }

    #[test]
    fn what_was_not_written_is_refused_or_read_as_some_state() {
        let random = &mut StdRng::seed_from_u64(8);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..random.random_range(0..30)).map(|_| random.random()).collect();
            let (mut at, mut read) = (0, Vec::new());
            while decode(&bytes, &mut at, &mut read).is_some() && at < bytes.len() {}
            assert!(at <= bytes.len());
        }
    }
}
