//! Conditional probabilities of decision processes beside the definition: on the product with what was seen so far every scheduler is tried, and those under which the
//! condition has a chance are compared by the quotient of two probabilities.

use crate::support::{decide_with, effort, members, random_network, random_set, settings};
use entail_budget::{Budget, Silent};
use entail_markov::{Bracket, Explicit, Kind, Optimum, Property, Query, Rational, Row, explore, naive};
use entail_probabilistic::{Exactness, Workshop};
use entail_stochastic_checker::check::Checker;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The model with what was seen: its states are `state * 4 + event + 2 * condition`.
fn with_memory(model: &Explicit, event: &[bool], condition: &[bool]) -> Explicit {
    let size = model.rows.len();
    let seen = |state: usize| u32::from(event[state]) + 2 * u32::from(condition[state]);
    let mut product = model.clone();
    product.states = vec![Vec::new(); size * 4];
    product.state_rewards = Vec::new();
    product.rows = Vec::new();
    for state in 0..size {
        for before in 0..4u32 {
            let now = before | seen(state);
            let rows = model.rows[state].iter().map(|row| Row {
                targets: (row.targets.iter())
                    .map(|(target, share)| (target * 4 + (now | seen(*target as usize)), share.clone()))
                    .collect(),
                ..row.clone()
            });
            product.rows.push(rows.collect());
        }
    }
    product.initial = vec![model.initial[0] * 4 + seen(model.initial[0] as usize)];
    product
}

/// The optimal quotient over all schedulers; nothing if the condition has no chance, or there are too many.
fn by_definition(product: &Explicit, optimum: Optimum) -> Option<Rational> {
    let start = product.initial[0] as usize;
    let mut reached = vec![false; product.rows.len()];
    let mut waiting = vec![start];
    while let Some(state) = waiting.pop() {
        if !std::mem::replace(&mut reached[state], true) {
            let targets = product.rows[state].iter().flat_map(|row| &row.targets);
            waiting.extend(targets.map(|(target, _)| *target as usize));
        }
    }
    let open: Vec<usize> = (0..reached.len())
        .filter(|&state| reached[state] && product.rows[state].len() > 1)
        .collect();
    if open
        .iter()
        .map(|&state| product.rows[state].len())
        .product::<usize>()
        > 600
    {
        return None;
    }
    let everywhere = vec![true; product.rows.len()];
    let both: Vec<bool> = (0..product.rows.len()).map(|state| state % 4 == 3).collect();
    let condition: Vec<bool> = (0..product.rows.len()).map(|state| state % 4 >= 2).collect();
    let mut best: Option<Rational> = None;
    let mut at = vec![0; product.rows.len()];
    loop {
        let mut chain = product.clone();
        for (state, rows) in chain.rows.iter_mut().enumerate() {
            *rows = vec![rows.swap_remove(at[state])];
        }
        let chance =
            |goal: &[bool]| naive::probability(&chain, &everywhere, goal, Optimum::Max)[start].clone();
        let known = chance(&condition);
        if known > Rational::ZERO {
            let value = chance(&both) / known;
            best = Some(match (best, optimum) {
                (None, _) => value,
                (Some(best), Optimum::Max) => best.max(value),
                (Some(best), Optimum::Min) => best.min(value),
            });
        }
        let Some(&next) = open
            .iter()
            .find(|&&state| at[state] + 1 < product.rows[state].len())
        else {
            return best;
        };
        at[next] += 1;
        for &state in open.iter().take_while(|&&state| state != next) {
            at[state] = 0;
        }
    }
}

#[test]
fn conditional_probabilities_are_those_of_the_definition_and_certified() {
    let mut random = StdRng::seed_from_u64(71);
    let budget = Budget::unlimited();
    let mut tried = 0;
    for round in 0..150 * effort() {
        let network = random_network(&mut random, Kind::Mdp);
        let model = explore(&network, 1000, &budget).expect("small");
        let (event, condition) = (
            random_set(&mut random, &network),
            random_set(&mut random, &network),
        );
        let optimum = [Optimum::Max, Optimum::Min][random.random_range(0..2)];
        let property = Property::Conditional {
            optimum: Some(optimum),
            query: Query::Value,
            event: Box::new(Property::Expr(event.clone())),
            condition: Box::new(Property::Expr(condition.clone())),
        };
        let there = members(&network, &model, &condition);
        let product = with_memory(&model, &members(&network, &model, &event), &there);
        let possible = naive::probability(&model, &vec![true; there.len()], &there, Optimum::Max);
        if possible[0] == Rational::ZERO {
            let mut workshop =
                Workshop::new(&network, settings(Exactness::Always), 1000, &budget, &Silent).expect("small");
            assert!(workshop.check(&property, &budget).is_err(), "round {round}");
            continue;
        }
        let Some(exact) = by_definition(&product, optimum) else {
            continue;
        };
        tried += 1;
        let checker = Checker::new(network.clone(), 1000, &budget).expect("small");
        for exactness in [Exactness::Always, Exactness::Never] {
            let what =
                format!("round {round}, {exactness:?}, {optimum:?}, {event:?} if {condition:?}: {network:?}");
            let (bracket, _) =
                decide_with(&network, &checker, &property, settings(exactness)).expect("decided");
            let (low, high) = (
                bracket.lower(0).expect("finite"),
                bracket.upper(0).expect("finite"),
            );
            assert!(
                low <= exact && exact <= high,
                "{what}: {exact} not in [{low}, {high}]"
            );
            match exactness {
                Exactness::Always => {
                    assert_eq!(
                        bracket,
                        Bracket::Exact(vec![Some(exact.clone()); model.rows.len()]),
                        "{what}"
                    );
                }
                _ => assert!(
                    high - low < entail_markov::decimal("1e-4").expect("a decimal"),
                    "{what}"
                ),
            }
        }
    }
    assert!(tried > 40, "{tried}");
}
