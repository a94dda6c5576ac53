//! Exploring on several threads, with the result that one thread has.
//!
//! Exploring goes in rounds. The next waiting states are cut into stretches, one for each thread. The threads expand them, hash what they lead to, and look it up
//! among the stored states, which nobody changes meanwhile. Then one thread gives numbers to what is new, in the order in which one thread alone would have met
//! it; the slots it looks at are in the processor's caches, since another thread was just there. Then the threads write the rows of their stretches, and these
//! are put behind each other.
//!
//! Each thread has its own table of numbers (probabilities, rewards), for the tables change with every sum; rows are renamed when they are put together.
//!
//! **Invariant:** states, choices and transitions have the same numbers whatever the number of threads. A mistake of the model is that of the first state that has one.
//! Only names of probabilities may differ.

use crate::expand::End;
use crate::generate::{Extent, Found, Stretch};
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
const TRANSITIONS: usize = 16_384;

/// One thread's share of the work.
struct Worker<'n> {
    stretch: Stretch<'n>,
    rows: Parts,
    /// What its numbers are called in the whole model.
    names: Vec<Num>,
    budget: Budget,
}

impl Worker<'_> {
    fn expand(&mut self, range: Range<usize>, store: &StateStore) -> Result<(), Spent> {
        self.stretch.fill(range, false, false, store, &self.budget)?;
        self.stretch.explorer.look_up_targets(store);
        self.stretch.explorer.look_further(store);
        Ok(())
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
            rows: Parts::new(network),
            names: Vec::new(),
            budget: budget.same_limits(),
        };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(extent.threads);
        Some(Team {
            threads: threads.build().ok()?,
            workers: Workers {
                all: (0..extent.threads).map(worker).collect(),
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

/// The workers, one for each thread.
struct Workers<'n> {
    all: Vec<Worker<'n>>,
    /// States of a stretch at most.
    share: usize,
}

impl<'n> Workers<'n> {
    fn round(&mut self, found: &mut Found, numbers: &mut Numbers) -> Result<(), ExploreError> {
        let of_state = found.rows.targets.len().div_ceil(found.at.max(1)).max(1);
        let share = (TRANSITIONS / of_state).clamp(1, self.share);
        let (from, end) = (found.at, found.store.len());
        let stretch = |at: usize| (from + at * share).min(end)..(from + (at + 1) * share).min(end);

        self.each(|at, worker| worker.expand(stretch(at), &found.store))?;
        for worker in &mut self.all {
            worker.stretch.explorer.number_new_targets(&mut found.store);
        }
        self.each(|_, worker| worker.write(&found.store))?;
        for worker in &mut self.all {
            if found.rows.targets.len() + worker.rows.targets.len() >= NONE as usize {
                return Err(ExploreError::TooMany(found.at));
            }
            worker.name_new(numbers);
            found.rows.append(&worker.rows, &worker.names);
            found.pass(&worker.stretch);
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
