//! The steps of a state.

use super::evaluate::{View, evaluate};
use super::event::Event;
use super::state::State;
use crate::expression::{Expression, Pattern, Place, Scope};
use crate::fault::Fault;
use crate::program::{Action, Edge, LocationId, Program};
use crate::run::Step;
use std::cell::RefCell;

/// A step with what it leads to.
#[derive(Clone, Debug)]
pub struct Move {
    /// Which step.
    pub step: Step,
    /// The state it leads to, or what goes wrong.
    pub result: Result<State, Fault>,
    /// The process that has control afterwards (inside of an atomic sequence).
    pub control: Option<u8>,
    /// What happens besides, in this order.
    pub events: Vec<Event>,
}

/// Under which circumstances edges are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub timeout: bool,
    pub priorities: bool,
    /// A false `provided` clause keeps a process from moving.
    pub provided: bool,
    /// Most steps of a deterministic sequence.
    pub longest: u64,
    /// Nobody wants to know what happens besides.
    pub quiet: bool,
}

/// All steps from a state in which `control` has control, in the order in which a search tries them: younger processes first, edges
/// in their order.
pub fn moves(program: &Program, state: &State, control: Option<u8>) -> Vec<Move> {
    all_moves(program, state, control, u64::MAX, false)
}

/// The same without events, and with a limit on the steps of a deterministic sequence; one that takes more is a fault ([`Fault::TooLong`]).
pub fn moves_within(program: &Program, state: &State, control: Option<u8>, longest: u64) -> Vec<Move> {
    all_moves(program, state, control, longest, true)
}

fn all_moves(program: &Program, state: &State, control: Option<u8>, longest: u64, quiet: bool) -> Vec<Move> {
    let patience = |timeout| Patience {
        timeout,
        priorities: program.has_priorities,
        provided: true,
        longest,
        quiet,
    };
    if let Some(process) = control.filter(|&process| usize::from(process) < state.processes.len()) {
        let found = process_moves(program, state, process.into(), patience(false));
        if !found.is_empty() {
            return found;
        }
    }
    for timeout in [false, true] {
        let mut found: Vec<Move> = (0..state.processes.len())
            .rev()
            .flat_map(|process| process_moves(program, state, process, patience(timeout)))
            .collect();
        if !found.is_empty() {
            if timeout && !quiet {
                found
                    .iter_mut()
                    .for_each(|found| found.events.insert(0, Event::Timeout));
            }
            return found;
        }
    }
    Vec::new()
}

/// Whether a process can go on while it has control.
pub fn can_move(program: &Program, state: &State, process: u8) -> bool {
    let patience = Patience {
        timeout: false,
        priorities: program.has_priorities,
        provided: true,
        // One step tells.
        longest: 1,
        quiet: true,
    };
    usize::from(process) < state.processes.len()
        && !process_moves(program, state, process.into(), patience).is_empty()
}

/// What one process can do.
pub(super) fn process_moves(
    program: &Program,
    state: &State,
    process: usize,
    patience: Patience,
) -> Vec<Move> {
    let view = View {
        timeout: patience.timeout,
        longest: patience.longest,
        ..View::new(program, state, process)
    };
    let kind = program.process(state.processes[process].kind);
    if let Some(provided) = kind.provided.as_ref().filter(|_| patience.provided)
        && matches!(evaluate(&view, provided), Ok(0))
    {
        return Vec::new();
    }
    if patience.priorities && outranked(program, state, process, patience) {
        return Vec::new();
    }
    let mut found: Vec<Move> = Vec::new();
    let mut rank_taken = None;
    let mut moved = false;
    let location = &kind.locations[state.processes[process].location.index()];
    for (position, edge) in location.edges.iter().enumerate() {
        if rank_taken.is_some_and(|rank| rank < edge.rank) {
            break;
        }
        let step = Step {
            process: process as u8,
            edge: position as u16,
            receiver: None,
        };
        if matches!(edge.actions.first(), Some(Action::Else)) && moved {
            continue;
        }
        let before = found.len();
        let log = RefCell::default();
        let view = View {
            log: (!patience.quiet).then_some(&log),
            ..view
        };
        match take(&view, edge) {
            Taken::Blocked => {}
            Taken::Done(result) => {
                moved = true;
                found.push(Move {
                    step,
                    result,
                    control: edge.keeps_control.then_some(process as u8),
                    events: log.take(),
                });
            }
            Taken::Offers(channel, message, after) => {
                let offer = Offer {
                    sender: process,
                    channel,
                    message,
                    after,
                    events: log.take(),
                };
                meet(program, &offer, step, patience, &mut found);
            }
        }
        if found.len() > before {
            rank_taken = Some(edge.rank);
        }
    }
    found
}

