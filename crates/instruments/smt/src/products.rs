//! Products and quotients of variables: incremental linearization (Cimatti, Griggio, Irfan, Roveri, Sebastiani 2018).
//!
//! A product is a leaf of the simplex. When it is met it is multiplied out into monomials, and these into products of two, so that equal
//! monomials are equal leaves; a quotient is tied to the product it undoes. When a complete assignment gives a product of two the wrong
//! value, clauses are added that exclude it: rules of signs and zero, and tangent planes at the point where the factors are. Every
//! clause is judged by the checker from the signs of polynomials.

use crate::guess::numeric_constants;
use crate::linear::scaled;
use crate::model::Valuation;
use crate::solver::{FinalCheck, Solver};
use entail_budget::{Budget, Spent};
use entail_first_order::{Op, Rational, Rule, SortId, TermId, Terms};
use entail_sat::Lit;
use std::collections::BTreeMap;

/// After how many rounds of clauses polynomials are looked at as such.
const CHEAP_ROUNDS: usize = 2;
/// How many monomials a product is multiplied out to.
const MOST_MONOMIALS: usize = 64;
/// How many times clauses are added in one call before the answer is unknown.
const MOST_ROUNDS: usize = 400;
/// How many wrong assignments are remembered.
const MOST_SAMPLES: usize = 12;
/// After how many times a wrong assignment is remembered.
const SAMPLE_EVERY: usize = 32;
/// How many wrong products are looked at in one round.
const AT_ONCE: usize = 6;

/// Monomials, as sorted lists of leaves, with their coefficients.
pub(crate) type Polynomial = BTreeMap<Vec<TermId>, Rational>;

/// A product of terms multiplied out; `None` if it is too large.
fn multiplied_out(solver: &mut Solver, terms: &Terms, factors: &[TermId]) -> Option<Polynomial> {
    let mut product = Polynomial::from([(Vec::new(), Rational::one())]);
    for &factor in factors {
        let form = solver.forms.of(terms, factor);
        let mut sum = Polynomial::new();
        if !form.constant.is_zero() {
            sum.insert(Vec::new(), form.constant.clone());
        }
        for (leaf, value) in &form.parts {
            let monomial = solver.monomials.get(leaf).cloned().unwrap_or_else(|| vec![*leaf]);
            sum.insert(monomial, value.clone());
        }
        let mut next = Polynomial::new();
        for (left, x) in &product {
            for (right, y) in &sum {
                let mut monomial = [left.as_slice(), right.as_slice()].concat();
                monomial.sort_unstable();
                let entry = next.entry(monomial).or_default();
                *entry += &(x * y);
            }
        }
        next.retain(|_, value| !value.is_zero());
        if next.len() > MOST_MONOMIALS {
            return None;
        }
        product = next;
    }
    Some(product)
}

impl Solver {
    /// The term of a monomial, as products of two from the left.
    pub(crate) fn monomial_term(&mut self, terms: &mut Terms, factors: &[TermId], sort: SortId) -> TermId {
        let wrapped: Vec<TermId> = (factors.iter())
            .map(|&leaf| {
                if sort == SortId::REAL {
                    terms.to_real(leaf)
                } else {
                    leaf
                }
            })
            .collect();
        let mut term = wrapped[0];
        for (count, &factor) in wrapped.iter().enumerate().skip(1) {
            term = terms.make(Op::Mul, &[term, factor], sort);
            let monomial = factors[..=count].to_vec();
            self.monomial_terms.insert((monomial.clone(), sort), term);
            self.monomials.insert(term, monomial);
        }
        term
    }

    /// A product of variables is met: ties it to its monomials.
    pub(crate) fn meet_product(&mut self, terms: &mut Terms, term: TermId, args: &[TermId]) {
        if self.monomials.contains_key(&term) {
            self.products.push(term);
            return;
        }
        let sort = terms.sort_of(term);
        let Some(polynomial) = multiplied_out(self, terms, args) else {
            self.products.push(term);
            return;
        };
        let mut parts = Vec::new();
        for (factors, value) in &polynomial {
            let number = terms.numeral(value.clone(), sort);
            if factors.is_empty() {
                parts.push(number);
                continue;
            }
            let monomial = self.monomial_term(terms, factors, sort);
            if monomial == term {
                // It is its own monomial.
                self.products.push(term);
                return;
            }
            parts.push(scaled(terms, value, monomial, sort));
        }
        let sum = match parts.as_slice() {
            [] => terms.numeral(Rational::zero(), sort),
            &[one] => one,
            _ => terms.make(Op::Add, &parts, sort),
        };
        let equation = terms.eq(term, sum);
        let lit = self.internalize(terms, equation);
        self.clause(&[lit], product_rule(term));
    }

