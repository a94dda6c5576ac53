//! Integers: branching on values that are not whole; products of variables.

use crate::model::Valuation;
use crate::solver::{FinalCheck, Solver};
use entail_first_order::{Op, Rational, SortId, TermId, Terms, euclidean_quotient};

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

    /// Whether products and quotients of variables have the values of the model.
    pub(crate) fn check_products(&mut self, terms: &mut Terms) -> Option<FinalCheck> {
        let wrong = {
            let mut values = Valuation::new(self, terms);
            let mut wrong = None;
            for &product in &self.products {
                let args = terms.args(product);
                let numbers: Vec<Rational> = args.iter().map(|&arg| values.number(arg)).collect();
                let right = match terms.op(product) {
                    Op::Mul => numbers
                        .iter()
                        .fold(Rational::one(), |so_far, value| &so_far * value),
                    Op::IntDiv => euclidean_quotient(&numbers[0], &numbers[1]),
                    _ if numbers[1].is_zero() => Rational::zero(),
                    _ => &numbers[0] / &numbers[1],
                };
                if values.number(product) != right {
                    wrong = Some(product);
                    break;
                }
            }
            wrong
        };
        wrong.map(|product: TermId| {
            FinalCheck::Unknown(format!(
                "products of variables are not decided: {}",
                terms.print(product)
            ))
        })
    }
}
