//! Answers a script or decides a system, without the rest of the program:
//! `cargo run --release -p entail-unbounded --example ask -- smt FILE --timeout 5s`, or `check FILE`. The answers of a script are printed
//! as they come; the verdicts of a system as the smallest document that a benchmark script reads.

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
    let seconds = (rest.iter().position(|word| word == "--timeout"))
        .and_then(|at| rest.get(at + 1)?.trim_end_matches('s').parse().ok())
        .unwrap_or(60.0);
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
        let part = budget.part(budget.time_left().unwrap_or_default() / 3);
        let mut answer = session.check("kind", property, &part, &Silent);
        if !matches!(&answer, Ok(answer) if answer.verdict != Verdict::Unknown) {
            answer = session.check("ic3mbp", property, &budget, &Silent);
        }
        let (verdict, reason) = match &answer {
            Ok(answer) => (answer.verdict, format!("{:?}", answer.reason)),
            Err(_) => (Verdict::Unknown, "an error of the model".to_owned()),
        };
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