    /// A quotient by a variable is met: ties it to the product it undoes.
    pub(crate) fn meet_quotient(
        &mut self,
        terms: &mut Terms,
        term: TermId,
        dividend: TermId,
        divisor: TermId,
    ) {
        let sort = terms.sort_of(term);
        let zero = terms.numeral(Rational::zero(), sort);
        let by_zero = terms.eq(divisor, zero);
        let by_zero = self.internalize(terms, by_zero);
        let is_zero = terms.eq(term, zero);
        let is_zero = self.internalize(terms, is_zero);
        self.clause(&[!by_zero, is_zero], product_rule(term));
        let product = terms.make(Op::Mul, &[divisor, term], sort);
        if *terms.op(term) == Op::Divide {
            let whole = terms.eq(product, dividend);
            let whole = self.internalize(terms, whole);
            self.clause(&[by_zero, whole], product_rule(term));
            return;
        }
        let below = terms.le(product, dividend);
        let below = self.internalize(terms, below);
        self.clause(&[by_zero, below], product_rule(term));
        for is_positive in [true, false] {
            let sign = if is_positive { 1 } else { -1 };
            let size = scaled(terms, &Rational::integer(sign), divisor, SortId::INT);
            let minus = terms.int(-1);
            let top = terms.add(&[product, size, minus], SortId::INT);
            let within = terms.le(dividend, top);
            let other = if is_positive {
                terms.le(divisor, zero)
            } else {
                terms.le(zero, divisor)
            };
            let (within, other) = (self.internalize(terms, within), self.internalize(terms, other));
            self.clause(&[other, within], product_rule(term));
        }
    }

    /// Looks at the values of products; adds clauses where they are wrong.
    pub(crate) fn check_products(
        &mut self,
        terms: &mut Terms,
        budget: &Budget,
    ) -> Result<Option<FinalCheck>, Spent> {
        let mut wrong: Vec<(TermId, [Rational; 3])> = Vec::new();
        {
            let mut values = Valuation::new(self, terms);
            for &product in &self.products {
                let args = terms.args(product);
                let numbers: Vec<Rational> = args.iter().map(|&arg| values.number(arg)).collect();
                let right = numbers
                    .iter()
                    .fold(Rational::one(), |so_far, value| &so_far * value);
                let own = values.number(product);
                if own != right {
                    let [x, y] = match numbers.as_slice() {
                        [x, y] => [x.clone(), y.clone()],
                        _ => [Rational::zero(), Rational::zero()],
                    };
                    wrong.push((product, [x, y, own]));
                }
            }
        }
        let Some(&(first, _)) = wrong.first() else {
            return Ok(None);
        };
        self.product_rounds += 1;
        if self.product_rounds.is_power_of_two() || self.product_rounds.is_multiple_of(SAMPLE_EVERY) {
            self.note_nearby(terms);
        }
        // The first rounds are cheap and often enough.
        if self.product_rounds > CHEAP_ROUNDS
            && let Some(answer) = self.check_cells(terms, budget)?
        {
            return Ok(Some(answer));
        }
        let is_stuck = wrong.iter().all(|(product, _)| terms.args(*product).len() != 2);
        if self.product_rounds > MOST_ROUNDS || is_stuck {
            let shown: String = terms.print(first).chars().take(100).collect();
            let reason = format!("products of variables are not decided: {shown}");
            return Ok(Some(FinalCheck::Unknown(reason)));
        }
        if self.multiply_inequalities(terms) {
            return Ok(Some(FinalCheck::Again));
        }
        self.backtrack(0);
        wrong.retain(|(product, _)| terms.args(*product).len() == 2);
        wrong.truncate(AT_ONCE);
        for (product, values) in wrong {
            self.linearize(terms, product, &values);
        }
        Ok(Some(FinalCheck::Again))
    }

    /// Keeps the values of the constants that products depend on.
    fn note_nearby(&mut self, terms: &mut Terms) {
        let mut values = Valuation::new(self, terms);
        let sample = numeric_constants(terms, &self.products)
            .into_iter()
            .map(|constant| (constant, values.number(constant)))
            .collect();
        if self.nearby.len() >= MOST_SAMPLES {
            self.nearby.remove(0);
        }
        self.nearby.push(sample);
    }

