//! The types of expressions, and what names and operators make of them.
//!
//! Integers, clocks, differences of clocks, clocks with something added, truths, conditions on clocks: every combination is allowed or refused here, with its place.

use entail_clocks::discrete::MOST_CONSTANT;
use entail_clocks::{Binary, ClockName, Comparison, Condition, Expression, Place, Statement};
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// A result, or what is wrong.
pub(crate) type Read<T> = Result<T, Diagnostic>;

/// Operands of one integer conjunction, at most.
const MOST_OPERANDS: usize = 400;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An integer, or an array of them: first slot and size.
    Integer(usize, usize),
    /// A clock, or an array of them: first clock and size.
    Clock(usize, usize),
    /// A local integer, or an array of them.
    Local(usize, usize),
}

/// Names of the model.
pub(crate) type Names = HashMap<String, Meaning>;

/// A part of a text with its type.
#[derive(Clone, Debug)]
pub(crate) enum Typed {
    Integer(Expression),
    Truth(Expression),
    Clock(ClockName),
    Difference(ClockName, ClockName),
    Sum(ClockName, Expression),
    /// A conjunction in which clocks occur.
    Conditions(Vec<Condition>),
}

impl Typed {
    pub fn name(&self) -> &'static str {
        match self {
            Typed::Integer(_) => "an integer",
            Typed::Truth(_) => "a condition",
            Typed::Clock(_) => "a clock",
            Typed::Difference(..) => "a difference of clocks",
            Typed::Sum(..) => "a clock with something added",
            Typed::Conditions(_) => "a condition on clocks",
        }
    }
}

/// A name with or without an index.
pub(crate) fn named(name: &str, meaning: Meaning, index: Option<Expression>, span: Span) -> Read<Typed> {
    let (Meaning::Integer(base, size) | Meaning::Clock(base, size) | Meaning::Local(base, size)) = meaning;
    if size > 1 && index.is_none() {
        let message = format!("`{name}` is an array");
        let problem = Diagnostic::error("tchecker::type", message, span, "this name");
        return Err(problem.with_help(format!("choose an element: `{name}[0]`")));
    }
    if let Some(Expression::Constant(number)) = index
        && usize::try_from(number).map_or(true, |number| number >= size)
    {
        let message = format!("the index {number} is beyond the {size} elements of `{name}`");
        return Err(Diagnostic::error("tchecker::range", message, span, "this array"));
    }
    // A constant index is a variable of its own.
    let (base, size, index) = match index {
        Some(Expression::Constant(number)) => (base + number as usize, 1, None),
        other => (base, size, other),
    };
    Ok(match meaning {
        Meaning::Clock(..) => Typed::Clock(ClockName { base, size, index }),
        _ => Typed::Integer(Expression::Read(Place {
            base,
            size,
            index: index.map(Box::new),
        })),
    })
}

pub(crate) fn not_a(found: &Typed, wanted: &str, span: Span) -> Diagnostic {
    let message = format!("this is {}, and {wanted} is expected", found.name());
    Diagnostic::error("tchecker::type", message, span, "here")
}

pub(crate) fn as_integer(read: Typed, span: Span) -> Read<Expression> {
    match read {
        Typed::Integer(expression) => Ok(expression),
        other => Err(not_a(&other, "an integer", span)),
    }
}

/// A conjunct, or several, as conditions.
pub(crate) fn as_conditions(read: Typed, span: Span) -> Read<Vec<Condition>> {
    match read {
        Typed::Integer(expression) | Typed::Truth(expression) => Ok(vec![Condition::Integer(expression)]),
        Typed::Conditions(all) => Ok(all),
        other => Err(not_a(&other, "a condition", span)),
    }
}

/// A conjunction: one truth where there are no clocks.
pub(crate) fn conjoined(all: Vec<Condition>) -> Typed {
    let is_integer = |condition: &Condition| matches!(condition, Condition::Integer(_));
    if all.len() > MOST_OPERANDS || !all.iter().all(is_integer) {
        return Typed::Conditions(all);
    }
    let mut whole = None;
    for condition in all {
        let Condition::Integer(one) = condition else {
            continue;
        };
        whole = Some(match whole {
            None => one,
            Some(before) => Expression::binary(Binary::And, before, one),
        });
    }
    Typed::Truth(whole.unwrap_or(Expression::Constant(1)))
}

