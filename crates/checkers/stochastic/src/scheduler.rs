//! Schedulers without memory: the chain that a scheduler makes is built from the model, and its own certificate says what it is worth.

use crate::check::{Checker, Claim, Evaluation, Known, NotConfirmed, effective};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::{Optimum, Property, Rational, Row, Strategy, decimal};

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
            Property::Probability { optimum, query, .. } | Property::Reward { optimum, query, .. } => {
                effective(*optimum, query) == Optimum::Max
            }
            _ => return CheckReport::rejected("a scheduler for a property that has none"),
        };
        let rows = &self.model.rows;
        let fits = |(choice, rows): (&u32, &Vec<Row>)| (*choice as usize) < rows.len();
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
        let mut evaluation = Evaluation::new(&chain, &strategy.certificate, budget);
        let bracket = match evaluation.property(property) {
            Ok(Known::Numbers(bracket)) => bracket,
            Ok(Known::Truth(truth)) => {
                let holds = self
                    .model
                    .initial
                    .iter()
                    .all(|&state| truth[state as usize] == Some(true));
                return match holds == (claim.verdict == Verdict::Holds) {
                    true => CheckReport::Accepted,
                    false => CheckReport::rejected("the scheduler does not lead to the verdict"),
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
        let (low, high) = match claim.value {
            Some(Quantity::Exact(value)) => (value, value),
            Some(Quantity::Between(low, high)) => (low, high),
            _ => return CheckReport::rejected("a scheduler for a value that is none"),
        };
        let slack = decimal("1e-6").unwrap_or(Rational::ZERO);
        let reaches = |state: usize| match upwards {
            true => (bracket.lower(state)).is_some_and(|own| own >= low * (Rational::ONE - &slack)),
            false => (bracket.upper(state)).is_some_and(|own| own <= high * (Rational::ONE + &slack)),
        };
        match self.model.initial.iter().all(|&state| reaches(state as usize)) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected("the scheduler does not reach the value"),
        }
    }
}
