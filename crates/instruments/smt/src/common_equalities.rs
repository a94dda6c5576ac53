//! Equalities that every alternative of a disjunction implies (the partitions of its members, joined).
//!
//! A chain of alternatives such as `x = y and y = z, or x = w and w = z` has exponentially many cases, none of which mentions `x = z`. The
//! equation becomes an atom that is decided upon first, as false: two conflicts later it is a fact. So it needs no rule of its own
//! in a proof.

use crate::solver::Solver;
use entail_first_order::{Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

/// Disjunctions with more alternatives are not looked at.
const MOST_ALTERNATIVES: usize = 8;

/// The representatives of terms in one alternative: equations between elements of uninterpreted sorts, closed.
fn partition(terms: &Terms, alternative: TermId) -> Option<FxHashMap<TermId, TermId>> {
    let parts = match terms.op(alternative) {
        Op::And => terms.args(alternative).to_vec(),
        _ => vec![alternative],
    };
    let mut classes: FxHashMap<TermId, TermId> = FxHashMap::default();
    for part in parts {
        let (Op::Eq, &[a, b]) = (terms.op(part), terms.args(part)) else {
            continue;
        };
        if !matches!(terms.sort(terms.sort_of(a)), Sort::Uninterpreted(_)) {
            continue;
        }
        let (x, y) = (*classes.get(&a).unwrap_or(&a), *classes.get(&b).unwrap_or(&b));
        classes.insert(a, x);
        classes.insert(b, y);
        classes
            .values_mut()
            .filter(|class| **class == y)
            .for_each(|class| *class = x);
    }
    (!classes.is_empty()).then_some(classes)
}

/// Pairs of terms that are equal in every alternative.
fn common(terms: &Terms, disjunction: TermId) -> Vec<(TermId, TermId)> {
    let alternatives = terms.args(disjunction);
    if *terms.op(disjunction) != Op::Or || alternatives.len() > MOST_ALTERNATIVES {
        return Vec::new();
    }
    let partitions: Option<Vec<_>> = alternatives.iter().map(|&one| partition(terms, one)).collect();
    let Some(partitions) = partitions else {
        return Vec::new();
    };
    let mut groups: FxHashMap<Vec<TermId>, TermId> = FxHashMap::default();
    let mut members: Vec<TermId> = partitions[0].keys().copied().collect();
    members.sort_unstable();
    let mut pairs = Vec::new();
    for member in members {
        let classes: Option<Vec<TermId>> = partitions
            .iter()
            .map(|classes| classes.get(&member).copied())
            .collect();
        let Some(classes) = classes else { continue };
        match groups.get(&classes) {
            Some(&first) => pairs.push((first, member)),
            None => drop(groups.insert(classes, member)),
        }
    }
    pairs
}

impl Solver {
    /// Makes atoms of the equalities that disjunctions among the formulas imply.
    pub(crate) fn offer_equalities(&mut self, terms: &mut Terms, formulas: &[TermId]) {
        for &formula in formulas {
            for (a, b) in common(terms, formula) {
                let equation = terms.equation(a, b);
                if matches!(terms.op(equation), Op::True | Op::False) {
                    continue;
                }
                self.backtrack(0);
                let lit = self.internalize(terms, equation);
                self.core.set_phase(!lit);
                self.core.prefer(lit.var());
            }
        }
    }
}
