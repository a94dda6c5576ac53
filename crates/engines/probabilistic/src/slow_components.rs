//! Components on which sweeps are slow, because a run stays in them for long: their equations are solved directly, in doubles, and bounds around the result are verified.
//!
//! Policy iteration: the equations of the choices that look best are eliminated (`entail_numeric::direct`), and choices are improved while one is clearly better. With `v` the result and
//! `w` the expected number of steps in the component, `v - s w` and `v + s w` are inductive bounds once `s` is more than the rounding errors of one step: a step takes `s` at least off `s w`. Where all choices
//! must keep a bound (from above for the greatest value, from below for the least), `w` is the greatest expected number of steps, found by policy iteration again; where one choice must, that of the choices taken.
//! Nothing is trusted: bounds that one step does not keep are not used.

use crate::iteration::Solver;
use entail_budget::{Budget, Spent};
use entail_markov::Optimum;
use entail_numeric::direct;
use entail_numeric::rounding::{down, up};
use rustc_hash::FxHashMap;

/// Elimination gives up beyond this number of coefficients.
const DIRECT_ENTRIES: usize = 30_000_000;

/// Choices are improved so often at most.
const MOST_ROUNDS: usize = 40;

/// In all rounds together so many blocks are eliminated at most, but for the first rounds.
const MOST_BLOCKS: usize = 400_000;

/// A choice is better if it is by so much, relatively.
const BETTER: f64 = 1e-10;

/// The equations of a component.
struct Equations<'s, 'c> {
    solver: &'s Solver<'s>,
    component: &'c [u32],
    position: FxHashMap<u32, u32>,
}

/// The value of each block of a component, and the expected number of steps in it.
type Solved = Vec<[f64; 2]>;

impl Equations<'_, '_> {
    /// What a choice is worth (or how many steps it takes, if `steps`), from such values.
    fn worth(&self, choice: usize, values: &[f64], steps: bool) -> f64 {
        let system = self.solver.system;
        let mut sum = match steps {
            true => 1.0,
            false => self.solver.floats[system.constants[choice].0 as usize],
        };
        for at in system.row(choice) {
            let target = system.targets[at];
            let probability = self.solver.floats[system.values[at].0 as usize];
            match self.position.get(&target) {
                Some(&own) => sum += probability * values[own as usize],
                None if steps => {}
                None => sum += probability * self.solver.lower[target as usize],
            }
        }
        sum
    }

    /// Solves the equations of some choices; nothing if that takes too much room, or has no solution.
    fn solve(&self, chosen: &[usize], budget: &Budget) -> Result<Option<Solved>, Spent> {
        let system = self.solver.system;
        let row = |&choice: &usize| {
            let mut row = direct::Row {
                constants: [self.solver.floats[system.constants[choice].0 as usize], 1.0],
                ..direct::Row::default()
            };
            let mut inside = 0.0;
            for at in system.row(choice) {
                let target = system.targets[at];
                let probability = self.solver.floats[system.values[at].0 as usize];
                match self.position.get(&target) {
                    Some(&own) => {
                        row.coefficients.push((own, probability));
                        inside += probability;
                    }
                    None => {
                        row.constants[0] += probability * self.solver.lower[target as usize];
                        row.exit += probability;
                    }
                }
            }
            // What goes to known values leaves as well: the rest of the row.
            row.exit = row.exit.max(1.0 - inside);
            if row.exit < 1e-13 {
                row.exit = 0.0;
            }
            row
        };
        let solved = direct::solve(chosen.iter().map(row).collect(), DIRECT_ENTRIES, budget)?;
        let sound = |[value, steps]: &[f64; 2]| {
            value.is_finite() && steps.is_finite() && *value >= 0.0 && *steps >= 0.0
        };
        Ok(solved.filter(|solved| solved.iter().all(sound)))
    }

    /// Improves choices by their values, or by their numbers of steps (the most), until none is clearly better.
    fn improved(
        &self,
        mut chosen: Vec<usize>,
        steps: bool,
        budget: &Budget,
    ) -> Result<Option<(Vec<usize>, Solved)>, Spent> {
        let maximise = steps || self.solver.system.optimum == Optimum::Max;
        let Some(mut solved) = self.solve(&chosen, budget)? else {
            return Ok(None);
        };
        let rounds = (MOST_BLOCKS / self.component.len()).clamp(3, MOST_ROUNDS);
        for _ in 0..rounds {
            budget.check_now()?;
            let values: Vec<f64> = (solved.iter()).map(|pair| pair[usize::from(steps)]).collect();
            let mut next = chosen.clone();
            for (at, &block) in self.component.iter().enumerate() {
                let mut best = self.worth(chosen[at], &values, steps);
                for choice in self.solver.system.choices_of(block as usize) {
                    let worth = self.worth(choice, &values, steps);
                    let better = match maximise {
                        true => worth > best * (1.0 + BETTER),
                        false => worth < best * (1.0 - BETTER),
                    };
                    if better {
                        (best, next[at]) = (worth, choice);
                    }
                }
            }
            if next == chosen {
                return Ok(Some((chosen, solved)));
            }
            match self.solve(&next, budget)? {
                Some(found) => (chosen, solved) = (next, found),
                // What looks better stays for ever: these are the last choices that have values.
                None => return Ok((!steps).then_some((chosen, solved))),
            }
        }
        Ok(Some((chosen, solved)))
    }
}

