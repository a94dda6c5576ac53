//! The shapes of expressions and statements that images are compared by (`automorphism`): indices as sums, chains of one operator, what cannot go wrong.

use entail_clocks::{Binary, Expression, Statement};

/// Whether a function may end inside a statement.
pub(crate) fn returns(statement: &Statement) -> bool {
    match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, rest) => then.iter().chain(rest).any(returns),
        Statement::While(_, body) => body.iter().any(returns),
        _ => false,
    }
}

/// Takes an index apart into indices with strides and numbers of values, and a constant; nothing if it is no such sum.
pub(crate) fn terms_of<'e>(
    index: &'e Expression,
    stride: i64,
    size: usize,
    found: &mut Vec<(&'e Expression, i64, usize)>,
) -> Option<i64> {
    match index {
        Expression::Constant(number) => number.checked_mul(stride),
        Expression::Index(inner, count) => {
            found.push((inner, stride, *count));
            Some(0)
        }
        Expression::Binary(Binary::Add, left, right) => {
            let left = terms_of(left, stride, size, found)?;
            Some(left + terms_of(right, stride, size, found)?)
        }
        Expression::Binary(Binary::Multiply, inner, factor) => match &**factor {
            Expression::Constant(factor) => terms_of(inner, stride.checked_mul(*factor)?, size, found),
            _ => None,
        },
        other if stride == 1 && found.is_empty() => {
            found.push((other, 1, size));
            Some(0)
        }
        _ => None,
    }
}

/// The operands of a tree of one operator.
pub(crate) fn flatten<'e>(operator: Binary, whole: &'e Expression, found: &mut Vec<&'e Expression>) {
    match whole {
        Expression::Binary(own, left, right) if *own == operator => {
            flatten(operator, left, found);
            flatten(operator, right, found);
        }
        part => found.push(part),
    }
}

/// Whether an expression has a value whatever the integers are.
pub(crate) fn is_safe(whole: &Expression, ranges: &[(i64, i64)]) -> bool {
    let is_safe = |inner: &Expression| is_safe(inner, ranges);
    match whole {
        Expression::Constant(_) => true,
        Expression::Read(place) => match &place.index {
            None => true,
            Some(index) => {
                let (low, high) = index.range(ranges);
                is_safe(index) && low >= 0 && high < place.size as i64
            }
        },
        Expression::Negate(inner) | Expression::Not(inner) => is_safe(inner),
        // Its own range is cut: what it is taken of must lie within.
        Expression::Index(inner, size) => {
            let (low, high) = inner.range(ranges);
            is_safe(inner) && low >= 0 && high < *size as i64
        }
        Expression::Choice(parts) => parts.iter().all(is_safe),
        Expression::Binary(operator, left, right) => {
            let is_total = matches!(
                operator,
                Binary::Compare(_) | Binary::And | Binary::Or | Binary::Add | Binary::Subtract
            );
            is_total && is_safe(left) && is_safe(right)
        }
        Expression::Ranged(..) | Expression::Table(..) | Expression::Call(..) | Expression::Real(..) => false,
    }
}

/// Whether each of some things can be given one of others of its own.
pub(crate) fn matched<T>(ones: &[T], others: &[T], mut is_pair: impl FnMut(&T, &T) -> bool) -> bool {
    if ones.len() != others.len() {
        return false;
    }
    let mut left: Vec<&T> = others.iter().collect();
    ones.iter().all(|one| {
        let place = left.iter().position(|other| is_pair(one, other));
        place.map(|place| left.swap_remove(place)).is_some()
    })
}
