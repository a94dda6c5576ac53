//! Random SMV models beside NuSMV: the engines that Entail chooses, and one engine taken at random, give NuSMV's verdicts and numbers.
//!
//! Where there is no `NuSMV`, this says so and compares nothing.

mod random_smv;

use entail::{Failure, Language, Model, Request, check, engine_names};
use entail_budget::Silent;
use entail_evidence::{CheckOptions, Quantity, Verdict};
use entail_source::Source;
use random_smv::{Dice, Flavour, RandomSmv, effort, first_seed};
use std::process::Command;
use std::time::Duration;

/// What a tool says of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    True,
    False,
    Value(Quantity),
}

/// NuSMV's answer to the one property of a model; none if it gives none.
fn nusmv(text: &str) -> Result<Option<Said>, std::io::Error> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("model.smv");
    std::fs::write(&file, text)?;
    let output = Command::new("NuSMV").arg("-dcx").arg(&file).output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let answers = printed.lines().filter(|line| line.starts_with("-- "));
    let said = |line: &str| -> Option<Said> {
        let (_, answer) = line.rsplit_once("is ")?;
        Some(match answer.trim() {
            "true" => Said::True,
            "false" => Said::False,
            "infinity" => Said::Value(Quantity::Infinite),
            "undefined" => Said::Value(Quantity::Undefined),
            number => Said::Value(Quantity::Finite(number.parse().ok()?)),
        })
    };
    Ok(answers.filter_map(said).next())
}

/// Entail's answer to the one property of a model; none if it is unknown, or the model has no meaning.
fn entail(text: &str, engine: Option<&str>) -> Option<Said> {
    let source = Source::new("random.smv", text);
    let model = Model::read(source, Language::Smv).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let request = Request {
        properties: vec![0],
        engine: engine.map(str::to_owned),
        options: CheckOptions {
            bound: (engine == Some("bmc")).then_some(10),
            ..CheckOptions::default()
        },
        timeout: Some(Duration::from_secs(5)),
        ..Request::default()
    };
    let answer = match check(&model, &request, &Silent, |_| {}) {
        Ok(mut answers) => answers.remove(0),
        Err(Failure::Model(_)) => return None,
        Err(failure) => panic!("{engine:?}: {failure}\n{text}"),
    };
    // Where no path is fair, NuSMV warns and has a number for `MAX` but none for `MIN`: nothing to compare.
    let no_fair_path = |warning: &String| {
        ["no fair path", "no infinite path"]
            .iter()
            .any(|none| warning.contains(none))
    };
    match (answer.outcome.verdict, answer.outcome.value) {
        (_, Some(_)) if answer.outcome.warnings.iter().any(no_fair_path) => None,
        (Verdict::Unknown, _) => None,
        // Up to a bound nothing was found: no verdict.
        (Verdict::Holds, _) if answer.outcome.guarantee != entail_evidence::Guarantee::Complete => None,
        (_, Some(value)) => Some(Said::Value(value)),
        (Verdict::Holds, None) => Some(Said::True),
        (Verdict::Fails, None) => Some(Said::False),
    }
}

/// How many models are compared.
const MODELS: u64 = 40;

#[test]
fn verdicts_are_those_of_nusmv() {
    if Command::new("NuSMV").arg("-h").output().is_err() {
        println!("skipped: there is no NuSMV");
        return;
    }
    let flavour = Flavour {
        branching_paths: false,
        inputs_in_formulas: false,
    };
    let names = engine_names();
    let (mut compared, mut without_answer) = (0, 0);
    let first = first_seed();
    for seed in first..first + MODELS * effort() {
        let mut dice = Dice::new(seed);
        let random = RandomSmv::new(&mut dice, flavour, 3);
        for specification in &random.specifications {
            let text = format!("{}{specification}\n", random.model);
            let Some(expected) = nusmv(&text).expect("NuSMV can be run") else {
                without_answer += 1;
                continue;
            };
            for engine in [None, Some(dice.pick(&names))] {
                match entail(&text, engine) {
                    Some(found) => {
                        assert_eq!(
                            found, expected,
                            "seed {seed}, {engine:?}; NuSMV says {expected:?}\n{text}"
                        );
                        compared += 1;
                    }
                    None => without_answer += 1,
                }
            }
        }
    }
    println!("{compared} answers compared, {without_answer} times somebody had none");
    assert!(compared > without_answer);
}
