//! Translates every formula of the given files, checks each automaton against the formula, and prints sizes and times.
//!
//! `cargo run --release --example crosscheck -- known.ltl new.ltl`: one formula a line, Spot's or SPIN's syntax. For each
//! acceptance the automaton must exclude the negation and agree with the definitions on random words.

use entail_automata::ltl::syntax::parse_any;
use entail_automata::services::cross_check;
use entail_automata::{Preference, Target, Translation, translate};
use entail_budget::Budget;
use std::time::{Duration, Instant};

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for target in [Target::GeneralizedBuchi, Target::StateBuchi, Target::Parity] {
            let how = Translation {
                target,
                preference: Preference::Small,
            };
            let (mut states, mut formulas, mut seconds, mut slowest, mut given_up, mut wrong) =
                (0, 0, 0.0, 0.0f64, 0, 0);
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let formula = match parse_any(line) {
                    Ok(formula) => formula,
                    Err(errors) => {
                        println!("{line}: {errors}");
                        continue;
                    }
                };
                let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(10)));
                let start = Instant::now();
                let result = translate(&formula, how, &budget);
                let taken = start.elapsed().as_secs_f64();
                seconds += taken;
                slowest = slowest.max(taken);
                formulas += 1;
                match result {
                    Ok(automaton) => {
                        states += automaton.state_count();
                        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(10)));
                        if let Ok(Some(word)) = cross_check(&formula, &automaton, 20, 1, &budget) {
                            wrong += 1;
                            println!("{line}: wrong on {word}");
                        }
                    }
                    Err(error) => {
                        given_up += 1;
                        println!("{line}: {error}");
                    }
                }
            }
            println!(
                "{path} {target:?}: {formulas} formulas, {states} states, {seconds:.3} s (slowest {slowest:.3} s), \
                 {given_up} given up, {wrong} wrong"
            );
        }
    }
}
