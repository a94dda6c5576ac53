//! Interval models: probabilities that are only known to lie between two ends.
//!
//! In every step the probabilities may be any distribution between the ends, chosen with the scheduler or against it. For given values of the targets the best
//! distribution is found by *ordering the successors* (Nilim and El Ghaoui 2005; Givan, Leach and Dean 2000): all get their lower ends, and what is left of 1
//! goes to the best ones first, each up to its upper end. So an operator of such a model is one of a turn-based game, and what holds for those holds here:
//! values are least fixed points, iterating from below converges, and what the operator does not raise is an upper bound.
//!
//! Lower ends are positive. So all distributions have the same support, and everything that looks at edges alone (where values are 0, 1 or infinite, end
//! components) is done as if there were no intervals. In particular a scheduler that stays in an end component sees all of it, whatever the probabilities
//! are, so that its states have the same value, and are one block.

use crate::bounded::Pair;
use crate::check::{Trouble, Workshop};
use crate::exact::policy_iteration;
use crate::iteration::Bounds;
use crate::numbers::{Num, Numbers};
use crate::system::System;
use entail_budget::{Budget, Spent};
use entail_markov::{Optimum, Rational};

/// Improving the probabilities of exact solutions gives up after so many rounds.
const ROUNDS: usize = 1_000;

/// Who chooses the probabilities of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// They make the best of what is asked for: the optimum is over them as well.
    With,
    /// They make the worst of it.
    Against,
}

impl Nature {
    /// Whether the greatest sum is chosen when the scheduler looks for an optimum.
    pub fn is_generous(self, optimum: Optimum) -> bool {
        (optimum == Optimum::Max) == (self == Nature::With)
    }
}

/// An outcome of a step: its ends and the value of its target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub low: f64,
    pub high: f64,
    pub value: f64,
}

/// The greatest or least average of the outcomes' values, and how far it may be off by rounding. Reorders the outcomes. Values are not negative.
pub(crate) fn average(outcomes: &mut [Outcome], generous: bool) -> (f64, f64) {
    match generous {
        true => outcomes.sort_unstable_by(|a, b| b.value.total_cmp(&a.value)),
        false => outcomes.sort_unstable_by(|a, b| a.value.total_cmp(&b.value)),
    }
    // An average of equal numbers is that number.
    if let (Some(first), Some(last)) = (outcomes.first(), outcomes.last())
        && first.value == last.value
    {
        return (first.value, 0.0);
    }
    let mut left = outcomes.iter().fold(1.0, |left, outcome| left - outcome.low);
    let (mut sum, mut largest) = (0.0, 0.0f64);
    for outcome in outcomes.iter() {
        let more = (outcome.high - outcome.low).clamp(0.0, left.max(0.0));
        left -= more;
        sum += (outcome.low + more) * outcome.value;
        largest = largest.max(outcome.value);
    }
    // Each share is off by at most the rounding of what is left, which is a difference of numbers below 1.
    let terms = outcomes.len() as f64;
    (sum, 4.0 * (terms + 4.0) * f64::EPSILON * largest)
}

/// The distribution that gives the greatest or least average, exactly.
fn distribution(ends: &[(Rational, Rational)], values: &[&Rational], generous: bool) -> Vec<Rational> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| match generous {
        true => values[b].cmp(values[a]),
        false => values[a].cmp(values[b]),
    });
    let mut left = ends.iter().fold(Rational::ONE, |left, (low, _)| left - low);
    let mut chosen: Vec<Rational> = ends.iter().map(|(low, _)| low.clone()).collect();
    for at in order {
        let more = (&ends[at].1 - &ends[at].0).min(left.clone());
        chosen[at] += &more;
        left -= more;
    }
    chosen
}

impl System {
    /// The equations with the probabilities that are best for some values.
    fn settled(&self, numbers: &mut Numbers, values: &[Rational]) -> System {
        let (zero, one) = (Rational::ZERO, Rational::ONE);
        let blocks = self.len();
        let value = |target: u32| match target as usize {
            block if block < blocks => &values[block],
            block if block == blocks => &zero,
            _ => &one,
        };
        let mut settled = System {
            optimum: self.optimum,
            probability: self.probability,
            blocks: self.blocks.clone(),
            rows: vec![0],
            targets: Vec::new(),
            values: Vec::new(),
            constants: Vec::new(),
            uppers: Vec::new(),
            generous: self.generous,
        };
        for choice in 0..self.constants.len() {
            let row = self.row(choice);
            let ends: Vec<(Rational, Rational)> = row
                .clone()
                .map(|at| {
                    (
                        numbers.exact(self.values[at]).clone(),
                        numbers.exact(self.uppers[at]).clone(),
                    )
                })
                .collect();
            let of_targets: Vec<&Rational> = row.clone().map(|at| value(self.targets[at])).collect();
            let mut constant = numbers.exact(self.constants[choice]).clone();
            for (at, share) in row.zip(distribution(&ends, &of_targets, self.generous)) {
                let target = self.targets[at];
                if (target as usize) < blocks {
                    settled.targets.push(target);
                    settled.values.push(numbers.intern(share));
                } else if target as usize > blocks {
                    constant += share;
                }
            }
            settled.constants.push(numbers.intern(constant));
            settled.rows.push(settled.targets.len() as u32);
        }
        settled
    }

