//! A run as a timeline: a column for every variable and channel, a move for every step.

use super::steps::{Party, parties, stuck};
use super::values::{quiet, values};
use entail_program::{CellType, Event, Program, Replayed, Run, State, Step};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Partner, StateKey, Timeline};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a state, with who has control.
pub fn state_key(state: &State, control: Option<u8>) -> StateKey {
    let mut hasher = DefaultHasher::new();
    (state, control).hash(&mut hasher);
    StateKey(hasher.finish())
}

/// The timeline of a run.
pub fn timeline(program: &Program, run: &Run, replayed: &Replayed) -> Timeline {
    let loops = run.loop_start.is_some_and(|start| start < run.steps.len());
    // The state in which a loop closes is the one it began with.
    let positions = replayed.situations.len() - usize::from(loops && !replayed.situations.is_empty());
    let situations = &replayed.situations[..positions];
    let moves = run.steps.iter().zip(&replayed.situations).enumerate();
    Timeline {
        columns: columns(program, situations.iter().map(|situation| &situation.state)),
        positions,
        loop_start: run.loop_start.map(|start| if loops { start } else { positions }),
        moves: moves
            .map(|(position, (step, before))| {
                let events = replayed.events.get(position).map_or(&[][..], Vec::as_slice);
                shown_move(program, &before.state, step, events)
            })
            .collect(),
        keys: (situations.iter())
            .map(|situation| state_key(&situation.state, situation.control))
            .collect(),
        ending: ending(program, run, replayed),
        ..Timeline::default()
    }
}

/// How a run that is no loop ends: what goes wrong, or who is stuck.
fn ending(program: &Program, run: &Run, replayed: &Replayed) -> Vec<String> {
    match (&replayed.fault, replayed.situations.last()) {
        (Some(fault), _) => vec![fault.to_string()],
        (None, Some(last)) if run.loop_start.is_none() => stuck(program, &last.state),
        _ => Vec::new(),
    }
}

/// Columns in the order in which their variables first appear. Processes come and go, and so do their variables.
fn columns<'a>(program: &Program, states: impl Iterator<Item = &'a State>) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    // The last position at which each column had a value.
    let mut last_seen: Vec<usize> = Vec::new();
    for (position, state) in states.enumerate() {
        for value in values(program, state) {
            let number = *numbers.entry(value.name.clone()).or_insert_with(|| {
                columns.push(column(value.name, value.kind));
                last_seen.push(usize::MAX);
                columns.len() - 1
            });
            if last_seen[number] != position {
                last_seen[number] = position;
                columns[number].record(position, Some(Cell::text(value.text)));
            }
        }
        for (column, last_seen) in columns.iter_mut().zip(&last_seen) {
            if *last_seen != position {
                column.record(position, None);
            }
        }
    }
    columns
}

fn column(name: String, kind: CellType) -> Column {
    let shown = match kind {
        CellType::MessageName | CellType::Channel => ColumnKind::Text,
        _ => ColumnKind::Integer,
    };
    let mut column = Column::new(name, ColumnRole::State, shown);
    column.quiet = Some(quiet(kind).into());
    column.type_text = Some(match kind {
        CellType::Bit => "bit".to_owned(),
        CellType::Byte => "byte".to_owned(),
        CellType::Short => "short".to_owned(),
        CellType::Int => "int".to_owned(),
        CellType::Unsigned(bits) => format!("unsigned : {bits}"),
        CellType::MessageName => "mtype".to_owned(),
        CellType::Channel => "chan".to_owned(),
        CellType::ProcessNumber => "pid".to_owned(),
    });
    column
}

fn shown_move(program: &Program, state: &State, step: &Step, events: &[Event]) -> Move {
    let (party, partner) = parties(program, state, step);
    let partner = partner.map(|partner: Party| Partner {
        place: Some(partner.place(program)),
        lane: partner.name,
        text: partner.statement,
    });
    let times_out = events.contains(&Event::Timeout);
    Move {
        place: Some(party.place(program)),
        lane: party.name,
        text: party.statement,
        partner,
        remarks: times_out.then(|| "timeout".to_owned()).into_iter().collect(),
        printed: printed(events),
    }
}

/// What a step prints, indented by the process as SPIN does. What one process prints at a time goes on the same line.
fn printed(events: &[Event]) -> Vec<String> {
    let mut texts: Vec<(u8, String)> = Vec::new();
    for event in events {
        if let Event::Printed { process, text } = event {
            match texts.last_mut() {
                Some((last, before)) if last == process => before.push_str(text),
                _ => texts.push((*process, text.clone())),
            }
        }
    }
    let indented = |(process, text): &(u8, String)| {
        let indent = " ".repeat(6 + 4 * usize::from(*process));
        let lines = text.lines().map(|line| format!("{indent}{line}"));
        lines.collect::<Vec<String>>()
    };
    texts.iter().flat_map(indented).collect()
}
