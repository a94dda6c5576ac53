//! Bounds of conditional numbers: `ite c 3 5` is at least 3 and at most 5, whatever `c` is.
//!
//! The tableau learns what a conditional equals only when its condition is decided. Its least and its greatest number are known before that
//! where both branches are numbers or such conditionals again; without these bounds sums of conditionals (numbers written in bits, counts of
//! formulas) are decided by trying all conditions. Each bound is a clause of one literal, derived from what the conditional equals in both
//! cases, so the proof needs no rule of its own.

use crate::solver::Solver;
use entail_first_order::{Combination, Rational, Rule, TermId, Terms};
use entail_sat::Lit;

/// The least or the greatest value of a conditional: its literal, and the number of the clause that says so in the record.
pub(crate) struct Limit {
    value: Rational,
    clause: (Lit, u32),
}

impl Solver {
    /// The bound of a branch, if it has one; a number needs no clause.
    fn limit_of(
        &self,
        terms: &Terms,
        side: TermId,
        is_upper: bool,
    ) -> Option<(Rational, Option<(Lit, u32)>)> {
        if let Some(number) = terms.number(side) {
            return Some((number.clone(), None));
        }
        let limit = self.limits_of.get(&(side, is_upper))?;
        Some((limit.value.clone(), Some(limit.clause)))
    }

    /// Bounds a conditional number whose condition has a literal; the solver is at level 0.
    pub(crate) fn bound_conditional(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        condition: Lit,
        sides: [TermId; 2],
    ) {
        for is_upper in [true, false] {
            let limits = sides.map(|side| self.limit_of(terms, side, is_upper));
            let [Some(first), Some(second)] = limits else {
                continue;
            };
            let value = match (first.0 < second.0) == is_upper {
                true => second.0.clone(),
                false => first.0.clone(),
            };
            let number = terms.numeral(value.clone(), terms.sort_of(term));
            let bound = match is_upper {
                true => terms.le(term, number),
                false => terms.le(number, term),
            };
            let bound = self.internalize(terms, bound);
            if self.core.is_refuted {
                // The record ends with the empty clause.
                return;
            }
            let mut hints = Vec::new();
            for (side, guard, limit) in [(sides[0], !condition, &first), (sides[1], condition, &second)] {
                let equation = terms.equation(term, side);
                let equal = self.internalize(terms, equation);
                // The equation is about the smaller term and the larger.
                let sign = Rational::integer(if (term < side) == is_upper { 1 } else { -1 });
                // Factors are of inequalities in whole numbers.
                let written = terms
                    .number(side)
                    .map_or_else(Rational::one, Rational::denominator_number);
                let mut factors = vec![
                    (!equal, &sign / &written),
                    (bound, value.denominator_number().recip()),
                ];
                let Some(record) = &mut self.core.record else {
                    break;
                };
                if let (branch, Some((known, id))) = limit {
                    factors.push((!*known, branch.denominator_number().recip()));
                    hints.push(*id);
                }
                let clause: Vec<Lit> = factors.iter().map(|(lit, _)| *lit).collect();
                let literals = factors.into_iter().map(|(lit, factor)| (lit.to_dimacs(), factor));
                let combination = Combination {
                    literals: literals.collect(),
                    earlier: Vec::new(),
                };
                let lemma = record.input(&clause, Rule::Linear(vec![combination]));
                let case = record.input(&[guard, equal], Rule::Conditional(term));
                // Denying the bound denies the equation, and with it this side of the condition.
                hints.extend([lemma, case]);
            }
            let lemma = self.core.add_derived(vec![bound], hints);
            let id = self.core.record.as_ref().map_or(0, |record| record.count);
            if self.core.is_conflict(lemma) {
                self.handle_conflict(lemma);
            }
            let limit = Limit {
                value,
                clause: (bound, id),
            };
            self.limits_of.insert((term, is_upper), limit);
        }
    }
}
