//! How soon a state can be reached: `--optimal time`.
//!
//! The network gets a clock that nothing ever sets: its value is the time that has passed. The question is then the least value of that clock among the states that are looked for, as UPPAAL's `inf` asks
//! it; a run that takes no longer, and a cover in which nothing comes sooner, are the evidence. Where no such state is reachable, the cover is evidence for that.

use entail_answer::{Answer, Verdict};
use entail_clocks::evidence::Proof;
use entail_clocks::{Clock, ClockName, Measure, Network, Query};

/// Adds the clock.
pub(crate) fn add_clock(network: &mut Network) {
    let is_free = |name: &&str| network.clocks.iter().all(|clock| clock.name != **name);
    let names = ["time", "elapsed", "time since the start"];
    let name = names.into_iter().find(is_free).unwrap_or("total time");
    network.clocks.push(Clock {
        name: name.to_owned(),
    });
}

/// The question how soon a query's states can be reached; nothing if it does not look for any.
pub(crate) fn query(network: &Network, query: &Query) -> Option<Query> {
    match query {
        Query::Reach(condition, true) => Some(Query::Extreme {
            measure: Measure::Clock(ClockName::one(network.clocks.len())),
            condition: condition.clone(),
            up: false,
        }),
        _ => None,
    }
}

/// The answer to the query: it fails where nothing is reached.
pub(crate) fn answer(mut answer: Answer<Proof>) -> Answer<Proof> {
    match answer.evidence.take() {
        Some(Proof::Extreme { extreme }) if extreme.run.is_none() => {
            answer.verdict = Verdict::Fails;
            answer.value = None;
            answer.reason = None;
            answer.evidence = extreme.cover.map(|cover| Proof::Cover { cover });
        }
        evidence => answer.evidence = evidence,
    }
    answer
}

/// Whether evidence is about how soon or at what cost something is reached.
pub(crate) fn is_about(evidence: &Proof) -> bool {
    matches!(
        evidence,
        Proof::Extreme { .. } | Proof::Cheapest { .. } | Proof::LongRun { .. }
    )
}
