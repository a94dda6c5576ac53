//! Time bounds in Markov automata: sound bounds by uniformisation in pieces, after Unif+ (Butkova, Hatefi, Hermanns, Krčál 2015).
//!
//! The time is cut into equal pieces; in each, the automaton jumps as a Poisson process of one rate (with loops). One bound lets the scheduler
//! know how many jumps the piece will have, which is more than any scheduler knows; the other lets it count the jumps of the piece so far, which a
//! scheduler can do. The value lies between them. Where the scheduler has nothing to decide they are equal; otherwise the distance shrinks with the
//! length of a piece, linearly as far as measured. So the number of pieces is doubled until the bounds are near enough.
//!
//! Choices take no time. They are evaluated in an order in which every state comes after its successors, so there must be no cycle of them.

use crate::bounded::Pair;
use crate::check::{Trouble, Workshop};
use crate::components::strongly_connected;
use crate::graph::reach_some;
use crate::iteration::Precision;
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bounds, Bracket, Optimum, Rational, to_float};
use entail_numeric::poisson::Poisson;
use entail_numeric::rounding::{down, up};
use fixedbitset::FixedBitSet;
use std::time::Instant;

/// Expected jumps in a piece, at most, to begin with.
const JUMPS: f64 = 16.0;

/// More pieces are not tried.
const MOST_PIECES: u64 = 1 << 22;

/// Room for what a second computation cannot tell from zero.
const ROOM: f64 = 1e-16;

/// Values below this count as known, however far the bounds are apart relatively.
const NOTHING: f64 = 1e-13;

/// The direction in which everything is rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

/// What is left of an automaton when goal states have value 1 and lost states value 0.
struct Moving<'m> {
    model: &'m Sparse,
    optimum: Optimum,
    goal: &'m FixedBitSet,
    /// States that are left after a random time.
    delayed: Vec<u32>,
    /// States that are left at once, each after its successors.
    instant: Vec<u32>,
    /// At least every exit rate.
    rate: f64,
}

/// The jumps of one piece.
struct Jumps {
    /// The probability of `k` jumps, from below and from above.
    weights: Vec<(f64, f64)>,
    /// The probability of at least `k` jumps, from below and from above.
    tails: Vec<(f64, f64)>,
    /// What is beyond the last weight, from above.
    beyond: f64,
}

impl Jumps {
    fn new(expected: f64) -> Option<Jumps> {
        let poisson = Poisson::new(expected, 1e-20)?;
        // The expected number is rounded, which moves all weights by so much in total.
        let rounded = 4.0 * f64::EPSILON * (expected + poisson.right() as f64 + 1.0);
        let slack = poisson.relative_error + rounded;
        let weight = |k: u64| {
            let Some(at) = k.checked_sub(poisson.left) else {
                return (0.0, poisson.outside);
            };
            let weight = poisson.weights[at as usize];
            let low = weight * (1.0 - slack) * (1.0 - poisson.outside);
            (low, weight * (1.0 + slack) + f64::MIN_POSITIVE)
        };
        let weights: Vec<(f64, f64)> = (0..=poisson.right()).map(weight).collect();
        let mut tails = vec![(0.0, poisson.outside); weights.len() + 1];
        for k in (0..weights.len()).rev() {
            tails[k] = (
                down(tails[k + 1].0 + weights[k].0, 2),
                up(tails[k + 1].1 + weights[k].1, 2).min(1.0),
            );
        }
        Some(Jumps {
            weights,
            tails,
            beyond: poisson.outside,
        })
    }
}

impl<'m> Moving<'m> {
    fn new(
        model: &'m Sparse,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &'m FixedBitSet,
        hopeful: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Moving<'m>, Trouble> {
        // Where the goal cannot be reached at all, nothing needs to be computed.
        let moves = |state: usize| stay.contains(state) && !goal.contains(state) && hopeful.contains(state);
        let waits = |state: usize| model.rate(model.choices_of(state).start).is_some();
        let (delayed, instant): (Vec<u32>, Vec<u32>) = (0..model.states() as u32)
            .filter(|&state| moves(state as usize))
            .partition(|&state| waits(state as usize));
        let mut at_once = FixedBitSet::with_capacity(model.states());
        at_once.extend(instant.iter().map(|&state| state as usize));
        let successors = |state: u32| {
            let choices = model.choices_of(state as usize);
            let targets = model.rows[choices.start] as usize..model.rows[choices.end] as usize;
            let inside = |&target: &u32| at_once.contains(target as usize);
            model.targets[targets].iter().copied().filter(inside)
        };
        let order = strongly_connected(instant.iter().copied(), model.states(), successors, budget)?;
        let cyclic = |component: &Vec<u32>| match component[..] {
            [state] => successors(state).any(|target| target == state),
            _ => true,
        };
        if order.iter().any(cyclic) {
            return Err(Trouble::Unsupported(
                "time bounds in a Markov automaton with cycles that take no time are not supported"
                    .to_owned(),
            ));
        }
        let exit = |&state: &u32| {
            let rate = model.rate(model.choices_of(state as usize).start);
            rate.map_or(0.0, |rate| model.numbers.float(rate))
        };
        let rate = delayed.iter().map(exit).fold(0.0, f64::max);
        Ok(Moving {
            model,
            optimum,
            goal,
            delayed,
            instant: order.into_iter().flatten().collect(),
            rate: (rate * 1.001).max(1e-300),
        })
    }

