//! A small incremental CDCL solver, shaped to IC3's calls.
//!
//! IC3 asks thousands of questions a second, each about a small part of one copy of the transition relation, each with a clause
//! needed only once. What the general solvers do well (preprocessing, inprocessing) does not pay there; what pays is
//! (Su, Yang, Ci, "Deeply optimizing the SAT solver for the IC3 algorithm"):
//!
//! - **domains**: decisions and propagation stay inside the cone of what is asked. The clauses outside define gates from their
//!   inputs, so every assignment of the cone extends to the rest; a model is partial and says nothing about variables outside.
//!   At decision level 0 propagation is never restricted, so that a unit is propagated once and for good;
//! - **temporary clauses**: a query's constraint is guarded by one activation variable, always the first assumption. Whatever was
//!   derived from it contains the guard's negation and is deleted with it; the variable is used again by the next query;
//! - no work between calls: the assignment stays where the last call left it and is the model.
//!
//! Otherwise textbook: two watched literals with blockers and inlined binary clauses, first-UIP learning with recursive minimisation,
//! VSIDS, phase saving, Luby restarts, glue-based reduction.
//!
//! The files: `arena` (clauses), `decision_heap`, `propagate`, `analyze`, `reduce`; here the interface and the search.

mod analyze;
mod arena;
mod decision_heap;
mod propagate;
mod reduce;

use crate::{Answer, Fanins, Lit, Query, SatSolver, Var};
use arena::{Arena, ClauseRef, Origin};
use decision_heap::DecisionHeap;
use entail_budget::{Budget, Spent};

/// Conflicts of the shortest restart interval.
const RESTART_UNIT: u64 = 64;

/// A permanent member of every domain.
const ALWAYS: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: ClauseRef,
    /// Another literal of the clause; if it is true the clause need not be looked at.
    blocker: Lit,
    binary: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    False,
    True,
    Open,
}

/// Counters of one solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct CdclStatistics {
    /// Calls.
    pub queries: u64,
    /// Conflicts.
    pub conflicts: u64,
    /// Decisions, assumptions included.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
}

/// The solver.
#[derive(Clone, Debug)]
pub struct Cdcl {
    arena: Arena,
    watches: Vec<Vec<Watch>>,
    learned: Vec<ClauseRef>,
    /// Learned in this query from the temporary clause, and the clause itself.
    temporary: Vec<ClauseRef>,
    values: Vec<Truth>,
    levels: Vec<u32>,
    reasons: Vec<Option<ClauseRef>>,
    phases: Vec<bool>,
    trail: Vec<Lit>,
    trail_starts: Vec<usize>,
    propagated: usize,
    heap: DecisionHeap,
    /// Whether the heap has all variables that this query may decide; before its first decision it has not.
    is_heap_filled: bool,
    bump: f64,
    clause_bump: f32,
    /// `domain[v] >= threshold`: the variable takes part in this query.
    domain: Vec<u32>,
    threshold: u32,
    round: u32,
    base_domain: Vec<Var>,
    local_domain: Vec<Var>,
    guard: Option<Var>,
    inconsistent: bool,
    failed: Vec<Lit>,
    seen: Vec<bool>,
    max_learned: usize,
    simplified: usize,
    next_simplification: u64,
    statistics: CdclStatistics,
}

impl Default for Cdcl {
    fn default() -> Cdcl {
        Cdcl::new()
    }
}

impl Cdcl {
    /// A solver without clauses.
    pub fn new() -> Cdcl {
        Cdcl {
            arena: Arena::default(),
            watches: Vec::new(),
            learned: Vec::new(),
            temporary: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            phases: Vec::new(),
            trail: Vec::new(),
            trail_starts: Vec::new(),
            propagated: 0,
            heap: DecisionHeap::default(),
            is_heap_filled: false,
            bump: 1.0,
            clause_bump: 1.0,
            domain: Vec::new(),
            threshold: 0,
            round: 0,
            base_domain: Vec::new(),
            local_domain: Vec::new(),
            guard: None,
            inconsistent: false,
            failed: Vec::new(),
            seen: Vec::new(),
            max_learned: 2000,
            simplified: 0,
            next_simplification: 0,
            statistics: CdclStatistics::default(),
        }
    }

