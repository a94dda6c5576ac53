//! Operators on numbers, and on terms in which clocks occur.

use crate::evaluate::Out;
use crate::value::Value;
use entail_clocks::Fault;
use entail_clocks::discrete::ClockConstraint;
use entail_uppaal_tree::Operator;

pub(crate) fn arithmetic(operator: Operator, first: i64, second: i64) -> Result<i64, Fault> {
    let truth = |truth: bool| Ok(i64::from(truth));
    let whole = match operator {
        Operator::Add => first.checked_add(second),
        Operator::Subtract => first.checked_sub(second),
        Operator::Multiply => first.checked_mul(second),
        Operator::Divide | Operator::Remainder if second == 0 => return Err(Fault::DivisionByZero),
        Operator::Divide => first.checked_div(second),
        Operator::Remainder => first.checked_rem(second),
        Operator::ShiftLeft | Operator::ShiftRight if !(0..=31).contains(&second) => {
            return Err(Fault::Shift(second));
        }
        Operator::ShiftLeft => first.checked_mul(2i64.pow(second as u32)),
        Operator::ShiftRight => Some(first.div_euclid(2i64.pow(second as u32))),
        Operator::Minimum => Some(if first < second { first } else { second }),
        Operator::Maximum => Some(if first > second { first } else { second }),
        Operator::BitAnd => Some(first & second),
        Operator::BitXor => Some(first ^ second),
        Operator::BitOr => Some(first | second),
        Operator::Less => return truth(first < second),
        Operator::LessEqual => return truth(first <= second),
        Operator::Greater => return truth(first > second),
        Operator::GreaterEqual => return truth(first >= second),
        Operator::Equal => return truth(first == second),
        Operator::Different => return truth(first != second),
        Operator::Power => u32::try_from(second)
            .ok()
            .and_then(|second| first.checked_pow(second)),
        Operator::And | Operator::Or | Operator::Xor | Operator::Imply => None,
    };
    whole.ok_or(Fault::Overflow)
}

/// A sum, difference or comparison in which clocks occur.
pub(crate) fn clock_term(operator: Operator, first: Out, second: Out) -> Result<Out, Fault> {
    let parts = |out: Out| match out {
        Out::Value(Value::Number(number)) => Ok((Vec::new(), Vec::new(), number)),
        Out::Clocks(plus, minus, number) => {
            let list = |clock: usize| if clock == 0 { Vec::new() } else { vec![clock] };
            Ok((list(plus), list(minus), number))
        }
        _ => Err(Fault::Overflow),
    };
    let (mut plus, mut minus, first) = parts(first)?;
    let (second_plus, second_minus, second) = parts(second)?;
    let total = match operator {
        Operator::Add => {
            plus.extend(second_plus);
            minus.extend(second_minus);
            first.checked_add(second)
        }
        _ => {
            plus.extend(second_minus);
            minus.extend(second_plus);
            first.checked_sub(second)
        }
    };
    let total = total.ok_or(Fault::Overflow)?;
    // A clock on both sides says nothing.
    while let Some(at) = plus.iter().position(|clock| minus.contains(clock)) {
        let clock = plus.swap_remove(at);
        minus.retain(|other| *other != clock);
    }
    if plus.len() > 1 || minus.len() > 1 {
        return Err(Fault::Overflow);
    }
    let left = plus.first().copied().unwrap_or(0);
    let right = minus.first().copied().unwrap_or(0);
    let bound = -total;
    let upper = |strict: bool| ClockConstraint {
        left,
        right,
        bound,
        strict,
    };
    let lower = |strict: bool| ClockConstraint {
        left: right,
        right: left,
        bound: -bound,
        strict,
    };
    if left == right {
        // No clock is left: the comparison is one of numbers.
        return match operator {
            Operator::Add | Operator::Subtract => Ok(Out::Value(Value::Number(total))),
            other => arithmetic(other, total, 0).map(|number| Out::Value(Value::Number(number))),
        };
    }
    Ok(match operator {
        Operator::Add | Operator::Subtract => Out::Clocks(left, right, total),
        Operator::Less => Out::Condition(vec![vec![upper(true)]]),
        Operator::LessEqual => Out::Condition(vec![vec![upper(false)]]),
        Operator::Greater => Out::Condition(vec![vec![lower(true)]]),
        Operator::GreaterEqual => Out::Condition(vec![vec![lower(false)]]),
        Operator::Equal => Out::Condition(vec![vec![upper(false), lower(false)]]),
        Operator::Different => Out::Condition(vec![vec![upper(true)], vec![lower(true)]]),
        _ => return Err(Fault::Overflow),
    })
}
