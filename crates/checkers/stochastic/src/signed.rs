//! Rewards of both signs in chains: two certificates, for what is earned and for what is paid, and their difference in rationals.

use crate::check::{Evaluation, NotConfirmed};
use crate::inequality::Nature;
use crate::operators;
use crate::second::enclose;
use entail_markov::{Bracket, Explicit, Optimum, Rational, naive};

/// Whether a chain without intervals has a step that costs more than it earns.
pub(crate) fn is_signed(model: &Explicit, structure: usize) -> bool {
    let certain = |row: &entail_markov::Row| row.uppers.is_empty();
    !model.kind.has_choices()
        && model.rows.iter().flatten().all(certain)
        && (model.rows.iter().enumerate()).any(|(state, rows)| {
            (rows.iter()).any(|row| naive::step_value(model, structure, state, row) < Rational::ZERO)
        })
}

/// The model whose only rewards are those of one sign, made positive.
fn part(model: &Explicit, structure: usize, sign: &Rational) -> Explicit {
    let mut part = model.clone();
    part.state_rewards = vec![vec![Rational::ZERO; model.rows.len()]];
    for (state, rows) in part.rows.iter_mut().enumerate() {
        for (at, row) in rows.iter_mut().enumerate() {
            let value = naive::step_value(model, structure, state, &model.rows[state][at]) * sign;
            row.rewards = vec![value.max(Rational::ZERO)];
        }
    }
    part
}

impl Evaluation<'_> {
    /// The expected reward of a chain until a goal.
    pub(crate) fn signed_reward(&mut self, structure: usize, goal: &[bool]) -> Result<Bracket, NotConfirmed> {
        let mut parts = Vec::new();
        for sign in [Rational::ONE, -Rational::ONE] {
            let model = part(&self.checker.model, structure, &sign);
            let bracket = self.next_bracket()?.clone();
            let asked = (Optimum::Max, Nature::With);
            let wrong = operators::reward(&model, 0, goal, asked, &bracket, self.budget)?;
            parts.push(self.judged(&bracket, wrong)?);
        }
        let (gains, losses) = (&parts[0], &parts[1]);
        let exact = matches!((gains, losses), (Bracket::Exact(_), Bracket::Exact(_)));
        let low = |state: usize| Some(gains.lower(state)? - losses.upper(state)?);
        let high = |state: usize| Some(gains.upper(state)? - losses.lower(state)?);
        let states = 0..self.size();
        Ok(match exact {
            true => Bracket::Exact(states.map(low).collect()),
            false => Bracket::Between {
                lower: (states.clone())
                    .map(|state| low(state).map_or(f64::INFINITY, |low| enclose(&low).0))
                    .collect(),
                upper: states
                    .map(|state| high(state).map_or(f64::INFINITY, |high| enclose(&high).1))
                    .collect(),
            },
        })
    }
}
