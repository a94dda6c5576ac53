//! Long-run averages of models with choices, judged by potentials (Howard 1960, Denardo and Fox 1968).
//!
//! The certificate has, for every state of a maximal end component, bounds `g` of what the component is worth and potentials `h`. With `τ` for how long a step takes and `r` for
//! what it earns, no policy inside earns more than `g` if `g·τ + h ≥ r + Σ p h` for all choices that stay inside: summed over many steps, what is earned is at most `g` times the time, up to
//! potentials, which are bounded. A policy earns at least `g` if its choices fulfil the opposite. There must be no end component that takes no time.
//!
//! Every run stays in an end component at last. So the greatest average is the greatest chance of a prize: the model gets two ends, *won* and *lost*, and in every component a choice
//! to stop, which wins with the share of the component's worth between the least and the greatest one. Its values are judged as those of any reachability.

use crate::check::{Evaluation, NotConfirmed};
use crate::components::end_components;
use crate::inequality::{Nature, Side, compare, value};
use crate::long_run::duration;
use crate::operators;
use entail_markov::{Bracket, Explicit, Kind, Optimum, Rational, Row};
use std::cmp::Ordering;

fn wrong<T>(what: &str, state: usize) -> Result<T, NotConfirmed> {
    Err(NotConfirmed::Wrong(format!("{what} (state {state})")))
}

