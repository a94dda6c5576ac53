//! Actors: parts of a distributed system that have a state of their own, exchange messages and set timers.
//!
//! Whoever has such a protocol implements [`Actor`]: what an actor does when it starts, when a message arrives, when a timer runs out. [`ActorSystem`] puts actors on a
//! [`Network`] (ordered or not, losing messages or not, repeating them or not), lets some of them crash and come back, and is a [`System`](super::System): all orders of
//! deliveries, losses, timeouts and crashes are its steps.
//!
//! ```
//! use entail_explicit::{Actor, ActorSystem, Checker, Effects, Id, Network};
//!
//! /// The first asks, the second answers.
//! struct Asking;
//!
//! impl Actor for Asking {
//!     type Message = bool;
//!     type State = u8;
//!     type Timer = ();
//!
//!     fn start(&self, me: Id, effects: &mut Effects<Self>) -> u8 {
//!         if me == Id(0) {
//!             effects.send(Id(1), false);
//!         }
//!         0
//!     }
//!
//!     fn receive(&self, me: Id, heard: &mut u8, from: Id, message: &bool, effects: &mut Effects<Self>) {
//!         *heard += 1;
//!         if !message {
//!             effects.send(from, true);
//!         }
//!     }
//! }
//!
//! let system = ActorSystem::new(vec![Asking, Asking]);
//! Checker::new(&system)
//!     .eventually("an answer", |state| state.actors[0] == 1)
//!     .assert_properties();
//!
//! // A message that may be lost may never be answered.
//! let lossy = ActorSystem::new(vec![Asking, Asking]).on(Network::Unordered.lossy());
//! let replies = Checker::new(&lossy).eventually("an answer", |state| state.actors[0] == 1).check();
//! assert_eq!(replies[0].holds, Some(false));
//! ```

mod network;
mod system;

pub use network::{Envelope, InFlight, Network};
pub use system::{ActorAction, ActorEvent, ActorState, ActorSystem, StateOf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Which actor: its position in the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Id(pub u8);

impl Id {
    /// For tables indexed by actors.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The actors of a system of so many, without this one.
    pub fn others(self, count: usize) -> impl Iterator<Item = Id> {
        (0..count as u8).map(Id).filter(move |&other| other != self)
    }
}

/// What travels, is kept or is named in a system of actors: plain data. (Equal values must be the same to `serde`: no hash sets or hash maps.)
pub trait Plain: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync {}

impl<T: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync> Plain for T {}

/// How one part of a distributed system behaves. Different kinds of actors in one system are variants of an `enum`.
pub trait Actor: Sync + Sized {
    /// What is sent.
    type Message: Plain;
    /// What it remembers.
    type State: Plain;
    /// The names of its timers; `()` where there is one at most.
    type Timer: Plain;

    /// It starts.
    fn start(&self, me: Id, effects: &mut Effects<Self>) -> Self::State;

    /// A message arrives. It is gone afterwards, even if nothing comes of it.
    fn receive(
        &self,
        me: Id,
        state: &mut Self::State,
        from: Id,
        message: &Self::Message,
        effects: &mut Effects<Self>,
    );

    /// A timer that was set runs out, and is no longer set. Timers may run out at any time.
    fn timeout(&self, _me: Id, _state: &mut Self::State, _timer: &Self::Timer, _effects: &mut Effects<Self>) {
    }

    /// It comes back after a crash that found it in this state; its timers are gone. Without this nothing survives: it starts again.
    fn restart(&self, me: Id, _before: &Self::State, effects: &mut Effects<Self>) -> Self::State {
        self.start(me, effects)
    }
}

/// What an actor does besides changing its state.
pub struct Effects<A: Actor> {
    sent: Vec<(Id, A::Message)>,
    /// Timers, in the order in which they were set (true) or cancelled.
    timers: Vec<(bool, A::Timer)>,
}

impl<A: Actor> Default for Effects<A> {
    fn default() -> Effects<A> {
        Effects {
            sent: Vec::new(),
            timers: Vec::new(),
        }
    }
}

impl<A: Actor> Effects<A> {
    /// Sends a message.
    pub fn send(&mut self, to: Id, message: A::Message) {
        self.sent.push((to, message));
    }

    /// Sends the same message to several actors.
    pub fn broadcast(&mut self, to: impl IntoIterator<Item = Id>, message: &A::Message) {
        self.sent.extend(to.into_iter().map(|to| (to, message.clone())));
    }

    /// Sets a timer. One that is set already stays set.
    pub fn set_timer(&mut self, timer: A::Timer) {
        self.timers.push((true, timer));
    }

    /// Cancels a timer, if it is set.
    pub fn cancel_timer(&mut self, timer: A::Timer) {
        self.timers.push((false, timer));
    }
}
