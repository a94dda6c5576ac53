//! Certificates of linear arithmetic: inequalities are added up with factors and rounded.

use entail_first_order::{Combination, Literal, Op, Rational, SortId, TermId, Terms};
use std::collections::BTreeMap;

/// `sum of factors times terms (<=, < or =) limit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inequality {
    factors: BTreeMap<TermId, Rational>,
    limit: Rational,
    relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    AtMost,
    Below,
    Equal,
}

/// Adds a term with a factor to a sum, as long as it is linear; what is not is a variable.
///
/// Terms are visited from the largest number down. Operands have smaller numbers, so a term's factor is complete when its turn comes,
/// and a term shared by many is visited once.
fn add_term(terms: &Terms, root: TermId, factor: &Rational, sum: &mut Inequality) {
    let mut open = BTreeMap::from([(root, factor.clone())]);
    while let Some((term, factor)) = open.pop_last() {
        if factor.is_zero() {
            continue;
        }
        let args = terms.args(term);
        let share = match (terms.op(term), args) {
            (Op::Number(value), _) => {
                sum.limit -= &(value * &factor);
                continue;
            }
            (Op::Add | Op::ToReal, _) => Some((args, factor.clone())),
            (Op::Mul, [number, rest]) => terms
                .number(*number)
                .map(|number| (std::slice::from_ref(rest), number * &factor)),
            _ => None,
        };
        match share {
            Some((parts, share)) => {
                for &part in parts {
                    *open.entry(part).or_default() += &share;
                }
            }
            None => sum.add_factor(term, &factor),
        }
    }
}

impl Inequality {
    fn add_factor(&mut self, term: TermId, factor: &Rational) {
        let known = self.factors.remove(&term).unwrap_or_default();
        let total = &known + factor;
        if !total.is_zero() {
            self.factors.insert(term, total);
        }
    }

    /// `a - b` in a relation to 0.
    pub fn difference(terms: &Terms, a: TermId, b: TermId, relation: Relation) -> Inequality {
        let mut sum = Inequality {
            factors: BTreeMap::new(),
            limit: Rational::zero(),
            relation,
        };
        add_term(terms, a, &Rational::one(), &mut sum);
        add_term(terms, b, &Rational::integer(-1), &mut sum);
        sum
    }

    /// What a literal says about numbers. A disequality says nothing here.
    pub fn of_literal(terms: &Terms, term: TermId, is_true: bool) -> Option<Inequality> {
        let args = terms.args(term);
        match (terms.op(term), is_true) {
            (Op::Le, true) => Some(Inequality::difference(terms, args[0], args[1], Relation::AtMost)),
            (Op::Le, false) => Some(Inequality::difference(terms, args[1], args[0], Relation::Below)),
            (Op::Eq, true) if terms.sort_of(args[0]).is_arithmetic() => {
                Some(Inequality::difference(terms, args[0], args[1], Relation::Equal))
            }
            _ => None,
        }
    }

    /// The factor that makes its factors whole numbers without a common divisor.
    pub fn scale(&self) -> Rational {
        let mut multiple = Rational::one();
        for factor in self.factors.values() {
            let denominator = factor.denominator_number();
            let common = multiple.gcd(&denominator);
            multiple = &multiple * &(&denominator / &common);
        }
        let mut divisor = Rational::zero();
        for factor in self.factors.values() {
            divisor = divisor.gcd(&(factor * &multiple));
        }
        match divisor.is_zero() {
            true => Rational::one(),
            false => &multiple / &divisor,
        }
    }

    fn scaled(mut self, scale: &Rational) -> Inequality {
        self.factors
            .values_mut()
            .for_each(|factor| *factor = &*factor * scale);
        self.limit = &self.limit * scale;
        self
    }

    fn is_of_integers(&self, terms: &Terms) -> bool {
        (self.factors.keys()).all(|&term| terms.sort_of(term) == SortId::INT)
    }

    pub fn mentions(&self, term: TermId) -> bool {
        self.factors.contains_key(&term)
    }

    pub fn is_equation(&self) -> bool {
        self.relation == Relation::Equal
    }

    /// In lowest whole numbers, but of integers only a strict inequality is rounded, and by no more than the common divisor of all its numbers: what Alethe's `la_generic` does.
    pub fn strengthened(self, terms: &Terms) -> Inequality {
        let scale = self.scale();
        let divisor = self
            .factors
            .values()
            .fold(self.limit.abs(), |one, other| one.gcd(other));
        let is_rounded = self.relation == Relation::Below
            && self.limit.is_integer()
            && !self.factors.is_empty()
            && self.is_of_integers(terms);
        let mut all = self.scaled(&scale);
        if is_rounded {
            all.limit = &all.limit - &(&divisor * &scale);
            all.relation = Relation::AtMost;
        }
        all
    }

    /// Whether inequalities with factors add up to a contradiction.
    pub fn add_up_to_nothing(parts: &[(Inequality, Rational)]) -> bool {
        Inequality::sum(parts).is_some_and(|sum| sum.is_contradiction())
    }

