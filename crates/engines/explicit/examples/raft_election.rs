//! The election of Raft (Ongaro and Ousterhout, *In search of an understandable consensus algorithm*, 2014): `cargo run --release --example raft_election`.
//!
//! Three servers elect a leader for a term. Timers run out at any time, messages are lost, servers crash and come back. In no term are there two leaders, as long as a server
//! writes down its term and its vote before it answers; one that comes back without its vote may vote twice.

use entail_explicit::{Actor, ActorSystem, Checker, Effects, Id, Network, StateOf};
use serde::{Deserialize, Serialize};

const SERVERS: usize = 3;
const MAJORITY: usize = 2;

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Message {
    VoteForMe(u8),
    Vote(u8),
    Heartbeat(u8),
}

/// What a server is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Role {
    Follower,
    /// With its votes.
    Candidate(Vec<Id>),
    Leader,
}

/// What a server remembers; term and vote are written down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Memory {
    term: u8,
    vote: Option<Id>,
    pub(crate) role: Role,
}

/// A server.
pub(crate) struct Server {
    /// Votes survive a crash.
    pub(crate) writes_votes: bool,
}

impl Server {
    /// Whoever hears of a later term follows.
    fn notice(memory: &mut Memory, term: u8, effects: &mut Effects<Self>) {
        if term > memory.term {
            *memory = Memory {
                term,
                vote: None,
                role: Role::Follower,
            };
            effects.set_timer(());
        }
    }
}

impl Actor for Server {
    type Message = Message;
    type State = Memory;
    type Timer = ();

    fn start(&self, _: Id, effects: &mut Effects<Self>) -> Memory {
        effects.set_timer(());
        Memory {
            term: 0,
            vote: None,
            role: Role::Follower,
        }
    }

    fn receive(&self, me: Id, memory: &mut Memory, from: Id, message: &Message, effects: &mut Effects<Self>) {
        match *message {
            Message::VoteForMe(term) => {
                Server::notice(memory, term, effects);
                if term == memory.term && memory.vote.is_none_or(|vote| vote == from) {
                    memory.vote = Some(from);
                    effects.send(from, Message::Vote(term));
                }
            }
            Message::Vote(term) if term == memory.term => {
                if let Role::Candidate(votes) = &mut memory.role {
                    if !votes.contains(&from) {
                        votes.push(from);
                        votes.sort_unstable();
                    }
                    if votes.len() >= MAJORITY {
                        memory.role = Role::Leader;
                        effects.cancel_timer(());
                        effects.broadcast(me.others(SERVERS), &Message::Heartbeat(term));
                    }
                }
            }
            Message::Vote(_) => {}
            Message::Heartbeat(term) => Server::notice(memory, term, effects),
        }
    }

    fn timeout(&self, me: Id, memory: &mut Memory, _: &(), effects: &mut Effects<Self>) {
        memory.term += 1;
        memory.vote = Some(me);
        memory.role = Role::Candidate(vec![me]);
        effects.set_timer(());
        effects.broadcast(me.others(SERVERS), &Message::VoteForMe(memory.term));
    }

    fn restart(&self, _: Id, before: &Memory, effects: &mut Effects<Self>) -> Memory {
        effects.set_timer(());
        Memory {
            term: before.term,
            vote: before.vote.filter(|_| self.writes_votes),
            role: Role::Follower,
        }
    }
}

/// Three servers, with at most so many crashes and terms.
pub(crate) fn system(writes_votes: bool, crashes: u8, terms: u8) -> ActorSystem<Server> {
    let servers = (0..SERVERS).map(|_| Server { writes_votes }).collect();
    ActorSystem::new(servers)
        .on(Network::Unordered)
        .with_restarts(crashes)
        .within(move |state| state.actors.iter().all(|memory| memory.term <= terms))
}

/// In no term are there two leaders.
pub(crate) fn one_leader_a_term(state: &StateOf<Server>) -> bool {
    let leaders = state.actors.iter().filter(|memory| memory.role == Role::Leader);
    let mut terms: Vec<u8> = leaders.map(|memory| memory.term).collect();
    terms.sort_unstable();
    terms.windows(2).all(|two| two[0] != two[1])
}

fn main() {
    let raft = system(true, 1, 1);
    let replies = Checker::new(&raft)
        .always("one leader a term", one_leader_a_term)
        .sometimes("a leader", |state| {
            state.actors.iter().any(|memory| memory.role == Role::Leader)
        })
        .check();
    for reply in replies {
        println!("{:18} {:?}, {} states", reply.name, reply.holds, reply.states);
    }
    let forgetful = system(false, 1, 1);
    let replies = Checker::new(&forgetful)
        .always("one leader a term", one_leader_a_term)
        .check();
    if let Some(path) = &replies[0].path {
        println!(
            "without votes on disk two leaders after {} steps:\n{path}",
            path.steps.len()
        );
    }
}
