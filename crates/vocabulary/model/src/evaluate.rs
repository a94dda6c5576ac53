//! The value of a term in a state or along a step: the reference semantics of terms.
//!
//! Evaluation is three-valued in Kleene's sense: a variable may have no value (an input nobody chose, a state not
//! reached yet), and a term has a value as soon as it has the same one whatever the missing values are *by the shape of
//! its operators* (`false & ?` is false). Checkers use this on the last state of a trace, naive enumeration uses it to
//! cut branches. It visits the term's cone once, without recursion; cost is linear in the cone.

use crate::{Op, Sort, TermId, Terms, Value, VarId, Word};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// Values of the variables now and, along a step, afterwards; indexed by variable.
#[derive(Clone, Copy, Debug)]
pub struct Valuation<'a> {
    current: &'a [Option<Value>],
    next: &'a [Option<Value>],
}

impl<'a> Valuation<'a> {
    /// Values now; nothing is known about the next state.
    pub fn state(current: &'a [Option<Value>]) -> Self {
        Valuation { current, next: &[] }
    }

    /// Values now (with the inputs of the step) and in the next state.
    pub fn step(current: &'a [Option<Value>], next: &'a [Option<Value>]) -> Self {
        Valuation { current, next }
    }

    /// A variable's value now.
    pub fn current(&self, variable: VarId) -> Option<&'a Value> {
        self.current.get(variable.index())?.as_ref()
    }

    /// A variable's value in the next state.
    pub fn next(&self, variable: VarId) -> Option<&'a Value> {
        self.next.get(variable.index())?.as_ref()
    }
}

/// The term's value depends on a variable that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value depends on a variable that has no value here")]
pub struct Missing;

/// The value of a term.
pub fn evaluate(terms: &Terms, term: TermId, valuation: Valuation<'_>) -> Result<Value, Missing> {
    let cone = terms.cone(&[term]);
    evaluate_with(terms, &cone, valuation)
        .pop()
        .flatten()
        .ok_or(Missing)
}

/// The truth value of a Boolean term.
pub fn evaluate_bool(terms: &Terms, term: TermId, valuation: Valuation<'_>) -> Result<bool, Missing> {
    evaluate(terms, term, valuation)?.as_bool().ok_or(Missing)
}

/// The values of all terms of a cone (as [`Terms::cone`] gives it), in its order. For evaluating many roots, or one
/// root in many states, without finding the cone again.
pub fn evaluate_with(terms: &Terms, cone: &[TermId], valuation: Valuation<'_>) -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> = Vec::with_capacity(cone.len());
    for &term in cone {
        let of = |operand: &TermId| -> Option<&Value> {
            let at = cone
                .binary_search(operand)
                .expect("a cone contains the operands of its terms");
            values[at].as_ref()
        };
        let operands = terms.operands(term);
        let value = match terms.op(term) {
            Op::Constant(value) => Some(value.clone()),
            Op::Current(variable) => valuation.current(*variable).cloned(),
            Op::Next(variable) => valuation.next(*variable).cloned(),
            Op::And => connective(operands.iter().map(of), false),
            Op::Or => connective(operands.iter().map(of), true),
            Op::Ite => match of(&operands[0]).and_then(Value::as_bool) {
                Some(true) => of(&operands[1]).cloned(),
                Some(false) => of(&operands[2]).cloned(),
                None => match (of(&operands[1]), of(&operands[2])) {
                    (Some(a), Some(b)) if a == b => Some(a.clone()),
                    _ => None,
                },
            },
            op => {
                let known: Option<Vec<&Value>> = operands.iter().map(of).collect();
                known.map(|known| {
                    let sorts: Vec<&Sort> = operands.iter().map(|&operand| terms.sort(operand)).collect();
                    apply(op, &known, &sorts, terms.sort(term))
                })
            }
        };
        values.push(value);
    }
    values
}

