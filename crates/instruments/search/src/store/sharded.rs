//! A set of visited states for several threads: many sets, each behind a lock of its own.
//!
//! A state's hash tells in which part it is, so that threads rarely want the same part at the same time. Whatever can be a set for one thread can be a part: states as they are, trees, hashes, bits. Parts that keep hashes choose them by other bits than those that
//! choose the part.

use super::index::mix;
use super::{Refusal, Visited, hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of parts.
pub const PARTS: usize = 64;

/// A set in parts.
#[derive(Debug)]
pub struct Sharded<V>(Vec<Mutex<V>>);

impl<V: Visited> Sharded<V> {
    /// The set of these parts.
    pub fn new(parts: impl IntoIterator<Item = V>) -> Sharded<V> {
        Sharded(parts.into_iter().map(Mutex::new).collect())
    }

    fn part(&self, state: &[u8]) -> MutexGuard<'_, V> {
        let part = mix(hash(state)) as usize % self.0.len();
        self.0[part].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a state is there, or seems to be.
    pub fn contains(&self, state: &[u8]) -> bool {
        self.part(state).contains(state)
    }

    /// Inserts a state; whether it was not there. Of several threads that insert the same state, one is told so.
    pub fn insert(&self, state: &[u8]) -> Result<bool, Refusal> {
        self.part(state).insert(state)
    }

    fn sum<N: std::iter::Sum>(&self, of: impl Fn(&V) -> N) -> N {
        let parts = self.0.iter();
        parts
            .map(|part| of(&part.lock().unwrap_or_else(PoisonError::into_inner)))
            .sum()
    }

    /// How many states were likely left out.
    pub fn expected_omissions(&self) -> f64 {
        self.sum(V::expected_omissions)
    }

    /// Bytes of memory it holds.
    pub fn bytes(&self) -> u64 {
        self.sum(V::bytes)
    }
}
