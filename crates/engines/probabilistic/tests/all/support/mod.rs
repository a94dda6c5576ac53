//! Random small models, and deciding about them with every certificate checked.

pub mod networks;

use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BinaryOp, Bracket, Branch, Certificate, Command, CommandKind, Component, DeadEnds, Domain, Explicit,
    Expr, Initial, Kind, Network, Optimum, Path, Property, Query, Rational, RewardStructure, StateReward,
    TransitionReward, VarId, Variable,
};
use entail_probabilistic::{Exactness, Method, Precision, Settings, Trouble, Values, Workshop};
use entail_source::Span;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::Rng;
use rand::rngs::StdRng;

/// How much longer random tests run than by default.
pub fn effort() -> u64 {
    let factor = std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    factor.unwrap_or(1)
}

/// The only variable.
pub const STATE: VarId = VarId(0);

/// Being in a state.
pub fn at(state: i64) -> Expr {
    Expr::binary(BinaryOp::Eq, Expr::Var(STATE), Expr::from(state))
}

/// A network with one variable: every command leaves one state.
pub fn random_network(random: &mut StdRng, kind: Kind) -> Network {
    let size = random.random_range(2..6i64);
    let mut commands = Vec::new();
    for state in 0..size {
        let most = if kind == Kind::Mdp { 3 } else { 1 };
        for _ in 0..random.random_range(if kind == Kind::Mdp { 1 } else { 0 }..=most) {
            let count = random.random_range(1..4usize);
            let parts: Vec<i64> = (0..count).map(|_| random.random_range(1..5)).collect();
            let sum: i64 = parts.iter().sum();
            let branches = parts.iter().map(|&part| {
                let weight = match kind {
                    Kind::Ctmc => Rational::from(part) / Rational::from(random.random_range(1..4i64)),
                    _ => Rational::from(part) / Rational::from(sum),
                };
                Branch {
                    weight: Expr::from(weight),
                    upper: None,
                    assignments: vec![(STATE, Expr::from(random.random_range(0..size)))],
                    rewards: Vec::new(),
                    place: Span::new(0, 0),
                }
            });
            let branches = branches.collect();
            commands.push(Command {
                action: None,
                kind: if kind == Kind::Ctmc {
                    CommandKind::Markovian
                } else {
                    CommandKind::Probabilistic
                },
                guard: at(state),
                branches,
                place: Span::new(0, 0),
            });
        }
    }
    let reward = |random: &mut StdRng| Expr::from(random.random_range(0..3i64));
    let structure = RewardStructure {
        name: None,
        states: (0..size)
            .map(|state| StateReward {
                guard: at(state),
                value: reward(random),
                place: Span::new(0, 0),
            })
            .collect(),
        transitions: vec![TransitionReward {
            action: None,
            guard: at(random.random_range(0..size)),
            value: reward(random),
            place: Span::new(0, 0),
        }],
        on_branches: false,
    };
    Network {
        kind,
        variables: vec![Variable {
            name: "s".to_owned(),
            domain: Domain::Range(0, size - 1),
            hidden: false,
        }],
        components: vec![Component {
            name: "m".to_owned(),
            commands,
        }],
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: Initial::Values(vec![0]),
        labels: Vec::new(),
        rewards: vec![structure],
        dead_ends: DeadEnds::Stay,
    }
}

/// A random set of states.
pub fn random_set(random: &mut StdRng, network: &Network) -> Expr {
    let Domain::Range(_, last) = network.variables[0].domain else {
        panic!("a range")
    };
    (0..=last)
        .filter(|_| random.random_bool(0.35))
        .fold(Expr::from(false), |set, state| set.or(at(state)))
}

/// Which states belong to a set.
pub fn members(network: &Network, model: &Explicit, set: &Expr) -> Vec<bool> {
    model
        .states
        .iter()
        .map(|state| network.holds(set, state).expect("a set"))
        .collect()
}

/// A set as a path formula.
pub fn state(set: &Expr) -> Path {
    Path::State(Box::new(Property::Expr(set.clone())))
}

/// The bounds of a state.
pub fn values(bracket: &Bracket, state: usize) -> (Option<Rational>, Option<Rational>) {
    (bracket.lower(state), bracket.upper(state))
}

