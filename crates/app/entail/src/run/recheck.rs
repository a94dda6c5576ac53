//! How long checking an answer's evidence may take.

use super::request::Request;
use entail_answer::{Answer, CheckReport, Verdict};
use entail_family::Checker;
use std::time::{Duration, Instant};

/// How long checking an answer's evidence may take. Only exhaustive claims and large proofs ever take long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rechecking {
    /// In proportion to the time that finding the answer took; what is left unchecked is said.
    #[default]
    WhileItPays,
    /// As long as the time limits allow.
    ToTheEnd,
    /// Not at all, which the answer says.
    Never,
}

/// What is said of all answers where nobody wants them checked.
const NOT_ASKED_FOR: &str = "the evidence (as asked)";

/// What is said of an exhaustive claim when repeating an earlier one took too long.
const NOT_REPEATED: &str = "the search of all reachable states (it took too long for an earlier property)";

/// Repeating an exhaustive search may take far longer than the search. It may take this, and half of what the engine took.
const REPEAT_AT_LEAST: Duration = Duration::from_millis(300);

/// What checking other evidence may take, besides the time the engine took.
const PROVE_AT_LEAST: Duration = Duration::from_secs(2);

/// Checks answers one after the other, and remembers which searches were too large to be repeated.
pub(super) struct Rechecker<'m> {
    pub checker: Box<dyn Checker + 'm>,
    /// The fewest states of a search that could not be repeated in time. Those of other properties may have been smaller: of a part of the model, or with a shorter way to the answer.
    too_large_to_repeat: Option<u64>,
}

impl<'m> Rechecker<'m> {
    pub fn new(checker: Box<dyn Checker + 'm>) -> Rechecker<'m> {
        Rechecker {
            checker,
            too_large_to_repeat: None,
        }
    }

    /// What the checker says about a verdict that took `found_in` to find; nothing about an unknown one.
    pub fn check(
        &mut self,
        property: usize,
        answer: &Answer,
        found_in: Duration,
        left: Option<Duration>,
        request: &Request,
    ) -> Option<CheckReport> {
        if answer.verdict == Verdict::Unknown {
            return None;
        }
        let evidence = answer.evidence.as_ref();
        let claims_a_search = evidence.is_some_and(|evidence| evidence.is_search_claim());
        let claims_nothing_else = evidence.is_some_and(|evidence| evidence.is_bare_search_claim());
        if request.rechecking == Rechecking::Never {
            return Some(CheckReport::unchecked(NOT_ASKED_FOR));
        }
        let states = answer.statistics.states().unwrap_or(0);
        // Without a number nothing is known of it.
        let is_too_large = |least: u64| states == 0 || states >= least;
        if claims_nothing_else
            && self.too_large_to_repeat.is_some_and(is_too_large)
            && request.rechecking == Rechecking::WhileItPays
        {
            return Some(CheckReport::unchecked(NOT_REPEATED));
        }
        let patience = match request.rechecking {
            Rechecking::WhileItPays if claims_a_search => Some(REPEAT_AT_LEAST + found_in / 2),
            Rechecking::WhileItPays => Some(PROVE_AT_LEAST + found_in),
            Rechecking::ToTheEnd | Rechecking::Never => None,
        };
        let begun = Instant::now();
        let time = [left, patience].into_iter().flatten().min();
        let budget = request.budget(time);
        let report = self.checker.check(property, answer, &budget);
        let ran_out = time.is_some_and(|time| begun.elapsed() >= time);
        if claims_nothing_else && ran_out && !report.is_accepted() {
            let least = self.too_large_to_repeat.map_or(states, |least| least.min(states));
            self.too_large_to_repeat = Some(least);
        }
        Some(report)
    }
}
