//! States found by a construction, numbered in the order of discovery.
//!
//! Most constructions explore states of some kind `K` (sets, rankings, pairs) and build an automaton whose states stand for
//! them: ask [`Numbering::state`] for the state of a `K`, and walk through [`Numbering::get`] until nothing is left.

use crate::automaton::{Automaton, State};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What has been found so far, and the state of each.
pub(crate) struct Numbering<K> {
    states: FxHashMap<K, State>,
    found: Vec<K>,
}

impl<K: Clone + Eq + Hash> Numbering<K> {
    /// Nothing found yet.
    pub fn new() -> Numbering<K> {
        Numbering {
            states: FxHashMap::default(),
            found: Vec::new(),
        }
    }

    /// The state of a key; a new one is added to the automaton.
    pub fn state(&mut self, key: K, automaton: &mut Automaton) -> State {
        if let Some(&known) = self.states.get(&key) {
            return known;
        }
        let fresh = automaton.add_state();
        self.states.insert(key.clone(), fresh);
        self.found.push(key);
        fresh
    }

    /// The key found at a position, if so many have been found.
    pub fn get(&self, position: usize) -> Option<K> {
        self.found.get(position).cloned()
    }

    /// How many have been found.
    pub fn len(&self) -> usize {
        self.found.len()
    }
}
