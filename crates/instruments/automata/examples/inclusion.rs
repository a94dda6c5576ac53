//! How long inclusion and equivalence of random Büchi automata take.
//!
//! `cargo run --release --example inclusion -- STATES [PAIRS [PERCENT]]` (so many edges are marked, 50 unless told): for several densities, inclusion between independent automata `a` and
//! `b`, and equivalence of `a` with an automaton that has an unrelated one beside it and is therefore seldom the same.

use entail_automata::algebra::product::union;
use entail_automata::decide::inclusion::{difference_word, separating_word};
use entail_automata::ltl::random::Random;
use entail_automata::random_automaton::RandomAutomaton;
use entail_automata::{Acceptance, AutomataError};
use entail_budget::Budget;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a number"));
    let states: usize = arguments.next().unwrap_or(50);
    let pairs: usize = arguments.next().unwrap_or(10);
    let marked: usize = arguments.next().unwrap_or(50);
    let mut random = Random::new(1);
    for edges in [2, 3, 4, 6] {
        let shape = RandomAutomaton {
            states,
            propositions: 1,
            edges,
            acceptance: (Acceptance::buchi(), 1),
            marked,
        };
        let (mut yes, mut no, mut unknown) = (0, 0, 0);
        let mut longest: f64 = 0.0;
        let start = Instant::now();
        for _ in 0..pairs {
            let a = shape.draw(&mut random).expect("within limits");
            let b = shape.draw(&mut random).expect("within limits");
            let both = union(&a, &b).expect("within limits");
            for question in 0..3 {
                let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
                let begun = Instant::now();
                let answer = match question {
                    0 => difference_word(&a, &b, &budget),
                    1 => difference_word(&both, &a, &budget),
                    _ => separating_word(&both, &b, &budget),
                };
                longest = longest.max(begun.elapsed().as_secs_f64());
                match answer {
                    Ok(None) => yes += 1,
                    Ok(Some(_)) => no += 1,
                    Err(AutomataError::Spent(_)) => unknown += 1,
                    Err(error) => println!("{error}"),
                }
            }
        }
        println!(
            "{states} states, {edges} edges each: {yes} yes, {no} no, {unknown} unknown; {:.2} s in all, longest {longest:.2} s",
            start.elapsed().as_secs_f64()
        );
    }
}
