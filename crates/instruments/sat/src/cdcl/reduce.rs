//! Forgetting: learned clauses that do not help, clauses that hold anyway, and the space of both. All of it at level 0 only.

use super::{Cdcl, Truth};

/// Learned clauses of at most this glue are kept.
const KEPT_GLUE: u32 = 2;

/// Going through all clauses pays only now and then.
const QUERIES_BETWEEN_SIMPLIFICATIONS: u64 = 1000;

impl Cdcl {
    /// Forgets the less useful half of the learned clauses.
    pub(super) fn reduce(&mut self) {
        let arena = &self.arena;
        self.learned.retain(|&clause| !arena.is_deleted(clause));
        self.learned.sort_by(|&a, &b| {
            let rank = |clause| (arena.glue(clause) <= KEPT_GLUE, arena.activity(clause));
            let ((a_kept, a), (b_kept, b)) = (rank(a), rank(b));
            a_kept.cmp(&b_kept).then(a.total_cmp(&b))
        });
        let half = self.learned.len() / 2;
        for &clause in &self.learned[..half] {
            if self.arena.glue(clause) > KEPT_GLUE && self.arena.len(clause) > 2 {
                self.arena.delete(clause);
            }
        }
        let arena = &self.arena;
        self.learned.retain(|&clause| !arena.is_deleted(clause));
        self.max_learned += self.max_learned / 20;
    }

    /// Between queries: drops what holds since the last time and collects garbage.
    pub(super) fn tidy(&mut self) {
        if self.learned.len() > self.max_learned {
            self.reduce();
        }
        let units = self.trail.len();
        if units > self.simplified && self.statistics.queries >= self.next_simplification {
            self.simplified = units;
            self.next_simplification = self.statistics.queries + QUERIES_BETWEEN_SIMPLIFICATIONS;
            for clause in self.arena.living() {
                if self
                    .arena
                    .literals(clause)
                    .any(|literal| self.truth(literal) == Truth::True)
                {
                    self.arena.delete(clause);
                }
            }
        }
        if self.arena.is_wasteful() {
            self.collect_garbage();
        }
    }

    fn collect_garbage(&mut self) {
        // At level 0 no reason is ever looked at again.
        for &literal in &self.trail {
            self.reasons[literal.var().index()] = None;
        }
        let arena = &self.arena;
        self.learned.retain(|&clause| !arena.is_deleted(clause));
        for watches in &mut self.watches {
            watches.clear();
        }
        let moved = self.arena.compact();
        for clause in &mut self.learned {
            if let Ok(at) = moved.binary_search_by_key(clause, |&(old, _)| old) {
                *clause = moved[at].1;
            }
        }
        for (_, clause) in moved {
            self.watch(clause);
        }
    }
}
