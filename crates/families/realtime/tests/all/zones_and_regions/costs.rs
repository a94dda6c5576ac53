//! Random small models with costs: the least cost is that of a search in whole-numbered time (which is exact where no bound is strict), the checker accepts the evidence, and rejects damaged evidence.

use super::{Features, effort, network};
use entail_answer::{Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::Discrete;
use entail_clocks::evidence::Proof;
use entail_clocks::interpreter::{self, State};
use entail_clocks::{Comparison, Condition, Expression, Formula, Network, Query, Rational, Statement};
use entail_source::Span;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A network with costs and without strict bounds.
fn priced(random: &mut StdRng) -> Network {
    let features = Features {
        differences: false,
        copies: random.random_bool(0.2),
    };
    let mut network = network(random, features);
    let close = |conditions: &mut Vec<Condition>| {
        for condition in conditions {
            if let Condition::Clock { comparison, .. } = condition {
                *comparison = match *comparison {
                    Comparison::Less => Comparison::LessEqual,
                    Comparison::Greater => Comparison::GreaterEqual,
                    other => other,
                };
            }
        }
    };
    for location in &mut network.locations {
        close(&mut location.invariant);
        location.rate = (random.random_bool(0.7)).then(|| Expression::Constant(random.random_range(0..=5)));
    }
    for edge in &mut network.edges {
        close(&mut edge.guard);
        if random.random_bool(0.5) {
            let amount = Expression::Constant(random.random_range(0..=4));
            edge.action.push(Statement::Cost(amount, Span::default()));
        }
    }
    network
}

/// The least cost in whole-numbered time; clocks stop just beyond all constants.
fn digital(network: &Network, goal: &Formula) -> Option<i64> {
    const MOST: i64 = 12;
    let whole = |state: &State| -> (Discrete, Vec<i64>) {
        let clock = |value: &Rational| i64::try_from(value.floor()).unwrap_or(MOST).min(MOST);
        (state.discrete.clone(), state.clocks.iter().map(clock).collect())
    };
    let mut known: HashMap<(Discrete, Vec<i64>), i64> = HashMap::new();
    let mut open = BinaryHeap::new();
    let mut states: Vec<(Discrete, Vec<i64>)> = Vec::new();
    let mut offer = |key: (Discrete, Vec<i64>), cost: i64, open: &mut BinaryHeap<_>, states: &mut Vec<_>| {
        if known.get(&key).is_none_or(|&old| cost < old) {
            known.insert(key.clone(), cost);
            open.push(Reverse((cost, states.len())));
            states.push(key);
        }
    };
    for state in interpreter::initial(network).expect("no fault") {
        offer(whole(&state), 0, &mut open, &mut states);
    }
    while let Some(Reverse((cost, number))) = open.pop() {
        let (discrete, clocks) = states[number].clone();
        let state = State {
            discrete,
            clocks: clocks.iter().map(|&clock| Rational::from(clock)).collect(),
        };
        let satisfying = goal.satisfying(network, &state.discrete).expect("no fault");
        let holds = |one: &Vec<_>| {
            one.iter()
                .all(|constraint| interpreter::satisfies(&state.clocks, constraint))
        };
        if satisfying.iter().any(holds) {
            return Some(cost);
        }
        if let Some(later) = interpreter::delay(network, &state, &Rational::from(1)).expect("no fault") {
            let rate = network.rate(&state.discrete).expect("no fault");
            offer(whole(&later), cost + rate, &mut open, &mut states);
        }
        for joint in network.joints(&state.discrete).expect("no fault") {
            if let Some(next) = interpreter::step(network, &state, &joint.edges).expect("no fault") {
                let mut more = 0;
                let acted = network.act_at_cost(&joint.edges, &state.discrete, &mut Vec::new(), &mut more);
                acted.expect("no fault");
                offer(whole(&next), cost + more, &mut open, &mut states);
            }
        }
    }
    None
}

#[test]
fn least_costs_agree_with_whole_numbered_time() {
    let budget = Budget::unlimited();
    let (mut found, mut positive, mut tried, mut rejected) = (0, 0, 0, 0);
    for number in 0..300 * effort() {
        let mut random = StdRng::seed_from_u64(21_000_000 + number);
        let network = priced(&mut random);
        let at = Formula::At(random.random_range(0..network.locations.len()));
        let clock = Formula::Clock {
            left: entail_clocks::ClockName::one(random.random_range(1..=network.clocks.len())),
            right: entail_clocks::ClockName::one(0),
            comparison: if random.random_bool(0.5) {
                Comparison::GreaterEqual
            } else {
                Comparison::LessEqual
            },
            bound: Expression::Constant(random.random_range(0..=4)),
        };
        for goal in [Formula::Label(0), Formula::And(vec![at, clock])] {
            let expected = digital(&network, &goal);
            let query = Query::Cheapest(goal.clone());
            let answer = Engine::new(&network, Settings::default()).check(&query, &budget);
            let answer = answer.expect("no fault");
            let proof = answer.evidence.as_ref().expect("evidence");
            let Some(cost) = expected else {
                assert_eq!(answer.verdict, Verdict::Fails, "model {number}\n{network:#?}");
                let report = judge(
                    &network,
                    &Query::Reach(goal, true),
                    answer.verdict,
                    proof,
                    &budget,
                );
                assert!(report.is_accepted(), "model {number}: {report}");
                continue;
            };
            let value = Some(Quantity::Exact(Rational::from(cost)));
            assert_eq!(
                answer.value, value,
                "model {number}, {goal:?}: {:?}\n{network:#?}",
                answer.reason
            );
            let report = judge(&network, &query, answer.verdict, proof, &budget);
            assert!(
                report.is_accepted(),
                "model {number}, {goal:?}: {report}\n{network:#?}"
            );
            found += 1;
            positive += u64::from(cost > 0);
            for way in 0..3 {
                if let Some(damaged) = damage(proof, way, &mut random) {
                    tried += 1;
                    let report = judge(&network, &query, answer.verdict, &damaged, &budget);
                    rejected += u64::from(report.is_rejected());
                }
            }
        }
    }
    assert!(
        found > 0 && positive * 4 > found,
        "{found} found, {positive} with a cost"
    );
    assert!(rejected * 10 > tried * 9, "{rejected} of {tried} rejected");
}

/// Evidence that claims too much or has lost something that it needs.
fn damage(proof: &Proof, way: usize, random: &mut StdRng) -> Option<Proof> {
    let Proof::Cheapest { cheapest } = proof else {
        return None;
    };
    let mut damaged = cheapest.clone();
    match way {
        0 => damaged.cost += 1,
        1 => damaged.nodes.clear(),
        _ => {
            let count = damaged.nodes.len().checked_sub(1)?;
            let node = &mut damaged.nodes[random.random_range(0..=count)];
            node.hints.clear();
        }
    }
    (damaged != *cheapest && damaged.cost > 0).then_some(Proof::Cheapest { cheapest: damaged })
}
