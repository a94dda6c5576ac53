//! Integers: branching on values that are not whole.

use crate::solver::{FinalCheck, Solver};
use entail_first_order::{Op, Rational, SortId, Terms};

/// How many branches are tried in one call before the answer is unknown.
const MOST_BRANCHES: usize = 1_000;

impl Solver {
    /// An integer whose value is not whole becomes at most its floor, or more.
    pub(crate) fn branch(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        let mut found: Option<(Rational, usize)> = None;
        for var in 0..self.simplex.count() {
            if !self.simplex.is_integer[var] || !self.leaves.contains_key(&self.simplex_terms[var]) {
                continue;
            }
            let value = &self.simplex.value(var).real;
            if value.is_integer() && self.simplex.value(var).infinitesimal.is_zero() {
                continue;
            }
            // Small numbers first: solutions are looked for near zero.
            let size = value.abs();
            if found.as_ref().is_none_or(|(least, _)| size < *least) {
                found = Some((size, var));
            }
        }
        let (_, var) = found?;
        self.branches += 1;
        if self.branches > MOST_BRANCHES {
            return Some(FinalCheck::Unknown("too many branches on integers".into()));
        }
        let leaf = self.simplex_terms[var];
        let value = self.simplex.value(var);
        let floor = match value.real.is_integer() && value.infinitesimal.is_negative() {
            true => &value.real - &Rational::one(),
            false => value.real.floor(),
        };
        let number = terms.numeral(floor, SortId::INT);
        let atom = terms.make(Op::Le, &[leaf, number], SortId::BOOL);
        if self.lits.contains_key(&atom) {
            return None;
        }
        self.backtrack(0);
        self.internalize(terms, atom);
        Some(FinalCheck::Again)
    }
}