    /// Counters so far.
    pub fn statistics(&self) -> CdclStatistics {
        self.statistics
    }

    /// Every variable takes part in the next queries.
    pub fn unrestricted(&mut self) {
        self.threshold = 0;
    }

    /// Makes a variable, and what it is defined by, part of every domain.
    pub fn add_to_domain(&mut self, var: Var, fanins: &Fanins) {
        let mut stack = vec![var];
        while let Some(var) = stack.pop() {
            if self.domain[var.index()] != ALWAYS {
                self.domain[var.index()] = ALWAYS;
                self.base_domain.push(var);
                stack.extend_from_slice(fanins.of(var));
            }
        }
    }

    /// The next queries only decide and propagate the cones of these literals and what is in every domain. The caller vouches
    /// that the other clauses define their variables from these.
    pub fn restrict_to(&mut self, roots: impl IntoIterator<Item = Lit>, fanins: &Fanins) {
        self.round += 1;
        self.threshold = self.round;
        self.local_domain.clear();
        let round = self.round;
        for root in roots {
            if self.domain[root.var().index()] < round {
                self.domain[root.var().index()] = round;
                self.local_domain.push(root.var());
            }
        }
        let mut at = 0;
        while at < self.local_domain.len() {
            for &var in fanins.of(self.local_domain[at]) {
                if self.domain[var.index()] < round {
                    self.domain[var.index()] = round;
                    self.local_domain.push(var);
                }
            }
            at += 1;
        }
    }

    /// Whether the variable takes part in the next queries.
    pub fn is_in_domain(&self, var: Var) -> bool {
        self.in_domain(var)
    }

