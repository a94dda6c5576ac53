//! Actors on a network as a system.

use super::network::{Envelope, InFlight, Network};
use super::{Actor, Effects, Id, Plain};
use crate::rust_model::System;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Everything at once: what each actor remembers, what is on its way, which timers are set, who is down, and what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActorState<State, Message: Ord, Timer: Ord, History = ()> {
    /// By actor, what it remembers; of one that is down, what it remembered.
    pub actors: Vec<State>,
    /// Messages on their way.
    pub network: InFlight<Message>,
    /// By actor, the timers that are set.
    pub timers: Vec<BTreeSet<Timer>>,
    /// By actor, whether it is down.
    pub down: Vec<bool>,
    /// How often an actor has crashed.
    pub crashes: u8,
    /// What was recorded.
    pub history: History,
}

/// The state of a system of such actors with such a history.
pub type StateOf<A, H = ()> = ActorState<<A as Actor>::State, <A as Actor>::Message, <A as Actor>::Timer, H>;

/// A step of a system of actors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorAction<M, T> {
    /// A message arrives.
    Deliver(Envelope<M>),
    /// A message arrives and may arrive again.
    Repeat(Envelope<M>),
    /// A message is lost.
    Lose(Envelope<M>),
    /// A timer of an actor runs out.
    Timeout(Id, T),
    /// An actor crashes.
    Crash(Id),
    /// An actor comes back.
    Restart(Id),
}

