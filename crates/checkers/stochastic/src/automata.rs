//! Time bounds of Markov automata, computed a second time in interval arithmetic.
//!
//! The time is cut into equal pieces. In a piece the automaton jumps at one rate (with loops), and the value lies between that of a scheduler that
//! counts jumps, which is a scheduler, and that of one that is told beforehand how many jumps the piece will have, which no scheduler is. With more
//! pieces the two come nearer: their number is doubled until the enclosure lies in the claimed bounds.
//!
//! Rewards for time are paid with the jumps: a state with the reward rate `r` pays `r / rate` with every jump at the common rate. No scheduler can foresee jumps, so that on the average
//! each is paid the same; and the one that is told their number is paid by jumps, too, so that nothing but the order of its jumps counts.
//! The part of a piece beyond the last weight `w_m` pays at most `largest + k · most` after `k` jumps, and `k w_k = x w_(k-1)` for `x` expected jumps.

use crate::continuous::{Around, exponential};
use crate::second::{Intervals, enclose};
use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Optimum, Rational, Row, from_float, to_float};

/// A row with its probabilities enclosed.
type Entries = Vec<(u32, f64, f64)>;

/// Expected jumps in a piece, at most.
const JUMPS: f64 = 24.0;

/// The probability of what is certain.
const CERTAIN: Around = Around { low: 1.0, high: 1.0 };

/// Which end of an enclosure is computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Lower,
    Upper,
}

impl End {
    fn of(self, around: Around) -> f64 {
        match self {
            End::Lower => around.low,
            End::Upper => around.high,
        }
    }

    /// A sum of products that are not negative, moved past its rounding errors.
    fn past(self, sum: f64, terms: usize) -> f64 {
        let error = (terms as f64 + 3.0) * f64::EPSILON;
        match self {
            End::Lower if sum < 1e-290 => 0.0,
            End::Lower => sum * (1.0 - error),
            End::Upper => sum * (1.0 + error) + f64::MIN_POSITIVE,
        }
    }

    fn average(self, row: &Entries, values: &[f64]) -> f64 {
        let term = |&(target, low, high): &(u32, f64, f64)| {
            let probability = if self == End::Lower { low } else { high };
            probability * values[target as usize]
        };
        self.past(row.iter().map(term).sum(), row.len())
    }
}

/// An automaton in which goal states have value 1 and some others are lost.
pub(crate) struct Automaton {
    optimum: Optimum,
    size: usize,
    goal: Vec<usize>,
    /// States with a delay, with their rows at the common rate.
    delayed: Vec<(usize, Entries)>,
    /// States with choices that take no time, each after its successors.
    instant: Vec<(usize, Vec<Entries>)>,
    rate: Rational,
    /// What is paid; nothing where probabilities are computed, which are at most 1.
    pay: Option<Pay>,
}

/// What an automaton pays.
struct Pay {
    /// For each state of [`Automaton::delayed`] what a jump pays.
    jumps: Vec<Around>,
    /// For each state of [`Automaton::instant`] what its choices pay.
    choices: Vec<Vec<Around>>,
    /// A jump, and all choices before the next one, pay at most so much.
    most: f64,
}

/// The numbers of jumps in a piece.
struct Piece {
    weights: Vec<Around>,
    /// The probability of at least so many.
    tails: Vec<Around>,
    beyond: f64,
    /// The expected number of jumps, where there are more than weights.
    jumps_beyond: f64,
}

impl Piece {
    fn new(expected: &Rational) -> Piece {
        let expected = Around::of(expected);
        let mut weights = vec![exponential(expected)];
        loop {
            let k = weights.len() as f64;
            let factor = Around {
                low: (expected.low / k).next_down().max(0.0),
                high: (expected.high / k).next_up(),
            };
            let next = weights[weights.len() - 1].times(factor);
            weights.push(next);
            if k > 2.0 * expected.high + 4.0 && next.high < 1e-24 {
                break;
            }
        }
        // Every further weight is at most half the one before.
        let beyond = (2.0 * weights[weights.len() - 1].high).next_up();
        let mut tails = vec![
            Around {
                low: 0.0,
                high: beyond
            };
            weights.len() + 1
        ];
        for k in (0..weights.len()).rev() {
            tails[k] = tails[k + 1].plus(weights[k]);
        }
        let last = weights[weights.len() - 1].high + beyond;
        Piece {
            weights,
            tails,
            beyond,
            jumps_beyond: (expected.high * last.next_up()).next_up(),
        }
    }
}

