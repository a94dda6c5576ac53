//! Random small chains, decision processes and continuous-time chains: all methods' bounds around the naive exact answers, the explorer beside
//! the reference interpreter, and certificates that the checker accepts and, once damaged, rejects.

mod conditional;
mod costs;
mod intervals;
mod parts;
mod quotients;

use crate::support;
use entail_answer::{Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    Bracket, Certificate, Explicit, Kind, Optimum, Path, Property, Query, Rational, RewardKind, explore,
    naive,
};
use entail_probabilistic::Exactness;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{
    ALL, all_methods_agree, contains, decide, effort, members, probability, random_network, random_set,
    state, values,
};

#[test]
fn reachability_bounds_are_around_the_exact_values_and_certified() {
    let mut random = StdRng::seed_from_u64(1);
    for round in 0..1500 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network).or(random_set(&mut random, &network)),
            random_set(&mut random, &network),
        );
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let exact = naive::probability(
            &model,
            &members(&network, &model, &stay),
            &members(&network, &model, &goal),
            optimum,
        );
        let exact: Vec<Option<Rational>> = exact.into_iter().map(Some).collect();
        let property = probability(
            optimum,
            Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), None),
        );
        for exactness in ALL {
            let (bracket, _) = decide(&network, &checker, &property, exactness);
            contains(
                &bracket,
                &exact,
                &format!("round {round}, {kind:?}, {optimum:?}, {exactness:?}"),
            );
            if exactness == Exactness::Always {
                assert_eq!(bracket, Bracket::Exact(exact.clone()));
            }
        }
        let what = format!("round {round}, {kind:?}, {optimum:?}");
        if round % 3 == round / 3 % 3 {
            all_methods_agree(&network, &checker, &property, &exact, &what);
        }
    }
}

#[test]
fn reward_bounds_are_around_the_exact_values_and_certified() {
    let mut random = StdRng::seed_from_u64(2);
    for round in 0..1500 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let goal = random_set(&mut random, &network);
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let exact = naive::reward(&model, 0, &members(&network, &model, &goal), optimum);
        let property = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind: RewardKind::Reach(Path::Finally(Box::new(state(&goal)), None)),
        };
        for exactness in ALL {
            let (bracket, _) = decide(&network, &checker, &property, exactness);
            contains(
                &bracket,
                &exact,
                &format!("round {round}, {kind:?}, {optimum:?}, {exactness:?}"),
            );
        }
        let what = format!("round {round}, {kind:?}, {optimum:?}");
        if round % 3 == round / 3 % 3 {
            all_methods_agree(&network, &checker, &property, &exact, &what);
        }
    }
}

#[test]
fn bounded_until_is_around_the_exact_value_and_computed_twice() {
    let mut random = StdRng::seed_from_u64(3);
    for round in 0..400 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp][round as usize % 2];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let steps = random.random_range(0..7u64);
        let (inside, there) = (members(&network, &model, &stay), members(&network, &model, &goal));
        let exact = naive::bounded_probability(&model, &inside, &there, steps, optimum);
        let exact: Vec<Option<Rational>> = exact.into_iter().map(Some).collect();
        let bounds = entail_markov::Bounds {
            lower: None,
            upper: Some(entail_markov::Limit {
                value: Rational::from(steps),
                strict: false,
            }),
            by: entail_markov::BoundedBy::Time,
            others: Vec::new(),
        };
        let property = probability(
            optimum,
            Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), Some(bounds)),
        );
        let what = format!("round {round}, {kind:?}, {optimum:?}");
        let (bracket, _) = decide(&network, &checker, &property, Exactness::Never);
        contains(&bracket, &exact, &what);
        for exactness in [Exactness::WhereCheap, Exactness::Always] {
            let (bracket, certificate) = decide(&network, &checker, &property, exactness);
            assert_eq!(bracket, Bracket::Exact(exact.clone()), "{what}");
            rejects_what_is_narrower(&checker, &property, &certificate, &bracket, &exact[0], &what);
            // Fractions that are off anywhere are noticed, and so are bounds in their place that are.
            let mut changed = certificate.clone();
            if let Some(Bracket::Exact(values)) = changed.brackets.last_mut() {
                let last = values.len() - 1;
                values[last] = Some(Rational::from(2));
            }
            let value = exact[0].clone().expect("finite");
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&Quantity::Exact(value)),
            };
            let report = checker.check(&property, &claim, &changed, &Budget::unlimited());
            assert!(report.is_rejected(), "{what}: {report:?}");
        }
    }
}

