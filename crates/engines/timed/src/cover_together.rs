//! The covering search by several threads.
//!
//! Each thread looks after some of the discrete states, those whose fingerprints fall to it: it alone stores their zones, compares them, and expands them. A symbolic state that a step
//! leads to is computed where the step begins and sent, in batches, to the thread that looks after it. So nothing that is compared is shared, and no lock is taken; this is how explicit
//! searches are distributed (Stern, Dill 1997; for zones Behrmann, Hune, Vaandrager 2000), with threads for machines.
//!
//! Each thread numbers discrete states in a [`Space`] of its own. The first time one sends a state to another it sends locations and integers with it, afterwards its own number only,
//! which the other has learnt to translate. Steps have the same numbers in every space.
//!
//! **The end.** One counter has the threads that are not idle and the batches that nobody has received. Whoever becomes idle and takes it to zero tells the others; a batch that wakes a thread
//! hands its unit over to it. Whoever finds the goal or is stopped tells the others at once.

use crate::concrete::{Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, Place, cover_of, model_trouble, run_along};
use crate::settings::Settings;
use crate::space::{Space, StateId, Target};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::Proof;
use entail_zones::{Bound, Zone};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Symbolic states that are sent at once.
const BATCH: usize = 32;

/// A symbolic state that a step leads to, but for its zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub state: StateId,
    /// Among the nodes of all searches.
    pub parent: NodeId,
    /// The parent's step.
    pub transition: u32,
}

/// Symbolic states that one search sends to another.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    sender: usize,
    /// Discrete states that it has not sent there before, with its numbers of them.
    introduced: Vec<(StateId, Discrete)>,
    /// In the sender's numbers.
    pub arrivals: Vec<Arrival>,
    /// Their zones, one after the other.
    pub cells: Vec<Bound>,
}

/// What a search is told.
pub(crate) enum Received {
    /// Nothing yet: go on.
    Nothing,
    /// Symbolic states to look after.
    Some(Batch),
    /// Nothing is left to anybody, or somebody has an answer.
    End,
}

