//! Certificates of path formulas, times, totals, bounds on rewards and branching time on random small models: the checker, which shares nothing
//! with the engine, must accept what the engine claims, and reject what was changed.

use crate::support;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BoundedBy, Bounds, Bracket, Kind, Limit, Optimum, Path, Property, Query, Rational, RewardKind,
};
use entail_markov::{Network, decimal};
use entail_probabilistic::{Exactness, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{ALL, decide, effort, probability, random_network, random_set, settings, state};

fn random_path(random: &mut StdRng, network: &Network, depth: u32) -> Path {
    let leaf = |random: &mut StdRng| state(&random_set(random, network));
    if depth == 0 {
        return leaf(random);
    }
    let one = |random: &mut StdRng| Box::new(random_path(random, network, depth - 1));
    match random.random_range(0..11) {
        0 => Path::Not(one(random)),
        1 => Path::And(one(random), one(random)),
        2 => Path::Or(one(random), one(random)),
        3 => Path::Implies(one(random), one(random)),
        4 => Path::Iff(one(random), one(random)),
        5 => Path::Next(one(random)),
        6 => Path::Until(one(random), one(random), None),
        7 => Path::WeakUntil(one(random), one(random), None),
        8 => Path::Release(one(random), one(random), None),
        9 => Path::Finally(one(random), None),
        _ => Path::Globally(one(random), None),
    }
}

fn random_optimum(random: &mut StdRng) -> Optimum {
    if random.random_bool(0.5) {
        Optimum::Max
    } else {
        Optimum::Min
    }
}

fn upper(value: u64, by: BoundedBy) -> Bounds {
    Bounds {
        lower: None,
        upper: Some(Limit {
            value: Rational::from(value),
            strict: false,
        }),
        by,
        others: Vec::new(),
    }
}

#[test]
fn path_formulas_are_certified_and_a_formula_and_its_negation_share_one() {
    let mut random = StdRng::seed_from_u64(11);
    for round in 0..250 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let path = random_path(&mut random, &network, 2);
        let optimum = random_optimum(&mut random);
        let (bracket, _) = decide(
            &network,
            &checker,
            &probability(optimum, path.clone()),
            Exactness::Always,
        );
        let negated = probability(optimum.dual(), Path::Not(Box::new(path)));
        let (other, _) = decide(&network, &checker, &negated, Exactness::Never);
        let sum =
            |own: Option<Rational>, other: Option<Rational>| own.zip(other).map(|(own, other)| own + other);
        let (low, high) = (
            sum(bracket.lower(0), other.lower(0)).expect("finite"),
            sum(bracket.upper(0), other.upper(0)).expect("finite"),
        );
        assert!(
            low <= Rational::ONE && Rational::ONE <= high,
            "round {round}: {low} {high}"
        );
    }
}

#[test]
fn an_automaton_that_was_changed_is_rejected() {
    let mut random = StdRng::seed_from_u64(12);
    let budget = Budget::unlimited();
    let mut changed = 0;
    for _ in 0..200 * effort() {
        let network = random_network(&mut random, Kind::Dtmc);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let property = probability(Optimum::Max, random_path(&mut random, &network, 2));
        let (bracket, certificate) = decide(&network, &checker, &property, Exactness::Always);
        let Some(observer) = certificate.observers.first() else {
            continue;
        };
        // It accepts nothing now, although something satisfies the formula.
        let mut other = certificate.clone();
        other.observers[0].acceptance.clear();
        let value = bracket.lower(0).expect("finite");
        if value > Rational::ZERO && !observer.acceptance.is_empty() {
            let value = Quantity::Exact(value);
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&value),
            };
            assert!(checker.check(&property, &claim, &other, &budget).is_rejected());
            changed += 1;
        }
        // A claim that is off is rejected with the certificate as it was, and with one that says so at the beginning.
        let wrong = Quantity::Exact(bracket.lower(0).expect("finite") + decimal("0.001").expect("a decimal"));
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&wrong),
        };
        assert!(
            checker
                .check(&property, &claim, &certificate, &budget)
                .is_rejected()
        );
    }
    assert!(changed > 20, "{changed}");
}

