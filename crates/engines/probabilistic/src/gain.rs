//! The best long-run average inside an end component: policy iteration for semi-Markov decision processes (Howard 1960, Jewell 1963).
//!
//! A policy that comes back to one state from everywhere is worth `g`, what is earned between two visits divided by the time between them, and gives every state a potential
//! `h` with `g·τ + h = r + Σ p h`, where `τ` is how long the chosen step takes and `r` what it earns. A choice with `r + Σ p h - g·τ > h` improves. An improved policy may fall
//! apart into several components; one of them is then new, and better: the others are steered there, which an end component always allows.
//!
//! The result is a proof for both sides: where no choice improves, `g` is the best average; the policy itself has it. In doubles every step is made a little dearer, or cheaper,
//! so that the inequalities hold with room for rounding; in rationals they hold as they are.

use crate::check::Trouble;
use crate::components::{EndComponent, strongly_connected};
use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Rational, from_float};
use entail_numeric::direct;
use entail_numeric::elimination::{self, EliminationError, Equation};
use std::collections::HashMap;

/// Entries that elimination may fill.
const MOST_ENTRIES: usize = 50_000_000;

/// Policies that are tried.
const MOST_POLICIES: usize = 10_000;

/// An end component with what its choices earn and how long they take.
pub(crate) struct Arena<'m> {
    model: &'m Sparse,
    component: &'m EndComponent,
    earned: &'m [Num],
    durations: &'m [Num],
    /// What is earned counts with this sign.
    sign: f64,
    /// The position of a state in the component.
    position: HashMap<u32, usize>,
    /// The choices that stay inside, by position.
    choices: Vec<Vec<usize>>,
}

/// The average, and the potential of every state of a component by position.
#[derive(Clone, Debug)]
pub(crate) struct Gain<N> {
    pub average: N,
    pub potentials: Vec<N>,
}

/// Lower and upper bounds of the best average in a component, each with potentials that prove it.
pub(crate) struct Bounds {
    pub lower: Gain<f64>,
    pub upper: Gain<f64>,
}