/// The other searches, as one of them sees them.
pub(crate) trait Fellows {
    /// Which search looks after a discrete state.
    fn owner(&mut self, space: &Space<'_>, state: StateId) -> u32;
    /// Sends what a step leads to to the search that looks after it.
    fn send(&mut self, space: &Space<'_>, arrival: Arrival, zone: &Zone);
    /// What others have sent. A search that is idle waits for it.
    fn receive(&mut self, is_idle: bool) -> Received;
    /// Numbers the discrete states that a batch introduces.
    fn introduce(&mut self, space: &mut Space<'_>, batch: &Batch) -> Result<(), Stop>;
    /// The own number of a discrete state of a batch.
    fn own_number(&self, batch: &Batch, theirs: StateId) -> StateId;
}

/// There are no others.
pub(crate) struct Alone;

impl Fellows for Alone {
    fn owner(&mut self, _: &Space<'_>, _: StateId) -> u32 {
        0
    }

    fn send(&mut self, _: &Space<'_>, _: Arrival, _: &Zone) {}

    fn receive(&mut self, is_idle: bool) -> Received {
        match is_idle {
            true => Received::End,
            false => Received::Nothing,
        }
    }

    fn introduce(&mut self, _: &mut Space<'_>, _: &Batch) -> Result<(), Stop> {
        Ok(())
    }

    fn own_number(&self, _: &Batch, theirs: StateId) -> StateId {
        theirs
    }
}

enum Parcel {
    Batch(Batch),
    End,
}

/// What is known of who looks after an own discrete state.
#[derive(Clone, Copy, Default)]
struct Owner {
    /// One more than its number; zero if it is not known yet.
    number: u32,
    /// Whether it knows the state.
    is_told: bool,
}

/// A search's way to the others.
struct Post<'a> {
    own: usize,
    inbox: Receiver<Parcel>,
    others: Vec<Sender<Parcel>>,
    /// What is not sent yet, by receiver.
    outbox: Vec<Batch>,
    /// By own discrete state.
    owners: Vec<Owner>,
    /// The own numbers of the discrete states of others, by sender and its number.
    known: Vec<Vec<StateId>>,
    /// Threads that are not idle, and batches that nobody has received.
    work: &'a AtomicUsize,
}

impl Post<'_> {
    fn flush(&mut self, receiver: usize) {
        let fresh = Batch {
            sender: self.own,
            ..Batch::default()
        };
        let batch = std::mem::replace(&mut self.outbox[receiver], fresh);
        if !batch.arrivals.is_empty() {
            self.work.fetch_add(1, Ordering::SeqCst);
            // A receiver that is gone has ended: so will this one.
            let _ = self.others[receiver].send(Parcel::Batch(batch));
        }
    }

    /// Tells the others that this is the end.
    fn end(&self) {
        for (number, other) in self.others.iter().enumerate() {
            if number != self.own {
                let _ = other.send(Parcel::End);
            }
        }
    }

    fn owner_of(&mut self, space: &Space<'_>, state: StateId) -> &mut Owner {
        if self.owners.len() <= state as usize {
            self.owners.resize(space.len(), Owner::default());
        }
        let owner = &mut self.owners[state as usize];
        if owner.number == 0 {
            // The upper half of the fingerprint is mixed best.
            let part = space.fingerprint(state) >> 32;
            owner.number = (part % self.others.len() as u64) as u32 + 1;
        }
        owner
    }
}

impl Fellows for Post<'_> {
    fn owner(&mut self, space: &Space<'_>, state: StateId) -> u32 {
        self.owner_of(space, state).number - 1
    }

    fn send(&mut self, space: &Space<'_>, arrival: Arrival, zone: &Zone) {
        let owner = self.owner_of(space, arrival.state);
        let is_told = std::mem::replace(&mut owner.is_told, true);
        let receiver = owner.number as usize - 1;
        let batch = &mut self.outbox[receiver];
        if !is_told {
            batch
                .introduced
                .push((arrival.state, space.discrete(arrival.state)));
        }
        batch.arrivals.push(arrival);
        batch.cells.extend_from_slice(zone.cells());
        if batch.arrivals.len() >= BATCH {
            self.flush(receiver);
        }
    }

    fn receive(&mut self, is_idle: bool) -> Received {
        if is_idle {
            (0..self.others.len()).for_each(|receiver| self.flush(receiver));
        }
        match self.inbox.try_recv() {
            Ok(Parcel::Batch(batch)) => {
                self.work.fetch_sub(1, Ordering::SeqCst);
                return Received::Some(batch);
            }
            Ok(Parcel::End) => return Received::End,
            Err(_) if !is_idle => return Received::Nothing,
            Err(_) => {}
        }
        if self.work.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.end();
            return Received::End;
        }
        // The unit of the batch becomes that of this thread.
        match self.inbox.recv() {
            Ok(Parcel::Batch(batch)) => Received::Some(batch),
            Ok(Parcel::End) | Err(_) => Received::End,
        }
    }

    fn introduce(&mut self, space: &mut Space<'_>, batch: &Batch) -> Result<(), Stop> {
        let known = &mut self.known[batch.sender];
        for (theirs, discrete) in &batch.introduced {
            let own = space.number(discrete).map_err(Stop::at_start)?;
            let own =
                own.ok_or_else(|| Stop::Unknown("two threads disagree about an invariant".to_owned()))?;
            let place = *theirs as usize;
            known.resize(known.len().max(place + 1), StateId::MAX);
            known[place] = own;
        }
        Ok(())
    }

    fn own_number(&self, batch: &Batch, theirs: StateId) -> StateId {
        self.known[batch.sender][theirs as usize]
    }
}

