//! Sound bounds by iteration, one strongly connected component after the other, targets first.
//!
//! From below: Gauss–Seidel sweeps with all sums rounded down. Rounded so, the operator is still monotone and never above the exact one, so
//! every iterate `l` satisfies `l ≤ Φ(l)` exactly: the bounds are inductive as they stand. From above: optimistic value iteration (Hartmanns
//! and Kaminski 2020): guess an upper bound slightly above the lower one and sweep with sums rounded up; when no value rises, the guess is
//! inductive, `Φ(u) ≤ u`, exactly. If the guess fails, go on from below and guess again.

use crate::components::strongly_connected;
use crate::method::Method;
use crate::numbers::Numbers;
use crate::system::System;
use crate::uncertain::{Outcome, average};
use entail_budget::{Budget, Spent};
use entail_markov::Optimum;
use entail_numeric::direct;
use entail_numeric::rounding::{down, up};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// After so many sweeps a component counts as slow.
const SLOW: u64 = 300;

/// Components up to this size are solved directly if they are slow.
const DIRECT_BLOCKS: usize = 60_000;

/// Elimination gives up beyond this number of coefficients.
const DIRECT_ENTRIES: usize = 30_000_000;

/// How near the bounds must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The distance.
    pub epsilon: f64,
    /// Whether it is relative to the value.
    pub relative: bool,
}

/// Bounds of all blocks.
pub(crate) struct Bounds {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// Sweeps over components, for the statistics.
    pub sweeps: u64,
}

/// Bounds while they are being narrowed.
pub(crate) struct Solver<'s> {
    pub system: &'s System,
    pub floats: &'s [f64],
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub sweeps: u64,
    /// How far what stands behind the blocks is apart, as the precision measures it: guesses must leave room for it.
    pub gap: f64,
    /// The outcomes of a choice while they are put in order, where probabilities are intervals.
    outcomes: RefCell<Vec<Outcome>>,
}

/// Solves the equations up to `precision` at the blocks in `watched`.
pub(crate) fn solve(
    system: &System,
    numbers: &Numbers,
    method: Method,
    precision: Precision,
    watched: &[u32],
    budget: &Budget,
) -> Result<Bounds, Spent> {
    let size = system.len();
    let components = strongly_connected(0..size as u32, size, |block| system.successors(block), budget)?;
    let mut solver = Solver::with_outside(system, numbers, system.known(), system.known());
    // Errors of components add up along the way: tighten until the watched blocks are near enough.
    let mut local = precision.epsilon * 0.25;
    for round in 0..6 {
        for component in &components {
            budget.check()?;
            let solve = match method {
                _ if solver.is_settled_at_once(component) => continue,
                Method::Plain => Solver::plain,
                _ if !system.uppers.is_empty() => Solver::component,
                Method::Sound => Solver::sound,
                Method::Interval => Solver::interval,
                _ => Solver::component,
            };
            solve(&mut solver, component, local, precision.relative, budget)?;
        }
        let near = |&block: &u32| {
            let (low, high) = (solver.lower[block as usize], solver.upper[block as usize]);
            let allowed = if precision.relative {
                precision.epsilon * low
            } else {
                precision.epsilon
            };
            high - low <= allowed
        };
        if watched.iter().all(near) || round == 5 || local < 1e-14 {
            break;
        }
        local *= 0.01;
    }
    Ok(Bounds {
        lower: solver.lower,
        upper: solver.upper,
        sweeps: solver.sweeps,
    })
}

impl<'s> Solver<'s> {
    /// Bounds that say nothing yet, and those of what stands behind the blocks.
    pub(crate) fn with_outside(
        system: &'s System,
        numbers: &'s Numbers,
        lower: &[f64],
        upper: &[f64],
    ) -> Solver<'s> {
        let size = system.len();
        let most = if system.probability { 1.0 } else { f64::INFINITY };
        let mut solver = Solver {
            system,
            floats: numbers.floats(),
            lower: vec![0.0; size],
            upper: vec![most; size],
            sweeps: 0,
            gap: 0.0,
            outcomes: RefCell::default(),
        };
        solver.lower.extend(lower);
        solver.upper.extend(upper);
        solver
    }
}

