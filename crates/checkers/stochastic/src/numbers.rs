//! Arithmetic, comparisons and filters over what is known of every state.

use crate::check::{Evaluation, Known, NotConfirmed};
use crate::second::enclose;
use entail_markov::{Aggregate, BinaryOp, Bracket, Rational, UnaryOp};

impl Evaluation<'_> {
    pub(crate) fn unary(&self, op: UnaryOp, operand: Known) -> Result<Known, NotConfirmed> {
        match (op, operand) {
            (UnaryOp::Not, Known::Truth(truth)) => Ok(Known::Truth(
                truth.into_iter().map(|truth| truth.map(|truth| !truth)).collect(),
            )),
            (UnaryOp::Neg, Known::Numbers(bracket)) => {
                let zero = Known::Numbers(Bracket::Exact(vec![Some(Rational::ZERO); bracket.len()]));
                self.binary(BinaryOp::Sub, zero, Known::Numbers(bracket))
            }
            _ => Err(NotConfirmed::Unchecked(
                "functions of numbers that are only bounded".to_owned(),
            )),
        }
    }

    pub(crate) fn binary(&self, op: BinaryOp, left: Known, right: Known) -> Result<Known, NotConfirmed> {
        use BinaryOp::*;
        match (left, right) {
            (Known::Truth(a), Known::Truth(b)) => {
                let value = |(a, b): (Option<bool>, Option<bool>)| match op {
                    And => match (a, b) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (a, b) => Some(a? && b?),
                    },
                    Or => match (a, b) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (a, b) => Some(a? || b?),
                    },
                    Implies => match (a, b) {
                        (Some(false), _) | (_, Some(true)) => Some(true),
                        (a, b) => Some(!a? || b?),
                    },
                    Iff | Eq => Some(a? == b?),
                    Ne => Some(a? != b?),
                    _ => None,
                };
                Ok(Known::Truth(a.into_iter().zip(b).map(value).collect()))
            }
            (Known::Numbers(a), Known::Numbers(b)) => self.arithmetic(op, &a, &b),
            _ => Err(NotConfirmed::Wrong("operands of different types".to_owned())),
        }
    }

    fn arithmetic(&self, op: BinaryOp, a: &Bracket, b: &Bracket) -> Result<Known, NotConfirmed> {
        use BinaryOp::*;
        let infinite = || NotConfirmed::Unchecked("arithmetic with infinity".to_owned());
        let exact = matches!((a, b), (Bracket::Exact(_), Bracket::Exact(_)));
        let mut truth = Vec::new();
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for state in 0..self.size() {
            self.budget.check()?;
            let (al, au) = (
                a.lower(state).ok_or_else(infinite)?,
                a.upper(state).ok_or_else(infinite)?,
            );
            let (bl, bu) = (
                b.lower(state).ok_or_else(infinite)?,
                b.upper(state).ok_or_else(infinite)?,
            );
            let below = |yes: bool, no: bool| {
                if yes {
                    Some(true)
                } else if no {
                    Some(false)
                } else {
                    None
                }
            };
            match op {
                Lt => truth.push(below(au < bl, al >= bu)),
                Le => truth.push(below(au <= bl, al > bu)),
                Gt => truth.push(below(al > bu, au <= bl)),
                Ge => truth.push(below(al >= bu, au < bl)),
                Eq => truth.push(below(al == au && bl == bu && al == bl, au < bl || bu < al)),
                Ne => truth.push(below(au < bl || bu < al, al == au && bl == bu && al == bl)),
                Add => {
                    low.push(al + bl);
                    high.push(au + bu);
                }
                Sub => {
                    low.push(al - bu);
                    high.push(au - bl);
                }
                Min => {
                    low.push(al.min(bl));
                    high.push(au.min(bu));
                }
                Max => {
                    low.push(al.max(bl));
                    high.push(au.max(bu));
                }
                Mul | Div => {
                    if op == Div && bl <= Rational::ZERO && bu >= Rational::ZERO {
                        return Err(NotConfirmed::Unchecked(
                            "a division by what may be zero".to_owned(),
                        ));
                    }
                    let apply = |x: &Rational, y: &Rational| if op == Mul { x * y } else { x / y };
                    let mut all = [apply(&al, &bl), apply(&al, &bu), apply(&au, &bl), apply(&au, &bu)];
                    all.sort();
                    let [least, .., greatest] = all;
                    low.push(least);
                    high.push(greatest);
                }
                _ => {
                    return Err(NotConfirmed::Unchecked(
                        "functions of numbers that are only bounded".to_owned(),
                    ));
                }
            }
        }
        if !truth.is_empty() {
            return Ok(Known::Truth(truth));
        }
        if exact {
            return Ok(Known::Numbers(Bracket::Exact(
                low.into_iter().map(Some).collect(),
            )));
        }
        Ok(Known::Numbers(Bracket::Between {
            lower: low.iter().map(|number| enclose(number).0).collect(),
            upper: high.iter().map(|number| enclose(number).1).collect(),
        }))
    }

    pub(crate) fn filter(
        &self,
        aggregate: Aggregate,
        states: &[bool],
        values: Known,
    ) -> Result<Known, NotConfirmed> {
        let chosen: Vec<usize> = (0..states.len()).filter(|&state| states[state]).collect();
        if chosen.is_empty() {
            return Err(NotConfirmed::Wrong("a filter without states".to_owned()));
        }
        let size = self.size();
        match (aggregate, values) {
            (
                Aggregate::ForAll | Aggregate::Exists | Aggregate::Print | Aggregate::PrintAll,
                Known::Truth(truth),
            ) => {
                let wanted = aggregate == Aggregate::Exists;
                let one = if chosen.iter().any(|&state| truth[state] == Some(wanted)) {
                    Some(wanted)
                } else if chosen.iter().all(|&state| truth[state] == Some(!wanted)) {
                    Some(!wanted)
                } else {
                    None
                };
                Ok(Known::Truth(vec![one; size]))
            }
            (Aggregate::State | Aggregate::First, Known::Truth(truth)) => {
                Ok(Known::Truth(vec![truth[chosen[0]]; size]))
            }
            (Aggregate::Range | Aggregate::Print | Aggregate::PrintAll, values @ Known::Numbers(_)) => {
                Ok(values)
            }
            (Aggregate::Count, Known::Truth(truth)) => {
                let mut count = 0u64;
                for &state in &chosen {
                    count +=
                        u64::from(truth[state].ok_or_else(|| {
                            NotConfirmed::Wrong("an undecided state is counted".to_owned())
                        })?);
                }
                Ok(Known::Numbers(Bracket::Exact(vec![
                    Some(Rational::from(count));
                    size
                ])))
            }
            (Aggregate::State | Aggregate::First, Known::Numbers(bracket)) => {
                Ok(Known::Numbers(spread(&bracket, chosen[0], size)))
            }
            (Aggregate::Min | Aggregate::Max, Known::Numbers(bracket)) => {
                let extreme = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let finite = chosen.iter().map(|&state| value(state));
                    match aggregate {
                        Aggregate::Min => finite.flatten().min(),
                        _ => finite.collect::<Option<Vec<_>>>()?.into_iter().max(),
                    }
                };
                let (low, high) = (
                    extreme(&|state| bracket.lower(state)),
                    extreme(&|state| bracket.upper(state)),
                );
                Ok(Known::Numbers(constant(&bracket, low, high, size)))
            }
            (Aggregate::Sum | Aggregate::Avg, Known::Numbers(bracket)) => {
                let count = Rational::from(if aggregate == Aggregate::Avg {
                    chosen.len() as u64
                } else {
                    1
                });
                let sum = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let sum = chosen
                        .iter()
                        .try_fold(Rational::ZERO, |sum, &state| Some(sum + value(state)?))?;
                    Some(sum / &count)
                };
                let (low, high) = (
                    sum(&|state| bracket.lower(state)),
                    sum(&|state| bracket.upper(state)),
                );
                Ok(Known::Numbers(constant(&bracket, low, high, size)))
            }
            (Aggregate::ArgMin | Aggregate::ArgMax, Known::Numbers(bracket)) => {
                let (least, mut truth) = (aggregate == Aggregate::ArgMin, vec![Some(false); size]);
                // Values in order, infinity last; for the least they are turned round.
                let ends = |state: usize| match least {
                    true => (bracket.upper(state), bracket.lower(state)),
                    false => (bracket.lower(state), bracket.upper(state)),
                };
                let beats = |a: Option<Rational>, b: Option<Rational>| match (a, b) {
                    (Some(a), Some(b)) if least => a < b,
                    (Some(a), Some(b)) => a > b,
                    (a, b) => (a.is_none() && b.is_some()) != least && a.is_none() != b.is_none(),
                };
                for &state in &chosen {
                    self.budget.check()?;
                    let (worst, best) = ends(state);
                    let mut others = chosen.iter().filter(|&&other| other != state);
                    truth[state] = match others.clone().any(|&other| beats(ends(other).0, best.clone())) {
                        true => Some(false),
                        false => (!others.any(|&other| beats(ends(other).1, worst.clone()))).then_some(true),
                    };
                }
                Ok(Known::Truth(truth))
            }
            _ => Err(NotConfirmed::Unchecked("this filter".to_owned())),
        }
    }
}

