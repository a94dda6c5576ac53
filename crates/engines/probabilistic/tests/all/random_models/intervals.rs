//! Interval models beside the definition: a distribution between the ends is a mixture of the corners, so that choosing probabilities is choosing among corners.
//! With the scheduler they are more choices of a decision process; against it, every scheduler is tried, and its worst corners.

use crate::support::{
    contains, decide_with, effort, members, probability, random_network, random_set, settings, state,
};
use entail_budget::Budget;
use entail_markov::{
    Bounds, Bracket, Explicit, Expr, Kind, Limit, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, Row, explore_uncertain, naive,
};
use entail_probabilistic::Exactness;
use entail_stochastic_checker::check::Checker;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Makes the probabilities of a network intervals around what they were.
fn loosened(random: &mut StdRng, mut network: Network) -> Network {
    for command in &mut network.components[0].commands {
        for branch in &mut command.branches {
            let weight = branch
                .weight
                .constant()
                .and_then(|value| value.number())
                .expect("a number");
            let part =
                |random: &mut StdRng| Rational::from(random.random_range(0..4u32)) / Rational::from(5u32);
            let (below, above) = (part(random), part(random));
            branch.weight = Expr::from(&weight * (Rational::ONE - below));
            branch.upper = Some(Expr::from((&weight * (Rational::ONE + above)).min(Rational::ONE)));
        }
    }
    network
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for shorter in orders(count - 1) {
        for place in 0..count {
            let mut order = shorter.clone();
            order.insert(place, count - 1);
            found.push(order);
        }
    }
    found
}

/// The corners of the set of distributions of a row: what is left beyond the lower ends, given away in some order.
fn corners(row: &Row) -> Vec<Row> {
    if row.uppers.is_empty() {
        return vec![row.clone()];
    }
    let mut found: Vec<Row> = Vec::new();
    for order in orders(row.targets.len()) {
        let mut corner = Row {
            uppers: Vec::new(),
            ..row.clone()
        };
        let mut left = row
            .targets
            .iter()
            .fold(Rational::ONE, |left, (_, low)| left - low);
        for at in order {
            let more = (&row.uppers[at] - &row.targets[at].1).min(left.clone());
            corner.targets[at].1 += &more;
            left -= more;
        }
        if !found.contains(&corner) {
            found.push(corner);
        }
    }
    found
}

/// The decision process whose choices are those given, each with all its corners.
fn with_corners(model: &Explicit, chosen: &dyn Fn(usize) -> Vec<Row>) -> Explicit {
    let mut wide = model.clone();
    wide.kind = Kind::Mdp;
    for (state, rows) in wide.rows.iter_mut().enumerate() {
        *rows = chosen(state).iter().flat_map(corners).collect();
    }
    wide
}

/// The values by the definition, of a question about decision processes.
fn by_definition(
    model: &Explicit,
    optimum: Optimum,
    against: bool,
    question: &dyn Fn(&Explicit, Optimum) -> Vec<Option<Rational>>,
) -> Vec<Option<Rational>> {
    if !against {
        return question(&with_corners(model, &|state| model.rows[state].clone()), optimum);
    }
    let mut best: Option<Vec<Option<Rational>>> = None;
    let mut at = vec![0; model.rows.len()];
    // Infinity is greater than every number.
    let less = |a: &Option<Rational>, b: &Option<Rational>| match (a, b) {
        (Some(a), Some(b)) => a < b,
        (a, b) => a.is_some() && b.is_none(),
    };
    loop {
        let chain = with_corners(model, &|state| vec![model.rows[state][at[state]].clone()]);
        let values = question(&chain, optimum.dual());
        best = Some(match best {
            None => values,
            Some(best) => (best.into_iter().zip(values))
                .map(|(best, value)| {
                    let better = match optimum {
                        Optimum::Max => less(&best, &value),
                        Optimum::Min => less(&value, &best),
                    };
                    if better { value } else { best }
                })
                .collect(),
        });
        let Some(next) = (0..at.len()).find(|&state| at[state] + 1 < model.rows[state].len()) else {
            return best.expect("a scheduler");
        };
        at[next] += 1;
        at[..next].fill(0);
    }
}