impl Automaton {
    /// Nothing if there is a cycle of choices that take no time.
    pub fn new(
        model: &Explicit,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        budget: &Budget,
    ) -> Result<Option<Automaton>, Spent> {
        let moves = |state: usize| stay[state] && !goal[state];
        let exit = |state: usize| model.rows[state][0].rate.clone();
        let size = model.rows.len();
        let largest = (0..size)
            .filter_map(exit)
            .map(|rate| to_float(&rate))
            .fold(1e-9, f64::max);
        let Some(rate) = from_float(2f64.powi(largest.log2().ceil() as i32 + 1)) else {
            return Ok(None);
        };
        let mut delayed = Vec::new();
        for state in (0..size).filter(|&state| moves(state)) {
            budget.check()?;
            if let Some(own) = exit(state) {
                delayed.push((
                    state,
                    at_common_rate(state, &model.rows[state][0], &(own / &rate)),
                ));
            }
        }
        let at_once = |state: usize| moves(state) && exit(state).is_none();
        let entries = |row: &Row| -> Entries {
            let entry = |(target, probability): &(u32, Rational)| {
                let (low, high) = enclose(probability);
                (*target, low, high)
            };
            row.targets.iter().map(entry).collect()
        };
        // States are ready when all their successors are.
        let mut waiting = vec![0usize; size];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); size];
        let mut ready = Vec::new();
        let mut count = 0;
        for state in (0..size).filter(|&state| at_once(state)) {
            budget.check()?;
            count += 1;
            for (target, _) in model.rows[state].iter().flat_map(|row| &row.targets) {
                if at_once(*target as usize) {
                    waiting[state] += 1;
                    before[*target as usize].push(state);
                }
            }
            if waiting[state] == 0 {
                ready.push(state);
            }
        }
        let mut instant = Vec::new();
        while let Some(state) = ready.pop() {
            instant.push((state, model.rows[state].iter().map(entries).collect()));
            for &earlier in &before[state] {
                waiting[earlier] -= 1;
                if waiting[earlier] == 0 {
                    ready.push(earlier);
                }
            }
        }
        Ok((instant.len() == count).then(|| Automaton {
            optimum,
            size,
            goal: (0..size).filter(|&state| goal[state]).collect(),
            delayed,
            instant,
            rate,
            pay: None,
        }))
    }

    /// The same with what choices pay on the average. None is negative.
    pub fn paying(mut self, model: &Explicit, earned: impl Fn(usize, &Row) -> Rational) -> Automaton {
        let jump = |(state, _): &(usize, Entries)| {
            let row = &model.rows[*state][0];
            let rate = row.rate.clone().unwrap_or(Rational::ZERO);
            Around::of(&(earned(*state, row) * rate / &self.rate))
        };
        let choices = |(state, _): &(usize, Vec<Entries>)| -> Vec<Around> {
            let rows = model.rows[*state].iter();
            rows.map(|row| Around::of(&earned(*state, row))).collect()
        };
        let jumps: Vec<Around> = self.delayed.iter().map(jump).collect();
        let choices: Vec<Vec<Around>> = self.instant.iter().map(choices).collect();
        // Successors come first, so that what is behind a state is known.
        let mut behind = vec![0.0f64; self.size];
        let mut most = 0.0f64;
        for ((state, rows), pays) in self.instant.iter().zip(&choices) {
            for (row, pay) in rows.iter().zip(pays) {
                let later = row.iter().map(|&(target, ..)| behind[target as usize]);
                let sum = (later.fold(0.0, f64::max) + pay.high).next_up();
                behind[*state] = behind[*state].max(sum);
            }
            most = most.max(behind[*state]);
        }
        let most = jumps.iter().map(|pay| pay.high).fold(0.0, f64::max) + most;
        self.pay = Some(Pay {
            jumps,
            choices,
            most: most.next_up(),
        });
        self
    }

    /// What no value exceeds.
    fn cap(&self) -> f64 {
        if self.pay.is_some() { f64::INFINITY } else { 1.0 }
    }

    /// `value` and a payment that is made with some probability.
    fn paid(value: f64, pay: Option<&Around>, chance: Around, end: End) -> f64 {
        let Some(pay) = pay else {
            return value;
        };
        let product = pay.times(chance);
        match end {
            End::Lower => (value + product.low).next_down().max(0.0),
            End::Upper => (value + product.high).next_up(),
        }
    }

    /// What the jump from a state with a delay pays.
    fn of_jump(&self, position: usize) -> Option<&Around> {
        self.pay.as_ref().map(|pay| &pay.jumps[position])
    }

    /// The least number of pieces that a time is cut into.
    pub fn pieces(&self, time: &Rational) -> u64 {
        ((to_float(&(&self.rate * time)) / JUMPS).ceil() as u64).max(4)
    }

    /// Evaluates choices where the probability to come that far is `chance`.
    fn decide(&self, values: &mut [f64], chance: Around, end: End) {
        for (position, (state, rows)) in self.instant.iter().enumerate() {
            let worth = rows.iter().enumerate().map(|(choice, row)| {
                let pay = self.pay.as_ref().map(|pay| &pay.choices[position][choice]);
                Automaton::paid(end.average(row, values), pay, chance, end)
            });
            values[*state] = match self.optimum {
                Optimum::Max => worth.fold(0.0, f64::max).min(self.cap()),
                Optimum::Min => worth.fold(self.cap(), f64::min),
            };
        }
    }

    /// A piece earlier, told the number of jumps.
    fn told(&self, after: &[f64], piece: &Piece, end: End) -> Vec<f64> {
        let mut powers = after.to_vec();
        let mut total = vec![0.0; self.delayed.len()];
        for (k, &weight) in piece.weights.iter().enumerate() {
            if k > 0 {
                let next: Vec<f64> = (self.delayed.iter().enumerate())
                    .map(|(position, (_, row))| {
                        let later = end.average(row, &powers).min(self.cap());
                        Automaton::paid(later, self.of_jump(position), CERTAIN, end)
                    })
                    .collect();
                for ((state, _), value) in self.delayed.iter().zip(next) {
                    powers[*state] = value;
                }
                self.decide(&mut powers, CERTAIN, end);
            }
            for (total, (state, _)) in total.iter_mut().zip(&self.delayed) {
                *total += end.of(weight) * powers[*state];
            }
        }
        self.begun(after, &total, piece, end)
    }

    /// A piece earlier, counting jumps.
    fn counted(&self, after: &[f64], piece: &Piece, end: End) -> Vec<f64> {
        let mut won = vec![0.0; self.size];
        for k in (0..piece.weights.len()).rev() {
            let weight = end.of(piece.weights[k]);
            let next: Vec<f64> = (self.delayed.iter().enumerate())
                .map(|(position, (state, row))| {
                    let now = weight * after[*state];
                    let value = end.past(now + end.average(row, &won), 3);
                    Automaton::paid(value, self.of_jump(position), piece.tails[k + 1], end)
                })
                .collect();
            for ((state, _), value) in self.delayed.iter().zip(next) {
                won[*state] = value;
            }
            for &state in &self.goal {
                won[state] = end.of(piece.tails[k]);
            }
            self.decide(&mut won, piece.tails[k], end);
        }
        let total: Vec<f64> = self.delayed.iter().map(|(state, _)| won[*state]).collect();
        self.begun(after, &total, piece, end)
    }

    fn begun(&self, after: &[f64], total: &[f64], piece: &Piece, end: End) -> Vec<f64> {
        let beyond = match &self.pay {
            None => piece.beyond,
            Some(pay) => {
                let largest = after.iter().copied().fold(0.0, f64::max);
                let first = (piece.beyond * largest).next_up();
                (first + (piece.jumps_beyond * pay.most).next_up()).next_up()
            }
        };
        let mut values = after.to_vec();
        for ((state, _), &total) in self.delayed.iter().zip(total) {
            values[*state] = match end {
                End::Lower => end.past(total, piece.weights.len()),
                End::Upper => (end.past(total, piece.weights.len()) + beyond)
                    .next_up()
                    .min(self.cap()),
            };
        }
        self.decide(&mut values, CERTAIN, end);
        values
    }

    /// The values a time earlier, in so many pieces.
    pub fn earlier(
        &self,
        mut values: Intervals,
        time: &Rational,
        pieces: u64,
        budget: &Budget,
    ) -> Result<Intervals, Spent> {
        let piece = Piece::new(&(&self.rate * time / Rational::from(pieces)));
        self.decide(&mut values.lower, CERTAIN, End::Lower);
        self.decide(&mut values.upper, CERTAIN, End::Upper);
        for _ in 0..pieces {
            budget.check_now()?;
            values = match self.optimum {
                Optimum::Max => Intervals {
                    lower: self.counted(&values.lower, &piece, End::Lower),
                    upper: self.told(&values.upper, &piece, End::Upper),
                },
                Optimum::Min => Intervals {
                    lower: self.told(&values.lower, &piece, End::Lower),
                    upper: self.counted(&values.upper, &piece, End::Upper),
                },
            };
        }
        Ok(values)
    }
}

/// The row of a state that is left with this share of the jumps.
fn at_common_rate(state: usize, row: &Row, share: &Rational) -> Entries {
    let mut stay = Rational::ONE - share;
    let mut entries = Vec::new();
    for (target, probability) in &row.targets {
        let value = share * probability;
        match *target as usize == state {
            true => stay += value,
            false => {
                let (low, high) = enclose(&value);
                entries.push((*target, low, high));
            }
        }
    }
    let (low, high) = enclose(&stay);
    entries.push((state as u32, low, high));
    entries
}