    /// `Σ p · value` over a choice.
    #[inline]
    fn sum(&self, choice: usize, values: &[f64], direction: Direction) -> f64 {
        let row = self.model.row(choice);
        let terms = row.len();
        let floats = self.model.numbers.floats();
        let sum = row.fold(0.0, |sum, at| {
            sum + floats[self.model.values[at].0 as usize] * values[self.model.targets[at] as usize]
        });
        match direction {
            Direction::Down => down(sum, terms),
            Direction::Up => up(sum, terms),
        }
    }

    /// Evaluates the choices that take no time.
    fn decide(&self, values: &mut [f64], direction: Direction) {
        for &state in &self.instant {
            let choices = self.model.choices_of(state as usize);
            let sums = choices.map(|choice| self.sum(choice, values, direction));
            values[state as usize] = match self.optimum {
                Optimum::Max => sums.fold(0.0, f64::max),
                Optimum::Min => sums.fold(f64::INFINITY, f64::min),
            };
        }
    }

    /// The value of a state one jump before `values`.
    #[inline]
    fn before(&self, state: u32, values: &[f64], direction: Direction) -> f64 {
        let choice = self.model.choices_of(state as usize).start;
        let rate = self.model.rate(choice);
        let share = rate.map_or(0.0, |rate| self.model.numbers.float(rate)) / self.rate;
        let (next, own) = (self.sum(choice, values, direction), values[state as usize]);
        // The share that leaves is rounded: both ends are tried.
        let mix = |share: f64| share * next + (1.0 - share) * own;
        let (few, many) = (mix(share * (1.0 - 1e-15)), mix((share * (1.0 + 1e-15)).min(1.0)));
        match direction {
            Direction::Down => down(few.min(many), 4),
            Direction::Up => up(few.max(many), 4).min(1.0),
        }
    }

    /// The values a piece earlier for a scheduler that knows how many jumps there will be.
    fn knowing(&self, end: &[f64], jumps: &Jumps, direction: Direction) -> Vec<f64> {
        let mut power = end.to_vec();
        let mut next = end.to_vec();
        let mut sum = vec![0.0; self.delayed.len()];
        for (k, &(low, high)) in jumps.weights.iter().enumerate() {
            if k > 0 {
                for &state in &self.delayed {
                    next[state as usize] = self.before(state, &power, direction);
                }
                self.decide(&mut next, direction);
                std::mem::swap(&mut power, &mut next);
            }
            let weight = if direction == Direction::Down { low } else { high };
            for (sum, &state) in sum.iter_mut().zip(&self.delayed) {
                *sum += weight * power[state as usize];
            }
        }
        self.settled(end, &sum, jumps, direction)
    }

    /// The values at the beginning of a piece from those of the states with delays.
    fn settled(&self, end: &[f64], sum: &[f64], jumps: &Jumps, direction: Direction) -> Vec<f64> {
        let mut values = end.to_vec();
        for (&sum, &state) in sum.iter().zip(&self.delayed) {
            values[state as usize] = match direction {
                Direction::Down => down(sum, jumps.weights.len()),
                Direction::Up => (up(sum, jumps.weights.len()) + jumps.beyond).min(1.0),
            };
        }
        self.decide(&mut values, direction);
        values
    }

    /// The values a piece earlier for a scheduler that counts the jumps of the piece.
    fn counting(&self, end: &[f64], jumps: &Jumps, direction: Direction) -> Vec<f64> {
        let side = |(low, high): (f64, f64)| if direction == Direction::Down { low } else { high };
        // What is won after k jumps or later, times the probability of so many jumps: states that do not move any more win what they are worth.
        let mut won = vec![0.0; end.len()];
        let mut next = won.clone();
        let last = jumps.weights.len();
        for k in (0..last).rev() {
            let weight = side(jumps.weights[k]);
            for &state in &self.delayed {
                let later = if k + 1 == last {
                    0.0
                } else {
                    self.before(state, &won, direction)
                };
                let value = weight * end[state as usize] + later;
                next[state as usize] = match direction {
                    Direction::Down => down(value, 2),
                    Direction::Up => up(value, 2),
                };
            }
            for state in self.goal.ones() {
                next[state] = side(jumps.tails[k]);
            }
            self.decide(&mut next, direction);
            std::mem::swap(&mut won, &mut next);
        }
        let sum: Vec<f64> = self.delayed.iter().map(|&state| won[state as usize]).collect();
        self.settled(end, &sum, jumps, direction)
    }

