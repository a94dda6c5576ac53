//! The covering search by several threads.
//!
//! Each thread looks after some of the discrete states ([`Share`]): it alone stores their zones, compares them, and expands them. A symbolic state that a step
//! leads to is computed where the step begins, up to the invariant of its target, and sent, in batches, to the thread that looks after it. So nothing that is compared is shared, and no lock is
//! taken; this is how explicit searches are distributed (Stern, Dill 1997; for zones Behrmann, Hune, Vaandrager 2000), with threads for machines.
//!
//! Each thread numbers discrete states in a [`Space`] of its own, and interprets those that it looks after. The first time one sends a state to another it sends locations and integers with it,
//! afterwards its own number only, which the other has learnt to translate.
//!
//! **The end.** One counter has the threads that are not idle and the batches that nobody has received. Whoever becomes idle and takes it to zero tells the others; a batch that wakes a thread
//! hands its unit over to it. Whoever finds the goal, is stopped or has explored enough tells the others at once.
//!
//! **The covering graph.** When everything is explored, the same threads list its edges: what the steps of a node lead to is sent once more, and whoever looks after it names the node that covers it.

use crate::concrete::{Path, PathStep};
use crate::cover_search::{CoverSearch, NodeId, cover_of, model_trouble, run_along};
use crate::covering_graph::{self, Edges};
use crate::settings::Settings;
use crate::share::Share;
use crate::space::{Space, StateId, Target, Transition};
use crate::{Counters, Stop};
use entail_budget::Budget;
use entail_clocks::discrete::{Discrete, Trouble};
use entail_clocks::evidence::Proof;
use entail_zones::{Bound, Zone};
use rustc_hash::FxHashMap;
use std::sync::Arc;
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
    /// In the numbers of the sender, and of the receiver once they are translated.
    pub arrivals: Vec<Arrival>,
    /// Their zones before the invariant and waiting, one after the other.
    pub cells: Vec<Bound>,
    /// A step that leads to a state whose invariant goes wrong: its node and number.
    pub trouble: Option<(NodeId, u32, Trouble)>,
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
    /// Sends what a step leads to to the search that looks after it.
    fn send(&mut self, space: &Space<'_>, arrival: Arrival, zone: &Zone);
    /// What others have sent, in the numbers of the space. A search that is idle waits for it.
    fn receive(&mut self, space: &mut Space<'_>, is_idle: bool) -> Received;
}

/// There are no others.
pub(crate) struct Alone;

impl Fellows for Alone {
    fn send(&mut self, _: &Space<'_>, _: Arrival, _: &Zone) {}

    fn receive(&mut self, _: &mut Space<'_>, is_idle: bool) -> Received {
        match is_idle {
            true => Received::End,
            false => Received::Nothing,
        }
    }
}

enum Parcel {
    Batch(Batch),
    End,
}

/// A search's way to the others.
pub(crate) struct Post {
    own: usize,
    inbox: Receiver<Parcel>,
    others: Vec<Sender<Parcel>>,
    /// What is not sent yet, by receiver.
    outbox: Vec<Batch>,
    /// By own discrete state: whether the search that looks after it knows it.
    told: Vec<bool>,
    /// The own numbers of the discrete states of others, by sender and its number; nothing where the invariant forbids them.
    known: Vec<Vec<Option<StateId>>>,
    /// Those whose invariants go wrong.
    wrong: FxHashMap<(usize, StateId), Trouble>,
    /// Threads that are not idle, and batches that nobody has received.
    work: Arc<AtomicUsize>,
}

impl Post {
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

    /// Numbers the discrete states that a batch introduces, and puts own numbers in place of the sender's. What the invariant forbids is dropped.
    fn translated(&mut self, space: &mut Space<'_>, mut batch: Batch) -> Batch {
        let known = &mut self.known[batch.sender];
        for (theirs, discrete) in batch.introduced.drain(..) {
            let place = theirs as usize;
            known.resize(known.len().max(place + 1), None);
            match space.number(&discrete) {
                Ok(own) => known[place] = own,
                Err(trouble) => {
                    self.wrong.insert((batch.sender, theirs), trouble);
                }
            }
        }
        let size = space.network.dimension().pow(2);
        let mut kept = 0;
        for place in 0..batch.arrivals.len() {
            let arrival = batch.arrivals[place];
            if let Some(state) = known[arrival.state as usize] {
                batch.arrivals[kept] = Arrival { state, ..arrival };
                batch
                    .cells
                    .copy_within(place * size..(place + 1) * size, kept * size);
                kept += 1;
            } else if let Some(&trouble) = self.wrong.get(&(batch.sender, arrival.state)) {
                batch.trouble = Some((arrival.parent, arrival.transition, trouble));
            }
        }
        batch.arrivals.truncate(kept);
        batch
    }
}

impl Fellows for Post {
    fn send(&mut self, space: &Space<'_>, arrival: Arrival, zone: &Zone) {
        let state = arrival.state as usize;
        if self.told.len() <= state {
            self.told.resize(space.len(), false);
        }
        let receiver = usize::from(space.owner(arrival.state));
        let batch = &mut self.outbox[receiver];
        if !std::mem::replace(&mut self.told[state], true) {
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

    fn receive(&mut self, space: &mut Space<'_>, is_idle: bool) -> Received {
        if is_idle {
            (0..self.others.len()).for_each(|receiver| self.flush(receiver));
        }
        match self.inbox.try_recv() {
            Ok(Parcel::Batch(batch)) => {
                self.work.fetch_sub(1, Ordering::SeqCst);
                return Received::Some(self.translated(space, batch));
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
            Ok(Parcel::Batch(batch)) => Received::Some(self.translated(space, batch)),
            Ok(Parcel::End) | Err(_) => Received::End,
        }
    }
}

/// Spaces for so many threads, each of which interprets its share of the discrete states.
pub(crate) fn shared_spaces<'n>(space: &Space<'n>, threads: usize) -> Vec<Space<'n>> {
    let count = threads.clamp(1, usize::from(u16::MAX));
    // Deadlocks and other ends of runs depend on the invariants of a state's successors.
    let interprets_all = space.query.mentions_deadlock() || space.observing().is_some();
    let fresh = |own: usize| {
        let mut part = Space::new(space.network, space.query, space.constants.clone());
        part.share = Share::of(space.network, own as u16, count as u16, interprets_all);
        part
    };
    (0..count).map(fresh).collect()
}

/// Looks for a state that the query's formula describes, with several threads: a run to it, or a cover without it.
pub(crate) fn reach(
    space: &mut Space<'_>,
    settings: Settings,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let mut spaces = shared_spaces(space, settings.threads);
    let together = Together::explore(&mut spaces, (settings, None), budget, counters)?;
    let all = together.searches.len() as NodeId;
    for (own, search) in (0..).zip(&together.searches) {
        if let Some((node, goal)) = &search.found {
            let path = together.path(space, node * all + own)?;
            return run_along(space, &path, goal);
        }
    }
    together.refuse_trouble(space)?;
    let nodes = together
        .searches
        .iter()
        .flat_map(|search| search.cover_nodes(|_| 0));
    Ok(Proof::Cover {
        cover: cover_of(space, nodes.collect()),
    })
}

/// Searches that have ended together, one of each thread.
pub(crate) struct Together<'s, 'n> {
    pub searches: Vec<CoverSearch<'s, 'n>>,
    posts: Vec<Post>,
    work: Arc<AtomicUsize>,
}

/// What each thread makes of its own, in order.
fn by_threads<T: Send, R: Send>(own: impl Iterator<Item = T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let work = &work;
    let ended: Vec<_> = thread::scope(|scope| {
        let begun: Vec<_> = own.map(|one| scope.spawn(move || work(one))).collect();
        begun.into_iter().map(|thread| thread.join()).collect()
    });
    let panics = |panic| std::panic::resume_unwind(panic);
    ended
        .into_iter()
        .map(|each| each.unwrap_or_else(panics))
        .collect()
}

impl<'s, 'n> Together<'s, 'n> {
    /// Explores from the initial states on, each space with a thread: until a state of the query's only formula is found or, if a number is given, everything, but no more than so many symbolic states on a thread.
    pub fn explore(
        spaces: &'s mut [Space<'n>],
        (settings, most): (Settings, Option<usize>),
        budget: &Budget,
        counters: &mut Counters,
    ) -> Result<Together<'s, 'n>, Stop> {
        let count = spaces.len();
        let work = Arc::new(AtomicUsize::new(count));
        let begun = spaces.iter_mut().zip(posts(count, &work));
        let ended = by_threads(begun, |(space, mut post)| {
            let mut search = CoverSearch::new(space, settings);
            let mut counters = Counters::default();
            let (fellows, budget) = (&mut post, &budget.same_limits());
            let result = match most {
                None => search.search(fellows, budget, &mut counters),
                Some(most) => search.look_around(fellows, most, budget, &mut counters),
            };
            if result.is_err() || search.found.is_some() || search.is_stopped() {
                post.end();
            }
            (result.map(|()| (search, post)), counters)
        });
        let mut together = Together {
            searches: Vec::with_capacity(count),
            posts: Vec::with_capacity(count),
            work,
        };
        let mut stopped = None;
        for (result, own) in ended {
            counters.visited += own.visited;
            counters.stored += own.stored;
            counters.steps += own.steps;
            match result {
                Ok((search, post)) => {
                    together.searches.push(search);
                    together.posts.push(post);
                }
                Err(stop) => stopped = stopped.or(Some(stop)),
            }
        }
        counters.elsewhere = together.searches.iter().map(CoverSearch::discrete_states).sum();
        match stopped {
            Some(stop) => Err(stop),
            None => Ok(together),
        }
    }

    /// The edges of the covering graph, once everything is explored: each node that is left, with those that cover its successors.
    pub fn edges(&mut self, budget: &Budget) -> Result<Edges, Stop> {
        self.work.store(self.posts.len(), Ordering::SeqCst);
        let all = self.searches.iter_mut().zip(&mut self.posts);
        let parts = by_threads(all, |(search, post)| {
            let found = covering_graph::edges(search, post, &budget.same_limits());
            if found.is_err() {
                post.end();
            }
            found
        });
        let mut edges = Edges::new();
        for part in parts {
            edges.extend(part?);
        }
        Ok(edges)
    }

    /// An error if a mistake of the model was met.
    pub fn refuse_trouble(&self, space: &mut Space<'_>) -> Result<(), Stop> {
        for search in &self.searches {
            if let Some((node, transition, trouble)) = search.trouble {
                let path = self.path(space, node)?;
                let (search, node) = whose(&self.searches, node);
                let transition = counterpart(space, path.last(), search, node, transition)?.0;
                return Err(model_trouble(space, &path, transition, trouble));
            }
        }
        Ok(())
    }

    /// The path to a node, in the numbers of one more space.
    pub fn path(&self, space: &mut Space<'_>, node: NodeId) -> Result<Path, Stop> {
        path(space, &self.searches, node)
    }
}

/// Ways from each of so many searches to the others.
fn posts(count: usize, work: &Arc<AtomicUsize>) -> Vec<Post> {
    let (senders, inboxes): (Vec<Sender<Parcel>>, Vec<Receiver<Parcel>>) =
        (0..count).map(|_| channel()).unzip();
    let batch = |own: usize| Batch {
        sender: own,
        ..Batch::default()
    };
    let post = |(own, inbox)| Post {
        own,
        inbox,
        others: senders.clone(),
        outbox: (0..count).map(|_| batch(own)).collect(),
        told: Vec::new(),
        known: vec![Vec::new(); count],
        wrong: FxHashMap::default(),
        work: work.clone(),
    };
    inboxes.into_iter().enumerate().map(post).collect()
}

/// The search that a node is of, and its number there.
fn whose<'a, 's, 'n>(searches: &'a [CoverSearch<'s, 'n>], node: NodeId) -> (&'a CoverSearch<'s, 'n>, NodeId) {
    let all = searches.len() as NodeId;
    (&searches[(node % all) as usize], node / all)
}

/// The step of a state that a node's step is, in a space that may have fewer: one that interprets its targets.
fn counterpart(
    space: &mut Space<'_>,
    state: StateId,
    search: &CoverSearch<'_, '_>,
    node: NodeId,
    transition: u32,
) -> Result<(u32, Transition), Stop> {
    let theirs = &search.space;
    let known = theirs.kept_transitions(search.state(node));
    let one = known.and_then(|known| known.get(transition as usize).copied());
    let own = space.transitions(state);
    let is_same = |one: &Transition, other: &Transition| {
        theirs.joint(one.joint) == space.joint(other.joint)
            && theirs.effect(one.effect) == space.effect(other.effect)
    };
    let place = one.and_then(|one| own.iter().position(|other| is_same(&one, other)));
    let place = place.ok_or_else(|| Stop::Unknown("the threads' path is not one of the model".to_owned()))?;
    Ok((place as u32, own[place]))
}

/// The path to a node through the searches, in the numbers of one more space.
fn path(space: &mut Space<'_>, searches: &[CoverSearch<'_, '_>], node: NodeId) -> Result<Path, Stop> {
    let mut origins = Vec::new();
    let mut here = node;
    let first = loop {
        let (search, own) = whose(searches, here);
        match search.origin(own) {
            Some(origin) => {
                origins.push(origin);
                here = origin.0;
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
    for &(parent, transition) in origins.iter().rev() {
        let (search, node) = whose(searches, parent);
        let (_, transition) = counterpart(space, path.last(), search, node, transition)?;
        let Target::State(target) = transition.target else {
            return Err(lost());
        };
        path.steps.push(PathStep::of(transition, target));
    }
    Ok(path)
}
