//! Operators between operands, choices and quantifiers: on integers they are integers, on clocks and locations conditions.

use crate::compiler::{Compiler, Linear, Typed, elements, unsupported, wrong};
use crate::names::{Entity, Reference, Root, ScopeId};
use crate::parser::Read;
use crate::reals::{Moment, marked, number_negated, number_sum, random_only, stored, whole_if_it_is};
use crate::terms::{balanced, folded, truth};
use crate::types::{CHANNELS, CLOCKS, INTEGERS, Type};
use entail_clocks::{Binary, ClockName, Comparison, Expression, Formula};
use entail_source::Span;
use entail_uppaal_tree::{Expr, ExprKind, Operator, Quantifier, TypeExpr};
use std::sync::Arc;

/// Factors of a power, at most.
const MOST_FACTORS: i64 = 62;
/// Cases of one quantifier, at most.
const MOST_CASES: i64 = 1 << 14;

impl<'m> Compiler<'m> {
    pub(crate) fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        use Operator as O;
        match operator {
            O::And | O::Or | O::Imply | O::Xor => return self.connective(operator, left, right, scope),
            O::Less | O::LessEqual | O::Equal | O::Different | O::GreaterEqual | O::Greater => {
                return self.comparison(operator, left, right, span, scope);
            }
            _ => {}
        }
        let binary = match operator {
            O::Add => Binary::Add,
            O::Subtract => Binary::Subtract,
            O::Multiply => Binary::Multiply,
            O::Divide => Binary::Divide,
            O::Remainder => Binary::Remainder,
            O::ShiftLeft => Binary::ShiftLeft,
            O::ShiftRight => Binary::ShiftRight,
            O::Minimum => Binary::Minimum,
            O::Maximum => Binary::Maximum,
            O::BitAnd => Binary::BitAnd,
            O::BitXor => Binary::BitXor,
            O::BitOr => Binary::BitOr,
            _ => return self.power(left, right, span, scope),
        };
        let minus = number_negated;
        Ok(match (self.pair(left, right, scope)?, binary) {
            ((Typed::Integer(left, _), Typed::Integer(right, _)), _) => {
                Typed::Integer(folded(Expression::binary(binary, left, right)), false)
            }
            ((Typed::Clock(clock), Typed::Integer(number, _)), Binary::Add)
            | ((Typed::Integer(number, _), Typed::Clock(clock)), Binary::Add) => Typed::Clock(Linear {
                offset: number_sum(clock.offset, number),
                ..clock
            }),
            ((Typed::Clock(clock), Typed::Integer(number, _)), Binary::Subtract) => Typed::Clock(Linear {
                offset: number_sum(clock.offset, minus(number)),
                ..clock
            }),
            ((Typed::Clock(one), Typed::Clock(other)), Binary::Subtract) => {
                match difference(one.clone(), other.clone(), span) {
                    Ok(whole) => Typed::Clock(whole),
                    Err(problem) if !self.is_random() => return Err(problem),
                    Err(_) => {
                        let both = (Typed::Clock(one), Typed::Clock(other));
                        return self.real_operation(binary, both, span);
                    }
                }
            }
            (both, _) if self.may_be_real(&both) => {
                return self.real_operation(binary, both, span);
            }
            ((left, right), _) => {
                let message = format!("{} and {} cannot be combined so", left.name(), right.name());
                return Err(wrong("uppaal::type", message, span));
            }
        })
    }

    /// `a ** n`, for a constant `n`: a product.
    fn power(&mut self, base: &Expr, exponent: &Expr, span: Span, scope: ScopeId) -> Read<Typed> {
        let (base, exponent) = self.pair(base, exponent, scope)?;
        let are_integers = matches!((&base, &exponent), (Typed::Integer(..), Typed::Integer(..)));
        if is_number(&base) && is_number(&exponent) && !are_integers {
            return self.real_power((base, exponent), span);
        }
        let (Typed::Integer(base, _), Typed::Integer(exponent, _)) = (base, exponent) else {
            return Err(wrong("uppaal::type", "only numbers have powers", span));
        };
        let Expression::Constant(count @ 0..=MOST_FACTORS) = exponent else {
            return Err(unsupported(
                "powers whose exponent is no constant from 0 to 62",
                span,
            ));
        };
        let mut whole = Expression::Constant(1);
        for factor in 0..count {
            whole = match factor {
                0 => base.clone(),
                _ => folded(Expression::binary(Binary::Multiply, whole, base.clone())),
            };
        }
        Ok(Typed::Integer(whole, false))
    }

    pub(crate) fn connective(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        scope: ScopeId,
    ) -> Read<Typed> {
        let first = self.value(left, scope)?;
        let before = self.emitted();
        let second = self.value(right, scope)?;
        if self.emitted() > before {
            let later = self.emitted_since(before);
            return self.connected(operator, (first, second), later, left.span.to(right.span));
        }
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        Ok(match (first, second) {
            (Typed::Integer(first, is_truth), Typed::Integer(second, other_is_truth)) => {
                let whole = match operator {
                    Operator::And => Expression::binary(Binary::And, first, second),
                    Operator::Or => Expression::binary(Binary::Or, first, second),
                    Operator::Imply => {
                        Expression::binary(Binary::Or, folded(Expression::Not(Box::new(first))), second)
                    }
                    _ => Expression::binary(
                        Binary::Compare(Comparison::Different),
                        truth(first, is_truth),
                        truth(second, other_is_truth),
                    ),
                };
                Typed::Integer(folded(whole), true)
            }
            (first, second) => {
                let (first, second) = (
                    self.as_formula(first, left.span)?,
                    self.as_formula(second, right.span)?,
                );
                Typed::Formula(match operator {
                    Operator::And => both(first, second),
                    Operator::Or => either(first, second),
                    Operator::Imply => either(negated(first), second),
                    _ => Formula::Or(vec![
                        Formula::And(vec![first.clone(), not(second.clone())]),
                        Formula::And(vec![not(first), second]),
                    ]),
                })
            }
        })
    }

    pub(crate) fn comparison(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        let comparison = match operator {
            Operator::Less => Comparison::Less,
            Operator::LessEqual => Comparison::LessEqual,
            Operator::Equal => Comparison::Equal,
            Operator::Different => Comparison::Different,
            Operator::GreaterEqual => Comparison::GreaterEqual,
            _ => Comparison::Greater,
        };
        if let ExprKind::Rate(clock) = &left.kind {
            return self.rate(clock, comparison, right, span, scope);
        }
        let linear = |read: Typed| match read {
            Typed::Clock(linear) => Some(linear),
            Typed::Integer(offset, _) => Some(Linear {
                plus: ClockName::one(0),
                minus: ClockName::one(0),
                offset,
            }),
            Typed::Real(offset) => Some(Linear {
                plus: ClockName::one(0),
                minus: ClockName::one(0),
                offset,
            }),
            _ => None,
        };
        match self.pair(left, right, scope)? {
            (Typed::Integer(left, _), Typed::Integer(right, _)) => {
                let whole = Expression::binary(Binary::Compare(comparison), left, right);
                Ok(Typed::Integer(folded(whole), true))
            }
            (Typed::Value(of, one), Typed::Value(other_of, other))
                if matches!(comparison, Comparison::Equal | Comparison::Different)
                    && of.sizes() == other_of.sizes() =>
            {
                self.same(&of, &one, &other, comparison == Comparison::Equal, span)
            }
            (first, second)
                if is_number(&first)
                    && is_number(&second)
                    && (is_unknown(&first)
                        || is_unknown(&second)
                        || !matches!((&first, &second), (Typed::Clock(_), _) | (_, Typed::Clock(_)))) =>
            {
                self.real_comparison(comparison, (first, second), span)
            }
            (first, second) => {
                let names = (first.name(), second.name());
                let (Some(first), Some(second)) = (linear(first), linear(second)) else {
                    let message = format!("{} and {} cannot be compared", names.0, names.1);
                    return Err(wrong("uppaal::type", message, span));
                };
                let whole = difference(first, second, span)?;
                let bound = whole_if_it_is(number_negated(whole.offset));
                if bound.is_real() && !self.is_random() {
                    let message = "clocks are compared with floating-point numbers in random runs only";
                    return Err(random_only(message, span));
                }
                if let Expression::Constant(number) = bound
                    && number.abs() >= entail_clocks::discrete::MOST_CONSTANT
                {
                    let message = format!("the constant {number} is too large for a clock");
                    let help = format!(
                        "constants of clocks are below {}",
                        entail_clocks::discrete::MOST_CONSTANT
                    );
                    return Err(wrong("uppaal::range", message, span).with_help(help));
                }
                Ok(Typed::Formula(Formula::Clock {
                    left: whole.plus,
                    right: whole.minus,
                    comparison,
                    bound,
                }))
            }
        }
    }

    /// `x' == e` in an invariant: whether the clock runs.
    pub(crate) fn rate(
        &mut self,
        clock: &Expr,
        comparison: Comparison,
        right: &Expr,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        if self.is_cost(clock, scope) {
            return self.cost_rate(comparison, right, span, scope);
        }
        let which = match self.value(clock, scope)? {
            Typed::Clock(which) => which,
            // Any derivative will do: nothing depends on it.
            Typed::Unknown if self.rates.is_some() && self.shape(clock, scope) == Some(Type::Hybrid) => {
                return Ok(Typed::Integer(Expression::Constant(1), true));
            }
            _ => return Err(wrong("uppaal::type", "only clocks have rates", clock.span)),
        };
        if comparison != Comparison::Equal || self.rates.is_none() {
            let message = "the rate of a clock is given by `x' == e` in an invariant";
            return Err(wrong("uppaal::type", message, span));
        }
        let outside = std::mem::replace(&mut self.moment, Moment::Rate);
        let rate = self.value(right, scope).and_then(|read| match read {
            Typed::Integer(rate, _) => Ok(Some(rate)),
            read => self.as_real(read, right.span),
        });
        self.moment = outside;
        match (rate?.map(whole_if_it_is), &mut self.random) {
            (Some(Expression::Constant(1)), None) => {}
            (Some(rate @ Expression::Constant(0 | 1)), _) => self.clock_rates.push((which.plus, rate)),
            (Some(rate), Some(random)) => {
                random.flows(&which.plus);
                self.clock_rates.push((which.plus, rate));
            }
            (Some(rate), None) if !rate.is_real() && !matches!(rate, Expression::Constant(_)) => {
                self.clock_rates.push((which.plus, rate));
            }
            (_, _) => {
                let message = "rates of clocks other than 0 and 1 are supported in random runs only";
                return Err(random_only(message, span));
            }
        }
        Ok(Typed::Integer(Expression::Constant(1), true))
    }

    /// `cost' == e` in an invariant: what a unit of time costs.
    fn cost_rate(&mut self, comparison: Comparison, right: &Expr, span: Span, scope: ScopeId) -> Read<Typed> {
        let rate = self.integer(right, scope)?;
        let is_rate = comparison == Comparison::Equal;
        match self.rates.as_mut().filter(|_| is_rate) {
            Some(rates) => {
                rates.push(rate);
                Ok(Typed::Integer(Expression::Constant(1), true))
            }
            None => {
                let message = "the rate of `cost` is given by `cost' == e` in an invariant";
                Err(wrong("uppaal::type", message, span))
            }
        }
    }

    /// Whether an expression is the cost: a name that means something only if nothing else has it.
    pub(crate) fn is_cost(&self, expr: &Expr, scope: ScopeId) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if name == "cost")
            && self.scopes.find(scope, "cost").is_none()
    }

    /// Whether two arrays or records are equal.
    pub(crate) fn same(
        &mut self,
        of: &Type,
        one: &Reference,
        other: &Reference,
        wanted: bool,
        span: Span,
    ) -> Read<Typed> {
        if self.constant && (one.root == Root::Variable || other.root == Root::Variable) {
            return Err(wrong("uppaal::constant", "a constant is expected", span));
        }
        let sizes = of.sizes().unwrap_or([0; 3]);
        if sizes[CLOCKS] + sizes[CHANNELS] > 0 {
            return Err(wrong(
                "uppaal::type",
                "clocks and channels cannot be compared so",
                span,
            ));
        }
        let elements = |reference: &Reference| elements(reference, sizes[INTEGERS]);
        let pairs = elements(one).into_iter().zip(elements(other));
        let equal = |(one, other)| Expression::binary(Binary::Compare(Comparison::Equal), one, other);
        let all = balanced(Binary::And, pairs.map(equal).collect(), 1);
        let all = if wanted {
            all
        } else {
            Expression::Not(Box::new(all))
        };
        Ok(Typed::Integer(folded(all), true))
    }

    pub(crate) fn choice(&mut self, parts: &[Expr; 3], scope: ScopeId) -> Read<Typed> {
        let [condition, then, otherwise] = parts;
        let condition = self.integer(condition, scope)?;
        let before = self.emitted();
        let one = self.value(then, scope)?;
        let first = self.emitted_since(before);
        let other = self.value(otherwise, scope)?;
        let second = self.emitted_since(before);
        let values = match first.is_empty() && second.is_empty() {
            true => (one, other),
            false => {
                let span = then.span.to(otherwise.span);
                return self.chosen_with_effects(condition, [(one, first), (other, second)], span);
            }
        };
        Ok(match values {
            (Typed::Integer(one, is_truth), Typed::Integer(other, other_is_truth)) => Typed::Integer(
                folded(Expression::Choice(Box::new([condition, one, other]))),
                is_truth && other_is_truth,
            ),
            (one, other) if is_number(&one) && is_number(&other) => {
                let (one, other) = (
                    self.as_real(one, then.span)?,
                    self.as_real(other, otherwise.span)?,
                );
                match (one, other) {
                    (Some(one), Some(other)) => {
                        let parts = [condition, stored(one), stored(other)];
                        Typed::Real(marked(folded(Expression::Choice(Box::new(parts)))))
                    }
                    _ => Typed::Unknown,
                }
            }
            (one, other) => {
                let one = self.as_formula(one, then.span)?;
                let other = self.as_formula(other, otherwise.span)?;
                let not = Formula::Integer(folded(Expression::Not(Box::new(condition.clone()))));
                both(either(not, one), either(Formula::Integer(condition), other)).into()
            }
        })
    }

    pub(crate) fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &str,
        of: &TypeExpr,
        inner: &Expr,
        scope: ScopeId,
    ) -> Read<Typed> {
        let resolved = self.resolve(of, scope)?;
        let Some((low, high)) = resolved.range() else {
            let message = format!("the values of {} cannot be enumerated", resolved.name());
            return Err(wrong("uppaal::type", message, of.span));
        };
        if high - low >= MOST_CASES {
            return Err(wrong(
                "uppaal::limit",
                "a quantifier with very many values",
                of.span,
            ));
        }
        let mut all = Vec::new();
        let effects = self.effects.take();
        for value in low..=high {
            let inside = self.scopes.inside(Some(scope));
            let constant = Reference::constant(Arc::new([value]));
            self.scopes
                .enter(inside, name, Entity::Value(resolved.clone(), constant));
            let read = self.value(inner, inside);
            match read {
                Ok(read) => all.push(read),
                Err(problem) => {
                    self.effects = effects;
                    return Err(problem);
                }
            }
        }
        self.effects = effects;
        let is_integer = |read: &Typed| matches!(read, Typed::Integer(..));
        if all.iter().all(is_integer) {
            let values = all.into_iter().filter_map(|read| match read {
                Typed::Integer(value, _) => Some(value),
                _ => None,
            });
            let values: Vec<Expression> = values.collect();
            return Ok(match quantifier {
                Quantifier::ForAll => Typed::Integer(balanced(Binary::And, values, 1), true),
                Quantifier::Exists => Typed::Integer(balanced(Binary::Or, values, 0), true),
                Quantifier::Sum => Typed::Integer(balanced(Binary::Add, values, 0), false),
            });
        }
        if quantifier == Quantifier::Sum && all.iter().all(is_number) {
            let mut whole = Typed::Integer(Expression::Constant(0), false);
            for one in all {
                whole = match (whole, one) {
                    (Typed::Integer(left, _), Typed::Integer(right, _)) => {
                        Typed::Integer(crate::terms::sum(left, right), false)
                    }
                    both => self.real_operation(Binary::Add, both, inner.span)?,
                };
            }
            return Ok(whole);
        }
        if quantifier == Quantifier::Sum {
            return Err(wrong(
                "uppaal::type",
                "only integers can be summed up",
                inner.span,
            ));
        }
        let mut formulas = Vec::new();
        for read in all {
            formulas.push(self.as_formula(read, inner.span)?);
        }
        Ok(Typed::Formula(match quantifier {
            Quantifier::ForAll => Formula::And(formulas),
            _ => Formula::Or(formulas),
        }))
    }
}

