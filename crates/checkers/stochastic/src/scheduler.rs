//! Schedulers: the chain that a scheduler makes is built from the model, and its own certificate says what it is worth.
//!
//! A scheduler without memory leaves each state one choice. One that reads along with an automaton leaves one to each state of the product, where the accepting
//! components are found again. What one that counts steps is worth is computed step by step, in interval arithmetic. Operators inside of others are about all schedulers.

use crate::check::{Checker, Claim, Evaluation, Followed, Known, NotConfirmed, effective};
use crate::numbers::exact_indicator;
use crate::second::{Enclosed, Intervals};
use crate::until::steps_within;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::{
    Bounds, Bracket, Memory, Optimum, Path, Property, Rational, RewardKind, Row, Strategy, decimal,
};

impl Checker {
    /// Whether a scheduler reaches what is claimed: the chain that it makes is checked with a certificate of its own.
    pub fn check_scheduler(
        &self,
        property: &Property,
        claim: &Claim<'_>,
        strategy: &Strategy,
        budget: &Budget,
    ) -> CheckReport {
        let upwards = match property {
            Property::Probability { optimum, query, .. }
            | Property::Reward { optimum, query, .. }
            | Property::SteadyState { optimum, query, .. } => effective(*optimum, query) == Optimum::Max,
            _ => return CheckReport::rejected("a scheduler for a property that has none"),
        };
        let rows = &self.model.rows;
        let fits = |(choice, rows): (&u32, &Vec<Row>)| (*choice as usize) < rows.len();
        let known = match &strategy.memory {
            Memory::Nothing => {
                // Inner operators are about all schedulers, which the chain does not have any more.
                if !is_flat(property) {
                    return CheckReport::rejected(
                        "a scheduler without memory for operators inside of others",
                    );
                }
                if strategy.choices.len() != rows.len() || !strategy.choices.iter().zip(rows).all(fits) {
                    return CheckReport::rejected("the scheduler takes choices that are not there");
                }
                let mut model = self.model.clone();
                for (rows, &choice) in model.rows.iter_mut().zip(&strategy.choices) {
                    *rows = vec![rows.swap_remove(choice as usize)];
                }
                let chain = Checker {
                    unexplored: self.unexplored.clone(),
                    network: self.network.clone(),
                    model,
                };
                Evaluation::new(&chain, &strategy.certificate, budget).property(property)
            }
            Memory::Automaton { letters } => self.following(
                property,
                strategy,
                Followed::Reading {
                    choices: &strategy.choices,
                    letters,
                },
                budget,
            ),
            Memory::Steps => {
                self.following(property, strategy, Followed::Counting(&strategy.choices), budget)
            }
        };
        let bracket = match known {
            Ok(Known::Numbers(bracket)) => bracket,
            Ok(Known::Truth(truth)) => {
                let mut initial = self.model.initial.iter().map(|&state| truth[state as usize]);
                let found = match initial.clone().any(|truth| truth == Some(false)) {
                    true => Some(Verdict::Fails),
                    false => initial.all(|truth| truth == Some(true)).then_some(Verdict::Holds),
                };
                return match found {
                    Some(verdict) if verdict == claim.verdict => CheckReport::Accepted,
                    Some(_) => CheckReport::rejected("the scheduler does not lead to the verdict"),
                    None => CheckReport::unchecked("the scheduler (its value is too near to the bound)"),
                };
            }
            Ok(Known::Nothing | Known::Points(_)) => {
                return CheckReport::rejected("a scheduler for a value that is none");
            }
            Err(NotConfirmed::Wrong(reason)) => return CheckReport::rejected(format!("scheduler: {reason}")),
            Err(NotConfirmed::Unchecked(what)) => {
                return CheckReport::unchecked(format!("the scheduler ({what})"));
            }
            Err(NotConfirmed::Spent(spent)) => {
                return CheckReport::unchecked(format!("the scheduler ({spent})"));
            }
        };
        let mut initial = self.model.initial.iter();
        let (low, high) = match claim.value {
            Some(Quantity::Infinite) => {
                return match initial.all(|&state| bracket.lower(state as usize).is_none()) {
                    true => CheckReport::Accepted,
                    false => CheckReport::rejected("the value of the scheduler is finite"),
                };
            }
            Some(Quantity::Exact(value)) => (value, value),
            Some(Quantity::Between(low, high)) => (low, high),
            _ => return CheckReport::rejected("a scheduler for a value that is none"),
        };
        let slack = decimal("1e-6").unwrap_or(Rational::ZERO);
        // Zero is met by what is rounded above it.
        let little = decimal("1e-12").unwrap_or(Rational::ZERO);
        let reaches = |state: usize| match upwards {
            true => (bracket.lower(state)).is_none_or(|own| own >= low * (Rational::ONE - &slack)),
            false => {
                (bracket.upper(state)).is_some_and(|own| own <= high * (Rational::ONE + &slack) + &little)
            }
        };
        match initial.all(|&state| reaches(state as usize)) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected("the scheduler does not reach the value"),
        }
    }

    /// What a property is worth if its operator follows a scheduler with memory.
    fn following<'c>(
        &'c self,
        property: &Property,
        strategy: &'c Strategy,
        followed: Followed<'c>,
        budget: &'c Budget,
    ) -> Result<Known, NotConfirmed> {
        let mut evaluation = Evaluation::new(self, &strategy.certificate, budget);
        evaluation.followed = Some(followed);
        let known = evaluation.property(property)?;
        match evaluation.followed {
            None => Ok(known),
            Some(_) => Err(NotConfirmed::Wrong("a scheduler of another kind".to_owned())),
        }
    }
}