    fn linearize(&mut self, terms: &mut Terms, product: TermId, [x_value, y_value, own]: &[Rational; 3]) {
        let sort = terms.sort_of(product);
        let [x, y] = [terms.args(product)[0], terms.args(product)[1]];
        let zero = Rational::zero();
        let exact = x_value * y_value;
        let nothing = terms.numeral(zero.clone(), sort);
        // A factor that is zero makes the product zero.
        for (factor, value) in [(x, x_value), (y, y_value)] {
            if value.is_zero() {
                let (none, gone) = (terms.eq(factor, nothing), terms.eq(product, nothing));
                let (none, gone) = (self.internalize(terms, none), self.internalize(terms, gone));
                self.clause(&[!none, gone], Rule::Product(product, zero.clone(), zero.clone()));
                return;
            }
        }
        if x == y {
            return self.linearize_square(terms, product, x, x_value, own);
        }
        if own.signum() != exact.signum() {
            // The rule of signs for the signs at hand.
            let mut clause = Vec::new();
            for (factor, value) in [(x, x_value), (y, y_value)] {
                let opposite = match value.is_positive() {
                    true => terms.le(factor, nothing),
                    false => terms.le(nothing, factor),
                };
                clause.push(self.internalize(terms, opposite));
            }
            let wanted = match exact.is_positive() {
                true => terms.lt(nothing, product),
                false => terms.lt(product, nothing),
            };
            clause.push(self.internalize(terms, wanted));
            self.clause(&clause, Rule::Product(product, zero.clone(), zero));
            return;
        }
        // Tangent planes at the point: (x - a)(y - b) has the sign its factors give it.
        let is_above = *own > exact;
        let plane = self.plane(terms, (x, y), (x_value, y_value), sort);
        let bound = if is_above {
            terms.le(product, plane)
        } else {
            terms.le(plane, product)
        };
        let bound = self.internalize(terms, bound);
        let (a, b) = (
            terms.numeral(x_value.clone(), sort),
            terms.numeral(y_value.clone(), sort),
        );
        for x_above in [true, false] {
            let y_above = x_above != is_above;
            let left = if x_above { terms.le(a, x) } else { terms.le(x, a) };
            let right = if y_above { terms.le(b, y) } else { terms.le(y, b) };
            let (left, right) = (self.internalize(terms, left), self.internalize(terms, right));
            let rule = Rule::Product(product, x_value.clone(), y_value.clone());
            self.clause(&[!left, !right, bound], rule);
        }
    }

    /// `b x + a y - a b`.
    fn plane(
        &mut self,
        terms: &mut Terms,
        (x, y): (TermId, TermId),
        (a, b): (&Rational, &Rational),
        sort: SortId,
    ) -> TermId {
        let parts = [
            scaled(terms, b, x, sort),
            scaled(terms, a, y, sort),
            terms.numeral(-(a * b), sort),
        ];
        terms.add(&parts, sort)
    }

    fn linearize_square(
        &mut self,
        terms: &mut Terms,
        product: TermId,
        x: TermId,
        value: &Rational,
        own: &Rational,
    ) {
        let sort = terms.sort_of(product);
        let exact = value * value;
        if *own < exact {
            // The tangent, and between whole numbers the secant that both sides are above.
            let (a, b) = match sort == SortId::INT {
                true => {
                    let other = if value.is_integer() {
                        value + &Rational::one()
                    } else {
                        value.ceil()
                    };
                    (value.floor(), other)
                }
                false => (value.clone(), value.clone()),
            };
            let mut points = vec![(a.clone(), b)];
            if sort == SortId::INT {
                points.push((&a - &Rational::one(), a.clone()));
            }
            for (a, b) in points {
                let plane = self.plane(terms, (x, x), (&a, &b), sort);
                let bound = terms.le(plane, product);
                let bound = self.internalize(terms, bound);
                self.clause(&[bound], Rule::Product(product, a, b));
            }
            return;
        }
        // Above: on one side of the point the square is below the secant to a farther one.
        let one = Rational::one();
        let far = [&(value - &one) - &value.abs(), &(value + &one) + &value.abs()];
        for (side, other) in far.into_iter().enumerate() {
            let (low, high) = if side == 0 {
                (other, value.clone())
            } else {
                (value.clone(), other)
            };
            let plane = self.plane(terms, (x, x), (&low, &high), sort);
            let bound = terms.le(product, plane);
            let (low_term, high_term) = (
                terms.numeral(low.clone(), sort),
                terms.numeral(high.clone(), sort),
            );
            let (above, below) = (terms.le(low_term, x), terms.le(x, high_term));
            let clause: Vec<Lit> = [above, below]
                .into_iter()
                .map(|one| !self.internalize(terms, one))
                .collect();
            let bound = self.internalize(terms, bound);
            self.clause(&[clause[0], clause[1], bound], Rule::Product(product, low, high));
        }
    }
}

fn product_rule(term: TermId) -> Rule {
    Rule::Product(term, Rational::zero(), Rational::zero())
}
