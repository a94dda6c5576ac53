//! What can be said again about random runs: that the interval follows from the counts. That the runs were random ones of the model cannot be established from evidence; whoever judges says so.
//!
//! An end of the interval is a probability under which at least (at most) so many successes happen with at most half of the probability to err. That is added up here term by term, from the definition of
//! the binomial distribution.

use entail_answer::Quantity;
use entail_clocks::evidence::{Samples, Share};

/// Counts beyond which terms are not added up again.
const MOST_TERMS: u64 = 20_000_000;

/// The probability of at least so many successes if each run succeeds with probability `p`.
fn tail(share: Share, p: f64) -> f64 {
    if share.successes == 0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 {
        return 0.0;
    }
    let (success, failure) = (p.ln(), (-p).ln_1p());
    // The logarithm of the term of no success, and then of the next ones.
    let mut term = share.runs as f64 * failure;
    let mut sum = 0.0;
    for successes in 0..=share.runs {
        if successes >= share.successes {
            let more = term.exp();
            sum += more;
            let is_falling = (successes as f64) > p * share.runs as f64;
            if is_falling && more < sum * 1e-17 {
                break;
            }
        }
        let (left, next) = ((share.runs - successes) as f64, (successes + 1) as f64);
        term += (left / next).ln() + success - failure;
    }
    sum
}

/// Whether an interval follows from the counts.
pub fn follows(samples: &Samples, confidence: f64, value: Option<&Quantity>) -> Result<(), String> {
    let Some(Quantity::Between(low, high)) = value else {
        return match value {
            None => Ok(()),
            Some(_) => Err("random runs give no exact number".to_owned()),
        };
    };
    let (low, high) = (low.to_f64().value(), high.to_f64().value());
    if let Some(mean) = &samples.mean {
        let middle = (low + high) / 2.0;
        return match (middle - mean.mean).abs() <= 1e-9 * (1.0 + mean.mean.abs()) {
            true => Ok(()),
            false => Err("the interval does not lie around the mean".to_owned()),
        };
    }
    let [share] = samples.shares.as_slice() else {
        return Err("the interval is about no share of runs".to_owned());
    };
    if share.successes > share.runs || !(0.0..=1.0).contains(&low) || !(low..=1.0).contains(&high) {
        return Err("the counts make no sense".to_owned());
    }
    if share.runs > MOST_TERMS {
        return Ok(());
    }
    let most = (1.0 - confidence) / 2.0 * (1.0 + 1e-6);
    let failures = Share {
        runs: share.runs,
        successes: share.runs - share.successes,
    };
    let is_right = |share: Share, end: f64| match share.successes {
        0 => end == 0.0,
        _ => tail(share, end) <= most,
    };
    match is_right(*share, low) && is_right(failures, 1.0 - high) {
        true => Ok(()),
        false => Err(format!(
            "{} of {} runs do not give the interval [{low}, {high}]",
            share.successes, share.runs
        )),
    }
}
