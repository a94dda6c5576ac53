//! What actions do to a state.

use super::row::{
    CELLS, KIND, LENGTH, LOCATION, MESSAGES, MOST_OF_A_KIND, PRIORITY, Record, Row, channel_size,
};
use super::value::{Eye, evaluate};
use entail_program::{
    Action, CellType, Expression, Fault, Initial, LocationId, Pattern, Place, ProcessTypeId,
};

/// Stores a value at a place.
fn store(eye: &Eye<'_>, row: &mut Row, place: &Place, value: i32) -> Result<(), Fault> {
    if let Some(cell) = eye.resolve(row, place)? {
        row.cells[cell] = place.kind.store(value);
    }
    Ok(())
}

/// Performs an action; false if it blocks, and then nothing has changed.
pub fn act(eye: &Eye<'_>, action: &Action, row: &mut Row) -> Result<bool, Fault> {
    match action {
        Action::Guard(condition) => return Ok(evaluate(eye, row, condition)? != 0),
        Action::Skip | Action::Else => {}
        Action::Assign(place, value) => {
            let value = evaluate(eye, row, value)?;
            store(eye, row, place, value)?;
        }
        Action::Start {
            number,
            process,
            arguments,
            priority,
        } => {
            let values = arguments.iter().map(|argument| evaluate(eye, row, argument));
            let values = values.collect::<Result<Vec<i32>, Fault>>()?;
            // Where the number goes is told by the state before.
            let target = match number {
                Some(place) => eye.resolve(row, place)?.map(|cell| (cell, place.kind)),
                None => None,
            };
            let started = start(eye, row, *process, &values, *priority)?;
            if let Some((cell, kind)) = target {
                row.cells[cell] = kind.store(started);
            }
        }
        Action::Send {
            channel,
            fields,
            sorted,
        } => return send(eye, channel, fields, *sorted, row),
        Action::Receive {
            channel,
            patterns,
            anywhere,
            keep,
        } => return receive(eye, channel, patterns, (*anywhere, *keep), row),
        Action::Assert(condition) => {
            if evaluate(eye, row, condition)? == 0 {
                return Err(Fault::Assertion);
            }
        }
        Action::Require(condition, fault) => {
            if evaluate(eye, row, condition)? == 0 {
                return Err(fault.clone());
            }
        }
        Action::Print(_, values) => {
            for value in values {
                evaluate(eye, row, value)?;
            }
        }
        Action::Deterministic(entry) => return deterministic(eye, *entry, row),
        Action::SetPriority(process, value) => {
            let (number, value) = (evaluate(eye, row, process)?, evaluate(eye, row, value)?);
            if !(1..=255).contains(&value) {
                return Err(Fault::Priority(value));
            }
            let number = usize::try_from(number).ok();
            if let Some(record) = number.and_then(|number| row.processes.get(number)) {
                row.cells[record.at as usize + PRIORITY] = value;
            }
        }
        Action::End => {
            if eye.process + 1 != row.processes.len() {
                return Ok(false);
            }
            if let Some(record) = row.processes.pop() {
                row.channels.truncate(record.channels_before as usize);
                row.cells.truncate(record.at as usize);
            }
        }
    }
    Ok(true)
}

/// Everything behind an edge's first action.
pub fn finish(eye: &Eye<'_>, actions: &[Action], target: LocationId, row: &mut Row) -> Result<(), Fault> {
    if eye.program.has_last {
        row.cells[eye.program.globals.len()] = eye.process as i32;
    }
    for action in actions.iter().skip(1) {
        if !act(eye, action, row)? {
            return Err(Fault::BlockedInside);
        }
    }
    if let Some(record) = row.processes.get(eye.process) {
        row.cells[record.at as usize + LOCATION] = i32::from(target.0);
    }
    Ok(())
}

/// Starts a process and gives its number.
fn start(
    eye: &Eye<'_>,
    row: &mut Row,
    kind: ProcessTypeId,
    arguments: &[i32],
    priority: u8,
) -> Result<i32, Fault> {
    if row.processes.len() >= MOST_OF_A_KIND {
        return Err(Fault::TooManyProcesses);
    }
    let process = eye.program.process(kind);
    let (number, at) = (row.processes.len(), row.cells.len());
    row.processes.push(Record {
        at: at as u32,
        channels_before: row.channels.len() as u32,
    });
    row.cells.resize(at + CELLS + process.cells.len(), 0);
    row.cells[at + KIND] = i32::from(kind.0);
    row.cells[at + LOCATION] = process.start.map_or(0, |start| i32::from(start.0));
    row.cells[at + PRIORITY] = i32::from(priority);
    let own = Eye {
        process: number,
        timeout: false,
        longest: u64::MAX,
        ..*eye
    };
    for (position, cell) in process.cells.iter().enumerate() {
        let argument = arguments.get(position).filter(|_| position < process.parameters);
        let value = match (argument, &cell.initial) {
            (Some(&argument), _) => argument,
            (None, Initial::Value(value)) => *value,
            (None, Initial::Computed(expression)) => evaluate(&own, row, expression)?,
            (None, Initial::Channel(kind)) => {
                if row.channels.len() >= MOST_OF_A_KIND {
                    return Err(Fault::TooManyChannels);
                }
                let begin = row.cells.len();
                row.channels.push(begin as u32);
                row.cells.resize(begin + channel_size(eye.program, *kind), 0);
                row.cells[begin + KIND] = *kind as i32;
                row.channels.len() as i32
            }
        };
        row.cells[at + CELLS + position] = cell.kind.store(value);
    }
    Ok(number as i32)
}

