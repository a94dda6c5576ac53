//! Values of expressions: names, steps, unary operators, and the order of evaluation.

use crate::compiler::{Compiler, Typed, unsupported, wrong};
use crate::names::{Entity, Root, ScopeId};
use crate::parser::Read;
use crate::reals::{marked, number_negated, real, real_constant, stored};
use crate::terms::folded;
use entail_clocks::{Binary, Expression, Formula, Place, Real, Statement};
use entail_source::Span;
use entail_uppaal_tree::{Expr, ExprKind, Unary};

impl<'m> Compiler<'m> {
    /// Translates an expression.
    pub fn value(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.value_inside(expr, scope))
    }

    pub(crate) fn value_inside(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        match &expr.kind {
            ExprKind::Number(number) => Ok(Typed::Integer(Expression::Constant(*number), false)),
            ExprKind::Truth(truth) => Ok(Typed::Integer(Expression::Constant(i64::from(*truth)), true)),
            ExprKind::Double(text) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Typed::Real(real_constant(number))),
                _ => Err(wrong(
                    "uppaal::range",
                    format!("{text} is too large a number"),
                    expr.span,
                )),
            },
            ExprKind::Text(_) => Err(unsupported("texts", expr.span)),
            ExprKind::Deadlock => Ok(Typed::Formula(Formula::Deadlock)),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => self.named(expr, scope),
            ExprKind::Call(function, arguments) => match self.entity(expr, scope)? {
                Some(Entity::Process(_)) => Ok(Typed::Process),
                _ => self.call(function, arguments, expr.span, scope),
            },
            ExprKind::Rate(_) => {
                let message = "rates of clocks (`x'`) can only be compared in invariants";
                Err(wrong("uppaal::type", message, expr.span))
            }
            ExprKind::Unary(operator, inner) => self.unary(*operator, inner, scope),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, expr.span, scope),
            ExprKind::Choice(parts) => self.choice(parts, scope),
            ExprKind::Assign(operator, target, value) => {
                self.assign(*operator, target, value, expr.span, scope)
            }
            ExprKind::Step { after, by, target } => {
                let before = self.value(target, scope)?;
                if matches!(before, Typed::Real(_) | Typed::Unknown) {
                    return self.step_real((*after, *by), target, before, expr.span, scope);
                }
                let Typed::Integer(before, _) = before else {
                    return Err(wrong(
                        "uppaal::type",
                        "only integers can be counted up or down",
                        target.span,
                    ));
                };
                let kept = match after {
                    true => Some(self.kept(before.clone(), target.span)?),
                    false => None,
                };
                let value = Expression::binary(Binary::Add, before, Expression::Constant(*by));
                let (of, reference) = self.reference(target, scope)?;
                if matches!(reference.root, Root::Constant(_)) {
                    return Err(self.constant_changed(target, expr.span));
                }
                self.store(&of, &reference, value, false, expr.span)?;
                match kept {
                    Some(kept) => Ok(Typed::Integer(kept, false)),
                    None => self.read(of, reference, expr.span),
                }
            }
            ExprKind::Quantified(quantifier, name, of, inner) => {
                self.quantified(*quantifier, name, of, inner, scope)
            }
        }
    }

    pub(crate) fn named(&mut self, expr: &Expr, scope: ScopeId) -> Read<Typed> {
        match self.entity(expr, scope)? {
            Some(Entity::Value(of, reference)) => self.read(of, reference, expr.span),
            Some(Entity::Location(location)) => Ok(Typed::Formula(Formula::At(location))),
            Some(Entity::Process(_)) => Ok(Typed::Process),
            Some(Entity::Type(_)) => Err(wrong("uppaal::type", "a type has no value", expr.span)),
            _ => Err(wrong("uppaal::type", "this has no value", expr.span)),
        }
    }

    /// A value kept in a slot of its own.
    pub(crate) fn kept(&mut self, value: Expression, span: Span) -> Read<Expression> {
        if matches!(value, Expression::Constant(_)) {
            return Ok(value);
        }
        let target = Place::variable(self.slot(1));
        let statement = Statement::Assign {
            target: target.clone(),
            value,
            span,
        };
        self.emit(statement, span)?;
        Ok(Expression::Read(target))
    }

    pub(crate) fn emitted(&self) -> usize {
        self.effects.as_ref().map_or(0, Vec::len)
    }

    /// Operands in order; those that are read before a later one changes something are kept.
    pub fn operands(&mut self, all: &[&Expr], scope: ScopeId) -> Read<Vec<Typed>> {
        let mut done: Vec<Typed> = Vec::new();
        for expr in all {
            let before = self.emitted();
            let value = self.value(expr, scope)?;
            if self.emitted() > before {
                let later = self
                    .effects
                    .as_mut()
                    .map(|list| list.split_off(before))
                    .unwrap_or_default();
                for earlier in &mut done {
                    match earlier {
                        Typed::Integer(expression, _) => {
                            *expression = self.kept(expression.clone(), expr.span)?;
                        }
                        Typed::Real(expression) => {
                            let kept = self.kept(stored(expression.clone()), expr.span)?;
                            *expression = marked(kept);
                        }
                        _ => {}
                    }
                }
                self.effects.get_or_insert_default().extend(later);
            }
            done.push(value);
        }
        Ok(done)
    }

    pub(crate) fn pair(&mut self, left: &Expr, right: &Expr, scope: ScopeId) -> Read<(Typed, Typed)> {
        let mut both = self.operands(&[left, right], scope)?;
        let right = both.pop().unwrap_or(Typed::Nothing);
        Ok((both.pop().unwrap_or(Typed::Nothing), right))
    }

    /// `d++` and its kin on a floating-point number.
    fn step_real(
        &mut self,
        (after, by): (bool, i64),
        target: &Expr,
        before: Typed,
        span: Span,
        scope: ScopeId,
    ) -> Read<Typed> {
        let Typed::Real(before) = before else {
            self.left_out = true;
            return Ok(Typed::Unknown);
        };
        let kept = match after {
            true => Some(self.kept(stored(before.clone()), target.span)?),
            false => None,
        };
        let value = real(Real::Add, vec![before, real_constant(by as f64)]);
        let (of, reference) = self.reference(target, scope)?;
        self.store(&of, &reference, stored(value), false, span)?;
        match kept {
            Some(kept) => Ok(Typed::Real(marked(kept))),
            None => self.read(of, reference, span),
        }
    }

    pub(crate) fn unary(&mut self, operator: Unary, inner: &Expr, scope: ScopeId) -> Read<Typed> {
        let value = self.value(inner, scope)?;
        Ok(match (operator, value) {
            (Unary::Minus, Typed::Integer(value, _)) => {
                Typed::Integer(folded(Expression::Negate(Box::new(value))), false)
            }
            (Unary::Minus, Typed::Real(value)) => Typed::Real(number_negated(value)),
            (Unary::Plus, Typed::Real(value)) => Typed::Real(value),
            (Unary::Minus | Unary::Plus, Typed::Unknown) => Typed::Unknown,
            // A clock with the other sign is no clock.
            (Unary::Minus, value @ Typed::Clock(_)) => match self.as_real(value, inner.span)? {
                Some(number) => Typed::Real(number_negated(number)),
                None => Typed::Unknown,
            },
            (Unary::Plus, Typed::Integer(value, _)) => Typed::Integer(value, false),
            (Unary::Not, Typed::Integer(value, _)) => {
                Typed::Integer(folded(Expression::Not(Box::new(value))), true)
            }
            (Unary::Not, Typed::Formula(formula)) => Typed::Formula(Formula::Not(Box::new(formula))),
            (_, other) => {
                let message = format!("this operator cannot be used on {}", other.name());
                return Err(wrong("uppaal::type", message, inner.span));
            }
        })
    }
}
