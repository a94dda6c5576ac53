//! Products of inequalities: if `f >= 0` and `g >= 0` are assigned, `f g >= 0`, and `f g > 0` if both are strict; and squares of sums and differences.
//!
//! Only products whose monomials are known already, but for one now and then, are looked at, and only those that the assignment violates
//! become clauses, so few new monomials arise. With single variables for `f` and `g` these are the bounds that McCormick's envelopes give.

use crate::linear::scaled;
use crate::model::Valuation;
use crate::products::Polynomial;
use crate::solver::Solver;
use entail_first_order::{Atom, Op, Rational, Rule, SortId, TermId, Terms};
use entail_sat::Lit;
use rustc_hash::FxHashSet;

/// How many assigned inequalities are multiplied with each other.
const MOST_INEQUALITIES: usize = 40;
/// How many products of two are introduced for it in one call.
const MOST_NEW_MONOMIALS: usize = 24;
/// How many clauses are added in a round.
const MOST_CLAUSES: usize = 12;

/// An inequality `polynomial >= 0` that a literal says, or `polynomial > 0`.
struct Inequality {
    lit: Option<Lit>,
    is_strict: bool,
    polynomial: Polynomial,
    term: TermId,
    sort: SortId,
}

fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut result = Polynomial::new();
    for (left, x) in a {
        for (right, y) in b {
            let mut monomial = [left.as_slice(), right.as_slice()].concat();
            monomial.sort_unstable();
            *result.entry(monomial).or_default() += &(x * y);
        }
    }
    result.retain(|_, value| !value.is_zero());
    result
}

impl Solver {
    /// Clauses that the assignment violates; whether there were any.
    pub(crate) fn multiply_inequalities(&mut self, terms: &mut Terms) -> bool {
        let mut all = self.assigned_inequalities(terms);
        let bounds = all.len();
        all.extend(self.differences(terms));
        let mut found: Vec<(usize, usize, Polynomial)> = Vec::new();
        // Products of strict inequalities that are zero; they are looked at if no other is wrong.
        let mut vanishing: Vec<(usize, usize, Polynomial)> = Vec::new();
        {
            let mut values = Valuation::new(self, terms);
            for (first, a) in all.iter().enumerate() {
                for (second, b) in all.iter().enumerate().skip(first) {
                    // Differences have no sign of their own: only their squares are known.
                    let is_square = first == second;
                    let is_known = is_square || second < bounds;
                    if a.sort != b.sort || !is_known || found.len() >= MOST_CLAUSES {
                        continue;
                    }
                    let polynomial = product(&a.polynomial, &b.polynomial);
                    let mut fresh = 0;
                    let value = polynomial
                        .iter()
                        .try_fold(Rational::zero(), |sum, (monomial, factor)| {
                            let term = self.monomial_terms.get(&(monomial.clone(), a.sort));
                            let value = match (monomial.as_slice(), term) {
                                ([], _) => Rational::one(),
                                (&[leaf], _) => values.number(leaf),
                                (_, Some(&term)) => values.number(term),
                                (&[left, right], None)
                                    if self.new_monomials < MOST_NEW_MONOMIALS && fresh == 0 =>
                                {
                                    fresh += 1;
                                    &values.number(left) * &values.number(right)
                                }
                                _ => return None,
                            };
                            Some(&sum + &(&value * factor))
                        });
                    match value {
                        Some(value) if value.is_negative() => found.push((first, second, polynomial)),
                        Some(value) if value.is_zero() && a.is_strict && b.is_strict => {
                            vanishing.push((first, second, polynomial));
                        }
                        _ => {}
                    }
                }
            }
        }
        let is_strict = found.is_empty();
        if is_strict {
            vanishing.truncate(MOST_CLAUSES);
            found = vanishing;
        }
        if found.is_empty() {
            return false;
        }
        self.backtrack(0);
        for (first, second, polynomial) in found {
            let (a, b) = (&all[first], &all[second]);
            let sort = a.sort;
            let mut parts = Vec::new();
            for (monomial, factor) in &polynomial {
                parts.push(match monomial.as_slice() {
                    [] => terms.numeral(factor.clone(), sort),
                    &[leaf] => {
                        let leaf = if sort == SortId::REAL {
                            terms.to_real(leaf)
                        } else {
                            leaf
                        };
                        scaled(terms, factor, leaf, sort)
                    }
                    _ => {
                        let known = self.monomial_terms.get(&(monomial.clone(), sort)).copied();
                        self.new_monomials += usize::from(known.is_none());
                        let term = known.unwrap_or_else(|| self.monomial_term(terms, monomial, sort));
                        scaled(terms, factor, term, sort)
                    }
                });
            }
            let sum = terms.add(&parts, sort);
            let zero = terms.numeral(Rational::zero(), sort);
            let bound = match is_strict {
                true => terms.lt(zero, sum),
                false => terms.le(zero, sum),
            };
            let pair = terms.make(Op::Mul, &[a.term, b.term], sort);
            let mut clause: Vec<Lit> = [a.lit, b.lit].into_iter().flatten().map(|lit| !lit).collect();
            clause.push(self.internalize(terms, bound));
            self.clause(&clause, Rule::Product(pair, Rational::zero(), Rational::zero()));
        }
        true
    }

