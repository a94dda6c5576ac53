//! Random nested questions: unions of zones and regions agree.

use super::{Features, condition_on_states, effort, network};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
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

#[test]
fn nested_questions_agree_with_regions() {
    let budget = Budget::unlimited();
    let mut decided = [0, 0];
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
        assert!(judge(&network, &query, answer.verdict, proof, &budget).is_accepted());
        let opposite = Proof::Evaluated { holds: !holds };
        let other = if holds { Verdict::Fails } else { Verdict::Holds };
        assert!(judge(&network, &query, other, &opposite, &budget).is_rejected());
    }
    assert!(decided[0] > 20 && decided[1] > 20, "{decided:?}");
}