#[test]
fn rewards_over_few_steps_are_those_of_the_definition() {
    let mut random = StdRng::seed_from_u64(9);
    for round in 0..300 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp][round as usize % 2];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let optimum = [Optimum::Max, Optimum::Min][round as usize / 2 % 2];
        let (steps, instant) = (random.random_range(0..6u64), random.random_bool(0.5));
        let mut values = match instant {
            true => model.state_rewards[0].clone(),
            false => vec![Rational::ZERO; model.states.len()],
        };
        for _ in 0..steps {
            let worth = |state: usize, row: &entail_markov::Row| {
                let earned = match instant {
                    true => Rational::ZERO,
                    false => naive::step_value(&model, 0, state, row),
                };
                (row.targets.iter()).fold(earned, |sum, (target, part)| {
                    sum + part * &values[*target as usize]
                })
            };
            let next = model.rows.iter().enumerate().map(|(state, rows)| {
                let all = rows.iter().map(|row| worth(state, row));
                match optimum {
                    Optimum::Max => all.max(),
                    Optimum::Min => all.min(),
                }
                .expect("a state has a choice")
            });
            values = next.collect();
        }
        let exact: Vec<Option<Rational>> = values.into_iter().map(Some).collect();
        let bound = Rational::from(steps);
        let property = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind: match instant {
                true => RewardKind::Instant(bound),
                false => RewardKind::Cumulative(bound),
            },
        };
        let what = format!("round {round}, {kind:?}, {optimum:?}, {steps} steps, {instant}");
        for exactness in ALL {
            let (bracket, certificate) = decide(&network, &checker, &property, exactness);
            contains(&bracket, &exact, &what);
            if exactness != Exactness::Never {
                assert_eq!(bracket, Bracket::Exact(exact.clone()), "{what}");
                rejects_what_is_narrower(&checker, &property, &certificate, &bracket, &exact[0], &what);
            }
        }
    }
}

fn not(set: &[bool]) -> Vec<bool> {
    set.iter().map(|inside| !inside).collect()
}

fn both(left: &[bool], right: &[bool]) -> Vec<bool> {
    left.iter()
        .zip(right)
        .map(|(left, right)| *left && *right)
        .collect()
}