    /// Linear polynomials over leaves of the sides of an inequality.
    fn polynomial(&mut self, terms: &Terms, larger: TermId, smaller: TermId) -> Polynomial {
        let mut form = self.forms.of(terms, larger);
        let other = self.forms.of(terms, smaller);
        form.add(&other, &Rational::integer(-1));
        let mut polynomial = Polynomial::new();
        if !form.constant.is_zero() {
            polynomial.insert(Vec::new(), form.constant.clone());
        }
        for (leaf, factor) in form.parts {
            let monomial = self.monomials.get(&leaf).cloned().unwrap_or_else(|| vec![leaf]);
            polynomial.insert(monomial, factor);
        }
        polynomial
    }

    fn assigned_inequalities(&mut self, terms: &mut Terms) -> Vec<Inequality> {
        let factors: FxHashSet<TermId> = self.monomials.values().flatten().copied().collect();
        let mut found = Vec::new();
        for var in 0..self.atoms.len() {
            let Atom::Formula(atom) = self.atoms[var] else {
                continue;
            };
            let lit = entail_sat::Var::new(var).lit(true);
            if self.bound_atoms[var].is_none() || *terms.op(atom) != Op::Le || self.core.value(lit) == 0 {
                continue;
            }
            let is_true = self.core.value(lit) > 0;
            let [left, right] = [terms.args(atom)[0], terms.args(atom)[1]];
            let (larger, smaller) = if is_true { (right, left) } else { (left, right) };
            let polynomial = self.polynomial(terms, larger, smaller);
            let is_useful =
                polynomial.len() <= 5 && polynomial.keys().flatten().any(|leaf| factors.contains(leaf));
            if !is_useful || found.len() >= MOST_INEQUALITIES {
                continue;
            }
            found.push(Inequality {
                lit: Some(if is_true { lit } else { !lit }),
                is_strict: !is_true,
                term: terms.sub(larger, smaller),
                sort: terms.sort_of(left),
                polynomial,
            });
        }
        found
    }

    /// Sums and differences of factors whose squares are known monomials.
    fn differences(&mut self, terms: &mut Terms) -> Vec<Inequality> {
        let mut squares: Vec<(TermId, SortId)> = (self.monomial_terms.keys())
            .filter(|(monomial, _)| matches!(monomial.as_slice(), [a, b] if a == b))
            .map(|(monomial, sort)| (monomial[0], *sort))
            .collect();
        squares.sort_unstable();
        squares.truncate(12);
        let mut found = Vec::new();
        for (position, &(a, sort)) in squares.iter().enumerate() {
            for &(b, other) in &squares[position + 1..] {
                if sort != other
                    || !self
                        .monomial_terms
                        .contains_key(&(vec![a.min(b), a.max(b)], sort))
                {
                    continue;
                }
                for sign in [1, -1] {
                    let factor = Rational::integer(sign);
                    let wrap = |terms: &mut Terms, leaf| {
                        if sort == SortId::REAL {
                            terms.to_real(leaf)
                        } else {
                            leaf
                        }
                    };
                    let (left, right) = (wrap(terms, a), wrap(terms, b));
                    let right = scaled(terms, &factor, right, sort);
                    let term = terms.add(&[left, right], sort);
                    found.push(Inequality {
                        lit: None,
                        is_strict: false,
                        polynomial: Polynomial::from([(vec![a], Rational::one()), (vec![b], factor)]),
                        term,
                        sort,
                    });
                }
            }
        }
        found
    }
}
