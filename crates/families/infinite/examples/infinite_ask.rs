//! Answers a script or decides a system, without the rest of the program:
//! `cargo run --release -p entail-unbounded --example infinite_ask -- smt FILE --timeout 5s`, or `check FILE [--engine kind,ic3ia]`, with engines that
//! take turns. The answers of a script are printed as they come; the verdicts of a system as the smallest document that a benchmark script reads.

use entail_answer::Verdict;
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_unbounded::{FAMILY, ScriptOptions, run_script};
use std::path::Path;
use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, path, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: ask smt|check FILE [--timeout 5s]");
        std::process::exit(64);
    };
    let option = |name: &str| rest.get(1 + rest.iter().position(|word| word == name)?);
    let seconds = option("--timeout").and_then(|text| text.trim_end_matches('s').parse().ok());
    let seconds = seconds.unwrap_or(60.0);
    let engines: Vec<&str> = option("--engine")
        .map_or("kind,ic3mbp,ic3ia", |text| text.as_str())
        .split(',')
        .collect();
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs_f64(seconds)));
    let bytes = std::fs::read(path).expect("a file");
    if command == "smt" {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let outcome = run_script(&text, ScriptOptions::default(), &budget, &mut |line| {
            println!("{line}")
        });
        for note in outcome.notes.iter().chain(&outcome.internal) {
            eprintln!("{note}");
        }
        return;
    }
    let language = FAMILY
        .languages
        .iter()
        .find(|language| language.claims(Path::new(path), Some(&bytes)))
        .expect("a language");
    let options = Options::default();
    let input = Input {
        name: path,
        path: Path::new(path),
        bytes: &bytes,
        language,
        options: &options,
        budget: &budget,
    };
    let model = match (FAMILY.load)(&input) {
        Ok(model) => model,
        Err(error) => {
            eprintln!("{error:?}");
            std::process::exit(65);
        }
    };
    let mut said = Vec::new();
    for (property, heading) in model.properties().iter().enumerate() {
        let Ok(mut session) = model.open(&options, false) else {
            std::process::exit(64)
        };
        let (mut verdict, mut reason) = (Verdict::Unknown, String::new());
        for (turn, engine) in engines.iter().enumerate() {
            let left = budget.time_left().unwrap_or_default();
            let part = budget.part(left / (engines.len() - turn) as u32);
            match session.check(engine, property, &part, &Silent) {
                Ok(answer) => (verdict, reason) = (answer.verdict, format!("{engine}: {:?}", answer.reason)),
                Err(_) => reason = "an error of the model".to_owned(),
            }
            if verdict != Verdict::Unknown {
                break;
            }
        }
        eprintln!(
            "{}: {verdict:?} {reason}",
            heading.text.chars().take(60).collect::<String>()
        );
        said.push(format!(
            "{{\"verdict\": \"{}\"}}",
            format!("{verdict:?}").to_lowercase()
        ));
    }
    println!("{{\"properties\": [{}]}}", said.join(", "));
}
