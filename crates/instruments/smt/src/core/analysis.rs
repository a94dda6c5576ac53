//! Learning from conflicts: first unique implication points, literals that the others imply dropped, and which assumptions failed.

use super::{ClauseRef, Core, NO_REASON};
use entail_sat::{Lit, Var};

impl Core {
    /// Learns from a conflict; the clause and the level to go back to. The conflict is at the current level, above 0.
    fn analyze(&mut self, conflict: ClauseRef) -> (Vec<Lit>, usize, Vec<u32>) {
        let level = self.level() as u32;
        let mut learned = vec![Lit::from_index(0)];
        let mut open = 0;
        let mut position = self.trail.len();
        let mut reference = conflict;
        let mut marked: Vec<Var> = Vec::new();
        let mut used: Vec<(u32, u32)> = Vec::new();
        let mut units: Vec<u32> = Vec::new();
        let mut pivot: Option<Lit> = None;
        loop {
            self.bump_clause(reference);
            for index in 0..self.clauses[reference as usize].lits.len() {
                let lit = self.clauses[reference as usize].lits[index];
                if Some(lit) == pivot {
                    continue;
                }
                let var = lit.var();
                if self.levels[var.index()] == 0 {
                    units.push(self.unit_ids[var.index()]);
                    continue;
                }
                if self.seen[var.index()] {
                    continue;
                }
                self.seen[var.index()] = true;
                marked.push(var);
                self.order.bump(var);
                if self.levels[var.index()] == level {
                    open += 1;
                } else {
                    learned.push(lit);
                }
            }
            loop {
                position -= 1;
                if self.seen[self.trail[position].var().index()] {
                    break;
                }
            }
            let lit = self.trail[position];
            open -= 1;
            if open == 0 {
                learned[0] = !lit;
                break;
            }
            pivot = Some(lit);
            reference = self.reasons[lit.var().index()];
            used.push((
                self.positions[lit.var().index()],
                self.clauses[reference as usize].id,
            ));
        }
        // Drop literals that follow from the others by their reasons, and by the reasons of these.
        let mut kept = vec![learned[0]];
        for &lit in &learned[1..] {
            match self.redundancy(lit.var(), &learned) {
                None => kept.push(lit),
                Some((vars, more_units)) => {
                    units.extend(more_units);
                    for &var in std::iter::once(&lit.var()).chain(&vars) {
                        let reason = self.reasons[var.index()];
                        used.push((self.positions[var.index()], self.clauses[reason as usize].id));
                    }
                    marked.extend(vars);
                }
            }
        }
        for var in marked {
            self.seen[var.index()] = false;
        }
        let mut back = 0;
        for index in 1..kept.len() {
            let level = self.level_of(kept[index]) as usize;
            if level > back {
                back = level;
                kept.swap(1, index);
            }
        }
        let mut hints = Vec::new();
        if self.record.is_some() {
            units.sort_unstable();
            units.dedup();
            used.sort_unstable();
            used.dedup();
            hints = units;
            hints.extend(used.into_iter().map(|(_, id)| id));
            hints.push(self.clauses[conflict as usize].id);
        }
        (kept, back, hints)
    }

    /// Whether a variable of a learned clause follows from the clause's other literals: the variables on the way, marked as seen, and the
    /// numbers of unit clauses used.
    fn redundancy(&mut self, var: Var, learned: &[Lit]) -> Option<(Vec<Var>, Vec<u32>)> {
        let mut waiting = vec![var];
        let mut met: Vec<Var> = Vec::new();
        let mut units = Vec::new();
        while let Some(next) = waiting.pop() {
            let reason = self.reasons[next.index()];
            let is_open = reason == NO_REASON || met.len() > 200;
            let lits = match is_open {
                true => &[],
                false => self.clauses[reason as usize].lits.as_slice(),
            };
            let mut fails = is_open;
            for lit in lits {
                let other = lit.var();
                if other == next || self.seen[other.index()] {
                    continue;
                }
                let level = self.levels[other.index()];
                if level == 0 {
                    units.push(self.unit_ids[other.index()]);
                } else if self.reasons[other.index()] == NO_REASON
                    || !learned.iter().any(|lit| self.level_of(*lit) == level)
                {
                    fails = true;
                    break;
                } else {
                    self.seen[other.index()] = true;
                    met.push(other);
                    waiting.push(other);
                }
            }
            if fails {
                for var in met {
                    self.seen[var.index()] = false;
                }
                return None;
            }
        }
        Some((met, units))
    }

    /// In how many levels the literals of a clause are assigned.
    fn glue(&mut self, lits: &[Lit]) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for &lit in lits {
            let level = self.level_of(lit) as usize;
            if self.level_stamps.len() <= level {
                self.level_stamps.resize(level + 1, 0);
            }
            if self.level_stamps[level] != self.stamp {
                self.level_stamps[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// Resolves a conflict at the current level: learns, goes back, propagates the learned literal. False: refuted.
    /// The level gone back to is the result.
    pub fn resolve(&mut self, conflict: ClauseRef) -> Option<usize> {
        self.conflicts += 1;
        if self.level() == 0 {
            self.refute(conflict);
            return None;
        }
        let (lits, back, hints) = self.analyze(conflict);
        let id = match &mut self.record {
            Some(record) => record.derive(&lits, hints),
            None => 0,
        };
        let glue = self.glue(&lits);
        self.backtrack(back);
        let first = lits[0];
        let reference = self.store(lits, id, true);
        self.clauses[reference as usize].glue = glue;
        self.enqueue(first, reference);
        self.order.decay();
        self.clause_increment /= 0.999;
        Some(back)
    }

    /// The assumptions a false assumption contradicts, itself included, and the record's number of the clause that says so.
    pub fn analyze_final(&mut self, failed: Lit) -> (Vec<Lit>, u32) {
        let mut core = vec![failed];
        let mut used: Vec<(u32, u32)> = Vec::new();
        let mut units = Vec::new();
        let mut waiting = vec![(!failed).var()];
        let mut marked = waiting.clone();
        self.seen[failed.var().index()] = true;
        while let Some(var) = waiting.pop() {
            if self.levels[var.index()] == 0 {
                units.push(self.unit_ids[var.index()]);
                continue;
            }
            let reason = self.reasons[var.index()];
            if reason == NO_REASON {
                let lit = var.lit(self.values[var.index()] > 0);
                if lit != failed {
                    core.push(lit);
                }
                continue;
            }
            used.push((self.positions[var.index()], self.clauses[reason as usize].id));
            for other in &self.clauses[reason as usize].lits {
                if !self.seen[other.var().index()] {
                    self.seen[other.var().index()] = true;
                    marked.push(other.var());
                    waiting.push(other.var());
                }
            }
        }
        for var in marked {
            self.seen[var.index()] = false;
        }
        core.dedup();
        let mut id = 0;
        if let Some(record) = &mut self.record {
            used.sort_unstable();
            let hints = units
                .into_iter()
                .chain(used.into_iter().map(|(_, id)| id))
                .collect();
            let mut clause: Vec<Lit> = core.iter().map(|&lit| !lit).collect();
            clause.sort_unstable();
            clause.dedup();
            id = record.derive(&clause, hints);
        }
        (core, id)
    }
}
