//! Estimates by random runs beside exact probabilities: plain, with Okamoto's bound, and by importance splitting.

use crate::support::{at, effort, probability, settings, state};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BinaryOp, BoundedBy, Bounds, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial,
    Kind, Limit, Network, Optimum, Path, Property, Rational, Variable, to_float,
};
use entail_probabilistic::{Estimator, Exactness, Sampled, Sampling, Trouble, Values, Workshop, sample};
use entail_source::Span;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A walk between 0 and `last` that goes up and down with these weights (probabilities or rates) and begins at 1. It stays at `last`, and at 0 unless it comes back.
fn walk(kind: Kind, last: i64, (up, down): (u32, u32), returns: bool) -> Network {
    let position = Expr::Var(entail_markov::VarId(0));
    let weight = |part: u32| match kind {
        Kind::Ctmc => Expr::from(Rational::from(part)),
        _ => Expr::from(Rational::from(part) / Rational::from(up + down)),
    };
    let branch = |weight: Expr, by: i64| Branch {
        weight,
        upper: None,
        assignments: vec![(
            entail_markov::VarId(0),
            Expr::binary(BinaryOp::Add, position.clone(), Expr::from(by)),
        )],
        rewards: Vec::new(),
        place: Span::new(0, 0),
    };
    let command = |guard: Expr, branches: Vec<Branch>| Command {
        action: None,
        kind: match kind {
            Kind::Ctmc => CommandKind::Markovian,
            _ => CommandKind::Probabilistic,
        },
        guard,
        branches,
        place: Span::new(0, 0),
    };
    let inside = Expr::binary(BinaryOp::Gt, position.clone(), Expr::from(0)).and(Expr::binary(
        BinaryOp::Lt,
        position.clone(),
        Expr::from(last),
    ));
    let mut commands = vec![command(
        inside,
        vec![branch(weight(up), 1), branch(weight(down), -1)],
    )];
    if returns {
        commands.push(command(at(0), vec![branch(Expr::from(1), 1)]));
    }
    Network {
        kind,
        variables: vec![Variable {
            name: "x".to_owned(),
            domain: Domain::Range(0, last),
            hidden: false,
        }],
        components: vec![Component {
            name: "m".to_owned(),
            commands,
        }],
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: Initial::Values(vec![1]),
        labels: Vec::new(),
        rewards: Vec::new(),
        dead_ends: DeadEnds::Stay,
    }
}

fn sampling(estimator: Estimator, error: f64, seed: u64) -> Sampling {
    Sampling {
        confidence: 0.99,
        error,
        seed,
        longest: 1_000_000,
        choosing: None,
        estimator,
        importance: None,
    }
}

fn sampled(network: &Network, property: &Property, sampling: &Sampling) -> Result<Sampled, Trouble> {
    sample(network, property, sampling, &Budget::unlimited())
}

/// Bounds of the probability in the initial state, by exploring.
fn computed(network: &Network, property: &Property) -> (f64, f64) {
    let budget = Budget::unlimited();
    let settings = settings(Exactness::WhereCheap);
    let mut workshop = Workshop::new(network, settings, 10_000, &budget, &Silent).expect("small");
    match workshop.check(property, &budget).expect("decided").0 {
        Values::Numbers(bracket) => {
            let end = |value: Option<Rational>| to_float(&value.expect("finite"));
            (end(bracket.lower(0)), end(bracket.upper(0)))
        }
        _ => panic!("a number was asked for"),
    }
}

fn finally(goal: &Expr, within: Option<u32>) -> Property {
    let bounds = within.map(|last| Bounds {
        lower: None,
        upper: Some(Limit {
            value: Rational::from(last),
            strict: false,
        }),
        by: BoundedBy::Time,
        others: Vec::new(),
    });
    probability(Optimum::Max, Path::Finally(Box::new(state(goal)), bounds))
}