    /// The exact solution: probabilities and scheduler are improved in turns (Hoffman and Karp 1966), the scheduler to its best answer each time,
    /// until the probabilities are the best for the values that they give. Nothing if that is not found.
    pub fn settled_exactly(
        &self,
        numbers: &mut Numbers,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Option<Vec<Rational>>, Spent> {
        let start: Option<Vec<Rational>> = (bounds.lower[..self.len()].iter())
            .map(|&low| entail_markov::from_float(low))
            .collect();
        let Some(start) = start else {
            return Ok(None);
        };
        let mut system = self.settled(numbers, &start);
        for _ in 0..ROUNDS {
            budget.check_now()?;
            let Some(values) = policy_iteration(&system, numbers, bounds, budget)? else {
                return Ok(None);
            };
            let next = self.settled(numbers, &values);
            // Other probabilities that give the same values are no improvement.
            let solves = |block: usize| {
                let of_choices = next.choices_of(block).map(|choice| {
                    let mut sum = numbers.exact(next.constants[choice]).clone();
                    for at in next.row(choice) {
                        sum += numbers.exact(next.values[at]) * &values[next.targets[at] as usize];
                    }
                    sum
                });
                let best = match self.optimum {
                    Optimum::Max => of_choices.max(),
                    Optimum::Min => of_choices.min(),
                };
                best.as_ref() == Some(&values[block])
            };
            if (0..self.len()).all(solves) {
                return Ok(Some(values));
            }
            system = next;
        }
        Ok(None)
    }
}

impl Workshop<'_> {
    /// The average of exact values of the targets of a choice, with the probabilities that count.
    pub(crate) fn exact_average(
        &self,
        choice: usize,
        value: &dyn Fn(usize) -> Rational,
        optimum: Optimum,
    ) -> Rational {
        let row = self.model.row(choice);
        let exact = |number: Num| self.model.numbers.exact(number).clone();
        let values: Vec<Rational> = row
            .clone()
            .map(|at| value(self.model.targets[at] as usize))
            .collect();
        let shares: Vec<Rational> = match self.model.has_intervals() {
            false => row.map(|at| exact(self.model.values[at])).collect(),
            true => {
                let ends: Vec<(Rational, Rational)> = row
                    .map(|at| (exact(self.model.values[at]), exact(self.model.uppers[at])))
                    .collect();
                let values: Vec<&Rational> = values.iter().collect();
                distribution(&ends, &values, self.nature.is_generous(optimum))
            }
        };
        shares
            .iter()
            .zip(&values)
            .fold(Rational::ZERO, |sum, (share, value)| sum + share * value)
    }

    /// Bounds of the average of the values of a choice's targets, with the probabilities that count.
    pub(crate) fn uncertain_averages(&self, choice: usize, values: &Pair, optimum: Optimum) -> (f64, f64) {
        let floats = self.model.numbers.floats();
        let bound = |of: &[f64]| {
            let outcome = |at: usize| Outcome {
                low: floats[self.model.values[at].0 as usize],
                high: floats[self.model.uppers[at].0 as usize],
                value: of[self.model.targets[at] as usize],
            };
            let mut outcomes: Vec<Outcome> = self.model.row(choice).map(outcome).collect();
            average(&mut outcomes, self.nature.is_generous(optimum))
        };
        let ((low, below), (high, above)) = (bound(&values.lower), bound(&values.upper));
        ((low - below).max(0.0), high + above)
    }

    /// Refuses what is not done for interval models.
    pub(crate) fn without_intervals(&self, what: &str) -> Result<(), Trouble> {
        match self.model.has_intervals() {
            false => Ok(()),
            true => Err(Trouble::Unsupported(format!(
                "{what} of interval models are not supported"
            ))),
        }
    }
}