/// A small enough model for trying everything.
fn is_small(model: &Explicit) -> bool {
    let corners: usize = (model.rows.iter())
        .map(|rows| rows.iter().map(|row| corners(row).len()).sum::<usize>())
        .product();
    corners <= 3000
}

#[test]
fn robust_values_are_those_of_the_definition_and_certified() {
    let mut random = StdRng::seed_from_u64(61);
    let budget = Budget::unlimited();
    let mut tried = 0;
    for round in 0..400 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp][round as usize % 2];
        let network = random_network(&mut random, kind);
        let network = loosened(&mut random, network);
        let model = explore_uncertain(&network, 1000, &budget).expect("small");
        if !is_small(&model) {
            continue;
        }
        tried += 1;
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        let (stay, goal) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let (inside, there) = (members(&network, &model, &stay), members(&network, &model, &goal));
        let optimum = [Optimum::Max, Optimum::Min][random.random_range(0..2)];
        let against = kind == Kind::Mdp && random.random_bool(0.6);
        let steps = random.random_range(0..5u64);
        let until = |bounds| Path::Until(Box::new(state(&stay)), Box::new(state(&goal)), bounds);
        let bounds = Bounds {
            lower: None,
            upper: Some(Limit {
                value: Rational::from(steps),
                strict: false,
            }),
            by: entail_markov::BoundedBy::Time,
            others: Vec::new(),
        };
        let some = |exact: Vec<Rational>| -> Vec<Option<Rational>> { exact.into_iter().map(Some).collect() };
        let reward = Property::Reward {
            optimum: Some(optimum),
            query: Query::Value,
            structure: 0,
            kind: RewardKind::Reach(Path::Finally(Box::new(state(&goal)), None)),
        };
        type Question<'q> = Box<dyn Fn(&Explicit, Optimum) -> Vec<Option<Rational>> + 'q>;
        let reached: Question =
            Box::new(|model, optimum| some(naive::probability(model, &inside, &there, optimum)));
        let earned: Question = Box::new(|model, optimum| naive::reward(model, 0, &there, optimum));
        for (property, question) in [(probability(optimum, until(None)), reached), (reward, earned)] {
            let exact = by_definition(&model, optimum, against, &question);
            let property = if against {
                Property::Robust(Box::new(property))
            } else {
                property
            };
            for exactness in [Exactness::Never, Exactness::Always] {
                let what = format!("round {round}, {exactness:?}, {property:?}, {network:?}");
                let found = decide_with(&network, &checker, &property, settings(exactness));
                let (bracket, _) = found.unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
                contains(&bracket, &exact, &what);
                if exactness == Exactness::Always {
                    assert_eq!(bracket, Bracket::Exact(exact.clone()), "{what}");
                }
            }
        }
        // Steps: both are chosen anew in each step, so that a step is a question about corners.
        let mut values: Vec<Rational> = there
            .iter()
            .map(|&there| Rational::from(u32::from(there)))
            .collect();
        let worst = if against { optimum.dual() } else { optimum };
        let extreme = |optimum: Optimum, values: Vec<Rational>| match optimum {
            Optimum::Max => values.into_iter().max(),
            Optimum::Min => values.into_iter().min(),
        };
        for _ in 0..steps {
            values = (0..values.len())
                .map(|state| {
                    if there[state] || !inside[state] {
                        return values[state].clone();
                    }
                    let of_row = |row: &Row| {
                        let sum = |corner: Row| {
                            (corner.targets.iter()).fold(Rational::ZERO, |sum, (target, share)| {
                                sum + share * &values[*target as usize]
                            })
                        };
                        extreme(worst, corners(row).into_iter().map(sum).collect()).expect("a corner")
                    };
                    extreme(optimum, model.rows[state].iter().map(of_row).collect()).expect("a choice")
                })
                .collect();
        }
        let property = probability(optimum, until(Some(bounds)));
        let property = if against {
            Property::Robust(Box::new(property))
        } else {
            property
        };
        let found = decide_with(&network, &checker, &property, settings(Exactness::Never));
        let what = format!("round {round}, {property:?}, {network:?}");
        contains(&found.expect("decided").0, &some(values), &what);
    }
    assert!(tried > 100, "{tried}");
}
