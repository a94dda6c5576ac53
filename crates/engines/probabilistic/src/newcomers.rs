//! Numbering what several workers have met, at the same time, as one of them would have numbered it alone.
//!
//! Each worker has a list of packed states that it did not find among the stored ones. All lists one behind the other are the order in which one thread would have met
//! them, and a place in this order is a *provisional number*. The table of states has parts by the hash, which are filled at the same time: each part goes through all lists
//! in order, so that of equal states the first one gets the slot, and the others learn its provisional number. Then every worker counts its first ones; the sums of the counts
//! before it are the numbers with which it begins. Last, all provisional numbers are replaced, in slots and in rows. So nothing but one sum for each worker is left to one thread.
//!
//! **Invariant:** numbers are those that [`StateStore::intern_unknown`] gives if it is called for the workers one after the other.

use crate::sparse::NONE;
use crate::store::{EMPTY, Known, Lookup, StateStore, in_slot, slot};
use rayon::prelude::*;

/// What one worker has met, in the order in which it has met it.
#[derive(Default)]
pub(crate) struct Newcomers {
    /// By part of the table: positions of states that were not found.
    waiting: Vec<Vec<u32>>,
    /// By position: the provisional number of the first equal state, or the number of the stored one.
    firsts: Vec<u32>,
    /// By position: how many new states come before it, if it is new itself.
    ranks: Vec<u32>,
    /// The new states, packed.
    pub words: Vec<u64>,
}

/// Where a worker's states lie.
pub(crate) struct Met<'w> {
    /// Packed states, all that were looked for.
    pub packed: &'w [u64],
    pub found: &'w Lookup,
    pub newcomers: &'w Newcomers,
}

/// What became of the states of one part of the table.
pub(crate) struct Placed {
    /// By worker: for each that was waiting the first equal one.
    firsts: Vec<Vec<u32>>,
    /// The slots that were filled.
    slots: Vec<usize>,
}

impl Newcomers {
    /// Sorts the states that were not found by parts of the table.
    pub fn sort(&mut self, found: &Lookup, parts: usize) {
        self.waiting.resize(parts, Vec::new());
        self.waiting.iter_mut().for_each(Vec::clear);
        for &at in &found.unknown {
            self.waiting[StateStore::part(found.hashes[at as usize])].push(at);
        }
    }

    /// Takes back what a renaming has borrowed.
    pub fn give_back(&mut self, ranks: Vec<u32>) {
        self.ranks = ranks;
    }

    /// Finds out which of the worker's states are new, where provisional numbers of its states begin with `from`.
    pub fn count(&mut self, worker: usize, from: u32, placed: &[Placed], packed: &[u64], found: &Lookup) {
        self.firsts.clear();
        self.firsts.resize(found.numbers.len(), NONE);
        for (waiting, placed) in self.waiting.iter().zip(placed) {
            for (&at, &first) in waiting.iter().zip(&placed.firsts[worker]) {
                self.firsts[at as usize] = first;
            }
        }
        self.ranks.clear();
        self.ranks.resize(found.numbers.len(), NONE);
        self.words.clear();
        let width = packed.len() / found.numbers.len().max(1);
        let mut rank = 0;
        for &at in &found.unknown {
            if self.firsts[at as usize] == from + at {
                self.ranks[at as usize] = rank;
                rank += 1;
                let begin = at as usize * width;
                self.words.extend_from_slice(&packed[begin..begin + width]);
            }
        }
    }
}

/// How provisional numbers become numbers.
pub(crate) struct Renaming {
    /// The least provisional number: how many states there were before.
    stored: u32,
    /// By worker: where its provisional numbers begin, and its numbers; and the ranks of its states.
    workers: Vec<(u32, u32, Vec<u32>)>,
}

