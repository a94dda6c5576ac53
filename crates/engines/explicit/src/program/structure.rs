//! The steps of a program of communicating processes as a labelled transition system.
//!
//! Messages are actions (`channel!1,2` when they are sent or handed over, `channel?1,2` when they are taken out); so is every other
//! statement, with the process that executes it. Atomic sequences are shown step by step: what others do cannot come in between. What
//! goes wrong at run time leads to an end.
//!
//! States are packed and steps compiled, as in the other searches. Only for the messages of a step, which compiled steps do not
//! record, the state is unpacked and the interpreter makes the step again.

use super::steps::action::Compiled;
use super::steps::layout::location;
use super::steps::space::{Space, Successors};
use super::steps::unpack::unpack;
use entail_budget::{Budget, Spent};
use entail_model::{ActionId, Lts, LtsBuilder, LtsError, StateId};
use entail_program::interpret::moves;
use entail_program::{Action, CellType, Edge, Event, ProcessTypeId, Program, State, Step};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Why the states of a program could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListingError {
    /// The program cannot be compiled, or has no initial state.
    #[error("{0}")]
    Unsupported(String),
    /// The system would be too large.
    #[error(transparent)]
    TooLarge(#[from] LtsError),
    /// Time or memory is spent.
    #[error(transparent)]
    Spent(#[from] Spent),
}

/// Nobody has control.
const NOBODY: u8 = 255;

/// A packed state with who has control in its last byte; nothing where something has gone wrong.
type Place = Option<Rc<[u8]>>;

/// The states and steps of a program as a labelled transition system.
pub fn labelled_program(program: &Program, budget: &Budget) -> Result<Lts, ListingError> {
    let compiled = Compiled::new(program).map_err(ListingError::Unsupported)?;
    let initial = compiled
        .initial()
        .map_err(|fault| ListingError::Unsupported(format!("the program fails at once: {fault}")))?;
    let mut listing = Listing {
        program,
        space: Space::new(&compiled, budget),
        places: Vec::new(),
        numbers: FxHashMap::default(),
        sink: None,
        builder: LtsBuilder::new(0),
        statements: FxHashMap::default(),
    };
    listing.number(&initial.bytes, None);
    let (mut out, mut ahead) = (Successors::default(), Successors::default());
    let mut at = 0;
    while at < listing.places.len() {
        budget.check()?;
        listing.builder.add_state();
        if let Some(place) = listing.places[at].take() {
            listing.expand(StateId::new(at as u32), &place, &mut out, &mut ahead)?;
        }
        at += 1;
    }
    listing.builder.initial(StateId::new(0));
    Ok(listing.builder.build()?)
}

struct Listing<'p> {
    program: &'p Program,
    space: Space<'p>,
    /// The places by number; nothing once they are expanded.
    places: Vec<Place>,
    numbers: FxHashMap<Rc<[u8]>, u32>,
    /// Where steps that go wrong lead to.
    sink: Option<u32>,
    builder: LtsBuilder,
    /// The actions of steps without messages, by process number, type, location and edge.
    statements: FxHashMap<(u8, u8, u16, u16), ActionId>,
}

impl Listing<'_> {
    /// Adds the steps of a place.
    fn expand(
        &mut self,
        from: StateId,
        place: &[u8],
        out: &mut Successors,
        ahead: &mut Successors,
    ) -> Result<(), ListingError> {
        let (&last, state) = place.split_last().expect("a place ends with who has control");
        let control = Some(last).filter(|&process| process != NOBODY);
        self.space.expand_inside(state, control, out)?;
        for position in 0..out.list.len() {
            let successor = &out.list[position];
            if let Some(fault) = &successor.fault {
                let action = self.builder.action(&format!("error: {fault}"));
                let fresh = self.places.len() as u32;
                let to = *self.sink.get_or_insert(fresh);
                if to == fresh {
                    self.places.push(None);
                }
                self.builder.transition(from, action, StateId::new(to));
                continue;
            }
            let step = out.steps(position).first().copied();
            let step = step.expect("steps are recorded");
            let after = out.state(position);
            // Control that cannot be used is lost.
            let control_after = match successor.control {
                Some(process) if self.space.can_go_on(after, process, ahead)? => Some(process),
                _ => None,
            };
            let to = self.number(after, control_after);
            let action = self.action(state, control, &step);
            self.builder.transition(from, action, StateId::new(to));
        }
        Ok(())
    }

    fn number(&mut self, state: &[u8], control: Option<u8>) -> u32 {
        let place: Rc<[u8]> = (state.iter().copied())
            .chain([control.unwrap_or(NOBODY)])
            .collect();
        let fresh = self.places.len() as u32;
        let number = *self.numbers.entry(place.clone()).or_insert(fresh);
        if number == fresh {
            self.places.push(Some(place));
        }
        number
    }

    /// What is seen of a step: its messages if it has any, otherwise its statement.
    fn action(&mut self, state: &[u8], control: Option<u8>, step: &Step) -> ActionId {
        self.space.enter(state);
        let record = self.space.entered().records.processes[usize::from(step.process)] as usize;
        let (kind, location) = (state[record], location(state, record));
        let process = self.program.process(ProcessTypeId(kind));
        let edge = process.locations[location].edges.get(usize::from(step.edge));
        if edge.is_some_and(|edge| step.receiver.is_some() || may_communicate(edge)) {
            let messages = messages(
                self.program,
                &unpack(self.program, self.space.compiled, state),
                control,
                step,
            );
            if !messages.is_empty() {
                return self.builder.action(&messages.join("; "));
            }
        }
        let key = (step.process, kind, location as u16, step.edge);
        *self.statements.entry(key).or_insert_with(|| {
            let text = match edge.and_then(|edge| edge.actions.first()) {
                Some(Action::End) | None => "end".to_owned(),
                Some(_) => edge.map_or(String::new(), |edge| {
                    let words = self.program.text(edge.origin).split_whitespace();
                    words.collect::<Vec<_>>().join(" ")
                }),
            };
            self.builder
                .action(&format!("{}({}): {text}", process.name, step.process))
        })
    }
}

/// Whether a step along an edge may send or receive.
fn may_communicate(edge: &Edge) -> bool {
    let communicates = |action: &Action| {
        matches!(
            action,
            Action::Send { .. } | Action::Receive { .. } | Action::Deterministic(_)
        )
    };
    edge.actions.iter().any(communicates)
}

/// The messages of a step.
fn messages(program: &Program, state: &State, control: Option<u8>, step: &Step) -> Vec<String> {
    let made = moves(program, state, control)
        .into_iter()
        .find(|made| made.step == *step);
    let Some(made) = made else {
        return Vec::new();
    };
    let after = made.result.as_ref().unwrap_or(state);
    (made.events.iter())
        .filter_map(|event| match event {
            Event::Sent { channel, message, .. } | Event::Met { channel, message, .. } => {
                Some(communication(program, after, *channel, '!', message))
            }
            Event::Received { channel, message, .. } => {
                Some(communication(program, after, *channel, '?', message))
            }
            Event::Timeout | Event::Printed { .. } => None,
        })
        .collect()
}

/// A message as an action.
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
