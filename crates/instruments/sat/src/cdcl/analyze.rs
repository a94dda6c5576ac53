//! Learning from conflicts, and finding the assumptions that failed.
//!
//! First unique implication point, with recursive minimisation (a literal is dropped if its negation follows from the others).
//! The guard of the temporary clause is assigned at the first level and is never resolved away, so a derived clause depends on
//! the temporary clause iff it contains the guard.

use super::{Cdcl, ClauseRef, Origin, Truth};
use crate::{Lit, Var};

impl Cdcl {
    /// Derives a clause from a conflict, goes back to where it is a unit, and assigns its literal.
    pub(super) fn learn(&mut self, conflict: ClauseRef, guard: Option<Lit>) {
        let mut learned: Vec<Lit> = Vec::new();
        let mut marked: Vec<Var> = Vec::new();
        let mut open = 0usize;
        let mut at = self.trail.len();
        let mut clause = conflict;
        let mut resolved: Option<Lit> = None;
        let top = self.level() as u32;
        let asserting = loop {
            if self.arena.is_learned(clause) {
                self.bump_clause(clause);
            }
            for index in 0..self.arena.len(clause) {
                let literal = self.arena.literal(clause, index);
                let var = literal.var();
                if Some(literal) == resolved || self.seen[var.index()] || self.levels[var.index()] == 0 {
                    continue;
                }
                self.seen[var.index()] = true;
                marked.push(var);
                self.bump_var(var);
                if self.levels[var.index()] == top {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if self.seen[self.trail[at].var().index()] && self.levels[self.trail[at].var().index()] == top
                {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                break !literal;
            }
            resolved = Some(literal);
            clause =
                self.reasons[literal.var().index()].expect("only the last open literal can be a decision");
        };
        self.minimise(&mut learned, &mut marked);
        for var in marked {
            self.seen[var.index()] = false;
        }
        self.finish_learning(asserting, learned, guard);
    }

    fn finish_learning(&mut self, asserting: Lit, mut learned: Vec<Lit>, guard: Option<Lit>) {
        // The literal of the highest level below goes to the second place, to be watched.
        let deepest = (0..learned.len()).max_by_key(|&at| self.levels[learned[at].var().index()]);
        let target = match deepest {
            None => 0,
            Some(at) => {
                learned.swap(0, at);
                self.levels[learned[0].var().index()] as usize
            }
        };
        let glue = {
            let mut levels: Vec<u32> = learned
                .iter()
                .map(|literal| self.levels[literal.var().index()])
                .collect();
            levels.sort_unstable();
            levels.dedup();
            levels.len() as u32 + 1
        };
        self.backtrack(target);
        if learned.is_empty() {
            self.assign(asserting, None);
            return;
        }
        learned.insert(0, asserting);
        let temporary = guard.is_some_and(|guard| learned.contains(&!guard));
        let clause = self.attach(&learned, Origin::Learned { glue });
        if temporary {
            self.temporary.push(clause);
        } else {
            self.learned.push(clause);
            self.bump_clause(clause);
        }
        self.assign(asserting, Some(clause));
    }

    /// Drops literals whose negation follows from the remaining ones.
    fn minimise(&mut self, learned: &mut Vec<Lit>, marked: &mut Vec<Var>) {
        learned.retain(|&literal| !self.is_redundant(literal, marked));
    }

    fn is_redundant(&mut self, literal: Lit, marked: &mut Vec<Var>) -> bool {
        let Some(reason) = self.reasons[literal.var().index()] else {
            return false;
        };
        let before = marked.len();
        let mut stack = vec![(literal.var(), reason)];
        while let Some((var, reason)) = stack.pop() {
            for index in 0..self.arena.len(reason) {
                let other = self.arena.literal(reason, index).var();
                if other == var || self.seen[other.index()] || self.levels[other.index()] == 0 {
                    continue;
                }
                match self.reasons[other.index()] {
                    Some(next) => {
                        self.seen[other.index()] = true;
                        marked.push(other);
                        stack.push((other, next));
                    }
                    None => {
                        // What was marked on this attempt is not known to follow.
                        for var in marked.drain(before..) {
                            self.seen[var.index()] = false;
                        }
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The assumptions that make this one false; the guard is none of the caller's.
    pub(super) fn explain_failure(&mut self, assumption: Lit, guard: Option<Lit>) {
        self.failed.clear();
        self.failed.push(assumption);
        if self.levels[assumption.var().index()] == 0 {
            return;
        }
        self.seen[assumption.var().index()] = true;
        let start = self.trail_starts.first().copied().unwrap_or(0);
        for at in (start..self.trail.len()).rev() {
            let literal = self.trail[at];
            let var = literal.var();
            if !self.seen[var.index()] {
                continue;
            }
            self.seen[var.index()] = false;
            match self.reasons[var.index()] {
                None if Some(literal) == guard => {}
                None => self.failed.push(literal),
                Some(reason) => {
                    for index in 0..self.arena.len(reason) {
                        let other = self.arena.literal(reason, index).var();
                        if other != var && self.levels[other.index()] > 0 {
                            self.seen[other.index()] = true;
                        }
                    }
                }
            }
        }
        debug_assert!(
            self.failed
                .iter()
                .skip(1)
                .all(|&literal| self.truth(literal) == Truth::True)
        );
    }

    fn bump_var(&mut self, var: Var) {
        let activity = &mut self.heap.activity[var.index()];
        *activity += self.bump;
        if *activity > 1e100 {
            self.heap
                .activity
                .iter_mut()
                .for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
        self.heap.raised(var);
    }

    fn bump_clause(&mut self, clause: ClauseRef) {
        let activity = self.arena.activity(clause) + self.clause_bump;
        self.arena.set_activity(clause, activity);
        if activity > 1e20 {
            for &clause in &self.learned {
                self.arena
                    .set_activity(clause, self.arena.activity(clause) * 1e-20);
            }
            self.clause_bump *= 1e-20;
        }
    }

    pub(super) fn decay(&mut self) {
        self.bump /= 0.95;
        self.clause_bump /= 0.999;
    }
}
