//! Means of numbers that come one after the other (Welford 1962), with Student's interval.
//!
//! The interval assumes that the mean is normally distributed, which it is nearly where runs are many; for few runs of something very skew its confidence is not what it says.

use crate::beta;

/// Numbers that have come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Numbers {
    /// How many.
    pub count: u64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Numbers {
    /// Takes one more.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        let distance = number - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (number - self.mean);
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation.
    pub fn deviation(&self) -> f64 {
        match self.count {
            0 | 1 => 0.0,
            count => (self.squares / (count - 1) as f64).sqrt(),
        }
    }
}

/// How far the true mean is from the mean of so many numbers with this deviation, at most, with this confidence; infinitely far for fewer than two.
pub fn error(count: u64, deviation: f64, confidence: f64) -> f64 {
    if count < 2 {
        return f64::INFINITY;
    }
    student(count - 1, confidence) * deviation / (count as f64).sqrt()
}

/// The number that the absolute value of a Student-distributed one does not exceed with this probability.
pub fn student(freedom: u64, confidence: f64) -> f64 {
    // ν / (ν + t²) is beta-distributed with parameters ν/2 and 1/2.
    let freedom = freedom as f64;
    let (x, _) = beta::quantile(freedom / 2.0, 0.5, 1.0 - confidence);
    (freedom * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_those_of_the_tables() {
        for (freedom, confidence, table) in [
            (1, 0.95, 12.706),
            (5, 0.95, 2.571),
            (30, 0.99, 2.750),
            (100_000, 0.95, 1.960),
        ] {
            assert!((student(freedom, confidence) - table).abs() < 1e-3);
        }
    }

    #[test]
    fn means_and_deviations_are_those_of_the_definition() {
        let mut numbers = Numbers::default();
        for one in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            numbers.add(one);
        }
        assert_eq!(numbers.mean(), 5.0);
        assert!((numbers.deviation() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    }
}
