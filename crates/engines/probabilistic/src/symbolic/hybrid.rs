//! Solving on diagrams: the matrix stays a diagram whose lower parts are rows, the values are vectors.
//!
//! A walk over the diagram of a relation goes down until few states are left below; what is below is a small block of pairs, made once and used wherever the same
//! nodes are met again (the hybrid engine of Kwiatkowska, Norman and Parker 2004). So the memory is that of a few vectors and of the different blocks.
//!
//! Bounds are sound: from below by sweeps whose sums are rounded down, from above by optimistic value iteration (Hartmanns and Kaminski 2020), with sums rounded up. An
//! upper guess `u` is proved when no choice exceeds it: its rounded sum is at most `u(s)`, or none of its targets is above `u(s)`, which is exact and is
//! how end components, in which all values are equal, pass. If guesses fail for ever, there is no answer.

use super::levels;
use super::numbering::{Block, Numbering};
use super::space::Space;
use crate::check::Trouble;
use crate::iteration::Precision;
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_markov::{Bracket, Optimum};
use entail_numeric::rounding::{down, up};
use rustc_hash::FxHashMap;

/// Blocks have at most so many rows.
const BLOCK: u64 = 2048;

/// Pairs in all blocks together.
const MOST_PAIRS: usize = 400_000_000;

/// The target that is a goal.
pub(super) const GOAL: u32 = u32::MAX;

/// The relation of one step and one probability.
struct Part {
    value: f64,
    /// Where blocks lie: their first row, their first column, and which.
    places: Vec<(u32, u32, u32)>,
}

/// A choice: its relations, and the rows in which it is enabled, as runs.
struct Choice {
    parts: Vec<Part>,
    runs: Vec<(u32, u32)>,
}

/// The open part of a model.
pub(super) struct Hybrid {
    optimum: Optimum,
    size: usize,
    choices: Vec<Choice>,
    /// The pairs of block `b` are those from `borders[b]` to `borders[b + 1]`.
    borders: Vec<usize>,
    pairs: Vec<(u32, u32)>,
    /// The greatest number of transitions of a row.
    longest: usize,
}

/// Which way sums are rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounded {
    Down,
    Up,
}

impl Space<'_> {
    /// The matrix of the open states, not written out.
    pub fn hybrid(
        &mut self,
        optimum: Optimum,
        open: &Bdd,
        goal: &Bdd,
        budget: &Budget,
    ) -> Result<(Hybrid, Numbering), Trouble> {
        let bits = self.encoding.now();
        let count = open.count_log2(&bits);
        if count >= 31.0 {
            return Err(Trouble::Undecided(format!(
                "about 2^{count:.1} states are open after graph analysis, and each needs a number in memory"
            )));
        }
        let mut functions: Vec<Bdd> = Vec::new();
        let mut parts: Vec<(usize, usize, f64)> = Vec::new();
        for (choice, steps) in self.choices.iter().enumerate() {
            for &at in &steps.steps {
                for (value, set) in levels::within(&self.steps[at].rows, open)? {
                    functions.push(set);
                    parts.push((choice, at, self.numbers.float(value)));
                }
            }
        }
        let enabled = functions.len();
        functions.extend(self.choices.iter().map(|choice| choice.enabled.clone()));
        let borrowed: Vec<&Bdd> = functions.iter().collect();
        let numbering = Numbering::new(&self.encoding, open, goal, &borrowed);
        let size = numbering.open_states() as usize;
        let mut hybrid = Hybrid {
            optimum,
            size,
            choices: Vec::new(),
            borders: vec![0],
            pairs: Vec::new(),
            longest: 0,
        };
        for &set in &numbering.others[enabled..] {
            hybrid.choices.push(Choice {
                parts: Vec::new(),
                runs: numbering.runs(set),
            });
        }
        // A block of one step is none of another, which changes other variables.
        let mut known: FxHashMap<(Block, usize), u32> = FxHashMap::default();
        for (&(choice, at, value), &relation) in parts.iter().zip(&numbering.others) {
            let mut written = vec![false; self.encoding.variables.len()];
            for &variable in &self.steps[at].written {
                written[variable] = true;
            }
            let mut places = Vec::new();
            let mut trouble = None;
            numbering.blocks(relation, &written, BLOCK, &mut |from, to, block| {
                let key = (block, at);
                let number = match known.get(&key) {
                    Some(&number) => number,
                    None => {
                        numbering.pairs_of(block, &written, &mut |from, to| hybrid.pairs.push((from, to)));
                        hybrid.borders.push(hybrid.pairs.len());
                        let number = hybrid.borders.len() as u32 - 2;
                        known.insert(key, number);
                        number
                    }
                };
                places.push((from as u32, to as u32, number));
                if hybrid.pairs.len() > MOST_PAIRS {
                    trouble = Some(Trouble::Undecided(
                        "the diagrams of the matrix share too little to be solved on".to_owned(),
                    ));
                } else if let Err(spent) = budget.check() {
                    trouble = Some(spent.into());
                }
                trouble.is_none()
            });
            match trouble {
                Some(trouble) => return Err(trouble),
                None => hybrid.choices[choice].parts.push(Part { value, places }),
            }
        }
        hybrid.longest = hybrid.longest_row();
        Ok((hybrid, numbering))
    }
}