/// Whether a process of higher priority can do something.
fn outranked(program: &Program, state: &State, process: usize, patience: Patience) -> bool {
    let own = state.processes[process].priority;
    let circumstances = Patience {
        priorities: false,
        longest: 1,
        ..patience
    };
    (0..state.processes.len()).any(|other| {
        state.processes[other].priority > own
            && !process_moves(program, state, other, circumstances).is_empty()
    })
}

/// A message offered where sender and receiver meet.
struct Offer {
    sender: usize,
    channel: i32,
    message: Vec<i32>,
    /// The state with the sender moved on, and what happened on its way.
    after: State,
    events: Vec<Event>,
}

/// The receivers that are ready for an offered message.
fn meet(program: &Program, offer: &Offer, step: Step, patience: Patience, found: &mut Vec<Move>) {
    let after = &offer.after;
    for receiver in (0..after.processes.len())
        .rev()
        .filter(|&other| other != offer.sender)
    {
        let view = View {
            timeout: patience.timeout,
            longest: patience.longest,
            ..View::new(program, after, receiver)
        };
        let kind = program.process(after.processes[receiver].kind);
        if let Some(provided) = &kind.provided
            && matches!(evaluate(&view, provided), Ok(0))
        {
            continue;
        }
        let location = &kind.locations[after.processes[receiver].location.index()];
        let mut rank_taken = None;
        for (position, edge) in location.edges.iter().enumerate() {
            if rank_taken.is_some_and(|rank| rank < edge.rank) {
                break;
            }
            let log = RefCell::default();
            let view = View {
                log: (!patience.quiet).then_some(&log),
                ..view
            };
            if !patience.quiet {
                view.record(Event::Met {
                    sender: offer.sender as u8,
                    receiver: receiver as u8,
                    channel: offer.channel,
                    message: offer.message.clone(),
                });
                log.borrow_mut().extend_from_slice(&offer.events);
            }
            if let Some(result) = accept(&view, edge, offer.channel, &offer.message) {
                rank_taken = Some(edge.rank);
                found.push(Move {
                    step: Step {
                        receiver: Some((receiver as u8, position as u16)),
                        ..step
                    },
                    result,
                    control: edge.keeps_control.then_some(receiver as u8),
                    events: log.take(),
                });
            }
        }
    }
}

/// A receiver takes an edge with an offered message, if the edge waits for it.
fn accept(view: &View<'_>, edge: &Edge, offered: i32, message: &[i32]) -> Option<Result<State, Fault>> {
    let Some(Action::Receive {
        channel, patterns, ..
    }) = edge.actions.first()
    else {
        return None;
    };
    let attempt = || -> Result<Option<State>, Fault> {
        if evaluate(view, channel)? != offered {
            return Ok(None);
        }
        if patterns.len() != message.len() {
            return Err(Fault::Fields {
                given: patterns.len(),
                expected: message.len(),
            });
        }
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Match(value) = pattern
                && evaluate(view, value)? != *field
            {
                return Ok(None);
            }
        }
        let mut state = view.state.clone();
        bind(view, &mut state, patterns, message)?;
        finish(view, edge, state).map(Some)
    };
    attempt().transpose()
}

/// What trying an edge comes to.
enum Taken {
    Blocked,
    Done(Result<State, Fault>),
    /// A message is offered on a channel where sender and receiver meet; the sender has moved on.
    Offers(i32, Vec<i32>, State),
}

fn take(view: &View<'_>, edge: &Edge) -> Taken {
    let attempt = || -> Result<Taken, Fault> {
        if let Some(Action::Send { channel, fields, .. }) = edge.actions.first() {
            let number = evaluate(view, channel)?;
            let kind = &view.program.channels[view.channel(number)?.kind];
            if kind.capacity == 0 {
                let message = message(view, fields, &kind.fields)?;
                let after = finish(view, edge, view.state.clone())?;
                return Ok(Taken::Offers(number, message, after));
            }
        }
        // A condition is looked at before anything is copied: most edges of a location with many are blocked.
        if let Some(Action::Guard(condition)) = edge.actions.first() {
            return Ok(match evaluate(view, condition)? {
                0 => Taken::Blocked,
                _ => Taken::Done(Ok(finish(view, edge, view.state.clone())?)),
            });
        }
        if edge
            .actions
            .first()
            .is_some_and(|action| is_blocked(view, action))
        {
            return Ok(Taken::Blocked);
        }
        let mut state = view.state.clone();
        match edge.actions.first() {
            Some(action) if !act(view, action, &mut state)? => Ok(Taken::Blocked),
            _ => Ok(Taken::Done(Ok(finish(view, edge, state)?))),
        }
    };
    attempt().unwrap_or_else(|fault| Taken::Done(Err(fault)))
}