pub(crate) fn added(left: Typed, operator: Binary, right: Typed, span: Span) -> Read<Typed> {
    Ok(match (left, operator, right) {
        (Typed::Integer(left), _, Typed::Integer(right)) => {
            Typed::Integer(folded(Expression::binary(operator, left, right)))
        }
        (Typed::Clock(left), Binary::Subtract, Typed::Clock(right)) => Typed::Difference(left, right),
        (Typed::Clock(clock), Binary::Add, Typed::Integer(number))
        | (Typed::Integer(number), Binary::Add, Typed::Clock(clock)) => Typed::Sum(clock, number),
        (Typed::Clock(clock), Binary::Subtract, Typed::Integer(number)) => {
            Typed::Sum(clock, folded(Expression::Negate(Box::new(number))))
        }
        (left, _, right) => {
            let message = format!("{} and {} cannot be combined", left.name(), right.name());
            return Err(Diagnostic::error("tchecker::type", message, span, "here"));
        }
    })
}

pub(crate) fn compared(left: Typed, comparison: Comparison, right: Typed, span: Span) -> Read<Typed> {
    let (left, right, comparison, bound) = match (left, right) {
        (Typed::Integer(left), Typed::Integer(right)) => {
            return Ok(Typed::Truth(Expression::binary(
                Binary::Compare(comparison),
                left,
                right,
            )));
        }
        (Typed::Clock(clock), Typed::Integer(bound)) => (clock, ClockName::one(0), comparison, bound),
        (Typed::Integer(bound), Typed::Clock(clock)) => {
            (clock, ClockName::one(0), comparison.mirrored(), bound)
        }
        (Typed::Difference(left, right), Typed::Integer(bound)) => (left, right, comparison, bound),
        (Typed::Integer(bound), Typed::Difference(left, right)) => {
            (left, right, comparison.mirrored(), bound)
        }
        (Typed::Clock(left), Typed::Clock(right)) => (left, right, comparison, Expression::Constant(0)),
        (left, right) => {
            let message = format!("{} and {} cannot be compared", left.name(), right.name());
            return Err(Diagnostic::error("tchecker::type", message, span, "here"));
        }
    };
    if comparison == Comparison::Different {
        let message = "a clock cannot be compared with `!=`";
        let problem = Diagnostic::error("tchecker::type", message, span, "this comparison");
        return Err(problem.with_help("use two edges, with `<` and with `>`"));
    }
    if let Expression::Constant(number) = bound
        && number.abs() >= MOST_CONSTANT
    {
        let message = format!("the constant {number} is too large for a clock");
        let problem = Diagnostic::error("tchecker::range", message, span, "this comparison");
        return Err(problem.with_help(format!("constants of clocks are below {MOST_CONSTANT}")));
    }
    Ok(Typed::Conditions(vec![Condition::Clock {
        left,
        right,
        comparison,
        bound,
    }]))
}

pub(crate) fn assigned(target: Typed, value: Typed, span: Span, value_place: Span) -> Read<Statement> {
    let nothing = ClockName::one(0);
    Ok(match (target, value) {
        (Typed::Integer(Expression::Read(target)), Typed::Integer(value)) => {
            Statement::Assign { target, value, span }
        }
        (Typed::Clock(target), Typed::Integer(offset)) => {
            if let Expression::Constant(number) = offset
                && !(0..MOST_CONSTANT).contains(&number)
            {
                let message = format!("a clock cannot be set to {number}");
                return Err(Diagnostic::error(
                    "tchecker::range",
                    message,
                    value_place,
                    "this value",
                ));
            }
            Statement::Clock {
                target,
                source: nothing,
                offset,
                span,
            }
        }
        (Typed::Clock(target), Typed::Clock(source)) => Statement::Clock {
            target,
            source,
            offset: Expression::Constant(0),
            span,
        },
        (Typed::Clock(target), Typed::Sum(source, offset)) => Statement::Clock {
            target,
            source,
            offset,
            span,
        },
        (target, value) => {
            let message = format!("{} cannot be set to {}", target.name(), value.name());
            return Err(Diagnostic::error(
                "tchecker::type",
                message,
                span,
                "this assignment",
            ));
        }
    })
}

/// The value, where all operands are constants.
pub(crate) fn folded(expression: Expression) -> Expression {
    let constant = |one: &Expression| matches!(one, Expression::Constant(_));
    let is_constant = match &expression {
        Expression::Negate(inner) => constant(inner),
        Expression::Binary(_, left, right) => constant(left) && constant(right),
        _ => false,
    };
    match is_constant.then(|| expression.value(&[])) {
        Some(Ok(value)) => Expression::Constant(value),
        _ => expression,
    }
}
