//! Sound value iteration (Quatmann and Katoen 2018) and interval iteration (Haddad and Monmege 2014), component by component.
//!
//! Sound value iteration follows two numbers for each block: `x`, what is earned in `k` steps inside of the component, and `y`, the probability
//! of still being inside then. If `l` and `u` are the least and the greatest `x / (1 - y)`, the values lie between `x + y·l` and `x + y·u`.
//! Here these are guesses, for rounding and the choice of actions make them inexact: they are widened a little and taken only once the
//! operators with directed rounding show that they are inductive. Otherwise the iteration goes on; optimistic iteration is the last resort.
//!
//! Interval iteration sweeps from both sides. Its upper values begin at 1 for probabilities, and at an inductive guess for rewards.

use crate::iteration::Solver;
use entail_budget::{Budget, Spent};
use entail_markov::Optimum;
use entail_numeric::rounding::{down, up};

/// Bounds are not asked to be nearer than this, relatively: rounding would not let them.
const NEAREST: f64 = 1e-13;

/// Sweeps of the slower methods before optimistic iteration is asked.
const MOST_SWEEPS: u64 = 5_000_000;

impl Solver<'_> {
    /// Whether the bounds of a component are near enough.
    fn are_near(&self, component: &[u32], epsilon: f64, relative: bool) -> bool {
        component.iter().all(|&block| {
            let (low, high) = (self.lower[block as usize], self.upper[block as usize]);
            high - low <= if relative { epsilon * low } else { epsilon }
        })
    }

    /// Interval iteration on a component.
    pub(crate) fn interval(
        &mut self,
        component: &[u32],
        epsilon: f64,
        relative: bool,
        budget: &Budget,
    ) -> Result<(), Spent> {
        if !self.system.probability
            && component
                .iter()
                .any(|&block| self.upper[block as usize].is_infinite())
        {
            self.component(component, 0.5, true, budget)?;
        }
        let epsilon = epsilon.max(NEAREST);
        for sweep in 0..MOST_SWEEPS {
            let mut moved = false;
            for &block in component {
                let at = block as usize;
                let (low, high) = (self.lower_value(at), self.upper_value(at));
                moved |= low > self.lower[at] || high < self.upper[at];
                self.lower[at] = self.lower[at].max(low);
                self.upper[at] = self.upper[at].min(high);
            }
            self.sweeps += 1;
            if component.len() > 64 || sweep % 256 == 0 {
                budget.check_now()?;
            }
            if !moved || self.are_near(component, epsilon, relative) {
                return Ok(());
            }
        }
        self.component(component, epsilon, relative, budget)
    }

    /// Sound value iteration on a component.
    pub(crate) fn sound(
        &mut self,
        component: &[u32],
        epsilon: f64,
        relative: bool,
        budget: &Budget,
    ) -> Result<(), Spent> {
        let mut inside = vec![false; self.system.len()];
        for &block in component {
            inside[block as usize] = true;
        }
        let mut wanted = epsilon * 0.5;
        // By position in the component: what was earned, and the probability of being inside still. Kept by block for lookups.
        let mut earned = vec![0.0f64; self.system.len()];
        let mut still = vec![0.0f64; self.system.len()];
        for &block in component {
            still[block as usize] = 1.0;
        }
        let mut next = vec![(0.0f64, 0.0f64); component.len()];
        let mut remote = 0.0f64;
        for sweep in 0..MOST_SWEEPS {
            for (&block, next) in component.iter().zip(&mut next) {
                *next = self.best_step(block as usize, &inside, &earned, &still, remote);
            }
            for (&block, &(gained, stays)) in component.iter().zip(&next) {
                earned[block as usize] = gained;
                still[block as usize] = stays;
            }
            self.sweeps += 1;
            if component.len() > 64 || sweep % 256 == 0 {
                budget.check_now()?;
            }
            if next.iter().any(|&(_, stays)| stays >= 1.0) {
                continue;
            }
            let rates = next.iter().map(|&(gained, stays)| gained / (1.0 - stays));
            let (least, most) = rates.fold((f64::INFINITY, 0.0f64), |(least, most), rate| {
                (least.min(rate), most.max(rate))
            });
            if !most.is_finite() {
                break;
            }
            remote = match self.system.optimum {
                Optimum::Max => most,
                Optimum::Min => least,
            };
            let near = |&(gained, stays): &(f64, f64)| {
                let (low, high) = (gained + stays * least, gained + stays * most);
                high - low <= if relative { wanted * low } else { wanted }
            };
            if !next.iter().all(near) {
                continue;
            }
            if self.settle(component, &next, least, most, wanted, relative) {
                return Ok(());
            }
            wanted *= 0.25;
            if wanted < NEAREST {
                break;
            }
        }
        self.component(component, epsilon, relative, budget)
    }

    /// What the best choice of a block makes of one step more; `remote` stands for the value of those that are still inside. Values of blocks
    /// outside are the middles of their bounds.
    fn best_step(
        &self,
        block: usize,
        inside: &[bool],
        earned: &[f64],
        still: &[f64],
        remote: f64,
    ) -> (f64, f64) {
        let system = self.system;
        let mut best: Option<(f64, f64)> = None;
        let of = |(gained, stays): (f64, f64)| gained + stays * remote;
        for choice in system.choices_of(block) {
            let (mut gained, mut stays) = (self.floats[system.constants[choice].0 as usize], 0.0);
            for at in system.row(choice) {
                let (target, probability) = (
                    system.targets[at] as usize,
                    self.floats[system.values[at].0 as usize],
                );
                match inside[target] {
                    true => {
                        gained += probability * earned[target];
                        stays += probability * still[target];
                    }
                    false => gained += probability * 0.5 * (self.lower[target] + self.upper[target]),
                }
            }
            let better = best.is_none_or(|best| match system.optimum {
                Optimum::Max => of((gained, stays)) > of(best),
                Optimum::Min => of((gained, stays)) < of(best),
            });
            if better {
                best = Some((gained, stays));
            }
        }
        best.unwrap_or((0.0, 0.0))
    }

    /// Takes widened guesses as the component's bounds if both are inductive.
    fn settle(
        &mut self,
        component: &[u32],
        guesses: &[(f64, f64)],
        least: f64,
        most: f64,
        widening: f64,
        relative: bool,
    ) -> bool {
        let kept: Vec<(f64, f64)> = (component.iter())
            .map(|&block| (self.lower[block as usize], self.upper[block as usize]))
            .collect();
        // The bounds outside have some distance: inside cannot be proved to be nearer than that.
        for (&block, &(gained, stays)) in component.iter().zip(guesses) {
            let (low, high) = (gained + stays * least, gained + stays * most);
            let (low, high) = match relative {
                true => (low * (1.0 - widening), high * (1.0 + widening) + 1e-200),
                false => (low - widening, high + widening),
            };
            self.lower[block as usize] = low.max(0.0);
            self.upper[block as usize] = if self.system.probability {
                high.min(1.0)
            } else {
                high
            };
        }
        let inductive = component.iter().all(|&block| {
            let at = block as usize;
            self.value(at, &self.lower, down) >= self.lower[at] && {
                let above = self.value(at, &self.upper, up);
                above <= self.upper[at] || self.system.probability && self.upper[at] >= 1.0
            }
        });
        for (&block, &(low, high)) in component.iter().zip(&kept) {
            let at = block as usize;
            // Of two inductive bounds the better one, block by block, is inductive too.
            self.lower[at] = if inductive { self.lower[at].max(low) } else { low };
            self.upper[at] = if inductive { self.upper[at].min(high) } else { high };
        }
        inductive
    }
}
