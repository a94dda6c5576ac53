//! Floating-point numbers outside of random runs: constants have values, variables and hybrid clocks none, and nothing that is asked depends on these.

use crate::evaluate::Out;
use crate::value::Value;
use entail_clocks::{FUNCTIONS, Fault};
use entail_uppaal_tree::Operator;

/// A floating-point number, where an integer may be meant, as an integer if it is one.
pub(crate) fn whole(out: Out) -> Out {
    match out {
        Out::Value(Value::Real(value)) if value.fract() == 0.0 && value.abs() < 1e9 => {
            Out::Value(Value::Number(value as i64))
        }
        other => other,
    }
}

/// The number that something is, if it is known.
fn number(out: &Out) -> Option<f64> {
    match out {
        Out::Value(Value::Number(number)) => Some(*number as f64),
        Out::Value(Value::Real(number)) => Some(*number),
        _ => None,
    }
}

/// Whether an operator on these is one on floating-point numbers.
pub(crate) fn is_about(operator: Operator, first: &Out, second: &Out) -> bool {
    let is_real = |out: &Out| matches!(out, Out::Value(Value::Real(_) | Value::Nothing));
    let is_clock = |out: &Out| matches!(out, Out::Clocks(..));
    let compares = matches!(
        operator,
        Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual
            | Operator::Equal
            | Operator::Different
    );
    let adds = matches!(operator, Operator::Add | Operator::Subtract);
    match is_clock(first) || is_clock(second) {
        // Clocks are compared with integers, also where these are written as floating-point numbers, and added to them.
        true if compares => false,
        true if adds => [first, second].into_iter().any(|out| match out {
            Out::Value(Value::Real(value)) => value.fract() != 0.0,
            Out::Value(Value::Nothing) => true,
            _ => false,
        }),
        true => true,
        false => is_real(first) || is_real(second),
    }
}

/// Two numbers, one of which is a floating-point number, combined.
pub(crate) fn combined(operator: Operator, first: Out, second: Out) -> Result<Out, Fault> {
    let (Some(first), Some(second)) = (number(&first), number(&second)) else {
        return Ok(Out::Value(Value::Nothing));
    };
    let truth = |truth: bool| Ok(Out::Value(Value::Number(i64::from(truth))));
    let value = match operator {
        Operator::Add => first + second,
        Operator::Subtract => first - second,
        Operator::Multiply => first * second,
        Operator::Divide => first / second,
        Operator::Minimum => first.min(second),
        Operator::Maximum => first.max(second),
        Operator::Power => return Ok(Out::Value(function("pow", vec![real(first), real(second)])?)),
        Operator::Less => return truth(first < second),
        Operator::LessEqual => return truth(first <= second),
        Operator::Greater => return truth(first > second),
        Operator::GreaterEqual => return truth(first >= second),
        Operator::Equal => return truth(first == second),
        Operator::Different => return truth(first != second),
        _ => return Err(Fault::Overflow),
    };
    Ok(real(value))
}

fn real(value: f64) -> Out {
    Out::Value(Value::Real(value))
}

/// A function of numbers; of what is not known, and of random numbers, nothing is known.
pub(crate) fn function(name: &str, given: Vec<Out>) -> Result<Value, Fault> {
    let Some(numbers) = given.iter().map(number).collect::<Option<Vec<f64>>>() else {
        return Ok(Value::Nothing);
    };
    if let Some(function) = FUNCTIONS.iter().find(|one| one.name == name) {
        return match numbers.len() == function.arguments {
            true => Ok(Value::Real(function.value(&numbers))),
            false => Err(Fault::Overflow),
        };
    }
    match (name, numbers.as_slice()) {
        ("fint", [number]) if number.abs() < 9e18 => Ok(Value::Number(*number as i64)),
        ("fint", _) => Err(Fault::NoInteger),
        ("signbit", [number]) => Ok(Value::Number(i64::from(number.is_sign_negative()))),
        ("ldexp", [number, exponent]) => Ok(Value::Real(number * exponent.exp2())),
        ("ilogb", [number]) => Ok(Value::Number(number.abs().log2().floor() as i64)),
        _ => Ok(Value::Nothing),
    }
}
