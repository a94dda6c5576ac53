//! A client asks again until it is answered, on a network that loses messages.

use entail_explicit::{Actor, ActorSystem, Checker, Effects, Id, Network};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Message {
    Question,
    Answer,
}

/// Two kinds of actors are two variants.
enum Part {
    Client,
    Server,
}

impl Actor for Part {
    type Message = Message;
    /// How many answers the client has, how many questions the server; up to 2.
    type State = u8;
    type Timer = ();

    fn start(&self, _: Id, effects: &mut Effects<Self>) -> u8 {
        if let Part::Client = self {
            effects.send(Id(1), Message::Question);
            effects.set_timer(());
        }
        0
    }

    fn receive(&self, _: Id, heard: &mut u8, from: Id, message: &Message, effects: &mut Effects<Self>) {
        *heard = 2.min(*heard + 1);
        match message {
            Message::Question => effects.send(from, Message::Answer),
            Message::Answer => effects.cancel_timer(()),
        }
    }

    fn timeout(&self, _: Id, _: &mut u8, _: &(), effects: &mut Effects<Self>) {
        effects.send(Id(1), Message::Question);
        effects.set_timer(());
    }
}

fn main() {
    let parts = || vec![Part::Client, Part::Server];
    let system = ActorSystem::new(parts())
        .on(Network::Unordered.lossy())
        .within(|state| state.network.messages().len() <= 3);
    Checker::new(&system)
        .always("no answer without a question", |state| {
            state.actors[0] == 0 || state.actors[1] > 0
        })
        .sometimes("an answer", |state| state.actors[0] > 0)
        .assert_properties();

    // It may come too late: a question that was asked again is answered again.
    let replies = Checker::new(&system)
        .always("one answer", |state| state.actors[0] < 2)
        .check();
    if let Some(path) = &replies[0].path {
        println!("{path}");
    }
}
