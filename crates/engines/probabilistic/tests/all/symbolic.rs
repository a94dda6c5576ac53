//! The symbolic engine beside the explicit one, on random networks of components that synchronise: the same states, the same values, certificates that
//! the checker accepts, and the same mistakes found.

use crate::support::{contains, effort, probability, settings, state, values};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{
    ActionId, BinaryOp, Bounds, Branch, Command, CommandKind, Component, DeadEnds, Domain, Expr, Initial,
    Kind, Limit, Network, Optimum, Path, Property, Query, Rational, RewardKind, RewardStructure, StateReward,
    Synchronisation, TransitionReward, VarId, Variable, explore,
};
use entail_markov::{BoundedBy, Bracket, Certificate};
use entail_probabilistic::{Diagrams, Exactness, Trouble, Values, Workshop};
use entail_source::Span;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A random network: components with a number and perhaps a truth value each, alone and together.
struct Maker<'r> {
    random: &'r mut StdRng,
    kind: Kind,
    variables: Vec<Variable>,
    /// Whether updates may leave their ranges.
    careless: bool,
}

impl Maker<'_> {
    fn number(&mut self) -> (VarId, i64, i64) {
        let numbers: Vec<usize> = (0..self.variables.len())
            .filter(|&at| self.variables[at].domain != Domain::Bool)
            .collect();
        let at = numbers[self.random.random_range(0..numbers.len())];
        let Domain::Range(low, high) = self.variables[at].domain else {
            panic!("a range")
        };
        (VarId(at as u32), low, high)
    }

    fn condition(&mut self) -> Expr {
        let truths: Vec<u32> = (0..self.variables.len() as u32)
            .filter(|&at| self.variables[at as usize].domain == Domain::Bool)
            .collect();
        match self.random.random_range(0..6) {
            0 if !truths.is_empty() => Expr::Var(VarId(truths[self.random.random_range(0..truths.len())])),
            1 => self.condition().negated(),
            2 => self.condition().and(self.condition()),
            3 => self.condition().or(self.condition()),
            4 => {
                let ((a, ..), (b, ..)) = (self.number(), self.number());
                Expr::binary(BinaryOp::Le, Expr::Var(a), Expr::Var(b))
            }
            _ => {
                let (var, low, high) = self.number();
                let op =
                    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Ge][self.random.random_range(0..4)];
                Expr::binary(
                    op,
                    Expr::Var(var),
                    Expr::from(self.random.random_range(low..=high)),
                )
            }
        }
    }

    /// A value for a variable.
    fn update(&mut self, var: VarId) -> Expr {
        let Domain::Range(low, high) = self.variables[var.index()].domain else {
            return self.condition();
        };
        let plus = |left: Expr, right: Expr| Expr::binary(BinaryOp::Add, left, right);
        let bound = |expr: Expr| {
            let below = Expr::binary(BinaryOp::Min, expr, Expr::from(high));
            Expr::binary(BinaryOp::Max, below, Expr::from(low))
        };
        let free = match self.random.random_range(0..4) {
            0 => return Expr::from(self.random.random_range(low..=high)),
            1 => plus(Expr::Var(var), Expr::from(1)),
            2 => {
                let (other, ..) = self.number();
                plus(Expr::Var(var), Expr::Var(other))
            }
            _ => {
                let condition = self.condition();
                Expr::choose(condition, Expr::from(low), plus(Expr::Var(var), Expr::from(-1)))
            }
        };
        if self.careless && self.random.random_bool(0.1) {
            free
        } else {
            bound(free)
        }
    }

    fn command(&mut self, action: Option<ActionId>, own: &[VarId]) -> Command {
        let count = self.random.random_range(1..4usize);
        let parts: Vec<i64> = (0..count).map(|_| self.random.random_range(1..5)).collect();
        let sum: i64 = parts.iter().sum();
        let ratio = |a: i64, b: i64| Rational::from(a) / Rational::from(b);
        // Weights that depend on the state: the first two change places.
        let condition = (count > 1 && self.random.random_bool(0.3)).then(|| self.condition());
        let mut branches = Vec::new();
        for (at, &part) in parts.iter().enumerate() {
            let whole = if self.kind == Kind::Ctmc { 3 } else { sum };
            let plain = Expr::from(ratio(part, whole));
            let weight = match (&condition, at) {
                (Some(condition), 0 | 1) => {
                    Expr::choose(condition.clone(), plain, Expr::from(ratio(parts[1 - at], whole)))
                }
                _ => plain,
            };
            let assignments =
                (own.iter().filter(|_| self.random.random_bool(0.7)).copied()).collect::<Vec<_>>();
            branches.push(Branch {
                weight,
                upper: None,
                assignments: assignments
                    .into_iter()
                    .map(|var| (var, self.update(var)))
                    .collect(),
                rewards: match self.random.random_bool(0.3) {
                    true => vec![(0, Expr::from(self.random.random_range(0..4i64)))],
                    false => Vec::new(),
                },
                place: NOWHERE,
            });
        }
        Command {
            action,
            kind: match self.kind {
                Kind::Ctmc => CommandKind::Markovian,
                _ => CommandKind::Probabilistic,
            },
            guard: self.condition(),
            branches,
            place: NOWHERE,
        }
    }
}

