//! Whether what clients saw of a shared object could have happened one operation after the other.
//!
//! A [`Trial`] is told when a client calls an operation and when it gets an answer. It is *linearizable* (Herlihy and Wing 1990) if all answered operations, and some of those still open,
//! can be put in one order in which each has the effect and the answer that the object's definition gives it, and in which an operation that was answered before another was called
//! comes first; *sequentially consistent* (Lamport 1979) if only the order of each client's own operations must be kept.
//!
//! Orders are tried depth first (Wing and Gong 1993), and where the same operations led to the same object before nothing is tried again (Lowe 2017). That is exponential in the number of
//! clients, not of operations; histories inside models are short. A trial is plain data and can be part of a state; answers that differ make different states.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// An object as a sequential program would use it.
pub trait SharedObject: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync {
    /// What can be called.
    type Operation: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync;
    /// What is answered.
    type Answer: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync;

    /// Performs an operation.
    fn perform(&mut self, operation: &Self::Operation) -> Self::Answer;
}

/// An operation that a client has called, and what was answered before that: for each client, how many of its operations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Call<Operation> {
    operation: Operation,
    after: BTreeMap<u8, u16>,
}

/// An operation that was answered, with the answer.
type Done<O> = (Call<<O as SharedObject>::Operation>, <O as SharedObject>::Answer);

/// What clients saw of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Trial<O: SharedObject> {
    object: O,
    /// By client, the operations that were answered, in their order.
    answered: BTreeMap<u8, Vec<Done<O>>>,
    /// By client, the operation that is open.
    open: BTreeMap<u8, Call<O::Operation>>,
    /// A client called while its last call was open, or was answered without one.
    is_confused: bool,
}

/// One order that explains what clients saw: who did what, and the answer.
pub type Explained<O> = Vec<(u8, <O as SharedObject>::Operation, <O as SharedObject>::Answer)>;

impl<O: SharedObject> Trial<O> {
    /// Nothing has happened to this object yet.
    pub fn new(object: O) -> Trial<O> {
        Trial {
            object,
            answered: BTreeMap::new(),
            open: BTreeMap::new(),
            is_confused: false,
        }
    }

    /// A client calls an operation. One whose call is open must not call another, or nothing explains what it saw.
    pub fn called(&mut self, client: u8, operation: O::Operation) {
        let after = self.answered.iter();
        let call = Call {
            operation,
            after: after.map(|(&client, done)| (client, done.len() as u16)).collect(),
        };
        self.is_confused |= self.open.insert(client, call).is_some();
    }

    /// A client gets an answer to its open call.
    pub fn answered(&mut self, client: u8, answer: O::Answer) {
        match self.open.remove(&client) {
            Some(call) => self.answered.entry(client).or_default().push((call, answer)),
            None => self.is_confused = true,
        }
    }

    /// Number of operations that were answered.
    pub fn len(&self) -> usize {
        self.answered.values().map(Vec::len).sum()
    }

    /// Whether no operation was answered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all that was answered, and some of what is open, could have happened one after the other, within the time between call and answer.
    pub fn is_linearizable(&self) -> bool {
        self.linearization().is_some()
    }

    /// Whether it could have happened one after the other, each client's operations in their order.
    pub fn is_sequentially_consistent(&self) -> bool {
        self.explained(false).is_some()
    }

    /// An order that shows that it is linearizable.
    pub fn linearization(&self) -> Option<Explained<O>> {
        self.explained(true)
    }

    /// Tries orders depth first. A place in the search is how many operations of each client have been taken, and what has become of the object.
    fn explained(&self, in_real_time: bool) -> Option<Explained<O>> {
        if self.is_confused {
            return None;
        }
        let clients: BTreeSet<u8> = self.answered.keys().chain(self.open.keys()).copied().collect();
        let clients: Vec<u8> = clients.into_iter().collect();
        let done = |client: u8| self.answered.get(&client).map_or(&[][..], Vec::as_slice);
        let start = (vec![0usize; clients.len()], self.object.clone());
        let mut seen = BTreeSet::from([start.clone()]);
        let mut order: Explained<O> = Vec::new();
        // Each place with the client that is tried next there.
        let mut stack = vec![(start, 0)];
        while let Some(((taken, object), next)) = stack.last_mut() {
            if clients
                .iter()
                .zip(taken.iter())
                .all(|(&client, &taken)| taken >= done(client).len())
            {
                return Some(order);
            }
            let Some(&client) = clients.get(*next) else {
                stack.pop();
                order.pop();
                continue;
            };
            let at = *next;
            *next += 1;
            let (call, answer) = match done(client).get(taken[at]) {
                Some((call, answer)) => (call, Some(answer)),
                None if taken[at] == done(client).len() => match self.open.get(&client) {
                    Some(call) => (call, None),
                    None => continue,
                },
                None => continue,
            };
            let is_late = |(other, &count): (&u8, &u16)| {
                let place = clients.binary_search(other).ok();
                place.is_some_and(|place| taken[place] < usize::from(count))
            };
            if in_real_time && call.after.iter().any(is_late) {
                continue;
            }
            let mut after = object.clone();
            let given = after.perform(&call.operation);
            if answer.is_some_and(|answer| *answer != given) {
                continue;
            }
            let mut taken = taken.clone();
            taken[at] += 1;
            if seen.insert((taken.clone(), after.clone())) {
                order.push((client, call.operation.clone(), given));
                stack.push(((taken, after), 0));
            }
        }
        None
    }
}

/// A register with one value: the object most often tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Register<V>(pub V);

/// What can be done with a register.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RegisterOperation<V> {
    /// Asks for the value.
    Read,
    /// Sets it.
    Write(V),
}

impl<V: Clone + Ord + Debug + Serialize + DeserializeOwned + Send + Sync> SharedObject for Register<V> {
    type Operation = RegisterOperation<V>;
    /// What was read; nothing for a write.
    type Answer = Option<V>;

    fn perform(&mut self, operation: &RegisterOperation<V>) -> Option<V> {
        match operation {
            RegisterOperation::Read => Some(self.0.clone()),
            RegisterOperation::Write(value) => {
                self.0 = value.clone();
                None
            }
        }
    }
}