impl<'c> Evaluation<'c> {
    /// Leaves each state of a product the choice of the scheduler that is followed, if one is.
    pub(crate) fn follow_reading(
        &mut self,
        letters: &[usize],
        rows: &mut [Vec<Row>],
    ) -> Result<(), NotConfirmed> {
        let Some(followed) = self.followed.take() else {
            return Ok(());
        };
        let Followed::Reading {
            choices,
            letters: claimed,
        } = followed
        else {
            return Err(NotConfirmed::Wrong("a scheduler that counts steps".to_owned()));
        };
        let same = |(letter, claimed): (&usize, &u32)| *letter == *claimed as usize;
        if letters.len() != claimed.len() || !letters.iter().zip(claimed).all(same) {
            return Err(NotConfirmed::Wrong(
                "the scheduler reads other sets than the formula".to_owned(),
            ));
        }
        let fits = |(choice, rows): (&u32, &Vec<Row>)| (*choice as usize) < rows.len();
        if choices.len() != rows.len() || !choices.iter().zip(rows.iter()).all(fits) {
            return Err(NotConfirmed::Wrong(
                "the scheduler takes choices that are not there".to_owned(),
            ));
        }
        for (rows, &choice) in rows.iter_mut().zip(choices) {
            *rows = vec![rows.swap_remove(choice as usize)];
        }
        Ok(())
    }

