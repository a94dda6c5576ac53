//! Time bounds of temporal operators.
//!
//! What a bounded operator means at position `i` of a path, where `k` ranges over the interval:
//!
//! | formula | meaning |
//! |---|---|
//! | `F[a,b] p`, `G[a,b] p` | `p` at `i+k` for some `k`, for every `k` |
//! | `p U[a,b] q` | for some `k`: `q` at `i+k`, and `p` at every `i+j` with `0 <= j < k` (also below `a`) |
//! | `p V[a,b] q` | `!(!p U[a,b] !q)`: for every `k`, `q` at `i+k` or `p` at some `i+j` with `0 <= j < k` |
//! | `p M[a,b] q` | `q U[a,b] (p & q)` |
//! | `p W[a,b] q` | `q V[a,b] (p \| q)` |
//! | `O H S T` | as `F G U V`, looking back; only positions that exist are looked at |
//!
//! An operator over an empty interval is false if it asks for some step (`F U M O S`) and true otherwise.

use std::fmt;

/// The steps `from..=to` (no end: from `from` on) at which a bounded operator looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    /// First step.
    pub from: u32,
    /// Last step, if there is one. An interval with `to < from` is empty.
    pub to: Option<u32>,
}

impl Interval {
    /// Every step: the operator without a bound.
    pub const ALWAYS: Interval = Interval { from: 0, to: None };

    /// The steps `from..=to`.
    pub fn bounded(from: u32, to: u32) -> Interval {
        Interval { from, to: Some(to) }
    }

    /// Whether this is no bound at all.
    pub fn is_always(self) -> bool {
        self == Interval::ALWAYS
    }

    /// Whether it contains no step.
    pub fn is_empty(self) -> bool {
        self.to.is_some_and(|to| to < self.from)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to {
            Some(to) => write!(f, "[{},{to}]", self.from),
            None if self.is_always() => Ok(()),
            None => write!(f, "[{},+oo)", self.from),
        }
    }
}
