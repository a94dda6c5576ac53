//! What discrete states ask of clocks, shared by all that ask the same.
//!
//! Large models have millions of discrete states, with some ten thousand combinations of locations; each of these has its own row of constants. So rows lie one after the other in one piece of memory, the rest is
//! kept once for all that have it, and what a state asks is a number.

use crate::space::{Constraint, StateId};
use entail_zones::LowerUpper;
use hashbrown::HashTable;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};

/// The conjunctions of clock constraints one of which must hold, for each formula of a query.
pub type Goals = Vec<Vec<Vec<Constraint>>>;

/// What a discrete state asks of clocks, but for the constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    pub invariant: Vec<Constraint>,
    pub rest: Rest,
}

/// What is left of it without the invariant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Rest {
    pub may_delay: bool,
    pub stopped: Vec<usize>,
    pub rate: i64,
    pub goals: Goals,
    pub may_end: bool,
    pub later: Vec<StateId>,
}

/// What a discrete state asks of clocks.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'s> {
    /// The clock constraints of its invariant.
    pub invariant: &'s [Constraint],
    /// Whether time may pass.
    pub may_delay: bool,
    /// Clocks that stand still while time passes.
    pub(crate) stopped: &'s [usize],
    /// What a unit of time costs, where that is asked.
    pub rate: i64,
    /// The constants of its clocks.
    pub constants: &'s [LowerUpper],
    /// For each formula of the query: the conjunctions of clock constraints one of which must hold.
    pub goals: &'s [Vec<Vec<Constraint>>],
    /// Whether a run may end here, as far as an automaton that reads it is concerned.
    pub(crate) may_end: bool,
    /// For a cell: the cells that waiting leads to.
    pub(crate) later: &'s [StateId],
}

/// Lists that are stored once each, one after the other.
#[derive(Debug)]
struct Slices<T> {
    all: Vec<T>,
    ends: Vec<u32>,
    known: HashTable<u32>,
}

/// The facts of a search, by number.
#[derive(Debug, Default)]
pub(crate) struct FactTable {
    invariants: Slices<Constraint>,
    constants: Slices<LowerUpper>,
    rests: IndexSet<Rest, FxBuildHasher>,
    /// The invariant, the constants and the rest of each.
    facts: Vec<[u32; 3]>,
    known: HashTable<u32>,
}

fn hash_of<T: Hash + ?Sized>(one: &T) -> u64 {
    let mut hasher = FxHasher::default();
    one.hash(&mut hasher);
    hasher.finish()
}

impl<T> Default for Slices<T> {
    fn default() -> Slices<T> {
        Slices {
            all: Vec::new(),
            ends: Vec::new(),
            known: HashTable::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Slices<T> {
    #[inline]
    fn get(&self, number: u32) -> &[T] {
        slice(&self.all, &self.ends, number)
    }

    fn number(&mut self, list: &[T]) -> u32 {
        let hash = hash_of(list);
        if let Some(&known) = (self.known).find(hash, |&number| self.get(number) == list) {
            return known;
        }
        let number = self.ends.len() as u32;
        self.all.extend_from_slice(list);
        self.ends.push(self.all.len() as u32);
        let (all, ends) = (&self.all, &self.ends);
        let rehash = |&number: &u32| hash_of(slice(all, ends, number));
        self.known.insert_unique(hash, number, rehash);
        number
    }
}

#[inline]
fn slice<'r, T>(all: &'r [T], ends: &[u32], number: u32) -> &'r [T] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &all[start as usize..ends[number] as usize]
}

impl FactTable {
    /// The number of facts.
    pub fn number(&mut self, manner: Manner, constants: &[LowerUpper]) -> u32 {
        let parts = [
            self.invariants.number(&manner.invariant),
            self.constants.number(constants),
            self.rests.insert_full(manner.rest).0 as u32,
        ];
        let facts = &mut self.facts;
        if let Some(&known) = (self.known).find(hash_of(&parts), |&number| facts[number as usize] == parts) {
            return known;
        }
        let number = facts.len() as u32;
        facts.push(parts);
        let rehash = |&number: &u32| hash_of(&facts[number as usize]);
        self.known.insert_unique(hash_of(&parts), number, rehash);
        number
    }

    /// The facts of a number.
    #[inline]
    pub fn get(&self, number: u32) -> Facts<'_> {
        let [invariant, constants, rest] = self.facts[number as usize];
        let rest = &self.rests[rest as usize];
        Facts {
            invariant: self.invariants.get(invariant),
            may_delay: rest.may_delay,
            stopped: &rest.stopped,
            rate: rest.rate,
            constants: self.constants.get(constants),
            goals: &rest.goals,
            may_end: rest.may_end,
            later: &rest.later,
        }
    }
}
