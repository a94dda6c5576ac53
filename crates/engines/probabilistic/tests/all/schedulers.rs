//! Schedulers of random decision processes: the chain that a scheduler makes reaches the optimum, and the checker says so; a changed one does not.

use crate::support;
use entail_answer::{Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BoundedBy, Bounds, Kind, Limit, Memory, Network, Optimum, Path, Property, Query, Rational, RewardKind,
    Strategy,
};
use entail_probabilistic::{Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{ALL, effort, probability, random_network, random_set, settings, state, values};

#[test]
fn schedulers_reach_the_optimum_and_changed_ones_are_noticed() {
    let mut random = StdRng::seed_from_u64(51);
    let budget = Budget::unlimited();
    let (mut found, mut worse, mut infinite) = (0, 0, 0);
    for round in 0..300 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let set = |random: &mut StdRng| Box::new(state(&random_set(random, &network)));
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let reward = |kind| Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind,
        };
        let property = match random.random_range(0..8) {
            0 => probability(optimum, Path::Finally(set(&mut random), None)),
            1 => probability(optimum, Path::Until(set(&mut random), set(&mut random), None)),
            2 => probability(optimum, Path::Globally(set(&mut random), None)),
            3 => probability(optimum, Path::WeakUntil(set(&mut random), set(&mut random), None)),
            4 => reward(RewardKind::Total),
            5 => reward(RewardKind::LongRun),
            6 => Property::SteadyState {
                optimum: Some(optimum),
                query: Query::Value,
                states: Box::new(Property::Expr(random_set(&mut random, &network))),
            },
            _ => reward(RewardKind::Reach(Path::Finally(set(&mut random), None))),
        };
        let exactness = ALL[round as usize % 3];
        let mut workshop =
            Workshop::new(&network, settings(exactness), 1000, &budget, &Silent).expect("small");
        let (Values::Numbers(bracket), _) = workshop.check(&property, &budget).expect("decided") else {
            panic!("a number was asked for")
        };
        let strategy = workshop.scheduler(&property, &budget).expect("written");
        let quantity = match values(&bracket, 0) {
            (Some(low), Some(high)) if low == high => Quantity::Exact(low),
            (Some(low), Some(high)) => Quantity::Between(low, high),
            (None, None) => Quantity::Infinite,
            (low, high) => panic!("half-infinite: {low:?} {high:?}"),
        };
        infinite += u64::from(quantity == Quantity::Infinite);
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&quantity),
        };
        let report = checker.check_scheduler(&property, &claim, &strategy, &budget);
        assert!(report.is_accepted(), "{report:?} {property:?} {exactness:?}");
        found += 1;
        // Another choice with the same certificate: the chain is another one.
        let mut changed = strategy.clone();
        for choice in &mut changed.choices {
            *choice = 0;
        }
        if changed != strategy {
            worse += u64::from(
                !checker
                    .check_scheduler(&property, &claim, &changed, &budget)
                    .is_accepted(),
            );
        }
        changed.choices.pop();
        assert!(
            checker
                .check_scheduler(&property, &claim, &changed, &budget)
                .is_rejected()
        );
    }
    assert!(
        found > 150 && worse > 20 && infinite > 20,
        "{found} {worse} {infinite}"
    );
}

fn random_path(random: &mut StdRng, network: &Network, depth: u32) -> Path {
    let leaf = |random: &mut StdRng| state(&random_set(random, network));
    if depth == 0 {
        return leaf(random);
    }
    let one = |random: &mut StdRng| Box::new(random_path(random, network, depth - 1));
    match random.random_range(0..8) {
        0 => Path::Not(one(random)),
        1 => Path::And(one(random), one(random)),
        2 => Path::Or(one(random), one(random)),
        3 => Path::Next(one(random)),
        4 => Path::Until(one(random), one(random), None),
        5 => Path::WeakUntil(one(random), one(random), None),
        6 => Path::Finally(one(random), None),
        _ => Path::Globally(one(random), None),
    }
}

fn random_bounds(random: &mut StdRng) -> Option<Bounds> {
    let limit = |value: u64, strict: bool| Limit {
        value: Rational::from(value),
        strict,
    };
    let strict = random.random_bool(0.2);
    Some(Bounds {
        lower: random
            .random_bool(0.3)
            .then(|| limit(random.random_range(0..3), strict)),
        upper: Some(limit(random.random_range(0..6), strict)),
        by: BoundedBy::Time,
        others: Vec::new(),
    })
}

/// Something a scheduler needs memory for: a path formula, perhaps about states in which something is likely, bounds on steps, a reward until a formula is
/// fulfilled or over steps.
fn remembering(random: &mut StdRng, network: &Network, optimum: Optimum) -> Property {
    let leaf = |random: &mut StdRng| Box::new(state(&random_set(random, network)));
    let reward = |kind| Property::Reward {
        optimum: Some(optimum),
        query: Query::Value,
        structure: 0,
        kind,
    };
    match random.random_range(0..10) {
        0 => {
            let bounds = random_bounds(random);
            probability(optimum, Path::Finally(leaf(random), bounds))
        }
        1 => {
            let bounds = random_bounds(random);
            probability(optimum, Path::Until(leaf(random), leaf(random), bounds))
        }
        2 => {
            let bounds = random_bounds(random);
            probability(optimum, Path::Globally(leaf(random), bounds))
        }
        3 => {
            let bounds = random_bounds(random);
            probability(optimum, Path::WeakUntil(leaf(random), leaf(random), bounds))
        }
        4 => reward(RewardKind::Cumulative(Rational::from(
            random.random_range(0..5u64),
        ))),
        5 => reward(RewardKind::Instant(Rational::from(random.random_range(0..5u64)))),
        6 => {
            let both = Path::And(leaf(random), Box::new(Path::Finally(leaf(random), None)));
            reward(RewardKind::Reach(Path::Finally(Box::new(both), None)))
        }
        7 => {
            let likely = Property::Probability {
                optimum: Some(Optimum::Max),
                query: Query::Compare(entail_markov::Threshold {
                    comparison: entail_markov::Comparison::Ge,
                    bound: Rational::ONE,
                }),
                path: Path::Finally(leaf(random), None),
            };
            let inner = Box::new(Path::State(Box::new(likely)));
            probability(
                optimum,
                Path::Globally(Box::new(Path::Finally(inner, None)), None),
            )
        }
        _ => probability(optimum, random_path(random, network, 3)),
    }
}