/// Whether an action about a channel is known to block without trying it.
fn is_blocked(view: &View<'_>, action: &Action) -> bool {
    let channel = |channel| view.channel(evaluate(view, channel).ok()?).ok();
    match action {
        Action::Send { channel: into, .. } => channel(into)
            .is_some_and(|into| into.messages.len() >= view.program.channels[into.kind].capacity as usize),
        Action::Receive {
            channel: from, keep, ..
        } => !keep && channel(from).is_some_and(|from| from.messages.is_empty()),
        _ => false,
    }
}

/// Everything behind an edge's first action.
fn finish(view: &View<'_>, edge: &Edge, mut state: State) -> Result<State, Fault> {
    if view.program.has_last {
        state.last = view.process as u8;
    }
    for action in edge.actions.iter().skip(1) {
        if !act(view, action, &mut state)? {
            return Err(Fault::BlockedInside);
        }
    }
    if let Some(process) = state.processes.get_mut(view.process) {
        process.location = edge.target;
    }
    Ok(state)
}

/// What a process sees of a state that is being changed.
fn seen<'s>(view: &View<'s>, state: &'s State) -> View<'s> {
    View { state, ..*view }
}

/// Performs an action on a state; false if it blocks, and then nothing has changed. Of `view`, everything but its state counts.
fn act(view: &View<'_>, action: &Action, state: &mut State) -> Result<bool, Fault> {
    match action {
        Action::Guard(condition) => return Ok(evaluate(&seen(view, state), condition)? != 0),
        Action::Skip | Action::Else => {}
        Action::Assign(place, value) => {
            let value = evaluate(&seen(view, state), value)?;
            let target = seen(view, state).resolve(place)?;
            store(state, place, target, value);
        }
        Action::Start {
            number,
            process,
            arguments,
            priority,
        } => {
            // Where the number goes is told by the state before.
            let before = state.clone();
            let before = seen(view, &before);
            let values = arguments.iter().map(|argument| evaluate(&before, argument));
            let values = values.collect::<Result<Vec<i32>, Fault>>()?;
            let started = state.start(view.program, *process, &values, *priority)?;
            if let Some(place) = number {
                store(state, place, before.resolve(place)?, started);
            }
        }
        Action::Send {
            channel,
            fields,
            sorted,
        } => return send(view, channel, fields, *sorted, state),
        Action::Receive {
            channel,
            patterns,
            anywhere,
            keep,
        } => return receive(view, channel, patterns, (*anywhere, *keep), state),
        Action::Assert(condition) => {
            if evaluate(&seen(view, state), condition)? == 0 {
                return Err(Fault::Assertion);
            }
        }
        Action::Require(condition, fault) => {
            if evaluate(&seen(view, state), condition)? == 0 {
                return Err(fault.clone());
            }
        }
        Action::Print(text, values) => seen(view, state).print(text, values)?,
        Action::Deterministic(entry) => return deterministic(view, *entry, state),
        Action::SetPriority(process, value) => {
            let before = seen(view, state);
            let (number, value) = (evaluate(&before, process)?, evaluate(&before, value)?);
            let priority = u8::try_from(value).ok().filter(|&value| value > 0);
            let priority = priority.ok_or(Fault::Priority(value))?;
            if let Some(process) = usize::try_from(number)
                .ok()
                .and_then(|at| state.processes.get_mut(at))
            {
                process.priority = priority;
            }
        }
        Action::End => {
            if view.process + 1 != state.processes.len() {
                return Ok(false);
            }
            state.end_youngest();
        }
    }
    Ok(true)
}

/// Puts a message into a channel; false if that is full.
fn send(
    view: &View<'_>,
    channel: &Expression,
    fields: &[Expression],
    sorted: bool,
    state: &mut State,
) -> Result<bool, Fault> {
    let before = seen(view, state);
    let number = evaluate(&before, channel)?;
    let target = before.channel(number)?;
    let kind = &view.program.channels[target.kind];
    if target.messages.len() >= kind.capacity as usize {
        return Ok(false);
    }
    let message = message(&before, fields, &kind.fields)?;
    let messages = &mut state.channels[number as usize - 1].messages;
    let position = match sorted {
        true => messages.iter().position(|other| *other > message),
        false => None,
    };
    let position = position.unwrap_or(messages.len());
    view.record(Event::Sent {
        process: view.process as u8,
        channel: number,
        message: message.clone(),
        position,
    });
    messages.insert(position, message);
    Ok(true)
}

