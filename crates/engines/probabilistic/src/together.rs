//! Exploring on several threads, with the result that one thread has.
//!
//! Exploring goes in rounds. The next waiting states are cut into stretches, some for each thread. The threads expand them, hash what they lead to, and look it up
//! among the stored states, which nobody changes meanwhile. What is new is put into the table part by part, by all threads, and gets the numbers that one thread alone would have given
//! it ([`crate::newcomers`]). Then the threads write the rows of their stretches, and these are put behind each other.
//!
//! Each thread has its own table of numbers (probabilities, rewards), for the tables change with every sum; rows are renamed when they are put together.
//!
//! **Invariant:** states, choices and transitions have the same numbers whatever the number of threads. A mistake of the model is that of the first state that has one.
//! Only names of probabilities may differ.

use crate::expand::End;
use crate::generate::{Extent, Found, Stretch};
use crate::newcomers::{self, Met, Newcomers, Renaming};
use crate::numbers::{Num, Numbers};
use crate::rows::Parts;
use crate::sparse::NONE;
use crate::store::StateStore;
use entail_budget::{Budget, Spent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{Network, SemanticError};
use rayon::prelude::*;
use std::ops::Range;

/// A stretch has about so many transitions: what it needs fits into a core's own cache, and threads do not wait for each other too often.
const TRANSITIONS: usize = 4096;

/// Stretches of a round for each thread: who is done with one takes the next.
const STRETCHES: usize = 3;

/// Who expands a stretch of each round.
struct Worker<'n> {
    stretch: Stretch<'n>,
    newcomers: Newcomers,
    rows: Parts,
    /// What its numbers are called in the whole model.
    names: Vec<Num>,
    budget: Budget,
}

impl Worker<'_> {
    fn expand(&mut self, range: Range<usize>, store: &StateStore) -> Result<(), Spent> {
        self.stretch.fill(range, false, false, store, &self.budget)?;
        self.stretch.explorer.look_up_targets(store);
        let (_, found) = self.stretch.explorer.seen();
        self.newcomers.sort(found, store.parts());
        Ok(())
    }

    fn met(&self) -> Met<'_> {
        let (packed, found) = self.stretch.explorer.seen();
        Met {
            packed,
            found,
            newcomers: &self.newcomers,
        }
    }

    /// How many states it has met, one or the other several times.
    fn size(&self) -> usize {
        self.stretch.explorer.seen().1.numbers.len()
    }

    fn write(&mut self, store: &StateStore) -> Result<(), SemanticError> {
        self.rows.clear();
        self.stretch.write(store, &mut self.rows)
    }

    /// Names its numbers that were not there before.
    fn name_new(&mut self, numbers: &mut Numbers) {
        let own = &self.stretch.explorer.numbers;
        let new = self.names.len() as u32..own.len() as u32;
        (self.names).extend(new.map(|number| numbers.intern(own.exact(Num(number)).clone())));
    }
}

/// Threads that explore a network together.
pub(crate) struct Team<'n> {
    threads: rayon::ThreadPool,
    workers: Workers<'n>,
}

impl<'n> Team<'n> {
    /// A team; nothing where the system refuses threads.
    pub fn new(network: &'n Network, end: End, extent: &Extent, budget: &Budget) -> Option<Team<'n>> {
        let worker = |_| Worker {
            stretch: Stretch::new(network, end, extent.settled.as_ref()),
            newcomers: Newcomers::default(),
            rows: Parts::new(network),
            names: Vec::new(),
            budget: budget.same_limits(),
        };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(extent.threads);
        Some(Team {
            threads: threads.build().ok()?,
            workers: Workers {
                all: (0..extent.threads * STRETCHES).map(worker).collect(),
                share: extent.share,
            },
        })
    }

    /// One round; new numbers get their names in `numbers`.
    pub fn round(&mut self, found: &mut Found, numbers: &mut Numbers) -> Result<(), ExploreError> {
        let workers = &mut self.workers;
        self.threads.install(|| workers.round(found, numbers))
    }

    /// Adds the structures that earn differently on different outcomes of one choice.
    pub fn add_mixed_to(&self, mixed: &mut [bool]) {
        for worker in &self.workers.all {
            for (mixed, &own) in mixed.iter_mut().zip(&worker.stretch.explorer.mixed) {
                *mixed |= own;
            }
        }
    }
}

/// The workers, some for each thread.
struct Workers<'n> {
    all: Vec<Worker<'n>>,
    /// States of a stretch at most.
    share: usize,
}

