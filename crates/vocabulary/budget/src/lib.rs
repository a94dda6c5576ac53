//! How much an engine may spend, and how it tells how far it has come.
//!
//! **Here:** [`Budget`] (deadline, memory, cancellation), [`Spent`] (why an engine had to stop), [`Progress`]
//! (where an engine reports its counters).
//!
//! **Not here:** who sets the limits (the app), and how progress is shown (the command line).
//!
//! **Contract for engines:** every unbounded loop calls [`Budget::check`] and gives up with the returned
//! [`Spent`] as its reason. The call is cheap (an atomic load; the clock and the memory reading are only
//! consulted every [`POLL_EVERY`] calls), so it belongs in the inner loop.

mod memory;
mod progress;

pub use memory::{default_memory_limit, machine_memory_bytes, peak_memory_bytes, resident_memory_bytes};
pub use progress::{Progress, Silent, Snapshot};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock and the memory reading are consulted once in this many calls of [`Budget::check`].
pub const POLL_EVERY: u32 = 256;

/// Why an engine had to stop before it knew the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// The deadline has passed.
    Time(Duration),
    /// The process uses more memory than allowed.
    Memory {
        /// What was allowed, in bytes.
        limit: u64,
    },
    /// The process uses more memory than it may where nobody has set a limit.
    DefaultMemory {
        /// What was allowed, in bytes.
        limit: u64,
    },
    /// It was cancelled (by the user, or because another engine has answered).
    Cancelled,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Spent::Time(limit) => write!(f, "time limit of {:.3} s reached", limit.as_secs_f64()),
            Spent::Memory { limit } => write!(f, "memory limit of {} MiB reached", limit >> 20),
            Spent::DefaultMemory { limit } => write!(
                f,
                "memory limit of {} MiB reached, the default here (--memory sets another)",
                limit >> 20
            ),
            Spent::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Spent {}

/// A switch that stops everything that watches it. Cheap to clone; setting it is safe in a signal handler thread.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks every engine that watches this switch to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What an engine may spend on one property.
#[derive(Debug, Default)]
pub struct Budget {
    deadline: Option<(Instant, Duration)>,
    memory: Option<u64>,
    default_memory: Option<u64>,
    cancellation: Cancellation,
    calls: AtomicU32,
    memory_read: MemoryRead,
}

/// Reading the memory asks the operating system, which takes longer than the clock: it is read once in this time.
const READ_MEMORY_EVERY: Duration = Duration::from_millis(5);

/// When the memory was last read.
#[derive(Debug)]
struct MemoryRead {
    begun: Instant,
    /// The time from then on before which it is not read again, in nanoseconds.
    not_before: AtomicU64,
}

impl Default for MemoryRead {
    fn default() -> MemoryRead {
        MemoryRead {
            begun: Instant::now(),
            not_before: AtomicU64::new(0),
        }
    }
}

impl MemoryRead {
    /// Whether it is time to read again; if so, the next time is later.
    fn is_due(&self, now: Instant) -> bool {
        let now = now.saturating_duration_since(self.begun);
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let due = nanoseconds(now) >= self.not_before.load(Ordering::Relaxed);
        if due {
            let next = nanoseconds(now + READ_MEMORY_EVERY);
            self.not_before.store(next, Ordering::Relaxed);
        }
        due
    }
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// Limits the time from now on.
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Budget {
        self.deadline = timeout.and_then(|limit| Instant::now().checked_add(limit).map(|end| (end, limit)));
        self
    }

    /// Says that the time is a share of a larger limit: when it is spent, that limit is named as the one that was reached.
    pub fn as_share_of(mut self, limit: Option<Duration>) -> Budget {
        if let (Some((_, stated)), Some(limit)) = (&mut self.deadline, limit) {
            *stated = limit;
        }
        self
    }

    /// Limits the resident memory of the whole process, in bytes.
    pub fn with_memory(mut self, bytes: Option<u64>) -> Budget {
        self.memory = bytes;
        self
    }

    /// Limits the resident memory of the whole process where nobody has asked for a limit. Tables are not sized by it: it is there to
    /// keep the machine alive.
    pub fn with_default_memory(mut self, bytes: Option<u64>) -> Budget {
        self.default_memory = bytes;
        self
    }

