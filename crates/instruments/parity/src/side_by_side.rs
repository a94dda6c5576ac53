//! How many threads a solver may use, and for what.

/// Shorter lists are not shared.
const SHORTEST: usize = 1 << 14;

/// How many threads work at once, and from which length of a list on.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    count: usize,
    shortest: usize,
}

impl Threads {
    /// The caller alone.
    pub const ONE: Threads = Threads {
        count: 1,
        shortest: SHORTEST,
    };

    /// So many, on long lists.
    pub fn new(count: usize) -> Threads {
        Threads {
            count: count.max(1),
            ..Threads::ONE
        }
    }

    /// So many, on all lists: for tests.
    pub fn always(count: usize) -> Threads {
        Threads {
            count: count.max(1),
            shortest: 0,
        }
    }

    /// How many.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// Whether a list of this length is shared.
    pub(crate) fn share(self, length: usize) -> bool {
        self.count > 1 && length > self.shortest
    }
}
