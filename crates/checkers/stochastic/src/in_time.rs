//! Operators over a time, by a second computation: continuous-time chains and Markov automata.

use crate::automata::Automaton;
use crate::check::{Evaluation, NotConfirmed};
use crate::continuous::Pieces;
use crate::graph;
use crate::second::{Intervals, contains, overlaps};
use entail_markov::{Bounds, Bracket, Optimum, Rational, Row, naive};

impl Evaluation<'_> {
    /// The probability of `stay U goal` within a time, computed again.
    pub(crate) fn until_in_time(
        &mut self,
        stay: &[bool],
        goal: &[bool],
        bounds: &Bounds,
    ) -> Result<Bracket, NotConfirmed> {
        let first = bounds
            .lower
            .as_ref()
            .map_or(Rational::ZERO, |limit| limit.value.clone());
        let Some(last) = bounds.upper.as_ref().map(|limit| &limit.value) else {
            return Err(NotConfirmed::Unchecked("time bounds without an end".to_owned()));
        };
        if first > *last || first < Rational::ZERO {
            return Err(NotConfirmed::Unchecked("an empty interval of time".to_owned()));
        }
        let moving: Vec<bool> = stay.iter().zip(goal).map(|(stay, goal)| *stay && !goal).collect();
        let mut values = self.after(Intervals::indicator(goal), &moving, &(last - &first))?;
        if first > Rational::ZERO {
            for state in (0..stay.len()).filter(|&state| !stay[state]) {
                (values.lower[state], values.upper[state]) = (0.0, 0.0);
            }
            values = self.after(values, stay, &first)?;
        }
        for value in &mut values.upper {
            *value = value.min(1.0);
        }
        self.accept_computed(values)
    }

    /// The same in a Markov automaton: more and more pieces until the enclosure is as narrow as the claim.
    pub(crate) fn until_in_random_time(
        &mut self,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        bounds: &Bounds,
    ) -> Result<Bracket, NotConfirmed> {
        let unchecked = |what: &str| NotConfirmed::Unchecked(what.to_owned());
        let claimed = self.next_bracket()?.clone();
        let zero = Rational::ZERO;
        let first = bounds.lower.as_ref().map_or(&zero, |limit| &limit.value);
        let Some(last) = bounds.upper.as_ref().map(|limit| &limit.value) else {
            return Err(unchecked("time bounds without an end"));
        };
        if first > last {
            return Err(unchecked("an empty interval of time"));
        }
        let (model, budget) = (&self.checker.model, self.budget);
        let nowhere = vec![false; stay.len()];
        let hopeful = graph::reach_some(model, stay, goal, budget)?;
        let moving: Vec<bool> = stay
            .iter()
            .zip(&hopeful)
            .map(|(stay, hope)| *stay && *hope)
            .collect();
        let second = Automaton::new(model, optimum, &moving, goal, budget)?;
        let phase = Automaton::new(model, optimum, &moving, &nowhere, budget)?;
        let (Some(second), Some(phase)) = (second, phase) else {
            return Err(unchecked("time bounds where cycles take no time"));
        };
        let length = last - first;
        enclosed(&claimed, |doubled| {
            let pieces = second.pieces(&length) << doubled;
            let mut values = second.earlier(Intervals::indicator(goal), &length, pieces, budget)?;
            if *first > Rational::ZERO {
                for state in (0..stay.len()).filter(|&state| !stay[state]) {
                    (values.lower[state], values.upper[state]) = (0.0, 0.0);
                }
                values = phase.earlier(values, first, phase.pieces(first) << doubled, budget)?;
            }
            Ok(values)
        })
    }

    /// Rewards of a Markov automaton over a time, or at its end.
    pub(crate) fn reward_in_random_time(
        &mut self,
        optimum: Optimum,
        structure: usize,
        time: &Rational,
        instant: bool,
    ) -> Result<Bracket, NotConfirmed> {
        let claimed = self.next_bracket()?.clone();
        let (model, budget) = (&self.checker.model, self.budget);
        let size = model.rows.len();
        let zero = Rational::ZERO;
        let earned = |state: usize, row: &Row| match instant {
            true => Rational::ZERO,
            false => naive::step_value(model, structure, state, row),
        };
        let is_negative = |state: usize| {
            model.state_rewards[structure][state] < zero
                || model.rows[state].iter().any(|row| earned(state, row) < zero)
        };
        if *time < zero || (0..size).any(is_negative) {
            return Err(NotConfirmed::Unchecked("negative rewards or times".to_owned()));
        }
        let automaton = Automaton::new(model, optimum, &vec![true; size], &vec![false; size], budget)?;
        let Some(automaton) = automaton else {
            let what = "time bounds where cycles take no time";
            return Err(NotConfirmed::Unchecked(what.to_owned()));
        };
        let automaton = automaton.paying(model, earned);
        let pieces = automaton.pieces(time);
        enclosed(&claimed, |doubled| {
            let worth = match instant {
                true => Intervals::of(&model.state_rewards[structure]),
                false => Intervals::indicator(&vec![false; size]),
            };
            Ok(automaton.earlier(worth, time, pieces << doubled, budget)?)
        })
    }

    fn pieces(&self, time: &Rational) -> Result<Pieces, NotConfirmed> {
        let pieces = Pieces::new(&self.checker.model, time, self.budget)?;
        pieces.ok_or_else(|| NotConfirmed::Unchecked("rates times time are too large".to_owned()))
    }

    fn after(&self, values: Intervals, moving: &[bool], time: &Rational) -> Result<Intervals, NotConfirmed> {
        if time.is_zero() {
            return Ok(values);
        }
        Ok(self.pieces(time)?.after(values, moving, self.budget)?)
    }

    /// Rewards of a continuous-time chain over a time, or at its end, computed again.
    pub(crate) fn reward_in_time(
        &mut self,
        structure: usize,
        time: &Rational,
        instant: bool,
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        let rate = |(state, rows): (usize, &Vec<Row>)| {
            let per_step = naive::step_value(model, structure, state, &rows[0]);
            per_step * rows[0].rate.clone().unwrap_or(Rational::ONE)
        };
        let rates: Vec<Rational> = match instant {
            true => model.state_rewards[structure].clone(),
            false => model.rows.iter().enumerate().map(rate).collect(),
        };
        if rates.iter().any(|rate| *rate < Rational::ZERO) {
            return Err(NotConfirmed::Unchecked("negative rewards".to_owned()));
        }
        let values = match instant {
            true => self.after(Intervals::of(&rates), &vec![true; rates.len()], time)?,
            false => self.pieces(time)?.earned(&Intervals::of(&rates), self.budget)?,
        };
        self.accept_computed(values)
    }
}

/// Accepts a claim if an enclosure, made narrower and narrower, comes to lie in it.
fn enclosed(
    claimed: &Bracket,
    mut narrower: impl FnMut(u32) -> Result<Intervals, NotConfirmed>,
) -> Result<Bracket, NotConfirmed> {
    for doubled in 0..20 {
        let values = narrower(doubled)?;
        if contains(claimed, &values) {
            return Ok(claimed.clone());
        }
        if !overlaps(claimed, &values) {
            return Err(NotConfirmed::Wrong(
                "a second computation finds values outside of the bounds".to_owned(),
            ));
        }
    }
    let what = "a second computation of time bounds is not narrow enough";
    Err(NotConfirmed::Unchecked(what.to_owned()))
}
