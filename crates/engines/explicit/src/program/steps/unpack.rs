//! Packed states as the interpreter has them.

use super::action::Compiled;
use super::layout::{CHANNEL_TAG, LAST, LENGTH, MESSAGES, PRIORITY, Width, location};
use entail_program::{Channel, LocationId, Process, ProcessTypeId, Program, State};

/// The state that was packed. Variables that are no part of the state have the values of their positions.
pub fn unpack(program: &Program, compiled: &Compiled, bytes: &[u8]) -> State {
    let layout = &compiled.layout;
    let globals: Vec<i32> = (program.globals.iter().zip(&layout.globals))
        .map(|(cell, &at)| Width::of(cell.kind).load(bytes, at))
        .collect();
    let mut state = State {
        unseen: if program.has_unseen {
            globals.clone()
        } else {
            Vec::new()
        },
        globals,
        last: bytes[LAST],
        ..State::default()
    };
    let mut at = layout.records;
    while at < bytes.len() {
        let tag = bytes[at];
        if tag < CHANNEL_TAG {
            let kind = ProcessTypeId(tag);
            let cells = program
                .process(kind)
                .cells
                .iter()
                .zip(&layout.cells[usize::from(tag)]);
            state.processes.push(Process {
                kind,
                location: LocationId(location(bytes, at) as u16),
                cells: cells
                    .map(|(cell, place)| Width::of(cell.kind).load(bytes, at + place))
                    .collect(),
                priority: bytes[at + PRIORITY],
                channels_before: state.channels.len(),
            });
            at += layout.process_sizes[usize::from(tag)];
        } else {
            let kind = usize::from(tag - CHANNEL_TAG);
            let channel = &layout.channels[kind];
            let message = |number: usize| {
                let begin = at + MESSAGES + number * channel.message;
                let fields = channel.fields.iter();
                fields
                    .map(|(place, width)| width.load(bytes, begin + place))
                    .collect()
            };
            state.channels.push(Channel {
                kind,
                messages: (0..usize::from(bytes[at + LENGTH])).map(message).collect(),
            });
            at += layout.channel_sizes[kind];
        }
    }
    state
}
