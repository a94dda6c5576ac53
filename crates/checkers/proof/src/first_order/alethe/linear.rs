//! Clauses about linear arithmetic: inequalities that add up to a contradiction, by `la_generic`.
//!
//! That rule adds up the negated literals with factors of the literals as they are written. Of integers it rounds strict inequalities only, and never what was added up. A certificate that
//! rounds more is written as several clauses: what is rounded becomes a formula of its own, whose negation is strict, and is resolved away in the end.

use super::{Printer, not};
use crate::first_order::inequality::{Inequality, Relation};
use entail_first_order::{Combination, Literal, Op, Rational, SortId, TermId};

/// A literal with the inequality that its negation is, and its factor when that is in lowest whole numbers.
struct Summand {
    literal: String,
    inequality: Inequality,
    factor: Rational,
    /// The formula of the problem that is affirmed or denied, if it is one.
    term: Option<TermId>,
}

/// An equation, and the side that is shown not to be less than the other.
type Strict = Option<(Literal, TermId, TermId)>;

impl Printer<'_> {
    /// A clause whose negated literals add up to a contradiction.
    pub(super) fn linear(&mut self, clause: &[Literal], combinations: &[Combination]) -> Option<Vec<String>> {
        self.certificate(clause, combinations, None)
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
        let below = self.certificate(clause, below, Some((equation, a, b)))?;
        let above = self.certificate(clause, above, Some((equation, b, a)))?;
        let (left, right) = (self.term(a), self.term(b));
        let ordered = [
            format!("(= {left} {right})"),
            not(&format!("(<= {left} {right})")),
            not(&format!("(<= {right} {left})")),
        ];
        let either = format!("(or {})", ordered.join(" "));
        let either = self.tautology(&[either], "la_disequality", &[]);
        let mut parts = vec![self.further(&ordered, "or", &[either], &[])];
        parts.extend(below);
        parts.extend(above);
        Some(parts)
    }

    /// Clauses whose resolvent is the clause, each before those that it needs. `strict` is an equation of the clause in whose place it is shown that one side is not less than the other.
    fn certificate(
        &mut self,
        clause: &[Literal],
        combinations: &[Combination],
        strict: Strict,
    ) -> Option<Vec<String>> {
        let mut literals = Vec::new();
        for combination in combinations {
            let mut of_this = Vec::new();
            for (literal, factor) in &combination.literals {
                of_this.push(self.summand(clause, *literal, factor, strict)?);
            }
            literals.push(of_this);
        }
        let all: Vec<&Summand> = literals.iter().flatten().collect();
        if (all.iter().filter_map(|one| one.term)).any(|term| self.mixes_sorts(term, &all)) {
            return None;
        }
        // Nothing may need to be rounded that the rule does not round.
        if let ([_], [summands]) = (combinations, literals.as_slice())
            && let Some(name) = self.added_up(summands)
        {
            return Some(vec![name]);
        }
        let mut names = Vec::new();
        let mut cuts: Vec<Inequality> = Vec::new();
        for (place, (combination, of_this)) in combinations.iter().zip(literals).enumerate() {
            let mut summands = Vec::new();
            for one in of_this {
                let rounded = one.inequality.clone().rounded(self.terms);
                if rounded == one.inequality.clone().strengthened(self.terms) {
                    summands.push(one);
                    continue;
                }
                let factor = one.factor.clone();
                let alone = Summand {
                    factor: Rational::one(),
                    ..one
                };
                names.push(self.cut(vec![alone], Rational::one(), &rounded)?);
                summands.push(self.use_of(&rounded, factor)?);
            }
            for (earlier, factor) in &combination.earlier {
                summands.push(self.use_of(cuts.get(*earlier)?, factor.clone())?);
            }
            if place + 1 == combinations.len() {
                names.push(self.added_up(&summands)?);
                continue;
            }
            let parts: Vec<(Inequality, Rational)> = (summands.iter())
                .map(|one| {
                    (
                        one.inequality.clone().strengthened(self.terms),
                        one.factor.clone(),
                    )
                })
                .collect();
            let sum = Inequality::sum(&parts)?;
            let (scale, rounded) = (sum.scale(), sum.rounded(self.terms));
            names.push(self.cut(summands, scale, &rounded)?);
            cuts.push(rounded);
        }
        names.reverse();
        Some(names)
    }

    /// That what a sum says, scaled and rounded, follows from the summands.
    fn cut(&mut self, mut summands: Vec<Summand>, scale: Rational, rounded: &Inequality) -> Option<String> {
        for one in &mut summands {
            one.factor = &one.factor * &scale;
        }
        summands.push(Summand {
            literal: self.inequality(rounded)?,
            inequality: rounded.negated()?,
            factor: Rational::one(),
            term: None,
        });
        self.added_up(&summands)
    }

    /// A cut as a premise of what follows.
    fn use_of(&mut self, cut: &Inequality, factor: Rational) -> Option<Summand> {
        Some(Summand {
            literal: not(&self.inequality(cut)?),
            inequality: cut.clone(),
            factor,
            term: None,
        })
    }

    /// An inequality as a formula, if all its terms are of one sort.
    fn inequality(&mut self, inequality: &Inequality) -> Option<String> {
        let (sum, relation, limit) = inequality.parts();
        let sort = self.terms.sort_of(sum.first()?.0);
        let mut parts = Vec::new();
        for (term, factor) in sum {
            if self.terms.sort_of(term) != sort {
                return None;
            }
            let number = entail_first_order::print_number(factor, sort);
            parts.push(format!("(* {number} {})", self.term(term)));
        }
        let sum = match parts.as_slice() {
            [one] => one.clone(),
            _ => format!("(+ {})", parts.join(" ")),
        };
        let limit = entail_first_order::print_number(limit, sort);
        Some(format!("({relation} {sum} {limit})"))
    }

    fn summand(
        &mut self,
        clause: &[Literal],
        literal: Literal,
        factor: &Rational,
        strict: Strict,
    ) -> Option<Summand> {
        let (text, inequality, term) = match strict {
            Some((equation, less, more)) if equation == literal => {
                let text = format!("(<= {} {})", self.term(more), self.term(less));
                let inequality = Inequality::difference(self.terms, less, more, Relation::Below);
                (text, inequality, self.meaning(equation)?.0)
            }
            _ if !clause.contains(&literal) => return None,
            _ => {
                let (term, is_true) = self.meaning(literal)?;
                let inequality = Inequality::of_literal(self.terms, term, !is_true)?;
                (self.literal((term, is_true)), inequality, term)
            }
        };
        Some(Summand {
            literal: text,
            inequality,
            factor: factor.clone(),
            term: Some(term),
        })
    }

    /// Whether integers matter to a formula about reals: `to_real` is a function like others there, so it must not stand before a sum, and what it is applied to not elsewhere.
    fn mixes_sorts(&self, term: TermId, summands: &[&Summand]) -> bool {
        let cone = self.terms.cone(&[term]);
        let is_cast = |part: &&TermId| *self.terms.op(**part) == Op::ToReal;
        let mut cast = cone.iter().filter(is_cast).map(|&part| self.terms.args(part)[0]);
        cast.any(|inner| {
            let is_sum = matches!(self.terms.op(inner), Op::Add | Op::Mul | Op::Number(_));
            is_sum
                || (summands.iter()).any(|one| {
                    one.term.is_some_and(|term| !self.is_of_reals(term)) && one.inequality.mentions(inner)
                })
        })
    }

    fn is_of_reals(&self, term: TermId) -> bool {
        let is_real = |arg: &TermId| self.terms.sort_of(*arg) == SortId::REAL;
        self.terms.args(term).iter().any(is_real)
    }

    /// The clause of the summands' literals, whose negations add up to a contradiction.
    fn added_up(&mut self, summands: &[Summand]) -> Option<String> {
        let (mut clause, mut factors, mut sum) = (Vec::new(), Vec::new(), Vec::new());
        for summand in summands {
            let scaled = &summand.factor * &summand.inequality.scale();
            // Sums are kept the other way round there, which matters to equations.
            let factor = match summand.inequality.is_equation() {
                true => -&scaled,
                false => scaled,
            };
            factors.push(entail_first_order::print_number(&factor, SortId::REAL));
            clause.push(summand.literal.clone());
            let strengthened = summand.inequality.clone().strengthened(self.terms);
            sum.push((strengthened, summand.factor.clone()));
        }
        match Inequality::add_up_to_nothing(&sum) {
            true => Some(self.tautology(&clause, "la_generic", &factors)),
            false => None,
        }
    }
}