/// The values of a message's fields.
pub fn message(
    eye: &Eye<'_>,
    row: &Row,
    fields: &[Expression],
    kinds: &[CellType],
) -> Result<Vec<i32>, Fault> {
    let mut message = Vec::with_capacity(kinds.len());
    for (field, kind) in fields.iter().zip(kinds) {
        message.push(kind.store(evaluate(eye, row, field)?));
    }
    match fields.len() == kinds.len() {
        true => Ok(message),
        false => Err(Fault::Fields {
            given: fields.len(),
            expected: kinds.len(),
        }),
    }
}

/// Puts a message into a channel; false if that is full.
fn send(
    eye: &Eye<'_>,
    channel: &Expression,
    fields: &[Expression],
    sorted: bool,
    row: &mut Row,
) -> Result<bool, Fault> {
    let at = eye.channel(row, evaluate(eye, row, channel)?)?;
    let kind = &eye.program.channels[row.channel_kind(at)];
    let length = row.cells[at + LENGTH] as usize;
    if length >= kind.capacity as usize {
        return Ok(false);
    }
    let message = message(eye, row, fields, &kind.fields)?;
    let (width, begin) = (message.len(), at + MESSAGES);
    let slot = |position: usize| begin + position * width..begin + (position + 1) * width;
    let position = match sorted {
        true => (0..length).find(|&position| row.cells[slot(position)] > message[..]),
        false => None,
    };
    let position = position.unwrap_or(length);
    let later = begin + position * width..begin + length * width;
    row.cells.copy_within(later, begin + (position + 1) * width);
    row.cells[slot(position)].copy_from_slice(&message);
    row.cells[at + LENGTH] += 1;
    Ok(true)
}

/// Takes a message that fits the patterns out of a channel, or only reads it; false if there is none.
fn receive(
    eye: &Eye<'_>,
    channel: &Expression,
    patterns: &[Pattern],
    (anywhere, keep): (bool, bool),
    row: &mut Row,
) -> Result<bool, Fault> {
    let at = eye.channel(row, evaluate(eye, row, channel)?)?;
    let kind = &eye.program.channels[row.channel_kind(at)];
    if keep && kind.capacity == 0 {
        return Err(Fault::PolledRendezvous);
    }
    let length = row.cells[at + LENGTH] as usize;
    if length == 0 {
        return Ok(false);
    }
    let width = kind.fields.len();
    let wrong_fields = Fault::Fields {
        given: patterns.len(),
        expected: width,
    };
    if patterns.len() > width {
        return Err(wrong_fields);
    }
    let Some(position) = eye.matching(row, at, patterns, anywhere)? else {
        return Ok(false);
    };
    if patterns.len() < width {
        return Err(wrong_fields);
    }
    let begin = at + MESSAGES;
    let message = row.cells[begin + position * width..begin + (position + 1) * width].to_vec();
    bind(eye, row, patterns, &message)?;
    if !keep {
        let end = begin + length * width;
        row.cells
            .copy_within(begin + (position + 1) * width..end, begin + position * width);
        row.cells[end - width..end].fill(0);
        row.cells[at + LENGTH] -= 1;
    }
    Ok(true)
}

/// Stores the fields of a message, one after the other.
pub fn bind(eye: &Eye<'_>, row: &mut Row, patterns: &[Pattern], message: &[i32]) -> Result<(), Fault> {
    for (pattern, &field) in patterns.iter().zip(message) {
        if let Pattern::Bind(place) = pattern {
            store(eye, row, place, field)?;
        }
    }
    Ok(())
}

/// Runs a deterministic sequence; false if its first step blocks.
fn deterministic(eye: &Eye<'_>, entry: LocationId, row: &mut Row) -> Result<bool, Fault> {
    let kind = eye.program.process(row.kind(eye.process));
    let mut at = entry;
    // A circle shows when the state is compared with an earlier one, which is moved on after 2, 4, 8, … steps.
    let mut earlier: Option<(LocationId, Row)> = None;
    let mut step = 0u64;
    loop {
        if step >= eye.longest {
            return Err(Fault::TooLong(eye.longest));
        }
        if let Some((there, then)) = &earlier
            && *there == at
            && *then == *row
        {
            return Err(Fault::Endless);
        }
        // (Most sequences are short: nothing is copied for them.)
        if step >= 8 && step.is_power_of_two() {
            earlier = Some((at, row.clone()));
        }
        let mut taken = None;
        for edge in &kind.locations[at.index()].edges {
            let is_enabled = match edge.actions.first() {
                Some(action) => act(eye, action, row)?,
                None => true,
            };
            if is_enabled {
                taken = Some(edge);
                break;
            }
        }
        let Some(edge) = taken else {
            return match step {
                0 => Ok(false),
                _ => Err(Fault::BlockedInside),
            };
        };
        for action in edge.actions.iter().skip(1) {
            if !act(eye, action, row)? {
                return Err(Fault::BlockedInside);
            }
        }
        if edge.target == LocationId::DONE {
            return Ok(true);
        }
        at = edge.target;
        step += 1;
    }
}