fn random_network(random: &mut StdRng, kind: Kind, careless: bool) -> Network {
    let (mut variables, mut owned) = (Vec::new(), Vec::new());
    for component in 0..random.random_range(1..4usize) {
        let low = random.random_range(-1..2i64);
        let mut own = vec![VarId(variables.len() as u32)];
        variables.push(Variable {
            name: format!("x{component}"),
            domain: Domain::Range(low, low + random.random_range(0..4)),
            hidden: false,
        });
        if random.random_bool(0.4) {
            own.push(VarId(variables.len() as u32));
            variables.push(Variable {
                name: format!("b{component}"),
                domain: Domain::Bool,
                hidden: false,
            });
        }
        owned.push(own);
    }
    let mut maker = Maker {
        random,
        kind,
        variables,
        careless,
    };
    let actions = 2u32;
    let mut components = Vec::new();
    for (at, own) in owned.iter().enumerate() {
        let mut commands = Vec::new();
        for _ in 0..maker.random.random_range(1..4) {
            let action = maker.random.random_range(0..=actions);
            let action = (action < actions).then_some(ActionId(action));
            commands.push(maker.command(action, own));
        }
        components.push(Component {
            name: format!("c{at}"),
            commands,
        });
    }
    let synchronisations = (0..actions).filter_map(|action| {
        let uses = |component: &Component| {
            (component.commands.iter()).any(|command| command.action == Some(ActionId(action)))
        };
        let parts: Vec<(usize, ActionId)> = (0..components.len())
            .filter(|&at| uses(&components[at]))
            .map(|at| (at, ActionId(action)))
            .collect();
        (!parts.is_empty()).then_some(Synchronisation {
            parts,
            action: Some(ActionId(action)),
        })
    });
    let synchronisations = synchronisations.collect();
    let reward = |maker: &mut Maker<'_>| Expr::from(maker.random.random_range(0..3i64));
    let states = (0..2).map(|_| StateReward {
        guard: maker.condition(),
        value: reward(&mut maker),
        place: NOWHERE,
    });
    let states = states.collect();
    let transitions = [None, Some(ActionId(0))].map(|action| TransitionReward {
        action,
        guard: maker.condition(),
        value: reward(&mut maker),
        place: NOWHERE,
    });
    let initial = match maker.random.random_bool(0.3) {
        true => Initial::Predicate(maker.condition(), NOWHERE),
        false => Initial::Values(
            (maker.variables.iter())
                .map(|variable| match variable.domain {
                    Domain::Range(low, _) => low,
                    _ => 0,
                })
                .collect(),
        ),
    };
    Network {
        kind,
        variables: maker.variables,
        components,
        actions: vec!["a".to_owned(), "b".to_owned()],
        synchronisations,
        initial,
        labels: Vec::new(),
        rewards: vec![RewardStructure {
            name: None,
            states,
            transitions: transitions.to_vec(),
            on_branches: true,
        }],
        dead_ends: DeadEnds::Stay,
    }
}