#[test]
fn schedulers_with_memory_reach_the_optimum_and_changed_ones_are_noticed() {
    let mut random = StdRng::seed_from_u64(52);
    let budget = Budget::unlimited();
    let (mut reading, mut counting, mut worse) = (0, 0, 0);
    for round in 0..400 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let optimum = [Optimum::Max, Optimum::Min][round as usize % 2];
        let property = remembering(&mut random, &network, optimum);
        let exactness = ALL[round as usize % 3];
        let mut workshop =
            Workshop::new(&network, settings(exactness), 1000, &budget, &Silent).expect("small");
        let (Values::Numbers(bracket), _) = workshop.check(&property, &budget).expect("decided") else {
            panic!("a number was asked for")
        };
        let quantity = match values(&bracket, 0) {
            (Some(low), Some(high)) if low == high => Quantity::Exact(low),
            (Some(low), Some(high)) => Quantity::Between(low, high),
            (None, None) => Quantity::Infinite,
            (low, high) => panic!("half-infinite: {low:?} {high:?}"),
        };
        let strategy = workshop.scheduler(&property, &budget).expect("written");
        let check = |strategy: &Strategy| {
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&quantity),
            };
            checker.check_scheduler(&property, &claim, strategy, &budget)
        };
        let report = check(&strategy);
        assert!(
            report.is_accepted(),
            "round {round}: {report:?} {property:?} {exactness:?}"
        );
        match strategy.memory {
            Memory::Nothing => continue,
            Memory::Automaton { .. } => reading += 1,
            Memory::Steps => counting += 1,
        }
        let played = entail_stochastic_checker::play::play(
            &entail_markov::explore(&network, 1000, &budget).expect("small"),
            &strategy,
            &budget,
        );
        let played = played.expect("it is about this model");
        assert!(played.model.rows.iter().all(|rows| rows.len() == 1));
        // Other choices, with the same certificate and with none.
        let mut changed = strategy.clone();
        for choice in &mut changed.choices {
            *choice = 0;
        }
        if changed != strategy {
            worse += u64::from(!check(&changed).is_accepted());
        }
        changed.choices.push(0);
        assert!(check(&changed).is_rejected());
        let mut changed = strategy.clone();
        changed.memory = match &strategy.memory {
            Memory::Automaton { letters } if !letters.is_empty() => Memory::Automaton {
                letters: letters.iter().map(|letter| letter ^ 1).collect(),
            },
            _ => Memory::Nothing,
        };
        assert!(!check(&changed).is_accepted(), "round {round}: {property:?}");
        if matches!(strategy.memory, Memory::Automaton { .. }) {
            let mut changed = strategy.clone();
            changed.memory = Memory::Steps;
            assert!(!check(&changed).is_accepted());
            let mut changed = strategy.clone();
            changed.certificate.observers.clear();
            assert!(check(&changed).is_rejected());
            let mut changed = strategy.clone();
            changed.certificate.brackets.clear();
            assert!(check(&changed).is_rejected());
        }
    }
    assert!(
        reading > 100 && counting > 50 && worse > 20,
        "{reading} {counting} {worse}"
    );
}

#[test]
fn a_scheduler_without_memory_is_not_believed_about_operators_inside_of_others() {
    let mut random = StdRng::seed_from_u64(53);
    let budget = Budget::unlimited();
    let mut tried = 0;
    while tried < 30 {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let inner = probability(
            Optimum::Max,
            Path::Finally(Box::new(state(&random_set(&mut random, &network))), None),
        );
        let Property::Probability { optimum, path, .. } = inner else {
            continue;
        };
        let likely = Property::Probability {
            optimum,
            query: Query::Compare(entail_markov::Threshold {
                comparison: entail_markov::Comparison::Ge,
                bound: Rational::ONE,
            }),
            path,
        };
        let property = probability(
            Optimum::Max,
            Path::Finally(Box::new(Path::State(Box::new(likely))), None),
        );
        // What the chain of the first choices is worth, as if it was about the model.
        let mut workshop = Workshop::new(&network, settings(ALL[2]), 1000, &budget, &Silent).expect("small");
        let (Values::Numbers(bracket), certificate) = workshop.check(&property, &budget).expect("decided")
        else {
            panic!("a number was asked for")
        };
        let value = values(&bracket, 0).0.map(Quantity::Exact);
        let strategy = Strategy {
            choices: vec![0; workshop.model.states()],
            certificate,
            memory: Memory::Nothing,
        };
        let claim = Claim {
            verdict: Verdict::Holds,
            value: value.as_ref(),
        };
        assert!(
            checker
                .check_scheduler(&property, &claim, &strategy, &budget)
                .is_rejected()
        );
        let written = workshop.scheduler(&property, &budget).expect("written");
        assert!(
            checker
                .check_scheduler(&property, &claim, &written, &budget)
                .is_accepted()
        );
        tried += 1;
    }
}
