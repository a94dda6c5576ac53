//! What is proved of a number in every state: bounds in rationals, nothing rounded.
//!
//! A certificate's doubles are exact numbers; from there on the checker computes with fractions. Engines compute with doubles rounded outwards, so
//! that what they claim contains what is found here, and a rounding that goes the wrong way is found out.

use entail_markov::{Bracket, Rational};

/// Bounds of one number; nothing is infinity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    pub low: Option<Rational>,
    pub high: Option<Rational>,
}

impl Range {
    pub fn exactly(number: Rational) -> Range {
        Range {
            low: Some(number.clone()),
            high: Some(number),
        }
    }

    /// Whether a number lies in it.
    pub fn contains(&self, number: &Rational) -> bool {
        self.low.as_ref().is_some_and(|low| low <= number) && self.high.as_ref().is_some_and(|high| number <= high)
    }

    /// Both bounds, if they are finite.
    pub fn finite(&self) -> Option<(&Rational, &Rational)> {
        Some((self.low.as_ref()?, self.high.as_ref()?))
    }
}

/// Bounds for every state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranges(pub Vec<Range>);

impl From<&Bracket> for Ranges {
    fn from(bracket: &Bracket) -> Ranges {
        let range = |state: usize| Range {
            low: bracket.lower(state),
            high: bracket.upper(state),
        };
        Ranges((0..bracket.len()).map(range).collect())
    }
}

impl Ranges {
    pub fn exactly(numbers: Vec<Rational>) -> Ranges {
        Ranges(numbers.into_iter().map(Range::exactly).collect())
    }

    /// 1 in the set, 0 outside.
    pub fn indicator(set: &[bool]) -> Ranges {
        Ranges::exactly(set.iter().map(|&inside| Rational::from(u8::from(inside))).collect())
    }

    /// One range for all of so many states.
    pub fn constant(range: Range, size: usize) -> Ranges {
        Ranges(vec![range; size])
    }

    /// One minus a probability. Infinity is no probability, and stays what it is.
    pub fn complement(self) -> Ranges {
        let rest = |bound: Option<Rational>| bound.map(|bound| Rational::ONE - bound);
        let turned = |range: Range| Range {
            low: rest(range.high),
            high: rest(range.low),
        };
        Ranges(self.0.into_iter().map(turned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_markov::from_float;

    /// Rounded doubles are no complement: 1 - 1e-30 is 1 in doubles, and a bound at 1 would be a lie.
    #[test]
    fn a_complement_is_exact_where_doubles_would_round() {
        let (low, high) = (1e-30f64, 0.1f64);
        let bracket = Bracket::Between {
            lower: vec![low],
            upper: vec![high],
        };
        let turned = Ranges::from(&bracket).complement();
        let number = |float: f64| from_float(float).expect("finite");
        assert_eq!(turned.0[0].high, Some(Rational::ONE - number(low)));
        assert_eq!(turned.0[0].low, Some(Rational::ONE - number(high)));
        assert!(turned.0[0].high < Some(Rational::ONE));
        // Twice is once.
        assert_eq!(turned.complement(), Ranges::from(&bracket));
    }
}