/// `G`, `W`, `R` and negations are one minus the probability of something else, for the engine and for its checker. Here they are what their
/// definitions say: in a chain, `a W b` is `a U b` or else for ever `a` without `b`, which exclude each other.
#[test]
fn complements_are_around_the_exact_values_and_certified() {
    let mut random = StdRng::seed_from_u64(7);
    let all = |model: &Explicit| vec![true; model.states.len()];
    for round in 0..400 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let (a, b) = (
            random_set(&mut random, &network).or(random_set(&mut random, &network)),
            random_set(&mut random, &network),
        );
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let (in_a, in_b) = (members(&network, &model, &a), members(&network, &model, &b));
        let until = |stay: &[bool], goal: &[bool]| naive::probability(&model, stay, goal, optimum);
        let never = |bad: &[bool]| -> Vec<Rational> {
            let met = naive::probability(&model, &all(&model), bad, optimum.dual());
            met.into_iter().map(|met| Rational::ONE - met).collect()
        };
        let sum = |left: Vec<Rational>, right: Vec<Rational>| -> Vec<Rational> {
            left.into_iter()
                .zip(right)
                .map(|(left, right)| left + right)
                .collect()
        };
        let (pa, pb) = (Box::new(state(&a)), Box::new(state(&b)));
        let mut asked = vec![
            (Path::Globally(pa.clone(), None), never(&not(&in_a))),
            (Path::Not(Box::new(Path::Finally(pb.clone(), None))), never(&in_b)),
            (
                Path::Not(Box::new(Path::Not(Box::new(Path::Until(
                    pa.clone(),
                    pb.clone(),
                    None,
                ))))),
                until(&in_a, &in_b),
            ),
        ];
        if kind != Kind::Mdp {
            let only_a = both(&in_a, &not(&in_b));
            let weak = sum(until(&in_a, &in_b), never(&not(&only_a)));
            asked.push((Path::WeakUntil(pa.clone(), pb.clone(), None), weak));
            // a R b: b up to and including a state of a, or for ever b without a.
            let only_b = both(&in_b, &not(&in_a));
            let release = sum(until(&in_b, &both(&in_a, &in_b)), never(&not(&only_b)));
            asked.push((Path::Release(pa, pb, None), release));
        }
        for (path, exact) in asked {
            let exact: Vec<Option<Rational>> = exact.into_iter().map(Some).collect();
            let property = probability(optimum, path);
            for exactness in ALL {
                let (bracket, certificate) = decide(&network, &checker, &property, exactness);
                let what = format!("round {round}, {kind:?}, {optimum:?}, {exactness:?}, {property:?}");
                contains_somewhere(&bracket, &exact, &what);
                rejects_what_is_narrower(&checker, &property, &certificate, &bracket, &exact[0], &what);
            }
        }
    }
}

/// Whether the exact values lie in the bracket, however wide.
fn contains_somewhere(bracket: &Bracket, exact: &[Option<Rational>], what: &str) {
    for (state, exact) in exact.iter().enumerate() {
        let (low, high) = values(bracket, state);
        assert!(
            low <= *exact && *exact <= high,
            "{what}: state {state}: {low:?} {exact:?} {high:?}"
        );
    }
}

/// A claim that leaves out the exact value, however slightly, is rejected: nothing is rounded towards it.
fn rejects_what_is_narrower(
    checker: &Checker,
    property: &Property,
    certificate: &Certificate,
    bracket: &Bracket,
    exact: &Option<Rational>,
    what: &str,
) {
    let (Some(exact), (Some(low), Some(high))) = (exact, values(bracket, 0)) else {
        panic!("{what}: probabilities are finite")
    };
    let little = Rational::ONE / Rational::from(1u128 << 120);
    for (from, to) in [(low.clone(), exact - &little), (exact + &little, high.clone())] {
        let claimed = Quantity::Between(from, to);
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&claimed),
        };
        let report = checker.check(property, &claim, certificate, &Budget::unlimited());
        assert!(report.is_rejected(), "{what}: {claimed:?} {report:?}");
    }
}

#[test]
fn bounds_of_different_lengths_are_rejected() {
    let mut random = StdRng::seed_from_u64(8);
    let budget = Budget::unlimited();
    let network = random_network(&mut random, Kind::Dtmc);
    let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
    let goal = random_set(&mut random, &network);
    let property = probability(Optimum::Max, Path::Finally(Box::new(state(&goal)), None));
    let value = Quantity::Between(Rational::ZERO, Rational::ONE);
    let claim = Claim {
        verdict: Verdict::Holds,
        value: Some(&value),
    };
    for (lower, upper) in [
        (checker.states(), 0),
        (0, checker.states()),
        (checker.states(), 1),
    ] {
        let certificate = Certificate {
            brackets: vec![Bracket::Between {
                lower: vec![0.0; lower],
                upper: vec![1.0; upper],
            }],
            ..Certificate::default()
        };
        let report = checker.check(&property, &claim, &certificate, &budget);
        assert!(report.is_rejected() || lower == upper, "{report:?}");
    }
}