    /// A budget of its own that ends when this one does.
    pub fn same_limits(&self) -> Budget {
        Budget {
            deadline: self.deadline,
            memory: self.memory,
            default_memory: self.default_memory,
            cancellation: self.cancellation.clone(),
            calls: AtomicU32::new(0),
            memory_read: MemoryRead::default(),
        }
    }

    /// A budget of its own for a part of the work: this one's limits, and no more time than so much from now on.
    pub fn part(&self, time: Duration) -> Budget {
        let time = self.time_left().map_or(time, |left| left.min(time));
        self.same_limits().with_timeout(Some(time))
    }

    /// Watches a switch.
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Budget {
        self.cancellation = cancellation;
        self
    }

    /// The memory limit in bytes, for engines that size their tables by it.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// The time left, if time is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|(end, _)| end.saturating_duration_since(Instant::now()))
    }

    /// The switch this budget watches.
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Whether there is anything left. Call it in every unbounded loop.
    #[inline]
    pub fn check(&self) -> Result<(), Spent> {
        if self.cancellation.is_cancelled() {
            return Err(Spent::Cancelled);
        }
        if self
            .calls
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(POLL_EVERY)
        {
            self.check_now()
        } else {
            Ok(())
        }
    }

    /// Like [`Budget::check`], but always reads the clock, and the memory if that was some milliseconds ago. For loops whose body is long.
    #[cold]
    pub fn check_now(&self) -> Result<(), Spent> {
        if self.cancellation.is_cancelled() {
            return Err(Spent::Cancelled);
        }
        let now = Instant::now();
        if let Some((end, limit)) = self.deadline
            && now >= end
        {
            return Err(Spent::Time(limit));
        }
        match self.memory.is_some() || self.default_memory.is_some() {
            true if self.memory_read.is_due(now) => self.check_memory(),
            _ => Ok(()),
        }
    }

    /// Whether the process is within its memory, read now.
    pub fn check_memory(&self) -> Result<(), Spent> {
        let Some(used) = resident_memory_bytes() else {
            return Ok(());
        };
        match (self.memory, self.default_memory) {
            (Some(limit), _) if used > limit => Err(Spent::Memory { limit }),
            (None, Some(limit)) if used > limit => Err(Spent::DefaultMemory { limit }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlimited_budget_is_never_spent() {
        let budget = Budget::unlimited();
        assert!((0..10_000).all(|_| budget.check().is_ok()));
    }

    #[test]
    fn a_passed_deadline_is_seen_within_one_polling_period() {
        let budget = Budget::unlimited().with_timeout(Some(Duration::ZERO));
        assert!((0..=POLL_EVERY).any(|_| budget.check() == Err(Spent::Time(Duration::ZERO))));
    }

    #[test]
    fn cancellation_is_seen_at_once_and_through_clones() {
        let switch = Cancellation::default();
        let budget = Budget::unlimited().with_cancellation(switch.clone());
        assert_eq!(budget.check(), Ok(()));
        switch.cancel();
        assert_eq!(budget.check(), Err(Spent::Cancelled));
    }

    #[test]
    fn a_memory_limit_below_what_the_process_uses_is_spent() {
        let budget = Budget::unlimited().with_memory(Some(1));
        assert_eq!(budget.check_now(), Err(Spent::Memory { limit: 1 }));
        assert_eq!(budget.same_limits().check_now(), Err(Spent::Memory { limit: 1 }));
    }

    #[test]
    fn a_default_limit_counts_where_nobody_has_asked_for_one_and_sizes_no_table() {
        let budget = Budget::unlimited().with_default_memory(Some(1));
        assert_eq!(budget.memory_limit(), None);
        assert_eq!(budget.check_now(), Err(Spent::DefaultMemory { limit: 1 }));
        let asked = budget.same_limits().with_memory(Some(u64::MAX));
        assert_eq!(asked.check_now(), Ok(()));
    }

    #[test]
    fn spent_memory_is_seen_by_whoever_keeps_asking() {
        let budget = Budget::unlimited().with_memory(Some(1));
        let seen = |_| {
            std::thread::sleep(READ_MEMORY_EVERY);
            budget.check_now().is_err()
        };
        assert!((0..3).all(seen));
    }
}
