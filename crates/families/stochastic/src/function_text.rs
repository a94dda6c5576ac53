//! Functions of parameters as people read them and as they are saved: programs of polynomials.

use entail_markov::Rational;
use entail_numeric::multivariate::Multivariate;
use entail_probabilistic::Operation;
use entail_stochastic_checker::functions::ClaimStep;
use serde::{Deserialize, Serialize};

/// Longer functions are not written out.
const LONGEST: usize = 4000;

/// A polynomial as it is saved: exponents and coefficients.
type Written = Vec<(Vec<u32>, String)>;

/// A step as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    Polynomial(Written),
    Sum(usize, usize),
    Product(usize, usize),
    Power(usize, i32),
}

/// A step to be saved.
pub(crate) fn form(step: &Operation<usize>) -> Form {
    match step {
        Operation::Polynomial(polynomial) => Form::Polynomial(
            (polynomial.terms())
                .map(|(exponents, value)| (exponents.clone(), value.to_string()))
                .collect(),
        ),
        Operation::Sum(a, b) => Form::Sum(*a, *b),
        Operation::Product(a, b) => Form::Product(*a, *b),
        Operation::Power(a, exponent) => Form::Power(*a, *exponent),
    }
}

fn terms(written: &Written) -> Option<Vec<(Vec<u32>, Rational)>> {
    let term = |(exponents, value): &(Vec<u32>, String)| Some((exponents.clone(), value.parse().ok()?));
    written.iter().map(term).collect()
}

/// A step to be judged.
pub(crate) fn claim_of(form: &Form) -> Option<ClaimStep> {
    Some(match form {
        Form::Polynomial(written) => ClaimStep::Polynomial(terms(written)?),
        Form::Sum(a, b) => ClaimStep::Sum(*a, *b),
        Form::Product(a, b) => ClaimStep::Product(*a, *b),
        Form::Power(a, exponent) => ClaimStep::Power(*a, *exponent),
    })
}

impl Form {
    /// The step at a position, if it has a meaning there.
    pub fn operation(&self, parameters: usize, at: usize) -> Option<Operation<usize>> {
        let before = |step: &usize| (*step < at).then_some(*step);
        Some(match self {
            Form::Polynomial(written) => {
                let terms = terms(written)?;
                if terms.iter().any(|(exponents, _)| exponents.len() != parameters) {
                    return None;
                }
                Operation::Polynomial(Multivariate::new(terms))
            }
            Form::Sum(a, b) => Operation::Sum(before(a)?, before(b)?),
            Form::Product(a, b) => Operation::Product(before(a)?, before(b)?),
            Form::Power(a, exponent) => Operation::Power(before(a)?, *exponent),
        })
    }
}

/// The polynomial of a step that is one.
pub(crate) fn polynomial_of(step: &Operation<usize>) -> Option<&Multivariate> {
    match step {
        Operation::Polynomial(polynomial) => Some(polynomial),
        _ => None,
    }
}

/// Numerator and denominator, if a program is a fraction.
fn fraction(steps: &[Operation<usize>]) -> Option<(&Multivariate, Option<&Multivariate>)> {
    match steps {
        [Operation::Polynomial(above)] => Some((above, None)),
        [
            Operation::Polynomial(above),
            Operation::Polynomial(below),
            Operation::Power(1, -1),
            Operation::Product(0, 2),
        ] => Some((above, Some(below))),
        _ => None,
    }
}

/// The degrees of numerator and denominator in one parameter, added; nothing if a program is no fraction.
pub(crate) fn degrees(steps: &[Operation<usize>]) -> Option<usize> {
    let degree = |of: &Multivariate| of.terms().map(|(exponents, _)| exponents[0] as usize).max().unwrap_or(0);
    let (above, below) = fraction(steps)?;
    Some(degree(above) + below.map_or(0, degree))
}

/// A program for people.
pub(crate) fn text(steps: &[Operation<usize>], names: &[String]) -> String {
    match fraction(steps) {
        Some((above, None)) => return above.text(names),
        Some((above, Some(below))) => return format!("({}) / ({})", above.text(names), below.text(names)),
        None => {}
    }
    let mut written: Vec<Option<String>> = Vec::with_capacity(steps.len());
    for step in steps {
        let of = |at: usize| written[at].as_deref();
        let own = match step {
            Operation::Polynomial(polynomial) => match polynomial.terms().count() {
                0 | 1 => Some(polynomial.text(names)),
                many if many > LONGEST => None,
                _ => Some(format!("({})", polynomial.text(names))),
            },
            Operation::Sum(a, b) => of(*a).zip(of(*b)).map(|(a, b)| format!("({a} + {b})")),
            Operation::Product(a, b) => match (of(*a), of(*b)) {
                (Some("1"), Some(other)) | (Some(other), Some("1")) => Some(other.to_owned()),
                (a, b) => a.zip(b).map(|(a, b)| format!("{a} * {b}")),
            },
            Operation::Power(a, exponent) => of(*a).map(|base| {
                let closed = base.chars().all(char::is_alphanumeric)
                    || matches!(&steps[*a], Operation::Sum(..))
                    || matches!(&steps[*a], Operation::Polynomial(own) if own.terms().count() > 1);
                match closed {
                    true => format!("{base}^{exponent}"),
                    false => format!("({base})^{exponent}"),
                }
            }),
        };
        written.push(own.filter(|own| own.len() <= LONGEST));
    }
    match written.pop().flatten() {
        Some(text) => text,
        None => format!("a function of {} that is computed in {} steps", names.join(", "), steps.len()),
    }
}

/// The value at a point, where there is one.
pub(crate) fn value(steps: &[Operation<usize>], point: &[Rational]) -> Option<Rational> {
    let mut values: Vec<Rational> = Vec::with_capacity(steps.len());
    for step in steps {
        let own = match step {
            Operation::Polynomial(polynomial) => polynomial.at(point),
            Operation::Sum(a, b) => &values[*a] + &values[*b],
            Operation::Product(a, b) => &values[*a] * &values[*b],
            Operation::Power(a, exponent) => {
                let size = values[*a].pow(exponent.unsigned_abs() as isize);
                match *exponent < 0 {
                    true if size.is_zero() => return None,
                    true => Rational::ONE / size,
                    false => size,
                }
            }
        };
        values.push(own);
    }
    values.pop()
}
