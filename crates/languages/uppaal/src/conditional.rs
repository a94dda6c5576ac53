//! Changes of variables inside parts of expressions that may not be evaluated: behind `&&`, `||`, `imply`, and in `a ? b : c`.
//!
//! What such a part does becomes a statement under a decision; the value of the whole is kept in a slot. Functions that set clocks are put in place of their calls, where a `return` becomes the end of its case.

use crate::compiler::{Compiler, Typed, unsupported, wrong};
use crate::parser::Read;
use crate::reals::{marked, stored};
use crate::terms::truth;
use entail_clocks::{Expression, Place, Statement};
use entail_source::Span;
use entail_uppaal_tree::Operator;

fn assign(target: &Place, value: Expression, span: Span) -> Statement {
    Statement::Assign {
        target: target.clone(),
        value,
        span,
    }
}

impl Compiler<'_> {
    /// The statements that were emitted since there were so many.
    pub(crate) fn emitted_since(&mut self, before: usize) -> Vec<Statement> {
        self.effects
            .as_mut()
            .map(|list| list.split_off(before))
            .unwrap_or_default()
    }

    /// A connective whose second operand does something.
    pub(crate) fn connected(
        &mut self,
        operator: Operator,
        values: (Typed, Typed),
        later: Vec<Statement>,
        span: Span,
    ) -> Read<Typed> {
        let (Typed::Integer(first, is_truth), Typed::Integer(second, other_is_truth)) = values else {
            let message = "a condition on clocks or locations beside a change of variables";
            return Err(wrong("uppaal::unsupported", message, span));
        };
        let whole = Place::variable(self.slot(1));
        let read = || Expression::Read(whole.clone());
        self.emit(assign(&whole, truth(first, is_truth), span), span)?;
        let mut inner = later;
        let second = truth(second, other_is_truth);
        let (condition, otherwise) = match operator {
            Operator::And => (read(), Vec::new()),
            Operator::Or => (Expression::Not(Box::new(read())), Vec::new()),
            Operator::Imply => (read(), vec![assign(&whole, Expression::Constant(1), span)]),
            // Both are evaluated.
            _ => {
                for statement in inner {
                    self.emit(statement, span)?;
                }
                let different = entail_clocks::Binary::Compare(entail_clocks::Comparison::Different);
                return Ok(Typed::Integer(
                    Expression::binary(different, read(), second),
                    true,
                ));
            }
        };
        inner.push(assign(&whole, second, span));
        self.emit(Statement::If(condition, inner, otherwise), span)?;
        Ok(Typed::Integer(read(), true))
    }

    /// `a ? b : c` in which `b` or `c` does something.
    pub(crate) fn chosen_with_effects(
        &mut self,
        condition: Expression,
        cases: [(Typed, Vec<Statement>); 2],
        span: Span,
    ) -> Read<Typed> {
        let [(one, mut then), (other, mut otherwise)] = cases;
        let result = match (one, other) {
            (Typed::Nothing, Typed::Nothing) => Typed::Nothing,
            (Typed::Integer(one, is_truth), Typed::Integer(other, other_is_truth)) => {
                let whole = Place::variable(self.slot(1));
                then.push(assign(&whole, one, span));
                otherwise.push(assign(&whole, other, span));
                Typed::Integer(Expression::Read(whole), is_truth && other_is_truth)
            }
            (one @ (Typed::Integer(..) | Typed::Real(_)), other @ (Typed::Integer(..) | Typed::Real(_))) => {
                let whole = Place::variable(self.slot(1));
                for (read, case) in [(one, &mut then), (other, &mut otherwise)] {
                    if let Some(value) = self.as_real(read, span)? {
                        case.push(assign(&whole, stored(value), span));
                    }
                }
                Typed::Real(marked(Expression::Read(whole)))
            }
            (Typed::Unknown, _) | (_, Typed::Unknown) => Typed::Unknown,
            _ => {
                let message = "a condition on clocks or locations beside a change of variables";
                return Err(wrong("uppaal::unsupported", message, span));
            }
        };
        self.emit(Statement::If(condition, then, otherwise), span)?;
        Ok(result)
    }
}

/// Statements without `return`: what is returned goes to a place, and what follows a decision in which something returns follows in the other case only.
pub(crate) fn without_returns(
    body: &[Statement],
    result: Option<&Place>,
    span: Span,
) -> Read<Vec<Statement>> {
    let mut done = Vec::new();
    for (position, statement) in body.iter().enumerate() {
        match statement {
            Statement::Return(value) => {
                if let (Some(value), Some(target)) = (value, result) {
                    done.push(assign(target, value.clone(), span));
                }
                return Ok(done);
            }
            Statement::If(condition, then, otherwise) if returns(then) || returns(otherwise) => {
                let rest = &body[position + 1..];
                let case = |part: &[Statement]| {
                    let whole = [part, rest].concat();
                    match whole.len() > MOST_STATEMENTS {
                        true => Err(unsupported(
                            "functions that set clocks and return in very many cases",
                            span,
                        )),
                        false => without_returns(&whole, result, span),
                    }
                };
                let (then, otherwise) = (case(then)?, case(otherwise)?);
                done.push(Statement::If(condition.clone(), then, otherwise));
                return Ok(done);
            }
            Statement::While(_, body) if returns(body) => {
                return Err(unsupported(
                    "functions that set clocks and return inside a loop",
                    span,
                ));
            }
            other => done.push(other.clone()),
        }
    }
    Ok(done)
}

/// Statements of one case, at most.
const MOST_STATEMENTS: usize = 200;

pub(crate) fn returns(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, otherwise) => returns(then) || returns(otherwise),
        Statement::While(_, body) => returns(body),
        _ => false,
    })
}
