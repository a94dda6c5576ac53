//! A register on several servers (Attiya, Bar-Noy and Dolev, *Sharing memory robustly in message-passing systems*, 1995): `cargo run --release --example linearizable_register`.
//!
//! One client writes, another reads twice; both ask a majority of three servers, and the reader writes back what it read before it answers. What the clients see is linearizable. Without writing back
//! it is not: the first read may see the new value and the second the old one.

use entail_explicit::{
    Actor, ActorEvent, ActorSystem, Checker, Effects, Id, Network, Register, RegisterOperation, StateOf,
    Trial,
};
use serde::{Deserialize, Serialize};

const SERVERS: u8 = 3;
const MAJORITY: usize = 2;
const WRITER: Id = Id(3);
const READER: Id = Id(4);

/// A value with the time of its writing.
pub(crate) type Stamped = (u8, u8);

/// What is sent. Requests have numbers, so that late answers are not taken for others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Message {
    Get(u8),
    Value(u8, Stamped),
    Put(u8, Stamped),
    Stored(u8),
    /// To itself: the client's next operation begins.
    Begin,
    /// To itself: the operation is over; what was read.
    End(Option<u8>),
}

/// What an actor remembers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Memory {
    Server(Stamped),
    Client {
        /// The number of the request at hand.
        request: u8,
        /// Who has answered it, and the latest value among the answers.
        heard: Vec<Id>,
        latest: Stamped,
        /// Operations that are still to be done.
        left: u8,
    },
}

/// A participant.
pub(crate) enum Participant {
    Server,
    Writer,
    Reader { writes_back: bool },
}

fn servers() -> impl Iterator<Item = Id> {
    (0..SERVERS).map(Id)
}

impl Actor for Participant {
    type Message = Message;
    type State = Memory;
    type Timer = ();

    fn start(&self, me: Id, effects: &mut Effects<Self>) -> Memory {
        let left = match self {
            Participant::Server => return Memory::Server((0, 0)),
            Participant::Writer => 1,
            Participant::Reader { .. } => 2,
        };
        effects.send(me, Message::Begin);
        Memory::Client {
            request: 0,
            heard: Vec::new(),
            latest: (0, 0),
            left,
        }
    }

    fn receive(&self, me: Id, memory: &mut Memory, from: Id, message: &Message, effects: &mut Effects<Self>) {
        let (request, heard, latest, left) = match memory {
            Memory::Server(value) => {
                match *message {
                    Message::Get(request) => effects.send(from, Message::Value(request, *value)),
                    Message::Put(request, new) => {
                        *value = (*value).max(new);
                        effects.send(from, Message::Stored(request));
                    }
                    _ => {}
                }
                return;
            }
            Memory::Client {
                request,
                heard,
                latest,
                left,
            } => (request, heard, latest, left),
        };
        match *message {
            Message::Begin => {
                *request += 1;
                heard.clear();
                match self {
                    // There is one writer, so it knows the time.
                    Participant::Writer => effects.broadcast(servers(), &Message::Put(*request, (1, 1))),
                    _ => effects.broadcast(servers(), &Message::Get(*request)),
                }
            }
            Message::Value(of, value) if of == *request && heard.len() < MAJORITY => {
                heard.push(from);
                heard.sort_unstable();
                *latest = (*latest).max(value);
                if heard.len() == MAJORITY {
                    match self {
                        Participant::Reader { writes_back: true } => {
                            *request += 1;
                            heard.clear();
                            effects.broadcast(servers(), &Message::Put(*request, *latest));
                        }
                        _ => effects.send(me, Message::End(Some(latest.1))),
                    }
                }
            }
            Message::Stored(of) if of == *request && heard.len() < MAJORITY => {
                heard.push(from);
                heard.sort_unstable();
                if heard.len() == MAJORITY {
                    let read = matches!(self, Participant::Reader { .. }).then_some(latest.1);
                    effects.send(me, Message::End(read));
                }
            }
            Message::End(_) => {
                *left -= 1;
                *latest = (0, 0);
                if *left > 0 {
                    effects.send(me, Message::Begin);
                }
            }
            _ => {}
        }
    }
}

/// What clients see of a register that is 0 at first.
pub(crate) type Seen = Trial<Register<u8>>;

/// Three servers, a writer and a reader, with at most so many messages on their way at once.
pub(crate) fn system(writes_back: bool, most_messages: usize) -> ActorSystem<Participant, Seen> {
    let mut all: Vec<Participant> = (0..SERVERS).map(|_| Participant::Server).collect();
    all.push(Participant::Writer);
    all.push(Participant::Reader { writes_back });
    let register = ActorSystem::new(all).on(Network::Ordered);
    let register = register.recording(Trial::new(Register(0)), |seen, event| {
        // An operation begins when its first message arrives and ends when its last one does.
        if let ActorEvent::Arrived(envelope) = event {
            match (&envelope.message, envelope.to) {
                (Message::Begin, WRITER) => seen.called(WRITER.0, RegisterOperation::Write(1)),
                (Message::Begin, READER) => seen.called(READER.0, RegisterOperation::Read),
                (Message::End(read), client) => seen.answered(client.0, *read),
                _ => {}
            }
        }
    });
    register.within(move |state| state.network.messages().len() <= most_messages)
}

/// What clients have seen so far is linearizable.
pub(crate) fn is_linearizable(state: &StateOf<Participant, Seen>) -> bool {
    state.history.is_linearizable()
}

fn main() {
    let most = std::env::args().nth(1).and_then(|most| most.parse().ok());
    for writes_back in [true, false] {
        let register = system(writes_back, most.unwrap_or(6));
        let replies = Checker::new(&register)
            .always("linearizable", is_linearizable)
            .sometimes("all is done", |state| state.history.len() == 3)
            .check();
        println!("the reader writes back: {writes_back}");
        for reply in replies {
            println!("  {:12} {:?}, {} states", reply.name, reply.holds, reply.states);
            if let (Some(false), Some(path)) = (reply.holds, &reply.path) {
                println!("{:?}", path.state(path.steps.len()).history);
            }
        }
    }
}
