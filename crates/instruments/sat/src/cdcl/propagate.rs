//! Unit propagation with two watched literals.
//!
//! A watch list belongs to a literal and is visited when the literal becomes false. Invariant, for every clause all of whose
//! open literals are in the domain: if a watched literal is false, the other watched literal (or the blocker) is true, or was
//! assigned by this clause. Binary clauses are never deleted, except temporary ones, whose watches go with them, and satisfied ones,
//! whose blocker is true. A clause with an open literal outside the domain asks for nothing: it can be satisfied there.

use super::{Cdcl, ClauseRef, Truth, Watch};
use crate::Lit;

impl Cdcl {
    /// Assigns what follows; gives a clause all of whose literals are false, if there is one.
    pub(super) fn propagate(&mut self) -> Option<ClauseRef> {
        // At level 0 nothing is undone, so everything must be propagated, domain or not.
        let threshold = if self.level() == 0 { 0 } else { self.threshold };
        while let Some(&literal) = self.trail.get(self.propagated) {
            self.propagated += 1;
            self.statistics.propagations += 1;
            let falsified = !literal;
            let mut watches = std::mem::take(&mut self.watches[falsified.index()]);
            let conflict = self.visit(falsified, &mut watches, threshold);
            self.watches[falsified.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn visit(&mut self, falsified: Lit, watches: &mut Vec<Watch>, threshold: u32) -> Option<ClauseRef> {
        let (mut from, mut to) = (0, 0);
        let mut conflict = None;
        'next: while from < watches.len() {
            let watch = watches[from];
            from += 1;
            let blocker_truth = self.values[watch.blocker.index()];
            if blocker_truth == Truth::True {
                watches[to] = watch;
                to += 1;
                continue;
            }
            let outside = self.domain[watch.blocker.var().index()] < threshold;
            if outside && blocker_truth == Truth::Open {
                watches[to] = watch;
                to += 1;
                continue;
            }
            if watch.binary {
                watches[to] = watch;
                to += 1;
                if blocker_truth == Truth::False {
                    conflict = Some(watch.clause);
                    break;
                }
                self.assign(watch.blocker, Some(watch.clause));
                continue;
            }
            if self.arena.is_deleted(watch.clause) {
                continue;
            }
            let values = &self.values;
            let literals = self.arena.raw_mut(watch.clause);
            // The falsified literal goes to the second place.
            if literals[0] as usize == falsified.index() {
                literals.swap(0, 1);
            }
            let first = Lit::from_index(literals[0] as usize);
            let kept = Watch {
                blocker: first,
                ..watch
            };
            let first_truth = values[first.index()];
            if first_truth == Truth::True {
                watches[to] = kept;
                to += 1;
                continue;
            }
            for at in 2..literals.len() {
                if values[literals[at] as usize] != Truth::False {
                    literals.swap(1, at);
                    let moved = literals[1] as usize;
                    self.watches[moved].push(kept);
                    continue 'next;
                }
            }
            watches[to] = kept;
            to += 1;
            if first_truth == Truth::False {
                conflict = Some(watch.clause);
                break;
            }
            if self.domain[first.var().index()] >= threshold {
                self.assign(first, Some(watch.clause));
            }
        }
        if conflict.is_some() {
            self.propagated = self.trail.len();
        }
        let length = watches.len();
        watches.copy_within(from..length, to);
        watches.truncate(to + length - from);
        conflict
    }
}
