//! What reductions leave out and what that costs: for each Promela file, the states, steps and seconds of a search for safety without reduction, with sleep sets, with persistent sets and with both; for each requirement about infinite runs, the pairs, steps and seconds on one
//! thread and on two, without reduction.
//!
//! ```text
//! cargo run --release -p entail-programs --example reductions -- model.pml …
//! ```

use entail_answer::Verdict;
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, Order, ProgramEngine, SearchOptions};
use entail_program::RequirementKind;
use entail_programs::{Preprocessing, ProgramModel};
use std::path::Path;
use std::time::{Duration, Instant};

/// Nothing is searched for longer.
const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    println!("search\tstates\tsteps\tseconds\tverdict\tfile");
    for file in std::env::args().skip(1) {
        let Ok(model) = ProgramModel::load(Path::new(&file), Preprocessing::default()) else {
            println!("-\t-\t-\t-\tnot read\t{file}");
            continue;
        };
        for (number, requirement) in model.requirements().iter().enumerate() {
            let searches: &[(&str, bool, bool, Order, usize)] = match requirement.question {
                RequirementKind::Safety => &[
                    ("bfs, all steps", false, false, Order::BreadthFirst, 1),
                    ("bfs, sleep", false, true, Order::BreadthFirst, 1),
                    ("bfs, persistent", true, false, Order::BreadthFirst, 1),
                    ("dfs, all steps", false, false, Order::DepthFirst, 1),
                    ("dfs, sleep", false, true, Order::DepthFirst, 1),
                    ("dfs, persistent", true, false, Order::DepthFirst, 1),
                    ("dfs, both", true, true, Order::DepthFirst, 1),
                ],
                _ => &[
                    ("cycles, one thread", false, false, Order::BreadthFirst, 1),
                    ("cycles, two threads", false, false, Order::BreadthFirst, 2),
                ],
            };
            for &(name, reduction, sleep_sets, order, threads) in searches {
                let engine = ProgramEngine {
                    options: SearchOptions {
                        reduction,
                        sleep_sets,
                        order,
                        cycle_threads: threads,
                        ..SearchOptions::default()
                    },
                    closing: Closing::Never,
                    ..ProgramEngine::default()
                };
                let budget = Budget::unlimited().with_timeout(Some(LIMIT));
                let begun = Instant::now();
                let answer = engine.check(model.program(), requirement, &budget, &Silent);
                let seconds = begun.elapsed().as_secs_f64();
                let count = |name| answer.statistics.count(name).unwrap_or(0);
                let verdict = match answer.verdict {
                    Verdict::Holds => "holds",
                    Verdict::Fails => "fails",
                    Verdict::Unknown => "unknown",
                };
                println!(
                    "{name}\t{}\t{}\t{seconds:.3}\t{verdict}\t{file} {}",
                    count("states"),
                    count("transitions"),
                    number + 1
                );
            }
        }
    }
}
