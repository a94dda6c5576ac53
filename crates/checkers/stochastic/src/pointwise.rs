//! Operators that look at one state at a time, and filters: truth values of which some are not decided, and numbers of which bounds are proved.

use crate::evaluate::NotConfirmed;
use crate::ranges::{Range, Ranges};
use entail_budget::Budget;
use entail_markov::{Aggregate, BinaryOp, Query, Rational, UnaryOp};

/// What is known about every state.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Nothing: not decided.
    Truth(Vec<Option<bool>>),
    Numbers(Ranges),
}

fn unchecked(what: &str) -> NotConfirmed {
    NotConfirmed::Unchecked(what.to_owned())
}

fn wrong(what: &str) -> NotConfirmed {
    NotConfirmed::Wrong(what.to_owned())
}

/// What a question says of proved bounds: a comparison is decided where both ends agree on it.
pub(crate) fn compare(query: &Query, ranges: Ranges) -> Known {
    let Query::Compare(threshold) = query else {
        return Known::Numbers(ranges);
    };
    let holds = |value: &Option<Rational>| match value {
        Some(value) => threshold.comparison.holds(value, &threshold.bound),
        None => !threshold.comparison.is_upper(),
    };
    let truth = |range: &Range| {
        let (low, high) = (holds(&range.low), holds(&range.high));
        (low == high).then_some(low)
    };
    Known::Truth(ranges.0.iter().map(truth).collect())
}

pub(crate) fn unary(op: UnaryOp, operand: Known) -> Result<Known, NotConfirmed> {
    match (op, operand) {
        (UnaryOp::Not, Known::Truth(mut truth)) => {
            truth.iter_mut().flatten().for_each(|truth| *truth = !*truth);
            Ok(Known::Truth(truth))
        }
        (UnaryOp::Neg, Known::Numbers(ranges)) => {
            let negated = |range: Range| Range {
                low: range.high.map(|high| -high),
                high: range.low.map(|low| -low),
            };
            let is_finite = |range: &Range| range.finite().is_some();
            match ranges.0.iter().all(is_finite) {
                true => Ok(Known::Numbers(Ranges(ranges.0.into_iter().map(negated).collect()))),
                false => Err(unchecked("arithmetic with infinity")),
            }
        }
        _ => Err(unchecked("functions of numbers that are only bounded")),
    }
}

/// A connective over the truth values that are possible: decided if all of them agree.
fn connective(op: BinaryOp, a: Option<bool>, b: Option<bool>) -> Option<bool> {
    let possible = |known: Option<bool>| [false, true].into_iter().filter(move |&truth| known.is_none_or(|known| known == truth));
    let mut results = possible(a).flat_map(|a| {
        possible(b).map(move |b| match op {
            BinaryOp::And => Some(a && b),
            BinaryOp::Or => Some(a || b),
            BinaryOp::Implies => Some(!a || b),
            BinaryOp::Iff | BinaryOp::Eq => Some(a == b),
            BinaryOp::Ne => Some(a != b),
            _ => None,
        })
    });
    let first = results.next()??;
    results.all(|other| other == Some(first)).then_some(first)
}

pub(crate) fn binary(op: BinaryOp, left: Known, right: Known, budget: &Budget) -> Result<Known, NotConfirmed> {
    match (left, right) {
        (Known::Truth(a), Known::Truth(b)) => {
            let pairs = a.into_iter().zip(b);
            Ok(Known::Truth(pairs.map(|(a, b)| connective(op, a, b)).collect()))
        }
        (Known::Numbers(a), Known::Numbers(b)) => arithmetic(op, &a, &b, budget),
        _ => Err(wrong("operands of different types")),
    }
}

/// The least and the greatest of some numbers.
fn hull(numbers: impl IntoIterator<Item = Rational>) -> Option<(Rational, Rational)> {
    let mut numbers = numbers.into_iter();
    let first = numbers.next()?;
    Some(numbers.fold((first.clone(), first), |(low, high), number| {
        if number < low {
            (number, high)
        } else if number > high {
            (low, number)
        } else {
            (low, high)
        }
    }))
}