/// Takes a message that fits the patterns out of a channel (the first one, or one anywhere), or only reads it; false if there is none.
fn receive(
    view: &View<'_>,
    channel: &Expression,
    patterns: &[Pattern],
    (anywhere, keep): (bool, bool),
    state: &mut State,
) -> Result<bool, Fault> {
    let before = seen(view, state);
    let number = evaluate(&before, channel)?;
    let from = before.channel(number)?;
    let kind = &view.program.channels[from.kind];
    if keep && kind.capacity == 0 {
        return Err(Fault::PolledRendezvous);
    }
    if from.messages.is_empty() {
        return Ok(false);
    }
    let wrong_fields = Fault::Fields {
        given: patterns.len(),
        expected: kind.fields.len(),
    };
    if patterns.len() > kind.fields.len() {
        return Err(wrong_fields);
    }
    let Some(position) = before.matching(from, patterns, anywhere)? else {
        return Ok(false);
    };
    if patterns.len() < kind.fields.len() {
        return Err(wrong_fields);
    }
    let message = from.messages[position].clone();
    bind(view, state, patterns, &message)?;
    view.record(Event::Received {
        process: view.process as u8,
        channel: number,
        message,
        position,
        keep,
    });
    if !keep {
        state.channels[number as usize - 1].messages.remove(position);
    }
    Ok(true)
}

/// Runs a deterministic sequence; false if its first step blocks.
fn deterministic(view: &View<'_>, entry: LocationId, state: &mut State) -> Result<bool, Fault> {
    let kind = view.program.process(view.state.processes[view.process].kind);
    let mut at = entry;
    // Brent's algorithm: compared with a state that is moved on after 1, 2, 4, … steps, a circle shows.
    let (mut earlier, mut next_earlier) = ((entry, state.clone()), 1);
    for step in 0.. {
        if step >= view.longest {
            return Err(Fault::TooLong(view.longest));
        }
        if step > 0 && at == earlier.0 && *state == earlier.1 {
            return Err(Fault::Endless);
        }
        if step == next_earlier {
            earlier = (at, state.clone());
            next_earlier *= 2;
        }
        let mut moved = None;
        for edge in &kind.locations[at.index()].edges {
            // What blocks changes nothing.
            let enabled = match edge.actions.first() {
                Some(action) => act(view, action, state)?,
                None => true,
            };
            if enabled {
                moved = Some(edge);
                break;
            }
        }
        let Some(edge) = moved else {
            return match step {
                0 => Ok(false),
                _ => Err(Fault::BlockedInside),
            };
        };
        for action in edge.actions.iter().skip(1) {
            if !act(view, action, state)? {
                return Err(Fault::BlockedInside);
            }
        }
        if edge.target == LocationId::DONE {
            return Ok(true);
        }
        at = edge.target;
    }
    Ok(true)
}

fn message(
    view: &View<'_>,
    fields: &[crate::Expression],
    kinds: &[crate::CellType],
) -> Result<Vec<i32>, Fault> {
    let mut message = Vec::with_capacity(kinds.len());
    for (field, kind) in fields.iter().zip(kinds) {
        message.push(kind.store(evaluate(view, field)?));
    }
    match fields.len() == kinds.len() {
        true => Ok(message),
        false => Err(Fault::Fields {
            given: fields.len(),
            expected: kinds.len(),
        }),
    }
}

/// Stores the fields of a message, one after the other.
fn bind(view: &View<'_>, state: &mut State, patterns: &[Pattern], message: &[i32]) -> Result<(), Fault> {
    for (pattern, &field) in patterns.iter().zip(message) {
        if let Pattern::Bind(place) = pattern {
            let target = seen(view, state).resolve(place)?;
            store(state, place, target, field);
        }
    }
    Ok(())
}

/// Stores a value in a cell: whose it is (none: the program's), and which.
fn store(state: &mut State, place: &Place, (owner, cell): (Option<usize>, usize), value: i32) {
    let value = place.kind.store(value);
    match owner {
        None if place.scope == Scope::Unseen => state.unseen[cell] = value,
        None => state.globals[cell] = value,
        Some(process) => state.processes[process].cells[cell] = value,
    }
}
