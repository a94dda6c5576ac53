//! What every recursive operation shares: a view of the store, a stock of free slots, the budget, and forking.
//!
//! Operations are methods of [`Recursion`], one file each. They are plain memoised recursions over edges; an edge
//! held only by a running recursion is safe because nothing is collected before the recursion ends. When the
//! store asks for attention or the budget is spent, the recursion unwinds with a [`Unwind`]; the caller mends what
//! has to be mended and runs it again (most of its results are still in the cache).
//!
//! With `forks` > 0, the two branches at the top `forks` levels of a recursion run in parallel. Most operations are
//! too short for that, so a manager with several threads starts each on one thread; one that turns out to be long
//! unwinds with [`Unwind::Widen`] and is run again with forks, finding its results so far in the cache.

use crate::edge::Edge;
use crate::kernel::{Kernel, Step, Unwind};
use entail_budget::{Budget, Spent};
use std::sync::Mutex;

/// Cache misses between two looks at the budget.
const TICKS: u32 = 1024;
/// Looks at the budget after which an operation is long.
const LONG: u32 = 16;

/// One thread's part of a running operation.
pub(crate) struct Recursion<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) watch: &'k Watch,
    pub(crate) stock: Vec<u32>,
    pub(crate) exclusive: bool,
    pub(crate) forks: u32,
    ticks: u32,
    looks: u32,
    /// Looks at the budget until a recursion on one thread asks for more threads.
    patience: u32,
}

/// The budget, and what was found when it was spent.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) budget: Budget,
    pub(crate) spent: Mutex<Option<Spent>>,
}

impl<'k> Recursion<'k> {
    /// A recursion on this thread alone, or with forks. With `may_widen`, it unwinds when it gets long.
    pub(crate) fn new(
        kernel: &'k Kernel,
        watch: &'k Watch,
        stock: Vec<u32>,
        forks: u32,
        may_widen: bool,
    ) -> Recursion<'k> {
        let patience = if may_widen { LONG } else { u32::MAX };
        Recursion {
            kernel,
            watch,
            stock,
            exclusive: forks == 0,
            forks,
            ticks: 0,
            looks: 0,
            patience,
        }
    }

    /// Cache misses so far, of this thread.
    pub(crate) fn steps(&self) -> u64 {
        u64::from(self.looks) * u64::from(TICKS) + u64::from(self.ticks)
    }

    /// To be called once a cache miss.
    #[inline(always)]
    pub(crate) fn tick(&mut self) -> std::result::Result<(), Unwind> {
        self.ticks += 1;
        if self.ticks >= TICKS {
            self.look_at_budget()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn look_at_budget(&mut self) -> std::result::Result<(), Unwind> {
        self.ticks = 0;
        self.looks += 1;
        if self.looks == self.patience {
            return Err(Unwind::Widen);
        }
        self.watch.budget.check().map_err(|spent| {
            *self.watch.spent.lock().expect("no panic while the lock is held") = Some(spent);
            Unwind::Spent
        })
    }

    /// The node with these cofactors, reduced and with its hi edge made regular.
    #[inline(always)]
    pub(crate) fn node(&mut self, level: u32, lo: Edge, hi: Edge) -> Step {
        if lo == hi {
            return Ok(lo);
        }
        let parity = hi.parity();
        let node = self.kernel.find_or_insert(
            level,
            lo.with_parity(parity),
            hi.with_parity(parity),
            &mut self.stock,
            self.exclusive,
        )?;
        Ok(node.with_parity(parity))
    }

    /// The function of the variable at a level.
    #[inline(always)]
    pub(crate) fn variable(&mut self, level: u32) -> Step {
        self.node(level, Edge::FALSE, Edge::TRUE)
    }

    /// Runs both branches, in parallel near the top of the recursion if the manager has several threads.
    #[inline(always)]
    pub(crate) fn both<L, H>(&mut self, lo: L, hi: H) -> std::result::Result<(Edge, Edge), Unwind>
    where
        L: FnOnce(&mut Self) -> Step + Send,
        H: FnOnce(&mut Self) -> Step + Send,
    {
        if self.forks == 0 {
            let hi = hi(self)?;
            return Ok((lo(self)?, hi));
        }
        self.fork(lo, hi)
    }

    #[cold]
    fn fork<L, H>(&mut self, lo: L, hi: H) -> std::result::Result<(Edge, Edge), Unwind>
    where
        L: FnOnce(&mut Self) -> Step + Send,
        H: FnOnce(&mut Self) -> Step + Send,
    {
        let mut other = Recursion {
            kernel: self.kernel,
            watch: self.watch,
            stock: Vec::new(),
            exclusive: false,
            forks: self.forks - 1,
            ticks: 0,
            looks: 0,
            patience: u32::MAX,
        };
        self.forks -= 1;
        let stack = stack_bytes(self.kernel);
        let (hi, lo) = rayon::join(
            || stacker::maybe_grow(stack, stack * 2, || hi(self)),
            || {
                let lo = stacker::maybe_grow(stack, stack * 2, || lo(&mut other));
                other.kernel.give_back(&mut other.stock);
                lo
            },
        );
        self.forks += 1;
        Ok((lo?, hi?))
    }
}

/// Stack enough for a recursion through every level, and for one that it calls in turn.
pub(crate) fn stack_bytes(kernel: &Kernel) -> usize {
    128 * 1024 + kernel.var_at.len() * 1024
}
