//! A probability from the share of successes among runs: the exact interval of Clopper and Pearson (1934).
//!
//! The interval contains every probability under which so many successes, or so few, are not too unlikely; it covers the true one with at least the stated confidence if the number of runs does not depend
//! on their outcomes. So that number is found first: the least for which the ends are near enough to the share whatever the share is. (UPPAAL looks at the interval after every run and stops at the first that
//! is narrow enough. That needs fewer runs near 0 and 1, but the interval at which one stops is no longer one of the stated confidence.)

use crate::beta;

/// Successes among runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of runs.
    pub runs: u64,
    /// Runs that succeeded.
    pub successes: u64,
}

impl Share {
    /// Counts a run.
    pub fn count(&mut self, success: bool) {
        self.runs += 1;
        self.successes += u64::from(success);
    }

    /// The share.
    pub fn estimate(&self) -> f64 {
        self.successes as f64 / self.runs.max(1) as f64
    }

    /// The interval that contains the probability with this confidence.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        if self.runs == 0 {
            return (0.0, 1.0);
        }
        let (successes, failures) = (self.successes as f64, (self.runs - self.successes) as f64);
        let tail = (1.0 - confidence) / 2.0;
        // Rounded outwards, by more than the function may be off.
        let low = match self.successes {
            0 => 0.0,
            _ => beta::quantile(successes, failures + 1.0, tail).0 * (1.0 - 1e-10),
        };
        let high = match self.runs - self.successes {
            0 => 1.0,
            _ => 1.0 - beta::quantile(failures, successes + 1.0, tail).0 * (1.0 - 1e-10),
        };
        (low, high)
    }

    /// How far the farther end of the interval is from the share.
    pub fn error(&self, confidence: f64) -> f64 {
        let (low, high) = self.interval(confidence);
        (self.estimate() - low).max(high - self.estimate())
    }
}

/// The largest error that shares of so many runs have.
fn worst(runs: u64, confidence: f64) -> f64 {
    // The error is largest a little to the side of one half, by some multiple of √n runs.
    let root = (runs as f64).sqrt();
    let shares = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0].map(|places: f64| {
        let successes = (runs / 2).saturating_sub((places * root) as u64);
        Share { runs, successes }.error(confidence)
    });
    shares.into_iter().fold(0.0, f64::max)
}

/// So many runs give an interval whose ends are at most `error` away from the share, whatever it is; at least 1, at most 2⁴⁰.
pub fn runs_needed(confidence: f64, error: f64) -> u64 {
    let (mut few, mut enough) = (0, 1);
    while worst(enough, confidence) > error && enough < 1 << 40 {
        (few, enough) = (enough, enough * 2);
    }
    while enough - few > 1 {
        let middle = few + (enough - few) / 2;
        match worst(middle, confidence) > error {
            true => few = middle,
            false => enough = middle,
        }
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        let near = |(low, high): (f64, f64), (a, b): (f64, f64)| {
            assert!(
                (low - a).abs() < 5e-5 && (high - b).abs() < 5e-5,
                "[{low}, {high}]"
            );
        };
        let share = |successes, runs| Share { runs, successes };
        near(share(0, 10).interval(0.95), (0.0, 0.3085));
        near(share(5, 10).interval(0.95), (0.1871, 0.8129));
        near(share(81, 263).interval(0.95), (0.2527, 0.3676));
        // UPPAAL says [0.902606, 1] after 36 successes of 36.
        assert!((share(36, 36).interval(0.95).0 - 0.902606).abs() < 1e-6);
    }

    #[test]
    fn the_number_of_runs_is_near_the_one_that_uppaal_documents() {
        // "the highest number of samples", for α = ε = 0.05 and probabilities near one half.
        let needed = runs_needed(0.95, 0.05);
        assert!((400..=411).contains(&needed), "{needed}");
        for successes in 0..=needed {
            let share = Share {
                runs: needed,
                successes,
            };
            assert!(share.error(0.95) <= 0.05 + 1e-4, "{successes}");
        }
    }

    /// The probability that the interval misses is what the definition promises, for probabilities of all sizes.
    #[test]
    fn the_interval_covers_the_probability() {
        let runs = 40u64;
        for percent in 1..100 {
            let p = f64::from(percent) / 100.0;
            let mut covered = 0.0;
            let mut term = (1.0 - p).powi(runs as i32);
            for successes in 0..=runs {
                let (low, high) = Share { runs, successes }.interval(0.9);
                if (low..=high).contains(&p) {
                    covered += term;
                }
                term *= (runs - successes) as f64 / (successes + 1) as f64 * p / (1.0 - p);
            }
            assert!(covered >= 0.9, "{p}: {covered}");
        }
    }
}
