//! Clauses about products and quotients, judged by signs of polynomials.
//!
//! Terms are multiplied out. The negation of a clause's literals says which signs some polynomials have; a clause about a product
//! `x * y` with two numbers `a`, `b` holds if the sign of `(x - a) (y - b)` that follows from the signs of its factors is excluded. With
//! `a` and `b` zero these are the rules of signs, otherwise tangent planes (Cimatti et al. 2018). Quotients hold by their definition.

use entail_first_order::{Op, Rational, SortId, TermId, Terms};
use std::collections::BTreeMap;

/// How many monomials a term may have when multiplied out.
const MOST_MONOMIALS: usize = 4_000;

/// Monomials, as sorted lists of factors, with their coefficients; none is zero.
pub(super) type Polynomial = BTreeMap<Vec<TermId>, Rational>;

/// Possible signs: negative, zero, positive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs(pub(super) [bool; 3]);

impl Signs {
    const ANY: Signs = Signs([true; 3]);
    pub(super) const ZERO: Signs = Signs([false, true, false]);

    fn and(self, other: Signs) -> Signs {
        Signs([0, 1, 2].map(|sign| self.0[sign] && other.0[sign]))
    }

    fn flipped(self) -> Signs {
        Signs([self.0[2], self.0[1], self.0[0]])
    }

    fn is_empty(self) -> bool {
        self.0 == [false; 3]
    }

    /// Signs of products; of squares if the factors are the same.
    fn times(self, other: Signs, is_square: bool) -> Signs {
        let mut result = [false; 3];
        for left in 0..3usize {
            for right in 0..3usize {
                if self.0[left] && other.0[right] && (!is_square || left == right) {
                    let sign = (left as i32 - 1) * (right as i32 - 1);
                    result[(sign + 1) as usize] = true;
                }
            }
        }
        Signs(result)
    }
}

pub(super) fn add(sum: &mut Polynomial, other: &Polynomial, factor: &Rational) {
    for (monomial, value) in other {
        let entry = sum.entry(monomial.clone()).or_default();
        *entry += &(value * factor);
        if entry.is_zero() {
            sum.remove(monomial);
        }
    }
}

pub(super) fn times(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if a.len().saturating_mul(b.len()) > MOST_MONOMIALS {
        return None;
    }
    let mut product = Polynomial::new();
    for (left, x) in a {
        for (right, y) in b {
            let mut monomial = [left.as_slice(), right.as_slice()].concat();
            monomial.sort_unstable();
            let single = Polynomial::from([(monomial, x * y)]);
            add(&mut product, &single, &Rational::one());
        }
    }
    Some(product)
}

pub(super) fn constant(value: &Rational) -> Polynomial {
    match value.is_zero() {
        true => Polynomial::new(),
        false => Polynomial::from([(Vec::new(), value.clone())]),
    }
}

/// A term multiplied out; nothing if it has too many monomials.
fn polynomial(terms: &Terms, root: TermId) -> Option<Polynomial> {
    let is_inner = |term: TermId| matches!(terms.op(term), Op::Add | Op::Mul | Op::ToReal);
    let mut known: BTreeMap<TermId, Polynomial> = BTreeMap::new();
    let mut waiting = vec![root];
    while let Some(&term) = waiting.last() {
        if known.contains_key(&term) {
            waiting.pop();
            continue;
        }
        let node = terms.node(term);
        if is_inner(term) {
            let before = waiting.len();
            waiting.extend(node.args.iter().filter(|arg| !known.contains_key(arg)));
            if waiting.len() > before {
                continue;
            }
        }
        let value = match &node.op {
            Op::Number(value) => constant(value),
            Op::Add => {
                let mut sum = Polynomial::new();
                node.args
                    .iter()
                    .for_each(|arg| add(&mut sum, &known[arg], &Rational::one()));
                sum
            }
            Op::Mul => {
                let mut product = constant(&Rational::one());
                for arg in node.args.iter() {
                    product = times(&product, &known[arg])?;
                }
                product
            }
            Op::ToReal => known[&node.args[0]].clone(),
            _ => Polynomial::from([(vec![term], Rational::one())]),
        };
        known.insert(term, value);
        waiting.pop();
    }
    known.remove(&root)
}

fn difference(terms: &Terms, a: TermId, b: TermId) -> Option<Polynomial> {
    let mut left = polynomial(terms, a)?;
    add(&mut left, &polynomial(terms, b)?, &Rational::integer(-1));
    Some(left)
}

/// The factor by which one polynomial is another, if it is; polynomials that are not zero.
fn ratio(a: &Polynomial, b: &Polynomial) -> Option<Rational> {
    if a.len() != b.len() {
        return None;
    }
    let factor = a.values().next()? / b.values().next()?;
    (a.iter().zip(b))
        .all(|((left, x), (right, y))| left == right && *x == y * &factor)
        .then_some(factor)
}

