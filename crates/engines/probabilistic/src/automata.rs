//! Time bounds in Markov automata: sound bounds by uniformisation in pieces, after Unif+ (Butkova, Hatefi, Hermanns, Krčál 2015).
//!
//! The time is cut into equal pieces; in each, the automaton jumps as a Poisson process of one rate (with loops). One bound lets the scheduler
//! know how many jumps the piece will have, which is more than any scheduler knows; the other lets it count the jumps of the piece so far, which a
//! scheduler can do. The value lies between them. Where the scheduler has nothing to decide they are equal; otherwise the distance shrinks with the
//! length of a piece, linearly as far as measured. So the number of pieces is doubled until the bounds are near enough.
//!
//! Choices take no time. They are evaluated in an order in which every state comes after its successors, so there must be no cycle of them.
//!
//! **Rewards.** What a state earns while time passes is paid with the jumps: with each jump at the common rate `q` a state pays what it earns in a time of `1/q`. On the average this is
//! the same for every scheduler, for none can foresee a jump; and one that knows the number of jumps, but for that is paid by jumps, is at least as good as the others. So the two bounds are those of
//! probabilities, with something earned on the way (in probabilities nothing is). Beyond the last weight `m` of a piece at most `k` times the most that a jump earns is earned by `k` jumps, and
//! `Σ_(k>m) k P(k) = x P(m or more)` for `x` expected jumps.

use crate::bounded::Pair;
use crate::brackets::around;
use crate::check::{Trouble, Workshop};
use crate::components::strongly_connected;
use crate::graph::reach_some;
use crate::iteration::Precision;
use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bounds, Bracket, Optimum, Rational, from_float, to_float};
use entail_numeric::poisson::Poisson;
use entail_numeric::rounding::{down, up};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Expected jumps in a piece, at most, to begin with.
const JUMPS: f64 = 16.0;

/// More pieces are not tried.
const MOST_PIECES: u64 = 1 << 22;

/// Room for what a second computation cannot tell from zero.
const ROOM: f64 = 1e-16;

/// Bounds are narrowed to this share of what was asked for.
const NARROWER: f64 = 0.5;

/// Values below this count as known, however far the bounds are apart relatively.
const NOTHING: f64 = 1e-13;

/// The probability of what happens for certain.
const CERTAIN: (f64, f64) = (1.0, 1.0);

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
    earned: Earned,
}

/// What is earned on the way; nothing when probabilities are asked for.
#[derive(Default)]
struct Earned {
    /// By choice, from below and from above: of states that wait what a jump at the common rate pays, of others what the choice pays. Empty for probabilities.
    by_choice: Vec<(f64, f64)>,
    /// At most so much is paid by a jump and all choices behind it.
    most: f64,
}

impl Earned {
    #[inline]
    fn of(&self, choice: usize, direction: Direction) -> f64 {
        match (self.by_choice.get(choice), direction) {
            (None, _) => 0.0,
            (Some(pair), Direction::Down) => pair.0,
            (Some(pair), Direction::Up) => pair.1,
        }
    }

    fn is_nothing(&self) -> bool {
        self.by_choice.is_empty()
    }
}