/// Looks for a state that the query's formula describes, with several threads: a run to it, or a cover without it.
pub(crate) fn reach(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let count = settings.threads;
    let fresh = |_| Space::new(space.network, space.query, space.constants.clone());
    let mut spaces: Vec<Space<'_>> = (0..count).map(fresh).collect();
    let work = AtomicUsize::new(count);
    let (senders, inboxes): (Vec<Sender<Parcel>>, Vec<Receiver<Parcel>>) =
        (0..count).map(|_| channel()).unzip();
    let one = |(own, (space, inbox)): (usize, (_, Receiver<Parcel>))| {
        let place = Place {
            own: own as u32,
            all: count as u32,
        };
        let batch = || Batch {
            sender: own,
            ..Batch::default()
        };
        let mut post = Post {
            own,
            inbox,
            others: senders.clone(),
            outbox: (0..count).map(|_| batch()).collect(),
            owners: Vec::new(),
            known: vec![Vec::new(); count],
            work: &work,
        };
        move || {
            let mut search = CoverSearch::among(space, settings, place);
            let mut counters = Counters::default();
            let result = search.search(&mut post, budget, &mut counters);
            if result.is_err() || search.found.is_some() {
                post.end();
            }
            (result.map(|()| search), counters)
        }
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let begun: Vec<_> = (spaces.iter_mut().zip(inboxes).enumerate())
            .map(|each| scope.spawn(one(each)))
            .collect();
        begun.into_iter().map(|thread| thread.join()).collect()
    });
    let mut searches = Vec::with_capacity(count);
    let mut stopped = None;
    for each in ended {
        let (result, own) = each.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counters.visited += own.visited;
        counters.stored += own.stored;
        counters.steps += own.steps;
        match result {
            Ok(search) => searches.push(search),
            Err(stop) => stopped = stopped.or(Some(stop)),
        }
    }
    counters.elsewhere = searches.iter().map(CoverSearch::discrete_states).sum();
    if let Some(stop) = stopped {
        return Err(stop);
    }
    conclude(space, &searches)
}

/// The answer of searches that have ended.
fn conclude(space: &mut Space<'_>, searches: &[CoverSearch<'_, '_>]) -> Result<Proof, Stop> {
    let all = searches.len() as u32;
    for (own, search) in (0..).zip(searches) {
        if let Some((node, goal)) = &search.found {
            let path = path(space, searches, node * all + own)?;
            return run_along(space, &path, goal);
        }
    }
    for (own, search) in (0..).zip(searches) {
        if let Some((node, transition, trouble)) = search.trouble {
            let path = path(space, searches, node * all + own)?;
            return Err(model_trouble(space, &path, transition, trouble));
        }
    }
    let nodes = searches.iter().flat_map(|search| search.cover_nodes(&|_| 0));
    Ok(Proof::Cover {
        cover: cover_of(space, nodes.collect()),
    })
}

/// The path to a node through the searches, in the numbers of one more space.
fn path(space: &mut Space<'_>, searches: &[CoverSearch<'_, '_>], node: NodeId) -> Result<Path, Stop> {
    let all = searches.len() as u32;
    let at = |node: NodeId| (&searches[(node % all) as usize], node / all);
    let mut numbers = Vec::new();
    let mut here = node;
    let first = loop {
        let (search, own) = at(here);
        match search.origin(own) {
            Some((parent, transition)) => {
                numbers.push(transition);
                here = parent;
            }
            None => break search.space.discrete(search.state(own)),
        }
    };
    let lost = || Stop::Unknown("the threads' path is not one of the model".to_owned());
    let first = space.number(&first).map_err(Stop::at_start)?.ok_or_else(lost)?;
    let mut path = Path {
        first,
        steps: Vec::new(),
    };
    for &number in numbers.iter().rev() {
        let transitions = space.transitions(path.last());
        let transition = transitions.get(number as usize).ok_or_else(lost)?;
        let Target::State(target) = transition.target else {
            return Err(lost());
        };
        path.steps.push(PathStep::of(*transition, target));
    }
    Ok(path)
}
