//! Handing the assignment to the theories, and their consequences back.

use crate::congruence::Consequence;
use crate::core::ClauseRef;
use crate::internalize::linear;
use crate::rows::contradicts;
use crate::simplex::FarkasConflict;
use crate::solver::{EqualityAtom, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{Combination, Rational, Rule, Terms};
use entail_sat::Lit;

impl Solver {
    /// Tells the theories what was assigned since the last call. A conflict, if there is one.
    pub(crate) fn propagate_theories(
        &mut self,
        _terms: &Terms,
        budget: &Budget,
    ) -> Result<Option<ClauseRef>, Spent> {
        while self.theory_level < self.core.level() {
            self.simplex.push();
            if let Some(differences) = &mut self.differences {
                differences.push();
            }
            self.congruence.push();
            self.theory_level += 1;
        }
        while self.theory_head < self.core.trail.len() {
            let lit = self.core.trail[self.theory_head];
            self.theory_head += 1;
            if let Some(conflict) = self.tell(lit) {
                return Ok(Some(conflict));
            }
        }
        if let Err(literals) = self.congruence.close() {
            return Ok(Some(self.congruence_conflict(literals)));
        }
        for consequence in std::mem::take(&mut self.congruence.consequences) {
            let (literal, reasons) = match consequence {
                Consequence::Equal(_, _, atom) | Consequence::Unequal(atom, ..)
                    if self.core.value(atom) == consequence.value() =>
                {
                    continue;
                }
                Consequence::Equal(a, b, atom) => (atom, self.congruence.explain(a, b)),
                Consequence::Unequal(atom, pairs, reason) => {
                    let mut reasons: Vec<Lit> = reason.into_iter().collect();
                    for (a, b) in pairs {
                        reasons.extend(self.congruence.explain(a, b));
                    }
                    reasons.sort_unstable();
                    reasons.dedup();
                    (!atom, reasons)
                }
            };
            let mut clause: Vec<Lit> = vec![literal];
            clause.extend(reasons.into_iter().map(|lit| !lit));
            let lemma = self.core.add_lemma(clause, || Rule::Congruence);
            if self.core.is_conflict(lemma) {
                return Ok(Some(lemma));
            }
        }
        if self.differences.is_some() {
            return Ok(self.propagate_differences());
        }
        Ok(match self.simplex.check(budget)? {
            Ok(()) => self.propagate_rows(),
            Err(conflict) => Some(self.farkas_conflict(conflict)),
        })
    }

    fn tell(&mut self, lit: Lit) -> Option<ClauseRef> {
        let var = lit.var().index();
        if let Some(atom) = &self.bound_atoms[var] {
            let (is_upper, value) = if lit.is_positive() {
                atom.positive.clone()
            } else {
                atom.negative.clone()
            };
            let var = atom.var;
            let asserted = match self.require_difference(var, is_upper, &value, lit) {
                Some(required) => required.map(|()| true),
                None => self.simplex.assert_bound(var, is_upper, value, lit),
            };
            match asserted {
                Err(conflict) => return Some(self.farkas_conflict(conflict)),
                Ok(true) => {
                    if let Some(conflict) = self.propagate_bounds(var, lit) {
                        return Some(conflict);
                    }
                }
                Ok(false) => {}
            }
        }
        if !self.tied.is_empty()
            && let (Some(nodes), Some((truth, falsehood))) = (self.tied.get(&lit.var()), self.truth_node)
        {
            for &(node, is_positive) in nodes {
                let value = if lit.is_positive() == is_positive {
                    truth
                } else {
                    falsehood
                };
                self.congruence.assert_equal(node, value, lit);
            }
        }
        match self.equality_atoms[var] {
            Some(EqualityAtom::Equation(a, b)) if lit.is_positive() => {
                self.congruence.assert_equal(a, b, lit)
            }
            Some(EqualityAtom::Equation(a, b)) => {
                if let Err(literals) = self.congruence.assert_unequal(a, b, lit) {
                    return Some(self.congruence_conflict(literals));
                }
            }
            Some(EqualityAtom::Predicate(node)) => {
                if let Some((truth, falsehood)) = self.truth_node {
                    let other = if lit.is_positive() { truth } else { falsehood };
                    self.congruence.assert_equal(node, other, lit);
                }
            }
            None => {}
        }
        None
    }

    /// Other atoms about a variable that a new bound decides.
    fn propagate_bounds(&mut self, var: usize, reason: Lit) -> Option<ClauseRef> {
        let Some(bound) = &self.bound_atoms[reason.var().index()] else {
            return None;
        };
        let (is_upper, value) = if reason.is_positive() {
            bound.positive.clone()
        } else {
            bound.negative.clone()
        };
        for position in 0..self.atoms_of[var].len() {
            let atom = self.atoms_of[var][position];
            if self.core.value(atom) != 0 {
                continue;
            }
            let Some(other) = &self.bound_atoms[atom.var().index()] else {
                continue;
            };
            // The atom's side that the new bound contradicts is false.
            let implied = match (
                contradicts(&other.positive, is_upper, &value),
                contradicts(&other.negative, is_upper, &value),
            ) {
                (true, _) => !atom,
                (_, true) => atom,
                _ => continue,
            };
            let rule = || Rule::Linear(linear(&[(implied, 1), (!reason, 1)]));
            let lemma = self.core.add_lemma(vec![implied, !reason], rule);
            if self.core.is_conflict(lemma) {
                return Some(lemma);
            }
        }
        None
    }

    fn congruence_conflict(&mut self, literals: Vec<Lit>) -> ClauseRef {
        let mut clause: Vec<Lit> = literals.into_iter().map(|lit| !lit).collect();
        clause.sort_unstable();
        clause.dedup();
        self.core.add_lemma(clause, || Rule::Congruence)
    }

    pub(crate) fn farkas_conflict(&mut self, conflict: FarkasConflict) -> ClauseRef {
        let mut clause: Vec<Lit> = Vec::with_capacity(conflict.len());
        let mut factors: Vec<(i32, Rational)> = Vec::with_capacity(conflict.len());
        for (lit, factor) in conflict {
            let lit = !lit;
            match clause.iter().position(|&known| known == lit) {
                Some(place) => factors[place].1 += &factor,
                None => {
                    clause.push(lit);
                    factors.push((lit.to_dimacs(), factor));
                }
            }
        }
        self.core.add_lemma(clause, || {
            Rule::Linear(vec![Combination {
                literals: factors,
                earlier: Vec::new(),
            }])
        })
    }
}