    /// The values a time earlier, in so many pieces.
    fn earlier(&self, end: &Pair, time: f64, pieces: u64, budget: &Budget) -> Result<Pair, Trouble> {
        let too_much =
            || Trouble::Unsupported("rates times time are too large for uniformisation".to_owned());
        let jumps = Jumps::new(self.rate * time / pieces as f64).ok_or_else(too_much)?;
        let mut values = end.clone();
        self.decide(&mut values.lower, Direction::Down);
        self.decide(&mut values.upper, Direction::Up);
        for _ in 0..pieces {
            budget.check_now()?;
            // Knowing more helps: upwards for the greatest value, downwards for the least.
            values = match self.optimum {
                Optimum::Max => Pair {
                    lower: self.counting(&values.lower, &jumps, Direction::Down),
                    upper: self.knowing(&values.upper, &jumps, Direction::Up),
                },
                Optimum::Min => Pair {
                    lower: self.knowing(&values.lower, &jumps, Direction::Down),
                    upper: self.counting(&values.upper, &jumps, Direction::Up),
                },
            };
        }
        Ok(values)
    }
}

impl Workshop<'_> {
    /// The probability of `stay U goal` within bounds on time in a Markov automaton.
    pub(crate) fn until_in_random_time(
        &mut self,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let first = bounds
            .lower
            .as_ref()
            .map_or(Rational::ZERO, |limit| limit.value.clone());
        let afterwards = match &bounds.upper {
            Some(limit) => Ok(to_float(&(&limit.value - &first))),
            None => Err(Pair::from_bracket(
                &self.until_bracket(optimum, stay, goal, budget)?,
            )),
        };
        let nowhere = FixedBitSet::with_capacity(self.size());
        if afterwards.as_ref().is_ok_and(|&time| time < 0.0) {
            return Ok(crate::brackets::indicator(&nowhere));
        }
        let hopeful = reach_some(&self.before, stay, goal);
        let second = Moving::new(&self.model, optimum, stay, goal, &hopeful, budget)?;
        let first_phase = match first > Rational::ZERO {
            true => Some(Moving::new(
                &self.model,
                optimum,
                stay,
                &nowhere,
                &hopeful,
                budget,
            )?),
            false => None,
        };
        let first = to_float(&first);
        let length = first + afterwards.as_ref().copied().unwrap_or(0.0);
        let mut pieces = ((second.rate * length / JUMPS).ceil() as u64).max(4);
        let precision = self.settings.precision;
        let mut before = f64::INFINITY;
        loop {
            let begun = Instant::now();
            let share =
                |time: f64| ((pieces as f64 * time / length.max(f64::MIN_POSITIVE)).ceil() as u64).max(1);
            let mut values = match &afterwards {
                Ok(time) => second.earlier(&Pair::indicator(goal), *time, share(*time), budget)?,
                Err(values) => values.clone(),
            };
            if let Some(phase) = &first_phase {
                for state in (0..self.size()).filter(|&state| !stay.contains(state)) {
                    (values.lower[state], values.upper[state]) = (0.0, 0.0);
                }
                values = phase.earlier(&values, first, share(first), budget)?;
            }
            self.sweeps += pieces;
            let gap = (self.model.initial.iter())
                .map(|&state| distance(&values, state as usize, precision))
                .fold(0.0, f64::max);
            // Rounding widens the bounds with every piece: at some point more of them do not help.
            let hopeless = pieces >= MOST_PIECES || pieces > 64 && gap > 0.98 * before;
            let late = budget.time_left().is_some_and(|left| left < begun.elapsed() * 4) && gap < 1e-2;
            if gap > precision.epsilon && (hopeless || late) {
                self.shortfall = Some(format!(
                    "the bounds are {gap:.0e} apart: nearer ones need more time"
                ));
            }
            if gap <= precision.epsilon || hopeless || late {
                for upper in values.upper.iter_mut().filter(|upper| **upper > 0.0) {
                    *upper += ROOM;
                }
                return Ok(values.with_room(1e-9 + 1e-13 * pieces as f64, true));
            }
            before = gap;
            pieces *= 2;
        }
    }
}

/// How far the bounds of a state are apart, as the precision measures it.
fn distance(values: &Pair, state: usize, precision: Precision) -> f64 {
    let (low, high) = (values.lower[state], values.upper[state]);
    match precision.relative {
        _ if high == low || high < NOTHING => 0.0,
        true if low > 0.0 => (high - low) / low,
        true => f64::INFINITY,
        false => high - low,
    }
}
