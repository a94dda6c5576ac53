//! A pass over the states of a set on all cores: each state is looked at by itself, so it does not matter by whom.

use crate::steps::Obstacle;
use entail_answer::ClosedSet;
use entail_budget::Budget;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Smaller sets are left to one thread: another one would take as long to be started.
const WORTHWHILE: u64 = 1_000;

/// Blocks of the set that a thread takes at once.
const TAKEN: usize = 8;

/// Has `pass` look at all blocks of a set: it asks again and again which come next. On several threads if the set is large; what is wrong anywhere is wrong, what is not known anywhere is not known.
pub fn over_all_blocks(
    set: &ClosedSet,
    budget: &Budget,
    pass: impl Fn(&mut dyn FnMut() -> Option<Range<usize>>, &Budget) -> Result<(), Obstacle> + Sync,
) -> Result<(), Obstacle> {
    let (taken, halts) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |budget: &Budget| {
        let mut next = || {
            let begin = taken.fetch_add(TAKEN, Ordering::Relaxed);
            let is_left = begin < set.blocks() && !halts.load(Ordering::Relaxed);
            is_left.then(|| begin..set.blocks().min(begin + TAKEN))
        };
        let result = pass(&mut next, budget);
        if result.is_err() {
            halts.store(true, Ordering::Relaxed);
        }
        result
    };
    let cores = match set.len() < WORTHWHILE {
        true => 1,
        false => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let budgets: Vec<Budget> = (1..cores).map(|_| budget.same_limits()).collect();
    std::thread::scope(|scope| {
        let work = &work;
        // Where there are no more threads, the others do the work.
        let spawn = |budget| std::thread::Builder::new().spawn_scoped(scope, move || work(budget));
        let others: Vec<_> = budgets.iter().filter_map(|budget| spawn(budget).ok()).collect();
        let mut result = work(budget);
        for other in others {
            result = match (result, other.join()) {
                (_, Err(panic)) => std::panic::resume_unwind(panic),
                (Err(Obstacle::Wrong(reason)), _) | (_, Ok(Err(Obstacle::Wrong(reason)))) => {
                    Err(Obstacle::Wrong(reason))
                }
                (Ok(()), Ok(found)) => found,
                (unknown, _) => unknown,
            };
        }
        result
    })
}
