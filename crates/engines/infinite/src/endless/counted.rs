//! k-liveness (Claessen, Sörensson 2012): on no path is fairness met more than so often, shown as an invariant of a counter.

use super::FoundEndless;
use super::product::{Product, on_product};
use crate::{Found, Work, predicate_abstraction, property_directed};
use entail_first_order::{EndlessProof, FirstOrderSystem, TermId};
use entail_logic::Formula;

/// More rounds than these are not counted.
const MOST_ROUNDS: u64 = 24;

/// Which engine is asked for the invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// IC3 with model-based projection.
    Projection,
    /// IC3 with implicit predicate abstraction.
    Predicates,
}

/// Bounds the number of rounds, one more at a time.
pub fn k_liveness<'a>(
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
    safety: Safety,
    hints: &[TermId],
    work: impl Into<Work<'a>>,
) -> FoundEndless {
    let work = work.into();
    on_product(system, path, |product| counted(product, safety, hints, &work))
}

fn counted(mut product: Product, safety: Safety, hints: &[TermId], work: &Work<'_>) -> FoundEndless {
    let round = product.rounds();
    for bound in 0..=MOST_ROUNDS {
        let mut counting = product.clone();
        let goal = counting.count(round, bound);
        let found = match safety {
            Safety::Projection => property_directed(&counting.system, goal, work.clone()),
            Safety::Predicates => predicate_abstraction(&counting.system, goal, hints, work.clone()),
        };
        match found {
            Found::Holds { depth: 1, invariant } => {
                return FoundEndless::Holds(EndlessProof::Counted { bound, invariant });
            }
            Found::Fails(_) => {}
            Found::Unknown(reason) => {
                return FoundEndless::Unknown(format!("{reason}, with at most {bound} rounds of fairness"));
            }
            Found::Holds { .. } | Found::Bounded(_) => {}
        }
    }
    FoundEndless::Unknown(format!(
        "there are paths with more than {MOST_ROUNDS} rounds of fairness"
    ))
}
