//! Schedulers of random decision processes: the chain that a scheduler makes reaches the optimum, and the checker says so; a changed one does not.

use crate::support;
use entail_answer::{Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{Kind, Optimum, Path, Property, Query, RewardKind};
use entail_probabilistic::{Trouble, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{ALL, effort, probability, random_network, random_set, settings, state, values};

#[test]
fn schedulers_reach_the_optimum_and_changed_ones_are_noticed() {
    let mut random = StdRng::seed_from_u64(51);
    let budget = Budget::unlimited();
    let (mut found, mut worse) = (0, 0);
    for round in 0..300 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let set = |random: &mut StdRng| Box::new(state(&random_set(random, &network)));
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let property = match random.random_range(0..5) {
            0 => probability(optimum, Path::Finally(set(&mut random), None)),
            1 => probability(optimum, Path::Until(set(&mut random), set(&mut random), None)),
            2 => probability(optimum, Path::Globally(set(&mut random), None)),
            3 => probability(optimum, Path::WeakUntil(set(&mut random), set(&mut random), None)),
            _ => Property::Reward {
                optimum: Some(optimum),
                query: Query::Value,
                structure: 0,
                kind: RewardKind::Reach(Path::Finally(set(&mut random), None)),
            },
        };
        let exactness = ALL[round as usize % 3];
        let mut workshop =
            Workshop::new(&network, settings(exactness), 1000, &budget, &Silent).expect("small");
        let (Values::Numbers(bracket), _) = workshop.check(&property, &budget).expect("decided") else {
            panic!("a number was asked for")
        };
        let strategy = match workshop.scheduler(&property, &budget) {
            Ok(strategy) => strategy,
            Err(Trouble::Unsupported(_)) => continue,
            Err(trouble) => panic!("{trouble}"),
        };
        let quantity = match values(&bracket, 0) {
            (Some(low), Some(high)) if low == high => Quantity::Exact(low),
            (Some(low), Some(high)) => Quantity::Between(low, high),
            _ => panic!("infinite"),
        };
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
    assert!(found > 150 && worse > 20, "{found} {worse}");
}