impl Solver<'_> {
    /// Bounds near the solution of a component. True if both are proved.
    pub(crate) fn direct(&mut self, component: &[u32], budget: &Budget) -> Result<bool, Spent> {
        let maximise = self.system.optimum == Optimum::Max;
        let equations = Equations {
            solver: self,
            component,
            position: component.iter().copied().zip(0..).collect(),
        };
        let best = |&block: &u32| {
            let value = |choice: usize| self.choice_value(choice, &self.lower, |sum, _| sum);
            let order = |&a: &usize, &b: &usize| value(a).total_cmp(&value(b));
            let choices = self.system.choices_of(block as usize);
            let best = match maximise {
                true => choices.max_by(order),
                false => choices.min_by(order),
            };
            best.expect("a block has a choice")
        };
        let chosen: Vec<usize> = component.iter().map(best).collect();
        let chain = (component.iter()).all(|&block| self.system.choices_of(block as usize).len() == 1);
        let Some((chosen, solved)) = equations.improved(chosen, false, budget)? else {
            return Ok(false);
        };
        // The greatest number of steps, where it is finite; in chains there is only one.
        let most = match chain {
            true => None,
            false => equations.improved(chosen.clone(), true, budget)?,
        };
        let own: Vec<f64> = solved.iter().map(|pair| pair[1]).collect();
        let most: Vec<f64> = match most {
            Some((_, most)) => most.iter().map(|pair| pair[1]).collect(),
            None => own.clone(),
        };
        let longest = chosen.iter().map(|&choice| self.system.row(choice).len());
        let longest = longest.max().unwrap_or(0);
        let values: Vec<f64> = solved.iter().map(|pair| pair[0]).collect();
        self.around(component, &chosen, &values, [own, most], longest, budget)
    }

    /// Verifies bounds around values, at a distance that is a multiple of numbers of steps: those of the choices taken, and the greatest.
    fn around(
        &mut self,
        component: &[u32],
        chosen: &[usize],
        values: &[f64],
        [own, most]: [Vec<f64>; 2],
        longest: usize,
        budget: &Budget,
    ) -> Result<bool, Spent> {
        let maximise = self.system.optimum == Optimum::Max;
        let (below, above) = match maximise {
            true => (&own, &most),
            false => (&most, &own),
        };
        let largest = values.iter().copied().fold(0.0, f64::max);
        let mut slack = largest * (longest as f64 + 8.0) * 4.0 * f64::EPSILON + 1e-280;
        let kept: Vec<(f64, f64)> = component
            .iter()
            .map(|&block| (self.lower[block as usize], self.upper[block as usize]))
            .collect();
        let (mut lower_done, mut upper_done) = (false, false);
        for _ in 0..12 {
            budget.check_now()?;
            if !lower_done {
                for ((&block, value), steps) in component.iter().zip(values).zip(below) {
                    self.lower[block as usize] = (value - slack * steps).max(0.0);
                }
                lower_done = (component.iter().zip(chosen)).all(|(&block, &choice)| match maximise {
                    true => self.choice_value(choice, &self.lower, down) >= self.lower[block as usize],
                    false => self.lower_value(block as usize) >= self.lower[block as usize],
                });
            }
            if !upper_done {
                for ((&block, value), steps) in component.iter().zip(values).zip(above) {
                    let guess = value + slack * steps;
                    self.upper[block as usize] = match self.system.probability {
                        true => guess.min(1.0),
                        false => guess,
                    };
                }
                upper_done = (component.iter().zip(chosen)).all(|(&block, &choice)| {
                    let next = match maximise {
                        true => self.upper_value(block as usize),
                        false => self.choice_value(choice, &self.upper, up),
                    };
                    // No probability is above 1, whatever sums are rounded to.
                    next <= self.upper[block as usize]
                        || self.system.probability && self.upper[block as usize] >= 1.0
                });
            }
            if lower_done && upper_done {
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
}
