//! Numbers, given out to threads in blocks.
//!
//! A thread that leaves a block unfinished leaves numbers that stand for nothing; at the end of a level of a search, so that numbers tell levels apart.

use super::segments::Segments;
use super::{Refusal, StateNumber};
use std::sync::atomic::{AtomicU32, Ordering};

/// The numbers that were given out.
#[derive(Debug, Default)]
pub struct Numbers {
    next: AtomicU32,
}

/// The numbers of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    next: u32,
    end: u32,
    size: u32,
}

impl Numbers {
    /// All numbers are less.
    pub fn end(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    /// The next number of a block, which is not yet taken. A block ends before `limit`; what goes with a new block is reserved by `reserve`.
    #[inline]
    pub fn next(
        &self,
        block: &mut Block,
        limit: u32,
        reserve: impl FnOnce(u64, u64) -> Result<(), Refusal>,
    ) -> Result<u32, Refusal> {
        if block.next == block.end {
            let taken = self
                .next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                    next.checked_add(block.size).filter(|&end| end <= limit)
                });
            let from = taken.map_err(|_| Refusal::Crowded)?;
            reserve(from.into(), u64::from(from + block.size))?;
            (block.next, block.end) = (from, from + block.size);
        }
        Ok(block.next)
    }
}

/// The state that each state was first reached from.
#[derive(Debug)]
pub struct Parents(Segments<AtomicU32, 12>);

impl Parents {
    pub fn new() -> Parents {
        Parents(Segments::new())
    }

    pub fn reserve(&self, from: u64, to: u64) -> Result<(), Refusal> {
        self.0.reserve(from, to)
    }

    pub fn set(&self, number: u32, parent: Option<StateNumber>) {
        let parent = parent.map_or(0, |parent| parent.0 + 1);
        self.0.at(number).store(parent, Ordering::Relaxed);
    }

    pub fn of(&self, number: StateNumber) -> Option<StateNumber> {
        let parent = self.0.at(number.0).load(Ordering::Relaxed);
        parent.checked_sub(1).map(StateNumber)
    }
}

impl Block {
    /// No numbers yet; they will come so many at a time.
    pub fn new(size: u32) -> Block {
        Block {
            next: 0,
            end: 0,
            size,
        }
    }

    /// The next number is taken.
    pub fn take(&mut self) {
        self.next += 1;
    }
}
