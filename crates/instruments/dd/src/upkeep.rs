//! Runs operations, and mends what interrupts them.
//!
//! An operation runs until it ends or unwinds (see [`crate::recursion`]). Between attempts the tables are grown,
//! garbage collected or the order improved, so callers see none of this: a handle is the same function before and
//! after.
//!
//! **When what happens.** Garbage is collected at the start of an operation, once the nodes made since the last
//! collection outnumber the survivors (and a floor); inside an operation only when the store is full. Reordering
//! happens, if switched on, when the nodes outgrow a threshold, also in the middle of an operation; the threshold
//! then becomes a multiple of the size reached. An operation that makes many nodes from few is not interrupted for
//! the same operands twice, and it keeps what it has made unless the order changes.

use crate::error::{Error, Result};
use crate::kernel::{Kernel, Unwind};
use crate::manager::Statistics;
use crate::recursion::{Recursion, Watch, stack_bytes};
use crate::reorder::{self, Groups, Method, ReorderLimits, ReorderReport};
use entail_budget::Budget;

/// Fewer new nodes than this never cause a collection.
const COLLECTION_FLOOR: usize = 1 << 17;

/// New nodes that never cause a thought about reordering (unless the threshold is lower still).
const TRIGGER_SLACK: usize = 1 << 10;

/// Visits of a node in reordering that cost as much as a cache miss of an operation.
const STEPS_PER_STEP: f64 = 4.0;

/// When the manager looks after its tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum During {
    /// Before an operation.
    Pause,
    /// In the middle of one, which is then run again.
    Operation,
}

/// When the order is improved without being asked.
#[derive(Clone, Debug)]
pub struct AutoReorder {
    /// How.
    pub method: Method,
    /// The first reordering happens when this many nodes are in use.
    pub first_at: usize,
    /// The next reordering happens when the nodes in use have grown by this factor since the last.
    pub growth: f64,
    /// What one reordering may cost.
    pub limits: ReorderLimits,
}

impl Default for AutoReorder {
    fn default() -> AutoReorder {
        AutoReorder {
            method: Method::Sift,
            first_at: 4096,
            growth: 2.0,
            limits: ReorderLimits::default(),
        }
    }
}

/// What the manager's lock protects.
pub(crate) struct State {
    pub(crate) kernel: Kernel,
    watch: Watch,
    forks: u32,
    auto: Option<AutoReorder>,
    reorder_at: usize,
    /// Nodes granted to the running operation before it is interrupted for reordering again.
    patience: usize,
    /// Nodes after the last automatic reordering.
    sifted_size: usize,
    pub(crate) groups: Groups,
    next_identity: u32,
    reorderings: usize,
    reordering_seconds: f64,
    swaps: u64,
    /// Cache misses of operations, and node visits of reorderings, so far.
    operation_steps: u64,
    reordering_steps: u64,
}

impl State {
    /// A state without variables; `forks` is how many levels of a long recursion are run in parallel.
    pub(crate) fn new(kernel: Kernel, forks: u32) -> State {
        State {
            kernel,
            watch: Watch::default(),
            forks,
            auto: None,
            reorder_at: usize::MAX,
            patience: 0,
            sifted_size: 0,
            groups: Groups::default(),
            next_identity: 0,
            reorderings: 0,
            reordering_seconds: 0.0,
            swaps: 0,
            operation_steps: 0,
            reordering_steps: 0,
        }
    }

    pub(crate) fn watch(&mut self, budget: &Budget) {
        self.watch.budget = budget.same_limits();
    }

    pub(crate) fn set_auto_reorder(&mut self, auto: Option<AutoReorder>) {
        self.reorder_at = auto.as_ref().map_or(usize::MAX, |auto| auto.first_at);
        self.auto = auto;
    }

    /// A number for a new substitution. Should they ever run out, what is remembered of the old ones must go.
    pub(crate) fn next_identity(&mut self) -> u32 {
        self.next_identity += 1;
        if self.next_identity >= 1 << 31 {
            self.kernel.cache.clear();
            self.next_identity = 0;
        }
        self.next_identity
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let nodes = self.kernel.used();
        Statistics {
            nodes,
            peak_nodes: self.kernel.peak.max(nodes),
            capacity: self.kernel.capacity(),
            cache_entries: self.kernel.cache.len(),
            variables: self.kernel.level_of.len(),
            collections: self.kernel.collections,
            reorderings: self.reorderings,
            reordering_seconds: self.reordering_seconds,
            swaps: self.swaps,
        }
    }