impl Renaming {
    /// The renaming of some workers, which lend their ranks until it is [given up](Renaming::into_ranks).
    pub fn new<'w>(stored: u32, workers: impl Iterator<Item = (u32, usize, &'w mut Newcomers)>) -> Renaming {
        let mut next = stored;
        let mut borrowed = Vec::new();
        for (from, new, newcomers) in workers {
            borrowed.push((from, next, std::mem::take(&mut newcomers.ranks)));
            next += new as u32;
        }
        Renaming {
            stored,
            workers: borrowed,
        }
    }

    /// The ranks, to be given back.
    pub fn into_ranks(self) -> impl Iterator<Item = Vec<u32>> {
        self.workers.into_iter().map(|(_, _, ranks)| ranks)
    }

    fn number(&self, provisional: u32) -> u32 {
        if provisional < self.stored {
            return provisional;
        }
        let behind = self.workers.partition_point(|&(from, ..)| from <= provisional);
        let (from, next, ranks) = &self.workers[behind - 1];
        next + ranks[(provisional - from) as usize]
    }

    /// Gives numbers to what a worker has met.
    pub fn name(&self, newcomers: &Newcomers, found: &mut Lookup) {
        for &at in &found.unknown {
            found.numbers[at as usize] = self.number(newcomers.firsts[at as usize]);
        }
    }

    /// Gives numbers to the slots that were filled.
    pub fn name_slots(&self, store: &mut StateStore, placed: &[Placed]) {
        let (parts, _) = store.in_parts();
        (parts.into_par_iter().zip(placed)).for_each(|((slots, _), placed)| {
            for &at in &placed.slots {
                let (hash, provisional) = in_slot(slots[at]);
                slots[at] = slot(hash, self.number(provisional));
            }
        });
    }
}

/// Puts states into the table under provisional numbers, all parts at the same time. A worker comes with the provisional number of its first state.
pub(crate) fn place(store: &mut StateStore, workers: &[(u32, Met<'_>)]) -> Vec<Placed> {
    let stored = store.len() as u32;
    let waiting = |part: usize| {
        let lists = workers.iter().map(|(_, met)| met.newcomers.waiting[part].len());
        lists.sum()
    };
    let more: Vec<usize> = (0..store.parts()).map(waiting).collect();
    store.reserve(&more);
    let (parts, known) = store.in_parts();
    let parts = parts.into_par_iter().enumerate();
    parts
        .map(|(part, (slots, filled))| place_in(part, slots, filled, known, stored, workers))
        .collect()
}

/// The same for one part.
fn place_in(
    part: usize,
    slots: &mut [u64],
    filled: &mut u32,
    known: Known<'_>,
    stored: u32,
    workers: &[(u32, Met<'_>)],
) -> Placed {
    let within = slots.len() - 1;
    let packed = |number: u32| match number < stored {
        true => known.packed(number),
        false => {
            let behind = workers.partition_point(|&(from, _)| from <= number);
            let (from, met) = &workers[behind - 1];
            let begin = (number - from) as usize * known.width;
            &met.packed[begin..begin + known.width]
        }
    };
    let mut placed = Placed {
        firsts: Vec::with_capacity(workers.len()),
        slots: Vec::new(),
    };
    for (from, met) in workers {
        let mut firsts = Vec::with_capacity(met.newcomers.waiting[part].len());
        for &position in &met.newcomers.waiting[part] {
            let (hash, own) = (met.found.hashes[position as usize], from + position);
            let begin = position as usize * known.width;
            let state = &met.packed[begin..begin + known.width];
            let mut at = (hash >> known.shift) as usize & within;
            firsts.push(loop {
                if slots[at] == EMPTY {
                    slots[at] = slot(hash, own);
                    placed.slots.push(at);
                    *filled += 1;
                    break own;
                }
                let (other, number) = in_slot(slots[at]);
                if other == hash && packed(number) == state {
                    break number;
                }
                at = (at + 1) & within;
            });
        }
        placed.firsts.push(firsts);
    }
    placed
}
