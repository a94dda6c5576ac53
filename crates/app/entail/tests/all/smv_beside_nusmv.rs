//! Random SMV models beside NuSMV: the engines that Entail chooses, and one engine taken at random, give NuSMV's verdicts and numbers.
//!
//! Where there is no `NuSMV`, this says so and compares nothing.

use crate::asked;
use crate::random_smv;
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

/// Models for PSL: three truth values that go on in some way of their own.
fn psl_model(dice: &mut Dice) -> String {
    let mut text = "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nASSIGN\n".to_owned();
    for name in ["a", "b", "c"] {
        let next = match dice.roll(5) {
            0 => format!("!{name}"),
            1 => format!("{} & !{}", boolean(dice), boolean(dice)),
            2 => format!(
                "case {} : {}; TRUE : {{TRUE, FALSE}}; esac",
                boolean(dice),
                boolean(dice)
            ),
            3 => boolean(dice),
            _ => continue,
        };
        text += &format!(
            "  init({name}) := {};\n  next({name}) := {next};\n",
            ["TRUE", "FALSE"][dice.roll(2)]
        );
    }
    text
}

fn boolean(dice: &mut Dice) -> String {
    let name = dice.pick(&["a", "b", "c"]);
    match dice.roll(5) {
        0 => format!("(!{name})"),
        1 => format!("({name} | {})", dice.pick(&["a", "b", "c"])),
        _ => name.to_owned(),
    }
}

/// A sequence that NuSMV reads; what it repeats without a bound it reads in some places only.
fn sequence(dice: &mut Dice, unbounded: bool, depth: u32) -> String {
    let parts = 1 + dice.roll(3);
    let part = |dice: &mut Dice| match dice.roll(if unbounded { 7 } else { 5 }) {
        0 => format!("{}[*2]", boolean(dice)),
        1 if depth > 0 => {
            let operator = dice.pick(&["|", "&&", "&"]);
            let (left, right) = (
                sequence(dice, unbounded, depth - 1),
                sequence(dice, unbounded, depth - 1),
            );
            format!("{{{{{left}}} {operator} {{{right}}}}}")
        }
        5 => format!("{}[*]", boolean(dice)),
        6 => format!("{}[+]", boolean(dice)),
        _ => boolean(dice),
    };
    let mut all: Vec<String> = (0..parts).map(|_| part(dice)).collect();
    // (The empty match is another story in every tool.)
    all.push(boolean(dice));
    all.join("; ")
}

/// A property of the fragment of PSL that NuSMV decides.
fn psl_property(dice: &mut Dice) -> String {
    let binary = |dice: &mut Dice| {
        let operator = dice.pick(&[
            "until", "until!", "until_", "until!_", "before", "before!", "before_", "before!_",
        ]);
        format!("({} {operator} {})", boolean(dice), boolean(dice))
    };
    match dice.roll(9) {
        0 => format!(
            "always ({{{}}} |-> {{{}}}!)",
            sequence(dice, false, 1),
            sequence(dice, true, 1)
        ),
        1 => format!(
            "always ({{{}}} |=> {{{}}}!)",
            sequence(dice, false, 1),
            sequence(dice, true, 1)
        ),
        2 => format!(
            "{{{}}} |-> {{{}}}!",
            sequence(dice, false, 1),
            sequence(dice, true, 1)
        ),
        3 => format!("never {{{}}}", sequence(dice, true, 1)),
        4 => format!("eventually! {{{}}}", sequence(dice, false, 1)),
        5 => binary(dice),
        6 => format!("always ({} -> {})", boolean(dice), binary(dice)),
        7 => format!(
            "always ({} -> next_event{}({})({}))",
            boolean(dice),
            ["", "!"][dice.roll(2)],
            boolean(dice),
            boolean(dice)
        ),
        _ => format!(
            "always ({} -> next[{}]({}))",
            boolean(dice),
            1 + dice.roll(3),
            boolean(dice)
        ),
    }
}

/// How many properties of PSL are compared.
const PSL_PROPERTIES: u64 = 40;

#[test]
fn verdicts_about_psl_are_those_of_nusmv() {
    if Command::new("NuSMV").arg("-h").output().is_err() {
        println!("skipped: there is no NuSMV");
        return;
    }
    let (mut compared, mut without_answer) = (0, 0);
    let first = first_seed();
    for seed in first..first + PSL_PROPERTIES * effort() {
        let mut dice = Dice::new(seed);
        let model = psl_model(&mut dice);
        let text = format!("{model}PSLSPEC {};\n", psl_property(&mut dice));
        match (nusmv(&text).expect("NuSMV can be run"), entail(&text, None)) {
            (Some(expected), Some(found)) => {
                assert_eq!(found, expected, "seed {seed}; NuSMV says {expected:?}\n{text}");
                compared += 1;
            }
            _ => without_answer += 1,
        }
    }
    println!("{compared} answers about PSL compared, {without_answer} times somebody had none");
    assert!(compared > without_answer);
}
