//! Quotients: a model in which every state has a twin has the values of the model without twins, whether twins are put together or not, with certificates for all
//! of its states; and classes of bisimilar states are accepted by their checker, others are not.

use crate::support::{
    STATE, at, contains, decide_with, effort, members, probability, random_network, random_set, settings,
    state, values,
};
use entail_answer::CheckReport;
use entail_budget::{Budget, Silent};
use entail_markov::{
    Bounds, Bracket, Command, Domain, Explicit, Expr, Kind, Limit, Network, Optimum, Path, Property, Query,
    Rational, RewardKind, explore, naive,
};
use entail_probabilistic::{Exactness, Quotients, Settings, Workshop};
use entail_stochastic_checker::check::Checker;
use entail_stochastic_checker::partition::judge;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Number of states of a network of [`random_network`].
fn size(network: &Network) -> i64 {
    match network.variables[0].domain {
        Domain::Range(_, last) => last + 1,
        _ => panic!("a range"),
    }
}

/// What holds of a state or its twin.
fn of_twins(expr: &Expr, size: i64) -> Expr {
    (0..size)
        .filter(|&state| {
            expr.holds(&[state], &|_| entail_markov::Sort::Int)
                .expect("a set")
        })
        .fold(Expr::from(false), |set, state| {
            set.or(at(state)).or(at(state + size))
        })
}

/// The same network with a twin of every state: outcomes lead to a state or its twin at random, some to both in halves.
fn with_twins(random: &mut StdRng, network: &Network) -> Network {
    let size = size(network);
    let mut twins = network.clone();
    twins.variables[0].domain = Domain::Range(0, 2 * size - 1);
    let mut commands = Vec::new();
    for command in &network.components[0].commands {
        let from = (0..size)
            .find(|&state| network.holds(&command.guard, &[state]).expect("a guard"))
            .expect("a state");
        for copy in [from, from + size] {
            let mut branches = Vec::new();
            for branch in &command.branches {
                let target = branch.assignments[0]
                    .1
                    .eval(&[from], &|_| entail_markov::Sort::Int)
                    .expect("a state");
                let target = target.stored().expect("a state");
                let mut to = |share: &Rational, target: i64| {
                    let mut branch = branch.clone();
                    let weight = branch
                        .weight
                        .constant()
                        .and_then(|value| value.number())
                        .expect("a number");
                    branch.weight = Expr::from(weight * share);
                    branch.assignments = vec![(STATE, Expr::from(target))];
                    branches.push(branch);
                };
                let half = Rational::ONE / Rational::from(2u32);
                match random.random_range(0..3) {
                    0 => to(&Rational::ONE, target),
                    1 => to(&Rational::ONE, target + size),
                    _ => {
                        to(&half, target);
                        to(&half, target + size);
                    }
                }
            }
            commands.push(Command {
                guard: at(copy),
                branches,
                ..command.clone()
            });
        }
    }
    twins.components[0].commands = commands;
    for reward in &mut twins.rewards {
        for item in &mut reward.states {
            item.guard = of_twins(&item.guard, size);
        }
        for item in &mut reward.transitions {
            item.guard = of_twins(&item.guard, size);
        }
    }
    twins
}

/// The values of the states of the model with twins.
fn to_twins<T: Clone>(of: &[T], model: &Explicit, twins: &Explicit, size: i64) -> Vec<T> {
    (twins.states.iter())
        .map(|state| {
            let original = state[0] % size;
            let at = model.states.iter().position(|known| known[0] == original);
            of[at.expect("reachable as its twin is")].clone()
        })
        .collect()
}

fn always(exactness: Exactness) -> Settings {
    Settings {
        quotients: Quotients::Always,
        ..settings(exactness)
    }
}

fn up_to(value: Rational) -> Option<Bounds> {
    Some(Bounds {
        lower: None,
        upper: Some(Limit { value, strict: false }),
        by: entail_markov::BoundedBy::Time,
        others: Vec::new(),
    })
}