    /// Runs an operation until it ends or cannot be helped.
    pub(crate) fn run<T: Send>(
        &mut self,
        pool: Option<&rayon::ThreadPool>,
        mut operation: impl FnMut(&mut Recursion) -> std::result::Result<T, Unwind> + Send,
    ) -> Result<T> {
        self.tidy()?;
        let mut was_full = false;
        let mut forks = 0;
        loop {
            let stock = std::mem::take(&mut self.kernel.stock);
            let may_widen = forks < self.forks;
            let mut recursion = Recursion::new(&self.kernel, &self.watch, stock, forks, may_widen);
            let stack = stack_bytes(&self.kernel);
            let mut attempt = || stacker::maybe_grow(stack, stack * 2, || operation(&mut recursion));
            let outcome = match pool {
                Some(pool) if forks > 0 => pool.install(attempt),
                _ => attempt(),
            };
            self.operation_steps += recursion.steps();
            self.kernel.stock = recursion.stock;
            match outcome {
                Ok(result) => return Ok(result),
                Err(Unwind::Spent) => {
                    let spent = self
                        .watch
                        .spent
                        .lock()
                        .expect("no panic while the lock is held")
                        .take();
                    return Err(Error::Spent(
                        spent.expect("a recursion that stops for the budget says why"),
                    ));
                }
                Err(Unwind::Widen) => forks = self.forks,
                Err(Unwind::Attend) => self.attend(During::Operation)?,
                Err(Unwind::Full) if !was_full => {
                    was_full = true;
                    self.kernel.collect();
                }
                Err(Unwind::Full) => {
                    return Err(Error::OutOfMemory {
                        capacity: self.kernel.capacity(),
                    });
                }
            }
        }
    }

    /// Work that is due between two operations.
    fn tidy(&mut self) -> Result<()> {
        let used = self.kernel.used();
        let since = used.saturating_sub(self.kernel.live_after_collection);
        if since > self.kernel.live_after_collection.max(COLLECTION_FLOOR) {
            self.kernel.collect();
        }
        self.patience = 0;
        if self.kernel.used() > self.reorder_trigger() || self.kernel.used() > self.kernel.comfortable() / 2 {
            self.attend(During::Pause)?;
        } else {
            self.set_attention();
        }
        Ok(())
    }

    /// The number of nodes that makes an automatic reordering worth a thought: above the threshold, well above
    /// what the last collection left, and above what the running operation was granted.
    fn reorder_trigger(&self) -> usize {
        if self.auto.is_none() {
            return usize::MAX;
        }
        let live = self.kernel.live_after_collection;
        self.reorder_at
            .max(live + live / 4 + TRIGGER_SLACK.min(self.reorder_at))
            .max(self.patience)
    }

    /// Makes room in the tables, and improves the order if that is due.
    fn attend(&mut self, during: During) -> Result<()> {
        let trigger = self.reorder_trigger();
        if self.kernel.used() >= trigger
            && let Some(auto) = self.auto.clone()
        {
            let live = match during {
                During::Pause => {
                    self.kernel.collect();
                    self.kernel.live_after_collection
                }
                // What the operation made so far is not held by anybody, but worth keeping unless the order changes.
                During::Operation => self.kernel.count_live(),
            };
            let due = match during {
                During::Pause => live >= self.reorder_at,
                // The operands are worth another order if they are much of what was counted, and were not just put
                // in order.
                During::Operation => live * 2 >= self.reorder_at && live * 10 > self.sifted_size * 13,
            };
            if due {
                self.reorder(auto.method, &auto.limits)?;
                self.sifted_size = self.kernel.used();
                let next = ((self.sifted_size as f64 * auto.growth) as usize).max(auto.first_at);
                self.reorder_at = next * self.reluctance(live);
            }
            if during == During::Operation {
                // Not again before the operation has made many more nodes.
                self.patience = trigger * 2;
            }
        }
        self.kernel.grow_tables();
        self.set_attention();
        Ok(())
    }

    /// By what factor the next reordering is put off. Where reordering gains little, it is tried half as often; and
    /// also where it has cost much more than the operations it was for. Counted in steps, not seconds, so that runs
    /// can be repeated.
    fn reluctance(&self, before: usize) -> usize {
        let fruitless = self.sifted_size * 10 > before * 9;
        let ratio = self.reordering_steps as f64 / STEPS_PER_STEP / (self.operation_steps + 10_000) as f64;
        (1 + usize::from(fruitless))
            * if ratio > 8.0 {
                4
            } else if ratio > 2.0 {
                2
            } else {
                1
            }
    }

    fn set_attention(&mut self) {
        self.kernel
            .set_attend_at(self.kernel.comfortable().min(self.reorder_trigger()));
    }

    pub(crate) fn reorder(&mut self, method: Method, limits: &ReorderLimits) -> Result<ReorderReport> {
        let outcome = reorder::run(&mut self.kernel, &self.groups, method, limits, &self.watch.budget);
        let (report, ended) = outcome?;
        self.reorderings += 1;
        self.reordering_seconds += report.seconds;
        self.swaps += report.swaps;
        self.reordering_steps += report.visits + report.swaps;
        self.kernel.grow_tables();
        self.set_attention();
        ended?;
        Ok(report)
    }
}