/// Operators on numbers. All of them are monotone in each operand, in one direction or the other, so that corners tell the extremes; a
/// comparison is that of the difference with zero.
fn arithmetic(op: BinaryOp, a: &Ranges, b: &Ranges, budget: &Budget) -> Result<Known, NotConfirmed> {
    use BinaryOp::*;
    let mut truth = Vec::new();
    let mut ranges = Vec::new();
    for (a, b) in a.0.iter().zip(&b.0) {
        budget.check()?;
        let (Some((al, ah)), Some((bl, bh))) = (a.finite(), b.finite()) else {
            return Err(unchecked("arithmetic with infinity"));
        };
        let corners = [(al, bl), (al, bh), (ah, bl), (ah, bh)];
        let of = |apply: &dyn Fn(&Rational, &Rational) -> Rational| hull(corners.map(|(a, b)| apply(a, b)));
        let zero = Rational::ZERO;
        if let Lt | Le | Gt | Ge | Eq | Ne = op {
            let difference = of(&|a, b| a - b);
            let Some((least, greatest)) = difference else {
                return Err(wrong("bounds without numbers"));
            };
            let holds = |difference: &Rational| match op {
                Lt => *difference < zero,
                Le => *difference <= zero,
                Gt => *difference > zero,
                Ge => *difference >= zero,
                Eq => *difference == zero,
                _ => *difference != zero,
            };
            // Between the ends equality may come and go.
            let ends = (holds(&least), holds(&greatest));
            let may_be_equal = least <= zero && zero <= greatest;
            let is_decided = match op {
                Eq | Ne => least == greatest || !may_be_equal,
                _ => ends.0 == ends.1,
            };
            truth.push(is_decided.then_some(ends.0));
            continue;
        }
        let result = match op {
            Add => of(&|a, b| a + b),
            Sub => of(&|a, b| a - b),
            Min => of(&|a, b| a.min(b).clone()),
            Max => of(&|a, b| a.max(b).clone()),
            Mul => of(&|a, b| a * b),
            Div if *bl > zero || *bh < zero => of(&|a, b| a / b),
            Div => return Err(unchecked("a division by what may be zero")),
            _ => return Err(unchecked("functions of numbers that are only bounded")),
        };
        let (low, high) = result.ok_or_else(|| wrong("bounds without numbers"))?;
        ranges.push(Range {
            low: Some(low),
            high: Some(high),
        });
    }
    Ok(match op {
        Lt | Le | Gt | Ge | Eq | Ne => Known::Truth(truth),
        _ => Known::Numbers(Ranges(ranges)),
    })
}

pub(crate) fn choose(condition: &[Option<bool>], yes: Known, no: Known) -> Result<Known, NotConfirmed> {
    match (yes, no) {
        (Known::Truth(yes), Known::Truth(no)) => {
            let value = |state: usize| if condition[state]? { yes[state] } else { no[state] };
            Ok(Known::Truth((0..condition.len()).map(value).collect()))
        }
        _ => Err(unchecked("choices between numbers")),
    }
}

/// One value for all states, made of those of the chosen ones.
pub(crate) fn filter(aggregate: Aggregate, states: &[bool], values: Known) -> Result<Known, NotConfirmed> {
    let size = states.len();
    let chosen = |state: &usize| states[*state];
    match values {
        Known::Truth(truth) => {
            let kept: Vec<Option<bool>> = (0..size).filter(chosen).map(|state| truth[state]).collect();
            filter_truth(aggregate, &kept, size)
        }
        Known::Numbers(ranges) => {
            let kept: Vec<&Range> = (0..size).filter(chosen).map(|state| &ranges.0[state]).collect();
            let range = filter_numbers(aggregate, &kept)?;
            Ok(Known::Numbers(Ranges::constant(range, size)))
        }
    }
}

fn filter_truth(aggregate: Aggregate, kept: &[Option<bool>], size: usize) -> Result<Known, NotConfirmed> {
    let Some(&first) = kept.first() else {
        return Err(wrong("a filter without states"));
    };
    let count = |truth: Option<bool>| kept.iter().filter(|&&known| known == truth).count();
    let (yes, no, open) = (count(Some(true)), count(Some(false)), count(None));
    let one = match aggregate {
        Aggregate::ForAll | Aggregate::Print | Aggregate::PrintAll => match (no, open) {
            (0, 0) => Some(true),
            (0, _) => None,
            _ => Some(false),
        },
        Aggregate::Exists => match (yes, open) {
            (0, 0) => Some(false),
            (0, _) => None,
            _ => Some(true),
        },
        Aggregate::State | Aggregate::First => first,
        Aggregate::Count if open > 0 => return Err(wrong("an undecided state is counted")),
        Aggregate::Count => {
            let count = Range::exactly(Rational::from(yes as u64));
            return Ok(Known::Numbers(Ranges::constant(count, size)));
        }
        _ => return Err(unchecked("this filter")),
    };
    Ok(Known::Truth(vec![one; size]))
}

fn filter_numbers(aggregate: Aggregate, kept: &[&Range]) -> Result<Range, NotConfirmed> {
    let Some((&first, rest)) = kept.split_first() else {
        return Err(wrong("a filter without states"));
    };
    let fold = |combine: &dyn Fn(Option<Rational>, &Option<Rational>) -> Option<Rational>| {
        rest.iter().fold(first.clone(), |so_far, range| Range {
            low: combine(so_far.low, &range.low),
            high: combine(so_far.high, &range.high),
        })
    };
    Ok(match aggregate {
        Aggregate::State | Aggregate::First => first.clone(),
        // Infinity is above every number.
        Aggregate::Min => fold(&|a, b| match (a, b) {
            (Some(a), Some(b)) => Some(if *b < a { b.clone() } else { a }),
            (a, b) => a.or_else(|| b.clone()),
        }),
        Aggregate::Max => fold(&|a, b| Some(if a.as_ref()? < b.as_ref()? { b.clone()? } else { a? })),
        Aggregate::Sum => fold(&|a, b| Some(a? + b.as_ref()?)),
        Aggregate::Avg => {
            let sum = fold(&|a, b| Some(a? + b.as_ref()?));
            let count = Rational::from(kept.len() as u64);
            Range {
                low: sum.low.map(|low| low / &count),
                high: sum.high.map(|high| high / &count),
            }
        }
        _ => return Err(unchecked("this filter")),
    })
}
