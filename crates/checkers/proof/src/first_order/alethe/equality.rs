//! Clauses about equality: the equations among the negated literals contradict the others. The reasons are found again by a naive congruence
//! closure that keeps a forest of them (Nieuwenhuis, Oliveras 2007, without its economy: the clauses are small).

use super::{Printer, not};
use entail_first_order::{Op, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why two terms are equal.
#[derive(Clone, Copy)]
enum Reason {
    /// By an equation.
    Given,
    /// They are applications to operands that are equal.
    Operands,
}

/// Terms that are equal, with the reasons: a forest.
#[derive(Default)]
struct Forest {
    class: FxHashMap<TermId, TermId>,
    edges: FxHashMap<TermId, Vec<(TermId, Reason)>>,
}

impl Forest {
    fn class(&self, mut term: TermId) -> TermId {
        while let Some(&next) = self.class.get(&term) {
            term = next;
        }
        term
    }

    fn are_equal(&self, a: TermId, b: TermId) -> bool {
        self.class(a) == self.class(b)
    }

    fn unite(&mut self, a: TermId, b: TermId, reason: Reason) {
        let (first, second) = (self.class(a), self.class(b));
        if first != second {
            self.class.insert(first, second);
            self.edges.entry(a).or_default().push((b, reason));
            self.edges.entry(b).or_default().push((a, reason));
        }
    }

    /// The terms between two equal ones, with the reasons.
    fn way(&self, from: TermId, to: TermId) -> Vec<(TermId, TermId, Reason)> {
        let mut before: FxHashMap<TermId, (TermId, Reason)> = FxHashMap::default();
        let mut open = vec![from];
        while let Some(term) = open.pop() {
            for &(next, reason) in self.edges.get(&term).into_iter().flatten() {
                if next != from && !before.contains_key(&next) {
                    before.insert(next, (term, reason));
                    open.push(next);
                }
            }
        }
        let mut way = Vec::new();
        let mut here = to;
        while here != from
            && let Some(&(earlier, reason)) = before.get(&here)
        {
            way.push((earlier, here, reason));
            here = earlier;
        }
        way.reverse();
        way
    }
}

impl Printer<'_> {
    /// The tautologies from which a clause about equality follows by resolution.
    pub(super) fn congruence(&mut self, clause: &[(TermId, bool)]) -> Option<Vec<String>> {
        let forest = self.closure(clause);
        let mut parts = Vec::new();
        let mut shown = FxHashSet::default();
        let sides = |term: TermId| match (self.terms.op(term), self.terms.args(term)) {
            (Op::Eq, &[a, b]) => Some((a, b)),
            _ => None,
        };
        let unequal = (clause.iter())
            .filter(|one| one.1)
            .filter_map(|one| sides(one.0))
            .find(|&(a, b)| forest.are_equal(a, b));
        if let Some((a, b)) = unequal {
            self.show_equal(&forest, a, b, &mut shown, &mut parts);
            return self.enough(parts);
        }
        for &(holds, _) in clause.iter().filter(|one| !one.1) {
            for &(fails, _) in clause.iter().filter(|one| one.1) {
                if self.are_congruent(&forest, holds, fails) {
                    let (p, q) = (self.term(holds), self.term(fails));
                    self.show_operands(&forest, holds, fails, &[not(&p), q], &mut shown, &mut parts);
                    return self.enough(parts);
                }
            }
        }
        self.different_constants(&forest, clause, shown, parts)
    }

    /// One step more than none: resolution wants two premises.
    fn enough(&mut self, mut parts: Vec<String>) -> Option<Vec<String>> {
        if parts.len() == 1 {
            parts.push(self.tautology(&["true".to_owned()], "true", &[]));
        }
        Some(parts)
    }

    /// Two numbers or words that differ are equal.
    fn different_constants(
        &mut self,
        forest: &Forest,
        clause: &[(TermId, bool)],
        mut shown: FxHashSet<(TermId, TermId)>,
        mut parts: Vec<String>,
    ) -> Option<Vec<String>> {
        let atoms: Vec<TermId> = clause.iter().map(|one| one.0).collect();
        let is_constant = |&term: &TermId| matches!(self.terms.op(term), Op::Number(_) | Op::Word(_));
        let constants: Vec<TermId> = self.terms.cone(&atoms).into_iter().filter(is_constant).collect();
        let pairs = |(place, &a): (usize, &TermId)| {
            let equal = constants[place + 1..].iter().find(|&&b| forest.are_equal(a, b));
            equal.map(|&b| (a, b))
        };
        let (a, b) = constants.iter().enumerate().find_map(pairs)?;
        self.show_equal(forest, a, b, &mut shown, &mut parts);
        let equation = format!("(= {} {})", self.term(a), self.term(b));
        let simpler = self.tautology(&[format!("(= {equation} false)")], "evaluate", &[]);
        parts.push(self.further(&[not(&equation), "false".to_owned()], "equiv1", &[simpler], &[]));
        parts.push(self.tautology(&["(not false)".to_owned()], "false", &[]));
        Some(parts)
    }

    fn closure(&self, clause: &[(TermId, bool)]) -> Forest {
        let mut forest = Forest::default();
        for &(term, is_true) in clause {
            if let (Op::Eq, &[a, b], false) = (self.terms.op(term), self.terms.args(term), is_true) {
                forest.unite(a, b, Reason::Given);
            }
        }
        let atoms: Vec<TermId> = clause.iter().map(|one| one.0).collect();
        let compound = |term: &TermId| !self.terms.args(*term).is_empty() && !self.is_boolean(*term);
        let terms: Vec<TermId> = self.terms.cone(&atoms).into_iter().filter(compound).collect();
        loop {
            let mut is_changed = false;
            for (place, &a) in terms.iter().enumerate() {
                for &b in &terms[place + 1..] {
                    if !forest.are_equal(a, b) && self.are_congruent(&forest, a, b) {
                        forest.unite(a, b, Reason::Operands);
                        is_changed = true;
                    }
                }
            }
            if !is_changed {
                return forest;
            }
        }
    }

    /// Whether two terms apply the same operator to operands that are equal.
    fn are_congruent(&self, forest: &Forest, a: TermId, b: TermId) -> bool {
        let (left, right) = (self.terms.args(a), self.terms.args(b));
        self.terms.op(a) == self.terms.op(b)
            && !left.is_empty()
            && left.len() == right.len()
            && left.iter().zip(right).all(|(&a, &b)| forest.are_equal(a, b))
    }

    /// Writes the tautologies that make two terms equal.
    fn show_equal(
        &mut self,
        forest: &Forest,
        a: TermId,
        b: TermId,
        shown: &mut FxHashSet<(TermId, TermId)>,
        parts: &mut Vec<String>,
    ) {
        // Equalities still to be shown; those of operands come up on the way.
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            if !shown.insert((a, b)) {
                continue;
            }
            let way = forest.way(a, b);
            let (first, last) = (self.term(a), self.term(b));
            let goal = format!("(= {first} {last})");
            if way.is_empty() {
                parts.push(self.tautology(&[goal], "eq_reflexive", &[]));
                continue;
            }
            if let [(_, _, Reason::Operands)] = way.as_slice() {
                open.extend(self.show_application(a, b, &[goal], parts));
                continue;
            }
            let mut clause = Vec::new();
            for &(from, to, reason) in &way {
                // An equation is there as the smaller term and the larger.
                let (from, to) = match reason {
                    Reason::Given => (from.min(to), from.max(to)),
                    Reason::Operands => (from, to),
                };
                clause.push(not(&format!("(= {} {})", self.term(from), self.term(to))));
                if let Reason::Operands = reason {
                    open.push((from, to));
                }
            }
            if way.len() == 1 {
                // A chain has two links at least.
                clause.push(not(&format!("(= {first} {first})")));
                open.push((a, a));
            }
            clause.push(goal);
            parts.push(self.tautology(&clause, "eq_transitive", &[]));
        }
    }

    /// Writes that equal operands make applications equal; the pairs of operands.
    fn show_application(
        &mut self,
        a: TermId,
        b: TermId,
        goal: &[String],
        parts: &mut Vec<String>,
    ) -> Vec<(TermId, TermId)> {
        let pairs: Vec<(TermId, TermId)> = (self.terms.args(a).iter().copied())
            .zip(self.terms.args(b).iter().copied())
            .collect();
        let mut clause: Vec<String> = Vec::new();
        for &(a, b) in &pairs {
            clause.push(not(&format!("(= {} {})", self.term(a), self.term(b))));
        }
        clause.extend_from_slice(goal);
        let rule = match goal.len() {
            1 => "eq_congruent",
            _ => "eq_congruent_pred",
        };
        parts.push(self.tautology(&clause, rule, &[]));
        pairs
    }

    fn show_operands(
        &mut self,
        forest: &Forest,
        a: TermId,
        b: TermId,
        goal: &[String],
        shown: &mut FxHashSet<(TermId, TermId)>,
        parts: &mut Vec<String>,
    ) {
        for (a, b) in self.show_application(a, b, goal, parts) {
            self.show_equal(forest, a, b, shown, parts);
        }
    }
}
