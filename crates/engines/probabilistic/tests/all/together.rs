//! Exploring on several threads beside exploring on one: the same states, rows and rewards under the same numbers, and the same mistakes.

use crate::support::effort;
use crate::support::networks::{Maker, random_network};
use entail_budget::{Budget, Silent};
use entail_markov::{Exploration, Expr, Kind, Network, Rational, explore_partly};
use entail_probabilistic::numbers::Num;
use entail_probabilistic::{Extent, NONE, Sparse, generate};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Everything that does not depend on the names of numbers.
#[derive(Debug, PartialEq)]
struct Content {
    states: Vec<Vec<i64>>,
    sizes: (Vec<u32>, Vec<u32>),
    targets: Vec<u32>,
    values: Vec<Option<Rational>>,
    uppers: Vec<Option<Rational>>,
    rates: Vec<Option<Rational>>,
    rewards: Vec<Vec<Option<Rational>>>,
    others: (Vec<u32>, Vec<u32>, Vec<bool>),
    special: (Vec<usize>, Vec<usize>),
}

fn content(model: &Sparse) -> Content {
    let exact = |numbers: &[Num]| -> Vec<Option<Rational>> {
        (numbers.iter())
            .map(|&number| (number.0 != NONE).then(|| model.numbers.exact(number).clone()))
            .collect()
    };
    let state = |at: usize| {
        let mut state = Vec::new();
        model.store.read(at, &mut state);
        state
    };
    Content {
        states: (0..model.states()).map(state).collect(),
        sizes: (model.choices.clone(), model.rows.clone()),
        targets: model.targets.clone(),
        values: exact(&model.values),
        uppers: exact(&model.uppers),
        rates: exact(&model.rates),
        rewards: model.step_rewards.iter().map(|rewards| exact(rewards)).collect(),
        others: (
            model.actions.clone(),
            model.initial.clone(),
            model.mixed_rewards.clone(),
        ),
        special: (
            model.deadlocks.ones().collect(),
            model.unexplored.ones().collect(),
        ),
    }
}

/// What exploring on so many threads finds, or the mistake.
fn explored(
    network: &Network,
    settled: Option<&Expr>,
    (threads, share): (usize, usize),
) -> Result<Content, String> {
    let extent = Extent {
        settled: settled.cloned(),
        threads,
        share,
        ..Extent::from(1000)
    };
    let found = generate(network, extent, &Budget::unlimited(), &Silent);
    found
        .map(|model| content(&model))
        .map_err(|error| error.to_string())
}

/// Makes some of the weights intervals, of half a weight to the whole.
fn blur(network: &mut Network, random: &mut StdRng) {
    for component in &mut network.components {
        for branch in component.commands.iter_mut().flat_map(|c| &mut c.branches) {
            if random.random_bool(0.3)
                && let Some(weight) = branch.weight.constant().and_then(|weight| weight.number())
            {
                branch.upper = Some(branch.weight.clone());
                branch.weight = Expr::from(weight / Rational::from(2));
            }
        }
    }
}

#[test]
fn several_threads_find_what_one_finds_under_the_same_numbers() {
    let mut random = StdRng::seed_from_u64(19);
    let (mut right, mut wrong, mut large) = (0, 0, 0);
    for round in 0..400 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let careless = random.random_bool(0.3);
        let mut network = random_network(&mut random, kind, careless);
        if kind != Kind::Ctmc && random.random_bool(0.3) {
            blur(&mut network, &mut random);
        }
        let mut maker = Maker {
            random: &mut random,
            kind,
            variables: network.variables.clone(),
            careless: false,
        };
        let settled = maker.random.random_bool(0.3).then(|| maker.condition());
        let alone = explored(&network, settled.as_ref(), (1, 1));
        for _ in 0..3 {
            let team = (random.random_range(2..5), random.random_range(1..6));
            let together = explored(&network, settled.as_ref(), team);
            assert_eq!(alone, together, "round {round}, {team:?}");
        }
        match alone {
            Ok(content) => {
                right += 1;
                large += usize::from(content.states.len() > 8);
            }
            Err(_) => wrong += 1,
        }
    }
    assert!(right > 100 && wrong > 10 && large > 30, "{right} {wrong} {large}");
}

#[test]
fn the_reference_interpreter_finds_the_same_by_several_threads() {
    let mut random = StdRng::seed_from_u64(20);
    let (mut right, mut wrong) = (0, 0);
    for round in 0..300 * effort() {
        let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc][round as usize % 3];
        let careless = random.random_bool(0.3);
        let network = random_network(&mut random, kind, careless);
        let left = random.random_range(0..20u32);
        let budget = Budget::unlimited();
        let found = |threads: usize, share: usize, limit: usize| {
            let how = Exploration {
                threads,
                share,
                ..Exploration::from(limit)
            };
            let unexplored = |state: u32| state == left && round % 2 == 0;
            explore_partly(&network, how, &unexplored, &budget).map_err(|error| error.to_string())
        };
        for limit in [1000, 7] {
            let alone = found(1, 1, limit);
            for threads in 2..5 {
                assert_eq!(
                    alone,
                    found(threads, random.random_range(1..6), limit),
                    "round {round}"
                );
            }
            match alone {
                Ok(_) => right += 1,
                Err(_) => wrong += 1,
            }
        }
    }
    assert!(right > 100 && wrong > 50, "{right} {wrong}");
}
