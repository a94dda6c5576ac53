//! Models explored in part: the bounds are around the exact values of the whole model, whichever states were left out, and the checker, which builds the same part, accepts them,
//! and nothing that claims more.

use crate::support::{effort, members, probability, random_network, random_set, settings, state, values};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BoundedBy, Bounds, Certificate, Kind, Limit, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, explore, naive,
};
use entail_probabilistic::{Exactness, Extent, Values, Workshop, explore_guided, settled};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type Ends = (Option<Rational>, Option<Rational>);

/// The bounds of the initial state in the part that a way of exploring gives; they must be certified, and nothing narrower.
fn bounds_of_part(network: &Network, values_of: (Values, Certificate), property: &Property) -> Ends {
    let budget = Budget::unlimited();
    let (found, certificate) = values_of;
    let Values::Numbers(bracket) = found else {
        panic!("a number was asked for")
    };
    let (low, high) = values(&bracket, 0);
    let unexplored = &certificate.unexplored;
    let checker = Checker::of_part(network.clone(), unexplored, 1000, &budget).expect("small");
    let judged = |low: &Rational, high: &Rational, certificate: &Certificate| {
        let quantity = match low == high {
            true => Quantity::Exact(low.clone()),
            false => Quantity::Between(low.clone(), high.clone()),
        };
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&quantity),
        };
        checker.check(property, &claim, certificate, &budget)
    };
    if let (Some(low), Some(high)) = (&low, &high) {
        let accepted = judged(low, high, &certificate);
        assert_eq!(accepted, CheckReport::Accepted, "{property:?} {bracket:?}");
        let shift = (high - low) / Rational::from(8u8);
        if shift > Rational::ZERO {
            let claims_more = judged(&(low + shift), high, &certificate);
            assert!(claims_more.is_rejected(), "{claims_more:?}");
        }
        let mut other = certificate.clone();
        match other.unexplored.pop() {
            Some(_) => assert!(judged(low, high, &other).is_rejected()),
            None => {
                other.unexplored.push(0);
                assert!(judged(low, high, &other).is_rejected());
            }
        }
    }
    (low, high)
}

fn is_between(ends: &Ends, low: &Option<Rational>, high: &Option<Rational>, what: &str) {
    let at_most = |a: &Option<Rational>, b: &Option<Rational>| match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
    };
    assert!(at_most(&ends.0, high), "{what}: {ends:?} above {high:?}");
    assert!(at_most(low, &ends.1), "{what}: {ends:?} below {low:?}");
}

/// Explores a network in several ways and compares the bounds with those of the whole.
fn all_parts(
    network: &Network,
    property: &Property,
    (low, high): (&Option<Rational>, &Option<Rational>),
    what: &str,
    random: &mut StdRng,
) {
    let budget = Budget::unlimited();
    let limit = random.random_range(0..5);
    let exactness = [Exactness::Never, Exactness::WhereCheap][random.random_range(0..2)];
    for cut in [None, settled(property)] {
        let extent = Extent {
            partly: true,
            settled: cut.clone(),
            ..Extent::from(limit)
        };
        let mut workshop =
            Workshop::new(network, settings(exactness), extent, &budget, &Silent).expect("small");
        let answer = workshop.check(property, &budget).expect("decided");
        let ends = bounds_of_part(network, answer, property);
        is_between(&ends, low, high, what);
    }
    let guided = explore_guided(
        network,
        property,
        settings(exactness),
        limit.max(1),
        &budget,
        &Silent,
    )
    .expect("decided");
    let ends = bounds_of_part(network, (guided.values, guided.certificate), property);
    is_between(&ends, low, high, what);
    // Without a limit the part is as large as the question needs it, and the bounds are near.
    let guided = explore_guided(network, property, settings(exactness), 1000, &budget, &Silent);
    let guided = guided.expect("decided");
    let ends = bounds_of_part(network, (guided.values, guided.certificate), property);
    is_between(&ends, low, high, what);
    if let (Some(least), Some(most)) = ends {
        let allowed = entail_markov::decimal("2e-6").expect("a decimal");
        assert!(&most - &least <= allowed * most.max(Rational::ONE), "{what}");
    }
}

#[test]
fn bounds_of_a_part_are_around_the_values_of_the_whole_and_certified() {
    let mut random = StdRng::seed_from_u64(21);
    for round in 0..150 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let model = explore(&network, 1000, &Budget::unlimited()).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network).or(random_set(&mut random, &network)),
            random_set(&mut random, &network),
        );
        let optimum = [Optimum::Max, Optimum::Min][random.random_range(0..2)];
        let what = format!("round {round}, {kind:?}, {optimum:?}");
        let (stays, goals) = (members(&network, &model, &stay), members(&network, &model, &goal));
        let exact = Some(naive::probability(&model, &stays, &goals, optimum)[0].clone());
        let path = Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), None);
        let property = probability(optimum, path.clone());
        all_parts(&network, &property, (&exact, &exact), &what, &mut random);
        let negated = probability(optimum.dual(), Path::Not(Box::new(path)));
        let rest = exact.map(|value| Rational::ONE - value);
        all_parts(&network, &negated, (&rest, &rest), &what, &mut random);

        let exact = naive::reward(&model, 0, &goals, optimum)[0].clone();
        let property = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind: RewardKind::Reach(Path::Finally(Box::new(state(&goal)), None)),
        };
        all_parts(&network, &property, (&exact, &exact), &what, &mut random);
    }
}

#[test]
fn steps_and_time_are_bounded_in_a_part() {
    let mut random = StdRng::seed_from_u64(22);
    let budget = Budget::unlimited();
    for round in 0..90 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let (stay, goal) = (
            random_set(&mut random, &network).or(random_set(&mut random, &network)),
            random_set(&mut random, &network),
        );
        let limit = |value: u64| {
            Some(Limit {
                value: Rational::from(value),
                strict: false,
            })
        };
        let first = random.random_range(0..3u64);
        let bounds = Bounds {
            by: BoundedBy::Time,
            others: Vec::new(),
            lower: limit(first).filter(|_| first > 0),
            upper: limit(first + random.random_range(0..4u64)),
        };
        let optimum = [Optimum::Max, Optimum::Min][random.random_range(0..2)];
        let path = Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), Some(bounds));
        let property = probability(optimum, path);
        let mut whole =
            Workshop::new(&network, settings(Exactness::Never), 1000, &budget, &Silent).expect("small");
        let (Values::Numbers(bracket), _) = whole.check(&property, &budget).expect("decided") else {
            panic!("a number was asked for")
        };
        let (low, high) = values(&bracket, 0);
        let what = format!("round {round}, {kind:?}, {optimum:?}");
        all_parts(&network, &property, (&low, &high), &what, &mut random);
    }
}
