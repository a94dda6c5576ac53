//! Poisson weights, after Fox and Glynn (1988): from the mode outwards, so that nothing overflows, with an error that is accounted for.
//!
//! `weights[k - left]` is proportional to `λ^k / k!`. The mass outside of `left..=right` is bounded by geometric series: to the right the ratio
//! of neighbours is at most `λ / (right + 1)`, to the left at most `left / λ`. Every weight is a product of at most `right - left` factors
//! computed with two roundings each, which bounds the relative error of all of them.

/// Weights of a Poisson distribution, normalised to sum to 1 over what was kept.
#[derive(Clone, Debug)]
pub struct Poisson {
    /// The first number of events kept.
    pub left: u64,
    /// The weights from there on; their sum is 1 up to rounding.
    pub weights: Vec<f64>,
    /// An upper bound of the probability mass that was not kept.
    pub outside: f64,
    /// The exact probability of `k` lies within this relative distance of `weights[k - left] * (1 - outside)` and of `weights[k - left]`.
    pub relative_error: f64,
}

impl Poisson {
    /// The weights for a rate, such that at most `tail` of the mass is left out; nothing if the rate is too large to be handled.
    pub fn new(rate: f64, tail: f64) -> Option<Poisson> {
        const LARGEST: f64 = 1e9;
        if !(0.0..=LARGEST).contains(&rate) {
            return None;
        }
        if rate == 0.0 {
            return Some(Poisson {
                left: 0,
                weights: vec![1.0],
                outside: 0.0,
                relative_error: 0.0,
            });
        }
        let mode = rate.floor() as u64;
        let (mut upper, mut lower) = (vec![1.0f64], Vec::new());
        let mut sum = 1.0f64;
        let (mut right, mut weight) = (mode, 1.0f64);
        let right_rest = loop {
            let ratio = rate / (right as f64 + 1.0);
            let rest = if ratio < 1.0 {
                weight * ratio / (1.0 - ratio)
            } else {
                f64::INFINITY
            };
            if rest <= tail / 4.0 * sum {
                break rest;
            }
            right += 1;
            weight *= ratio;
            upper.push(weight);
            sum += weight;
        };
        let (mut left, mut weight) = (mode, 1.0f64);
        let left_rest = loop {
            if left == 0 {
                break 0.0;
            }
            let ratio = left as f64 / rate;
            let rest = if ratio < 1.0 {
                weight * ratio / (1.0 - ratio)
            } else {
                f64::INFINITY
            };
            if rest <= tail / 4.0 * sum {
                break rest;
            }
            left -= 1;
            weight *= ratio;
            lower.push(weight);
            sum += weight;
        };
        let mut weights: Vec<f64> = lower.into_iter().rev().chain(upper).collect();
        for weight in &mut weights {
            *weight /= sum;
        }
        let steps = (right - left) as f64;
        let relative_error = (4.0 * steps + 8.0) * f64::EPSILON;
        Some(Poisson {
            left,
            weights,
            outside: (left_rest + right_rest) / sum * (1.0 + 1e-6) + 1e-300,
            relative_error,
        })
    }

    /// The last number of events kept.
    pub fn right(&self) -> u64 {
        self.left + self.weights.len() as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_distribution() {
        let poisson = Poisson::new(2.0, 1e-12).expect("a small rate");
        assert_eq!(poisson.left, 0);
        let exact = |k: i32| (-2.0f64).exp() * 2.0f64.powi(k) / (1..=k).map(f64::from).product::<f64>();
        for k in 0..10 {
            assert!((poisson.weights[k as usize] - exact(k)).abs() < 1e-13, "{k}");
        }
        assert!(poisson.outside <= 1e-12);
    }

    #[test]
    fn large_rates_neither_overflow_nor_lose_mass() {
        for rate in [1e-9, 0.3, 50.0, 1e4, 1e6] {
            let poisson = Poisson::new(rate, 1e-10).expect("a rate");
            let sum: f64 = poisson.weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9, "{rate}: {sum}");
            let mean: f64 = (poisson.weights.iter().enumerate())
                .map(|(at, weight)| weight * (poisson.left + at as u64) as f64)
                .sum();
            assert!((mean - rate).abs() <= 1e-6 * rate.max(1e-3), "{rate}: {mean}");
        }
    }
}
