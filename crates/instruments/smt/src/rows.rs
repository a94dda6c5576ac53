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

/// An atom that follows, with the literals it follows from; each has the factor of Farkas' lemma.
pub(crate) struct Consequence {
    pub implied: (Lit, Rational),
    pub reasons: Vec<(Lit, Rational)>,
}

impl Solver {
    /// Decides atoms that follow from rows. A conflict, if there is one.
    pub(crate) fn propagate_rows(&mut self) -> Option<ClauseRef> {
        let mut entries = 0;
        for row in self.simplex.take_touched_rows() {
            let length = self.simplex.row(row).1.len();
            if length > LONGEST_ROW {
                continue;
            }
            entries += length;
            if entries > MOST_ENTRIES {
                break;
            }
            for is_upper in [true, false] {
                for consequence in self.consequences(row, is_upper) {
                    if let Some(conflict) = self.learn_consequence(consequence) {
                        return Some(conflict);
                    }
                }
            }
        }
        None
    }

    fn has_open_atom(&self, var: SimplexVar) -> bool {
        self.atoms_of[var].iter().any(|&atom| self.core.value(atom) == 0)
    }

    /// Open atoms that a row implies. The sum of its parts, the basic variable's among them, is zero; with all others at their bounds from
    /// above (or below), a part is bounded from below (or above).
    fn consequences(&self, row: usize, is_upper: bool) -> Vec<Consequence> {
        let minus = Rational::integer(-1);
        let (basic, others) = self.simplex.row(row);
        let parts = || (others.iter().map(|(var, factor)| (*var, factor))).chain([(basic, &minus)]);
        let bound = |var: SimplexVar, factor: &Rational| match factor.is_positive() == is_upper {
            true => self.simplex.upper(var),
            false => self.simplex.lower(var),
        };
        let mut unbounded = parts().filter(|(var, factor)| bound(*var, factor).is_none());
        let (open, second) = (unbounded.next(), unbounded.next());
        let matters = match open {
            Some((var, _)) => second.is_none() && self.has_open_atom(var),
            None => parts().any(|(var, _)| self.has_open_atom(var)),
        };
        if !matters {
            return Vec::new();
        }
        let mut total = Delta::default();
        for (var, factor) in parts() {
            if let Some(bound) = bound(var, factor) {
                total = total.plus(bound.value, factor);
            }
        }
        let mut found = Vec::new();
        for (var, factor) in parts() {
            if open.is_some_and(|(open, _)| open != var) || !self.has_open_atom(var) {
                continue;
            }
            let rest = match bound(var, factor) {
                Some(own) => total.plus(own.value, &-factor),
                None => total.clone(),
            };
            // factor * var >= -rest if the others are bounded from above.
            let value = Delta::default().minus(&rest).over(factor);
            let bounds_above = factor.is_positive() != is_upper;
            for implied in self.implied_atoms(var, bounds_above, &value) {
                let reasons = parts().filter(|(other, _)| *other != var);
                found.push(Consequence {
                    implied: (implied, factor.abs()),
                    reasons: reasons
                        .filter_map(|(other, factor)| Some((bound(other, factor)?.reason, factor.abs())))
                        .collect(),
                });
            }
        }
        found
    }

    /// The open atoms about a variable that a bound implies.
    fn implied_atoms(&self, var: SimplexVar, is_upper: bool, value: &Delta) -> Vec<Lit> {
        let implied = |&atom: &Lit| {
            let bound = self.bound_atoms[atom.var().index()].as_ref()?;
            match self.core.value(atom) {
                0 if contradicts(&bound.positive, is_upper, value) => Some(!atom),
                0 if contradicts(&bound.negative, is_upper, value) => Some(atom),
                _ => None,
            }
        };
        self.atoms_of[var].iter().filter_map(implied).collect()
    }

    /// Adds the lemma that an atom follows, unless it is true by now. The lemma if it is a conflict.
    pub(crate) fn learn_consequence(&mut self, consequence: Consequence) -> Option<ClauseRef> {
        let Consequence { implied, reasons } = consequence;
        if self.core.value(implied.0) > 0 {
            return None;
        }
        let mut clause = vec![implied.0];
        let mut factors = vec![implied.1];
        for (reason, factor) in reasons {
            match clause.iter().position(|&known| known == !reason) {
                Some(place) => factors[place] += &factor,
                None => {
                    clause.push(!reason);
                    factors.push(factor);
                }
            }
        }
        let literals = clause.iter().map(|lit| lit.to_dimacs()).zip(factors);
        let combination = Combination {
            literals: literals.collect(),
            earlier: Vec::new(),
        };
        let lemma = (self.core).add_lemma(clause, || Rule::Linear(vec![combination]));
        self.core.is_conflict(lemma).then_some(lemma)
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
