//! Importance splitting: small probabilities, estimated level by level.
//!
//! Runs that come nearer to the goal are continued many times over. Between the start and the goal lie levels of nearness ([`crate::distance`]). From the moments at which runs reached
//! a level, a fixed number of runs goes on, each from one of them at random, until it reaches the next level or is decided; the share that gets there estimates the chance of one level,
//! and the product of the shares the probability (fixed effort; Garvels 2000). On the average the product is right whatever the levels are: they only make it more or less noisy. So levels are chosen by
//! runs of their own (Cérou and Guyader 2007), about a fifth of which gets from one to the next, and then kept.
//!
//! Such estimates are independent of each other. They are repeated until Student's interval of their mean is narrow enough relatively to the mean; that interval takes the mean as
//! normally distributed, which it nearly is for many estimates, so that the confidence is no exact one, other than that of plain sampling.

use crate::check::Trouble;
use crate::sampling::{End, Moment, Runs, Sampled, Sampling};
use entail_markov::{Query, to_float};
use entail_statistics::mean;
use rand::Rng;

/// Runs from each level for one estimate.
const EFFORT: usize = 400;

/// Runs from each level while levels are chosen; if none gets farther, so many times as many, and at most so many.
const PILOTS: usize = 500;
const MORE: usize = 4;
const MOST_PILOTS: usize = 128_000;

/// One in so many runs gets to the next level.
const SHARE: usize = 5;

/// Levels at most.
const MOST_LEVELS: usize = 2_000;

/// Estimates at least, and at most; so many of them must be more than nothing.
const FEWEST: u64 = 30;
const MOST: u64 = 100_000;
const FEWEST_POSITIVE: u64 = 20;

/// Estimates the probability of a formula.
pub(crate) fn estimate(
    runs: &mut Runs<'_>,
    query: &Query,
    negated: bool,
    sampling: &Sampling,
) -> Result<Sampled, Trouble> {
    let levels = levels(runs)?;
    let (mut estimates, mut positive) = (mean::Numbers::default(), 0);
    let (mut made, mut successes) = (0, 0);
    let error = loop {
        let (estimate, own, met) = once(runs, &levels)?;
        estimates.add(estimate);
        made += own;
        successes += met;
        positive += u64::from(estimate > 0.0);
        if estimates.count < FEWEST || positive < FEWEST_POSITIVE {
            if estimates.count >= MOST.min(FEWEST * 100) {
                return Err(Trouble::Undecided(format!(
                    "{positive} of {} estimates are more than 0: give an --importance that grows towards the goal",
                    estimates.count
                )));
            }
            continue;
        }
        let error = mean::error(estimates.count, estimates.deviation(), sampling.confidence);
        if error <= sampling.error * estimates.mean() {
            break error;
        }
        if estimates.count >= MOST {
            return Err(Trouble::Undecided(format!(
                "after {MOST} estimates the error is still {error:e}: give an --importance that grows towards the goal, or a larger --error"
            )));
        }
    };
    let (low, high) = (
        (estimates.mean() - error).max(0.0),
        (estimates.mean() + error).min(1.0),
    );
    let interval = if negated {
        (1.0 - high, 1.0 - low)
    } else {
        (low, high)
    };
    let meets = match query {
        Query::Value => None,
        Query::Compare(threshold) => {
            let bound = to_float(&threshold.bound);
            let holds = |value: f64| threshold.comparison.holds(&value, &bound);
            match (holds(interval.0), holds(interval.1)) {
                (one, other) if one == other => Some(one),
                _ => {
                    return Err(Trouble::Undecided(format!(
                        "the interval [{}, {}] does not tell on which side of {bound} the probability is: give a smaller --error",
                        interval.0, interval.1
                    )));
                }
            }
        }
    };
    Ok(Sampled {
        runs: made,
        successes,
        interval,
        meets,
        steps: 0,
        splitting: Some((levels.len(), estimates.count)),
    })
}

/// One of some moments.
fn pick(runs: &mut Runs<'_>, moments: &[Moment]) -> Moment {
    moments[runs.random.random_range(0..moments.len())].clone()
}

/// Levels between the start and the goal, nearer and nearer.
fn levels(runs: &mut Runs<'_>) -> Result<Vec<f64>, Trouble> {
    let mut levels: Vec<f64> = Vec::new();
    let mut starts = vec![runs.start()];
    let mut count = PILOTS;
    while levels.len() < MOST_LEVELS {
        // How near runs come; those that satisfy the formula come nearest.
        let mut nearest = Vec::with_capacity(count);
        for _ in 0..count {
            let start = pick(runs, &starts);
            let met = matches!(runs.run(&start, None)?, End::Decided(true));
            nearest.push(if met { f64::INFINITY } else { runs.nearest });
        }
        nearest.sort_unstable_by(|a, b| b.total_cmp(a));
        let so_far = match levels.last() {
            Some(&level) => level,
            None => runs.near(&runs.start())?,
        };
        let farther = nearest.iter().take_while(|&&near| near > so_far).count();
        let level = match nearest[count / SHARE] {
            level if level > so_far => level,
            // The next one that any run has reached.
            _ if farther > 0 => nearest[farther - 1],
            _ if count < MOST_PILOTS => {
                count *= MORE;
                continue;
            }
            _ => break,
        };
        if level == f64::INFINITY {
            break;
        }
        let mut entries = Vec::new();
        for _ in 0..count * SHARE * 4 {
            let start = pick(runs, &starts);
            if let End::Near(moment) = runs.run(&start, Some(level))? {
                entries.push(moment);
            }
            if entries.len() >= PILOTS / SHARE {
                break;
            }
        }
        if entries.is_empty() {
            break;
        }
        levels.push(level);
        starts = entries;
        count = PILOTS;
    }
    Ok(levels)
}

/// One estimate, how many runs it took, and how many of these satisfied the formula.
fn once(runs: &mut Runs<'_>, levels: &[f64]) -> Result<(f64, u64, u64), Trouble> {
    let mut starts = vec![runs.start()];
    let mut product = 1.0;
    let mut made = 0;
    for &level in levels {
        let mut entries = Vec::new();
        for _ in 0..EFFORT {
            let start = pick(runs, &starts);
            made += 1;
            // Goals are nearer than all levels, so that a run that is decided below one is lost.
            if let End::Near(moment) = runs.run(&start, Some(level))? {
                entries.push(moment);
            }
        }
        if entries.is_empty() {
            return Ok((0.0, made, 0));
        }
        product *= entries.len() as f64 / EFFORT as f64;
        starts = entries;
    }
    let mut met = 0u64;
    for _ in 0..EFFORT {
        let start = pick(runs, &starts);
        made += 1;
        met += u64::from(matches!(runs.run(&start, None)?, End::Decided(true)));
    }
    Ok((product * met as f64 / EFFORT as f64, made, met))
}
