//! Building integer terms: constants are folded, long chains are balanced.

use entail_clocks::{Binary, Comparison, Expression};

/// The value, where all operands are constants.
pub(crate) fn folded(expression: Expression) -> Expression {
    let constant = |one: &Expression| matches!(one, Expression::Constant(_));
    let is_constant = match &expression {
        Expression::Negate(inner) | Expression::Not(inner) | Expression::Table(_, inner) => constant(inner),
        Expression::Binary(_, left, right) => constant(left) && constant(right),
        Expression::Choice(parts) => parts.iter().all(constant),
        _ => false,
    };
    match is_constant.then(|| expression.value(&[])) {
        Some(Ok(value)) => Expression::Constant(value),
        _ => expression,
    }
}

pub(crate) fn sum(left: Expression, right: Expression) -> Expression {
    match (&left, &right) {
        (Expression::Constant(0), _) => right,
        (_, Expression::Constant(0)) => left,
        _ => folded(Expression::binary(Binary::Add, left, right)),
    }
}

pub(crate) fn scaled(index: &Expression, stride: usize) -> Expression {
    match stride {
        0 => Expression::Constant(0),
        1 => index.clone(),
        _ => folded(Expression::binary(
            Binary::Multiply,
            index.clone(),
            Expression::Constant(stride as i64),
        )),
    }
}

/// A balanced tree of one operator.
pub(crate) fn balanced(operator: Binary, mut all: Vec<Expression>, empty: i64) -> Expression {
    if all.is_empty() {
        return Expression::Constant(empty);
    }
    while all.len() > 1 {
        let mut next = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => folded(Expression::binary(operator, left, right)),
                None => left,
            });
        }
        all = next;
    }
    all.remove(0)
}

/// 1 if a value is not 0.
pub(crate) fn truth(expression: Expression, is_truth: bool) -> Expression {
    match is_truth {
        true => expression,
        false => folded(Expression::binary(
            Binary::Compare(Comparison::Different),
            expression,
            Expression::Constant(0),
        )),
    }
}
