//! The steps of a program of communicating processes as a labelled transition system, made by the reference interpreter.
//!
//! Messages are actions (`channel!1,2` when they are sent or handed over, `channel?1,2` when they are taken out); so is every other statement, with the process that
//! executes it. Atomic sequences are shown step by step: what others do cannot come in between. What goes wrong at run time leads to an end.

use super::{Structure, StructureError};
use entail_budget::Budget;
use entail_model::{LtsBuilder, StateId};
use entail_program::interpret::{Move, can_move, moves};
use entail_program::{CellType, Event, Program, State};
use std::collections::HashMap;
use std::sync::Arc;

/// The structure of a program.
pub fn of_program(program: &Program, budget: &Budget) -> Result<Structure, StructureError> {
    type Place = Arc<(State, Option<u8>)>;
    let start = State::initial(program)
        .map_err(|fault| StructureError::NotExplored(format!("the program fails at once: {fault}")))?;
    let start: Place = Arc::new((start, None));
    let mut places: Vec<Option<Place>> = vec![Some(start.clone())];
    let mut numbers: HashMap<Place, u32> = HashMap::from([(start, 0)]);
    let mut builder = LtsBuilder::new(0);
    let mut fault_state = None;
    let mut at = 0;
    while at < places.len() {
        budget.check()?;
        let from = StateId::new(at as u32);
        builder.add_state();
        let place = places[at].take();
        at += 1;
        let Some(place) = place else {
            continue;
        };
        let (state, control) = &*place;
        for step in moves(program, state, *control) {
            let (label, to) = match &step.result {
                Err(fault) => {
                    let sink = *fault_state.get_or_insert_with(|| {
                        places.push(None);
                        places.len() as u32 - 1
                    });
                    (format!("error: {fault}"), sink)
                }
                Ok(after) => {
                    let control = (step.control).filter(|&process| can_move(program, after, process));
                    let next: Place = Arc::new((after.clone(), control));
                    let fresh = places.len() as u32;
                    let number = *numbers.entry(next.clone()).or_insert(fresh);
                    if number == fresh {
                        places.push(Some(next));
                    }
                    (label(program, state, &step), number)
                }
            };
            let action = builder.action(&label);
            builder.transition(from, action, StateId::new(to));
        }
    }
    builder.initial(StateId::new(0));
    Ok(Structure {
        lts: builder.build()?,
        notes: vec![
            "statements and messages are actions; --hide hides some, by label or by the word before its data"
                .to_owned(),
        ],
    })
}

/// What is seen of a step: its messages if it has any, otherwise its statement.
fn label(program: &Program, state: &State, step: &Move) -> String {
    let after = step.result.as_ref().unwrap_or(state);
    let messages: Vec<String> = (step.events.iter())
        .filter_map(|event| match event {
            Event::Sent { channel, message, .. } | Event::Met { channel, message, .. } => {
                Some(communication(program, after, *channel, '!', message))
            }
            Event::Received { channel, message, .. } => {
                Some(communication(program, after, *channel, '?', message))
            }
            Event::Timeout | Event::Printed { .. } => None,
        })
        .collect();
    match messages.is_empty() {
        true => statement(program, state, step.step.process, step.step.edge),
        false => messages.join("; "),
    }
}

fn communication(program: &Program, state: &State, channel: i32, sign: char, message: &[i32]) -> String {
    let held = |cell: &entail_program::Cell, value: i32| cell.kind == CellType::Channel && value == channel;
    let name = (program.globals.iter().zip(&state.globals))
        .find(|(cell, value)| held(cell, **value))
        .map_or_else(|| format!("channel{channel}"), |(cell, _)| cell.name.clone());
    let kinds = (usize::try_from(channel - 1).ok())
        .and_then(|at| state.channels.get(at))
        .map_or(&[][..], |channel| &program.channels[channel.kind].fields);
    let shown = message.iter().enumerate().map(|(at, &value)| {
        let named = usize::try_from(value).ok().filter(|&value| value > 0);
        match named.and_then(|value| program.message_names.get(value)) {
            Some(name) if kinds.get(at) == Some(&CellType::MessageName) => name.clone(),
            _ => value.to_string(),
        }
    });
    format!("{name}{sign}{}", shown.collect::<Vec<_>>().join(","))
}

fn statement(program: &Program, state: &State, number: u8, edge: u16) -> String {
    let Some(process) = state.processes.get(usize::from(number)) else {
        return format!("process {number}");
    };
    let kind = program.process(process.kind);
    let edge = kind.locations[process.location.index()]
        .edges
        .get(usize::from(edge));
    let text = match edge.and_then(|edge| edge.actions.first()) {
        Some(entail_program::Action::End) | None => "end".to_owned(),
        Some(_) => edge.map_or(String::new(), |edge| {
            let words = program.text(edge.origin).split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        }),
    };
    format!("{}({number}): {text}", kind.name)
}
