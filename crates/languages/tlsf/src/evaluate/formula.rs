//! Formulas: temporal operators with bounds, big operators and comparisons are written out in plain linear-time logic.

use super::{Evaluated, Evaluator, MOST_ELEMENTS, error};
use crate::deep;
use crate::syntax::*;
use crate::value::{Ltl, Term, Value, and, constant, not, or};
use entail_source::Span;
use std::rc::Rc;

impl Evaluator<'_> {
    /// A formula.
    pub fn formula(&mut self, expr: &Expr) -> Evaluated<Term> {
        deep(|| self.expanded(expr))
    }

    fn expanded(&mut self, expr: &Expr) -> Evaluated<Term> {
        match &expr.node {
            Node::True => Ok(constant(true)),
            Node::False => Ok(constant(false)),
            Node::Prefix(operator, operand) => {
                let inner = self.formula(operand)?;
                Ok(match operator {
                    Prefix::Not => not(&inner),
                    Prefix::Next => Rc::new(Ltl::Next(inner)),
                    Prefix::StrongNext => Rc::new(Ltl::StrongNext(inner)),
                    Prefix::Previous => Rc::new(Ltl::Previous(inner)),
                    Prefix::Globally => Rc::new(Ltl::Globally(inner)),
                    Prefix::Finally => Rc::new(Ltl::Finally(inner)),
                    Prefix::Historically => Rc::new(Ltl::Historically(inner)),
                    Prefix::Once => Rc::new(Ltl::Once(inner)),
                    _ => {
                        return Err(error(
                            "tlsf::type",
                            "this is a number".into(),
                            expr.span,
                            "a formula is needed here",
                            "",
                        ));
                    }
                })
            }
            Node::Bounded(operator, bound, strong, operand) => {
                self.bounded(*operator, bound, *strong, operand)
            }
            Node::Big(which @ (Big::And | Big::Or), conditions, body) => {
                let mut parts = Vec::new();
                self.for_each(conditions, &mut |evaluator| {
                    parts.push(evaluator.formula(body)?);
                    Ok(())
                })?;
                Ok(if *which == Big::And { and(parts) } else { or(parts) })
            }
            Node::Infix(operator, left, right) => self.infix(*operator, left, right, expr.span),
            Node::Index(name, index) => {
                let bus = self.name(name, expr.span)?;
                let Value::Bus(first, width) = bus else {
                    return Err(self.mismatch("a bus", &bus, expr.span));
                };
                let at = self.number(index)?;
                match u32::try_from(at).ok().filter(|at| *at < width) {
                    Some(at) => Ok(Rc::new(Ltl::Signal(first + at))),
                    None => {
                        let message = format!("the bus `{name}` has {width} signals, and none at {at}");
                        Err(error(
                            "tlsf::bounds",
                            message,
                            index.span,
                            "this index",
                            "signals of a bus are numbered from 0",
                        ))
                    }
                }
            }
            Node::Otherwise | Node::Wild => {
                let message = "this can stand in cases of definitions only".to_owned();
                Err(error("tlsf::place", message, expr.span, "here", ""))
            }
            Node::Name(_) | Node::Call(..) => match self.value(expr)? {
                Value::Formula(formula) => Ok(formula),
                // A bus of one signal is that signal.
                Value::Bus(first, 1) => Ok(Rc::new(Ltl::Signal(first))),
                other => Err(self.mismatch("a formula", &other, expr.span)),
            },
            _ => {
                let found = self.value(expr)?;
                Err(self.mismatch("a formula", &found, expr.span))
            }
        }
    }

    fn bounded(&mut self, operator: Prefix, bound: &Expr, strong: bool, operand: &Expr) -> Evaluated<Term> {
        let step = |inner: Term| -> Term {
            Rc::new(match operator {
                Prefix::Previous | Prefix::Historically | Prefix::Once => Ltl::Previous(inner),
                _ if strong => Ltl::StrongNext(inner),
                _ => Ltl::Next(inner),
            })
        };
        let limited = |number: i64| match (0..=MOST_ELEMENTS).contains(&number) {
            true => Ok(number),
            false => {
                let message = format!("the bound {number} is not possible");
                Err(error(
                    "tlsf::bound",
                    message,
                    bound.span,
                    "this bound",
                    "use a small natural number",
                ))
            }
        };
        if matches!(operator, Prefix::Next | Prefix::Previous) {
            let count = limited(self.number(bound)?)?;
            let inner = self.formula(operand)?;
            return Ok((0..count).fold(inner, |inner, _| step(inner)));
        }
        let Node::Infix(Infix::Colon, low, high) = &bound.node else {
            let help = "write the first and the last step, as in F[0:3]";
            return Err(error(
                "tlsf::bound",
                "expected a range".into(),
                bound.span,
                "this bound",
                help,
            ));
        };
        let (low, high) = (limited(self.number(low)?)?, limited(self.number(high)?)?);
        // As in `syfco`, an empty range makes all of them true.
        if low > high {
            return Ok(constant(true));
        }
        let body = self.formula(operand)?;
        let all = matches!(operator, Prefix::Globally | Prefix::Historically);
        let mut result = body.clone();
        for _ in low..high {
            let parts = vec![body.clone(), step(result)];
            result = if all { and(parts) } else { or(parts) };
        }
        Ok((0..low).fold(result, |inner, _| step(inner)))
    }

    fn infix(&mut self, operator: Infix, left: &Expr, right: &Expr, span: Span) -> Evaluated<Term> {
        let temporal = |evaluator: &mut Self| -> Evaluated<(Term, Term)> {
            Ok((evaluator.formula(left)?, evaluator.formula(right)?))
        };
        Ok(match operator {
            Infix::And => and(vec![self.formula(left)?, self.formula(right)?]),
            Infix::Or => or(vec![self.formula(left)?, self.formula(right)?]),
            Infix::Implies => {
                let (left, right) = temporal(self)?;
                match (&*left, &*right) {
                    (Ltl::Constant(false), _) | (_, Ltl::Constant(true)) => constant(true),
                    (Ltl::Constant(true), _) => right,
                    (_, Ltl::Constant(false)) => not(&left),
                    _ => Rc::new(Ltl::Implies(left, right)),
                }
            }
            Infix::Equiv => {
                let (left, right) = temporal(self)?;
                match (&*left, &*right) {
                    (Ltl::Constant(true), _) => right,
                    (_, Ltl::Constant(true)) => left,
                    (Ltl::Constant(false), _) => not(&right),
                    (_, Ltl::Constant(false)) => not(&left),
                    _ => Rc::new(Ltl::Equiv(left, right)),
                }
            }
            Infix::Until => temporal(self).map(|(a, b)| Rc::new(Ltl::Until(a, b)))?,
            Infix::Release => temporal(self).map(|(a, b)| Rc::new(Ltl::Release(a, b)))?,
            Infix::Weak => temporal(self).map(|(a, b)| Rc::new(Ltl::Weak(a, b)))?,
            Infix::Since => temporal(self).map(|(a, b)| Rc::new(Ltl::Since(a, b)))?,
            Infix::Triggered => temporal(self).map(|(a, b)| Rc::new(Ltl::Triggered(a, b)))?,
            Infix::In => {
                let element = self.value(left)?;
                constant(self.set(right)?.contains(&element))
            }
            Infix::Less => constant(self.number(left)? < self.number(right)?),
            Infix::LessEqual => constant(self.number(left)? <= self.number(right)?),
            Infix::Greater => constant(self.number(left)? > self.number(right)?),
            Infix::GreaterEqual => constant(self.number(left)? >= self.number(right)?),
            Infix::Equal => self.equality(left, right, span)?,
            Infix::Unequal => not(&self.equality(left, right, span)?),
            _ => {
                return Err(error(
                    "tlsf::type",
                    "this is no formula".into(),
                    span,
                    "a formula is needed here",
                    "",
                ));
            }
        })
    }

    /// Equality: of numbers and sets a constant, of buses and values of enumerations a formula.
    fn equality(&mut self, left: &Expr, right: &Expr, span: Span) -> Evaluated<Term> {
        let (one, other) = (self.value(left)?, self.value(right)?);
        let signal = |number: u32| -> Term { Rc::new(Ltl::Signal(number)) };
        // A signal is a bus of one.
        let as_bus = |value: &Value| match value {
            Value::Bus(first, width) => Some((*first, *width)),
            Value::Formula(formula) => match **formula {
                Ltl::Signal(number) => Some((number, 1)),
                _ => None,
            },
            _ => None,
        };
        let widths = |one: usize, other: usize| {
            let message = format!("{one} bits are compared with {other}");
            error(
                "tlsf::width",
                message,
                span,
                "here",
                "both sides must have the same number of bits",
            )
        };
        match (&one, &other) {
            (Value::Code(codes), value) | (value, Value::Code(codes)) if as_bus(value).is_some() => {
                let (first, width) = as_bus(value).unwrap_or_default();
                let size = codes.first().map_or(0, Vec::len);
                if size != width as usize {
                    return Err(widths(width as usize, size));
                }
                let code = |code: &Vec<Option<bool>>| {
                    let bits = code.iter().zip(first..).filter_map(|(bit, number)| {
                        Some(match (*bit)? {
                            true => signal(number),
                            false => not(&signal(number)),
                        })
                    });
                    and(bits.collect())
                };
                Ok(or(codes.iter().map(code).collect()))
            }
            (Value::Bus(..), value) | (value, Value::Bus(..)) if as_bus(value).is_some() => {
                let ((first, width), (second, size)) = (
                    as_bus(&one).unwrap_or_default(),
                    as_bus(&other).unwrap_or_default(),
                );
                if width != size {
                    return Err(widths(width as usize, size as usize));
                }
                let bit = |number: u32| -> Term {
                    Rc::new(Ltl::Equiv(signal(first + number), signal(second + number)))
                };
                Ok(and((0..width).map(bit).collect()))
            }
            (Value::Number(_), Value::Number(_))
            | (Value::Set(_), Value::Set(_))
            | (Value::Code(_), Value::Code(_)) => Ok(constant(one == other)),
            (Value::Formula(_), Value::Formula(_)) => Ok(constant(one == other)),
            _ => Err(self.mismatch(one.kind(), &other, span)),
        }
    }
}
