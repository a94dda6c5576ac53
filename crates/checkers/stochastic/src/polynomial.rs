//! Polynomials of parameters: what an expression is in one state, with the parameters left open.

use entail_markov::parametric::Parametric;
use entail_markov::{BinaryOp, EvalError, Expr, Rational, UnaryOp};
use std::collections::BTreeMap;

/// Terms with more factors are not worth looking at.
const LARGEST_POWER: u32 = 64;

/// A polynomial: coefficients by exponents; none is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial(BTreeMap<Vec<u32>, Rational>);

impl Polynomial {
    pub fn constant(parameters: usize, value: Rational) -> Polynomial {
        Polynomial::term(vec![0; parameters], value)
    }

    pub fn term(exponents: Vec<u32>, value: Rational) -> Polynomial {
        let terms = (!value.is_zero()).then_some((exponents, value));
        Polynomial(terms.into_iter().collect())
    }

    pub fn add(mut self, other: &Polynomial, factor: &Rational) -> Polynomial {
        for (exponents, value) in &other.0 {
            *self.0.entry(exponents.clone()).or_insert(Rational::ZERO) += value * factor;
        }
        self.0.retain(|_, value| !value.is_zero());
        self
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut found = Polynomial(BTreeMap::new());
        for (a, left) in &self.0 {
            for (b, right) in &other.0 {
                let exponents = a.iter().zip(b).map(|(a, b)| a + b).collect();
                found = found.add(&Polynomial::term(exponents, left * right), &Rational::ONE);
            }
        }
        found
    }

    /// The terms.
    pub fn into_terms(self) -> Vec<(Vec<u32>, Rational)> {
        self.0.into_iter().collect()
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if it does not depend on parameters.
    pub fn value(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => {
                let (exponents, value) = self.0.first_key_value()?;
                exponents
                    .iter()
                    .all(|&exponent| exponent == 0)
                    .then(|| value.clone())
            }
            _ => None,
        }
    }

    /// The greatest exponent of each parameter.
    pub fn degrees(&self, parameters: usize) -> Vec<u32> {
        let of = |at: usize| self.0.keys().map(|exponents| exponents[at]).max().unwrap_or(0);
        (0..parameters).map(of).collect()
    }

    /// What an expression is in a state; nothing if it has no value, or is no polynomial.
    pub fn of(model: &Parametric, expr: &Expr, state: &[i64]) -> Option<Polynomial> {
        let parameters = model.parameters();
        if model.mentions(expr).is_none() {
            let value = model.network().eval(expr, state);
            let value = value.and_then(|value| value.number().ok_or(EvalError::Type));
            return Some(Polynomial::constant(parameters, value.ok()?));
        }
        match expr {
            Expr::Value(_) => None,
            Expr::Var(variable) => {
                let mut exponents = vec![0; parameters];
                exponents[model.parameter(*variable)?] = 1;
                Some(Polynomial::term(exponents, Rational::ONE))
            }
            Expr::Unary(UnaryOp::Neg, operand) => {
                let operand = Polynomial::of(model, operand, state)?;
                Some(Polynomial(BTreeMap::new()).add(&operand, &-Rational::ONE))
            }
            Expr::Unary(..) => None,
            Expr::Binary(op, left, right) => {
                let (a, b) = (
                    Polynomial::of(model, left, state)?,
                    Polynomial::of(model, right, state)?,
                );
                match op {
                    BinaryOp::Add => Some(a.add(&b, &Rational::ONE)),
                    BinaryOp::Sub => Some(a.add(&b, &-Rational::ONE)),
                    BinaryOp::Mul => Some(a.times(&b)),
                    BinaryOp::Div => {
                        let divisor = b.value().filter(|value| !value.is_zero())?;
                        Some(Polynomial(BTreeMap::new()).add(&a, &(Rational::ONE / divisor)))
                    }
                    BinaryOp::Pow => {
                        let exponent = u32::try_from(i64::try_from(b.value()?).ok()?).ok()?;
                        if exponent > LARGEST_POWER {
                            return None;
                        }
                        let one = Polynomial::constant(parameters, Rational::ONE);
                        Some((0..exponent).fold(one, |power, _| power.times(&a)))
                    }
                    _ => None,
                }
            }
            Expr::If(condition, yes, no) => {
                if model.mentions(condition).is_some() {
                    return None;
                }
                match model.network().holds(condition, state).ok()? {
                    true => Polynomial::of(model, yes, state),
                    false => Polynomial::of(model, no, state),
                }
            }
        }
    }
}
