//! Bounds that rows of the tableau imply, for atoms that are not decided yet (Dutertre, de Moura 2006, section 3).
//!
//! A row is an equation; if all its variables but one have the bounds that matter, the last one has a bound too. If that decides an
//! atom about it, the atom follows from the literals of the other bounds, with the row's factors as Farkas' factors. Only rows with a
//! bound that changed are looked at, and only so many variables in one call.

use crate::core::ClauseRef;
use crate::simplex::{Delta, SimplexVar};
use crate::solver::Solver;
use entail_first_order::{Combination, Rational, Rule};
use entail_sat::Lit;

/// Longer rows are not looked at.
const LONGEST_ROW: usize = 30;
/// Entries of rows that are looked at in one call.
const MOST_ENTRIES: usize = 600;

impl Solver {
    /// Decides atoms that follow from rows. A conflict, if there is one.
    pub(crate) fn propagate_rows(&mut self) -> Option<ClauseRef> {
        let mut entries = 0;
        for row in self.simplex.take_touched_rows() {
            let (basic, others) = self.simplex.row(row);
            if others.len() > LONGEST_ROW {
                continue;
            }
            entries += others.len();
            if entries > MOST_ENTRIES {
                break;
            }
            let mut equation: Vec<(SimplexVar, Rational)> = others.to_vec();
            equation.push((basic, Rational::integer(-1)));
            for is_upper in [true, false] {
                if let Some(conflict) = self.propagate_equation(&equation, is_upper) {
                    return Some(conflict);
                }
            }
        }
        None
    }

    /// The bound that a variable's part of a sum has: from above or below.
    fn part_bound(&self, var: SimplexVar, factor: &Rational, is_upper: bool) -> Option<(Delta, Lit)> {
        let bound = match factor.is_positive() == is_upper {
            true => self.simplex.upper(var),
            false => self.simplex.lower(var),
        }?;
        Some((Delta::default().plus(bound.value, factor), bound.reason))
    }

    /// The sum of the parts is zero; with all others at their bounds from above (or below), a part is bounded from below (or above).
    fn propagate_equation(
        &mut self,
        equation: &[(SimplexVar, Rational)],
        is_upper: bool,
    ) -> Option<ClauseRef> {
        let mut total = Delta::default();
        let mut open: Option<usize> = None;
        let mut parts: Vec<Option<(Delta, Lit)>> = Vec::with_capacity(equation.len());
        for (place, (var, factor)) in equation.iter().enumerate() {
            let part = self.part_bound(*var, factor, is_upper);
            match &part {
                Some((bound, _)) => total = total.plus(bound, &Rational::one()),
                None if open.is_some() => return None,
                None => open = Some(place),
            }
            parts.push(part);
        }
        for place in 0..equation.len() {
            if open.is_some_and(|open| open != place) {
                continue;
            }
            let (var, factor) = &equation[place];
            if self.atoms_of[*var].is_empty() {
                continue;
            }
            let others = match &parts[place] {
                Some((own, _)) => total.minus(own),
                None => total.clone(),
            };
            // factor * var >= -others if the others are bounded from above.
            let value = Delta::default().minus(&others).over(factor);
            let bounds_above = factor.is_positive() != is_upper;
            let reasons: Vec<(Lit, Rational)> = (parts.iter().zip(equation).enumerate())
                .filter(|(other, _)| *other != place)
                .filter_map(|(_, (part, (_, factor)))| Some((part.as_ref()?.1, factor.abs())))
                .collect();
            if let Some(conflict) = self.decide_atoms(*var, bounds_above, &value, &factor.abs(), &reasons) {
                return Some(conflict);
            }
        }
        None
    }

    /// Decides the open atoms about a variable that a bound implies.
    fn decide_atoms(
        &mut self,
        var: SimplexVar,
        is_upper: bool,
        value: &Delta,
        own_factor: &Rational,
        reasons: &[(Lit, Rational)],
    ) -> Option<ClauseRef> {
        for position in 0..self.atoms_of[var].len() {
            let atom = self.atoms_of[var][position];
            if self.core.value(atom) != 0 {
                continue;
            }
            let Some(bound) = &self.bound_atoms[atom.var().index()] else {
                continue;
            };
            let implied = match (
                contradicts(&bound.positive, is_upper, value),
                contradicts(&bound.negative, is_upper, value),
            ) {
                (true, _) => !atom,
                (_, true) => atom,
                _ => continue,
            };
            let mut clause = vec![implied];
            let mut literals = vec![(implied.to_dimacs(), own_factor.clone())];
            for (reason, factor) in reasons {
                match clause.iter().position(|&known| known == !*reason) {
                    Some(place) => literals[place].1 += factor,
                    None => {
                        clause.push(!*reason);
                        literals.push(((!*reason).to_dimacs(), factor.clone()));
                    }
                }
            }
            let rule = Rule::Linear(vec![Combination {
                literals,
                earlier: Vec::new(),
            }]);
            let lemma = self.core.add_lemma(clause, rule);
            if self.core.is_conflict(lemma) {
                return Some(lemma);
            }
        }
        None
    }
}

/// Whether a bound, from above or below, contradicts a side of an atom.
pub(crate) fn contradicts(side: &(bool, Delta), is_upper: bool, value: &Delta) -> bool {
    side.0 != is_upper
        && if is_upper {
            side.1 > *value
        } else {
            side.1 < *value
        }
}