    /// The variables that take part in the next queries besides those of every domain.
    pub fn domain(&self) -> impl Iterator<Item = Var> + '_ {
        self.local_domain.iter().copied()
    }

    #[inline]
    fn in_domain(&self, var: Var) -> bool {
        self.domain[var.index()] >= self.threshold
    }

    #[inline]
    fn truth(&self, literal: Lit) -> Truth {
        self.values[literal.index()]
    }

    fn level(&self) -> usize {
        self.trail_starts.len()
    }

    fn assign(&mut self, literal: Lit, reason: Option<ClauseRef>) {
        self.values[literal.index()] = Truth::True;
        self.values[(!literal).index()] = Truth::False;
        self.levels[literal.var().index()] = self.level() as u32;
        self.reasons[literal.var().index()] = reason;
        self.trail.push(literal);
    }

    fn backtrack(&mut self, level: usize) {
        if self.level() <= level {
            return;
        }
        let start = self.trail_starts[level];
        for at in (start..self.trail.len()).rev() {
            let literal = self.trail[at];
            self.values[literal.index()] = Truth::Open;
            self.values[(!literal).index()] = Truth::Open;
            self.phases[literal.var().index()] = literal.is_positive();
            self.heap.insert(literal.var());
        }
        self.trail.truncate(start);
        self.trail_starts.truncate(level);
        self.propagated = self.trail.len().min(self.propagated);
    }

    /// Undoes the last query's assignment; its heap is of no use any more.
    fn reset(&mut self) {
        if self.level() == 0 {
            return;
        }
        let start = self.trail_starts[0];
        for at in start..self.trail.len() {
            let literal = self.trail[at];
            self.values[literal.index()] = Truth::Open;
            self.values[(!literal).index()] = Truth::Open;
            self.phases[literal.var().index()] = literal.is_positive();
        }
        self.trail.truncate(start);
        self.trail_starts.clear();
        self.propagated = self.trail.len().min(self.propagated);
    }

    fn add(&mut self, literals: &[Lit]) {
        self.reset();
        // The last query's clause must not take part in what follows for good.
        self.forget_temporary();
        if self.inconsistent {
            return;
        }
        let mut clause: Vec<Lit> = Vec::with_capacity(literals.len());
        for &literal in literals {
            match self.truth(literal) {
                Truth::True => return,
                Truth::False => {}
                Truth::Open if clause.contains(&!literal) => return,
                Truth::Open if clause.contains(&literal) => {}
                Truth::Open => clause.push(literal),
            }
        }
        match clause.as_slice() {
            [] => self.inconsistent = true,
            [unit] => {
                self.assign(*unit, None);
                self.inconsistent = self.propagate().is_some();
            }
            _ => {
                self.attach(&clause, Origin::Given);
            }
        }
    }

    /// The assumptions that the last [`Answer::Unsatisfiable`] needed.
    pub fn failures(&self) -> &[Lit] {
        &self.failed
    }

    fn attach(&mut self, clause: &[Lit], origin: Origin) -> ClauseRef {
        let reference = self.arena.add(clause, origin);
        self.watch(reference);
        reference
    }

    fn watch(&mut self, clause: ClauseRef) {
        let (first, second) = (self.arena.literal(clause, 0), self.arena.literal(clause, 1));
        let binary = self.arena.len(clause) == 2;
        for (literal, blocker) in [(first, second), (second, first)] {
            self.watches[literal.index()].push(Watch {
                clause,
                blocker,
                binary,
            });
        }
    }

    fn fill_heap(&mut self) {
        self.is_heap_filled = true;
        let Cdcl {
            heap,
            values,
            base_domain,
            local_domain,
            ..
        } = self;
        let open = |var: &Var| values[var.lit(true).index()] == Truth::Open;
        if self.threshold == 0 {
            let all = values.len() / 2;
            heap.fill((0..all).map(Var::new).filter(open));
        } else {
            heap.fill(
                base_domain
                    .iter()
                    .chain(local_domain.iter())
                    .copied()
                    .filter(open),
            );
        }
    }

    fn search(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent> {
        let first_assumption = usize::from(!query.constraint.is_empty());
        let guard = self
            .guard
            .map(|guard| guard.lit(true))
            .filter(|_| first_assumption == 1);
        let mut conflicts = 0u64;
        let mut restarts = 0u64;
        let mut until_restart = RESTART_UNIT * luby(restarts);
        loop {
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                self.statistics.conflicts += 1;
                if self.level() == 0 {
                    self.inconsistent = true;
                    return Ok(Answer::Unsatisfiable);
                }
                let guard_level = self.level() == 1 && guard.is_some();
                if guard_level {
                    // Only the temporary clause and the permanent ones: no assumption is needed.
                    return Ok(Answer::Unsatisfiable);
                }
                self.learn(conflict, guard);
                self.decay();
                if conflicts.is_multiple_of(64) {
                    budget.check_now()?;
                }
                if query.conflict_limit.is_some_and(|limit| conflicts >= limit) {
                    return Ok(Answer::Unknown);
                }
                if conflicts >= until_restart {
                    restarts += 1;
                    until_restart = conflicts + RESTART_UNIT * luby(restarts);
                    self.backtrack(0);
                    if self.learned.len() > self.max_learned {
                        self.reduce();
                    }
                }
                continue;
            }
            let level = self.level();
            let assumption = match (guard, level) {
                (Some(guard), 0) => Some(guard),
                _ => query
                    .assumptions
                    .get(level - usize::from(guard.is_some()))
                    .copied(),
            };
            if let Some(assumption) = assumption {
                match self.truth(assumption) {
                    Truth::True => self.trail_starts.push(self.trail.len()),
                    Truth::False if guard == Some(assumption) => {
                        // Units learned on the way contradict the temporary clause alone. The guard is spent: it is
                        // false for good, which keeps everything derived from that clause satisfied.
                        self.guard = None;
                        return Ok(Answer::Unsatisfiable);
                    }
                    Truth::False => {
                        self.explain_failure(assumption, guard);
                        return Ok(Answer::Unsatisfiable);
                    }
                    Truth::Open => {
                        self.trail_starts.push(self.trail.len());
                        self.assign(assumption, None);
                    }
                }
                continue;
            }
            if !self.is_heap_filled {
                self.fill_heap();
            }
            match self.next_decision() {
                None => return Ok(Answer::Satisfiable),
                Some(literal) => {
                    self.statistics.decisions += 1;
                    self.trail_starts.push(self.trail.len());
                    self.assign(literal, None);
                }
            }
        }
    }

    fn next_decision(&mut self) -> Option<Lit> {
        while let Some(var) = self.heap.pop() {
            if self.truth(var.lit(true)) == Truth::Open && self.in_domain(var) {
                return Some(var.lit(self.phases[var.index()]));
            }
        }
        None
    }

    fn forget_temporary(&mut self) {
        for clause in std::mem::take(&mut self.temporary) {
            self.arena.delete(clause);
            if self.arena.len(clause) == 2 {
                // Propagation does not look whether a binary clause is deleted.
                for at in 0..2 {
                    let literal = self.arena.literal(clause, at);
                    self.watches[literal.index()].retain(|watch| watch.clause != clause);
                }
            }
        }
    }
}