impl Compiler<'_> {
    /// Whether operators on these make a floating-point number: one of them is one, or clocks are read as such, which updates and random runs do.
    fn may_be_real(&self, both: &(Typed, Typed)) -> bool {
        let is_real = |read: &Typed| matches!(read, Typed::Real(_) | Typed::Unknown);
        let reads_clocks = self.is_random() || self.moment == Moment::Step || self.functions.is_inside();
        is_number(&both.0) && is_number(&both.1) && (is_real(&both.0) || is_real(&both.1) || reads_clocks)
    }
}

/// Whether it is a number of any kind.
fn is_number(read: &Typed) -> bool {
    matches!(
        read,
        Typed::Integer(..) | Typed::Real(_) | Typed::Unknown | Typed::Clock(_)
    )
}

fn is_unknown(read: &Typed) -> bool {
    matches!(read, Typed::Unknown)
}

impl From<Formula> for Typed {
    fn from(formula: Formula) -> Typed {
        Typed::Formula(formula)
    }
}

fn both(first: Formula, second: Formula) -> Formula {
    match (first, second) {
        (Formula::And(mut all), Formula::And(more)) => {
            all.extend(more);
            Formula::And(all)
        }
        (Formula::And(mut all), one) => {
            all.push(one);
            Formula::And(all)
        }
        (first, second) => Formula::And(vec![first, second]),
    }
}