fn random_property(random: &mut StdRng, network: &Network) -> Property {
    let mut maker = Maker {
        random,
        kind: network.kind,
        variables: network.variables.clone(),
        careless: false,
    };
    let (stay, goal) = (state(&maker.condition()), state(&maker.condition()));
    let (stay, goal) = (Box::new(stay), Box::new(goal));
    let bounded = network.kind != Kind::Ctmc && maker.random.random_bool(0.2);
    let bounds = bounded.then(|| Bounds {
        lower: None,
        upper: Some(Limit {
            value: Rational::from(maker.random.random_range(0..6u8)),
            strict: false,
        }),
        by: BoundedBy::Time,
        others: Vec::new(),
    });
    let optimum = [Optimum::Min, Optimum::Max][maker.random.random_range(0..2)];
    let path = match maker.random.random_range(0..7) {
        0 => Path::Finally(goal, bounds),
        1 => Path::Until(stay, goal, bounds),
        2 => Path::Globally(goal, bounds),
        3 => Path::WeakUntil(stay, goal, bounds),
        4 => Path::Release(stay, goal, bounds),
        _ => {
            return Property::Reward {
                optimum: Some(optimum),
                query: Query::Value,
                structure: 0,
                kind: RewardKind::Reach(Path::Finally(goal, None)),
            };
        }
    };
    probability(optimum, path)
}

fn numbers(values: Values) -> Bracket {
    match values {
        Values::Numbers(bracket) => bracket,
        _ => panic!("a number was asked for"),
    }
}

/// Has the certificate of the values at the initial states checked.
fn judged(
    checker: &Checker,
    property: &Property,
    bracket: &Bracket,
    initial: &[u32],
    certificate: &Certificate,
) {
    let ends = initial.iter().map(|&state| values(bracket, state as usize));
    let (low, high): (Vec<_>, Vec<_>) = ends.unzip();
    // Infinity is none, and above everything.
    let finite: Option<Vec<Rational>> = high.into_iter().collect();
    let quantity = match (
        low.iter().flatten().min(),
        finite.and_then(|high| high.into_iter().max()),
    ) {
        (Some(low), Some(high)) if *low == high => Quantity::Exact(high),
        (Some(low), Some(high)) => Quantity::Between(low.clone(), high),
        (None, _) => Quantity::Infinite,
        // Finite in some initial states only: there is no number to claim.
        (Some(_), None) => return,
    };
    let claim = Claim {
        verdict: Verdict::Holds,
        value: Some(&quantity),
    };
    let report = checker.check(property, &claim, certificate, &Budget::unlimited());
    assert_eq!(
        report,
        CheckReport::Accepted,
        "{property:?} {bracket:?} {quantity:?}"
    );
}

#[test]
fn diagrams_have_the_states_and_the_values_of_the_explored_model() {
    let mut random = StdRng::seed_from_u64(4);
    let budget = Budget::unlimited();
    for round in 0..700 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind, false);
        let Ok(model) = explore(&network, 1000, &budget) else {
            continue;
        };
        let mut diagrams = Diagrams::new(&network, &budget).expect("small");
        assert_eq!(
            diagrams.states().0,
            Some(model.states.len() as u64),
            "round {round}"
        );
        assert_eq!(
            diagrams.deadlocks().round() as usize,
            model.deadlocks.len(),
            "round {round}"
        );
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let properties: Vec<Property> = (0..3).map(|_| random_property(&mut random, &network)).collect();
        for property in &properties {
            let what = format!("round {round}, {kind:?}, {property:?}");
            let mut workshop =
                Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
            let (reference, certificate) = workshop.check(property, &budget).expect("decided");
            let reference = numbers(reference);
            judged(&checker, property, &reference, &model.initial, &certificate);
            let exact: Vec<Option<Rational>> = (0..reference.len()).map(|at| reference.lower(at)).collect();
            let bounded = (0..reference.len()).any(|at| reference.lower(at) != reference.upper(at));
            let found = diagrams
                .check(property, settings(Exactness::WhereCheap), 1000, &budget, &Silent)
                .unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
            let bracket = numbers(found.values);
            match (bounded, is_complement(property)) {
                (true, _) => {}
                (false, true) => lies_within(&bracket, &exact, &what),
                (false, false) => contains(&bracket, &exact, &what),
            }
            judged(&checker, property, &bracket, &model.initial, &found.certificate);
            // As if it was too large to be explored.
            let found = diagrams
                .check(property, settings(Exactness::WhereCheap), 0, &budget, &Silent)
                .unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
            assert!(found.workshop.is_none() && found.initial == model.initial.len());
            let at_initial = numbers(found.values);
            for (position, &state) in model.initial.iter().enumerate() {
                let own = values(&at_initial, position);
                let same = own == values(&bracket, state as usize);
                let overlap = |low: &Option<Rational>, high: &Option<Rational>| match (low, high) {
                    (Some(low), Some(high)) => low <= high,
                    (None, high) => high.is_none(),
                    _ => true,
                };
                let (low, high) = values(&reference, state as usize);
                assert!(same || overlap(&own.0, &high) && overlap(&low, &own.1), "{what}");
            }
        }
    }
}

