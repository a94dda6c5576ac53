//! Random small games: what a strategy leaves is what it leaves of the region graph, and the checker accepts the evidence; damaged one is rejected.

use super::games::{arena, objectives, without_one};
use super::{Features, condition_on_states, effort};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::regions::RegionGraph;
use entail_clocks::{Formula, Network, Query};
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn questions(random: &mut StdRng, network: &Network) -> Vec<Query> {
    let mut any = |depth: usize| condition_on_states(random, network, depth);
    vec![
        Query::Reach(Formula::Label(0), true),
        Query::Reach(any(1), false),
        Query::Stay(vec![Formula::Not(Box::new(Formula::Label(0)))], false),
        Query::Stay(vec![any(1)], true),
        Query::Stay(vec![any(1), any(1)], false),
    ]
}

fn agree(features: Features, seed: u64, count: u64) {
    let budget = Budget::unlimited();
    let (mut found, mut absent, mut damaged, mut rejected, mut unchecked) = (0, 0, 0, 0, 0);
    for number in 0..count * effort() {
        let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number);
        let network = arena(&mut random, features);
        for game in objectives(&mut random, &network) {
            let engine = Engine::new(&network, Settings::default());
            let solved = engine.strategy(&game, &budget).expect("no fault");
            let Some(Proof::Strategy { strategy }) = &solved.evidence else {
                continue;
            };
            for question in questions(&mut random, &network) {
                let compared = RegionGraph::compared(network.dimension(), &game, &question, strategy);
                let Ok(Some(graph)) = RegionGraph::explore(&network, &compared, 1000) else {
                    continue;
                };
                let exists = graph.exists_under(&game, strategy, &question);
                let exists = exists.expect("nothing goes wrong in these networks");
                let answer = engine.under((&game, &question), strategy, &budget);
                let answer = answer.expect("no fault");
                if answer.verdict == Verdict::Unknown {
                    // Too many differences of clocks.
                    assert!(answer.reason.is_some_and(|reason| reason.contains("more than")));
                    continue;
                }
                let expected = if exists == question.wants_it() {
                    Verdict::Holds
                } else {
                    Verdict::Fails
                };
                let query = Query::Under {
                    game: Box::new(game.clone()),
                    question: Box::new(question),
                };
                assert_eq!(
                    answer.verdict, expected,
                    "seed {seed}, game {number}, {query:?}: {strategy:#?}\n{network:#?}"
                );
                *if exists { &mut found } else { &mut absent } += 1;
                let proof = answer.evidence.as_ref().expect("evidence");
                let report = judge(&network, &query, answer.verdict, proof, &budget);
                unchecked += u64::from(!report.is_accepted() && !report.is_rejected());
                assert!(
                    !report.is_rejected(),
                    "seed {seed}, game {number}, {query:?}: {report}\n{proof:#?}\n{network:#?}"
                );
                if let Some(worse) = damage(&mut random, proof) {
                    damaged += 1;
                    rejected +=
                        u64::from(judge(&network, &query, answer.verdict, &worse, &budget).is_rejected());
                }
            }
        }
    }
    assert!(found > 0 && absent > 0, "{found} found, {absent} absent");
    assert!(unchecked * 5 < found + absent, "{unchecked} not checked");
    // Rules overlap, and covers may have more than is needed.
    assert!(rejected * 3 > damaged, "{rejected} of {damaged} rejected");
}

/// Evidence with a rule less, or about other states.
fn damage(random: &mut StdRng, proof: &Proof) -> Option<Proof> {
    let mut damaged = proof.clone();
    let Proof::Under { strategy, proof } = &mut damaged else {
        return None;
    };
    match (&mut **proof, random.random_bool(0.5)) {
        (Proof::Cover { cover }, true) if !cover.nodes.is_empty() => {
            let gone = random.random_range(0..cover.nodes.len());
            cover.nodes = without_one(&cover.nodes, gone);
        }
        (Proof::Run { run }, true) => {
            run.steps.pop()?;
        }
        _ if !strategy.winning.is_empty() => {
            let gone = random.random_range(0..strategy.winning.len());
            strategy.winning = without_one(&strategy.winning, gone);
            strategy.choices.remove(gone);
        }
        _ => return None,
    }
    Some(damaged)
}

#[test]
fn what_strategies_leave_agrees_with_regions() {
    let features = Features {
        differences: false,
        copies: false,
    };
    agree(features, 21, 60);
}

#[test]
fn what_strategies_leave_agrees_with_regions_where_clocks_are_copied_or_differences_compared() {
    for (differences, copies, seed) in [(false, true, 22), (true, false, 23)] {
        let features = Features { differences, copies };
        agree(features, seed, 40);
    }
}