/// What the negated clause says about signs.
pub(super) struct Premises(pub(super) Vec<(Polynomial, Signs)>);

impl Premises {
    pub(super) fn of(terms: &Terms, clause: &[(TermId, bool)]) -> Premises {
        let mut all = Vec::new();
        for &(atom, value) in clause {
            let args = terms.args(atom);
            let signs = match (terms.op(atom), !value) {
                (Op::Le, true) => Signs([true, true, false]),
                (Op::Le, false) => Signs([false, false, true]),
                (Op::Eq, is_true) if terms.sort_of(args[0]).is_arithmetic() => {
                    Signs([!is_true, is_true, !is_true])
                }
                _ => continue,
            };
            if let Some(polynomial) = difference(terms, args[0], args[1]) {
                all.push((polynomial, signs));
            }
        }
        Premises(all)
    }

    fn signs(&self, wanted: &Polynomial) -> Signs {
        if wanted.is_empty() {
            return Signs::ZERO;
        }
        let mut signs = Signs::ANY;
        for (polynomial, known) in &self.0 {
            match ratio(wanted, polynomial) {
                Some(factor) if factor.is_positive() => signs = signs.and(*known),
                Some(_) => signs = signs.and(known.flipped()),
                None => {}
            }
        }
        signs
    }
}

/// Whether a clause about a product or quotient is true.
pub(super) fn check_product(
    terms: &Terms,
    term: TermId,
    point: (&Rational, &Rational),
    clause: &[(TermId, bool)],
) -> Result<(), String> {
    let premises = Premises::of(terms, clause);
    // Equal polynomials are equal.
    if premises
        .0
        .iter()
        .any(|(polynomial, signs)| polynomial.is_empty() && signs.and(Signs::ZERO).is_empty())
    {
        return Ok(());
    }
    let holds = match (terms.op(term), terms.args(term)) {
        (Op::Mul, &[x, y]) => product(terms, &premises, (x, y), point),
        (Op::Divide | Op::IntDiv, &[dividend, divisor]) => {
            quotient(terms, &premises, term, dividend, divisor)
        }
        _ => None,
    };
    match holds {
        Some(true) => Ok(()),
        _ => Err("the clause does not follow from what products and quotients are".into()),
    }
}

fn product(
    terms: &Terms,
    premises: &Premises,
    factors: (TermId, TermId),
    point: (&Rational, &Rational),
) -> Option<bool> {
    let shifted = |term: TermId, by: &Rational| {
        let mut sum = polynomial(terms, term)?;
        add(&mut sum, &constant(by), &Rational::integer(-1));
        Some(sum)
    };
    let (left, right) = (shifted(factors.0, point.0)?, shifted(factors.1, point.1)?);
    let is_square = left == right;
    let mut possible = premises.signs(&left).times(premises.signs(&right), is_square);
    // Between neighbouring whole numbers there is none.
    let gap = point.0 - point.1;
    let is_whole = terms.sort_of(factors.0) == SortId::INT && point.0.is_integer();
    if factors.0 == factors.1 && is_whole && gap.abs().is_one() {
        possible = possible.and(Signs([false, true, true]));
    }
    let known = premises.signs(&times(&left, &right)?);
    Some(possible.and(known).is_empty())
}

fn quotient(
    terms: &Terms,
    premises: &Premises,
    term: TermId,
    dividend: TermId,
    divisor: TermId,
) -> Option<bool> {
    let (value, below, above) = (
        polynomial(terms, divisor)?,
        polynomial(terms, term)?,
        polynomial(terms, dividend)?,
    );
    let mut rest = times(&value, &below)?;
    add(&mut rest, &above, &Rational::integer(-1));
    let signs = premises.signs(&value);
    let excluded =
        |polynomial: &Polynomial, allowed: Signs| premises.signs(polynomial).and(allowed).is_empty();
    if signs == Signs::ZERO {
        return Some(excluded(&below, Signs::ZERO));
    }
    if signs.0[1] {
        return Some(false);
    }
    if *terms.op(term) == Op::Divide {
        return Some(excluded(&rest, Signs::ZERO));
    }
    // The remainder, dividend - divisor * quotient, is at least 0 and less than the divisor's size.
    if excluded(&rest, Signs([true, true, false])) {
        return Some(true);
    }
    let mut over = Polynomial::new();
    add(&mut over, &rest, &Rational::integer(-1));
    add(&mut over, &constant(&Rational::one()), &Rational::one());
    let is_positive = signs == Signs([false, false, true]);
    let is_negative = signs == Signs([true, false, false]);
    if !is_positive && !is_negative {
        return Some(false);
    }
    add(
        &mut over,
        &value,
        &Rational::integer(if is_positive { -1 } else { 1 }),
    );
    Some(excluded(&over, Signs([true, true, false])))
}
