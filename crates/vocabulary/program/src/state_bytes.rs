//! States at rest (nobody has control) as bytes, for sets of states that are evidence.
//!
//! The form follows the interpreter's state field by field and has nothing to do with how engines pack states. Priorities are left out where they mean nothing,
//! because no statement reads or sets one and no process has one of its own ([`Program::has_priorities`]): states that differ only there behave alike and are written alike.
//!
//! **Invariant:** what [`decode`] accepts is written by [`encode`] with the same bytes.

use crate::interpret::{Channel, Process, State};
use crate::program::{LocationId, MOST_OF_A_KIND, ProcessTypeId, Program};
use entail_answer::closed_set::{put_number, take_number};

fn put_signed(value: i32, out: &mut Vec<u8>) {
    put_number(u64::from(((value << 1) ^ (value >> 31)) as u32), out);
}

fn take_signed(bytes: &mut &[u8]) -> Option<i32> {
    let coded = u32::try_from(take_number(bytes)?).ok()?;
    Some((coded >> 1) as i32 ^ -((coded & 1) as i32))
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn take_below(bytes: &mut &[u8], bound: usize) -> Option<usize> {
    let number = usize::try_from(take_number(bytes)?).ok()?;
    (number < bound).then_some(number)
}

/// Writes a state into `out`, which is cleared before. Variables that are no part of the state are not written.
pub fn encode(program: &Program, state: &State, out: &mut Vec<u8>) {
    out.clear();
    state.globals.iter().for_each(|&value| put_signed(value, out));
    out.push(state.last);
    put_number(state.processes.len() as u64, out);
    for process in &state.processes {
        out.push(process.kind.0);
        put_number(u64::from(process.location.0), out);
        if program.has_priorities {
            out.push(process.priority);
        }
        put_number(process.channels_before as u64, out);
        process.cells.iter().for_each(|&value| put_signed(value, out));
    }
    put_number(state.channels.len() as u64, out);
    for channel in &state.channels {
        put_number(channel.kind as u64, out);
        put_number(channel.messages.len() as u64, out);
        let values = channel.messages.iter().flatten();
        values.for_each(|&value| put_signed(value, out));
    }
}

/// The state of some bytes; nothing if they are none of the program. Variables that are no part of the state have their first values, so whoever looks at its steps asks first whether these are
/// read ([`Program::reads_unseen`]).
pub fn decode(program: &Program, bytes: &[u8]) -> Option<State> {
    let bytes = &mut &*bytes;
    let mut state = State {
        globals: (program.globals.iter())
            .map(|cell| take_signed(bytes).filter(|&value| cell.kind.store(value) == value))
            .collect::<Option<_>>()?,
        ..State::default()
    };
    state.last = take_byte(bytes)?;
    for _ in 0..take_below(bytes, MOST_OF_A_KIND + 1)? {
        let kind = ProcessTypeId(take_byte(bytes)?);
        let process = program.processes.get(usize::from(kind.0))?;
        let location = take_below(bytes, process.locations.len())?;
        let priority = match program.has_priorities {
            true => take_byte(bytes)?,
            false => process.priority,
        };
        let channels_before = take_below(bytes, MOST_OF_A_KIND + 1)?;
        let cells = process.cells.iter();
        let cells = cells.map(|cell| take_signed(bytes).filter(|&value| cell.kind.store(value) == value));
        state.processes.push(Process {
            kind,
            location: LocationId(u16::try_from(location).ok()?),
            cells: cells.collect::<Option<_>>()?,
            priority,
            channels_before,
        });
    }
    for _ in 0..take_below(bytes, MOST_OF_A_KIND + 1)? {
        let kind = take_below(bytes, program.channels.len())?;
        let channel = &program.channels[kind];
        let count = take_below(bytes, channel.capacity as usize + 1)?;
        let mut messages = Vec::new();
        for _ in 0..count {
            let fields = channel.fields.iter().map(|_| take_signed(bytes));
            messages.push(fields.collect::<Option<Vec<i32>>>()?);
        }
        state.channels.push(Channel { kind, messages });
    }
    if program.has_unseen {
        state.unseen = state.globals.clone();
    }
    bytes.is_empty().then_some(state)
}
