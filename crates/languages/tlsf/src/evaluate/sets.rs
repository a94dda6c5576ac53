//! Sets, and the conditions of big operators, which run through sets.

use super::{Evaluated, Evaluator, MOST_ELEMENTS, error};
use crate::syntax::*;
use crate::value::Value;
use std::collections::BTreeSet;

impl Evaluator<'_> {
    /// A set.
    pub(super) fn set(&mut self, expr: &Expr) -> Evaluated<BTreeSet<Value>> {
        match &expr.node {
            Node::Set(elements) => elements.iter().map(|element| self.value(element)).collect(),
            Node::Range(first, second, last) => {
                let (first, second) = (self.number(first)?, self.number(second)?);
                let last = self.number(last)?;
                let step = second - first;
                let count = match step {
                    0 => 1,
                    _ if (last - first).signum() == -step.signum() => 0,
                    _ => (last - first) / step + 1,
                };
                if count > MOST_ELEMENTS {
                    let message = format!("the set has {count} elements");
                    return Err(error(
                        "tlsf::size",
                        message,
                        expr.span,
                        "this set",
                        "use a smaller one",
                    ));
                }
                Ok((0..count)
                    .map(|number| Value::Number(first + number * step))
                    .collect())
            }
            Node::Infix(operator @ (Infix::Cup | Infix::Cap | Infix::SetMinus), left, right) => {
                let (left, right) = (self.set(left)?, self.set(right)?);
                Ok(match operator {
                    Infix::Cup => &left | &right,
                    Infix::Cap => &left & &right,
                    _ => &left - &right,
                })
            }
            Node::Big(which @ (Big::Cup | Big::Cap), conditions, body) => {
                let mut result: Option<BTreeSet<Value>> = None;
                self.for_each(conditions, &mut |evaluator| {
                    let set = evaluator.set(body)?;
                    result = Some(match (result.take(), which) {
                        (None, _) => set,
                        (Some(old), Big::Cup) => &old | &set,
                        (Some(old), _) => &old & &set,
                    });
                    Ok(())
                })?;
                match (result, which) {
                    (Some(result), _) => Ok(result),
                    (None, Big::Cup) => Ok(BTreeSet::new()),
                    (None, _) => {
                        let message = "the intersection of no sets is everything".to_owned();
                        Err(error(
                            "tlsf::empty",
                            message,
                            expr.span,
                            "here",
                            "the index set must not be empty",
                        ))
                    }
                }
            }
            _ => match self.value(expr)? {
                Value::Set(set) => Ok(set),
                other => Err(self.mismatch("a set", &other, expr.span)),
            },
        }
    }

    /// Does something for all values of the conditions' variables.
    pub(super) fn for_each(
        &mut self,
        conditions: &[Expr],
        work: &mut dyn FnMut(&mut Self) -> Evaluated<()>,
    ) -> Evaluated<()> {
        let Some((condition, rest)) = conditions.split_first() else {
            return work(self);
        };
        let (name, elements) = self.condition(condition)?;
        for element in elements {
            let known = self.locals.len();
            self.locals.push((name.clone(), element));
            let result = self.for_each(rest, work);
            self.locals.truncate(known);
            result?;
        }
        Ok(())
    }

    /// The variable of a condition of a big operator, and its values.
    pub(super) fn condition(&mut self, condition: &Expr) -> Evaluated<(String, BTreeSet<Value>)> {
        let help = "a condition is written as `i IN set` or `a <= i < b`";
        let wrong = || {
            error(
                "tlsf::condition",
                "this says nothing about a variable".into(),
                condition.span,
                "here",
                help,
            )
        };
        match &condition.node {
            Node::Infix(Infix::In, variable, set) => match &variable.node {
                Node::Name(name) => Ok((name.clone(), self.set(set)?)),
                _ => Err(wrong()),
            },
            Node::Infix(upper @ (Infix::Less | Infix::LessEqual), left, last) => {
                let Node::Infix(lower @ (Infix::Less | Infix::LessEqual), first, variable) = &left.node
                else {
                    return Err(wrong());
                };
                let Node::Name(name) = &variable.node else {
                    return Err(wrong());
                };
                let first = self.number(first)? + i64::from(*lower == Infix::Less);
                let last = self.number(last)? - i64::from(*upper == Infix::Less);
                if last.saturating_sub(first) > MOST_ELEMENTS {
                    let message = "there are too many values".to_owned();
                    return Err(error(
                        "tlsf::size",
                        message,
                        condition.span,
                        "here",
                        "use a smaller range",
                    ));
                }
                Ok((name.clone(), (first..=last).map(Value::Number).collect()))
            }
            _ => Err(wrong()),
        }
    }
}