impl<'n> Workers<'n> {
    fn round(&mut self, found: &mut Found, numbers: &mut Numbers) -> Result<(), ExploreError> {
        let of_state = found.rows.targets.len().div_ceil(found.at.max(1)).max(1);
        let (from, end) = (found.at, found.store.len());
        // Where few states are waiting, all workers get as many.
        let share = (TRANSITIONS / of_state).min((end - from).div_ceil(self.all.len()));
        let share = share.clamp(1, self.share);
        let stretch = |at: usize| (from + at * share).min(end)..(from + (at + 1) * share).min(end);

        self.each(|at, worker| worker.expand(stretch(at), &found.store))?;
        self.number(found)?;
        self.each(|_, worker| worker.write(&found.store))?;
        let transitions = self.all.iter().map(|worker| worker.rows.targets.len());
        if found.rows.targets.len() + transitions.sum::<usize>() >= NONE as usize {
            return Err(ExploreError::TooMany(found.at));
        }
        for worker in &mut self.all {
            worker.name_new(numbers);
            found.pass(&worker.stretch);
        }
        let parts = self.all.iter().map(|worker| (&worker.rows, &worker.names[..]));
        found.rows.append(&parts.collect::<Vec<_>>());
        Ok(())
    }

    /// Numbers what the workers have met.
    fn number(&mut self, found: &mut Found) -> Result<(), ExploreError> {
        let (stored, store) = (found.store.len(), &mut found.store);
        let met: usize = self.all.iter().map(Worker::size).sum();
        if stored + met >= NONE as usize {
            return Err(ExploreError::TooMany(stored));
        }
        let mut begins = Vec::with_capacity(self.all.len());
        let mut next = stored as u32;
        for worker in &self.all {
            begins.push(next);
            next += worker.size() as u32;
        }
        let lists: Vec<(u32, Met<'_>)> = (begins.iter().copied())
            .zip(self.all.iter().map(Worker::met))
            .collect();
        let placed = newcomers::place(store, &lists);
        self.all
            .par_iter_mut()
            .enumerate()
            .with_max_len(1)
            .for_each(|(at, worker)| {
                let (packed, found) = worker.stretch.explorer.seen();
                (worker.newcomers).count(at, begins[at], &placed, packed, found);
            });
        let width = store.width();
        let lent = (self.all.iter_mut().zip(&begins)).map(|(worker, &from)| {
            let new = worker.newcomers.words.len() / width;
            (from, new, &mut worker.newcomers)
        });
        let renaming = Renaming::new(stored as u32, lent);
        for worker in &self.all {
            store.append(&worker.newcomers.words);
        }
        let rows = || {
            self.all.par_iter_mut().with_max_len(1).for_each(|worker| {
                let Worker {
                    stretch, newcomers, ..
                } = worker;
                renaming.name(newcomers, stretch.explorer.met().1);
            });
        };
        rayon::join(|| renaming.name_slots(store, &placed), rows);
        for (worker, ranks) in self.all.iter_mut().zip(renaming.into_ranks()) {
            worker.newcomers.give_back(ranks);
        }
        Ok(())
    }

    /// Lets all workers do something at the same time. Of all failures that of the first worker is told.
    fn each<E: Send>(
        &mut self,
        work: impl Fn(usize, &mut Worker<'n>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let workers = self.all.par_iter_mut().enumerate().with_max_len(1);
        let done: Vec<Result<(), E>> = workers.map(|(at, worker)| work(at, worker)).collect();
        done.into_iter().collect()
    }
}