#[test]
fn long_run_averages_of_chains_are_around_the_exact_values_and_certified() {
    let mut random = StdRng::seed_from_u64(4);
    let budget = Budget::unlimited();
    for round in 0..600 * effort() {
        let kind = [Kind::Dtmc, Kind::Ctmc][round as usize % 2];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &budget).expect("small");
        let exact: Vec<Option<Rational>> = naive::average(&model, 0, Optimum::Max)
            .into_iter()
            .map(Some)
            .collect();
        let property = Property::Reward {
            optimum: None,
            query: Query::Value,
            structure: 0,
            kind: RewardKind::LongRun,
        };
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        for exactness in ALL {
            let (bracket, _) = decide(&network, &checker, &property, exactness);
            contains(
                &bracket,
                &exact,
                &format!("round {round}, {kind:?}, {exactness:?}"),
            );
        }
    }
}

#[test]
fn damaged_certificates_are_rejected() {
    let mut random = StdRng::seed_from_u64(5);
    let budget = Budget::unlimited();
    let mut damaged = 0;
    for round in 0..600 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp][round as usize % 2];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &budget).expect("small");
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let goal = random_set(&mut random, &network);
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let property = probability(optimum, Path::Finally(Box::new(state(&goal)), None));
        let exact = naive::probability(
            &model,
            &vec![true; model.states.len()],
            &members(&network, &model, &goal),
            optimum,
        );
        let (_, certificate) = decide(&network, &checker, &property, Exactness::Never);
        // A value of the initial state that is wrong by a thousandth, with a certificate changed to claim it.
        let off = entail_markov::decimal("0.001").expect("a decimal");
        let wrong = if random.random_bool(0.5) {
            &exact[0] + &off
        } else {
            &exact[0] - &off
        };
        let mut changed = certificate.clone();
        let wrong_float = entail_markov::to_float(&wrong);
        match &mut changed.brackets[0] {
            Bracket::Exact(values) => values[0] = Some(wrong.clone()),
            Bracket::Between { lower, upper } => {
                lower[0] = wrong_float;
                upper[0] = wrong_float;
            }
        }
        let claimed = match &changed.brackets[0] {
            Bracket::Exact(_) => Quantity::Exact(wrong),
            Bracket::Between { .. } => {
                Quantity::Exact(entail_markov::from_float(wrong_float).expect("finite"))
            }
        };
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&claimed),
        };
        assert!(
            checker.check(&property, &claim, &changed, &budget).is_rejected(),
            "round {round}"
        );
        // The same claim with the certificate as it was.
        assert!(
            checker
                .check(&property, &claim, &certificate, &budget)
                .is_rejected(),
            "round {round}"
        );
        damaged += 1;
    }
    assert!(damaged > 100);
}

#[test]
fn the_explorer_numbers_states_as_the_reference_interpreter_does() {
    let mut random = StdRng::seed_from_u64(6);
    let budget = Budget::unlimited();
    for round in 0..500 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &budget).expect("small");
        let sparse = entail_probabilistic::generate(&network, 1000, &budget, &Silent).expect("small");
        assert_eq!(sparse.states(), model.states.len());
        let mut found = Vec::new();
        for at in 0..sparse.states() {
            sparse.store.read(at, &mut found);
            assert_eq!(found, model.states[at]);
            let rows = &model.rows[at];
            assert_eq!(sparse.choices_of(at).len(), rows.len());
            for (choice, row) in sparse.choices_of(at).zip(rows) {
                let explored: Vec<(u32, Rational)> = (sparse.row(choice))
                    .map(|at| {
                        (
                            sparse.targets[at],
                            sparse.numbers.exact(sparse.values[at]).clone(),
                        )
                    })
                    .collect();
                assert_eq!(explored, row.targets);
                assert_eq!(
                    sparse.rate(choice).map(|rate| sparse.numbers.exact(rate).clone()),
                    row.rate
                );
            }
        }
    }
}