pub(crate) fn exact_indicator(set: &[bool]) -> Bracket {
    let value = |&inside: &bool| Some(if inside { Rational::ONE } else { Rational::ZERO });
    Bracket::Exact(set.iter().map(value).collect())
}

/// One minus a probability: computed in fractions, and only then enclosed in doubles. (Engines round the difference of doubles.)
pub(crate) fn complement(bracket: Bracket) -> Bracket {
    let rest = |bound: Option<Rational>| bound.map(|bound| Rational::ONE - bound);
    let states = 0..bracket.len();
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(values.into_iter().map(rest).collect()),
        Bracket::Between { .. } => {
            // Infinity is no probability, and stays what it is.
            let enclosed = |bound: Option<Rational>| {
                rest(bound).map_or((f64::INFINITY, f64::INFINITY), |rest| enclose(&rest))
            };
            Bracket::Between {
                lower: (states.clone())
                    .map(|state| enclosed(bracket.upper(state)).0)
                    .collect(),
                upper: states.map(|state| enclosed(bracket.lower(state)).1).collect(),
            }
        }
    }
}

pub(crate) fn choose(condition: &[Option<bool>], yes: Known, no: Known) -> Result<Known, NotConfirmed> {
    match (yes, no) {
        (Known::Truth(yes), Known::Truth(no)) => {
            let value = |state: usize| if condition[state]? { yes[state] } else { no[state] };
            Ok(Known::Truth((0..condition.len()).map(value).collect()))
        }
        _ => Err(NotConfirmed::Unchecked("choices between numbers".to_owned())),
    }
}

