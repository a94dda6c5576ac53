//! How long a solver takes on several threads, without preprocessing and components, which one thread does: random games, wall-clock seconds, the best of several runs each.
//!
//! usage: threads SOLVER THREADS VERTICES PRIORITIES RUNS; run it on a quiet machine, once with one thread and once with two.

use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority};
use entail_parity::{Solver, Threads, solve_directly};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Instant;

fn random(vertices: u32, priorities: u32, seed: u64) -> ParityGame {
    let mut dice = StdRng::seed_from_u64(seed);
    let mut arena = ArenaBuilder::with_capacity(vertices as usize, 3 * vertices as usize);
    let mut all = Vec::with_capacity(vertices as usize);
    for _ in 0..vertices {
        let owner = [Player::Even, Player::Odd][dice.random_range(0..2)];
        let degree = dice.random_range(1..4);
        arena.vertex(owner, (0..degree).map(|_| dice.random_range(0..vertices)));
        all.push(Priority(dice.random_range(0..priorities)));
    }
    let arena = arena.finish().expect("every vertex has a successor");
    ParityGame::new(arena, all).expect("as many priorities as vertices")
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let solver = words
        .first()
        .and_then(|name| Solver::named(name))
        .expect("the name of a solver");
    let number = |at: usize, otherwise: u64| {
        words
            .get(at)
            .map_or(otherwise, |word| word.parse().expect("a number"))
    };
    let threads = Threads::new(number(1, 1) as usize);
    let game = random(number(2, 1_000_000) as u32, number(3, 3) as u32, 1);
    let run = || {
        let begun = Instant::now();
        let solved = solve_directly(&game, solver, threads, &Budget::unlimited());
        assert!(solved.is_ok());
        begun.elapsed().as_secs_f64()
    };
    let best = (0..number(4, 3)).map(|_| run()).fold(f64::INFINITY, f64::min);
    println!("{best:.3} s");
}
