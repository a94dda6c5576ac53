//! Random networks whose clocks stand still at some locations: what whole-numbered time reaches is never denied, and every answer has evidence that is accepted.

use super::{Features, effort, network};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::interpreter::{self, State};
use entail_clocks::{ClockName, Comparison, Expression, Formula, Network, Query, Rational, Stopwatch};
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashSet;

/// Whether a location is reached together with a clock beyond a number, by whole-numbered delays.
fn is_reached(network: &Network, location: usize, clock: usize, bound: i64) -> bool {
    // Constants are at most 3: clocks beyond 5 are alike.
    let most = Rational::from(5);
    let capped = |mut state: State| {
        state
            .clocks
            .iter_mut()
            .filter(|value| **value > most)
            .for_each(|value| *value = most.clone());
        state
    };
    let mut waiting: Vec<State> = interpreter::initial(network).expect("no fault");
    let mut seen: HashSet<(Vec<usize>, Vec<i64>, Vec<String>)> = HashSet::new();
    while let Some(state) = waiting.pop() {
        let process = network.locations[location].process;
        if state.discrete.locations[process] == location && state.clocks[clock] > Rational::from(bound) {
            return true;
        }
        let values = state.clocks.iter().map(|value| value.to_string()).collect();
        if !seen.insert((
            state.discrete.locations.clone(),
            state.discrete.integers.clone(),
            values,
        )) {
            continue;
        }
        let later = interpreter::delay(network, &state, &Rational::ONE).expect("no fault");
        waiting.extend(later.map(capped));
        for joint in network.joints(&state.discrete).expect("no fault") {
            let next = interpreter::step(network, &state, &joint.edges).expect("no fault");
            waiting.extend(next.map(capped));
        }
    }
    false
}

#[test]
fn what_stopwatches_reach_is_never_denied() {
    let budget = Budget::unlimited();
    let mut seen = [0, 0, 0];
    for number in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(51_000_000 + number);
        let features = Features {
            differences: false,
            copies: number % 3 == 0,
        };
        let mut network = network(&mut random, features);
        for _ in 0..random.random_range(1..=3) {
            network.stopwatches.push(Stopwatch {
                location: random.random_range(0..network.locations.len()),
                clock: ClockName::one(random.random_range(1..=network.clocks.len())),
                rate: Expression::Constant(0),
            });
        }
        let location = random.random_range(0..network.locations.len());
        let clock = random.random_range(1..=network.clocks.len());
        let bound = random.random_range(0..=3);
        let goal = Formula::And(vec![
            Formula::At(location),
            Formula::Clock {
                left: ClockName::one(clock),
                right: ClockName::one(0),
                comparison: Comparison::Greater,
                bound: Expression::Constant(bound),
            },
        ]);
        let query = Query::Reach(goal, true);
        let answer = Engine::new(&network, Settings::default()).check(&query, &budget);
        let answer = answer.expect("no fault");
        if is_reached(&network, location, clock, bound) {
            assert_ne!(
                answer.verdict,
                Verdict::Fails,
                "network {number}: {query:?}\n{network:#?}"
            );
        }
        seen[match answer.verdict {
            Verdict::Holds => 0,
            Verdict::Fails => 1,
            _ => 2,
        }] += 1;
        if let Some(proof) = &answer.evidence {
            let report = judge(&network, &query, answer.verdict, proof, &budget);
            assert!(
                report.is_accepted(),
                "network {number}: {report} {query:?}\n{network:#?}"
            );
        }
        let always = Query::Stay(vec![Formula::At(location)], true);
        let refused = Engine::new(&network, Settings::default()).check(&always, &budget);
        assert_eq!(refused.expect("no fault").verdict, Verdict::Unknown);
    }
    assert!(seen[0] > 50 && seen[1] > 50 && seen[2] * 10 < seen[0], "{seen:?}");
}
