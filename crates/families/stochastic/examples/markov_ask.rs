//! Asks a model one question and tells where the time goes, without the rest of the program:
//! `cargo run --release -p entail-stochastic --example markov_ask -- MODEL 'P=? [ F "done" ]' N=3,K=2` (for JANI the name of a property).

use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_stochastic::FAMILY;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, question, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: ask MODEL QUESTION [CONSTANTS [SECONDS [ENGINE]]]");
        std::process::exit(64);
    };
    let mut options = Options::default();
    if let Some(constants) = rest.first().filter(|constants| !constants.is_empty()) {
        options.give("const", constants.clone());
    }
    let seconds = rest.get(1).and_then(|text| text.parse().ok()).unwrap_or(60.0);
    let engine = rest.get(2).map_or("sparse", String::as_str);
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs_f64(seconds)));
    let begun = Instant::now();
    let bytes = std::fs::read(path).expect("a file");
    let language = FAMILY
        .languages
        .iter()
        .find(|language| language.claims(Path::new(path), Some(&bytes)))
        .expect("a language");
    let input = Input {
        name: path,
        path: Path::new(path),
        bytes: &bytes,
        language,
        options: &options,
        budget: &budget,
    };
    let mut model = match (FAMILY.load)(&input) {
        Ok(model) => model,
        Err(error) => {
            println!("error {error}");
            return;
        }
    };
    let named = model
        .properties()
        .iter()
        .position(|heading| heading.name.as_deref() == Some(question));
    let property = match named.map_or_else(|| model.add_property(question, None), Ok) {
        Ok(property) => property,
        Err(error) => {
            println!("error {error}");
            return;
        }
    };
    let read = begun.elapsed();
    let answer = model
        .open(&options, false)
        .expect("options")
        .check(engine, property, &budget, &Silent);
    let decided = begun.elapsed();
    match answer {
        Err(error) => println!("error {error}"),
        Ok(answer) => {
            let report = model
                .checker(&options)
                .expect("options")
                .check(property, &answer, &budget);
            let value = answer
                .value
                .as_ref()
                .map_or(answer.verdict.name().to_owned(), |value| value.to_string());
            let reason = answer.reason.clone().unwrap_or_default();
            println!(
                "{value} {reason} | {:?} | read {:.2} s, decided {:.2} s, checked {:.2} s | {report}",
                answer
                    .statistics
                    .iter()
                    .map(|(name, figure)| format!("{name}={figure:?}"))
                    .collect::<Vec<_>>(),
                read.as_secs_f64(),
                (decided - read).as_secs_f64(),
                (begun.elapsed() - decided).as_secs_f64(),
            );
        }
    }
}