    /// The sum of inequalities with factors.
    pub fn sum(parts: &[(Inequality, Rational)]) -> Option<Inequality> {
        let mut sum = Inequality::nothing();
        for (one, factor) in parts {
            sum.accumulate(one, factor).ok()?;
        }
        Some(sum)
    }

    /// What its negation says; that of an equation is no inequality.
    pub fn negated(&self) -> Option<Inequality> {
        let mut negated = self.clone().scaled(&Rational::integer(-1));
        negated.relation = match self.relation {
            Relation::AtMost => Relation::Below,
            Relation::Below => Relation::AtMost,
            Relation::Equal => return None,
        };
        Some(negated)
    }

    /// Its terms with their factors, its relation as SMT-LIB writes it, and its limit.
    pub fn parts(&self) -> (Vec<(TermId, &Rational)>, &'static str, &Rational) {
        let relation = match self.relation {
            Relation::AtMost => "<=",
            Relation::Below => "<",
            Relation::Equal => "=",
        };
        let sum = self.factors.iter().map(|(&term, factor)| (term, factor));
        (sum.collect(), relation, &self.limit)
    }

    /// `0 <= 0`.
    fn nothing() -> Inequality {
        Inequality {
            factors: BTreeMap::new(),
            limit: Rational::zero(),
            relation: Relation::AtMost,
        }
    }

    /// In lowest whole numbers; rounded if all variables are integers.
    pub fn rounded(self, terms: &Terms) -> Inequality {
        if self.factors.is_empty() {
            return self;
        }
        let scale = self.scale();
        let mut rounded = self.scaled(&scale);
        if rounded.is_of_integers(terms) && rounded.relation != Relation::Equal {
            rounded.limit = match rounded.relation {
                Relation::Below => &rounded.limit.ceil() - &Rational::one(),
                _ => rounded.limit.floor(),
            };
            rounded.relation = Relation::AtMost;
        }
        rounded
    }

    fn accumulate(&mut self, other: &Inequality, factor: &Rational) -> Result<(), String> {
        let fits = factor.is_positive() || other.relation == Relation::Equal && !factor.is_zero();
        if !fits {
            return Err("an inequality has a factor that is not positive".into());
        }
        for (term, value) in &other.factors {
            let entry = self.factors.entry(*term).or_default();
            *entry += &(value * factor);
            if entry.is_zero() {
                self.factors.remove(term);
            }
        }
        self.limit += &(&other.limit * factor);
        if other.relation == Relation::Below {
            self.relation = Relation::Below;
        }
        Ok(())
    }

    fn is_contradiction(&self) -> bool {
        self.factors.is_empty()
            && match self.relation {
                Relation::AtMost => self.limit.is_negative(),
                Relation::Below => !self.limit.is_positive(),
                Relation::Equal => !self.limit.is_zero(),
            }
    }
}

/// Whether the last combination is a contradiction. `premise` gives the inequality that a literal's negation is.
pub(super) fn check_combinations(
    terms: &Terms,
    combinations: &[Combination],
    premise: impl Fn(Literal) -> Option<Inequality>,
) -> Result<(), String> {
    let mut results: Vec<Inequality> = Vec::new();
    for combination in combinations {
        let mut sum = Inequality::nothing();
        for (literal, factor) in &combination.literals {
            let inequality =
                premise(*literal).ok_or("a literal of the certificate is no inequality of the clause")?;
            sum.accumulate(&inequality.rounded(terms), factor)?;
        }
        for (position, factor) in &combination.earlier {
            let earlier = results
                .get(*position)
                .ok_or("a combination refers to one that is not there")?;
            sum.accumulate(&earlier.clone(), factor)?;
        }
        results.push(sum.rounded(terms));
    }
    match results.last() {
        Some(last) if last.is_contradiction() => Ok(()),
        Some(_) => Err("the inequalities do not add up to a contradiction".into()),
        None => Err("there is no combination".into()),
    }
}

/// The inequalities that define a quotient by a number, or a floor.
pub(super) fn definition(terms: &Terms, term: TermId) -> Option<Vec<Inequality>> {
    let args = terms.args(term);
    let (dividend, divisor, top) = match terms.op(term) {
        Op::IntDiv => {
            let divisor = terms
                .number(args[1])
                .filter(|divisor| !divisor.is_zero())?
                .clone();
            let top = &divisor.abs() - &Rational::one();
            (args[0], divisor, (Relation::AtMost, top))
        }
        Op::ToInt => (args[0], Rational::one(), (Relation::Below, Rational::one())),
        _ => return None,
    };
    let sum = |sign: i64, relation: Relation, limit: Rational| {
        let mut sum = Inequality {
            factors: BTreeMap::new(),
            limit,
            relation,
        };
        add_term(terms, dividend, &Rational::integer(sign), &mut sum);
        add_term(terms, term, &(&divisor * &Rational::integer(-sign)), &mut sum);
        sum.rounded(terms)
    };
    // divisor * term <= dividend, and dividend - divisor * term within the top.
    Some(vec![
        sum(-1, Relation::AtMost, Rational::zero()),
        sum(1, top.0, top.1),
    ])
}