impl<'m> Arena<'m> {
    pub fn new(
        model: &'m Sparse,
        component: &'m EndComponent,
        (earned, durations): (&'m [Num], &'m [Num]),
        sign: f64,
    ) -> Arena<'m> {
        let states = component.states.iter().enumerate();
        let position: HashMap<u32, usize> = states.map(|(at, &state)| (state, at)).collect();
        let mut choices = vec![Vec::new(); component.states.len()];
        for (at, &state) in component.states.iter().enumerate() {
            let own = model.choices_of(state as usize);
            choices[at] = own
                .filter(|&choice| {
                    let targets = model.targets_of(choice).iter();
                    targets.into_iter().all(|target| position.contains_key(target))
                })
                .collect();
        }
        Arena {
            model,
            component,
            earned,
            durations,
            sign,
            position,
            choices,
        }
    }

    fn size(&self) -> usize {
        self.component.states.len()
    }

    fn earned(&self, choice: usize) -> f64 {
        self.sign * self.model.numbers.float(self.earned[choice])
    }

    fn duration(&self, choice: usize) -> f64 {
        self.model.numbers.float(self.durations[choice])
    }

    fn steps(&self, choice: usize) -> impl Iterator<Item = (usize, Num)> + '_ {
        let row = self.model.row(choice);
        row.map(|at| (self.position[&self.model.targets[at]], self.model.values[at]))
    }

    /// Makes a policy lead to some states from everywhere else.
    fn steer(&self, policy: &mut [usize], goal: &[usize]) {
        let mut before: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.size()];
        for (at, choices) in self.choices.iter().enumerate() {
            for &choice in choices {
                for (target, _) in self.steps(choice) {
                    before[target].push((at, choice));
                }
            }
        }
        let mut reached = vec![false; self.size()];
        goal.iter().for_each(|&at| reached[at] = true);
        let mut waiting: std::collections::VecDeque<usize> = goal.iter().copied().collect();
        while let Some(at) = waiting.pop_front() {
            for &(from, choice) in &before[at] {
                if !std::mem::replace(&mut reached[from], true) {
                    policy[from] = choice;
                    waiting.push_back(from);
                }
            }
        }
    }

    /// The components in which a policy stays for ever.
    fn bottoms(&self, policy: &[usize], budget: &Budget) -> Result<Vec<Vec<u32>>, Trouble> {
        let successors = |at: u32| self.steps(policy[at as usize]).map(|(target, _)| target as u32);
        let all = 0..self.size() as u32;
        let mut found = strongly_connected(all, self.size(), successors, budget)?;
        found.retain(|component| {
            let inside: std::collections::HashSet<u32> = component.iter().copied().collect();
            (component.iter()).all(|&at| successors(at).all(|target| inside.contains(&target)))
        });
        Ok(found)
    }

    /// Makes an improved policy lead to one state from everywhere, and names it: of several components in which it stays, one with an improvement is kept.
    fn led_home(
        &self,
        policy: &mut [usize],
        home: usize,
        improved: &[bool],
        budget: &Budget,
    ) -> Result<usize, Trouble> {
        let bottoms = self.bottoms(policy, budget)?;
        let better = (bottoms.iter()).find(|bottom| bottom.iter().any(|&at| improved[at as usize]));
        let chosen = better.or(bottoms.first());
        let chosen: Vec<usize> = chosen.into_iter().flatten().map(|&at| at as usize).collect();
        if bottoms.len() > 1 {
            self.steer(policy, &chosen);
        }
        Ok(match chosen.contains(&home) {
            true => home,
            false => chosen[0],
        })
    }

    /// What a policy that leads to one state from everywhere is worth, if each step costs this much more.
    fn evaluate(
        &self,
        policy: &[usize],
        home: usize,
        extra: f64,
        budget: &Budget,
    ) -> Result<(Gain<f64>, f64), Trouble> {
        let mut rows = Vec::with_capacity(self.size());
        let mut counted = Vec::with_capacity(self.size());
        for (at, &choice) in policy.iter().enumerate() {
            let mut row = direct::Row {
                constants: [self.earned(choice) + extra, self.duration(choice)],
                ..direct::Row::default()
            };
            for (target, value) in self.steps(choice) {
                let value = self.model.numbers.float(value);
                // Coming home ends the round; the way out from home is put together below.
                match target == home || at == home {
                    true => row.exit += value,
                    false => row.coefficients.push((target as u32, value)),
                }
            }
            counted.push(direct::Row {
                constants: [1.0, 0.0],
                ..row.clone()
            });
            rows.push(row);
        }
        let solve = |rows: Vec<direct::Row>| -> Result<Vec<[f64; 2]>, Trouble> {
            let solved = direct::solve(rows, MOST_ENTRIES, budget)?;
            let message = "the equations of a long-run average fill up too much";
            solved.ok_or_else(|| Trouble::Undecided(message.to_owned()))
        };
        let (values, steps) = (solve(rows)?, solve(counted)?);
        let round = |own: f64, of: &dyn Fn(usize) -> f64| {
            let after = self.steps(policy[home]).filter(|&(target, _)| target != home);
            after.fold(own, |sum, (target, value)| {
                sum + self.model.numbers.float(value) * of(target)
            })
        };
        let gain = round(self.earned(policy[home]) + extra, &|at| values[at][0]);
        let time = round(self.duration(policy[home]), &|at| values[at][1]);
        let count = round(1.0, &|at| steps[at][0]);
        if time <= 0.0 {
            return Err(Trouble::Unsupported(
                "a component in which no time passes".to_owned(),
            ));
        }
        let average = gain / time;
        let mut potentials: Vec<f64> = values.iter().map(|[gain, time]| gain - average * time).collect();
        potentials[home] = 0.0;
        Ok((Gain { average, potentials }, count / time))
    }

    /// What a choice is worth beside the potential of its state.
    fn worth(&self, choice: usize, gain: &Gain<f64>, extra: f64) -> f64 {
        let own = self.earned(choice) + extra - gain.average * self.duration(choice);
        self.steps(choice).fold(own, |sum, (target, value)| {
            sum + self.model.numbers.float(value) * gain.potentials[target]
        })
    }

    /// The best policy, a state to which it leads, its worth, and how many steps it takes in one unit of time.
    fn best(
        &self,
        extra: f64,
        begin: Option<(Vec<usize>, usize)>,
        budget: &Budget,
    ) -> Result<(Vec<usize>, usize, Gain<f64>, f64), Trouble> {
        let (mut policy, mut home) = begin.unwrap_or_else(|| {
            let mut policy: Vec<usize> = self.choices.iter().map(|choices| choices[0]).collect();
            self.steer(&mut policy, &[0]);
            (policy, 0)
        });
        for _ in 0..MOST_POLICIES {
            budget.check_now()?;
            // The state to come home to must be one that the policy sees again and again.
            let (gain, often) = self.evaluate(&policy, home, extra, budget)?;
            let scale = gain
                .potentials
                .iter()
                .fold(gain.average.abs(), |most, own| most.max(own.abs()));
            let mut improved = vec![false; self.size()];
            for (at, choices) in self.choices.iter().enumerate() {
                let mut own = gain.potentials[at] + 1e-11 * scale;
                for &choice in choices {
                    let worth = self.worth(choice, &gain, extra);
                    if choice != policy[at] && worth > own {
                        own = worth;
                        policy[at] = choice;
                        improved[at] = true;
                    }
                }
            }
            if !improved.contains(&true) {
                return Ok((policy, home, gain, often));
            }
            home = self.led_home(&mut policy, home, &improved, budget)?;
        }
        Err(Trouble::Undecided(
            "too many policies for a long-run average".to_owned(),
        ))
    }

    /// Bounds of the best average, as near as this, in doubles, proved with room for rounding.
    pub fn bounds(&self, relative: f64, budget: &Budget) -> Result<Bounds, Trouble> {
        if self
            .choices
            .iter()
            .flatten()
            .all(|&choice| self.earned(choice) == 0.0)
        {
            let nothing = Gain {
                average: 0.0,
                potentials: vec![0.0; self.size()],
            };
            return Ok(Bounds {
                lower: nothing.clone(),
                upper: nothing,
            });
        }
        let (policy, home, gain, often) = self.best(0.0, None, budget)?;
        let size = gain
            .potentials
            .iter()
            .fold(gain.average.abs(), |most, own| most.max(own.abs()));
        let width = relative
            * if gain.average == 0.0 {
                1e-3 * size.max(1e-9)
            } else {
                gain.average.abs()
            };
        let mut extra = (width / often / 4.0).max(f64::MIN_POSITIVE);
        for _ in 0..6 {
            let (_, _, mut upper, _) = self.best(extra, Some((policy.clone(), home)), budget)?;
            let (mut lower, _) = self.evaluate(&policy, home, -extra, budget)?;
            upper.average = upper.average.next_up();
            lower.average = lower.average.next_down();
            if self.covers(&upper, budget)? && self.is_kept(&lower, &policy) {
                return Ok(Bounds { lower, upper });
            }
            extra *= 8.0;
        }
        let message = "rounding errors are too large for the bounds of a long-run average";
        Err(Trouble::Undecided(message.to_owned()))
    }

    /// How much rounding may have changed the worth of a choice, generously.
    fn slack(&self, choice: usize, gain: &Gain<f64>) -> f64 {
        let own = self.earned(choice).abs() + (gain.average * self.duration(choice)).abs();
        let sum = self.steps(choice).fold(own, |sum, (target, value)| {
            sum + self.model.numbers.float(value) * gain.potentials[target].abs()
        });
        let terms = self.model.row(choice).len() + 4;
        terms as f64 * 4.0 * f64::EPSILON * sum
    }

    /// Whether no choice is worth more than the potential of its state.
    fn covers(&self, gain: &Gain<f64>, budget: &Budget) -> Result<bool, Trouble> {
        for (at, choices) in self.choices.iter().enumerate() {
            budget.check()?;
            let exceeds = |&choice: &usize| {
                let worth = self.worth(choice, gain, 0.0) + self.slack(choice, gain);
                worth > gain.potentials[at]
            };
            if choices.iter().any(exceeds) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the choices of a policy are worth at least the potential of their state.
    fn is_kept(&self, gain: &Gain<f64>, policy: &[usize]) -> bool {
        policy.iter().enumerate().all(|(at, &choice)| {
            self.worth(choice, gain, 0.0) - self.slack(choice, gain) >= gain.potentials[at]
        })
    }

    /// The best average itself.
    pub fn exactly(&self, budget: &Budget) -> Result<Gain<Rational>, Trouble> {
        let (mut policy, mut home, ..) = self.best(0.0, None, budget)?;
        for _ in 0..MOST_POLICIES {
            let gain = self.evaluate_exactly(&policy, home, budget)?;
            let mut improved = vec![false; self.size()];
            for (at, choices) in self.choices.iter().enumerate() {
                budget.check()?;
                let mut own = gain.potentials[at].clone();
                for &choice in choices {
                    let worth = self.exact_worth(choice, &gain);
                    if worth > own {
                        own = worth;
                        policy[at] = choice;
                        improved[at] = true;
                    }
                }
            }
            if !improved.contains(&true) {
                return Ok(gain);
            }
            home = self.led_home(&mut policy, home, &improved, budget)?;
        }
        Err(Trouble::Undecided(
            "too many policies for a long-run average".to_owned(),
        ))
    }

    fn exact_worth(&self, choice: usize, gain: &Gain<Rational>) -> Rational {
        let numbers = &self.model.numbers;
        let own = self.exactly_earned(choice) - &gain.average * numbers.exact(self.durations[choice]);
        self.steps(choice).fold(own, |sum, (target, value)| {
            sum + numbers.exact(value) * &gain.potentials[target]
        })
    }

    fn exactly_earned(&self, choice: usize) -> Rational {
        let sign = from_float(self.sign).unwrap_or(Rational::ONE);
        sign * self.model.numbers.exact(self.earned[choice])
    }

    /// What a policy is worth, by elimination of what is earned and how long it takes until it comes home.
    fn evaluate_exactly(
        &self,
        policy: &[usize],
        home: usize,
        budget: &Budget,
    ) -> Result<Gain<Rational>, Trouble> {
        let numbers = &self.model.numbers;
        let until_home = |constant: &dyn Fn(usize) -> Rational| -> Result<Vec<Rational>, Trouble> {
            let mut equations = Vec::with_capacity(self.size());
            for (at, &choice) in policy.iter().enumerate() {
                let mut equation = Equation {
                    constant: constant(choice),
                    ..Equation::default()
                };
                for (target, value) in self
                    .steps(choice)
                    .filter(|&(target, _)| target != home && at != home)
                {
                    *equation
                        .coefficients
                        .entry(target as u32)
                        .or_insert(Rational::ZERO) += numbers.exact(value);
                }
                equations.push(equation);
            }
            let mut values = elimination::solve(equations, budget).map_err(|error| match error {
                EliminationError::Spent(spent) => Trouble::Spent(spent),
                EliminationError::Singular => {
                    Trouble::Undecided("a policy does not come back to one state".to_owned())
                }
            })?;
            // A whole round, for the state itself.
            let after = self.steps(policy[home]).filter(|&(target, _)| target != home);
            values[home] = after.fold(constant(policy[home]), |sum, (target, value)| {
                sum + numbers.exact(value) * &values[target]
            });
            Ok(values)
        };
        let earned = until_home(&|choice| self.exactly_earned(choice))?;
        let taken = until_home(&|choice| numbers.exact(self.durations[choice]).clone())?;
        if taken[home] <= Rational::ZERO {
            return Err(Trouble::Unsupported(
                "a component in which no time passes".to_owned(),
            ));
        }
        let average = &earned[home] / &taken[home];
        let both = earned.iter().zip(&taken);
        let potentials = both.map(|(earned, taken)| earned - &average * taken).collect();
        Ok(Gain { average, potentials })
    }
}

/// Whether some end component takes no time.
pub(crate) fn stands_still(
    model: &Sparse,
    durations: &[Num],
    everywhere: &fixedbitset::FixedBitSet,
    budget: &Budget,
) -> Result<bool, Trouble> {
    let quick = |choice: usize| durations[choice] == Numbers::ZERO;
    Ok(!crate::components::end_components(model, everywhere, &quick, budget)?.is_empty())
}
