//! The meaning of terms: their values under an interpretation.
//!
//! This is the reference that models and traces are judged by. It knows nothing of solvers. Quantified terms have no value here.

use crate::words::{signed_less, word_operation};
use crate::{Interpretation, Op, Rational, TermId, Terms, Value, euclidean_quotient};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// Why a term has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// The term is quantified.
    Quantifier(TermId),
    /// The term's operands do not fit its operator.
    Mismatch(TermId),
}

/// Values of terms under one interpretation, kept for terms that share parts.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    interpretation: &'a Interpretation,
    values: FxHashMap<TermId, Value>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen no term.
    pub fn new(terms: &'a Terms, interpretation: &'a Interpretation) -> Evaluator<'a> {
        Evaluator {
            terms,
            interpretation,
            values: FxHashMap::default(),
        }
    }

    /// Takes the truth value of a formula, a quantified one say, as given.
    pub fn assume(&mut self, formula: TermId, value: bool) {
        self.values.insert(formula, Value::Bool(value));
    }

    /// The value of a term.
    pub fn value(&mut self, root: TermId) -> Result<Value, NoValue> {
        let mut waiting = vec![root];
        while let Some(&term) = waiting.last() {
            if self.values.contains_key(&term) {
                waiting.pop();
                continue;
            }
            if let Op::Forall(_) = self.terms.op(term) {
                return Err(NoValue::Quantifier(term));
            }
            let before = waiting.len();
            for arg in self.terms.args(term) {
                if !self.values.contains_key(arg) {
                    waiting.push(*arg);
                }
            }
            if waiting.len() == before {
                let value = self.apply(term).ok_or(NoValue::Mismatch(term))?;
                self.values.insert(term, value);
                waiting.pop();
            }
        }
        Ok(self.values[&root].clone())
    }

    /// Whether a formula is true.
    pub fn is_true(&mut self, formula: TermId) -> Result<bool, NoValue> {
        self.value(formula)?.as_bool().ok_or(NoValue::Mismatch(formula))
    }

    fn number(&self, term: TermId) -> Option<&Rational> {
        self.values[&term].as_number()
    }

    fn truth(&self, term: TermId) -> Option<bool> {
        self.values[&term].as_bool()
    }

    fn word(&self, term: TermId) -> Option<&BigUint> {
        match &self.values[&term] {
            Value::Word(value) => Some(value),
            _ => None,
        }
    }

    fn apply(&self, term: TermId) -> Option<Value> {
        let node = self.terms.node(term);
        let args = &node.args;
        Some(match &node.op {
            Op::True => Value::Bool(true),
            Op::False => Value::Bool(false),
            Op::Not => Value::Bool(!self.truth(args[0])?),
            Op::And => {
                let all: Option<Vec<bool>> = args.iter().map(|&arg| self.truth(arg)).collect();
                Value::Bool(all?.into_iter().all(|value| value))
            }
            Op::Or => {
                let all: Option<Vec<bool>> = args.iter().map(|&arg| self.truth(arg)).collect();
                Value::Bool(all?.into_iter().any(|value| value))
            }
            Op::Xor => Value::Bool(self.truth(args[0])? != self.truth(args[1])?),
            Op::Eq => Value::Bool(self.values[&args[0]] == self.values[&args[1]]),
            Op::Ite => match self.truth(args[0])? {
                true => self.values[&args[1]].clone(),
                false => self.values[&args[2]].clone(),
            },
            Op::Apply(symbol) => {
                let arguments: Vec<Value> = args.iter().map(|arg| self.values[arg].clone()).collect();
                let value = self.interpretation.value(self.terms, *symbol, &arguments);
                value.unique(self.terms, node.sort)
            }
            Op::Number(value) => Value::Number(value.clone()),
            Op::Add => {
                let mut sum = Rational::zero();
                for &arg in args {
                    sum += self.number(arg)?;
                }
                Value::Number(sum)
            }
            Op::Mul => {
                let mut product = Rational::one();
                for &arg in args {
                    product = &product * self.number(arg)?;
                }
                Value::Number(product)
            }
            Op::Le => Value::Bool(self.number(args[0])? <= self.number(args[1])?),
            Op::Lt => Value::Bool(self.number(args[0])? < self.number(args[1])?),
            Op::ToReal => Value::Number(self.number(args[0])?.clone()),
            Op::ToInt => Value::Number(self.number(args[0])?.floor()),
            Op::IntDiv => Value::Number(euclidean_quotient(self.number(args[0])?, self.number(args[1])?)),
            Op::Divide => {
                let (a, b) = (self.number(args[0])?, self.number(args[1])?);
                Value::Number(if b.is_zero() { Rational::zero() } else { a / b })
            }
            Op::Word(value) => Value::Word(value.clone()),
            Op::Concat => {
                let low = self.terms.width(args[1]);
                Value::Word((self.word(args[0])? << low) | self.word(args[1])?)
            }
            Op::WordLess => Value::Bool(self.word(args[0])? < self.word(args[1])?),
            Op::WordLessSigned => {
                let width = self.terms.width(args[0]);
                Value::Bool(signed_less(self.word(args[0])?, self.word(args[1])?, width))
            }
            Op::Select => self.values[&args[0]].selected(&self.values[&args[1]]),
            Op::Store => {
                let (index, element) = (self.values[&args[1]].clone(), self.values[&args[2]].clone());
                let array = self.values[&args[0]].clone().stored(index, element);
                array.unique(self.terms, node.sort)
            }
            Op::ConstantArray => Value::Array(Box::new(self.values[&args[0]].clone()), Default::default()),
            Op::Rounding(mode) => Value::Word(mode.index().into()),
            Op::Float(op) => {
                let values: Vec<(&Value, crate::SortId)> = args
                    .iter()
                    .map(|arg| (&self.values[arg], self.terms.sort_of(*arg)))
                    .collect();
                crate::float_operation(self.terms, *op, &values, node.sort)?
            }
            Op::Forall(_) | Op::Difference => return None,
            op => {
                let values: Option<Vec<&BigUint>> = args.iter().map(|&arg| self.word(arg)).collect();
                Value::Word(word_operation(op, &values?, self.terms.width(args[0]))?)
            }
        })
    }
}
