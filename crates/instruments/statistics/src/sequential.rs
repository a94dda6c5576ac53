//! Tests that take runs one by one and stop as soon as they know (Wald 1945).
//!
//! The ratio of how likely the runs are if the probability is high and if it is low goes up and down with each run; where it leaves an interval the test ends, and errs with at most the probability that the
//! interval was made for, if the true probability is at least as high or as low as one of the two. In between, either answer may come.

/// What is known after some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The probability is high.
    High,
    /// It is low.
    Low,
}

/// A test of one probability against two values.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// What a success and a failure add.
    success: f64,
    failure: f64,
    /// Where the test ends.
    limit: f64,
    /// The logarithm of how much more likely the runs are if the probability is high.
    ratio: f64,
}

impl Test {
    /// A test between at most `low` and at least `high`, either answer of which is right with this confidence if one of them is. The values are cut off at 0 and 1.
    pub fn new(low: f64, high: f64, confidence: f64) -> Test {
        let (low, high) = (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0));
        Test {
            success: (high / low).ln(),
            failure: ((1.0 - high) / (1.0 - low)).ln(),
            limit: (confidence / (1.0 - confidence)).ln(),
            ratio: 0.0,
        }
    }

    /// Takes a run; says what is known then.
    pub fn take(&mut self, success: bool) -> Option<Known> {
        self.ratio += if success { self.success } else { self.failure };
        if self.ratio >= self.limit {
            Some(Known::High)
        } else if self.ratio <= -self.limit {
            Some(Known::Low)
        } else {
            None
        }
    }
}

/// A test whether a probability exceeds another, by pairs of runs of which exactly one succeeds (Wald's double dichotomy): if the odds of the first are `u` times those of the second, the first is the one
/// that succeeds with probability u / (1 + u).
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    test: Test,
}

impl Comparison {
    /// A test between odds that are at most `low` times and at least `high` times as large.
    pub fn new(low: f64, high: f64, confidence: f64) -> Comparison {
        let share = |odds: f64| odds / (1.0 + odds);
        Comparison {
            test: Test::new(share(low), share(high), confidence),
        }
    }

    /// Takes a pair of runs.
    pub fn take(&mut self, first: bool, second: bool) -> Option<Known> {
        match first == second {
            true => None,
            false => self.test.take(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_cases_are_decided_soon() {
        let mut test = Test::new(0.4, 0.6, 0.99);
        let mut runs = 1;
        while test.take(true).is_none() {
            runs += 1;
        }
        // ln 99 / ln 1.5
        assert_eq!(runs, 12);
        let mut test = Test::new(0.4, 0.6, 0.99);
        assert_eq!((0..12).filter_map(|_| test.take(false)).next(), Some(Known::Low));
    }

    #[test]
    fn one_failure_refutes_certainty() {
        let mut test = Test::new(0.98, 1.01, 0.95);
        assert_eq!(test.take(true), None);
        assert_eq!(test.take(false), Some(Known::Low));
    }

    #[test]
    fn equal_outcomes_say_nothing_about_which_is_likelier() {
        let mut comparison = Comparison::new(0.9, 1.1, 0.95);
        assert_eq!(comparison.take(true, true), None);
        let found = (0..1000).find_map(|_| comparison.take(true, false));
        assert_eq!(found, Some(Known::High));
    }
}
