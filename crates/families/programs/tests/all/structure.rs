//! Programs as labelled transition systems: the compiled listing has the states and actions that the interpreter has, in the same order.

use entail_budget::Budget;
use entail_explicit::labelled_program;
use entail_model::StateId;
use entail_program::interpret::{Move, can_move, moves};
use entail_program::{Action, Cell, CellType, Event, Program, State};
use entail_programs::ProgramModel;
use entail_source::Source;
use std::collections::{BTreeSet, HashMap};

use crate::random_programs;

const MOST_STATES: usize = 3_000;

/// What the interpreter says is seen of a step.
fn label(program: &Program, before: &State, step: &Move) -> String {
    let after = match &step.result {
        Ok(after) => after,
        Err(fault) => return format!("error: {fault}"),
    };
    let message = |channel: i32, sign: char, fields: &[i32]| {
        let holds = |(cell, value): &(&Cell, &i32)| cell.kind == CellType::Channel && **value == channel;
        let cell = program.globals.iter().zip(&after.globals).find(holds);
        let name = cell.map_or_else(|| format!("channel{channel}"), |(cell, _)| cell.name.clone());
        let kinds = &program.channels[after.channels[channel as usize - 1].kind].fields;
        let shown = fields.iter().zip(kinds).map(|(&value, &kind)| match kind {
            CellType::MessageName if value > 0 => program.message_names[value as usize].clone(),
            _ => value.to_string(),
        });
        format!("{name}{sign}{}", shown.collect::<Vec<_>>().join(","))
    };
    let messages: Vec<String> = (step.events.iter())
        .filter_map(|event| match event {
            Event::Sent {
                channel,
                message: fields,
                ..
            }
            | Event::Met {
                channel,
                message: fields,
                ..
            } => Some(message(*channel, '!', fields)),
            Event::Received {
                channel,
                message: fields,
                ..
            } => Some(message(*channel, '?', fields)),
            _ => None,
        })
        .collect();
    if !messages.is_empty() {
        return messages.join("; ");
    }
    let process = &before.processes[usize::from(step.step.process)];
    let kind = program.process(process.kind);
    let edge = &kind.locations[process.location.index()].edges[usize::from(step.step.edge)];
    let text = match edge.actions.first() {
        Some(Action::End) | None => "end".to_owned(),
        Some(_) => {
            let words = program.text(edge.origin).split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        }
    };
    format!("{}({}): {text}", kind.name, step.step.process)
}

/// The steps between states, numbered in the order of discovery; nothing if there are too many.
fn interpreted(program: &Program) -> Option<BTreeSet<(u32, String, u32)>> {
    type Place = (State, Option<u8>);
    let start = (State::initial(program).ok()?, None);
    let mut places: Vec<Option<Place>> = vec![Some(start.clone())];
    let mut numbers: HashMap<Place, u32> = HashMap::from([(start, 0)]);
    let mut sink = None;
    let mut steps = BTreeSet::new();
    let mut at = 0;
    while at < places.len() {
        if places.len() > MOST_STATES {
            return None;
        }
        if let Some((state, control)) = places[at].take() {
            for step in moves(program, &state, control) {
                let label = label(program, &state, &step);
                let fresh = places.len() as u32;
                let (to, new) = match step.result {
                    Err(_) => (*sink.get_or_insert(fresh), None),
                    Ok(after) => {
                        let control = step.control.filter(|&process| can_move(program, &after, process));
                        let next = (after, control);
                        (*numbers.entry(next.clone()).or_insert(fresh), Some(next))
                    }
                };
                if to == fresh {
                    places.push(new);
                }
                steps.insert((at as u32, label, to));
            }
        }
        at += 1;
    }
    Some(steps)
}

#[test]
fn the_compiled_listing_is_the_interpreters() {
    let mut compared = 0;
    for seed in 7_000..7_150 {
        let text = match seed % 3 {
            0 => random_programs::program(seed),
            1 => random_programs::spiced(seed),
            _ => random_programs::loose_program(seed),
        };
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Some(expected) = interpreted(model.program()) else {
            continue;
        };
        let lts = labelled_program(model.program(), &Budget::unlimited())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let number = |state: StateId| state.index() as u32;
        let steps: BTreeSet<(u32, String, u32)> = (lts.transitions())
            .map(|step| {
                let name = lts.action_name(step.action).to_string();
                (number(step.from), name, number(step.to))
            })
            .collect();
        assert_eq!(steps, expected, "seed {seed}\n{text}");
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn messages_and_statements_are_actions() {
    let text = "mtype = { go }; chan c = [1] of { mtype, byte }; chan m = [0] of { byte };
        active proctype p() { c!go,3; atomic { m!7; skip } }
        active proctype q() { byte x; c?go,x; m?x; assert(x == 3) }";
    let model = ProgramModel::read(Source::new("model.pml", text)).expect("it is right");
    let lts = labelled_program(model.program(), &Budget::unlimited()).expect("it is small");
    let mut actions: Vec<&str> = lts.actions().iter().map(|action| &**action).collect();
    actions.sort_unstable();
    for wanted in ["c!go,3", "c?go,3", "m!7", "error: assertion violated"] {
        assert!(actions.contains(&wanted), "{actions:?}");
    }
}