#[test]
fn split_runs_find_probabilities_far_below_what_plain_runs_can_see() {
    let mut random = StdRng::seed_from_u64(3);
    let (mut inside, mut rare, rounds) = (0, 0, 12 * effort());
    for round in 0..rounds {
        let kind = [Kind::Dtmc, Kind::Ctmc][round as usize % 2];
        let last = random.random_range(6..14i64);
        let weights = (random.random_range(1..3), random.random_range(4..9));
        let bounded = random.random_bool(0.5);
        let network = walk(kind, last, weights, bounded);
        let property = finally(&at(last), bounded.then_some(30));
        let (low, high) = computed(&network, &property);
        let found = sampled(&network, &property, &sampling(Estimator::Splitting, 0.15, round));
        let found = found.expect("decided");
        let (from, to) = found.interval;
        assert!(to - from <= 0.31 * to, "{from} {to}");
        assert!(found.splitting.is_some_and(|(levels, _)| levels > 0));
        rare += u64::from(high < 1e-5);
        inside += u64::from(from <= high && low <= to);
        // Far off would be a mistake rather than bad luck.
        assert!(
            from <= 1.3 * high && low <= 1.3 * to,
            "{from} {to} beside {low} {high}"
        );
    }
    assert!(
        inside * 100 >= rounds * 90 && rare * 3 >= rounds,
        "{inside} {rare} of {rounds}"
    );
}

#[test]
fn what_is_split_by_does_not_change_what_is_estimated() {
    let network = walk(Kind::Dtmc, 5, (1, 2), false);
    let property = finally(&at(5), None);
    let (low, high) = computed(&network, &property);
    // Nothing at all, the wrong way, and coarse steps.
    let position = Expr::Var(entail_markov::VarId(0));
    let importances = [
        Expr::from(0),
        Expr::unary(entail_markov::UnaryOp::Neg, position.clone()),
        Expr::binary(BinaryOp::Ge, position.clone(), Expr::from(3)),
        position,
    ];
    let numeric = |expr: Expr| Expr::choose(expr, Expr::from(1), Expr::from(0));
    for (seed, importance) in importances.into_iter().enumerate() {
        let importance = match network.sort(&importance) {
            Ok(entail_markov::Sort::Bool) => numeric(importance),
            _ => importance,
        };
        let asked = Sampling {
            importance: Some(importance),
            ..sampling(Estimator::Splitting, 0.05, seed as u64)
        };
        let (from, to) = sampled(&network, &property, &asked).expect("decided").interval;
        assert!(
            from <= high && low <= to,
            "{seed}: {from} {to} beside {low} {high}"
        );
    }
}

#[test]
fn an_event_that_never_happens_has_no_estimate_by_splitting() {
    let network = walk(Kind::Dtmc, 5, (1, 2), false);
    let nowhere = at(1).and(at(3));
    let asked = sampling(Estimator::Splitting, 0.1, 1);
    let found = sampled(&network, &finally(&nowhere, None), &asked);
    assert!(matches!(found, Err(Trouble::Undecided(_))), "{found:?}");
}

#[test]
fn okamoto_s_bound_says_how_many_runs_are_made() {
    let network = walk(Kind::Dtmc, 4, (1, 1), false);
    let property = finally(&at(4), None);
    let asked = Sampling {
        confidence: 0.95,
        ..sampling(Estimator::Okamoto, 0.05, 1)
    };
    let found = sampled(&network, &property, &asked).expect("decided");
    // ln(2 / 0.05) / (2 * 0.05^2), rounded up.
    assert_eq!(found.runs, 738);
    let (from, to) = found.interval;
    assert!(
        (to - from - 0.1).abs() < 1e-9 && from <= 0.25 && 0.25 <= to,
        "{from} {to}"
    );
    let fewer = sampled(
        &network,
        &property,
        &Sampling {
            estimator: Estimator::ClopperPearson,
            ..asked
        },
    );
    assert!(fewer.expect("decided").runs < 738);
}
