//! Random SMV models beside NuSMV: the engines that Entail chooses, and one engine taken at random, give NuSMV's verdicts and numbers.
//!
//! Where there is no `NuSMV`, this says so and compares nothing.

mod asked;
mod random_smv;

use asked::engine_names;
use entail::run::{Failure, Request};
use entail_answer::{Guarantee, Quantity, Verdict, WarningKind};
use entail_evidence::DeadEnds;
use random_smv::{Dice, Flavour, RandomSmv, effort, first_seed};
use std::process::Command;
use std::time::Duration;

/// What a tool says of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
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
            number => Said::Value(Quantity::whole(number.parse().ok()?)),
        })
    };
    Ok(answers.filter_map(said).next())
}

/// Entail's answer to the one property of a model; none if it is unknown, or the model has no meaning.
fn entail(text: &str, engine: Option<&str>) -> Option<Said> {
    let model = asked::model(text);
    let request = Request {
        properties: vec![0],
        engine: engine.and_then(asked::engine),
        options: asked::options(DeadEnds::Infinite, (engine == Some("bmc")).then_some(10)),
        timeout: Some(Duration::from_secs(5)),
        ..Request::default()
    };
    let decided = match asked::check(&*model, &request) {
        Ok(mut answers) => answers.remove(0).0,
        Err(Failure::Model(_)) => return None,
        Err(failure) => panic!("{engine:?}: {failure}\n{text}"),
    };
    // Where no path is fair, NuSMV warns and has a number for `MAX` but none for `MIN`: nothing to compare.
    assert!(
        decided.failure.is_none(),
        "{engine:?}: {:?}\n{text}",
        decided.failure
    );
    let answer = decided.answer;
    let mut kinds = answer.warnings.iter().map(|warning| warning.kind);
    let no_fair_path = kinds.any(|kind| kind == WarningKind::NoFairPath);
    match (answer.verdict, answer.value) {
        (_, Some(_)) if no_fair_path => None,
        (Verdict::Unknown, _) => None,
        // Up to a bound nothing was found: no verdict.
        (Verdict::Holds, _) if answer.guarantee != Guarantee::Complete => None,
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
        unfair: false,
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
