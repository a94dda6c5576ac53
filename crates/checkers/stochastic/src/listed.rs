//! The values that `filter(print, …)` lists: each must be what the certificate proves for its state, and none may be left out.

use crate::check::{Checker, Evaluation, Known, NotConfirmed};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_markov::{Aggregate, Bracket, Certificate, Listed, ListedValue, Property, Rational};

impl Checker {
    /// Whether the values of states are those that a certificate proves.
    pub fn check_listed(
        &self,
        property: &Property,
        listed: &[Listed],
        certificate: &Certificate,
        fair: bool,
        budget: &Budget,
    ) -> CheckReport {
        let Property::Filter {
            aggregate: aggregate @ (Aggregate::Print | Aggregate::PrintAll),
            property,
            states,
        } = property
        else {
            return CheckReport::rejected("values of states that nobody asked for");
        };
        let mut evaluation = Evaluation::new(self, certificate, budget);
        evaluation.fair = fair && self.model.kind.has_choices();
        let mut known = || -> Result<(Vec<bool>, Known), NotConfirmed> {
            Ok((evaluation.set(states)?, evaluation.property(property)?))
        };
        let (states, known) = match known() {
            Ok(known) => known,
            Err(NotConfirmed::Wrong(reason)) => return CheckReport::rejected(reason),
            Err(NotConfirmed::Unchecked(what)) => return CheckReport::unchecked(what),
            Err(NotConfirmed::Spent(spent)) => {
                return CheckReport::unchecked(format!("the values of states ({spent})"));
            }
        };
        let nothing = match known {
            Known::Truth(_) => ListedValue::Truth(false),
            _ => ListedValue::of(&Bracket::Exact(vec![Some(Rational::ZERO)]), 0),
        };
        let mut rest = listed.iter().peekable();
        for state in (0..states.len()).filter(|&state| states[state]) {
            let claimed = match rest.next_if(|listed| listed.state as usize == state) {
                Some(listed) => &listed.value,
                None if *aggregate == Aggregate::Print => &nothing,
                None => return CheckReport::rejected("a state is not listed"),
            };
            if !is_proved(&known, state, claimed) {
                return CheckReport::rejected(format!("another value of state {state} is listed"));
            }
        }
        match rest.next() {
            None => CheckReport::Accepted,
            Some(_) => CheckReport::rejected("a state is listed that was not asked for"),
        }
    }
}

/// Whether what is claimed about a state contains what is known.
fn is_proved(known: &Known, state: usize, claimed: &ListedValue) -> bool {
    match (known, claimed) {
        (Known::Truth(truth), ListedValue::Truth(claimed)) => truth[state] == Some(*claimed),
        (Known::Numbers(bracket), ListedValue::Between(..)) => {
            let Some((low, high)) = claimed.bounds() else {
                return false;
            };
            // Nothing is infinity.
            let below = match (&low, bracket.lower(state)) {
                (None, own) => own.is_none(),
                (Some(low), own) => own.is_none_or(|own| *low <= own),
            };
            let above = match (&high, bracket.upper(state)) {
                (None, _) => true,
                (Some(high), own) => own.is_some_and(|own| own <= *high),
            };
            below && above
        }
        _ => false,
    }
}
