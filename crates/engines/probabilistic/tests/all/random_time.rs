//! Time bounds in random Markov automata: near what small steps of time give, accepted by the checker, rejected when changed.

use crate::support;
use entail_answer::{Quantity, Verdict};
use entail_budget::Budget;
use entail_markov::{
    BoundedBy, Bounds, Bracket, Branch, Command, CommandKind, Expr, Kind, Limit, Network, Optimum, Path,
    Rational, decimal, explore, to_float,
};
use entail_probabilistic::Exactness;
use entail_source::Span;
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{STATE, at, decide, effort, members, probability, random_network, random_set, state};

/// A Markov automaton: states with an even number wait, the others choose at once, always a state with a higher number or one that waits.
pub fn random_automaton(random: &mut StdRng) -> Network {
    let mut network = random_network(random, Kind::Mdp);
    network.kind = Kind::Ma;
    let size = random.random_range(3..8i64);
    network.variables[0].domain = entail_markov::Domain::Range(0, size - 1);
    let mut commands = Vec::new();
    for source in 0..size {
        let waits = source % 2 == 0;
        let choices = if waits { 1 } else { random.random_range(1..4) };
        for _ in 0..choices {
            let count = random.random_range(1..3usize);
            let branches = (0..count).map(|_| {
                let target = loop {
                    let target = random.random_range(0..size);
                    if waits || target % 2 == 0 || target > source {
                        break target;
                    }
                };
                let weight = match waits {
                    true => Rational::from(random.random_range(1..7i64)) / Rational::from(2),
                    false => Rational::ONE / Rational::from(count as u64),
                };
                Branch {
                    weight: Expr::from(weight),
                    upper: None,
                    assignments: vec![(STATE, Expr::from(target))],
                    rewards: Vec::new(),
                    place: Span::new(0, 0),
                }
            });
            commands.push(Command {
                action: None,
                kind: if waits {
                    CommandKind::Markovian
                } else {
                    CommandKind::Probabilistic
                },
                guard: at(source),
                branches: branches.collect(),
                place: Span::new(0, 0),
            });
        }
    }
    network.components[0].commands = commands;
    network.rewards.clear();
    network
}

/// The optimum in small steps of time, with plain doubles: off by about the length of a step.
fn in_small_steps(network: &Network, optimum: Optimum, stay: &[bool], goal: &[bool], time: f64) -> f64 {
    let model = explore(network, 100, &Budget::unlimited()).expect("small");
    let steps = 1500;
    let length = time / f64::from(steps);
    let mut values: Vec<f64> = goal.iter().map(|&goal| f64::from(u8::from(goal))).collect();
    let average = |row: &entail_markov::Row, values: &[f64]| -> f64 {
        let term = |(target, p): &(u32, Rational)| to_float(p) * values[*target as usize];
        row.targets.iter().map(term).sum()
    };
    let moves = |at: usize| stay[at] && !goal[at];
    for step in 0..=steps {
        if step > 0 {
            let old = values.clone();
            for (at, rows) in model.rows.iter().enumerate().filter(|(at, _)| moves(*at)) {
                if let Some(rate) = &rows[0].rate {
                    values[at] += to_float(rate) * length * (average(&rows[0], &old) - old[at]);
                }
            }
        }
        for _ in 0..model.rows.len() {
            for (at, rows) in model.rows.iter().enumerate().filter(|(at, _)| moves(*at)) {
                if rows[0].rate.is_none() {
                    let sums = rows.iter().map(|row| average(row, &values));
                    values[at] = match optimum {
                        Optimum::Max => sums.fold(0.0, f64::max),
                        Optimum::Min => sums.fold(1.0, f64::min),
                    };
                }
            }
        }
    }
    values[0]
}

#[test]
fn time_bounds_of_automata_lie_around_what_small_steps_give_and_are_computed_twice() {
    let mut random = StdRng::seed_from_u64(31);
    let budget = Budget::unlimited();
    for round in 0..40 * effort() {
        let network = random_automaton(&mut random);
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let (stay, goal) = (
            random_set(&mut random, &network).or(at(0)).or(at(1)).or(at(2)),
            random_set(&mut random, &network),
        );
        let mut bounds = Bounds {
            lower: None,
            upper: Some(Limit {
                value: Rational::from(random.random_range(1..5i64)) / Rational::from(2),
                strict: false,
            }),
            by: BoundedBy::Time,
            others: Vec::new(),
        };
        let time = to_float(&bounds.upper.as_ref().expect("just set").value);
        let interval = round % 4 == 3;
        if interval {
            bounds.lower = Some(Limit {
                value: decimal("0.25").expect("a decimal"),
                strict: false,
            });
        }
        let until = Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), Some(bounds));
        let property = probability(optimum, until);
        let (bracket, certificate) = decide(&network, &checker, &property, Exactness::Never);
        let (low, high) = (
            bracket.lower(0).expect("finite"),
            bracket.upper(0).expect("finite"),
        );
        let (low, high) = (to_float(&low), to_float(&high));
        assert!(high - low <= 1.1e-6 * low.max(1e-6), "{low} {high}");
        if !interval {
            let model = explore(&network, 100, &budget).expect("small");
            let (stay, goal) = (members(&network, &model, &stay), members(&network, &model, &goal));
            let near = in_small_steps(&network, optimum, &stay, &goal, time);
            assert!((near - low).abs() < 0.01, "{near} {low} {high}");
        }
        // A certificate that claims too much is rejected.
        let mut changed = certificate.clone();
        if let Some(Bracket::Between { lower, upper }) = changed.brackets.first_mut()
            && upper[0] > 0.0
            && lower[0] < 0.99
        {
            (lower[0], upper[0]) = (upper[0] * 1.001, upper[0] * 1.002);
            let claimed = Quantity::Between(
                entail_markov::from_float(lower[0]).expect("finite"),
                entail_markov::from_float(upper[0]).expect("finite"),
            );
            let claim = Claim {
                verdict: Verdict::Holds,
                value: Some(&claimed),
            };
            assert!(checker.check(&property, &claim, &changed, &budget).is_rejected());
        }
    }
}
