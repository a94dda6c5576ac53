//! Bounds on rewards, several at once and with lower ends, and quantiles, beside a naive reference: what has been earned is carried along, and the states
//! with the same earnings are solved by trying every scheduler, in rationals.

use crate::support::{self, ALL, effort, members, random_network, random_set, settings, state, values};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_markov::{
    BoundedBy, Bounds, Bracket, Comparison, End, Explicit, Kind, Limit, Network, OpenBound, Optimum, Path,
    Property, Query, Rational, Row, Threshold, explore, naive,
};
use entail_probabilistic::{Exactness, Values, Workshop};
use entail_stochastic_checker::check::{Checker, Claim};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::HashMap;

/// The reference: values by what has been earned.
struct Naive<'m> {
    model: &'m Explicit,
    stay: Vec<bool>,
    goal: Vec<bool>,
    bounds: Vec<Bounds>,
    optimum: Optimum,
    known: HashMap<Vec<Rational>, Vec<Rational>>,
}

fn within(bounds: &Bounds, earned: &Rational) -> (bool, bool) {
    let above = bounds.lower.as_ref().is_none_or(|limit| match limit.strict {
        true => *earned > limit.value,
        false => *earned >= limit.value,
    });
    let below = bounds.upper.as_ref().is_none_or(|limit| match limit.strict {
        true => *earned < limit.value,
        false => *earned <= limit.value,
    });
    (above, below)
}

impl Naive<'_> {
    fn earned(&self, before: &[Rational], state: usize, row: &Row) -> Vec<Rational> {
        let add = |(bounds, before): (&Bounds, &Rational)| {
            let more = match bounds.by {
                BoundedBy::Time => Rational::ONE,
                BoundedBy::Reward(structure) => naive::step_value(self.model, structure, state, row),
            };
            let sum = before + more;
            // Beyond all limits it does not matter how far.
            let ends = [&bounds.lower, &bounds.upper].into_iter().flatten();
            let most = ends.map(|limit| &limit.value + Rational::ONE).max();
            most.map_or(sum.clone(), |most| sum.min(most))
        };
        self.bounds.iter().zip(before).map(add).collect()
    }

    fn values(&mut self, earned: &[Rational]) -> Vec<Rational> {
        if let Some(known) = self.known.get(earned) {
            return known.clone();
        }
        let judged: Vec<(bool, bool)> = (self.bounds.iter().zip(earned))
            .map(|(bounds, earned)| within(bounds, earned))
            .collect();
        let size = self.model.rows.len();
        if judged.iter().any(|(_, below)| !below) {
            return vec![Rational::ZERO; size];
        }
        let counts = judged.iter().all(|(above, _)| *above);
        let (won, lost) = (size as u32, size as u32 + 1);
        let row = |targets: Vec<(u32, Rational)>| Row {
            action: None,
            rate: None,
            targets,
            uppers: Vec::new(),
            rewards: Vec::new(),
        };
        let mut rows: Vec<Vec<Row>> = Vec::new();
        for state in 0..size {
            let mut own = Vec::new();
            for original in &self.model.rows[state] {
                let next = self.earned(earned, state, original);
                if next == earned {
                    own.push(row(original.targets.clone()));
                    continue;
                }
                let after = self.values(&next);
                let chance = (original.targets.iter()).fold(Rational::ZERO, |sum, (target, probability)| {
                    sum + probability * &after[*target as usize]
                });
                own.push(row(vec![(won, chance.clone()), (lost, Rational::ONE - chance)]));
            }
            rows.push(own);
        }
        rows.push(vec![row(vec![(won, Rational::ONE)])]);
        rows.push(vec![row(vec![(lost, Rational::ONE)])]);
        let model = Explicit {
            kind: Kind::Mdp,
            states: vec![Vec::new(); size + 2],
            rows,
            initial: vec![0],
            deadlocks: Vec::new(),
            state_rewards: Vec::new(),
        };
        let mut stay = self.stay.clone();
        stay.extend([false, false]);
        let mut goal: Vec<bool> = self.goal.iter().map(|&goal| goal && counts).collect();
        goal.extend([true, false]);
        let mut found = naive::probability(&model, &stay, &goal, self.optimum);
        found.truncate(size);
        self.known.insert(earned.to_vec(), found.clone());
        found
    }
}

fn random_network_with_costs(random: &mut StdRng, kind: Kind) -> Network {
    let mut network = random_network(random, kind);
    if kind != Kind::Mdp {
        network.rewards[0].transitions.clear();
    }
    let mut second = network.rewards[0].clone();
    second.transitions.clear();
    for item in &mut second.states {
        let halves = Rational::from(random.random_range(0..4u64)) / Rational::from(2u64);
        item.value = entail_markov::Expr::from(halves);
    }
    network.rewards.push(second);
    network
}