impl SatSolver for Cdcl {
    fn new_var(&mut self) -> Var {
        let var = Var::new(self.levels.len());
        self.levels.push(0);
        self.reasons.push(None);
        self.phases.push(false);
        self.seen.push(false);
        self.domain.push(0);
        self.values.extend([Truth::Open, Truth::Open]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.heap.grow();
        var
    }

    fn variables(&self) -> usize {
        self.levels.len()
    }

    fn add_clause(&mut self, literals: &[Lit]) {
        self.add(literals);
    }

    fn solve_query(&mut self, query: Query<'_>, budget: &Budget) -> Result<Answer, Spent> {
        budget.check()?;
        self.statistics.queries += 1;
        self.reset();
        self.forget_temporary();
        self.failed.clear();
        // A query that was cut short may have left units that are not propagated yet.
        self.inconsistent = self.inconsistent || self.propagate().is_some();
        if self.inconsistent {
            return Ok(Answer::Unsatisfiable);
        }
        self.tidy();
        if !query.constraint.is_empty() {
            let guard = match self.guard {
                Some(guard) => guard,
                None => {
                    let guard = self.new_var();
                    self.domain[guard.index()] = ALWAYS;
                    self.base_domain.push(guard);
                    self.guard = Some(guard);
                    guard
                }
            };
            // The guard comes last so that two literals of the constraint are watched.
            let mut clause: Vec<Lit> = Vec::with_capacity(query.constraint.len() + 1);
            let mut holds = false;
            for &literal in query.constraint {
                holds |= self.truth(literal) == Truth::True || clause.contains(&!literal);
                if self.truth(literal) == Truth::Open && !clause.contains(&literal) {
                    clause.push(literal);
                }
            }
            clause.push(guard.lit(false));
            if clause.len() == 1 && !holds {
                return Ok(Answer::Unsatisfiable);
            }
            if !holds {
                let reference = self.attach(&clause, Origin::Given);
                self.temporary.push(reference);
            }
        }
        // Most questions are answered before anything is decided.
        self.heap.clear();
        self.is_heap_filled = false;
        self.search(query, budget)
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        match self.truth(literal) {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Open => None,
        }
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.failed.contains(&assumption)
    }

    fn set_phase(&mut self, literal: Lit) {
        self.phases[literal.var().index()] = literal.is_positive();
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, … (Luby, Sinclair, Zuckerman).
fn luby(mut index: u64) -> u64 {
    let (mut size, mut power) = (1, 0);
    while size < index + 1 {
        power += 1;
        size = 2 * size + 1;
    }
    while size - 1 != index {
        size = (size - 1) / 2;
        power -= 1;
        index %= size;
    }
    1 << power
}

#[cfg(test)]
mod tests {
    #[test]
    fn restarts_follow_luby() {
        let found: Vec<u64> = (0..15).map(super::luby).collect();
        assert_eq!(found, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