impl Hybrid {
    /// Calls `visit` for each transition of a part.
    fn each(&self, part: &Part, mut visit: impl FnMut(usize, Option<usize>)) {
        for &(from, to, block) in &part.places {
            let pairs = &self.pairs[self.borders[block as usize]..self.borders[block as usize + 1]];
            for &(row, column) in pairs {
                let target = (column != GOAL).then(|| to as usize + column as usize);
                visit(from as usize + row as usize, target);
            }
        }
    }

    fn longest_row(&self) -> usize {
        let mut longest = 0;
        let mut counts = vec![0u32; self.size];
        for choice in &self.choices {
            counts.fill(0);
            for part in &choice.parts {
                self.each(part, |row, _| counts[row] += 1);
            }
            longest = longest.max(counts.iter().copied().max().unwrap_or(0));
        }
        longest as usize
    }

    /// One sweep from `values` into `next`, sums rounded.
    fn sweep(
        &self,
        values: &[f64],
        next: &mut [f64],
        sums: &mut [f64],
        rounded: Rounded,
        budget: &Budget,
    ) -> Result<(), Trouble> {
        next.fill(match self.optimum {
            Optimum::Max => 0.0,
            Optimum::Min => 1.0,
        });
        for choice in &self.choices {
            budget.check_now()?;
            sums.fill(0.0);
            for part in &choice.parts {
                let probability = part.value;
                self.each(part, |row, target| {
                    sums[row] += probability * target.map_or(1.0, |target| values[target]);
                });
            }
            for &(from, to) in &choice.runs {
                for state in from as usize..to as usize {
                    let sum = match rounded {
                        Rounded::Down => down(sums[state], self.longest),
                        Rounded::Up => up(sums[state], self.longest).min(1.0),
                    };
                    next[state] = match self.optimum {
                        Optimum::Max => next[state].max(sum),
                        Optimum::Min => next[state].min(sum),
                    };
                }
            }
        }
        Ok(())
    }

    /// Whether `upper` is proved: no value of a choice that counts is above it. `sums` and `most` are room.
    fn is_inductive(
        &self,
        upper: &[f64],
        sums: &mut [f64],
        most: &mut [f64],
        budget: &Budget,
    ) -> Result<bool, Trouble> {
        let mut proved = vec![self.optimum == Optimum::Max; self.size];
        for choice in &self.choices {
            budget.check_now()?;
            sums.fill(0.0);
            most.fill(0.0);
            for part in &choice.parts {
                let probability = part.value;
                self.each(part, |row, target| {
                    let value = target.map_or(1.0, |target| upper[target]);
                    sums[row] += probability * value;
                    most[row] = most[row].max(value);
                });
            }
            for &(from, to) in &choice.runs {
                for state in from as usize..to as usize {
                    let below = most[state] <= upper[state] || up(sums[state], self.longest) <= upper[state];
                    match self.optimum {
                        Optimum::Max => proved[state] &= below,
                        Optimum::Min => proved[state] |= below,
                    }
                }
            }
            if self.optimum == Optimum::Max && proved.contains(&false) {
                return Ok(false);
            }
        }
        Ok(!proved.contains(&false))
    }

    /// Bounds of the open states, then of the goals, then of what is lost; and the number of sweeps.
    pub fn solve(&self, precision: Precision, budget: &Budget) -> Result<(Bracket, u64), Trouble> {
        let room = || vec![0.0f64; self.size];
        let (mut lower, mut next, mut sums, mut upper) = (room(), room(), room(), room());
        let mut most = room();
        let mut sweeps = 0;
        let mut local = precision.epsilon;
        let allowed = |low: f64| match precision.relative {
            true => low * precision.epsilon,
            false => precision.epsilon,
        };
        let change = |old: f64, new: f64| match precision.relative {
            true if new > 0.0 => (new - old) / new,
            _ => new - old,
        };
        loop {
            // From below, until a sweep changes little.
            loop {
                self.sweep(&lower, &mut next, &mut sums, Rounded::Down, budget)?;
                sweeps += 1;
                let mut greatest = 0.0f64;
                for (old, new) in lower.iter_mut().zip(&next) {
                    // Rounded sums are monotone: no value falls but by the noise of the last digit, which is kept out.
                    let better = new.max(*old);
                    greatest = greatest.max(change(*old, better));
                    *old = better;
                }
                if greatest <= local {
                    break;
                }
            }
            // From above: a guess, swept until it is proved or seen to be wrong.
            for (guess, low) in upper.iter_mut().zip(&lower) {
                *guess = (low + allowed(*low) * 0.5).min(1.0);
            }
            for _ in 0..(0.1 / local).min(200.0) as usize {
                if self.is_inductive(&upper, &mut sums, &mut most, budget)? {
                    lower.extend([1.0, 0.0]);
                    upper.extend([1.0, 0.0]);
                    return Ok((Bracket::Between { lower, upper }, sweeps));
                }
                self.sweep(&upper, &mut next, &mut sums, Rounded::Up, budget)?;
                sweeps += 1;
                let crossed = next.iter().zip(&lower).any(|(high, low)| high < low);
                let rises = next.iter().zip(&upper).all(|(new, old)| new >= old);
                let wide = next
                    .iter()
                    .zip(&lower)
                    .any(|(high, low)| high - low > allowed(*low));
                if crossed || rises || wide {
                    break;
                }
                std::mem::swap(&mut upper, &mut next);
            }
            local *= 0.1;
            if local < 1e-16 {
                return Err(Trouble::Undecided(
                    "no upper bound could be proved on diagrams: an end component may be in the way"
                        .to_owned(),
                ));
            }
        }
    }
}
