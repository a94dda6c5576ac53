//! Least credits that are fractions: faster chargers are unfolded as soon as there is enough, and what is missing at first is missing several times over in the end.

use super::effort;
use super::energy::{Shape, ask, asked, automaton, least, on_grid};
use entail_answer::Verdict;
use entail_clocks::{
    ClockName, Comparison, Condition, Edge, Energy, Expression, Formula, Network, Query, Rational, Statement,
};
use entail_source::Span;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// An orbit of some units of time in which faster and faster chargers are unfolded, each for a price; in the end something is used.
fn battery(random: &mut StdRng) -> Network {
    let shape = Shape {
        clock: true,
        rates: 0,
        weights: 0,
        strict: false,
    };
    let mut network = automaton(random, shape);
    let (template, count) = (network.edges[0].clone(), network.locations.len());
    // The grid knows clocks up to 4.
    let length = random.random_range(2..=3);
    let clock = |comparison: Comparison| Condition::Clock {
        left: ClockName::one(1),
        right: ClockName::one(0),
        comparison,
        bound: Expression::Constant(length),
    };
    let cost = |amount: i64| Statement::Cost(Expression::Constant(amount), Span::default());
    let reset = Statement::Clock {
        target: ClockName::one(1),
        source: ClockName::one(0),
        offset: Expression::Constant(0),
        span: Span::default(),
    };
    network.edges.clear();
    let mut rate = random.random_range(-1..=2);
    for number in 0..count {
        let location = &mut network.locations[number];
        location.invariant = vec![clock(Comparison::LessEqual)];
        location.rate = Some(Expression::Constant(rate));
        location.urgent = false;
        let used = rate.max(1) * length + random.random_range(-3..=4);
        rate += random.random_range(1..=3);
        let mut ways = vec![(
            0,
            vec![clock(Comparison::GreaterEqual)],
            vec![reset.clone(), cost(-used)],
        )];
        if number + 1 < count {
            ways.push((number + 1, Vec::new(), vec![cost(-random.random_range(0..=4))]));
        }
        location.outgoing = (0..ways.len()).map(|way| network.edges.len() + way).collect();
        network
            .edges
            .extend(ways.into_iter().map(|(target, guard, action)| Edge {
                source: number,
                target,
                guard,
                action,
                ..template.clone()
            }));
    }
    network.check().expect("random networks are networks");
    network
}

#[test]
fn batteries_need_fractions() {
    let (mut fractions, mut exact, mut none) = (0, 0, 0);
    for number in 0..600 * effort() {
        let mut random = StdRng::seed_from_u64(94_000_000 + number);
        let network = battery(&mut random);
        let query = asked(Formula::Constant(true), false, 0, None, None);
        let answer = ask(&network, &query);
        let parts = 12;
        let naive = on_grid(&network, parts, 40 * parts).expect("a small grid");
        let naive = naive.map(|need| Rational::from(need) / Rational::from(parts));
        match (least(&answer), naive) {
            (None, None) => none += 1,
            (Some(found), Some(naive)) => {
                assert!(
                    found <= naive,
                    "battery {number}: {found} > {naive}\n{network:#?}"
                );
                exact += i32::from(found == naive);
                fractions += i32::from(found != Rational::from(found.floor()));
                // A little less is not enough.
                let less = &found - Rational::ONE / Rational::from(100);
                if less >= Rational::ZERO {
                    let query = Query::Energy(Box::new(Energy {
                        within: Formula::Constant(true),
                        every: false,
                        lower: 0,
                        upper: None,
                        credit: Some(less),
                    }));
                    assert_eq!(ask(&network, &query).verdict, Verdict::Fails, "battery {number}");
                }
            }
            // On the grid the chargers are unfolded too late.
            (Some(_), None) => {}
            (None, Some(naive)) => panic!("battery {number}: not {naive}\n{network:#?}"),
        }
    }
    assert!(
        fractions > 0 && exact > 5 && none > 5,
        "{fractions} fractions, {exact} as on the grid, {none} without"
    );
}
