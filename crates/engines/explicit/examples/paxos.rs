//! Paxos (Lamport, *Paxos made simple*, 2001), one decision: `cargo run --release --example paxos`.
//!
//! Two proposers with values of their own, three acceptors. Messages arrive in any order and may be lost; whatever happens, no two values are decided. Proposers who do not look at what
//! acceptors have accepted before break that.

use entail_explicit::{Actor, ActorSystem, Checker, Effects, Id, Network, StateOf};
use serde::{Deserialize, Serialize};

/// The number of a ballot: proposers have different ones.
type Ballot = u8;

/// What is proposed.
type Value = u8;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Message {
    Prepare(Ballot),
    /// With what was accepted before.
    Promise(Ballot, Option<(Ballot, Value)>),
    Accept(Ballot, Value),
    Accepted(Ballot),
}

/// What an actor remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Memory {
    Proposer {
        /// Who has promised, and what the latest of them had accepted.
        promised: Vec<Id>,
        latest: Option<(Ballot, Value)>,
        /// What it asked acceptors to accept, and who has.
        proposal: Option<Value>,
        accepted: Vec<Id>,
    },
    Acceptor {
        promised: Ballot,
        accepted: Option<(Ballot, Value)>,
    },
}

/// A participant: the first are proposers.
pub(crate) enum Participant {
    Proposer {
        ballot: Ballot,
        value: Value,
        looks: bool,
    },
    Acceptor,
}

const PROPOSERS: u8 = 2;
const ACCEPTORS: u8 = 3;
const MAJORITY: usize = 2;

fn acceptors() -> impl Iterator<Item = Id> {
    (PROPOSERS..PROPOSERS + ACCEPTORS).map(Id)
}

impl Actor for Participant {
    type Message = Message;
    type State = Memory;
    type Timer = ();

    fn start(&self, _: Id, effects: &mut Effects<Self>) -> Memory {
        match self {
            Participant::Proposer { ballot, .. } => {
                effects.broadcast(acceptors(), &Message::Prepare(*ballot));
                Memory::Proposer {
                    promised: Vec::new(),
                    latest: None,
                    proposal: None,
                    accepted: Vec::new(),
                }
            }
            Participant::Acceptor => Memory::Acceptor {
                promised: 0,
                accepted: None,
            },
        }
    }

    fn receive(&self, _: Id, memory: &mut Memory, from: Id, message: &Message, effects: &mut Effects<Self>) {
        match (self, memory) {
            (Participant::Acceptor, Memory::Acceptor { promised, accepted }) => match *message {
                Message::Prepare(ballot) if ballot > *promised => {
                    *promised = ballot;
                    effects.send(from, Message::Promise(ballot, *accepted));
                }
                Message::Accept(ballot, value) if ballot >= *promised => {
                    *promised = ballot;
                    *accepted = Some((ballot, value));
                    effects.send(from, Message::Accepted(ballot));
                }
                _ => {}
            },
            (
                Participant::Proposer { ballot, value, looks },
                Memory::Proposer {
                    promised,
                    latest,
                    proposal,
                    accepted,
                },
            ) => match *message {
                Message::Promise(of, before) if of == *ballot && proposal.is_none() => {
                    promised.push(from);
                    promised.sort_unstable();
                    *latest = (*latest).max(before);
                    if promised.len() == MAJORITY {
                        let bound = latest.filter(|_| *looks).map(|(_, value)| value);
                        let chosen = bound.unwrap_or(*value);
                        *proposal = Some(chosen);
                        effects.broadcast(acceptors(), &Message::Accept(*ballot, chosen));
                    }
                }
                Message::Accepted(of) if of == *ballot => {
                    accepted.push(from);
                    accepted.sort_unstable();
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Two proposers, who look at what was accepted before or do not, and three acceptors.
pub(crate) fn system(looks: bool) -> ActorSystem<Participant> {
    let proposer = |number: u8| Participant::Proposer {
        ballot: number,
        value: 10 * number,
        looks,
    };
    let mut all: Vec<Participant> = (1..=PROPOSERS).map(proposer).collect();
    all.extend((0..ACCEPTORS).map(|_| Participant::Acceptor));
    ActorSystem::new(all)
}

/// The values that a majority has accepted, as their proposers know.
pub(crate) fn decided(state: &StateOf<Participant>) -> Vec<Value> {
    let decision = |memory: &Memory| match memory {
        Memory::Proposer {
            proposal, accepted, ..
        } if accepted.len() >= MAJORITY => *proposal,
        _ => None,
    };
    state.actors.iter().filter_map(decision).collect()
}

/// No two values are decided.
pub(crate) fn agrees(state: &StateOf<Participant>) -> bool {
    decided(state).windows(2).all(|two| two[0] == two[1])
}

fn main() {
    for (network, name) in [
        (Network::Unordered, "all messages arrive"),
        (Network::Ordered.lossy(), "some are lost"),
    ] {
        let paxos = system(true).on(network);
        let replies = Checker::new(&paxos)
            .always("one value", agrees)
            .sometimes("a decision", |state| !decided(state).is_empty())
            .check();
        println!("{name}:");
        for reply in replies {
            println!("  {:12} {:?}, {} states", reply.name, reply.holds, reply.states);
        }
    }
    let careless = system(false);
    let replies = Checker::new(&careless).always("one value", agrees).check();
    if let Some(path) = &replies[0].path {
        println!(
            "proposers who do not look: two values after {} steps",
            path.steps.len()
        );
    }
}