fn limit(random: &mut StdRng, most: u64) -> Limit {
    Limit {
        value: Rational::from(random.random_range(1..=most)),
        strict: random.random_bool(0.3),
    }
}

fn random_bounds(random: &mut StdRng, by: BoundedBy) -> Bounds {
    let shape = random.random_range(0..4);
    let (lower, upper) = (limit(random, 2), limit(random, 5));
    Bounds {
        lower: (shape >= 2).then_some(lower),
        upper: (shape != 2).then_some(upper),
        by,
        others: Vec::new(),
    }
}

/// A random question, and its parts.
fn random_until(
    random: &mut StdRng,
    network: &Network,
) -> (entail_markov::Expr, entail_markov::Expr, Bounds) {
    let (stay, goal) = (random_set(random, network), random_set(random, network));
    let stay = if random.random_bool(0.5) {
        entail_markov::Expr::truth()
    } else {
        stay
    };
    let counts = [BoundedBy::Reward(0), BoundedBy::Reward(1), BoundedBy::Time];
    let by = counts[random.random_range(0..2usize)];
    let mut bounds = random_bounds(random, by);
    for by in counts {
        if by != bounds.by && random.random_bool(0.3) {
            bounds.others.push(random_bounds(random, by));
        }
    }
    (stay, goal, bounds)
}

#[test]
fn several_bounds_on_rewards_are_around_the_naive_values_and_certified() {
    let mut random = StdRng::seed_from_u64(41);
    let budget = Budget::unlimited();
    for round in 0..250 * effort() {
        let kind = [Kind::Mdp, Kind::Mdp, Kind::Dtmc][round as usize % 3];
        let network = random_network_with_costs(&mut random, kind);
        let model = explore(&network, 1000, &budget).expect("small");
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let (stay, goal, bounds) = random_until(&mut random, &network);
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let mut reference = Naive {
            model: &model,
            stay: members(&network, &model, &stay),
            goal: members(&network, &model, &goal),
            bounds: bounds.all().cloned().collect(),
            optimum,
            known: HashMap::new(),
        };
        let start = vec![Rational::ZERO; reference.bounds.len()];
        let exact: Vec<Option<Rational>> = reference.values(&start).into_iter().map(Some).collect();
        let path = Path::Until(
            Box::new(state(&stay)),
            Box::new(state(&goal)),
            Some(bounds.clone()),
        );
        let property = support::probability(optimum, path);
        for exactness in ALL {
            let (bracket, certificate) = support::decide(&network, &checker, &property, exactness);
            support::contains(&bracket, &exact, &format!("round {round} {exactness:?}"));
            if exactness == Exactness::Always {
                assert_eq!(bracket.lower(0), exact[0], "round {round}");
            }
            damaged_is_rejected(&checker, &property, &certificate, &exact[0], &mut random);
        }
    }
}

/// Bounds that are moved past the value somewhere near the end prove another value, or are rejected.
fn damaged_is_rejected(
    checker: &Checker,
    property: &Property,
    certificate: &entail_markov::Certificate,
    exact: &Option<Rational>,
    random: &mut StdRng,
) {
    let (Some(bracket), Some(exact)) = (certificate.brackets.last(), exact) else {
        return;
    };
    let wrong = (exact + Rational::ONE) / Rational::from(2u64);
    if *exact == Rational::ONE || bracket.is_empty() {
        return;
    }
    let mut other = certificate.clone();
    let first = bracket.len() - checker.states();
    match &mut other.brackets[..] {
        [.., Bracket::Exact(values)] => values[first] = Some(wrong.clone()),
        [.., Bracket::Between { lower, upper }] => {
            lower[first] = entail_markov::to_float(&wrong);
            upper[first] = 1.0;
        }
        _ => return,
    }
    let claimed = Quantity::Between(wrong, Rational::ONE);
    let claim = Claim {
        verdict: Verdict::Holds,
        value: Some(&claimed),
    };
    assert!(
        checker
            .check(property, &claim, &other, &Budget::unlimited())
            .is_rejected()
    );
    // And one with an epoch missing.
    let mut short = certificate.clone();
    if let Some(Bracket::Between { lower, upper }) = short.brackets.last_mut() {
        lower.truncate(random.random_range(1..=lower.len()) - 1);
        upper.truncate(lower.len());
        assert_ne!(
            checker.check(property, &claim, &short, &Budget::unlimited()),
            CheckReport::Accepted
        );
    }
}

