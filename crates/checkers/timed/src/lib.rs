//! Judges answers about networks of timed automata.
//!
//! **Here:** [`judge`], which accepts or rejects an answer from its evidence and the meaning of the network ([`entail_clocks`]) alone.
//!
//! **Not here:** anything of the engines. The matrix ([`matrix`]), the conditions on clock constants ([`bounds`]), the passes over a cover ([`cover`]), maximal runs ([`stay`]), single runs ([`linear`]), nested questions (`branching`), games (`game`), what a strategy leaves ([`under`]) costs (`cheapest`, `long_run`) and accumulated weights (`energy`) are written from the definitions.

pub mod bounds;
mod branching;
mod cheapest;
mod corner_walk;
pub mod cover;
pub mod deadlock;
mod energy;
pub mod extreme;
mod flow;
mod game;
pub mod linear;
mod long_run;
pub mod matrix;
pub mod pairs;
pub mod replay;
mod round;
pub mod samples;
pub mod soonest;
pub mod stay;
mod stored;
mod table;
pub mod under;
mod within;

pub use cover::{Asking, Readings};

use entail_answer::{CheckReport, Verdict};
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::{Meaning, Network, Query};

/// Whether evidence supports a verdict about a query.
pub fn judge(
    network: &Network,
    query: &Query,
    verdict: Verdict,
    proof: &Proof,
    budget: &Budget,
) -> CheckReport {
    judge_by(&|ask| ask(network), 1, network, query, verdict, proof, budget)
}

/// Whether evidence supports a verdict about a query, by what somebody says the model means, with so many threads where that helps. The network is used for the constants of its clocks only.
pub fn judge_by(
    readings: &Readings<'_>,
    threads: usize,
    network: &Network,
    query: &Query,
    verdict: Verdict,
    proof: &Proof,
    budget: &Budget,
) -> CheckReport {
    let claimed = if proof.shows_existence() == query.wants_it() {
        Verdict::Holds
    } else {
        Verdict::Fails
    };
    if verdict != claimed {
        return CheckReport::rejected("the evidence shows the opposite of the verdict");
    }
    // Where clocks stand still, only what is reachable is judged: zones are larger than what can be reached, and nothing goes backwards.
    let is_reachability = matches!(query, Query::Reach(..) | Query::Chance(_)) && !query.mentions_deadlock();
    let has_differences = matches!(proof, Proof::Cover { cover } if !cover.diagonals.is_empty());
    if !network.stopwatches.is_empty() && (!is_reachability || has_differences) {
        return CheckReport::unchecked("models with stopwatches, but for what is reachable");
    }
    let report = match (query, proof) {
        (Query::Reach(..) | Query::Repeat(..), Proof::Cover { cover }) => {
            cover::contains_all_runs(readings, threads, network, query, cover, budget)
        }
        (Query::Linear(_), _) => linear::is_right(readings, threads, network, query, proof, budget),
        (Query::Under { game, question }, _) => {
            let mut judged = Err("the model has no meaning".into());
            readings(&mut |meaning| {
                let subject = under::Subject {
                    game: (meaning, game),
                    question: (meaning, question),
                    network,
                };
                judged = under::is_right(&subject, proof, budget);
            });
            judged
        }
        _ => {
            let mut judged = Err("the model has no meaning".into());
            readings(&mut |meaning| judged = is_right(meaning, network, query, proof, budget));
            judged
        }
    };
    reported(report)
}

/// What judging has found.
fn reported(judged: Result<(), Objection>) -> CheckReport {
    match judged {
        Ok(()) => CheckReport::Accepted,
        Err(Objection::False(reason)) => CheckReport::rejected(reason),
        Err(Objection::Unchecked(what)) => CheckReport::unchecked(what),
    }
}

/// Whether evidence that one thread judges is right.
fn is_right(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Objection> {
    match (query, proof) {
        (Query::Reach(..), Proof::Run { run }) => replay::reaches(meaning, network, query, run),
        (Query::Reach(..), Proof::Representatives { .. }) => Err(Objection::Unchecked(
            "what permutations of scalars make of the symbolic states, which is too much to be listed"
                .to_owned(),
        )),
        (Query::Repeat(goals, _), Proof::Lasso { lasso }) => replay::repeats(meaning, network, goals, lasso),
        (Query::Stay(..), Proof::Stay { stay }) => stay::is_maximal(meaning, network, query, stay),
        (Query::Stay(..), Proof::Cover { cover }) => {
            cover::contains_no_stay(meaning, network, query, cover, budget)
        }
        (Query::Extreme { .. }, Proof::Extreme { extreme }) => {
            extreme::is_extreme(meaning, network, query, extreme, budget)
        }
        (Query::Control { must_win, .. }, Proof::Strategy { strategy }) => {
            game::is_won(meaning, network, query, *must_win, strategy, budget)
        }
        (Query::Control { must_win, .. }, Proof::Spoiled { losing }) => {
            game::is_spoiled(meaning, network, query, *must_win, losing, budget)
        }
        (Query::Branching(asked), Proof::Branching { branching }) => {
            branching::is_so(meaning, network, asked, branching, budget)
        }
        // A network says the same with and without a limit: the query has it.
        (Query::Soonest(game), _) => soonest::Subject {
            meaning: &|_, ask| ask(meaning),
            game,
            network,
        }
        .is_right(proof, budget),
        (Query::Cheapest(_), Proof::Cheapest { cheapest }) => {
            cheapest::is_least(meaning, network, query, cheapest, budget)
        }
        (Query::LongRun(_), Proof::LongRun { long_run }) => {
            long_run::is_least(meaning, network, query, long_run, budget)
        }
        (Query::Energy(asked), Proof::Energy { sustained }) => {
            energy::is_so(meaning, network, (query, asked), sustained, budget)
        }
        (Query::Extreme { .. }, _) => Err(Objection::False("the evidence is about no value".to_owned())),
        _ => Err(Objection::False(
            "the evidence is of another kind than the question needs".to_owned(),
        )),
    }
}

/// Why evidence is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// It is wrong.
    False(String),
    /// It was not checked, or not to the end.
    Unchecked(String),
}

impl From<String> for Objection {
    fn from(reason: String) -> Objection {
        Objection::False(reason)
    }
}

impl From<&str> for Objection {
    fn from(reason: &str) -> Objection {
        Objection::False(reason.to_owned())
    }
}

impl From<entail_clocks::discrete::Trouble> for Objection {
    fn from(trouble: entail_clocks::discrete::Trouble) -> Objection {
        Objection::False(format!("the code of the model goes wrong: {}", trouble.fault))
    }
}

impl From<entail_clocks::Fault> for Objection {
    fn from(fault: entail_clocks::Fault) -> Objection {
        Objection::False(format!("the property goes wrong: {fault}"))
    }
}

impl From<entail_budget::Spent> for Objection {
    fn from(spent: entail_budget::Spent) -> Objection {
        Objection::Unchecked(format!("the successors of all symbolic states ({spent})"))
    }
}