#[test]
fn time_bounds_of_chains_are_computed_twice() {
    let mut random = StdRng::seed_from_u64(13);
    for _ in 0..150 * effort() {
        let network = random_network(&mut random, Kind::Ctmc);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let mut bounds = upper(random.random_range(1..20), BoundedBy::Time);
        if random.random_bool(0.3) {
            bounds.lower = Some(Limit {
                value: decimal("0.5").expect("a decimal"),
                strict: false,
            });
        }
        let until = Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), Some(bounds));
        decide(
            &network,
            &checker,
            &probability(Optimum::Max, until),
            Exactness::Never,
        );
        for kind in [
            RewardKind::Cumulative(Rational::from(3)),
            RewardKind::Instant(Rational::from(2)),
        ] {
            let property = Property::Reward {
                optimum: None,
                query: Query::Value,
                structure: 0,
                kind,
            };
            decide(&network, &checker, &property, Exactness::Never);
        }
    }
}

#[test]
fn total_rewards_and_rewards_until_path_formulas_are_certified() {
    let mut random = StdRng::seed_from_u64(14);
    for round in 0..300 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let optimum = random_optimum(&mut random);
        let reward = |kind: RewardKind| Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind,
        };
        for exactness in ALL {
            decide(&network, &checker, &reward(RewardKind::Total), exactness);
        }
        let (first, second) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let both = Path::And(
            Box::new(state(&first)),
            Box::new(Path::Finally(Box::new(state(&second)), None)),
        );
        let property = reward(RewardKind::Reach(Path::Finally(Box::new(both), None)));
        decide(&network, &checker, &property, Exactness::Always);
    }
}

#[test]
fn bounds_on_rewards_are_certified() {
    let mut random = StdRng::seed_from_u64(15);
    for _ in 0..200 * effort() {
        let mut network = random_network(&mut random, Kind::Mdp);
        network.rewards[0].transitions.clear();
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let goal = random_set(&mut random, &network);
        let mut bounds = upper(random.random_range(1..6), BoundedBy::Reward(0));
        if random.random_bool(0.3) {
            bounds.lower = bounds.upper.take();
        }
        let path = Path::Finally(Box::new(state(&goal)), Some(bounds));
        decide(
            &network,
            &checker,
            &probability(random_optimum(&mut random), path),
            Exactness::Always,
        );
    }
}

#[test]
fn branching_time_is_decided_as_the_checker_does() {
    let mut random = StdRng::seed_from_u64(16);
    let budget = Budget::unlimited();
    for round in 0..400 * effort() {
        let network = random_network(&mut random, [Kind::Dtmc, Kind::Mdp][round as usize % 2]);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let mut leaf = || Box::new(state(&random_set(&mut random, &network)));
        let path = match round % 6 {
            0 => Path::Next(leaf()),
            1 => Path::Finally(leaf(), None),
            2 => Path::Globally(leaf(), None),
            3 => Path::Until(leaf(), leaf(), None),
            4 => Path::WeakUntil(leaf(), leaf(), None),
            _ => Path::Release(leaf(), leaf(), None),
        };
        let property = match random.random_bool(0.5) {
            true => Property::Exists(path),
            false => Property::ForAll(path),
        };
        let mut workshop =
            Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
        let (found, certificate) = workshop.check(&property, &budget).expect("decided");
        let Values::Truth(truth) = found else {
            panic!("a truth value was asked for")
        };
        let (right, wrong) = match truth.yes.contains(0) {
            true => (Verdict::Holds, Verdict::Fails),
            false => (Verdict::Fails, Verdict::Holds),
        };
        let claim = |verdict| Claim { verdict, value: None };
        assert_eq!(
            checker.check(&property, &claim(right), &certificate, &budget),
            CheckReport::Accepted,
            "round {round}"
        );
        assert!(
            checker
                .check(&property, &claim(wrong), &certificate, &budget)
                .is_rejected()
        );
    }
}

