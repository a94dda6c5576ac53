//! The symbolic engine beside the explicit one, on random networks of components that synchronise: the same states, the same values, certificates that
//! the checker accepts, and the same mistakes found.

use crate::support::networks::{Maker, random_network};
use crate::support::{contains, effort, probability, settings, state, values};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{
    BoundedBy, Bounds, Bracket, Certificate, Kind, Limit, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, explore,
};
use entail_probabilistic::{Diagrams, Exactness, Trouble, Values, Workshop, generate};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn random_property(random: &mut StdRng, network: &Network) -> Property {
    let mut maker = Maker {
        random,
        kind: network.kind,
        variables: network.variables.clone(),
        careless: false,
    };
    let (stay, goal) = (state(&maker.condition()), state(&maker.condition()));
    let (stay, goal) = (Box::new(stay), Box::new(goal));
    let last = maker.random.random_range(0..6u8);
    let limit = |value: u8| Limit {
        value: Rational::from(value),
        strict: false,
    };
    let late = maker.random.random_bool(0.4);
    let lower = late.then(|| limit(maker.random.random_range(0..=last)));
    let bounds = maker.random.random_bool(0.25).then(|| Bounds {
        lower,
        upper: Some(limit(last)),
        by: BoundedBy::Time,
        others: Vec::new(),
    });
    let optimum = [Optimum::Min, Optimum::Max][maker.random.random_range(0..2)];
    let reward = |kind: RewardKind| Property::Reward {
        optimum: Some(optimum),
        query: Query::Value,
        structure: 0,
        kind,
    };
    let path = match maker.random.random_range(0..12) {
        0 => Path::Finally(goal, bounds),
        1 => Path::Until(stay, goal, bounds),
        2 => Path::Globally(goal, bounds),
        3 => Path::WeakUntil(stay, goal, bounds),
        4 => Path::Release(stay, goal, bounds),
        5 => Path::Next(goal),
        6 => return reward(RewardKind::Cumulative(Rational::from(last))),
        7 => return reward(RewardKind::Instant(Rational::from(last))),
        8 => {
            let goal = state(&maker.condition());
            return match maker.random.random_range(0..3) {
                0 => reward(RewardKind::Total),
                1 => reward(RewardKind::LongRun),
                _ => Property::SteadyState {
                    optimum: Some(optimum),
                    query: Query::Value,
                    states: Box::new(goal.as_state().cloned().unwrap_or(Property::Init)),
                },
            };
        }
        _ => return reward(RewardKind::Reach(Path::Finally(goal, None))),
    };
    probability(optimum, path)
}

fn numbers(values: Values) -> Bracket {
    match values {
        Values::Numbers(bracket) => bracket,
        _ => panic!("a number was asked for"),
    }
}

/// A random path formula with several operators.
fn random_path(maker: &mut Maker<'_>, depth: u32) -> Path {
    if depth == 0 {
        return state(&maker.condition());
    }
    let which = maker.random.random_range(0..8);
    let mut inner = |depth: u32| Box::new(random_path(maker, depth));
    match which {
        0 => Path::Not(inner(depth - 1)),
        1 => Path::And(inner(depth - 1), inner(depth - 1)),
        2 => Path::Or(inner(depth - 1), inner(depth - 1)),
        3 => Path::Next(inner(depth - 1)),
        4 => Path::Until(inner(depth - 1), inner(depth - 1), None),
        5 => Path::Finally(inner(depth - 1), None),
        _ => Path::Globally(inner(depth - 1), None),
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
    // The checker gives up about time where choices may go on for ever without it; the engine only where that matters.
    let timeless = format!("{report:?}").contains("cycles take no time");
    assert!(
        report == CheckReport::Accepted || timeless,
        "{report:?} {property:?} {bracket:?} {quantity:?}"
    );
}

#[test]
fn diagrams_have_the_states_and_the_values_of_the_explored_model() {
    let mut random = StdRng::seed_from_u64(4);
    let budget = Budget::unlimited();
    let (mut left_out, mut refused) = (0, 0);
    for round in 0..700 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][round as usize % 4];
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
            let Ok((reference, certificate)) = workshop.check(property, &budget) else {
                // Cycles of choices that take no time. Diagrams may know that they do not matter.
                assert_eq!(kind, Kind::Ma, "{what}");
                refused += 1;
                continue;
            };
            let reference = numbers(reference);
            judged(&checker, property, &reference, &model.initial, &certificate);
            let exact: Vec<Option<Rational>> = (0..reference.len()).map(|at| reference.lower(at)).collect();
            let bounded = (0..reference.len()).any(|at| reference.lower(at) != reference.upper(at));
            let found = diagrams
                .check(property, settings(Exactness::WhereCheap), 1000, &budget, &Silent)
                .unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
            let bracket = numbers(found.values);
            match (bounded, may_be_wide(kind, property)) {
                (true, _) => {}
                (false, true) => lies_within(&bracket, &exact, &what),
                (false, false) => contains(&bracket, &exact, &what),
            }
            judged(&checker, property, &bracket, &model.initial, &found.certificate);
            // As if it was too large to be explored, and without the states behind those in which all is settled.
            let mut cut = Diagrams::for_property(&network, property, 0, &budget).expect("small");
            left_out += u32::from(!cut.is_whole());
            for diagrams in [&mut diagrams, &mut cut] {
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
                    assert!(
                        same || overlap(&own.0, &high) && overlap(&low, &own.1),
                        "{what}: {own:?} beside {low:?} {high:?}"
                    );
                }
            }
            // Models with few states are explored whole, for their certificates.
            let whole = Diagrams::for_property(&network, property, model.states.len(), &budget);
            let whole = whole.expect("small");
            assert!(whole.is_whole() && whole.states() == diagrams.states(), "{what}");
        }
    }
    assert!(left_out > 100 && refused < left_out, "{left_out} {refused}");
}

