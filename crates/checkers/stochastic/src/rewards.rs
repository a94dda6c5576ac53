//! Expected rewards: which certificate, or second computation, judges each kind.

use crate::check::{Evaluation, Followed, NotConfirmed};
use crate::second::{Intervals, enclose};
use crate::signed::is_signed;
use crate::totals;
use entail_markov::{Bracket, Kind, Optimum, Path, Rational, RewardKind, Row, naive};

impl Evaluation<'_> {
    /// An expected reward.
    pub(crate) fn reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        kind: &RewardKind,
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        match kind {
            RewardKind::Reach(Path::Finally(goal, None)) if goal.as_state().is_some() => {
                let goal = match goal.as_state() {
                    Some(goal) => self.set(goal)?,
                    None => {
                        return Err(NotConfirmed::Wrong(
                            "a path formula where states are needed".to_owned(),
                        ));
                    }
                };
                if is_signed(&self.checker.model, structure) {
                    self.built_whole("rewards of both signs")?;
                    return self.signed_reward(structure, &goal);
                }
                self.reward_until(optimum, structure, goal)
            }
            _ if !self.checker.unexplored.is_empty() => Err(NotConfirmed::Unchecked(
                "this reward in a model that was explored in part".to_owned(),
            )),
            RewardKind::Cumulative(steps) | RewardKind::Instant(steps) if !model.kind.is_timed() => {
                let Ok(steps) = u64::try_from(steps.clone()) else {
                    return Err(NotConfirmed::Wrong("a number of steps that is none".to_owned()));
                };
                let instant = matches!(kind, RewardKind::Instant(_));
                let earned: Vec<Vec<(f64, f64)>> = (model.rows.iter().enumerate())
                    .map(|(state, rows)| {
                        let value = |row: &Row| enclose(&naive::step_value(model, structure, state, row));
                        rows.iter().map(value).collect()
                    })
                    .collect();
                if model.state_rewards[structure]
                    .iter()
                    .any(|reward| *reward < Rational::ZERO)
                {
                    return Err(NotConfirmed::Unchecked("negative rewards".to_owned()));
                }
                let mut values = match instant {
                    true => Intervals::of(&model.state_rewards[structure]),
                    false => Intervals::indicator(&vec![false; model.states.len()]),
                };
                if let Some(Followed::Counting(_)) = self.followed {
                    let earned = (!instant).then_some(earned.as_slice());
                    return self.rewards_by_choices(values, steps, earned);
                }
                if model.rows.iter().flatten().all(|row| row.uppers.is_empty()) && self.claims_fractions() {
                    return self.reward_in_fractions(optimum, structure, steps, instant);
                }
                let asked = (optimum, self.nature.of(optimum));
                let budget = self.budget;
                let enclosed = self.enclosed();
                for _ in 0..steps {
                    budget.check_now()?;
                    let earned = (!instant).then_some(earned.as_slice());
                    values = enclosed.step(&values, &|_| true, &|_| (0.0, 0.0), earned, asked, budget)?;
                }
                self.accept_computed(values)
            }
            RewardKind::Cumulative(time) | RewardKind::Instant(time) if model.kind == Kind::Ctmc => {
                self.reward_in_time(structure, time, matches!(kind, RewardKind::Instant(_)))
            }
            RewardKind::Cumulative(time) | RewardKind::Instant(time) => {
                let instant = matches!(kind, RewardKind::Instant(_));
                self.reward_in_random_time(optimum, structure, time, instant)
            }
            RewardKind::Total => {
                let bracket = self.next_bracket()?.clone();
                let model = &self.checker.model;
                let wrong = totals::total(model, structure, (optimum, self.nature), &bracket, self.budget)?;
                self.judged(&bracket, wrong)
            }
            RewardKind::LongRun => self.long_run(optimum, &|state, row: &Row| {
                let value = naive::step_value(&self.checker.model, structure, state, row);
                move |_: &Rational| value.clone()
            }),
            RewardKind::Reach(path) => self.reward_until_path(optimum, structure, path),
        }
    }
}
