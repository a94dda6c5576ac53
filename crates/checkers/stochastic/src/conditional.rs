//! Conditional probabilities of models with choices, judged on the model in which runs that miss the condition begin again (Baier et al. 2014).
//!
//! The certificate has the chances of the condition and of the event from every state, which are judged first; then the values of one or two models that are made from
//! them here: with the lower ends of the chances for a lower bound, with the upper ends for an upper one (one model is enough if they are exact).

use crate::check::{Evaluation, NotConfirmed};
use crate::graph;
use crate::inequality::{Nature, Side, value};
use crate::numbers::complement;
use crate::operators;
use entail_markov::{Bracket, Explicit, Kind, Optimum, Rational, Row};

impl Evaluation<'_> {
    /// The optimal probability of reaching `event` if `condition` is reached, from the initial state; the same number for every state.
    pub(crate) fn conditional(
        &mut self,
        optimum: Optimum,
        event: &[bool],
        condition: &[bool],
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        let everywhere = vec![true; self.size()];
        let &[initial] = &model.initial[..] else {
            return Err(NotConfirmed::Wrong("there is not one initial state".to_owned()));
        };
        if model.rows.iter().flatten().any(|row| !row.uppers.is_empty()) {
            return Err(NotConfirmed::Unchecked(
                "conditional probabilities of interval models".to_owned(),
            ));
        }
        if !graph::reach_some(model, &everywhere, condition, self.budget)?[initial as usize] {
            return Err(NotConfirmed::Wrong("the condition has no chance".to_owned()));
        }
        let mut chances = Vec::new();
        for goal in [condition, event] {
            let bracket = self.next_bracket()?.clone();
            let asked = (optimum, Nature::With);
            let wrong = operators::until(
                &self.checker.model,
                &everywhere,
                goal,
                asked,
                &bracket,
                self.budget,
            )?;
            chances.push(self.judged(&bracket, wrong)?);
        }
        let exact = chances.iter().all(|chance| matches!(chance, Bracket::Exact(_)));
        let low = self.begun_again(optimum, event, condition, &chances, Side::Lower)?;
        let high = match exact {
            true => low.clone(),
            false => self.begun_again(optimum, event, condition, &chances, Side::Upper)?,
        };
        let (size, initial) = (self.size(), initial as usize);
        match (&low, &high) {
            (Bracket::Exact(values), Bracket::Exact(_)) if exact => {
                Ok(Bracket::Exact(vec![values[initial].clone(); size]))
            }
            _ => {
                let end = |bracket: &Bracket, side: Side| {
                    value(bracket, initial, side).map_or(f64::INFINITY, |end| {
                        let (below, above) = crate::second::enclose(&end);
                        if side == Side::Lower { below } else { above }
                    })
                };
                Ok(Bracket::Between {
                    lower: vec![end(&low, Side::Lower); size],
                    upper: vec![end(&high, Side::Upper); size],
                })
            }
        }
    }

    /// The judged values of the model with ways back to the beginning.
    fn begun_again(
        &mut self,
        optimum: Optimum,
        event: &[bool],
        condition: &[bool],
        chances: &[Bracket],
        side: Side,
    ) -> Result<Bracket, NotConfirmed> {
        let bracket = self.next_bracket()?.clone();
        let again = self.model_with_ways_back(event, condition, chances, side)?;
        let ends = again.rows.len();
        let mut goal = vec![false; ends];
        goal[if optimum == Optimum::Max {
            ends - 2
        } else {
            ends - 1
        }] = true;
        let asked = (Optimum::Max, Nature::With);
        let wrong = operators::until(&again, &vec![true; ends], &goal, asked, &bracket, self.budget)?;
        let bracket = self.judged(&bracket, wrong)?;
        Ok(match optimum {
            Optimum::Max => bracket,
            Optimum::Min => complement(bracket),
        })
    }

    /// States after the model's own: both were reached; only the condition was.
    fn model_with_ways_back(
        &self,
        event: &[bool],
        condition: &[bool],
        chances: &[Bracket],
        side: Side,
    ) -> Result<Explicit, NotConfirmed> {
        let model = &self.checker.model;
        let size = model.rows.len();
        let (initial, both, only) = (model.initial[0], size as u32, size as u32 + 1);
        let row = |targets: Vec<(u32, Rational)>| Row {
            action: None,
            rate: None,
            targets: targets
                .into_iter()
                .filter(|(_, share)| !share.is_zero())
                .collect(),
            uppers: Vec::new(),
            rewards: Vec::new(),
        };
        let between = |of: &Bracket, state: usize, otherwise: u32| {
            let chance = value(of, state, side).unwrap_or(Rational::ONE);
            let chance = chance.max(Rational::ZERO).min(Rational::ONE);
            let rest = Rational::ONE - &chance;
            vec![row(vec![(both, chance), (otherwise, rest)])]
        };
        // Where some scheduler stays away from both sets for ever: the largest set of such states.
        let mut away: Vec<bool> = (0..size)
            .map(|state| !event[state] && !condition[state])
            .collect();
        loop {
            self.budget.check_now()?;
            let leaves = |state: usize| {
                let stays = |row: &Row| row.targets.iter().all(|(target, _)| away[*target as usize]);
                away[state] && !model.rows[state].iter().any(stays)
            };
            let lost: Vec<usize> = (0..size).filter(|&state| leaves(state)).collect();
            if lost.is_empty() {
                break;
            }
            for state in lost {
                away[state] = false;
            }
        }
        let mut rows: Vec<Vec<Row>> = Vec::with_capacity(size + 2);
        for state in 0..size {
            rows.push(if event[state] {
                between(&chances[0], state, initial)
            } else if condition[state] {
                between(&chances[1], state, only)
            } else {
                let mut own = model.rows[state].clone();
                own.extend(away[state].then(|| row(vec![(initial, Rational::ONE)])));
                own
            });
        }
        for end in [both, only] {
            rows.push(vec![row(vec![(end, Rational::ONE)])]);
        }
        Ok(Explicit {
            kind: Kind::Mdp,
            states: vec![Vec::new(); rows.len()],
            rows,
            initial: vec![initial],
            deadlocks: Vec::new(),
            state_rewards: Vec::new(),
        })
    }
}