/// Whether a probability is found as one minus another, which is as near as asked for by itself.
fn is_complement(property: &Property) -> bool {
    let Property::Probability { path, .. } = property else {
        return false;
    };
    matches!(path, Path::Globally(..) | Path::WeakUntil(..) | Path::Release(..))
}

/// Whether the exact values lie in the bracket.
fn lies_within(bracket: &Bracket, exact: &[Option<Rational>], what: &str) {
    for (state, exact) in exact.iter().enumerate() {
        let (low, high) = values(bracket, state);
        assert!(low <= *exact && *exact <= high, "{what}: state {state}");
    }
}

#[test]
fn what_is_solved_on_diagrams_has_the_exact_values_within_its_bounds() {
    let mut random = StdRng::seed_from_u64(6);
    let budget = Budget::unlimited();
    let (mut solved, mut given_up) = (0, 0);
    for round in 0..700 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind, false);
        let Ok(model) = explore(&network, 1000, &budget) else {
            continue;
        };
        let mut diagrams = Diagrams::new(&network, &budget).expect("small");
        diagrams.most_rows = 0;
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let properties: Vec<Property> = (0..2).map(|_| random_property(&mut random, &network)).collect();
        for property in &properties {
            let what = format!("round {round}, {kind:?}, {property:?}");
            let mut workshop =
                Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
            let (reference, _) = workshop.check(property, &budget).expect("decided");
            let reference = numbers(reference);
            match diagrams.check(property, settings(Exactness::Never), 1000, &budget, &Silent) {
                Ok(found) => {
                    let bracket = numbers(found.values);
                    if (0..reference.len()).all(|at| reference.lower(at) == reference.upper(at)) {
                        let exact: Vec<_> = (0..reference.len()).map(|at| reference.lower(at)).collect();
                        match is_complement(property) {
                            true => lies_within(&bracket, &exact, &what),
                            false => contains(&bracket, &exact, &what),
                        }
                    }
                    judged(&checker, property, &bracket, &model.initial, &found.certificate);
                    solved += u64::from(found.solved > 0);
                }
                // End components in which values approach each other for ever.
                Err(Trouble::Undecided(_)) if kind == Kind::Mdp => given_up += 1,
                Err(trouble) => panic!("{what}: {trouble}"),
            }
        }
    }
    assert!(solved > 50 && given_up * 10 < solved, "{solved} {given_up}");
}

#[test]
fn mistakes_of_a_model_are_found_as_by_the_reference() {
    let mut random = StdRng::seed_from_u64(5);
    let budget = Budget::unlimited();
    let (mut wrong, mut right) = (0, 0);
    for round in 0..600 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let network = random_network(&mut random, kind, true);
        let reference = explore(&network, 1000, &budget);
        match (reference, Diagrams::new(&network, &budget)) {
            (Ok(model), Ok(diagrams)) => {
                right += 1;
                assert_eq!(
                    diagrams.states().0,
                    Some(model.states.len() as u64),
                    "round {round}"
                );
            }
            (Err(ExploreError::Semantic(_)), Err(Trouble::Model(_))) => wrong += 1,
            (reference, found) => panic!(
                "round {round}: {:?} {:?}",
                reference.map(|model| model.states.len()),
                found.map(|_| ()).map_err(|trouble| trouble.to_string())
            ),
        }
    }
    assert!(wrong > 20 && right > 20, "{wrong} {right}");
}