/// What a history is told, in the order in which it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorEvent<'e, M> {
    /// A message arrives, before its receiver does anything.
    Arrived(&'e Envelope<M>),
    /// A message is sent.
    Sent(&'e Envelope<M>),
    /// An actor crashes.
    Crashed(Id),
}

type Recorder<A, H> = Box<dyn Fn(&mut H, ActorEvent<'_, <A as Actor>::Message>) + Send + Sync>;

/// Actors on a network. What happens can be recorded in a history, which is a part of the state.
pub struct ActorSystem<A: Actor, H = ()> {
    actors: Vec<A>,
    network: Network,
    most_crashes: u8,
    restarts: bool,
    history: H,
    recorder: Option<Recorder<A, H>>,
    within: Option<Boundary<A, H>>,
}

type Boundary<A, H> = Box<dyn Fn(&StateOf<A, H>) -> bool + Send + Sync>;

impl<A: Actor> ActorSystem<A> {
    /// These actors, at most 255 and numbered as they come, on a network that neither loses nor repeats nor orders messages. None crashes.
    pub fn new(actors: Vec<A>) -> ActorSystem<A> {
        ActorSystem {
            actors,
            network: Network::Unordered,
            most_crashes: 0,
            restarts: false,
            history: (),
            recorder: None,
            within: None,
        }
    }
}

impl<A: Actor, H: Plain> ActorSystem<A, H> {
    /// The same on another network.
    pub fn on(mut self, network: Network) -> ActorSystem<A, H> {
        self.network = network;
        self
    }

    /// The same with at most so many crashes in all. Who has crashed is silent for ever; messages to it stay on their way.
    pub fn with_crashes(mut self, most: u8) -> ActorSystem<A, H> {
        self.most_crashes = most;
        self
    }

    /// The same with at most so many crashes in all, where who has crashed may come back ([`Actor::restart`]).
    pub fn with_restarts(mut self, most: u8) -> ActorSystem<A, H> {
        self.most_crashes = most;
        self.restarts = true;
        self
    }

    /// The same with a history that is told what happens: a [`Trial`](crate::Trial) of linearizability, say, or a count.
    pub fn recording<K: Plain>(
        self,
        history: K,
        record: impl Fn(&mut K, ActorEvent<'_, A::Message>) + Send + Sync + 'static,
    ) -> ActorSystem<A, K> {
        ActorSystem {
            actors: self.actors,
            network: self.network,
            most_crashes: self.most_crashes,
            restarts: self.restarts,
            history,
            recorder: Some(Box::new(record)),
            within: None,
        }
    }

    /// The same, but states outside of a boundary are not entered: what holds then holds of runs inside. (Call it last: recording something else takes the boundary away.)
    pub fn within(
        mut self,
        boundary: impl Fn(&StateOf<A, H>) -> bool + Send + Sync + 'static,
    ) -> ActorSystem<A, H> {
        self.within = Some(Box::new(boundary));
        self
    }

    fn record(&self, history: &mut H, event: ActorEvent<'_, A::Message>) {
        if let Some(record) = &self.recorder {
            record(history, event);
        }
    }

    /// What an actor does besides changing its state.
    fn apply(&self, me: Id, effects: Effects<A>, state: &mut StateOf<A, H>) {
        for (to, message) in effects.sent {
            let from = me;
            let envelope = Envelope { from, to, message };
            self.record(&mut state.history, ActorEvent::Sent(&envelope));
            if to.index() < self.actors.len() {
                state.network.send(self.network, envelope);
            }
        }
        let timers = &mut state.timers[me.index()];
        for (set, timer) in effects.timers {
            match set {
                true => timers.insert(timer),
                false => timers.remove(&timer),
            };
        }
    }

    fn deliver(&self, envelope: &Envelope<A::Message>, state: &mut StateOf<A, H>) {
        self.record(&mut state.history, ActorEvent::Arrived(envelope));
        let (me, mut effects) = (envelope.to, Effects::default());
        self.actors[me.index()].receive(
            me,
            &mut state.actors[me.index()],
            envelope.from,
            &envelope.message,
            &mut effects,
        );
        self.apply(me, effects, state);
    }

    fn is_up(&self, state: &StateOf<A, H>, actor: Id) -> bool {
        state.down.get(actor.index()) == Some(&false)
    }
}

impl<A: Actor, H: Plain> System for ActorSystem<A, H> {
    type State = StateOf<A, H>;
    type Action = ActorAction<A::Message, A::Timer>;

    fn initial(&self) -> Vec<StateOf<A, H>> {
        let count = self.actors.len();
        let mut state = ActorState {
            actors: Vec::with_capacity(count),
            network: InFlight::new(self.network),
            timers: vec![BTreeSet::new(); count],
            down: vec![false; count],
            crashes: 0,
            history: self.history.clone(),
        };
        let mut all = Vec::with_capacity(count);
        for (number, actor) in self.actors.iter().enumerate() {
            let (me, mut effects) = (Id(number as u8), Effects::default());
            state.actors.push(actor.start(me, &mut effects));
            all.push((me, effects));
        }
        for (me, effects) in all {
            self.apply(me, effects, &mut state);
        }
        vec![state]
    }

    fn actions(&self, state: &StateOf<A, H>) -> Vec<Self::Action> {
        let mut actions = Vec::new();
        for envelope in state.network.deliverable() {
            if self.network.is_lossy() {
                actions.push(ActorAction::Lose(envelope.clone()));
            }
            if !self.is_up(state, envelope.to) {
                continue;
            }
            if self.network.may_repeat() {
                actions.push(ActorAction::Repeat(envelope.clone()));
            }
            if !self.network.always_keeps() {
                actions.push(ActorAction::Deliver(envelope));
            }
        }
        for number in 0..self.actors.len() {
            let actor = Id(number as u8);
            let timers = state.timers[number].iter();
            actions.extend(timers.map(|timer| ActorAction::Timeout(actor, timer.clone())));
            match self.is_up(state, actor) {
                true if state.crashes < self.most_crashes => actions.push(ActorAction::Crash(actor)),
                false if self.restarts => actions.push(ActorAction::Restart(actor)),
                _ => {}
            }
        }
        actions
    }

    fn step(&self, state: &StateOf<A, H>, action: &Self::Action) -> Option<StateOf<A, H>> {
        let mut next = state.clone();
        match action {
            ActorAction::Deliver(envelope) => {
                if !next.network.take(envelope) {
                    return None;
                }
                self.deliver(envelope, &mut next);
            }
            ActorAction::Repeat(envelope) => self.deliver(envelope, &mut next),
            ActorAction::Lose(envelope) => {
                if !next.network.take(envelope) {
                    return None;
                }
            }
            ActorAction::Timeout(actor, timer) => {
                if !next.timers[actor.index()].remove(timer) {
                    return None;
                }
                let mut effects = Effects::default();
                let memory = &mut next.actors[actor.index()];
                self.actors[actor.index()].timeout(*actor, memory, timer, &mut effects);
                self.apply(*actor, effects, &mut next);
            }
            ActorAction::Crash(actor) => {
                next.down[actor.index()] = true;
                next.timers[actor.index()].clear();
                next.crashes += 1;
                self.record(&mut next.history, ActorEvent::Crashed(*actor));
            }
            ActorAction::Restart(actor) => {
                let mut effects = Effects::default();
                next.down[actor.index()] = false;
                let before = &state.actors[actor.index()];
                next.actors[actor.index()] = self.actors[actor.index()].restart(*actor, before, &mut effects);
                self.apply(*actor, effects, &mut next);
            }
        }
        let is_inside = self.within.as_ref().is_none_or(|within| within(&next));
        is_inside.then_some(next)
    }
}
