//! Random SMV models written in other formats and read back: what the format can say has the same verdict there.

use crate::asked;
use crate::random_smv;
use entail::run::{Failure, Request};
use entail_answer::Verdict;
use entail_family::{Model, Options};
use random_smv::{Dice, Flavour, RandomSmv, effort, first_seed};
use std::time::Duration;

/// The verdict on the only property, or none.
fn verdict(model: &dyn Model, property: usize, what: &str) -> Option<Verdict> {
    let request = Request {
        properties: vec![property],
        timeout: Some(Duration::from_secs(5)),
        ..Request::default()
    };
    match asked::check(model, &request) {
        Ok(mut answers) => {
            let decided = answers.remove(0).0;
            assert!(decided.failure.is_none(), "{what}: {:?}", decided.failure);
            Some(decided.answer.verdict).filter(|verdict| *verdict != Verdict::Unknown)
        }
        Err(Failure::Model(_)) => None,
        Err(failure) => panic!("{what}: {failure}"),
    }
}

/// How many models are converted.
const MODELS: u64 = 40;

#[test]
fn conversions_keep_verdicts() {
    let flavour = Flavour {
        branching_paths: false,
        inputs_in_formulas: false,
        unfair: false,
    };
    let formats = [
        ("smv", "smv"),
        ("aag", "aiger"),
        ("aig", "aiger"),
        ("btor2", "btor2"),
    ];
    let mut compared = [0; 4];
    let first = first_seed();
    for seed in first..first + MODELS * effort() {
        let mut dice = Dice::new(seed);
        let random = RandomSmv::new(&mut dice, flavour, 2);
        for specification in &random.specifications {
            let text = format!("{}{specification}\n", random.model);
            let model = asked::model(&text);
            let Some(expected) = verdict(&*model, 0, &text) else {
                continue;
            };
            for (number, (format, language)) in formats.into_iter().enumerate() {
                let converted = (model.write(format, &Options::default()))
                    .expect("a format of the family")
                    .unwrap_or_else(|error| panic!("seed {seed}, {format:?}: {error}\n{text}"));
                let shown = String::from_utf8_lossy(&converted.bytes).into_owned();
                let read = asked::read_bytes(&converted.bytes, language)
                    .unwrap_or_else(|error| panic!("seed {seed}, {format:?}: {error}\n{text}\n{shown}"));
                // What the format cannot say is left out, and named.
                if read.properties().is_empty() {
                    assert!(
                        !converted.notes.is_empty() || format == "smv" && shown.contains("-- neither"),
                        "seed {seed}, {format:?}: nothing says what was left out\n{text}\n{shown}"
                    );
                    continue;
                }
                let what = format!("seed {seed}, {format:?}\n{text}\n{shown}");
                if let Some(found) = verdict(&*read, 0, &what) {
                    assert_eq!(found, expected, "{what}");
                    compared[number] += 1;
                }
            }
        }
    }
    println!("compared, by format: {compared:?}");
    assert!(compared.iter().all(|&count| count > 5), "{compared:?}");
}
