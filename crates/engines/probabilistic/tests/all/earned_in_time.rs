//! What random Markov automata earn until a time, or at one: near what small steps of time give, accepted by the checker, rejected when changed.

use crate::random_time::random_automaton;
use crate::support;
use entail_answer::{Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::{
    Bracket, Expr, Network, Optimum, Property, Query, Rational, RewardKind, RewardStructure, Row,
    StateReward, TransitionReward, explore, from_float, naive, to_float,
};
use entail_probabilistic::{Exactness, Precision, Settings};
use entail_source::Span;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{at, decide_with, effort, settings};

/// A Markov automaton whose states and steps earn.
fn random_earner(random: &mut StdRng) -> Network {
    let mut network = random_automaton(random);
    let entail_markov::Domain::Range(_, last) = network.variables[0].domain else {
        panic!("a range")
    };
    let reward = |random: &mut StdRng| Expr::from(random.random_range(0..4i64));
    let place = Span::new(0, 0);
    let states = (0..=last).map(|state| StateReward {
        guard: at(state),
        value: reward(random),
        place,
    });
    let states = states.collect();
    let steps = (0..2).map(|_| TransitionReward {
        action: None,
        guard: at(random.random_range(0..=last)),
        value: reward(random),
        place,
    });
    network.rewards = vec![RewardStructure {
        name: None,
        states,
        transitions: steps.collect(),
        on_branches: false,
    }];
    network
}

/// The optimum in small steps of time, with plain doubles: off by about the length of a step.
fn in_small_steps(network: &Network, optimum: Optimum, instant: bool, time: f64) -> f64 {
    let model = explore(network, 100, &Budget::unlimited()).expect("small");
    let steps = 2000;
    let length = time / f64::from(steps);
    let mut values: Vec<f64> = match instant {
        true => model.state_rewards[0].iter().map(to_float).collect(),
        false => vec![0.0; model.rows.len()],
    };
    let earned = |at: usize, row: &Row| match instant {
        true => 0.0,
        false => to_float(&naive::step_value(&model, 0, at, row)),
    };
    let average = |row: &Row, values: &[f64]| -> f64 {
        let term = |(target, p): &(u32, Rational)| to_float(p) * values[*target as usize];
        row.targets.iter().map(term).sum()
    };
    for step in 0..=steps {
        if step > 0 {
            let old = values.clone();
            for (at, rows) in model.rows.iter().enumerate() {
                if let Some(rate) = &rows[0].rate {
                    let gain = average(&rows[0], &old) - old[at] + earned(at, &rows[0]);
                    values[at] += to_float(rate) * length * gain;
                }
            }
        }
        for _ in 0..model.rows.len() {
            for (at, rows) in model.rows.iter().enumerate() {
                if rows[0].rate.is_none() {
                    let sums = rows.iter().map(|row| earned(at, row) + average(row, &values));
                    values[at] = match optimum {
                        Optimum::Max => sums.fold(0.0, f64::max),
                        Optimum::Min => sums.fold(f64::INFINITY, f64::min),
                    };
                }
            }
        }
    }
    values[0]
}

#[test]
fn rewards_of_automata_over_a_time_lie_around_what_small_steps_give_and_are_computed_twice() {
    let mut random = StdRng::seed_from_u64(77);
    let budget = Budget::unlimited();
    for round in 0..30 * effort() {
        let network = random_earner(&mut random);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let optimum = match random.random_bool(0.5) {
            true => Optimum::Max,
            false => Optimum::Min,
        };
        let time = Rational::from(random.random_range(0..5i64)) / Rational::from(2);
        let instant = round % 3 == 2;
        let kind = match instant {
            true => RewardKind::Instant(time.clone()),
            false => RewardKind::Cumulative(time.clone()),
        };
        let property = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind,
        };
        let settings = Settings {
            precision: Precision {
                epsilon: 1e-4,
                relative: true,
            },
            ..settings(Exactness::Never)
        };
        let (bracket, certificate) = decide_with(&network, &checker, &property, settings).expect("decided");
        let bound = |side: Option<Rational>| to_float(&side.expect("finite"));
        let (low, high) = (bound(bracket.lower(0)), bound(bracket.upper(0)));
        assert!(high - low <= 1.1e-4 * low.max(1e-6), "{low} {high}");
        let near = in_small_steps(&network, optimum, instant, to_float(&time));
        assert!((near - low).abs() < 0.02 * low.max(1.0), "{near} {low} {high}");
        // Whoever claims a little more, or a little less, is rejected.
        for factor in [1.001, 0.998] {
            let mut changed = certificate.clone();
            let Some(Bracket::Between { lower, upper }) = changed.brackets.first_mut() else {
                continue;
            };
            if lower[0] < 1e-3 {
                continue;
            }
            (lower[0], upper[0]) = (upper[0] * factor, upper[0] * (factor + 0.0005));
            let number = |value: f64| from_float(value).expect("finite");
            let claimed = Quantity::Between(number(lower[0]), number(upper[0]));
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&claimed),
            };
            assert!(checker.check(&property, &claim, &changed, &budget).is_rejected());
        }
    }
}
