//! Growth curves: satisfiability of Rozier and Vardi's counter formulas.
//!
//! `cargo run --release --example growth -- 8`: counters of 1 to 8 bits (their only models have period `n 2^n`).

use entail_automata::ltl::syntax::{Syntax, parse};
use entail_automata::services::satisfying_word;
use entail_budget::Budget;
use std::time::{Duration, Instant};

fn counter(bits: usize) -> String {
    let after = |steps: usize, what: &str| format!("{}({what})", "X ".repeat(steps));
    let mut parts = vec!["m".to_string()];
    let mut marker = vec![];
    for step in 1..bits {
        marker.push(after(step, "!m"));
    }
    marker.push(after(bits, "m"));
    parts.push(format!("G(m -> ({}))", marker.join(" & ")));
    for step in 0..bits {
        parts.push(after(step, "!b"));
    }
    let same = format!("((b -> {}) & (!b -> {}))", after(bits, "b"), after(bits, "!b"));
    parts.push(format!(
        "G((m & !b) -> ({} & X ((!m & {same}) U m)))",
        after(bits, "b")
    ));
    parts.push(format!(
        "G((m & b) -> ({} & X ((b & !m & {}) U (m | (!m & !b & {} & X ((!m & {same}) U m))))))",
        after(bits, "!b"),
        after(bits, "!b"),
        after(bits, "b")
    ));
    parts.join(" & ")
}

fn main() {
    let largest: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(6);
    for bits in 1..=largest {
        let formula = parse(&counter(bits), Syntax::Spot).expect("well formed");
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
        let start = Instant::now();
        match satisfying_word(&formula, &budget) {
            Ok(Some(word)) => println!(
                "{bits} bits: satisfiable, period {}, {:.3} s",
                word.cycle.len(),
                start.elapsed().as_secs_f64()
            ),
            Ok(None) => println!("{bits} bits: unsatisfiable?!"),
            Err(error) => println!("{bits} bits: {error}"),
        }
    }
}
