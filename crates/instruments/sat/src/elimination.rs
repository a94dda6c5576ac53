//! Bounded variable elimination for definitions (Eén and Biere, "Effective preprocessing in SAT through variable and clause elimination").
//!
//! Every clause of a circuit belongs to the definition of one gate. A gate that is not asked for is eliminated by putting its definition in
//! the place of its uses: each clause that uses it is resolved with the clauses that define it, and stays part of the definition it
//! belonged to. (Resolvents of two uses follow from these, as the definition is complete.) This is done where it does not make more
//! clauses. What remains are definitions again, so that queries can still be restricted to cones.

use crate::{Lit, Var};

/// Longer clauses are not made.
const LONGEST: usize = 20;

/// Gates with more uses are not looked at.
const MOST_USES: usize = 30;

/// Clauses that define variables from others.
pub(crate) struct Definitions {
    /// For each variable the clauses that define it; literals are sorted.
    clauses: Vec<Vec<Vec<Lit>>>,
    /// For each variable the variables whose definitions may use it.
    users: Vec<Vec<Var>>,
}

impl Definitions {
    /// Without definitions, for this number of variables.
    pub(crate) fn new(variables: usize) -> Definitions {
        Definitions {
            clauses: vec![Vec::new(); variables],
            users: vec![Vec::new(); variables],
        }
    }

    /// Makes a clause part of a variable's definition.
    pub(crate) fn add(&mut self, defined: Var, clause: &[Lit]) {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0].var() == pair[1].var()) {
            return;
        }
        for literal in &clause {
            let users = &mut self.users[literal.var().index()];
            if literal.var() != defined && users.last() != Some(&defined) {
                users.push(defined);
            }
        }
        self.clauses[defined.index()].push(clause);
    }

    /// The definition of a variable; none for leaves and what was eliminated.
    pub(crate) fn of(&self, var: Var) -> &[Vec<Lit>] {
        &self.clauses[var.index()]
    }

    /// Eliminates variables that need not be kept where that does not make more clauses; says for each whether it was.
    pub(crate) fn eliminate(&mut self, kept: &[bool]) -> Vec<bool> {
        let mut eliminated = vec![false; self.clauses.len()];
        let mut queue: Vec<Var> = (0..self.clauses.len()).map(Var::new).collect();
        // Cheap ones first; what an elimination changes is looked at once more.
        queue.sort_by_key(|var| std::cmp::Reverse(self.users[var.index()].len()));
        let mut again: Vec<Var> = Vec::new();
        for round in 0..3 {
            while let Some(var) = queue.pop() {
                let at = var.index();
                if kept[at] || eliminated[at] || self.clauses[at].is_empty() {
                    continue;
                }
                if let Some(replaced) = self.without(var) {
                    for (user, clauses) in replaced {
                        for literal in clauses.iter().flatten() {
                            let users = &mut self.users[literal.var().index()];
                            if literal.var() != user && !users.contains(&user) {
                                users.push(user);
                            }
                        }
                        self.clauses[user.index()] = clauses;
                        again.push(user);
                    }
                    self.clauses[at].clear();
                    self.users[at].clear();
                    eliminated[at] = true;
                }
            }
            if round < 2 {
                std::mem::swap(&mut queue, &mut again);
            }
        }
        eliminated
    }

    /// The definitions of the variable's users without it, if they are no larger in all.
    fn without(&self, var: Var) -> Option<Vec<(Var, Vec<Vec<Lit>>)>> {
        let users = &self.users[var.index()];
        if users.len() > MOST_USES {
            return None;
        }
        let definition = &self.clauses[var.index()];
        let mut spare = definition.len() as isize;
        let mut replaced = Vec::with_capacity(users.len());
        for &user in users {
            let old = &self.clauses[user.index()];
            let mut new: Vec<Vec<Lit>> = Vec::with_capacity(old.len());
            let mut changes = false;
            for clause in old {
                let Some(used) = clause.iter().find(|literal| literal.var() == var) else {
                    new.push(clause.clone());
                    continue;
                };
                changes = true;
                spare += 1;
                for defining in definition.iter().filter(|defining| defining.contains(&!*used)) {
                    let Some(resolvent) = resolvent(clause, defining, *used) else {
                        continue;
                    };
                    if resolvent.len() > LONGEST {
                        return None;
                    }
                    if new.iter().any(|other| is_subset(other, &resolvent)) {
                        continue;
                    }
                    new.push(resolvent);
                    spare -= 1;
                }
                if spare < -(definition.len() as isize) {
                    return None;
                }
            }
            if changes {
                replaced.push((user, new));
            }
        }
        (spare >= 0).then_some(replaced)
    }
}

/// The resolvent on a literal of the first clause, unless it is always true.
fn resolvent(a: &[Lit], b: &[Lit], on: Lit) -> Option<Vec<Lit>> {
    let mut merged: Vec<Lit> = Vec::with_capacity(a.len() + b.len() - 2);
    merged.extend(a.iter().filter(|&&literal| literal != on));
    merged.extend(b.iter().filter(|&&literal| literal != !on));
    merged.sort_unstable();
    merged.dedup();
    let is_true = merged.windows(2).any(|pair| pair[0].var() == pair[1].var());
    (!is_true).then_some(merged)
}

/// Whether every literal of the first sorted clause is in the second.
fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|literal| rest.any(|other| other == literal))
}