/// Whether bounds may be farther from each other than asked for: those of a probability that is found as one minus another, over a time, or in the long run.
fn may_be_wide(kind: Kind, property: &Property) -> bool {
    match property {
        Property::Probability { path, .. } => match path {
            Path::Globally(..) | Path::WeakUntil(..) | Path::Release(..) => true,
            Path::Finally(_, bounds) | Path::Until(_, _, bounds) => kind.is_timed() && bounds.is_some(),
            _ => false,
        },
        Property::Reward { kind: over, .. } => !matches!(over, RewardKind::Reach(_)),
        _ => true,
    }
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
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][round as usize % 4];
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
            let Ok((reference, _)) = workshop.check(property, &budget) else {
                assert_eq!(kind, Kind::Ma, "{what}");
                continue;
            };
            let reference = numbers(reference);
            match diagrams.check(property, settings(Exactness::Never), 1000, &budget, &Silent) {
                Ok(found) => {
                    let bracket = numbers(found.values);
                    if (0..reference.len()).all(|at| reference.lower(at) == reference.upper(at)) {
                        let exact: Vec<_> = (0..reference.len()).map(|at| reference.lower(at)).collect();
                        match may_be_wide(kind, property) {
                            true => lies_within(&bracket, &exact, &what),
                            false => contains(&bracket, &exact, &what),
                        }
                    }
                    judged(&checker, property, &bracket, &model.initial, &found.certificate);
                    solved += u64::from(found.solved > 0);
                }
                // End components in which values approach each other for ever.
                Err(Trouble::Undecided(_)) if kind.has_choices() => given_up += 1,
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
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][round as usize % 4];
        let network = random_network(&mut random, kind, true);
        // In Markov automata the reference also looks at delays that something at once is in front of, exploring does not.
        let reference = match kind {
            Kind::Ma => generate(&network, 1000, &budget, &Silent).map(|model| model.states()),
            _ => explore(&network, 1000, &budget).map(|model| model.states.len()),
        };
        match (reference, Diagrams::new(&network, &budget)) {
            (Ok(states), Ok(diagrams)) => {
                right += 1;
                assert_eq!(diagrams.states().0, Some(states as u64), "round {round}");
            }
            (Err(ExploreError::Semantic(_)), Err(Trouble::Model(_))) => wrong += 1,
            (reference, found) => panic!(
                "round {round}: {reference:?} {:?}",
                found.map(|_| ()).map_err(|trouble| trouble.to_string())
            ),
        }
    }
    assert!(wrong > 20 && right > 20, "{wrong} {right}");
}

#[test]
fn path_formulas_have_on_diagrams_the_values_that_exploring_finds() {
    let mut random = StdRng::seed_from_u64(7);
    let budget = Budget::unlimited();
    let (mut compared, mut between) = (0, 0);
    for round in 0..800 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][round as usize % 4];
        let network = random_network(&mut random, kind, false);
        let Ok(model) = explore(&network, 300, &budget) else {
            continue;
        };
        let mut maker = Maker {
            random: &mut random,
            kind,
            variables: network.variables.clone(),
            careless: false,
        };
        let optimum = [Optimum::Min, Optimum::Max][maker.random.random_range(0..2)];
        let property = probability(optimum, random_path(&mut maker, 3));
        let what = format!("round {round}, {kind:?}, {property:?}");
        let mut workshop =
            Workshop::new(&network, settings(Exactness::Always), 300, &budget, &Silent).expect("small");
        let reference = numbers(workshop.check(&property, &budget).expect("decided").0);
        let mut diagrams = Diagrams::for_property(&network, &property, 0, &budget).expect("small");
        let found = diagrams.check(&property, settings(Exactness::WhereCheap), 0, &budget, &Silent);
        let found = numbers(found.unwrap_or_else(|trouble| panic!("{what}: {trouble}")).values);
        assert_eq!(found.len(), model.initial.len(), "{what}");
        // Product states come in another order than the model's.
        let range = |bracket: &Bracket, states: &[usize]| {
            let ends = |end: &dyn Fn(usize) -> Option<Rational>| -> Vec<Rational> {
                states.iter().map(|&at| end(at).expect("finite")).collect()
            };
            let (low, high) = (ends(&|at| bracket.lower(at)), ends(&|at| bracket.upper(at)));
            (
                low.iter().min().cloned(),
                low.iter().max().cloned(),
                high.iter().min().cloned(),
                high.iter().max().cloned(),
            )
        };
        let initial: Vec<usize> = model.initial.iter().map(|&state| state as usize).collect();
        let (least, greatest, _, _) = range(&reference, &initial);
        let all: Vec<usize> = (0..found.len()).collect();
        let (low_of_least, low_of_greatest, high_of_least, high_of_greatest) = range(&found, &all);
        assert!(low_of_least <= least && least <= high_of_least, "{what}");
        assert!(
            low_of_greatest <= greatest && greatest <= high_of_greatest,
            "{what}"
        );
        compared += 1;
        between += u32::from(least.is_some_and(|least| least > Rational::ZERO && least < Rational::ONE));
    }
    assert!(compared > 200 && between > 10, "{compared} {between}");
}