#[test]
fn quantiles_are_where_the_naive_values_pass_the_threshold() {
    let mut random = StdRng::seed_from_u64(42);
    let budget = Budget::unlimited();
    let (mut found, mut endless) = (0, 0);
    for round in 0..100 * effort() {
        let network = random_network_with_costs(&mut random, Kind::Mdp);
        let model = explore(&network, 1000, &budget).expect("small");
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let goal = random_set(&mut random, &network);
        let optimum = if random.random_bool(0.5) {
            Optimum::Max
        } else {
            Optimum::Min
        };
        let end = if random.random_bool(0.7) {
            End::Upper
        } else {
            End::Lower
        };
        let comparison = if random.random_bool(0.7) {
            Comparison::Ge
        } else {
            Comparison::Lt
        };
        let bound = Rational::from(random.random_range(1..10u64)) / Rational::from(10u64);
        let place = |units: u64| {
            let limit = Some(Limit {
                value: Rational::from(units),
                strict: false,
            });
            Bounds {
                lower: limit.clone().filter(|_| end == End::Lower),
                upper: limit.filter(|_| end == End::Upper),
                by: BoundedBy::Reward(0),
                others: Vec::new(),
            }
        };
        let mut others = Vec::new();
        if random.random_bool(0.3) {
            others.push(random_bounds(&mut random, BoundedBy::Time));
        }
        let chance = |units: u64| {
            let mut reference = Naive {
                model: &model,
                stay: vec![true; model.rows.len()],
                goal: members(&network, &model, &goal),
                bounds: std::iter::once(place(units)).chain(others.clone()).collect(),
                optimum,
                known: HashMap::new(),
            };
            let start = vec![Rational::ZERO; reference.bounds.len()];
            reference.values(&start)[0].clone()
        };
        let least = (end == End::Upper) == (comparison == Comparison::Ge);
        let meets = |value: &Rational| comparison.holds(value, &bound);
        let expected = (0..12).find(|&units| meets(&chance(units)) == least);
        let mut bounds = place(0);
        bounds.others = others.clone();
        let property = Property::Quantile {
            variables: vec![OpenBound {
                name: "B".to_owned(),
                position: 0,
                end,
            }],
            property: Box::new(Property::Probability {
                optimum: Some(optimum),
                query: Query::Compare(Threshold {
                    comparison,
                    bound: bound.clone(),
                }),
                path: Path::Finally(Box::new(state(&goal)), Some(bounds)),
            }),
        };
        let limited = Budget::unlimited().with_timeout(Some(std::time::Duration::from_millis(100)));
        let mut workshop =
            Workshop::new(&network, settings(Exactness::Never), 1000, &budget, &Silent).expect("small");
        let Ok((answer, certificate)) = workshop.check(&property, &limited) else {
            assert!(expected.is_none(), "round {round}");
            continue;
        };
        let value = match answer {
            Values::Numbers(bracket) => match values(&bracket, 0).0 {
                Some(value) => Quantity::Exact(value),
                None => Quantity::Infinite,
            },
            Values::Nothing(_) => Quantity::Undefined,
            other => panic!("round {round}: {other:?}"),
        };
        if expected.is_none() && matches!(&value, Quantity::Exact(value) if *value >= Rational::from(11)) {
            continue;
        }
        let wanted = match expected {
            Some(units) if least => Quantity::Exact(Rational::from(units)),
            Some(0) => Quantity::Undefined,
            Some(units) => Quantity::Exact(Rational::from(units - 1)),
            None => Quantity::Infinite,
        };
        assert_eq!(value, wanted, "round {round}");
        let claim = Claim {
            verdict: if value == Quantity::Undefined {
                Verdict::Fails
            } else {
                Verdict::Holds
            },
            value: Some(&value),
        };
        assert_eq!(
            checker.check(&property, &claim, &certificate, &budget),
            CheckReport::Accepted,
            "round {round}"
        );
        match value {
            Quantity::Infinite => endless += 1,
            _ => found += 1,
        }
        let mut other = certificate.clone();
        for bracket in &mut other.brackets {
            if let Bracket::Exact(values) = bracket
                && let [Some(units)] = &mut values[..]
            {
                *units += Rational::ONE;
            }
        }
        if other != certificate {
            assert!(
                checker.check(&property, &claim, &other, &budget).is_rejected(),
                "round {round}"
            );
        }
    }
    assert!(found > 30 && endless > 2, "{found} {endless}");
}