#[test]
fn values_of_quotients_are_those_of_the_whole_model() {
    let mut random = StdRng::seed_from_u64(41);
    let budget = Budget::unlimited();
    for round in 0..150 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let size = size(&network);
        let twins = with_twins(&mut random, &network);
        let (model, twice) = (
            explore(&network, 1000, &budget).expect("small"),
            explore(&twins, 1000, &budget).expect("small"),
        );
        let checker = Checker::new(twins.clone(), 1000, &budget).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let optimum = [Optimum::Max, Optimum::Min][random.random_range(0..2)];
        let (inside, there) = (members(&network, &model, &stay), members(&network, &model, &goal));
        let (stay, goal) = (of_twins(&stay, size), of_twins(&goal, size));
        let lifted = |exact: Vec<Option<Rational>>| to_twins(&exact, &model, &twice, size);
        let until = |bounds| Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), bounds);
        let some = |exact: Vec<Rational>| exact.into_iter().map(Some).collect();
        let mut asked = vec![
            (
                probability(optimum, until(None)),
                lifted(some(naive::probability(&model, &inside, &there, optimum))),
            ),
            (
                Property::Reward {
                    optimum: Some(optimum),
                    query: Query::Value,
                    structure: 0,
                    kind: RewardKind::Reach(Path::Finally(Box::new(state(&goal)), None)),
                },
                lifted(naive::reward(&model, 0, &there, optimum)),
            ),
        ];
        let steps = random.random_range(0..6u64);
        if kind != Kind::Ctmc {
            asked.push((
                probability(optimum, until(up_to(Rational::from(steps)))),
                lifted(some(naive::bounded_probability(
                    &model, &inside, &there, steps, optimum,
                ))),
            ));
        }
        for (property, exact) in &asked {
            for exactness in [Exactness::Never, Exactness::WhereCheap] {
                let what = format!("round {round}, {property:?}, {twins:?}");
                let (bracket, _) =
                    decide_with(&twins, &checker, property, always(exactness)).expect("decided");
                contains(&bracket, exact, &what);
            }
        }
        same_without_quotients(
            &twins,
            &checker,
            &until(up_to(Rational::from(steps + 1))),
            optimum,
        );
    }
}

/// Bounded operators that have no naive solution are compared with themselves on the whole model.
fn same_without_quotients(network: &Network, checker: &Checker, path: &Path, optimum: Optimum) {
    let time = Rational::from(3u32);
    let reward = |kind: RewardKind| Property::Reward {
        optimum: Some(optimum),
        query: Query::Value,
        structure: 0,
        kind,
    };
    for property in [
        probability(optimum, path.clone()),
        reward(RewardKind::Cumulative(time.clone())),
        reward(RewardKind::Instant(time)),
    ] {
        let decide = |settings| {
            decide_with(network, checker, &property, settings)
                .expect("decided")
                .0
        };
        let plain = Settings {
            quotients: Quotients::Never,
            ..settings(Exactness::Never)
        };
        let (with, without): (Bracket, Bracket) = (decide(always(Exactness::Never)), decide(plain));
        for state in 0..with.len() {
            let ((a, b), (c, d)) = (values(&with, state), values(&without, state));
            assert!(a <= d && c <= b, "{property:?} {network:?}");
        }
    }
}

#[test]
fn classes_are_accepted_and_others_are_not() {
    let mut random = StdRng::seed_from_u64(42);
    let budget = Budget::unlimited();
    let (mut merged, mut rejected) = (0, 0);
    for round in 0..200 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind);
        let size = size(&network);
        let mut twins = with_twins(&mut random, &network);
        let goal = random_set(&mut random, &network);
        twins.labels = vec![("goal".to_owned(), of_twins(&goal, size))];
        let model = explore(&twins, 1000, &budget).expect("small");
        let mut workshop = Workshop::new(&twins, Settings::default(), 1000, &budget, &Silent).expect("small");
        let classes = workshop.bisimilar(&budget).expect("found");
        assert_eq!(
            judge(&twins, &model, &classes, &budget),
            CheckReport::Accepted,
            "{twins:?}"
        );
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        // The initial state is told apart from its twin, and what leads to it only with other odds may be as well.
        merged += usize::from(count < model.states.len());
        let damaged = |classes: Vec<u32>| judge(&twins, &model, &classes, &budget).is_rejected();
        if count > 1 {
            let last = count as u32 - 1;
            let fewer = classes
                .iter()
                .map(|&class| if class == last { 0 } else { class })
                .collect();
            assert!(damaged(fewer), "{twins:?}");
        }
        if let Some(twin) = (0..classes.len()).find(|&state| classes[..state].contains(&classes[state])) {
            let mut more = classes.clone();
            more[twin] = count as u32;
            assert!(damaged(more), "{twins:?}");
            rejected += 1;
        }
    }
    assert!(merged > 50 && rejected > 50, "{merged} {rejected}");
}