fn spread(bracket: &Bracket, state: usize, size: usize) -> Bracket {
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(vec![values[state].clone(); size]),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: vec![lower[state]; size],
            upper: vec![upper[state]; size],
        },
    }
}

fn constant(like: &Bracket, low: Option<Rational>, high: Option<Rational>, size: usize) -> Bracket {
    match like {
        Bracket::Exact(_) => Bracket::Exact(vec![low; size]),
        Bracket::Between { .. } => {
            let low = low.map_or(f64::INFINITY, |low| enclose(&low).0);
            let high = high.map_or(f64::INFINITY, |high| enclose(&high).1);
            Bracket::Between {
                lower: vec![low; size],
                upper: vec![high; size],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_markov::from_float;

    /// 1 - 1e-30 is 1 in doubles: the bound below it must be another one, and nothing may be lost.
    #[test]
    fn complements_contain_the_exact_ones_and_are_as_narrow_as_doubles_allow() {
        let floats = [
            0.0,
            1e-300,
            1e-30,
            0.1,
            0.25,
            1.0 / 3.0,
            0.5,
            0.9,
            1.0f64.next_down(),
            1.0,
        ];
        for (at, &lower) in floats.iter().enumerate() {
            for &upper in &floats[at..] {
                let turned = complement(Bracket::Between {
                    lower: vec![lower],
                    upper: vec![upper],
                });
                let exact = |float: f64| Rational::ONE - from_float(float).expect("finite");
                let (low, high) = (turned.lower(0).expect("finite"), turned.upper(0).expect("finite"));
                assert!(low <= exact(upper) && exact(lower) <= high, "{lower} {upper}");
                let Bracket::Between {
                    lower: lows,
                    upper: highs,
                } = &turned
                else {
                    panic!("doubles stay doubles")
                };
                let next = |float: f64| from_float(float).expect("finite");
                assert!(low == exact(upper) || next(lows[0].next_up()) > exact(upper));
                assert!(high == exact(lower) || next(highs[0].next_down()) < exact(lower));
            }
        }
    }
}
