//! Checks the properties of an SMV file and prints verdicts and times.
//!
//! `cargo run --release --example smv_bench -p entail-symbolic -- [--timeout 60] [--check] [--verbose] file.smv…`

use entail_budget::{Budget, Progress, Silent, Snapshot};
use entail_evidence::{CheckOptions, Engine, Verdict};
use entail_symbolic::{InitialOrder, Reordering, Search, SymbolicEngine, SymbolicOptions};
use entail_systems_checker::check_outcome;
use std::time::{Duration, Instant};

struct Loud(Instant);

impl Progress for Loud {
    fn report(&self, snapshot: &Snapshot) {
        eprintln!("  {:7.2} {snapshot}", self.0.elapsed().as_secs_f64());
    }
}

fn main() {
    let mut options = SymbolicOptions::default();
    let (mut timeout, mut check, mut verbose) = (60, false, false);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            arguments
                .next()
                .and_then(|value| value.parse::<usize>().ok())
                .expect("a number")
        };
        match argument.as_str() {
            "--timeout" => timeout = number() as u64,
            "--cluster" => options.cluster_size = number(),
            "--first" => options.first_reordering = number(),
            "--check" => check = true,
            "--verbose" => verbose = true,
            "--saturate" => options.search = Search::Saturation,
            "--conjunctive" => options.disjunctive = false,
            "--declared" => options.order = InitialOrder::Declared,
            "--static" => options.reordering = Reordering::None,
            _ => files.push(argument),
        }
    }
    for file in files {
        let start = Instant::now();
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let model = match entail_smv::read(&entail_source::Source::new(file.as_str(), text.as_str())) {
            Ok(model) => model,
            Err(problems) => {
                println!("{file}\tunreadable\t{problems:?}");
                continue;
            }
        };
        let read = start.elapsed();
        let engine = SymbolicEngine::with_options(options.clone());
        let check_options = CheckOptions::default();
        let mut session = engine.open(&model.system, &check_options);
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(timeout)));
        let loud = Loud(Instant::now());
        let progress: &dyn Progress = if verbose { &loud } else { &Silent };
        for property in &model.properties {
            let begin = Instant::now();
            let outcome = session.check(property, &budget, progress);
            let seconds = begin.elapsed().as_secs_f64();
            match outcome {
                Ok(outcome) => {
                    let verdict = match outcome.verdict {
                        Verdict::Holds => "true",
                        Verdict::Fails => "false",
                        Verdict::Unknown => "unknown",
                    };
                    let mut line = format!("{file}\t{}\t{verdict}\t{seconds:.2}", property.text);
                    if let Some(value) = &outcome.value {
                        line += &format!("\t{value:?}");
                    }
                    if let Some(reason) = &outcome.reason {
                        line += &format!("\t{reason}");
                    }
                    if verbose {
                        line += &format!("\t{:?}", outcome.statistics);
                    }
                    if check {
                        let small = Budget::unlimited().with_timeout(Some(Duration::from_secs(10)));
                        let report = check_outcome(&model.system, property, &outcome, &check_options, &small);
                        line += &format!("\t{report}");
                    }
                    println!("{line}");
                }
                Err(error) => println!("{file}\t{}\terror\t{seconds:.2}\t{error}", property.text),
            }
        }
        println!(
            "{file}\tTOTAL\t-\t{:.2}\tread {:.2}",
            start.elapsed().as_secs_f64(),
            read.as_secs_f64()
        );
    }
}
