//! The propositional part of the solver: conflict-driven clause learning with a record of its proof.
//!
//! Two watched literals, first unique implication points, activities with a heap, saved phases. Clauses can be added while variables are
//! assigned at level 0 only. If a record is kept, every learned clause is written down with the clauses it follows from by unit
//! propagation, in the order of propagation: literals of level 0 have unit clauses of their own in the record.

mod analysis;

use crate::activity::ActivityOrder;
use crate::record::Record;
use entail_first_order::Rule;
use entail_sat::{Lit, Var};

/// A clause's place in the solver.
pub(crate) type ClauseRef = u32;

const NO_REASON: ClauseRef = u32::MAX;

struct Clause {
    lits: Vec<Lit>,
    is_learned: bool,
    is_deleted: bool,
    activity: f32,
    /// In how many levels its literals were assigned when it was learned.
    glue: u32,
    /// Number in the record; 0 if there is none.
    id: u32,
}

#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseRef,
    blocker: Lit,
}

/// The solver's clauses and assignment.
pub(crate) struct Core {
    clauses: Vec<Clause>,
    watches: Vec<Vec<Watch>>,
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<ClauseRef>,
    positions: Vec<u32>,
    /// For variables assigned at level 0, the number of their unit clause in the record.
    unit_ids: Vec<u32>,
    pub trail: Vec<Lit>,
    limits: Vec<usize>,
    head: usize,
    order: ActivityOrder,
    clause_increment: f32,
    phases: Vec<bool>,
    seen: Vec<bool>,
    level_stamps: Vec<u64>,
    stamp: u64,
    /// The clauses are unsatisfiable without assumptions.
    pub is_refuted: bool,
    pub record: Option<Record>,
    learned: usize,
    pub conflicts: u64,
    /// The variables that are never decided upon.
    pub undecided: Vec<bool>,
}

impl Core {
    pub fn new(with_record: bool) -> Core {
        Core {
            clauses: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            unit_ids: Vec::new(),
            trail: Vec::new(),
            limits: Vec::new(),
            head: 0,
            order: ActivityOrder::new(),
            clause_increment: 1.0,
            phases: Vec::new(),
            seen: Vec::new(),
            level_stamps: Vec::new(),
            stamp: 0,
            is_refuted: false,
            record: with_record.then(Record::default),
            learned: 0,
            conflicts: 0,
            undecided: Vec::new(),
        }
    }

    pub fn new_var(&mut self) -> Var {
        let var = Var::new(self.values.len());
        self.values.push(0);
        self.levels.push(0);
        self.reasons.push(NO_REASON);
        self.positions.push(0);
        self.unit_ids.push(0);
        self.phases.push(false);
        self.seen.push(false);
        self.undecided.push(false);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.order.add(var);
        var
    }

    pub fn variable_count(&self) -> usize {
        self.values.len()
    }

    pub fn clause_count(&self) -> usize {
        self.clauses.len()
    }

    /// The literals of a clause that was not forgotten.
    pub fn clause_literals(&self, index: usize) -> Option<&[Lit]> {
        let clause = &self.clauses[index];
        (!clause.is_deleted).then_some(&clause.lits)
    }

    pub fn set_phase(&mut self, lit: Lit) {
        self.phases[lit.var().index()] = lit.is_positive();
    }

    /// Has a variable decided upon before others that took part in no conflict.
    pub fn prefer(&mut self, var: Var) {
        self.order.bump(var);
    }

    /// 1 true, -1 false, 0 open.
    #[inline]
    pub fn value(&self, lit: Lit) -> i8 {
        let value = self.values[lit.var().index()];
        if lit.is_positive() { value } else { -value }
    }

    pub fn level(&self) -> usize {
        self.limits.len()
    }

    pub fn level_of(&self, lit: Lit) -> u32 {
        self.levels[lit.var().index()]
    }

    pub fn new_level(&mut self) {
        self.limits.push(self.trail.len());
    }

    fn enqueue(&mut self, lit: Lit, reason: ClauseRef) {
        let var = lit.var().index();
        self.values[var] = if lit.is_positive() { 1 } else { -1 };
        self.levels[var] = self.level() as u32;
        self.reasons[var] = reason;
        self.positions[var] = self.trail.len() as u32;
        self.trail.push(lit);
        if self.limits.is_empty() && self.record.is_some() && reason != NO_REASON {
            self.record_unit(lit, reason);
        }
    }