/// Whether the exact values lie in the bracket, which must be as narrow as asked for at the initial state.
pub fn contains(bracket: &Bracket, exact: &[Option<Rational>], what: &str) {
    for (state, exact) in exact.iter().enumerate() {
        let (low, high) = values(bracket, state);
        match exact {
            None => assert_eq!(high, None, "{what}: state {state} should be infinite"),
            Some(exact) => {
                let low = low.unwrap_or_else(|| panic!("{what}: state {state} should be finite"));
                assert!(low <= *exact, "{what}: state {state}: {low} > {exact}");
                if let Some(high) = high {
                    assert!(*exact <= high, "{what}: state {state}: {high} < {exact}");
                }
            }
        }
    }
    if let (Some(exact), (Some(low), Some(high))) = (&exact[0], values(bracket, 0)) {
        let width = high - low;
        let allowed = entail_markov::decimal("2e-6").expect("a decimal")
            * exact
                .clone()
                .max(entail_markov::decimal("1e-150").expect("a decimal"));
        assert!(
            width <= allowed,
            "{what}: the bounds are {width} apart around {exact}"
        );
    }
}

/// Settings with the usual precision.
pub fn settings(exactness: Exactness) -> Settings {
    Settings {
        precision: Precision {
            epsilon: 1e-6,
            relative: true,
        },
        exactness,
        ..Settings::default()
    }
}

/// All methods.
pub const ALL: [Exactness; 3] = [Exactness::Never, Exactness::WhereCheap, Exactness::Always];

/// Decides with a method and has the certificate checked.
pub fn decide(
    network: &Network,
    checker: &Checker,
    property: &Property,
    exactness: Exactness,
) -> (Bracket, Certificate) {
    decide_with(network, checker, property, settings(exactness)).expect("decided")
}

/// Decides with some settings and has the certificate checked.
pub fn decide_with(
    network: &Network,
    checker: &Checker,
    property: &Property,
    settings: Settings,
) -> Result<(Bracket, Certificate), Trouble> {
    let budget = Budget::unlimited();
    let mut workshop = Workshop::new(network, settings, 1000, &budget, &Silent).expect("small");
    let (found, certificate) = workshop.check(property, &budget)?;
    let Values::Numbers(bracket) = found else {
        panic!("a number was asked for")
    };
    let quantity = match values(&bracket, 0) {
        (Some(low), Some(high)) if low == high => Quantity::Exact(low),
        (Some(low), Some(high)) => Quantity::Between(low, high),
        (None, None) => Quantity::Infinite,
        other => panic!("half-infinite bounds {other:?}"),
    };
    let claim = Claim {
        verdict: Verdict::Holds,
        value: Some(&quantity),
    };
    let report = checker.check(property, &claim, &certificate, &budget);
    assert_eq!(
        report,
        CheckReport::Accepted,
        "{settings:?} {property:?} {bracket:?}"
    );
    Ok((bracket, certificate))
}

/// Every method by name has the exact values within its bounds, or finds them; all with accepted certificates.
pub fn all_methods_agree(
    network: &Network,
    checker: &Checker,
    property: &Property,
    exact: &[Option<Rational>],
    what: &str,
) {
    for &(name, method) in Method::ALL {
        // Plain value iteration proves nothing, and is marked so.
        if method == Method::Plain {
            continue;
        }
        let settings = Settings {
            method,
            ..settings(Exactness::Never)
        };
        let bracket = match decide_with(network, checker, property, settings) {
            Ok((bracket, _)) => bracket,
            // Its fractions are too long for what doubles can tell apart.
            Err(Trouble::Undecided(_)) if method == Method::RationalSearch => continue,
            Err(trouble) => panic!("{what}, {name}: {trouble}"),
        };
        contains(&bracket, exact, &format!("{what}, {name}"));
        if matches!(
            method,
            Method::Policy | Method::LinearProgram | Method::RationalSearch
        ) {
            assert_eq!(bracket, Bracket::Exact(exact.to_vec()), "{what}, {name}");
        }
    }
}

/// A property that asks for a probability.
pub fn probability(optimum: Optimum, path: Path) -> Property {
    Property::Probability {
        optimum: Some(optimum),
        query: Query::Value,
        path,
    }
}
