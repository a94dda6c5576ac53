//! Random nested questions: unions of zones and regions agree.

use super::{Features, condition_on_states, effort, network};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::{CoverNode, CoverNodes, Proof};
use entail_clocks::regions::RegionGraph;
use entail_clocks::{Branching, Clock, Interval, Nested, Network, Query};
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn interval(random: &mut StdRng, asked: &Branching) -> Option<Interval> {
    // Each interval is a clock, and there are few regions with few clocks only.
    if !asked.clocks.is_empty() || random.random_bool(0.4) {
        return None;
    }
    let least = random.random_range(0..=1);
    let most = random
        .random_bool(0.7)
        .then(|| (least + random.random_range(0..=1), random.random_bool(0.6)));
    Some(Interval {
        least: (least, random.random_bool(0.7)),
        most,
    })
}

fn formula(random: &mut StdRng, network: &Network, asked: &mut Branching, depth: usize) -> Nested {
    if depth == 0 {
        let condition = condition_on_states(random, network, 1);
        return asked.condition(condition);
    }
    let clocks = network.clocks.len();
    let all = random.random_bool(0.5);
    let kind = random.random_range(0..6);
    let first = formula(random, network, asked, depth - 1);
    match kind {
        0 => Nested::Or(vec![first.negated(), formula(random, network, asked, depth - 1)]),
        1 => Nested::And(vec![first, formula(random, network, asked, depth - 1)]),
        2 => {
            let interval = interval(random, asked);
            asked.always(all, first, interval, clocks)
        }
        _ => {
            let to = formula(random, network, asked, depth - 1);
            let interval = interval(random, asked);
            asked.until(all, first, to, interval, clocks)
        }
    }
}

/// Changes sets in one place.
fn damaged(random: &mut StdRng, proof: &Proof) -> Proof {
    let mut damaged = proof.clone();
    let Proof::Branching { branching } = &mut damaged else {
        panic!("sets are the evidence")
    };
    let count = branching.sets.len();
    match random.random_range(0..5) {
        0 => branching.holds = !branching.holds,
        1 if count > 0 => drop(branching.sets.pop()),
        2 if count > 0 => {
            let set = random.random_range(0..count);
            let kept = without_one(random, &branching.sets[set]);
            branching.sets[set] = kept;
        }
        3 if count > 0 => {
            // All at once: what holds at the start has a larger rank than what it leads to.
            let set = random.random_range(0..count);
            let flat = |mut node: CoverNode| {
                node.rank = 0;
                node
            };
            branching.sets[set] = branching.sets[set].iter().map(flat).collect();
        }
        _ => branching.reached = without_one(random, &branching.reached),
    }
    damaged
}

fn without_one(random: &mut StdRng, nodes: &CoverNodes) -> CoverNodes {
    let gone = random.random_range(0..nodes.len().max(1));
    let kept = nodes.iter().enumerate().filter(|(number, _)| *number != gone);
    kept.map(|(_, node)| node).collect()
}

#[test]
fn nested_questions_agree_with_regions() {
    let budget = Budget::unlimited();
    let (mut decided, mut changed) = ([0, 0], [0, 0]);
    for number in 0..300 * effort() {
        let mut random = StdRng::seed_from_u64(31_000_000 + number);
        let features = Features {
            differences: number % 6 == 0,
            copies: number % 6 == 1,
        };
        let mut network = network(&mut random, features);
        let mut asked = Branching::new();
        let depth = random.random_range(1..=2);
        asked.formula = formula(&mut random, &network, &mut asked, depth);
        for number in 0..asked.clocks.len() {
            network.clocks.push(Clock {
                name: format!("z{number}"),
            });
        }
        let query = Query::Branching(asked);
        let Ok(Some(graph)) = RegionGraph::explore(&network, &query, 1500) else {
            continue;
        };
        let holds = graph
            .exists(&query)
            .expect("nothing goes wrong in these networks");
        let answer = Engine::new(&network, Settings::default()).check(&query, &budget);
        let answer = answer.expect("no fault");
        let expected = if holds { Verdict::Holds } else { Verdict::Fails };
        assert_eq!(
            answer.verdict, expected,
            "network {number}, {query:?}: {:?}\n{network:#?}",
            answer.reason
        );
        decided[usize::from(holds)] += 1;
        let proof = answer.evidence.as_ref().expect("evidence");
        let report = judge(&network, &query, answer.verdict, proof, &budget);
        assert!(
            report.is_accepted(),
            "network {number}, {query:?}: {report}\n{network:#?}"
        );
        for _ in 0..3 {
            let damaged = damaged(&mut random, proof);
            let Proof::Branching { branching } = &damaged else {
                panic!("sets")
            };
            let verdict = if branching.holds {
                Verdict::Holds
            } else {
                Verdict::Fails
            };
            let report = judge(&network, &query, verdict, &damaged, &budget);
            if verdict != answer.verdict {
                assert!(report.is_rejected(), "network {number}, {query:?}");
            }
            changed[usize::from(report.is_rejected())] += 1;
        }
    }
    assert!(decided[0] > 20 && decided[1] > 20, "{decided:?}");
    // A zone that others contain, or that no reachable value is in, is not missed.
    assert!(changed[1] > 2 * changed[0], "{changed:?}");
}