fn either(first: Formula, second: Formula) -> Formula {
    match (first, second) {
        (Formula::Or(mut all), one) => {
            all.push(one);
            Formula::Or(all)
        }
        (first, second) => Formula::Or(vec![first, second]),
    }
}

/// The opposite; of integers an integer.
fn negated(formula: Formula) -> Formula {
    match formula {
        Formula::Integer(value) => Formula::Integer(folded(Expression::Not(Box::new(value)))),
        Formula::Constant(truth) => Formula::Constant(!truth),
        other => Formula::Not(Box::new(other)),
    }
}

/// The difference of two linear terms.
fn difference(left: Linear, right: Linear, span: Span) -> Read<Linear> {
    let nobody = ClockName::one(0);
    let mut plus = vec![left.plus, right.minus];
    let mut minus = vec![left.minus, right.plus];
    plus.retain(|one| *one != nobody);
    minus.retain(|one| *one != nobody);
    // The same clock on both sides cancels out.
    if let Some(at) = plus.iter().position(|one| minus.contains(one)) {
        let same = plus.remove(at);
        if let Some(at) = minus.iter().position(|one| *one == same) {
            minus.remove(at);
        }
    }
    if plus.len() > 1 || minus.len() > 1 {
        let message = "only one clock, or the difference of two, can be compared with an integer";
        return Err(wrong("uppaal::type", message, span));
    }
    let negative = number_negated(right.offset);
    Ok(Linear {
        plus: plus.pop().unwrap_or(nobody.clone()),
        minus: minus.pop().unwrap_or(nobody),
        offset: number_sum(left.offset, negative),
    })
}
