//! Division: the rest of a system satisfies the quotient iff the whole satisfies the formula. Bisimilar states satisfy the same formulas.

use crate::{effort, random_formula, random_graph};
use entail_budget::Budget;
use entail_game::Player;
use entail_logic::mu::Mu;
use entail_model::{Lts, LtsBuilder, StateId};
use entail_mu::{decide, quotient};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;

fn holds(lts: &Lts, formula: &Mu<String>) -> bool {
    let decision = decide(lts, formula, &Budget::unlimited()).expect("small");
    decision.strategy.winner == Player::Even
}

/// Both take every step together; a state has the propositions of both.
fn product(left: &Lts, right: &Lts) -> Lts {
    let width = right.state_count() as u32;
    let pair = |s: StateId, t: StateId| StateId::new(s.index() as u32 * width + t.index() as u32);
    let mut builder = LtsBuilder::new(left.state_count() as u64 * u64::from(width));
    for s in left.states() {
        for t in right.states() {
            let names: BTreeSet<_> = left
                .propositions(s)
                .iter()
                .chain(right.propositions(t))
                .cloned()
                .collect();
            let colour = builder.colour(names);
            builder.paint(pair(s, t), colour);
            for (action, to) in left.steps(s) {
                let name = left.action_name(action);
                for (other, target) in right
                    .steps(t)
                    .filter(|(other, _)| right.action_name(*other) == name)
                {
                    let shared = builder.action(right.action_name(other));
                    builder.transition(pair(s, t), shared, pair(to, target));
                }
            }
        }
    }
    for &s in left.initial() {
        for &t in right.initial() {
            builder.initial(pair(s, t));
        }
    }
    builder.build().expect("a graph")
}

#[test]
fn the_rest_satisfies_the_quotient_iff_the_whole_satisfies_the_formula() {
    let mut random = StdRng::seed_from_u64(28);
    let rounds = 600 * effort();
    let (mut compared, mut held) = (0, 0);
    for _ in 0..rounds {
        let (left, right) = (random_graph(&mut random), random_graph(&mut random));
        let size = random.random_range(1..8);
        let formula = random_formula(&mut random, size, &mut Vec::new());
        // Some quotients are too large to be written as one formula.
        let Ok(divided) = quotient(&formula, &left, &Budget::unlimited()) else {
            continue;
        };
        if divided.size() > 20_000 {
            continue;
        }
        compared += 1;
        let whole = holds(&product(&left, &right), &formula);
        held += usize::from(whole);
        assert_eq!(holds(&right, &divided), whole, "{formula} divided: {divided}");
    }
    assert!(compared > rounds * 8 / 10, "{compared} of {rounds}");
    assert!(held > rounds / 10 && held < rounds * 9 / 10, "{held} of {rounds}");
}

/// Every state twice, every step to one of the two copies.
fn doubled(lts: &Lts, random: &mut StdRng) -> Lts {
    let copy = |state: StateId, which: bool| StateId::new(2 * state.index() as u32 + u32::from(which));
    let mut builder = LtsBuilder::new(2 * lts.state_count() as u64);
    for state in lts.states() {
        for which in [false, true] {
            let colour = builder.colour(lts.propositions(state).iter().cloned());
            builder.paint(copy(state, which), colour);
            for (action, to) in lts.steps(state) {
                let action = builder.action(lts.action_name(action));
                builder.transition(copy(state, which), action, copy(to, random.random_bool(0.5)));
            }
        }
    }
    for &state in lts.initial() {
        builder.initial(copy(state, random.random_bool(0.5)));
    }
    builder.build().expect("a graph")
}

#[test]
fn bisimilar_states_satisfy_the_same_formulas() {
    let mut random = StdRng::seed_from_u64(29);
    for _ in 0..400 * effort() {
        let lts = random_graph(&mut random);
        let twice = doubled(&lts, &mut random);
        let size = random.random_range(1..12);
        let formula = random_formula(&mut random, size, &mut Vec::new());
        assert_eq!(holds(&lts, &formula), holds(&twice, &formula), "{formula}");
    }
}
