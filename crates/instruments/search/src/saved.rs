//! A search in another place: in a store of another kind, or in a file to be gone on with later.
//!
//! What is saved is the list of states, each with the one it was reached from, and how far the search has come. Numbers that stand for no
//! state are left out on the way, so states are numbered anew, in the same order.
//!
//! ```text
//! level end | ranges, begin and end of each | counts | states | length, parent + 1, state … | end mark
//! ```

use crate::ending::Counts;
use crate::order::breadth_first::Position;
use crate::store::{Refusal, StateNumber, Store};
use std::io::{self, BufRead, Write};

/// Behind all states, so that a file that was cut off is seen to be.
const END: u64 = 0x656e_7461_696c_2e65;

/// Gives every state with its new number's parent, in order, and the position in new numbers.
fn renumber<S: Store, E>(
    store: &S,
    position: &Position,
    mut take: impl FnMut(&[u8], Option<StateNumber>) -> Result<(), E>,
) -> Result<Position, E> {
    let mut pen = store.pen(1);
    let mut state = Vec::new();
    // From old numbers to new ones.
    let mut new: Vec<u32> = Vec::with_capacity(store.numbers() as usize + 1);
    let mut count = 0;
    for number in (0..store.numbers()).map(StateNumber) {
        new.push(count);
        if store.open(&mut pen, number, &mut state) {
            let parent = store.parent(number);
            take(&state, parent.map(|parent| StateNumber(new[parent.index()])))?;
            count += 1;
        }
    }
    new.push(count);
    let new = |old: u32| new[old as usize];
    Ok(Position {
        level_end: new(position.level_end),
        pending: position
            .pending
            .iter()
            .map(|range| new(range.start)..new(range.end))
            .collect(),
        counts: Counts {
            dead_end: position.counts.dead_end.map(|state| StateNumber(new(state.0))),
            ..position.counts
        },
    })
}

/// Moves a search into another store.
pub fn move_to<S: Store, T: Store>(from: &S, position: &Position, to: &mut T) -> Result<Position, Refusal> {
    let mut pen = to.pen(1);
    renumber(from, position, |state, parent| {
        to.insert(&mut pen, state, parent).map(|_| ())
    })
}

/// Writes a search.
pub fn save<S: Store>(store: &S, position: &Position, file: &mut dyn Write) -> io::Result<()> {
    // The position comes first, but is known last.
    let moved = renumber(store, position, |_, _| Ok::<(), io::Error>(()))?;
    let counts = moved.counts;
    put(file, moved.level_end.into())?;
    put(file, moved.pending.len() as u64)?;
    for range in &moved.pending {
        put(file, range.start.into())?;
        put(file, range.end.into())?;
    }
    for count in [
        counts.states,
        counts.transitions,
        counts.depth,
        counts.diverges.into(),
        counts.dead_end.map_or(0, |state| u64::from(state.0) + 1),
    ] {
        put(file, count)?;
    }
    renumber(store, position, |state, parent| {
        let parent = parent.map_or(0, |parent| parent.0 + 1);
        file.write_all(&(state.len() as u16).to_le_bytes())?;
        file.write_all(&parent.to_le_bytes())?;
        file.write_all(state)
    })?;
    put(file, END)
}

fn put(file: &mut dyn Write, number: u64) -> io::Result<()> {
    file.write_all(&number.to_le_bytes())
}

fn get(file: &mut dyn BufRead) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads a search into an empty store.
pub fn load<S: Store>(file: &mut dyn BufRead, store: &mut S) -> io::Result<Position> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let number = |value: u64| u32::try_from(value).map_err(|_| damaged());
    let level_end = number(get(file)?)?;
    let mut pending = Vec::new();
    for _ in 0..get(file)? {
        pending.push(number(get(file)?)?..number(get(file)?)?);
    }
    let mut position = Position {
        level_end,
        pending,
        counts: Counts {
            states: get(file)?,
            transitions: get(file)?,
            depth: get(file)?,
            diverges: get(file)? != 0,
            dead_end: match get(file)?.checked_sub(1) {
                Some(state) => Some(StateNumber(number(state)?)),
                None => None,
            },
        },
    };
    let mut pen = store.pen(1);
    let mut state = Vec::new();
    for at in 0..position.counts.states {
        let (mut length, mut parent) = ([0; 2], [0; 4]);
        file.read_exact(&mut length)?;
        file.read_exact(&mut parent)?;
        state.resize(u16::from_le_bytes(length).into(), 0);
        file.read_exact(&mut state)?;
        let parent = u32::from_le_bytes(parent).checked_sub(1).map(StateNumber);
        if parent.is_some_and(|parent| u64::from(parent.0) >= at) {
            return Err(damaged());
        }
        let inserted = store.insert(&mut pen, &state, parent);
        let (_, new) = inserted.map_err(|_| io::Error::other("its states do not fit into memory"))?;
        if !new {
            return Err(damaged());
        }
    }
    let numbers = store.numbers();
    let ranges = &mut position.pending;
    let is_sound = ranges
        .iter()
        .all(|range| range.start <= range.end && range.end <= level_end);
    if get(file)? != END || level_end > numbers || !is_sound || file.read(&mut [0])? != 0 {
        return Err(damaged());
    }
    ranges.retain(|range| range.start < range.end);
    Ok(position)
}
