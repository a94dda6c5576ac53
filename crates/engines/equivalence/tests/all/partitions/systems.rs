//! Random systems.

use entail_model::{Lts, LtsBuilder, StateId};
use rand::Rng;
use rand::rngs::StdRng;
use std::sync::Arc;

/// What a random system is like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub states: u32,
    /// Transitions for each state, about.
    pub degree: f64,
    pub actions: u32,
    /// How many of the transitions are hidden.
    pub hidden: f64,
    /// Sets of propositions; 1 for none.
    pub colours: u32,
}

/// Shapes with few and many hidden steps, cycles of them, and colours.
pub fn shapes(random: &mut StdRng) -> Shape {
    Shape {
        states: random.random_range(1..14),
        degree: [0.7, 1.2, 2.0, 3.5][random.random_range(0..4)],
        actions: random.random_range(1..4),
        hidden: [0.0, 0.3, 0.6, 0.9, 1.0][random.random_range(0..5)],
        colours: [1, 1, 2, 3][random.random_range(0..4)],
    }
}

pub fn random_system(random: &mut StdRng, shape: Shape) -> Lts {
    let mut builder = LtsBuilder::new(shape.states.into());
    let state = |random: &mut StdRng| StateId::new(random.random_range(0..shape.states));
    for _ in 0..(f64::from(shape.states) * shape.degree) as u32 {
        let name = match random.random_bool(shape.hidden) {
            true => "tau".to_owned(),
            false => format!("a{}", random.random_range(0..shape.actions)),
        };
        let action = builder.action(&name);
        let (from, to) = (state(random), state(random));
        builder.transition(from, action, to);
    }
    if shape.colours > 1 {
        for number in 0..shape.states {
            let colour = random.random_range(0..shape.colours);
            let set: Vec<Arc<str>> = (0..2)
                .filter(|bit| colour >> bit & 1 == 1)
                .map(|bit| Arc::from(format!("p{bit}")))
                .collect();
            let colour = builder.colour(set);
            builder.paint(StateId::new(number), colour);
        }
    }
    builder.initial(StateId::new(0));
    builder.build().unwrap()
}

/// Chains of hidden steps downwards with steps that are seen on the way: splits make new bottom states again and again.
pub fn random_stairs(random: &mut StdRng, states: u32) -> Lts {
    let mut builder = LtsBuilder::new(states.into());
    let names = ["a", "b", "c"].map(|name| builder.action(name));
    for from in 1..states {
        let below = |random: &mut StdRng| StateId::new(random.random_range(0..from));
        let from = StateId::new(from);
        if random.random_bool(0.8) {
            builder.transition(from, entail_model::TAU, StateId::new(from.index() as u32 - 1));
        }
        if random.random_bool(0.3) {
            let to = below(random);
            builder.transition(from, entail_model::TAU, to);
        }
        if random.random_bool(0.4) {
            let action = names[random.random_range(0..names.len())];
            // Mostly to the lowest states, which are all alike at first.
            let to = match random.random_bool(0.7) {
                true => StateId::new(0),
                false => below(random),
            };
            builder.transition(from, action, to);
        }
    }
    builder.initial(StateId::new(states - 1));
    builder.build().unwrap()
}