    /// Writes the unit clause of a literal of level 0 into the record.
    fn record_unit(&mut self, lit: Lit, reason: ClauseRef) {
        let clause = &self.clauses[reason as usize];
        let id = if clause.lits.len() == 1 {
            clause.id
        } else {
            let mut hints: Vec<u32> = (clause.lits.iter())
                .filter(|&&other| other != lit)
                .map(|other| self.unit_ids[other.var().index()])
                .collect();
            hints.push(clause.id);
            self.record
                .as_mut()
                .map_or(0, |record| record.derive(&[lit], hints))
        };
        self.unit_ids[lit.var().index()] = id;
    }

    pub fn decide(&mut self, lit: Lit) {
        self.new_level();
        self.enqueue(lit, NO_REASON);
    }

    pub fn backtrack(&mut self, level: usize) {
        if self.level() <= level {
            return;
        }
        let keep = self.limits[level];
        for position in (keep..self.trail.len()).rev() {
            let lit = self.trail[position];
            let var = lit.var().index();
            self.values[var] = 0;
            self.phases[var] = lit.is_positive();
            self.reasons[var] = NO_REASON;
            self.order.insert(lit.var());
        }
        self.trail.truncate(keep);
        self.limits.truncate(level);
        self.head = self.head.min(keep);
    }

    /// Adds a clause; the solver is at level 0. Says whether the clauses are still consistent.
    pub fn add_clause(&mut self, lits: &[Lit], rule: Rule) -> bool {
        debug_assert_eq!(self.level(), 0);
        let mut lits = lits.to_vec();
        lits.sort_unstable();
        lits.dedup();
        if lits.windows(2).any(|pair| pair[0] == !pair[1]) || self.is_refuted {
            return !self.is_refuted;
        }
        let id = self.record.as_mut().map_or(0, |record| record.input(&lits, rule));
        self.attach(lits, id, false);
        !self.is_refuted
    }

    /// Attaches a clause at level 0 and propagates it if it is a unit now.
    fn attach(&mut self, mut lits: Vec<Lit>, id: u32, is_learned: bool) {
        // Literals that are not false come first.
        lits.sort_by_key(|&lit| self.value(lit) < 0);
        let open = lits.iter().filter(|&&lit| self.value(lit) >= 0).count();
        let first = lits.first().copied();
        let reference = self.store(lits, id, is_learned);
        match (open, first) {
            (0, _) => {
                self.refute(reference);
            }
            (1, Some(lit)) if self.value(lit) == 0 => self.enqueue(lit, reference),
            _ => {}
        }
    }

    fn store(&mut self, lits: Vec<Lit>, id: u32, is_learned: bool) -> ClauseRef {
        let reference = self.clauses.len() as ClauseRef;
        if let [first, second, ..] = *lits.as_slice() {
            self.watches[(!first).index()].push(Watch {
                clause: reference,
                blocker: second,
            });
            self.watches[(!second).index()].push(Watch {
                clause: reference,
                blocker: first,
            });
        }
        self.learned += usize::from(is_learned);
        self.clauses.push(Clause {
            lits,
            is_learned,
            is_deleted: false,
            activity: self.clause_increment,
            glue: u32::MAX,
            id,
        });
        reference
    }

    /// A clause whose literals are all false at level 0: nothing is consistent any more.
    fn refute(&mut self, reference: ClauseRef) {
        self.is_refuted = true;
        let clause = &self.clauses[reference as usize];
        let mut hints: Vec<u32> = clause
            .lits
            .iter()
            .map(|lit| self.unit_ids[lit.var().index()])
            .collect();
        hints.push(clause.id);
        if let Some(record) = &mut self.record {
            record.derive(&[], hints);
        }
    }

