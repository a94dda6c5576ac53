//! States, transitions and determinism of the automaton of each formula of a file, one line a formula.
//!
//! `cargo run --release --example stats -- FILE generalized|buchi|parity`: the counterpart of `ltl2tgba -F FILE --stats='%s %t %d'`, with
//! the seconds taken as a fourth column. `bench/ltl/beside_spot.py` compares the two.

use entail_automata::ltl::syntax::parse_any;
use entail_automata::{Preference, Target, Translation, translate};
use entail_budget::Budget;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, target] = &arguments[..] else {
        panic!("usage: stats FILE generalized|buchi|parity");
    };
    let how = match target.as_str() {
        "parity" => Translation {
            target: Target::Parity,
            preference: Preference::Deterministic,
        },
        "buchi" => Translation {
            target: Target::StateBuchi,
            preference: Preference::Small,
        },
        _ => Translation::default(),
    };
    let text = std::fs::read_to_string(path).expect("a readable file");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let formula = parse_any(line).expect(line);
        let start = Instant::now();
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(60)));
        match translate(&formula, how, &budget) {
            Ok(automaton) => println!(
                "{} {} {} {:.6}",
                automaton.state_count(),
                automaton.transition_count(),
                u8::from(automaton.is_deterministic()),
                start.elapsed().as_secs_f64()
            ),
            Err(error) => println!("- - - {error}"),
        }
    }
}
