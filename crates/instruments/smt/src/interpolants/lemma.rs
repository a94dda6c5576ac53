//! Interpolants of lemmas of linear arithmetic (McMillan 2005).
//!
//! The certificate adds up inequalities to a contradiction. What the left side's inequalities add up to follows from it, and contradicts
//! the rest; symbols of the left side alone cancel, since nothing else could cancel them. Over integers the sum is rounded, which only makes
//! it stronger. A certificate that rounds sums of both sides on the way has no interpolant here.

use super::Side;
use crate::linear::{Forms, LinearForm, normalize, term_of};
use entail_first_order::{Combination, Literal, Op, Rational, SortId, TermId, Terms};

/// A literal of a clause, its formula, and who can speak of it.
pub(super) type Sided = (Literal, TermId, Side);

/// Linear forms, kept from lemma to lemma.
#[derive(Default)]
pub(super) struct Lemmas {
    forms: Forms,
}

/// `form <= 0`, or strict; or an equation.
#[derive(Clone)]
struct Inequality {
    form: LinearForm,
    is_strict: bool,
    is_equation: bool,
}

/// What a combination's sides add up to.
#[derive(Clone)]
struct Halves {
    left: Inequality,
    has_left: bool,
    has_right: bool,
}

fn nothing() -> Inequality {
    Inequality {
        form: LinearForm::default(),
        is_strict: false,
        is_equation: false,
    }
}

impl Inequality {
    fn add(&mut self, other: &Inequality, factor: &Rational) {
        self.form.add(&other.form, factor);
        self.is_strict |= other.is_strict;
    }

    /// In lowest whole numbers, rounded where all is integer.
    fn rounded(mut self, terms: &Terms) -> Inequality {
        if self.form.parts.is_empty() {
            return self;
        }
        if normalize(&mut self.form).is_negative() {
            self.form.scale(&Rational::integer(-1));
        }
        let is_integer = (self.form.parts.iter()).all(|(leaf, _)| terms.sort_of(*leaf) == SortId::INT);
        if is_integer && !self.is_equation {
            let constant = &self.form.constant;
            self.form.constant = match self.is_strict {
                true => &constant.floor() + &Rational::one(),
                false => constant.ceil(),
            };
            self.is_strict = false;
        }
        self
    }

    fn term(self, terms: &mut Terms) -> TermId {
        let rounded = self.rounded(terms);
        let form = rounded.form;
        if form.parts.is_empty() {
            let holds = match rounded.is_strict {
                true => form.constant.is_negative(),
                false => !form.constant.is_positive(),
            };
            return terms.bool(holds);
        }
        let is_integer = (form.parts.iter()).all(|(leaf, _)| terms.sort_of(*leaf) == SortId::INT);
        let sort = if is_integer { SortId::INT } else { SortId::REAL };
        let sum = term_of(terms, &form, sort);
        let limit = terms.numeral(-&form.constant, sort);
        match rounded.is_strict {
            true => terms.lt(sum, limit),
            false => terms.le(sum, limit),
        }
    }
}

impl Lemmas {
    fn difference(&mut self, terms: &Terms, a: TermId, b: TermId) -> LinearForm {
        let mut form = self.forms.of(terms, a);
        let right = self.forms.of(terms, b);
        form.add(&right, &Rational::integer(-1));
        form
    }

    /// What the negation of a clause's literal says about numbers.
    fn premise(&mut self, terms: &Terms, literal: Literal, term: TermId) -> Option<Inequality> {
        let (mut term, mut is_true) = (term, literal < 0);
        while *terms.op(term) == Op::Not {
            term = terms.args(term)[0];
            is_true = !is_true;
        }
        let args = terms.args(term);
        let (a, b) = (*args.first()?, *args.get(1)?);
        let (form, is_strict, is_equation) = match (terms.op(term), is_true) {
            (Op::Le, true) => (self.difference(terms, a, b), false, false),
            (Op::Le, false) => (self.difference(terms, b, a), true, false),
            (Op::Eq, true) if terms.sort_of(a).is_arithmetic() => (self.difference(terms, a, b), false, true),
            _ => return None,
        };
        let inequality = Inequality {
            form,
            is_strict,
            is_equation,
        };
        Some(inequality.rounded(terms))
    }

    /// The interpolant of a lemma that these combinations of its negated literals prove.
    pub fn linear(
        &mut self,
        terms: &mut Terms,
        literals: &[Sided],
        combinations: &[Combination],
    ) -> Result<TermId, String> {
        self.combine(terms, literals, combinations, None)
    }

    /// The interpolant where an equation of the clause is contradicted in two halves.
    pub fn split(
        &mut self,
        terms: &mut Terms,
        literals: &[Sided],
        equation: Literal,
        (below, above): (&[Combination], &[Combination]),
    ) -> Result<TermId, String> {
        let found = literals.iter().find(|(literal, _, _)| *literal == equation);
        let &(_, term, side) = found.ok_or("a certificate is about another clause")?;
        let args = terms.args(term).to_vec();
        let &[a, b] = args.as_slice() else {
            return Err("a certificate is about no equation".into());
        };
        let mut halves = Vec::new();
        for (combinations, small, large) in [(below, a, b), (above, b, a)] {
            let inequality = Inequality {
                form: self.difference(terms, small, large),
                is_strict: true,
                is_equation: false,
            };
            let strict = inequality.rounded(terms);
            halves.push(self.combine(terms, literals, combinations, Some((equation, &strict)))?);
        }
        Ok(match side.has_right() {
            true => terms.and(&halves),
            false => terms.or(&halves),
        })
    }

    fn combine(
        &mut self,
        terms: &mut Terms,
        literals: &[Sided],
        combinations: &[Combination],
        instead: Option<(Literal, &Inequality)>,
    ) -> Result<TermId, String> {
        let mut results: Vec<(Inequality, Halves)> = Vec::new();
        for combination in combinations {
            let mut whole = nothing();
            let mut halves = Halves {
                left: nothing(),
                has_left: false,
                has_right: false,
            };
            for (literal, factor) in &combination.literals {
                let found = literals.iter().find(|(known, _, _)| known == literal);
                let &(_, term, side) = found.ok_or("a certificate is about another clause")?;
                let inequality = match instead {
                    Some((equation, strict)) if equation == *literal => Some(strict.clone()),
                    _ => self.premise(terms, *literal, term),
                };
                let inequality = inequality.ok_or("a certificate is about no inequality")?;
                whole.add(&inequality, factor);
                match side.has_right() {
                    true => halves.has_right = true,
                    false => {
                        halves.has_left = true;
                        halves.left.add(&inequality, factor);
                    }
                }
            }
            for (position, factor) in &combination.earlier {
                let (whole_before, before) = results.get(*position).ok_or("a combination is missing")?;
                whole.add(whole_before, factor);
                match (before.has_left, before.has_right) {
                    (true, true) => return Err("a certificate rounds a sum of both sides".into()),
                    (true, false) => {
                        halves.has_left = true;
                        halves.left.add(whole_before, factor);
                    }
                    (false, _) => halves.has_right = true,
                }
            }
            results.push((whole.rounded(terms), halves));
        }
        let (_, last) = results.pop().ok_or("there is no combination")?;
        Ok(last.left.term(terms))
    }
}
