//! Messages on their way, and what may happen to them.

use super::{Id, Plain};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a network does with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    ordered: bool,
    lossy: bool,
    duplicating: bool,
}

#[expect(
    non_upper_case_globals,
    reason = "they read like variants: Network::Ordered.lossy()"
)]
impl Network {
    /// Messages arrive in any order, each once.
    pub const Unordered: Network = Network {
        ordered: false,
        lossy: false,
        duplicating: false,
    };

    /// Messages from one actor to another arrive in the order in which they were sent, each once.
    pub const Ordered: Network = Network {
        ordered: true,
        lossy: false,
        duplicating: false,
    };

    /// The same, but any message may be lost.
    pub const fn lossy(self) -> Network {
        Network { lossy: true, ..self }
    }

    /// The same, but a message that has arrived may arrive again and again, in an ordered network before those behind it arrive. Unordered, it may do so at any time, so how often it was sent
    /// makes no difference.
    pub const fn duplicating(self) -> Network {
        Network {
            duplicating: true,
            ..self
        }
    }

    /// Whether messages may be lost.
    pub const fn is_lossy(self) -> bool {
        self.lossy
    }
}

/// A message on its way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Envelope<M> {
    /// Who has sent it.
    pub from: Id,
    /// Whom it is for.
    pub to: Id,
    /// What it says.
    pub message: M,
}

/// The messages that are on their way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum InFlight<M: Ord> {
    /// How often each is there.
    Unordered(BTreeMap<Envelope<M>, u32>),
    /// From whom to whom, the oldest first. There are no empty queues.
    Ordered(BTreeMap<(Id, Id), Vec<M>>),
}

impl<M: Plain> InFlight<M> {
    /// No messages.
    pub(super) fn new(network: Network) -> InFlight<M> {
        match network.ordered {
            true => InFlight::Ordered(BTreeMap::new()),
            false => InFlight::Unordered(BTreeMap::new()),
        }
    }

    /// All messages, as often as they are there.
    pub fn messages(&self) -> Vec<Envelope<M>> {
        match self {
            InFlight::Unordered(messages) => (messages.iter())
                .flat_map(|(envelope, &count)| std::iter::repeat_n(envelope.clone(), count as usize))
                .collect(),
            InFlight::Ordered(queues) => (queues.iter())
                .flat_map(|(&(from, to), queue)| {
                    let envelope = move |message: &M| Envelope {
                        from,
                        to,
                        message: message.clone(),
                    };
                    queue.iter().map(envelope)
                })
                .collect(),
        }
    }

    /// Those that may arrive next.
    pub(super) fn deliverable(&self) -> Vec<Envelope<M>> {
        match self {
            InFlight::Unordered(messages) => messages.keys().cloned().collect(),
            InFlight::Ordered(queues) => (queues.iter())
                .filter_map(|(&(from, to), queue)| {
                    let message = queue.first()?.clone();
                    Some(Envelope { from, to, message })
                })
                .collect(),
        }
    }

    /// Puts a message on its way.
    pub(super) fn send(&mut self, network: Network, envelope: Envelope<M>) {
        match self {
            InFlight::Unordered(messages) => {
                let count = messages.entry(envelope).or_insert(0);
                *count = match network.duplicating {
                    true => 1,
                    false => *count + 1,
                };
            }
            InFlight::Ordered(queues) => {
                let Envelope { from, to, message } = envelope;
                queues.entry((from, to)).or_default().push(message);
            }
        }
    }

    /// Takes one message of this kind off the network, the oldest where they are ordered; false if there is none that may be taken.
    pub(super) fn take(&mut self, envelope: &Envelope<M>) -> bool {
        match self {
            InFlight::Unordered(messages) => {
                let Some(count) = messages.get_mut(envelope) else {
                    return false;
                };
                *count -= 1;
                if *count == 0 {
                    messages.remove(envelope);
                }
                true
            }
            InFlight::Ordered(queues) => {
                let ends = (envelope.from, envelope.to);
                let Some(queue) = queues.get_mut(&ends) else {
                    return false;
                };
                if queue.first() != Some(&envelope.message) {
                    return false;
                }
                queue.remove(0);
                if queue.is_empty() {
                    queues.remove(&ends);
                }
                true
            }
        }
    }
}

impl Network {
    /// What a message that arrives leaves behind: whether it may also stay and arrive again.
    pub(super) fn may_repeat(self) -> bool {
        self.duplicating
    }

    /// Whether a message that may arrive again always stays: where order does not matter, staying covers not staying, for losing it is a step of its own.
    pub(super) fn always_keeps(self) -> bool {
        self.duplicating && !self.ordered
    }
}