fn connective<'a>(operands: impl Iterator<Item = Option<&'a Value>>, absorbing: bool) -> Option<Value> {
    let mut all_known = true;
    for operand in operands {
        match operand.and_then(Value::as_bool) {
            Some(truth) if truth == absorbing => return Some(Value::Bool(absorbing)),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(Value::Bool(!absorbing))
}

/// The value of an operator on known operands of the given sorts. Panics on ill-sorted operands: constructors prevent them.
pub(crate) fn apply(op: &Op, operands: &[&Value], sorts: &[&Sort], sort: &Sort) -> Value {
    let truth = |at: usize| operands[at].as_bool().expect("a Boolean operand");
    match op {
        Op::Constant(_) | Op::Current(_) | Op::Next(_) => {
            unreachable!("a leaf has no operands to apply it to")
        }
        Op::Not => Value::Bool(!truth(0)),
        Op::And => Value::Bool((0..operands.len()).all(truth)),
        Op::Or => Value::Bool((0..operands.len()).any(truth)),
        Op::Ite => operands[if truth(0) { 1 } else { 2 }].clone(),
        Op::Equal => Value::Bool(operands[0] == operands[1]),
        Op::Read => match (operands[0], position_in(sorts[0], operands[1])) {
            (Value::Array(elements), Some(at)) => elements[at].clone(),
            _ => sort.value_at(0),
        },
        Op::Write => match (operands[0], position_in(sorts[0], operands[1])) {
            (Value::Array(elements), Some(at)) => {
                let mut elements = elements.to_vec();
                elements[at] = operands[2].clone();
                Value::Array(elements.into())
            }
            (unchanged, _) => unchanged.clone(),
        },
        Op::ConstantArray => match sort {
            Sort::Array { index, .. } => {
                let length = index
                    .size()
                    .expect("arrays that are evaluated have a small index sort");
                Value::Array((0..length).map(|_| operands[0].clone()).collect())
            }
            _ => unreachable!("a constant array has an array sort"),
        },
        Op::AsInteger => operands[0].clone(),
        Op::BoolToWord => Value::Word(Word::from_u64(1, false, u64::from(truth(0)))),
        Op::IntToWord { width, signed } => {
            let number = BigInt::from(operands[0].as_int().expect("an integer operand"));
            Value::Word(Word::from_integer(*width, *signed, &number))
        }
        _ => match operands[0] {
            Value::Int(_) => apply_integer(op, operands),
            Value::Word(_) => apply_word(op, operands),
            other => unreachable!("{op:?} on {other}"),
        },
    }
}

fn position_in(array: &Sort, index: &Value) -> Option<usize> {
    match array {
        Sort::Array { index: sort, .. } => usize::try_from(sort.position(index)?).ok(),
        _ => None,
    }
}

fn apply_integer(op: &Op, operands: &[&Value]) -> Value {
    let number = |at: usize| operands[at].as_int().expect("an integer operand");
    // Sorts bound every result to 64 bits, so plain arithmetic cannot overflow, `i64::MIN / -1` included.
    match op {
        Op::Less => Value::Bool(number(0) < number(1)),
        Op::Add => Value::Int(number(0) + number(1)),
        Op::Subtract => Value::Int(number(0) - number(1)),
        Op::Negate => Value::Int(-number(0)),
        Op::Multiply => Value::Int(number(0) * number(1)),
        Op::Divide => Value::Int(number(0).checked_div(number(1)).unwrap_or(0)),
        Op::Remainder => Value::Int(number(0).checked_rem(number(1)).unwrap_or(number(0))),
        _ => unreachable!("{op:?} on integers"),
    }
}

fn apply_word(op: &Op, operands: &[&Value]) -> Value {
    let word = |at: usize| operands[at].as_word().expect("a word operand");
    let amount = || match operands[1] {
        Value::Int(number) => u64::try_from(*number).unwrap_or(0),
        Value::Word(word) => word.bits().to_u64().unwrap_or(u64::MAX),
        other => unreachable!("shift by {other}"),
    };
    Value::Word(match op {
        Op::Less => return Value::Bool(word(0).number_cmp(word(1)) == Ordering::Less),
        Op::WordToInt => {
            return Value::Int(
                word(0)
                    .to_integer()
                    .to_i64()
                    .expect("toint is limited to 62 bits"),
            );
        }
        Op::Add => word(0).add(word(1)),
        Op::Subtract => word(0).sub(word(1)),
        Op::Negate => word(0).neg(),
        Op::Multiply => word(0).mul(word(1)),
        Op::Divide => word(0).div(word(1)),
        Op::Remainder => word(0).rem(word(1)),
        Op::BitNot => word(0).not(),
        Op::BitAnd => word(0).and(word(1)),
        Op::BitOr => word(0).or(word(1)),
        Op::BitXor => word(0).xor(word(1)),
        Op::ShiftLeft => word(0).shift_left(amount()),
        Op::ShiftRight => word(0).shift_right(amount()),
        Op::Concat => word(0).concat(word(1)),
        Op::Extract { high, low } => word(0).extract(*high, *low),
        Op::Extend { by } => word(0).extend(*by),
        Op::Reinterpret { signed } => word(0).with_sign(*signed),
        _ => unreachable!("{op:?} on words"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_matters_only_where_the_result_depends_on_it() {
        let mut terms = Terms::new();
        let a = terms.current(VarId::new(0), Sort::Bool);
        let b = terms.current(VarId::new(1), Sort::Bool);
        let both = terms.and([a, b]);
        let known = [Some(Value::Bool(false)), None];
        assert_eq!(evaluate_bool(&terms, both, Valuation::state(&known)), Ok(false));
        let known = [Some(Value::Bool(true)), None];
        assert_eq!(
            evaluate_bool(&terms, both, Valuation::state(&known)),
            Err(Missing)
        );
    }

    #[test]
    fn next_values_are_read_from_the_next_state() {
        let mut terms = Terms::new();
        let now = terms.current(VarId::new(0), Sort::range(0, 7));
        let later = terms.next(VarId::new(0), Sort::range(0, 7));
        let one = terms.integer(1);
        let incremented = terms.add(now, one).expect("integers");
        let relation = terms.equal(later, incremented).expect("integers");
        let (three, four) = ([Some(Value::Int(3))], [Some(Value::Int(4))]);
        assert_eq!(
            evaluate_bool(&terms, relation, Valuation::step(&three, &four)),
            Ok(true)
        );
        assert_eq!(
            evaluate_bool(&terms, relation, Valuation::step(&four, &three)),
            Ok(false)
        );
        assert_eq!(
            evaluate_bool(&terms, relation, Valuation::state(&three)),
            Err(Missing)
        );
    }
}