/// The jumps of one piece.
struct Jumps {
    /// The probability of `k` jumps, from below and from above.
    weights: Vec<(f64, f64)>,
    /// The probability of at least `k` jumps, from below and from above.
    tails: Vec<(f64, f64)>,
    /// What is beyond the last weight, from above.
    beyond: f64,
    /// The expected number of jumps beyond the last weight, from above.
    jumps_beyond: f64,
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
        let last = weights.last().map_or(0.0, |weight| weight.1);
        Some(Jumps {
            weights,
            tails,
            beyond: poisson.outside,
            jumps_beyond: up(expected * (1.0 + rounded) * (last + poisson.outside), 4),
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
            earned: Earned::default(),
        })
    }

    /// The same with what choices earn, on the average.
    fn earning(mut self, rewards: &[Num]) -> Moving<'m> {
        let (model, common) = (self.model, from_float(self.rate));
        let paid = |choice: usize| {
            let reward = model.numbers.exact(rewards[choice]);
            let rate = model.rate(choice).map(|rate| model.numbers.exact(rate));
            match (rate, &common) {
                (Some(rate), Some(common)) => around(&(reward * rate / common)),
                _ => around(reward),
            }
        };
        let choices = model.rows.len() - 1;
        self.earned.by_choice = (0..choices).map(paid).collect();
        let most = |state: &u32| {
            let choices = model.choices_of(*state as usize);
            choices.fold(0.0, |most: f64, choice| most.max(self.earned.by_choice[choice].1))
        };
        // Each state that is left at once comes after its successors.
        let mut at_once: FxHashMap<u32, f64> = FxHashMap::default();
        let mut longest = 0.0f64;
        for state in &self.instant {
            let choices = model.choices_of(*state as usize);
            let targets = model.rows[choices.start] as usize..model.rows[choices.end] as usize;
            let later = model.targets[targets]
                .iter()
                .filter_map(|target| at_once.get(target));
            let sum = up(
                later.fold(0.0, |most: f64, &later| most.max(later)) + most(state),
                2,
            );
            at_once.insert(*state, sum);
            longest = longest.max(sum);
        }
        let by_jump = self.delayed.iter().map(most).fold(0.0, f64::max);
        self.earned.most = up(by_jump + longest, 2);
        self
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

    /// Evaluates the choices that take no time, where the probability of coming that far is `chance`, from below and from above.
    fn decide(&self, values: &mut [f64], chance: (f64, f64), direction: Direction) {
        for &state in &self.instant {
            let choices = self.model.choices_of(state as usize);
            let sums = choices.map(|choice| {
                let sum = self.sum(choice, values, direction);
                self.with_earned(sum, choice, chance, direction)
            });
            values[state as usize] = match self.optimum {
                Optimum::Max => sums.fold(0.0, f64::max),
                Optimum::Min => sums.fold(f64::INFINITY, f64::min),
            };
        }
    }

    /// A value and what the choice earns with some probability.
    #[inline]
    fn with_earned(&self, value: f64, choice: usize, chance: (f64, f64), direction: Direction) -> f64 {
        if self.earned.is_nothing() {
            return value;
        }
        let earned = self.earned.of(choice, direction);
        match direction {
            Direction::Down => down(value + earned * chance.0, 3),
            Direction::Up => up(value + earned * chance.1, 3),
        }
    }

    /// What no value exceeds.
    fn most(&self) -> f64 {
        match self.earned.is_nothing() {
            true => 1.0,
            false => f64::INFINITY,
        }
    }

    /// The value of a state one jump before `values`, where the probability of this jump is `chance`.
    #[inline]
    fn before(&self, state: u32, values: &[f64], chance: (f64, f64), direction: Direction) -> f64 {
        let choice = self.model.choices_of(state as usize).start;
        let rate = self.model.rate(choice);
        let share = rate.map_or(0.0, |rate| self.model.numbers.float(rate)) / self.rate;
        let (next, own) = (self.sum(choice, values, direction), values[state as usize]);
        // The share that leaves is rounded: both ends are tried.
        let mix = |share: f64| share * next + (1.0 - share) * own;
        let (few, many) = (mix(share * (1.0 - 1e-15)), mix((share * (1.0 + 1e-15)).min(1.0)));
        let value = match direction {
            Direction::Down => down(few.min(many), 4),
            Direction::Up => up(few.max(many), 4).min(self.most()),
        };
        self.with_earned(value, choice, chance, direction)
    }

    /// The values a piece earlier for a scheduler that knows how many jumps there will be.
    fn knowing(&self, end: &[f64], jumps: &Jumps, direction: Direction) -> Vec<f64> {
        let mut power = end.to_vec();
        let mut next = end.to_vec();
        let mut sum = vec![0.0; self.delayed.len()];
        for (k, &(low, high)) in jumps.weights.iter().enumerate() {
            if k > 0 {
                for &state in &self.delayed {
                    next[state as usize] = self.before(state, &power, CERTAIN, direction);
                }
                self.decide(&mut next, CERTAIN, direction);
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
        let largest = match self.earned.is_nothing() {
            true => 1.0,
            false => end.iter().copied().fold(0.0, f64::max),
        };
        let beyond = up(jumps.beyond * largest + jumps.jumps_beyond * self.earned.most, 3);
        let mut values = end.to_vec();
        for (&sum, &state) in sum.iter().zip(&self.delayed) {
            values[state as usize] = match direction {
                Direction::Down => down(sum, jumps.weights.len()),
                Direction::Up => up(up(sum, jumps.weights.len()) + beyond, 1).min(self.most()),
            };
        }
        self.decide(&mut values, CERTAIN, direction);
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
                    self.before(state, &won, jumps.tails[k + 1], direction)
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
            self.decide(&mut next, jumps.tails[k], direction);
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
        self.decide(&mut values.lower, CERTAIN, Direction::Down);
        self.decide(&mut values.upper, CERTAIN, Direction::Up);
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
        let within = |pieces: u64| {
            let share =
                |time: f64| ((pieces as f64 * time / length.max(f64::MIN_POSITIVE)).ceil() as u64).max(1);
            let mut values = match &afterwards {
                Ok(time) => second.earlier(&Pair::indicator(goal), *time, share(*time), budget)?,
                Err(values) => values.clone(),
            };
            if let Some(phase) = &first_phase {
                for state in (0..stay.len()).filter(|&state| !stay.contains(state)) {
                    (values.lower[state], values.upper[state]) = (0.0, 0.0);
                }
                values = phase.earlier(&values, first, share(first), budget)?;
            }
            Ok(values)
        };
        let refined = refined(
            &self.model.initial,
            second.rate * length,
            self.settings.precision,
            within,
            budget,
        )?;
        Ok(self.noted(refined, true))
    }

    /// What a Markov automaton earns until a time, from what choices earn (nothing: none) and what states are worth in the end.
    pub(crate) fn reward_in_random_time(
        &mut self,
        optimum: Optimum,
        earned: Option<&[Num]>,
        worth: Pair,
        time: &Rational,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let everywhere = self.everywhere();
        let nowhere = FixedBitSet::with_capacity(self.size());
        let nothing = vec![Numbers::ZERO; self.model.rows.len() - 1];
        let automaton = Moving::new(&self.model, optimum, &everywhere, &nowhere, &everywhere, budget)?;
        let automaton = automaton.earning(earned.unwrap_or(&nothing));
        let (time, precision) = (to_float(time), self.settings.precision);
        let within = |pieces: u64| automaton.earlier(&worth, time, pieces, budget);
        let expected = automaton.rate * time;
        let refined = refined(&self.model.initial, expected, precision, within, budget)?;
        Ok(self.noted(refined, false))
    }

    /// Notes what a refinement has cost, and if it came not near enough.
    fn noted(&mut self, refined: Refined, probability: bool) -> Bracket {
        self.sweeps += refined.sweeps;
        if refined.gap > self.settings.precision.epsilon {
            self.shortfall = Some(format!(
                "the bounds are {:.0e} apart: nearer ones need more time",
                refined.gap
            ));
        }
        let mut values = refined.values;
        for upper in values.upper.iter_mut().filter(|upper| **upper > 0.0) {
            *upper += ROOM;
        }
        // A second computation, which cuts time in other ways, must find room in the bounds.
        let precision = self.settings.precision;
        let room = match precision.relative {
            true => ((precision.epsilon - refined.gap) * NARROWER).max(1e-9),
            false => 1e-9,
        };
        values.with_room(room + 1e-13 * refined.pieces as f64, probability)
    }
}

/// Bounds that are near enough, or as near as they came.
struct Refined {
    values: Pair,
    pieces: u64,
    sweeps: u64,
    /// How far they are apart, as the precision measures it.
    gap: f64,
}

/// Computes bounds with more and more pieces of a time in which so many jumps are expected, until they are near enough.
fn refined(
    initial: &[u32],
    jumps: f64,
    precision: Precision,
    within: impl Fn(u64) -> Result<Pair, Trouble>,
    budget: &Budget,
) -> Result<Refined, Trouble> {
    let mut pieces = ((jumps / JUMPS).ceil() as u64).max(4);
    let (mut before, mut sweeps) = (f64::INFINITY, 0);
    loop {
        let begun = Instant::now();
        let values = within(pieces)?;
        sweeps += pieces;
        let gap = (initial.iter())
            .map(|&state| distance(&values, state as usize, precision))
            .fold(0.0, f64::max);
        // Rounding widens the bounds with every piece: at some point more of them do not help.
        let hopeless = pieces >= MOST_PIECES || pieces > 64 && gap > 0.98 * before;
        let late = budget.time_left().is_some_and(|left| left < begun.elapsed() * 4) && gap < 1e-2;
        if gap <= precision.epsilon * NARROWER || hopeless || late {
            return Ok(Refined {
                values,
                pieces,
                sweeps,
                gap,
            });
        }
        before = gap;
        pieces *= 2;
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
