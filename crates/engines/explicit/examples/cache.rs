//! Caches that are kept coherent by a directory (Sorin, Hill and Wood, *A primer on memory consistency and cache coherence*, 2011): `cargo run --release --example cache`.
//!
//! Two or three caches hold a line shared or for writing; a directory grants one request after the other and calls lines back before. The protocol relies on messages from the directory to a cache
//! arriving in order: where they need not, a call may overtake the grant before it, and then two caches write.

use entail_explicit::{Actor, ActorSystem, Checker, Effects, Id, Network, StateOf};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Message {
    /// To the directory: a request for the line, for writing if true.
    Ask(bool),
    /// To a cache: the line with its value, for writing if true.
    Grant(bool, u8),
    /// To a cache: give the line back.
    Recall,
    /// To the directory: the line is given back, with its value if it was written.
    Return(Option<u8>),
}

/// A cache's line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Line {
    Invalid,
    Waiting,
    Shared(u8),
    Modified(u8),
}

/// What an actor remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Memory {
    Cache(Line),
    Directory {
        value: u8,
        owner: Option<Id>,
        sharers: BTreeSet<Id>,
        /// The request at hand, and who has still to give the line back for it.
        current: Option<(Id, bool)>,
        recalled: BTreeSet<Id>,
        /// Requests that wait, the oldest first.
        waiting: Vec<(Id, bool)>,
    },
}

/// The first actor is the directory.
pub(crate) enum Part {
    Directory,
    Cache,
}

const DIRECTORY: Id = Id(0);

/// Values are counted up to this, and from 0 again.
const VALUES: u8 = 2;

impl Actor for Part {
    type Message = Message;
    type State = Memory;
    /// The cache wants to read, or to write.
    type Timer = bool;

    fn start(&self, _: Id, effects: &mut Effects<Self>) -> Memory {
        match self {
            Part::Directory => Memory::Directory {
                value: 0,
                owner: None,
                sharers: BTreeSet::new(),
                current: None,
                recalled: BTreeSet::new(),
                waiting: Vec::new(),
            },
            Part::Cache => {
                effects.set_timer(false);
                effects.set_timer(true);
                Memory::Cache(Line::Invalid)
            }
        }
    }

    fn timeout(&self, _: Id, memory: &mut Memory, writes: &bool, effects: &mut Effects<Self>) {
        let Memory::Cache(line) = memory else {
            return;
        };
        effects.set_timer(*writes);
        match (&line, writes) {
            (Line::Invalid, _) => {
                *line = Line::Waiting;
                effects.send(DIRECTORY, Message::Ask(*writes));
            }
            (Line::Modified(value), true) => *line = Line::Modified((value + 1) % VALUES),
            _ => {}
        }
    }

    fn receive(&self, _: Id, memory: &mut Memory, from: Id, message: &Message, effects: &mut Effects<Self>) {
        match memory {
            Memory::Cache(line) => match (message, &line) {
                (Message::Grant(true, value), _) => *line = Line::Modified(*value),
                (Message::Grant(false, value), _) => *line = Line::Shared(*value),
                (Message::Recall, Line::Modified(value)) => {
                    effects.send(DIRECTORY, Message::Return(Some(*value)));
                    *line = Line::Invalid;
                }
                (Message::Recall, Line::Waiting) => effects.send(DIRECTORY, Message::Return(None)),
                (Message::Recall, _) => {
                    effects.send(DIRECTORY, Message::Return(None));
                    *line = Line::Invalid;
                }
                _ => {}
            },
            Memory::Directory {
                value,
                owner,
                sharers,
                current,
                recalled,
                waiting,
            } => {
                match message {
                    Message::Ask(writes) => waiting.push((from, *writes)),
                    Message::Return(written) => {
                        *value = written.unwrap_or(*value);
                        recalled.remove(&from);
                    }
                    _ => {}
                }
                // What can be done now: grant the request at hand, then take up the next.
                loop {
                    match *current {
                        Some(_) if !recalled.is_empty() => return,
                        Some((cache, writes)) => {
                            match writes {
                                true => *owner = Some(cache),
                                false => drop(sharers.insert(cache)),
                            }
                            effects.send(cache, Message::Grant(writes, *value));
                            *current = None;
                        }
                        None if waiting.is_empty() => return,
                        None => {
                            let (cache, writes) = waiting.remove(0);
                            *current = Some((cache, writes));
                            if let Some(owner) = owner.take() {
                                recalled.insert(owner);
                            }
                            if writes {
                                recalled.append(sharers);
                            }
                            recalled.remove(&cache);
                            effects.broadcast(recalled.iter().copied(), &Message::Recall);
                        }
                    }
                }
            }
        }
    }
}

/// A directory and so many caches.
pub(crate) fn system(caches: usize, network: Network) -> ActorSystem<Part> {
    let caches = (0..caches).map(|_| Part::Cache);
    ActorSystem::new(std::iter::once(Part::Directory).chain(caches).collect()).on(network)
}

/// While one cache may write, no other has the line.
pub(crate) fn is_coherent(state: &StateOf<Part>) -> bool {
    let has = |wanted: fn(&Line) -> bool| {
        let lines = state.actors.iter();
        lines
            .filter(|memory| matches!(memory, Memory::Cache(line) if wanted(line)))
            .count()
    };
    let writers = has(|line| matches!(line, Line::Modified(_)));
    writers == 0 || writers == 1 && has(|line| matches!(line, Line::Shared(_))) == 0
}

fn main() {
    for caches in [2, 3] {
        let ordered = system(caches, Network::Ordered);
        let replies = Checker::new(&ordered)
            .always("coherent", is_coherent)
            .no_dead_ends("goes on")
            .check();
        for reply in replies {
            println!(
                "{caches} caches: {:10} {:?}, {} states",
                reply.name, reply.holds, reply.states
            );
        }
    }
    let unordered = system(2, Network::Unordered);
    let replies = Checker::new(&unordered).always("coherent", is_coherent).check();
    if let Some(path) = &replies[0].path {
        println!(
            "messages that overtake each other: incoherent after {} steps",
            path.steps.len()
        );
    }
}
