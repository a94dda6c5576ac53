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
