//! Long-run averages of chains, re-proved by renewal.
//!
//! In a bottom component the certificate has one state that is returned to; for the others it brackets what is earned, and how long it takes,
//! until then. Both brackets are proved by induction, the average is what is earned between two visits divided by the time between them.
//! Elsewhere the average is that of the component in which the chain ends up: bounds that no step exceeds.

use crate::check::{Evaluation, NotConfirmed};
use crate::components::end_components;
use entail_markov::{Bracket, Explicit, Kind, Optimum, Rational, Row};

/// How long a step takes on the average.
pub(crate) fn duration(model: &Explicit, row: &Row) -> Rational {
    match (&row.rate, model.kind.is_timed()) {
        (Some(rate), _) => Rational::ONE / rate,
        (None, true) => Rational::ZERO,
        (None, false) => Rational::ONE,
    }
}

impl Evaluation<'_> {
    /// The long-run average of what steps earn, given the time that they take.
    pub(crate) fn long_run<G: Fn(&Rational) -> Rational>(
        &mut self,
        optimum: Optimum,
        earned: &dyn Fn(usize, &Row) -> G,
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        if model.rows.iter().flatten().any(|row| !row.uppers.is_empty()) {
            return Err(NotConfirmed::Unchecked(
                "long-run averages of interval models".to_owned(),
            ));
        }
        if model.kind == Kind::Ma || model.rows.iter().any(|rows| rows.len() > 1) {
            let earned = |state: usize, row: &Row| earned(state, row)(&duration(model, row));
            return self.long_run_of_choices(optimum, &earned);
        }
        let (gains, times, claimed) = (
            self.next_bracket()?.clone(),
            self.next_bracket()?.clone(),
            self.next_bracket()?.clone(),
        );
        let size = model.rows.len();
        let wrong = |what: &str, state: usize| Err(NotConfirmed::Wrong(format!("{what} (state {state})")));
        if [&gains, &times, &claimed]
            .iter()
            .any(|bracket| bracket.len() != size)
        {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
        let time = |state: usize| duration(model, &model.rows[state][0]);
        let gain = |state: usize| earned(state, &model.rows[state][0])(&time(state));
        let everywhere = vec![true; size];
        let components = end_components(&model.rows, &everywhere, &|_, _| true, self.budget)?;
        let mut transient = everywhere;
        for component in &components {
            let zero = |&&state: &&usize| {
                times.lower(state) == Some(Rational::ZERO) && times.upper(state) == Some(Rational::ZERO)
            };
            let chosen: Vec<usize> = component.iter().filter(zero).copied().collect();
            let [chosen] = chosen[..] else {
                return wrong("a component has not one state to return to", component[0]);
            };
            for &state in component {
                transient[state] = false;
                if state == chosen {
                    continue;
                }
                for (bracket, own) in [(&gains, gain(state)), (&times, time(state))] {
                    let (low, high) = one_step(model, bracket, state, chosen, &own).ok_or_else(|| {
                        NotConfirmed::Wrong(format!("a bound in a component is infinite (state {state})"))
                    })?;
                    let fine = bracket.lower(state).is_some_and(|lower| lower <= low)
                        && bracket
                            .upper(state)
                            .is_some_and(|upper| upper >= high && upper >= Rational::ZERO);
                    if !fine {
                        return wrong(
                            "a bound of what happens between two visits is not inductive",
                            state,
                        );
                    }
                }
            }
            let between = |bracket: &Bracket, own: Rational| {
                one_step(model, bracket, chosen, chosen, &own)
                    .ok_or_else(|| NotConfirmed::Wrong("a bound in a component is infinite".to_owned()))
            };
            let (gain_low, gain_high) = between(&gains, gain(chosen))?;
            let (time_low, time_high) = between(&times, time(chosen))?;
            if time_low <= Rational::ZERO {
                return wrong("no time passes in a component", chosen);
            }
            let (low, high) = (gain_low / time_high, gain_high / time_low);
            for &state in component {
                let fine = claimed.lower(state).is_some_and(|lower| lower <= low)
                    && claimed.upper(state).is_none_or(|upper| upper >= high);
                if !fine {
                    return wrong("the average of a component is outside of its bounds", state);
                }
            }
        }
        // Components are reached almost surely, so bounds that no step violates are bounds of what is expected at the end.
        for state in (0..size).filter(|&state| transient[state]) {
            self.budget.check()?;
            let Some((low, high)) = one_step(model, &claimed, state, size, &Rational::ZERO) else {
                return wrong("an average is infinite", state);
            };
            let fine = claimed.lower(state).is_some_and(|lower| lower <= low)
                && claimed.upper(state).is_some_and(|upper| upper >= high);
            if !fine {
                return wrong("the bounds of an average are violated after one step", state);
            }
        }
        Ok(claimed)
    }
}

/// `own + Σ p x` for the lower and the upper values; those of `stop` count as zero.
fn one_step(
    model: &Explicit,
    bracket: &Bracket,
    state: usize,
    stop: usize,
    own: &Rational,
) -> Option<(Rational, Rational)> {
    let (mut low, mut high) = (own.clone(), own.clone());
    for (target, probability) in &model.rows[state][0].targets {
        let target = *target as usize;
        if target == stop {
            continue;
        }
        low += probability * bracket.lower(target)?;
        high += probability * bracket.upper(target)?;
    }
    Some((low, high))
}
