//! The checker: a property evaluated from the model's meaning, with brackets as hints that are believed only when they are proved.

use crate::evaluate::{Evaluation, NotConfirmed};
use crate::pointwise::Known;
use crate::ranges::Ranges;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::interpreter::ExploreError;
use entail_markov::{Certificate, Explicit, Network, Property, explore};

/// Checks answers about one network.
pub struct Checker {
    pub(crate) network: Network,
    pub(crate) model: Explicit,
}

/// What an answer claims.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The value, for a question that asks for one.
    pub value: Option<&'a Quantity>,
}

impl Checker {
    /// Builds the model, at most so many states.
    pub fn new(network: Network, limit: usize, budget: &Budget) -> Result<Checker, ExploreError> {
        let model = explore(&network, limit, budget)?;
        Ok(Checker { network, model })
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.model.states.len()
    }

    /// Whether the certificate supports the claim.
    pub fn check(
        &self,
        property: &Property,
        claim: &Claim<'_>,
        certificate: &Certificate,
        budget: &Budget,
    ) -> CheckReport {
        let mut evaluation = Evaluation::new(self, certificate, budget);
        let known = match evaluation.property(property) {
            Ok(known) => known,
            Err(NotConfirmed::Wrong(reason)) => return CheckReport::rejected(reason),
            Err(NotConfirmed::Unchecked(what)) => return CheckReport::unchecked(what),
            Err(NotConfirmed::Spent(spent)) => return CheckReport::unchecked(format!("the certificate ({spent})")),
        };
        let initial = || self.model.initial.iter().map(|&state| state as usize);
        match known {
            Known::Truth(truth) => {
                let all = initial().all(|state| truth[state] == Some(true));
                let none = initial().any(|state| truth[state] == Some(false));
                match claim.verdict {
                    Verdict::Holds if all => CheckReport::Accepted,
                    Verdict::Fails if none => CheckReport::Accepted,
                    Verdict::Unknown => CheckReport::Accepted,
                    _ => CheckReport::rejected("the certificate does not prove the verdict"),
                }
            }
            Known::Numbers(ranges) => self.value(claim, &ranges),
        }
    }

    /// Whether the values of initial states lie in the claimed value.
    fn value(&self, claim: &Claim<'_>, ranges: &Ranges) -> CheckReport {
        let fits = |state: usize| {
            let range = &ranges.0[state];
            let (lower, upper) = (range.low.as_ref(), range.high.as_ref());
            match claim.value {
                Some(Quantity::Exact(value)) => lower == Some(value) && upper == Some(value),
                Some(Quantity::Between(low, high)) => {
                    lower.is_some_and(|lower| low <= lower) && upper.is_some_and(|upper| upper <= high)
                }
                Some(Quantity::Infinite) => lower.is_none() && upper.is_none(),
                _ => false,
            }
        };
        match self.model.initial.iter().all(|&state| fits(state as usize)) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected("the certificate does not prove the value"),
        }
    }
}
