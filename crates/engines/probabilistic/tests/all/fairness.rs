//! Path formulas where only fair schedulers count: the same values by automata as by graph analysis where a formula can be decided both ways, between
//! those of all schedulers otherwise; accepted by the checker, and rejected where they are off.

use crate::support;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{Kind, Network, Optimum, Path, Property, Rational, decimal};
use entail_probabilistic::{Exactness, Schedulers, Settings, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{effort, probability, random_network, random_set, settings, state};

/// The exact value in the initial state, which the checker accepts, and no other.
fn exactly(network: &Network, checker: &Checker, property: &Property, schedulers: Schedulers) -> Rational {
    let budget = Budget::unlimited();
    let settings = Settings {
        schedulers,
        ..settings(Exactness::Always)
    };
    let mut workshop = Workshop::new(network, settings, 1000, &budget, &Silent).expect("small");
    let (found, certificate) = workshop.check(property, &budget).expect("decided");
    let Values::Numbers(bracket) = found else {
        panic!("a number was asked for")
    };
    let value = bracket.lower(0).expect("finite");
    let judged = |value: Rational| {
        let value = Quantity::Exact(value);
        let claim = Claim {
            verdict: Verdict::Holds,
            value: Some(&value),
        };
        match schedulers {
            Schedulers::Fair => checker.check_fairly(property, &claim, &certificate, &budget),
            Schedulers::All => checker.check(property, &claim, &certificate, &budget),
        }
    };
    assert_eq!(judged(value.clone()), CheckReport::Accepted, "{property:?}");
    let off = decimal("0.001").expect("a decimal");
    assert!(judged(&value + &off).is_rejected() && judged(&value - &off).is_rejected());
    value
}

#[test]
fn formulas_decided_by_automata_have_the_values_of_graph_analysis() {
    let mut random = StdRng::seed_from_u64(61);
    let mut different = 0;
    for round in 0..200 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let optimum = [Optimum::Max, Optimum::Min][round as usize % 2];
        let mut leaf = || Box::new(state(&random_set(&mut random, &network)));
        let plain = match round / 2 % 4 {
            0 => Path::Finally(leaf(), None),
            1 => Path::Until(leaf(), leaf(), None),
            2 => Path::Globally(leaf(), None),
            _ => Path::WeakUntil(leaf(), leaf(), None),
        };
        // The same with something that is always true: a formula for an automaton.
        let always = Path::Globally(Box::new(Path::State(Box::new(Property::truth()))), None);
        let linear = probability(optimum, Path::And(Box::new(plain.clone()), Box::new(always)));
        let plain = probability(optimum, plain);
        let by_graph = exactly(&network, &checker, &plain, Schedulers::Fair);
        let by_automaton = exactly(&network, &checker, &linear, Schedulers::Fair);
        assert_eq!(by_graph, by_automaton, "round {round}: {plain:?}");
        different += u64::from(by_graph != exactly(&network, &checker, &plain, Schedulers::All));
    }
    assert!(different > 5, "{different}");
}

#[test]
fn fair_schedulers_do_no_better_than_all_and_no_worse() {
    let mut random = StdRng::seed_from_u64(62);
    let mut narrower = 0;
    for round in 0..200 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let checker = Checker::new(network.clone(), 1000, &Budget::unlimited()).expect("small");
        let mut leaf = || Box::new(state(&random_set(&mut random, &network)));
        let again = |inner: Box<Path>| Path::Globally(Box::new(Path::Finally(inner, None)), None);
        let path = match round % 4 {
            0 => again(leaf()),
            1 => Path::And(
                Box::new(again(leaf())),
                Box::new(Path::Not(Box::new(again(leaf())))),
            ),
            2 => again(Box::new(Path::And(
                leaf(),
                Box::new(Path::Next(Box::new(Path::Next(leaf())))),
            ))),
            _ => Path::Globally(
                Box::new(Path::Implies(leaf(), Box::new(Path::Next(leaf())))),
                None,
            ),
        };
        let value = |optimum, schedulers| {
            exactly(
                &network,
                &checker,
                &probability(optimum, path.clone()),
                schedulers,
            )
        };
        let (least, most) = (
            value(Optimum::Min, Schedulers::All),
            value(Optimum::Max, Schedulers::All),
        );
        let (low, high) = (
            value(Optimum::Min, Schedulers::Fair),
            value(Optimum::Max, Schedulers::Fair),
        );
        assert!(
            least <= low && low <= high && high <= most,
            "round {round}: {path:?}"
        );
        narrower += u64::from(least < low || high < most);
    }
    assert!(narrower > 20, "{narrower}");
}