    /// The choices of so many steps, by step and state, of the scheduler that is followed.
    fn counted(&mut self, steps: u64) -> Result<Vec<&'c [u32]>, NotConfirmed> {
        let rows = &self.checker.model.rows;
        let choices = match self.followed.take() {
            Some(Followed::Counting(choices)) => choices,
            _ => return Err(NotConfirmed::Wrong("a scheduler of another kind".to_owned())),
        };
        let fits = |(choice, rows): (&u32, &Vec<Row>)| (*choice as usize) < rows.len();
        let by_step: Vec<&[u32]> = choices.chunks(rows.len()).collect();
        let all = |step: &&'c [u32]| step.len() == rows.len() && step.iter().zip(rows).all(fits);
        match by_step.len() as u64 == steps && by_step.iter().all(all) {
            true => Ok(by_step),
            false => Err(NotConfirmed::Wrong(
                "the scheduler takes choices that are not there".to_owned(),
            )),
        }
    }

    /// The probability of `stay U goal` within bounds on steps, by the choices of the scheduler that is followed.
    pub(crate) fn until_by_choices(
        &mut self,
        stay: &[bool],
        goal: &[bool],
        bounds: &Bounds,
    ) -> Result<Bracket, NotConfirmed> {
        let within = steps_within(bounds).filter(|_| bounds.is_time() && !self.checker.model.kind.is_timed());
        let Some((first, last)) = within else {
            return Err(NotConfirmed::Unchecked("a scheduler for other bounds".to_owned()));
        };
        if first > last {
            self.counted(0)?;
            return Ok(exact_indicator(&vec![false; goal.len()]));
        }
        let budget = self.budget;
        let choices = self.counted(last)?;
        let extreme = (Optimum::Max, Optimum::Max);
        let mut values = Intervals::indicator(goal);
        let enclosed = Enclosed::new(&self.checker.model);
        for step in (0..last).rev() {
            budget.check_now()?;
            let early = step < first;
            let moving = |state: usize| stay[state] && (early || !goal[state]);
            let otherwise = |state: usize| {
                if !early && goal[state] {
                    (1.0, 1.0)
                } else {
                    (0.0, 0.0)
                }
            };
            let own = enclosed.along(choices[step as usize]);
            values = own.step(&values, &moving, &otherwise, None, extreme, budget)?;
        }
        Ok(between(values))
    }

    /// What is earned in so many steps, or after them, by the choices of the scheduler that is followed.
    pub(crate) fn rewards_by_choices(
        &mut self,
        mut values: Intervals,
        steps: u64,
        earned: Option<&[Vec<(f64, f64)>]>,
    ) -> Result<Bracket, NotConfirmed> {
        let budget = self.budget;
        let choices = self.counted(steps)?;
        let extreme = (Optimum::Max, Optimum::Max);
        let enclosed = Enclosed::new(&self.checker.model);
        for chosen in choices.iter().rev() {
            budget.check_now()?;
            let own: Option<Vec<Vec<(f64, f64)>>> = earned.map(|earned| {
                let only = |(rows, &at): (&Vec<(f64, f64)>, &u32)| vec![rows[at as usize]];
                earned.iter().zip(*chosen).map(only).collect()
            });
            let along = enclosed.along(chosen);
            values = along.step(
                &values,
                &|_| true,
                &|_| (0.0, 0.0),
                own.as_deref(),
                extreme,
                budget,
            )?;
        }
        Ok(between(values))
    }
}

fn between(values: Intervals) -> Bracket {
    Bracket::Between {
        lower: values.lower,
        upper: values.upper,
    }
}

/// Whether there are no operators inside of the outermost one.
fn is_flat(property: &Property) -> bool {
    match property {
        Property::Probability { path, .. } => is_flat_path(path),
        Property::Reward { kind, .. } => match kind {
            RewardKind::Reach(path) => is_flat_path(path),
            _ => true,
        },
        Property::SteadyState { states, .. } => is_plain(states),
        _ => false,
    }
}

fn is_flat_path(path: &Path) -> bool {
    match path {
        Path::State(states) => is_plain(states),
        Path::Not(inner) | Path::Next(inner) | Path::Finally(inner, _) | Path::Globally(inner, _) => {
            is_flat_path(inner)
        }
        Path::And(a, b) | Path::Or(a, b) | Path::Implies(a, b) | Path::Iff(a, b) => {
            is_flat_path(a) && is_flat_path(b)
        }
        Path::Until(a, b, _) | Path::WeakUntil(a, b, _) | Path::Release(a, b, _) => {
            is_flat_path(a) && is_flat_path(b)
        }
    }
}

/// Whether a set of states is told by their variables alone.
fn is_plain(property: &Property) -> bool {
    match property {
        Property::Expr(_) | Property::Init | Property::Deadlock | Property::Unexplored => true,
        Property::Unary(_, inner) => is_plain(inner),
        Property::Binary(_, left, right) => is_plain(left) && is_plain(right),
        Property::If(condition, yes, no) => is_plain(condition) && is_plain(yes) && is_plain(no),
        _ => false,
    }
}
