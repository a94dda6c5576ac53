//! Clauses about linear arithmetic: inequalities that add up to a contradiction, by `la_generic`.
//!
//! That rule adds up the negated literals with factors of the literals as they are written. Of integers it rounds strict inequalities only, and never what was added up: a certificate that
//! needs more is left a hole.

use super::{Printer, not};
use crate::first_order::inequality::{Inequality, Relation};
use entail_first_order::{Combination, Literal, Op, Rational, SortId, TermId};

/// A literal with the inequality that its negation is, and its factor when that is in lowest whole numbers.
struct Summand {
    literal: String,
    inequality: Inequality,
    factor: Rational,
    /// The formula that is affirmed or denied.
    term: TermId,
}

impl Printer<'_> {
    /// A clause whose negated literals add up to a contradiction.
    pub(super) fn linear(&mut self, clause: &[Literal], combinations: &[Combination]) -> Option<Vec<String>> {
        let summands = self.summands(clause, combinations, None)?;
        Some(vec![self.added_up(summands)?])
    }

    /// A clause with an equation, whose left side is neither less nor greater.
    pub(super) fn split(
        &mut self,
        clause: &[Literal],
        equation: Literal,
        below: &[Combination],
        above: &[Combination],
    ) -> Option<Vec<String>> {
        let (term, _) = self.meaning(equation)?;
        let &[a, b] = self.terms.args(term) else {
            return None;
        };
        let below = self.summands(clause, below, Some((equation, a, b)))?;
        let above = self.summands(clause, above, Some((equation, b, a)))?;
        let mut parts = vec![self.added_up(below)?, self.added_up(above)?];
        let (left, right) = (self.term(a), self.term(b));
        let ordered = [
            format!("(= {left} {right})"),
            not(&format!("(<= {left} {right})")),
            not(&format!("(<= {right} {left})")),
        ];
        let either = format!("(or {})", ordered.join(" "));
        let either = self.tautology(&[either], "la_disequality", &[]);
        parts.push(self.further(&ordered, "or", &[either], &[]));
        Some(parts)
    }

    /// What a certificate of one combination adds up; `strict` is an equation of the clause in whose place it is shown that one side is not less than the other.
    fn summands(
        &mut self,
        clause: &[Literal],
        combinations: &[Combination],
        strict: Option<(Literal, TermId, TermId)>,
    ) -> Option<Vec<Summand>> {
        let [combination] = combinations else {
            return None;
        };
        let mut summands = Vec::new();
        for (literal, factor) in &combination.literals {
            let (text, inequality, term) = match strict {
                Some((equation, less, more)) if equation == *literal => {
                    let text = format!("(<= {} {})", self.term(more), self.term(less));
                    let inequality = Inequality::difference(self.terms, less, more, Relation::Below);
                    (text, inequality, self.meaning(equation)?.0)
                }
                _ if !clause.contains(literal) => return None,
                _ => {
                    let (term, is_true) = self.meaning(*literal)?;
                    let inequality = Inequality::of_literal(self.terms, term, !is_true)?;
                    (self.literal((term, is_true)), inequality, term)
                }
            };
            summands.push(Summand {
                literal: text,
                inequality,
                factor: factor.clone(),
                term,
            });
        }
        let is_mixed = summands.iter().any(|one| self.mixes_sorts(one.term, &summands));
        (!is_mixed).then_some(summands)
    }

    /// Whether integers matter to a formula about reals: `to_real` is a function like others there, so it must not stand before a sum, and what it is applied to not elsewhere.
    fn mixes_sorts(&self, term: TermId, summands: &[Summand]) -> bool {
        let cone = self.terms.cone(&[term]);
        let is_cast = |part: &&TermId| *self.terms.op(**part) == Op::ToReal;
        let mut cast = cone.iter().filter(is_cast).map(|&part| self.terms.args(part)[0]);
        cast.any(|inner| {
            let is_sum = matches!(self.terms.op(inner), Op::Add | Op::Mul | Op::Number(_));
            is_sum
                || (summands.iter()).any(|one| !self.is_of_reals(one.term) && one.inequality.mentions(inner))
        })
    }

    fn is_of_reals(&self, term: TermId) -> bool {
        let is_real = |arg: &TermId| self.terms.sort_of(*arg) == SortId::REAL;
        self.terms.args(term).iter().any(is_real)
    }

    fn added_up(&mut self, summands: Vec<Summand>) -> Option<String> {
        let (mut clause, mut factors, mut sum) = (Vec::new(), Vec::new(), Vec::new());
        for summand in summands {
            let scaled = &summand.factor * &summand.inequality.scale();
            // Sums are kept the other way round there, which matters to equations.
            let factor = match summand.inequality.is_equation() {
                true => -&scaled,
                false => scaled,
            };
            factors.push(entail_first_order::print_number(&factor, SortId::REAL));
            clause.push(summand.literal);
            sum.push((summand.inequality.strengthened(self.terms), summand.factor));
        }
        match Inequality::add_up_to_nothing(&sum) {
            true => Some(self.tautology(&clause, "la_generic", &factors)),
            false => None,
        }
    }
}
