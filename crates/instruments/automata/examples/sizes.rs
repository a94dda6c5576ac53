//! Sizes of translated automata beside those another tool reached.
//!
//! `cargo run --release --example sizes -- patterns.tsv [worst]`: the table has a header and the columns family, index,
//! negated, formula, then states and transitions for: generalized Büchi, the same preferring determinism, Büchi (on
//! states), the same preferring determinism. Prints the sums by family and the formulas where we are worse.

use entail_automata::ltl::syntax::{Syntax, parse};
use entail_automata::translate::pipeline::{Preference, Target, Translation, translate};
use entail_budget::Budget;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const KINDS: [(&str, Target, Preference); 4] = [
    ("generalized", Target::GeneralizedBuchi, Preference::Small),
    (
        "generalized, det.",
        Target::GeneralizedBuchi,
        Preference::Deterministic,
    ),
    ("Büchi", Target::StateBuchi, Preference::Small),
    ("Büchi, det.", Target::StateBuchi, Preference::Deterministic),
];

fn main() {
    let path = std::env::args().nth(1).expect("the table's path");
    let worst: usize = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(10);
    let text = std::fs::read_to_string(path).expect("a readable table");
    let mut sums: BTreeMap<(usize, String), [f64; 6]> = BTreeMap::new();
    let mut offenders: Vec<(f64, String)> = Vec::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let formula = parse(columns[3], Syntax::Spot).expect(columns[3]);
        for (kind, (name, target, preference)) in KINDS.iter().enumerate() {
            let theirs =
                [4 + 2 * kind, 5 + 2 * kind].map(|column| columns[column].parse::<f64>().unwrap_or(0.0));
            let start = Instant::now();
            let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
            let how = Translation {
                target: *target,
                preference: *preference,
            };
            let result = translate(&formula, how, &budget);
            let seconds = start.elapsed().as_secs_f64();
            let (states, transitions) = match &result {
                Ok(automaton) => (automaton.state_count() as f64, automaton.transition_count()),
                Err(error) => {
                    println!("{name}: {}: {error}", columns[3]);
                    (0.0, 0.0)
                }
            };
            let sum = sums.entry((kind, columns[0].to_string())).or_default();
            for (total, value) in
                sum.iter_mut()
                    .zip([states, transitions, theirs[0], theirs[1], seconds, 1.0])
            {
                *total += value;
            }
            if states > theirs[0] {
                let text = format!(
                    "{name} {}-{}{}: {states}/{transitions} beside {}/{} ({seconds:.3} s): {}",
                    columns[0],
                    columns[1],
                    if columns[2] == "yes" { " negated" } else { "" },
                    theirs[0],
                    theirs[1],
                    columns[3]
                );
                offenders.push((states - theirs[0], text));
            }
        }
    }
    for (kind, (name, ..)) in KINDS.iter().enumerate() {
        println!("{name}");
        let mut total = [0.0; 6];
        for ((_, family), sum) in sums.iter().filter(|((k, _), _)| *k == kind) {
            print(family, sum);
            for (all, value) in total.iter_mut().zip(sum) {
                *all += value;
            }
        }
        print("total", &total);
    }
    offenders.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, text) in offenders.iter().take(worst) {
        println!("{text}");
    }
}

fn print(name: &str, sum: &[f64; 6]) {
    println!(
        "  {name:16} {:4} formulas: states {:6} (peer {:6}), transitions {:8} (peer {:8}), {:.3} s",
        sum[5], sum[0], sum[2], sum[1], sum[3], sum[4]
    );
}