#[test]
fn damaged_brackets_of_totals_and_averages_are_rejected() {
    let mut random = StdRng::seed_from_u64(17);
    let budget = Budget::unlimited();
    let mut damaged = 0;
    for round in 0..300 * effort() {
        let network = random_network(&mut random, [Kind::Dtmc, Kind::Ctmc][round as usize % 2]);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let kind = [RewardKind::Total, RewardKind::LongRun][random.random_range(0..2)].clone();
        let property = Property::Reward {
            optimum: None,
            query: Query::Value,
            structure: 0,
            kind,
        };
        let (bracket, certificate) = decide(&network, &checker, &property, Exactness::Always);
        let Some(value) = bracket.lower(0) else { continue };
        let off = decimal("0.001").expect("a decimal");
        let wrong = if random.random_bool(0.5) {
            value + off
        } else {
            value - off
        };
        let mut changed = certificate.clone();
        if let Some(Bracket::Exact(values)) = changed.brackets.last_mut() {
            values[0] = Some(wrong.clone());
        }
        let wrong = Quantity::Exact(wrong);
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&wrong),
        };
        assert!(
            checker.check(&property, &claim, &changed, &budget).is_rejected(),
            "round {round}"
        );
        damaged += 1;
    }
    assert!(damaged > 100, "{damaged}");
}

/// Where a chain violates an upper bound, paths and a part of the model show it; what was changed about them is rejected.
#[test]
fn likely_paths_and_critical_states_show_why_a_bound_is_violated() {
    use entail_markov::{Comparison, Critical, LikelyPath, Threshold};
    let mut random = StdRng::seed_from_u64(77);
    let budget = Budget::unlimited();
    let mut shown = 0;
    for round in 0..400 * effort() {
        let kind = [Kind::Dtmc, Kind::Ctmc][round as usize % 2];
        let network = random_network(&mut random, kind);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let mut workshop =
            Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
        let path = Path::Until(
            Box::new(state(
                &random_set(&mut random, &network).or(random_set(&mut random, &network)),
            )),
            Box::new(state(&random_set(&mut random, &network))),
            None,
        );
        let (values, _) = workshop
            .check(&probability(Optimum::Max, path.clone()), &budget)
            .expect("decided");
        let Values::Numbers(bracket) = values else {
            panic!("a number was asked for")
        };
        let value = bracket.lower(0).expect("finite");
        if value.is_zero() {
            continue;
        }
        let threshold = Threshold {
            comparison: Comparison::Le,
            bound: value * Rational::from(random.random_range(1..9u8)) / Rational::from(10u8),
        };
        let property = Property::Probability {
            optimum: None,
            query: Query::Compare(threshold),
            path,
        };
        let critical = workshop
            .critical(&property, &budget)
            .expect("decided")
            .expect("violated");
        let check = |critical: &Critical| checker.check_critical(&property, critical, &budget);
        assert_eq!(
            check(&critical),
            CheckReport::Accepted,
            "round {round}: {critical:?}"
        );
        assert!(!critical.paths.is_empty());
        let number = |path: &LikelyPath| path.probability.parse::<Rational>().expect("a fraction");
        let sorted = critical.paths.windows(2).all(|pair| {
            let (first, second) = (number(&pair[0]), number(&pair[1]));
            entail_markov::to_float(&first) >= 0.999_999 * entail_markov::to_float(&second)
        });
        assert!(sorted, "round {round}: {critical:?}");
        let mut damaged = critical.clone();
        damaged.paths[0].probability = (number(&critical.paths[0]) / Rational::from(2u8)).to_string();
        assert_ne!(check(&damaged), CheckReport::Accepted);
        let mut damaged = critical.clone();
        damaged.paths.push(critical.paths[0].clone());
        assert_ne!(check(&damaged), CheckReport::Accepted);
        let mut damaged = critical.clone();
        damaged.states.clear();
        assert_ne!(check(&damaged), CheckReport::Accepted);
        shown += 1;
    }
    assert!(shown > 50, "{shown}");
}
