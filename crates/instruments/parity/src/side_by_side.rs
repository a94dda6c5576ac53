//! Work on a long list, shared by threads.
//!
//! The list is cut into as many pieces as there are threads, each of which is changed by one of them; everything else is only read. Starting threads takes some ten microseconds, so short lists
//! are done by the caller alone.

use entail_budget::Spent;
use std::ops::Range;

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

    /// Whether a list of this length is shared.
    pub(crate) fn share(self, length: usize) -> bool {
        self.count > 1 && length > self.shortest
    }

    /// Cuts two lists of one length in the same places and gives each pair of pieces, with its positions, to `work`; what comes out, piece by piece.
    pub(crate) fn run<A: Send, B: Send, R: Send>(
        self,
        one: &mut [A],
        other: &mut [B],
        work: impl Fn(Range<usize>, &mut [A], &mut [B]) -> Result<R, Spent> + Sync,
    ) -> Result<Vec<R>, Spent> {
        let length = one.len().min(other.len());
        if !self.share(length) {
            return Ok(vec![work(0..length, one, other)?]);
        }
        let size = length.div_ceil(self.count);
        let work = &work;
        std::thread::scope(|scope| {
            let mut pieces = one.chunks_mut(size).zip(other.chunks_mut(size)).enumerate();
            // The caller does the first piece itself.
            let own = pieces.next();
            let running: Vec<_> = pieces
                .map(|(at, (one, other))| {
                    let begin = at * size;
                    scope.spawn(move || work(begin..begin + one.len(), one, other))
                })
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Result<R, Spent>>| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let own = own.map(|(_, (one, other))| work(0..one.len(), one, other));
            own.into_iter().chain(running.into_iter().map(join)).collect()
        })
    }
}
