//! Arithmetic with brackets: exact where both sides are, otherwise with doubles rounded outwards.

use entail_markov::Bracket;
use entail_markov::{BinaryOp, Comparison, Rational, Threshold, from_float, to_float};
use fixedbitset::FixedBitSet;

/// Which states satisfy a property, and for which the bounds do not tell.
#[derive(Clone, Debug)]
pub struct Truth {
    /// The states that satisfy it.
    pub yes: FixedBitSet,
    /// The states for which it is not decided.
    pub unknown: FixedBitSet,
}

impl Truth {
    /// Nowhere true, everywhere decided.
    pub(crate) fn new(size: usize) -> Truth {
        Truth {
            yes: FixedBitSet::with_capacity(size),
            unknown: FixedBitSet::with_capacity(size),
        }
    }

    pub(crate) fn note(&mut self, state: usize, truth: Option<bool>) {
        match truth {
            Some(truth) => self.yes.set(state, truth),
            None => self.unknown.insert(state),
        }
    }
}

/// A set that is decided everywhere.
impl From<FixedBitSet> for Truth {
    fn from(yes: FixedBitSet) -> Truth {
        let unknown = FixedBitSet::with_capacity(yes.len());
        Truth { yes, unknown }
    }
}

/// The doubles around a rational, or the double that it is.
pub(crate) fn around(number: &Rational) -> (f64, f64) {
    let near = to_float(number);
    match from_float(near) {
        Some(same) if same == *number => (near, near),
        _ => (near.next_down(), near.next_up()),
    }
}

/// The bounds of a state as doubles.
pub(crate) fn floats(bracket: &Bracket, state: usize) -> (f64, f64) {
    match bracket {
        Bracket::Between { lower, upper } => (lower[state], upper[state]),
        Bracket::Exact(values) => match &values[state] {
            Some(value) => around(value),
            None => (f64::INFINITY, f64::INFINITY),
        },
    }
}

pub(crate) fn indicator(set: &FixedBitSet) -> Bracket {
    let value = |state| {
        Some(if set.contains(state) {
            Rational::ONE
        } else {
            Rational::ZERO
        })
    };
    Bracket::Exact((0..set.len()).map(value).collect())
}

fn one_minus(value: f64, round: fn(f64) -> f64) -> f64 {
    if value == 0.0 || value == 1.0 {
        1.0 - value
    } else {
        round(1.0 - value)
    }
}

/// One minus a probability.
pub(crate) fn complement(bracket: Bracket) -> Bracket {
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(
            values
                .into_iter()
                .map(|value| value.map(|value| Rational::ONE - value))
                .collect(),
        ),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: upper
                .into_iter()
                .map(|value| one_minus(value, f64::next_down))
                .collect(),
            upper: lower
                .into_iter()
                .map(|value| one_minus(value, f64::next_up))
                .collect(),
        },
    }
}

/// Which states meet a threshold, as far as the bounds tell.
pub(crate) fn meets(bracket: &Bracket, threshold: &Threshold) -> Truth {
    let mut truth = Truth::new(bracket.len());
    let (bound_low, bound_high) = around(&threshold.bound);
    for state in 0..bracket.len() {
        let decided = match bracket {
            Bracket::Exact(values) => match &values[state] {
                Some(value) => Some(threshold.comparison.holds(value, &threshold.bound)),
                None => Some(!threshold.comparison.is_upper()),
            },
            Bracket::Between { lower, upper } => {
                let (low, high) = (lower[state], upper[state]);
                // A comparison that holds (or fails) for both ends, against both ends of the bound.
                let all = |wanted: bool| {
                    [low, high].iter().all(|value| {
                        [bound_low, bound_high]
                            .iter()
                            .all(|bound| threshold.comparison.holds(value, bound) == wanted)
                    })
                };
                let exact = bound_low == bound_high;
                let near = low == high && exact;
                match threshold.comparison {
                    _ if near => Some(threshold.comparison.holds(&low, &bound_low)),
                    Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge if all(true) => {
                        Some(true)
                    }
                    _ if all(false) => Some(false),
                    _ => None,
                }
            }
        };
        truth.note(state, decided);
    }
    truth
}

/// A result of arithmetic: numbers, or truth values.
pub(crate) enum Outcome {
    Numbers(Bracket),
    Truth(Truth),
    /// No value.
    Undefined(&'static str),
}

/// An operator applied state by state.
pub(crate) fn arithmetic(op: BinaryOp, a: &Bracket, b: &Bracket) -> Outcome {
    use BinaryOp::*;
    let size = a.len();
    if let (Bracket::Exact(a), Bracket::Exact(b)) = (a, b) {
        return exact(op, a, b);
    }
    let mut truth = Truth::new(size);
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for state in 0..size {
        let ((al, au), (bl, bu)) = (floats(a, state), floats(b, state));
        let decided = match op {
            Lt => Some((au < bl, al >= bu)),
            Le => Some((au <= bl, al > bu)),
            Gt => Some((al > bu, au <= bl)),
            Ge => Some((al >= bu, au < bl)),
            Eq => Some((al == au && bl == bu && al == bl, au < bl || bu < al)),
            Ne => Some((au < bl || bu < al, al == au && bl == bu && al == bl)),
            _ => None,
        };
        if let Some((yes, no)) = decided {
            truth.note(state, if yes || no { Some(yes) } else { None });
            continue;
        }
        let (low, high) = match op {
            Add => (al + bl, au + bu),
            Sub => (al - bu, au - bl),
            Min => (al.min(bl), au.min(bu)),
            Max => (al.max(bl), au.max(bu)),
            Mul | Div => {
                if op == Div && bl <= 0.0 && bu >= 0.0 {
                    return Outcome::Undefined("a division by what may be zero");
                }
                let apply = |x: f64, y: f64| if op == Mul { x * y } else { x / y };
                let all = [apply(al, bl), apply(al, bu), apply(au, bl), apply(au, bu)];
                (
                    all.iter().copied().fold(f64::INFINITY, f64::min),
                    all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                )
            }
            _ => return Outcome::Undefined("a function of numbers that are only bounded"),
        };
        if low.is_nan() || high.is_nan() {
            return Outcome::Undefined("arithmetic with infinity");
        }
        lower.push(low.next_down());
        upper.push(high.next_up());
    }
    match lower.is_empty() && size > 0 {
        true => Outcome::Truth(truth),
        false => Outcome::Numbers(Bracket::Between { lower, upper }),
    }
}

fn exact(op: BinaryOp, a: &[Option<Rational>], b: &[Option<Rational>]) -> Outcome {
    use entail_markov::{Expr, Sort, Value};
    let mut truth = Truth::new(a.len());
    let mut numbers = Vec::new();
    for (state, pair) in a.iter().zip(b).enumerate() {
        let (Some(a), Some(b)) = pair else {
            return Outcome::Undefined("arithmetic with infinity");
        };
        let expr = Expr::binary(op, Expr::from(a.clone()), Expr::from(b.clone()));
        match expr.eval(&[], &|_| Sort::Real) {
            Ok(Value::Bool(value)) => truth.note(state, Some(value)),
            Ok(value) => numbers.push(value.number()),
            Err(_) => return Outcome::Undefined("an operator without a value"),
        }
    }
    match numbers.is_empty() {
        true => Outcome::Truth(truth),
        false => Outcome::Numbers(Bracket::Exact(numbers)),
    }
}
