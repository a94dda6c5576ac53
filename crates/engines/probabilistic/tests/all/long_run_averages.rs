//! Long-run averages of random decision processes and Markov automata beside the best of all policies; certificates that are changed are rejected.

use crate::random_time::random_automaton;
use crate::support::{
    ALL, at, decide, decide_with, effort, members, random_network, random_set, settings, values,
};
use entail_answer::{Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::{
    Bracket, Branch, Command, CommandKind, Domain, Expr, Kind, Network, Optimum, Property, Query, Rational,
    RewardKind, RewardStructure, StateReward, decimal, explore, naive,
};
use entail_probabilistic::{Exactness, Trouble};
use entail_source::Span;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A decision process or a Markov automaton with one reward structure.
fn network(random: &mut StdRng, timed: bool) -> Network {
    if !timed {
        return random_network(random, Kind::Mdp);
    }
    let mut network = random_automaton(random);
    let Domain::Range(_, last) = network.variables[0].domain else {
        panic!("a range")
    };
    network.rewards.push(RewardStructure {
        states: (0..=last)
            .map(|state| StateReward {
                guard: at(state),
                value: Expr::from(random.random_range(0..4i64)),
                place: Span::new(0, 0),
            })
            .collect(),
        ..RewardStructure::default()
    });
    network
}

/// What is earned in some states only: their share of the time.
fn share(network: &Network, set: &Expr) -> Network {
    let mut network = network.clone();
    network.rewards = vec![RewardStructure {
        states: vec![StateReward {
            guard: set.clone(),
            value: Expr::from(1),
            place: Span::new(0, 0),
        }],
        ..RewardStructure::default()
    }];
    network
}

fn near(bracket: &Bracket, exact: &[Rational], what: &str) {
    let millionth = decimal("2e-6").expect("a decimal");
    for (state, exact) in exact.iter().enumerate() {
        let (Some(low), Some(high)) = values(bracket, state) else {
            panic!("{what}: infinite")
        };
        assert!(
            low <= *exact && *exact <= high,
            "{what}, state {state}: {exact} not in [{low}, {high}]"
        );
        let allowed = &millionth * exact.clone().max(Rational::ONE);
        assert!(
            high - low <= allowed,
            "{what}, state {state}: wide around {exact}"
        );
    }
}

#[test]
fn averages_of_models_with_choices_are_those_of_the_best_policies() {
    let mut random = StdRng::seed_from_u64(61);
    let budget = Budget::unlimited();
    for round in 0..400 * effort() {
        let timed = round % 2 == 1;
        let network = network(&mut random, timed);
        let model = explore(&network, 1000, &budget).expect("small");
        let policies: usize = model.rows.iter().map(Vec::len).product();
        if policies > 2000 {
            continue;
        }
        let optimum = [Optimum::Max, Optimum::Min][round as usize / 2 % 2];
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let set = random_set(&mut random, &network);
        let questions = [
            (
                Property::Reward {
                    optimum: Some(optimum),
                    query: Query::Value,
                    structure: 0,
                    kind: RewardKind::LongRun,
                },
                naive::average(&model, 0, optimum),
            ),
            (
                Property::SteadyState {
                    optimum: Some(optimum),
                    query: Query::Value,
                    states: Box::new(Property::Expr(set.clone())),
                },
                {
                    let shares = explore(&share(&network, &set), 1000, &budget).expect("small");
                    naive::average(&shares, 0, optimum)
                },
            ),
        ];
        for (property, exact) in questions {
            for exactness in ALL {
                let (bracket, _) = decide(&network, &checker, &property, exactness);
                let what = format!("round {round}, {optimum:?}, {exactness:?}, {property:?}");
                near(&bracket, &exact, &what);
                if exactness == Exactness::Always {
                    assert_eq!(
                        bracket,
                        Bracket::Exact(exact.iter().cloned().map(Some).collect()),
                        "{what}"
                    );
                }
            }
        }
        assert_eq!(members(&network, &model, &set).len(), model.states.len());
    }
}

#[test]
fn changed_certificates_of_averages_are_rejected() {
    let mut random = StdRng::seed_from_u64(62);
    let budget = Budget::unlimited();
    let off = decimal("0.001").expect("a decimal");
    let mut changed = [0; 4];
    for round in 0..400 * effort() {
        let network = network(&mut random, round % 2 == 1);
        let model = explore(&network, 1000, &budget).expect("small");
        if model.rows.iter().all(|rows| rows.len() == 1) {
            continue;
        }
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let optimum = [Optimum::Max, Optimum::Min][round as usize / 2 % 2];
        let property = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind: RewardKind::LongRun,
        };
        let (bracket, certificate) = decide(&network, &checker, &property, Exactness::Always);
        let value = bracket.lower(0).expect("finite");
        // The right number with parts of the certificate that prove less; a wrong one with all of it moved along.
        let last = certificate.brackets.len() - 1;
        for sign in [Rational::ONE, -Rational::ONE] {
            let wrong = &value + &sign * &off;
            let mut damaged = certificate.clone();
            for at in [0, last] {
                if let Bracket::Exact(values) = &mut damaged.brackets[at] {
                    values.iter_mut().flatten().for_each(|own| *own += &sign * &off);
                }
            }
            let quantity = Quantity::Exact(wrong);
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&quantity),
            };
            assert!(
                checker.check(&property, &claim, &damaged, &budget).is_rejected(),
                "round {round}"
            );
            changed[last] += 1;
        }
        for at in 0..certificate.brackets.len() {
            let mut damaged = certificate.clone();
            damaged.brackets.remove(at);
            let quantity = Quantity::Exact(value.clone());
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&quantity),
            };
            let report = checker.check(&property, &claim, &damaged, &budget);
            // Without potentials nothing is proved, unless the next bracket happens to be some.
            assert!(report.is_rejected() || at < last, "round {round}, without {at}");
        }
    }
    // With and without components of different worth.
    assert!(changed[2] > 50 && changed[3] > 10, "{changed:?}");
}

#[test]
fn choices_that_take_no_time_for_ever_have_no_average() {
    let mut random = StdRng::seed_from_u64(63);
    let mut network = network(&mut random, true);
    network.components[0].commands.push(Command {
        action: None,
        kind: CommandKind::Probabilistic,
        guard: at(1),
        branches: vec![Branch {
            weight: Expr::from(1),
            upper: None,
            assignments: Vec::new(),
            rewards: Vec::new(),
            place: Span::new(0, 0),
        }],
        place: Span::new(0, 0),
    });
    network.initial = entail_markov::Initial::Values(vec![1]);
    let budget = Budget::unlimited();
    let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
    let property = Property::Reward {
        optimum: Some(Optimum::Max),
        query: Query::Value,
        structure: 0,
        kind: RewardKind::LongRun,
    };
    let asked = decide_with(&network, &checker, &property, settings(Exactness::Always));
    assert!(matches!(asked, Err(Trouble::Unsupported(_))));
}
