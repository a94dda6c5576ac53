//! Operators over a number of steps for which a certificate claims fractions: computed a second time, in rationals, from their definitions.

use crate::check::{Evaluation, NotConfirmed};
use entail_markov::{Bracket, Optimum, Rational, Row, naive};

impl Evaluation<'_> {
    /// Whether the next operator of the certificate has exact values.
    pub(crate) fn claims_fractions(&self) -> bool {
        matches!(self.brackets.clone().next(), Some(Bracket::Exact(_)))
    }

    /// The probability of being in `goal` first between two steps, and in `stay` before.
    pub(crate) fn until_in_fractions(
        &mut self,
        optimum: Optimum,
        (stay, goal): (&[bool], &[bool]),
        (first, last): (u64, u64),
    ) -> Result<Bracket, NotConfirmed> {
        let truth = |inside: bool| if inside { Rational::ONE } else { Rational::ZERO };
        let mut values: Vec<Rational> = goal.iter().map(|&inside| truth(inside)).collect();
        for step in (0..last).rev() {
            let late = step >= first;
            let ended = |state: usize| match late && goal[state] {
                true => Some(Rational::ONE),
                false => (!stay[state]).then_some(Rational::ZERO),
            };
            values = self.step_in_fractions(optimum, &values, &ended, None)?;
        }
        self.accept_fractions(values)
    }

    /// The reward of so many steps, or that of the state after them.
    pub(crate) fn reward_in_fractions(
        &mut self,
        optimum: Optimum,
        structure: usize,
        steps: u64,
        instant: bool,
    ) -> Result<Bracket, NotConfirmed> {
        let mut values = match instant {
            true => self.checker.model.state_rewards[structure].clone(),
            false => vec![Rational::ZERO; self.size()],
        };
        let earned = (!instant).then_some(structure);
        for _ in 0..steps {
            values = self.step_in_fractions(optimum, &values, &|_| None, earned)?;
        }
        self.accept_fractions(values)
    }

    fn step_in_fractions(
        &self,
        optimum: Optimum,
        values: &[Rational],
        ended: &dyn Fn(usize) -> Option<Rational>,
        earned: Option<usize>,
    ) -> Result<Vec<Rational>, NotConfirmed> {
        let model = &self.checker.model;
        let mut next = Vec::with_capacity(values.len());
        for (state, rows) in model.rows.iter().enumerate() {
            self.budget.check()?;
            if let Some(value) = ended(state) {
                next.push(value);
                continue;
            }
            let worth = |row: &Row| {
                let earned = match earned {
                    Some(structure) => naive::step_value(model, structure, state, row),
                    None => Rational::ZERO,
                };
                let targets = row.targets.iter();
                targets.fold(earned, |sum, (target, probability)| {
                    sum + probability * &values[*target as usize]
                })
            };
            let all = rows.iter().map(worth);
            let best = match optimum {
                Optimum::Max => all.max(),
                Optimum::Min => all.min(),
            };
            next.push(best.unwrap_or(Rational::ZERO));
        }
        Ok(next)
    }

    fn accept_fractions(&mut self, computed: Vec<Rational>) -> Result<Bracket, NotConfirmed> {
        let claimed = self.next_bracket()?.clone();
        let computed = Bracket::Exact(computed.into_iter().map(Some).collect());
        match claimed == computed {
            true => Ok(claimed),
            false => Err(NotConfirmed::Wrong(
                "a second computation finds other values".to_owned(),
            )),
        }
    }
}
