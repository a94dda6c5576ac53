//! `--time-divergent`: only runs in which time diverges count.
//!
//! UPPAAL's `E[] p` is also true of a run that takes infinitely many steps in no time, or whose delays converge (a *Zeno* run); no real system has such a run. A clock of its own that is set to 0 whenever a unit of time has passed tells runs in which time diverges
//! from the others (Tripakis, Yovine, Bouajjani 2005, on the zones of Herbreteau, Srivathsan, Walukiewicz 2012); so questions about runs become questions about single runs, read by an automaton.

use crate::linear::{ALWAYS, question};
use entail_clocks::{Formula, Query, Runs, Temporal};
use std::borrow::Cow;

/// A question with only those runs in which time diverges; the error says why that cannot be asked.
pub(crate) fn asked(query: &Query) -> Result<Cow<'_, Query>, String> {
    let condition = Temporal::Condition;
    let made = match query {
        // What can be reached does not depend on how the run goes on.
        Query::Reach(..)
        | Query::Extreme { .. }
        | Query::Cheapest(_)
        | Query::LongRun(_)
        | Query::Energy(_)
        | Query::Chance(_) => {
            return Ok(Cow::Borrowed(query));
        }
        _ if query.formulas().iter().any(Formula::mentions_clocks) => {
            Err("--time-divergent: clocks in a condition on runs are not supported".to_owned())
        }
        Query::Stay(formulas, wanted) => {
            let leaves = condition(0).negated().finally(ALWAYS);
            let formula = match formulas.len() {
                1 => leaves,
                _ => Temporal::Or(vec![condition(1).negated(), leaves]).globally(ALWAYS),
            };
            question(formulas.clone(), formula, *wanted, Runs::Divergent)
        }
        Query::Repeat(formulas, wanted) => {
            let ceases = |number: usize| condition(number).negated().globally(ALWAYS).finally(ALWAYS);
            let formula = Temporal::Or((0..formulas.len()).map(ceases).collect());
            question(formulas.clone(), formula, *wanted, Runs::DivergentSteps)
        }
        Query::Linear(asked) => question(
            asked.conditions.clone(),
            asked.formula.clone(),
            asked.wanted,
            Runs::Divergent,
        ),
        _ => Err("--time-divergent: games and nested questions are asked about all runs".to_owned()),
    };
    made.map(Cow::Owned)
}