impl Solver<'_> {
    #[inline]
    pub(crate) fn value(&self, block: usize, of: &[f64], round: impl Fn(f64, usize) -> f64) -> f64 {
        let maximise = self.system.optimum == Optimum::Max;
        let mut best = if maximise {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        for choice in self.system.choices_of(block) {
            let value = self.choice_value(choice, of, &round);
            if (value > best) == maximise {
                best = value;
            }
        }
        best
    }

    #[inline]
    pub(crate) fn lower_value(&self, block: usize) -> f64 {
        self.value(block, &self.lower, down)
    }

    #[inline]
    pub(crate) fn upper_value(&self, block: usize) -> f64 {
        let value = self.value(block, &self.upper, up);
        if self.system.probability {
            value.min(1.0)
        } else {
            value
        }
    }

    /// Sweeps until values change little, and takes what is there for the solution: the upper value is none.
    fn plain(&mut self, component: &[u32], epsilon: f64, relative: bool, budget: &Budget) -> Result<(), Spent> {
        loop {
            budget.check()?;
            self.sweeps += 1;
            let mut change = 0.0f64;
            for &block in component {
                let at = block as usize;
                let next = self.lower_value(at).max(self.lower[at]);
                let step = next - self.lower[at];
                change = change.max(if relative && next > 0.0 { step / next } else { step });
                self.lower[at] = next;
            }
            // The bounds of other methods share their precision among components; here there are none.
            if change <= 4.0 * epsilon {
                break;
            }
        }
        for &block in component {
            self.upper[block as usize] = self.lower[block as usize];
        }
        Ok(())
    }

    /// A lower bound near the solution, for components on which sweeps are slow: the equations of the choices that look best are solved directly,
    /// and the result, lowered by a multiple of the expected number of steps, is verified to be inductive. For chains the same gives an upper
    /// bound. True if the upper bound is proved too.
    fn direct(&mut self, component: &[u32], budget: &Budget) -> Result<bool, Spent> {
        let position: FxHashMap<u32, u32> = component
            .iter()
            .zip(0..)
            .map(|(&block, at)| (block, at))
            .collect();
        let maximise = self.system.optimum == Optimum::Max;
        let mut chosen = Vec::with_capacity(component.len());
        let mut rows = Vec::with_capacity(component.len());
        let mut chain = true;
        let mut longest = 0;
        for &block in component {
            let choices = self.system.choices_of(block as usize);
            chain &= choices.len() == 1;
            let value = |choice: usize| self.choice_value(choice, &self.lower, |sum, _| sum);
            let order = |&a: &usize, &b: &usize| value(a).total_cmp(&value(b));
            let best = if maximise {
                choices.max_by(order)
            } else {
                choices.min_by(order)
            };
            let choice = best.expect("a block has a choice");
            chosen.push(choice);
            let mut row = direct::Row {
                constants: [self.floats[self.system.constants[choice].0 as usize], 1.0],
                ..direct::Row::default()
            };
            let mut inside = 0.0;
            for at in self.system.row(choice) {
                let (target, probability) = (
                    self.system.targets[at],
                    self.floats[self.system.values[at].0 as usize],
                );
                match position.get(&target) {
                    Some(&own) => {
                        row.coefficients.push((own, probability));
                        inside += probability;
                    }
                    None => {
                        row.constants[0] += probability * self.lower[target as usize];
                        row.exit += probability;
                    }
                }
            }
            longest = longest.max(row.coefficients.len());
            // What goes to known values leaves as well: the rest of the row.
            row.exit = row.exit.max(1.0 - inside);
            if row.exit < 1e-13 {
                row.exit = 0.0;
            }
            rows.push(row);
        }
        let Some(solved) = direct::solve(rows, DIRECT_ENTRIES, budget)? else {
            return Ok(false);
        };
        if solved
            .iter()
            .any(|[value, steps]| !value.is_finite() || !steps.is_finite() || *value < 0.0)
        {
            return Ok(false);
        }
        let largest = solved.iter().map(|values| values[0]).fold(0.0, f64::max);
        let mut slack = largest * (longest as f64 + 8.0) * 4.0 * f64::EPSILON + 1e-280;
        let kept: Vec<(f64, f64)> = component
            .iter()
            .map(|&block| (self.lower[block as usize], self.upper[block as usize]))
            .collect();
        let (mut lower_done, mut upper_done) = (false, false);
        for _ in 0..12 {
            budget.check_now()?;
            if !lower_done {
                for (&block, [value, steps]) in component.iter().zip(&solved) {
                    self.lower[block as usize] = (value - slack * steps).max(0.0);
                }
                lower_done = (component.iter().zip(&chosen)).all(|(&block, &choice)| match maximise {
                    true => self.choice_value(choice, &self.lower, down) >= self.lower[block as usize],
                    false => self.lower_value(block as usize) >= self.lower[block as usize],
                });
            }
            if !upper_done && chain {
                for (&block, [value, steps]) in component.iter().zip(&solved) {
                    let guess = value + slack * steps;
                    self.upper[block as usize] = if self.system.probability {
                        guess.min(1.0)
                    } else {
                        guess
                    };
                }
                upper_done = component
                    .iter()
                    .all(|&block| self.upper_value(block as usize) <= self.upper[block as usize]);
            }
            if lower_done && (upper_done || !chain) {
                break;
            }
            slack *= 10.0;
        }
        // Of two inductive bounds the better one, block by block, is inductive too.
        for (&block, kept) in component.iter().zip(&kept) {
            let at = block as usize;
            if !lower_done || self.lower[at] < kept.0 {
                self.lower[at] = kept.0;
            }
            if !upper_done || self.upper[at] > kept.1 {
                self.upper[at] = kept.1;
            }
        }
        Ok(lower_done && upper_done)
    }

    #[inline]
    fn choice_value(&self, choice: usize, of: &[f64], round: impl Fn(f64, usize) -> f64) -> f64 {
        if !self.system.uppers.is_empty() {
            return self.uncertain_value(choice, of, &round);
        }
        let row = self.system.row(choice);
        let terms = row.len() + 1;
        let mut sum = self.floats[self.system.constants[choice].0 as usize];
        let (targets, values) = (&self.system.targets[row.clone()], &self.system.values[row]);
        for (target, value) in targets.iter().zip(values) {
            sum += self.floats[value.0 as usize] * of[*target as usize];
        }
        round(sum, terms)
    }

    /// The value of a choice whose probabilities are intervals.
    fn uncertain_value(&self, choice: usize, of: &[f64], round: &dyn Fn(f64, usize) -> f64) -> f64 {
        let row = self.system.row(choice);
        let terms = row.len() + 2;
        let mut outcomes = self.outcomes.borrow_mut();
        outcomes.clear();
        outcomes.extend(row.map(|at| Outcome {
            low: self.floats[self.system.values[at].0 as usize],
            high: self.floats[self.system.uppers[at].0 as usize],
            value: of[self.system.targets[at] as usize],
        }));
        let known = self.floats[self.system.constants[choice].0 as usize];
        let (sum, error) = average(&mut outcomes, self.system.generous);
        if error == 0.0 && known == 0.0 {
            return sum;
        }
        // Rounding down lowers by what the average may be off, rounding up raises by it.
        let rounded = round(sum + known, terms);
        if rounded < sum + known {
            (rounded - error).max(0.0)
        } else if rounded > sum + known {
            rounded + error
        } else {
            rounded
        }
    }

    /// Computes the bounds of a component that is one block without a loop: one step from others; false if it is none.
    pub(crate) fn is_settled_at_once(&mut self, component: &[u32]) -> bool {
        let &[block] = component else { return false };
        if self.system.successors(block).any(|target| target == block) {
            return false;
        }
        let at = block as usize;
        self.lower[at] = self.lower[at].max(self.lower_value(at));
        self.upper[at] = self.upper[at].min(self.upper_value(at));
        true
    }

    /// Optimistic value iteration on a component.
    pub(crate) fn component(
        &mut self,
        component: &[u32],
        epsilon: f64,
        relative: bool,
        budget: &Budget,
    ) -> Result<(), Spent> {
        let (mut pace, mut slack) = (epsilon, epsilon);
        let mut total = 0;
        let mut tried =
            component.len() < 2 || component.len() > DIRECT_BLOCKS || !self.system.uppers.is_empty();
        loop {
            let patience = if tried { u64::MAX } else { SLOW };
            let (sweeps, change) = self.rise(component, pace, patience, budget)?;
            total += sweeps;
            if change > pace {
                tried = true;
                if self.direct(component, budget)? {
                    return Ok(());
                }
                continue;
            }
            let kept: Vec<f64> = component
                .iter()
                .map(|&block| self.upper[block as usize])
                .collect();
            for &block in component {
                let low = self.lower[block as usize];
                let room = slack + self.gap;
                let guess = if relative {
                    low * (1.0 + room) + 1e-200
                } else {
                    low + room
                };
                self.upper[block as usize] = if self.system.probability {
                    guess.min(1.0)
                } else {
                    guess
                };
            }
            if self.descend(component, 50 + 2 * total, budget)? {
                // Both the old and the new bounds are inductive, and so is the smaller of the two.
                for (&block, &kept) in component.iter().zip(&kept) {
                    if kept < self.upper[block as usize] {
                        self.upper[block as usize] = kept;
                    }
                }
                return Ok(());
            }
            for (&block, &kept) in component.iter().zip(&kept) {
                self.upper[block as usize] = kept;
            }
            if change == 0.0 {
                // Rounding has stopped the iteration from below: only a larger distance can be proved.
                slack *= 10.0;
                if slack > 1e3 {
                    return Ok(());
                }
            } else {
                pace = (pace * 0.1).min(change * 0.5).max(1e-300);
            }
        }
    }

    /// Sweeps from below until values change by less than `pace`, relatively; how many sweeps, and the last change.
    fn rise(
        &mut self,
        component: &[u32],
        pace: f64,
        most: u64,
        budget: &Budget,
    ) -> Result<(u64, f64), Spent> {
        let mut sweeps = 0;
        loop {
            let mut change = 0.0f64;
            for &block in component {
                let at = block as usize;
                let (old, new) = (self.lower[at], self.lower_value(at));
                if new > old {
                    change = change.max((new - old) / new);
                    self.lower[at] = new;
                }
            }
            sweeps += 1;
            self.sweeps += 1;
            if component.len() > 64 || sweeps % 256 == 0 {
                budget.check_now()?;
            }
            if change <= pace || sweeps >= most {
                return Ok((sweeps, change));
            }
        }
    }

    /// Sweeps from above; true once no value rises, so that the upper values are inductive.
    fn descend(&mut self, component: &[u32], most: u64, budget: &Budget) -> Result<bool, Spent> {
        for sweep in 0..most {
            let (mut rose, mut fell, mut crossed) = (false, false, false);
            for &block in component {
                let at = block as usize;
                let (old, new) = (self.upper[at], self.upper_value(at));
                rose |= new > old;
                fell |= new < old;
                self.upper[at] = new;
                crossed |= new < self.lower[at];
            }
            self.sweeps += 1;
            if component.len() > 64 || sweep % 256 == 0 {
                budget.check_now()?;
            }
            if !rose {
                return Ok(true);
            }
            if crossed || !fell {
                return Ok(false);
            }
        }
        Ok(false)
    }
}