    /// Propagates; the clause in conflict, if there is one.
    pub fn propagate(&mut self) -> Option<ClauseRef> {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[lit.index()]);
            let mut kept = 0;
            let mut conflict = None;
            let mut position = 0;
            'next: while position < watches.len() {
                let watch = watches[position];
                position += 1;
                if self.value(watch.blocker) > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let clause = &mut self.clauses[watch.clause as usize];
                if clause.is_deleted {
                    continue;
                }
                let false_lit = !lit;
                if clause.lits[0] == false_lit {
                    clause.lits.swap(0, 1);
                }
                let first = clause.lits[0];
                if first != watch.blocker
                    && self.values[first.var().index()] * if first.is_positive() { 1 } else { -1 } > 0
                {
                    watches[kept] = Watch {
                        clause: watch.clause,
                        blocker: first,
                    };
                    kept += 1;
                    continue;
                }
                for index in 2..clause.lits.len() {
                    let other = clause.lits[index];
                    let value = self.values[other.var().index()];
                    if (if other.is_positive() { value } else { -value }) >= 0 {
                        clause.lits.swap(1, index);
                        self.watches[(!other).index()].push(Watch {
                            clause: watch.clause,
                            blocker: first,
                        });
                        continue 'next;
                    }
                }
                watches[kept] = Watch {
                    clause: watch.clause,
                    blocker: first,
                };
                kept += 1;
                if self.value(first) < 0 {
                    conflict = Some(watch.clause);
                    self.head = self.trail.len();
                    break;
                }
                self.enqueue(first, watch.clause);
            }
            while position < watches.len() {
                watches[kept] = watches[position];
                kept += 1;
                position += 1;
            }
            watches.truncate(kept);
            self.watches[lit.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Adds a lemma of a theory while searching: all literals but perhaps the first are false. Propagates the first if it is open.
    /// The rule is made only where there is a record.
    pub fn add_lemma(&mut self, lits: Vec<Lit>, rule: impl FnOnce() -> Rule) -> ClauseRef {
        let id = self
            .record
            .as_mut()
            .map_or(0, |record| record.input(&lits, rule()));
        self.enter_lemma(lits, id)
    }

    /// The same for a clause that follows from clauses in the record.
    pub fn add_derived(&mut self, lits: Vec<Lit>, hints: Vec<u32>) -> ClauseRef {
        let id = self
            .record
            .as_mut()
            .map_or(0, |record| record.derive(&lits, hints));
        self.enter_lemma(lits, id)
    }

    fn enter_lemma(&mut self, mut lits: Vec<Lit>, id: u32) -> ClauseRef {
        // The watched ones are the open or true one and those assigned last.
        let rank = |core: &Core, lit: Lit| match core.value(lit) {
            value if value >= 0 => u32::MAX,
            _ => core.level_of(lit),
        };
        lits.sort_by_key(|&lit| std::cmp::Reverse(rank(self, lit)));
        let first = lits[0];
        let is_open = self.value(first) == 0 && lits[1..].iter().all(|&lit| self.value(lit) < 0);
        let reference = self.store(lits, id, true);
        if is_open {
            self.enqueue(first, reference);
        }
        reference
    }

    /// The largest level among the literals of a clause.
    pub fn conflict_level(&self, reference: ClauseRef) -> usize {
        let lits = &self.clauses[reference as usize].lits;
        lits.iter()
            .map(|&lit| self.level_of(lit) as usize)
            .max()
            .unwrap_or(0)
    }

    /// Whether all literals of a clause are false.
    pub fn is_conflict(&self, reference: ClauseRef) -> bool {
        self.clauses[reference as usize]
            .lits
            .iter()
            .all(|&lit| self.value(lit) < 0)
    }

    /// The next variable to decide upon, with its saved phase.
    pub fn pick(&mut self) -> Option<Lit> {
        while let Some(var) = self.order.pop() {
            if self.values[var.index()] == 0 && !self.undecided[var.index()] {
                return Some(var.lit(self.phases[var.index()]));
            }
        }
        None
    }

    /// Forgets half of the learned clauses if there are many.
    pub fn reduce(&mut self) {
        if self.learned < 4000 + self.conflicts as usize / 4 {
            return;
        }
        let mut candidates: Vec<(std::cmp::Reverse<u32>, f32, ClauseRef)> = (0..self.clauses.len()
            as ClauseRef)
            .filter(|&reference| {
                let clause = &self.clauses[reference as usize];
                clause.is_learned
                    && !clause.is_deleted
                    && clause.lits.len() > 2
                    && clause.glue > 2
                    && !self.is_reason(reference)
            })
            .map(|reference| {
                let clause = &self.clauses[reference as usize];
                (std::cmp::Reverse(clause.glue.min(20)), clause.activity, reference)
            })
            .collect();
        candidates.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for &(_, _, reference) in &candidates[..candidates.len() / 2] {
            let clause = &mut self.clauses[reference as usize];
            clause.is_deleted = true;
            clause.lits.truncate(2);
            clause.lits.shrink_to_fit();
            self.learned -= 1;
        }
    }

    fn is_reason(&self, reference: ClauseRef) -> bool {
        let lits = &self.clauses[reference as usize].lits;
        (lits.iter().take(2)).any(|lit| self.value(*lit) > 0 && self.reasons[lit.var().index()] == reference)
    }

    fn bump_clause(&mut self, reference: ClauseRef) {
        let increment = self.clause_increment;
        self.clauses[reference as usize].activity += increment;
        if self.clause_increment > 1e20 {
            self.clauses
                .iter_mut()
                .for_each(|clause| clause.activity *= 1e-20);
            self.clause_increment *= 1e-20;
        }
    }
}