impl Evaluation<'_> {
    /// The optimal long-run average of what steps earn.
    pub(crate) fn long_run_of_choices(
        &mut self,
        optimum: Optimum,
        earned: &dyn Fn(usize, &Row) -> Rational,
    ) -> Result<Bracket, NotConfirmed> {
        let (averages, potentials) = (self.next_bracket()?.clone(), self.next_bracket()?.clone());
        let model = &self.checker.model;
        let size = model.rows.len();
        if [&averages, &potentials]
            .iter()
            .any(|bracket| bracket.len() != size)
        {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
        let everywhere = vec![true; size];
        let quick = |state: usize, at: usize| duration(model, &model.rows[state][at]).is_zero();
        if !end_components(&model.rows, &everywhere, &quick, self.budget)?.is_empty() {
            let message = "choices that take no time can go on for ever";
            return Err(NotConfirmed::Wrong(message.to_owned()));
        }
        let components = end_components(&model.rows, &everywhere, &|_, _| true, self.budget)?;
        // The least is the greatest of what is negated.
        let earned = |state: usize, row: &Row| match optimum {
            Optimum::Max => earned(state, row),
            Optimum::Min => -earned(state, row),
        };
        let mut member = vec![usize::MAX; size];
        for (at, component) in components.iter().enumerate() {
            component.iter().for_each(|&state| member[state] = at);
        }
        for component in &components {
            self.worth(component, &member, &averages, &potentials, &earned)?;
        }
        let best = self.best_component(&components, &averages)?;
        let ends = match optimum {
            Optimum::Max => best,
            Optimum::Min => best.into_iter().map(|(low, high)| (-high, -low)).collect(),
        };
        let claimed = self.next_bracket()?.clone();
        if claimed.len() != size {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
        for (state, (low, high)) in ends.into_iter().enumerate() {
            let fine = claimed.lower(state).is_some_and(|lower| lower <= low)
                && claimed.upper(state).is_some_and(|upper| high <= upper);
            if !fine {
                return wrong("an average is not proved", state);
            }
        }
        Ok(claimed)
    }

    /// Judges the bounds of what a component is worth.
    fn worth(
        &self,
        component: &[usize],
        member: &[usize],
        averages: &Bracket,
        potentials: &Bracket,
        earned: &dyn Fn(usize, &Row) -> Rational,
    ) -> Result<(), NotConfirmed> {
        let model = &self.checker.model;
        let own = member[component[0]];
        for &state in component {
            self.budget.check()?;
            let of = |side: Side| value(averages, state, side);
            let first = |side: Side| value(averages, component[0], side);
            let (Some(low), Some(high)) = (of(Side::Lower), of(Side::Upper)) else {
                return wrong("what a component is worth is not finite", state);
            };
            if first(Side::Lower).as_ref() != Some(&low)
                || first(Side::Upper).as_ref() != Some(&high)
                || low > high
            {
                return wrong("a component is worth several numbers", state);
            }
            let stays = |row: &&Row| {
                row.targets
                    .iter()
                    .all(|(target, _)| member[*target as usize] == own)
            };
            let beside = |row: &Row, average: &Rational, side: Side| {
                let gain = earned(state, row) - average * duration(model, row);
                compare(potentials, side, state, row, &gain, Optimum::Max)
            };
            let mut rows = model.rows[state].iter().filter(stays);
            if rows.any(|row| {
                !matches!(
                    beside(row, &high, Side::Upper),
                    Some(Ordering::Greater | Ordering::Equal)
                )
            }) {
                return wrong("a choice is worth more than the upper potential", state);
            }
            let mut rows = model.rows[state].iter().filter(stays);
            if !rows.any(|row| {
                matches!(
                    beside(row, &low, Side::Lower),
                    Some(Ordering::Less | Ordering::Equal)
                )
            }) {
                return wrong("no choice is worth the lower potential", state);
            }
        }
        Ok(())
    }

    /// Bounds of the greatest expected worth of the component in which runs stay.
    fn best_component(
        &mut self,
        components: &[Vec<usize>],
        averages: &Bracket,
    ) -> Result<Vec<(Rational, Rational)>, NotConfirmed> {
        let size = self.size();
        let worth = |component: &Vec<usize>| {
            let state = component[0];
            Some((averages.lower(state)?, averages.upper(state)?))
        };
        let Some(worths) = components.iter().map(worth).collect::<Option<Vec<_>>>() else {
            return wrong("what a component is worth is not finite", 0);
        };
        let lows = || worths.iter().map(|(low, _)| low);
        let (Some(least), Some(greatest)) = (lows().min().cloned(), lows().max().cloned()) else {
            return wrong("no component", 0);
        };
        let apart = worths
            .iter()
            .map(|(low, high)| high - low)
            .max()
            .unwrap_or(Rational::ZERO);
        let spread = &greatest - &least;
        if spread.is_zero() {
            return Ok(vec![(least.clone(), &least + &apart); size]);
        }
        let bracket = self.next_bracket()?.clone();
        let shares: Vec<Rational> = lows().map(|low| (low - &least) / &spread).collect();
        let stopping = self.model_with_stops(components, &shares);
        let ends = stopping.rows.len();
        let mut goal = vec![false; ends];
        goal[size] = true;
        let asked = (Optimum::Max, Nature::With);
        let wrong = operators::until(&stopping, &vec![true; ends], &goal, asked, &bracket, self.budget)?;
        let bracket = self.judged(&bracket, wrong)?;
        let stretched = |share: Option<Rational>| &least + &spread * share.unwrap_or(Rational::ONE);
        let both = |state: usize| {
            (
                stretched(bracket.lower(state)),
                stretched(bracket.upper(state)) + &apart,
            )
        };
        Ok((0..size).map(both).collect())
    }

    /// The model with the ends *won* and *lost*, and choices to stop.
    fn model_with_stops(&self, components: &[Vec<usize>], shares: &[Rational]) -> Explicit {
        let model = &self.checker.model;
        let size = model.rows.len();
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
        let (won, lost) = (size as u32, size as u32 + 1);
        let mut rows = model.rows.clone();
        for (component, share) in components.iter().zip(shares) {
            for &state in component {
                rows[state].push(row(vec![(won, share.clone()), (lost, Rational::ONE - share)]));
            }
        }
        rows.extend([won, lost].map(|end| vec![row(vec![(end, Rational::ONE)])]));
        Explicit {
            kind: Kind::Mdp,
            states: vec![Vec::new(); rows.len()],
            rows,
            initial: model.initial.clone(),
            deadlocks: Vec::new(),
            state_rewards: Vec::new(),
        }
    }
}
