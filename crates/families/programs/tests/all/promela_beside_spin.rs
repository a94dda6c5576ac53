//! Random Promela programs beside SPIN, where it and a C compiler are installed: the same verdicts and the same numbers of states.
//! With `ENTAIL_EFFORT=n` n times as many are compared; `SPIN_FIRST=n` begins with another one.

use entail_explicit::SearchOptions;
use entail_programs::ProgramModel;
use entail_source::Source;
use std::path::Path;
use std::process::Command;
use told::{ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Safety, with the numbers of states.
    Safety,
    /// The never claim; assertions are asked for separately.
    Claim,
}

/// What SPIN says.
enum Said {
    /// Whether there is an error without reduction, and how many states are stored.
    Verdict(bool, u64),
    /// It refuses the program.
    Refused(String),
    /// It gives up, or finds an error that was not asked for.
    Nothing,
}

fn spin(folder: &Path, text: &str, asked: Asked) -> Option<Said> {
    std::fs::write(folder.join("model.pml"), text).ok()?;
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .output()
            .ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // SPIN refuses some programs; nothing of the last one may be left then.
    for old in ["pan.c", "pan"] {
        let _ = std::fs::remove_file(folder.join(old));
    }
    let said = run("spin", &["-a", "model.pml"])?;
    if !folder.join("pan.c").exists() {
        let error = said.lines().find(|line| !line.contains("dubious"));
        return Some(Said::Refused(error.unwrap_or("").to_owned()));
    }
    let mut flags = vec!["-w", "-O0", "-DNOREDUCE", "-o", "pan", "pan.c"];
    if asked == Asked::Safety {
        flags.push("-DSAFETY");
    }
    run("gcc", &flags)?;
    // SPIN itself may run for ever on some of them.
    let mut flags = vec!["10", "./pan", "-m20000"];
    if asked == Asked::Claim {
        flags.extend(["-a", "-A"]);
    }
    let report = run("timeout", &flags)?;
    let expected = ["acceptance cycle", "end state in claim"];
    if report.contains("max search depth too small")
        || asked == Asked::Claim
            && report.contains("pan:1:")
            && !expected.iter().any(|error| report.contains(error))
    {
        return Some(Said::Nothing);
    }
    let errors = report
        .split("errors: ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    let states = report
        .split(" states, stored")
        .next()?
        .split_whitespace()
        .last()
        .and_then(|states| states.parse().ok());
    match (errors, states) {
        (Some(errors), Some(states)) => Some(Said::Verdict(errors != "0", states)),
        _ => Some(Said::Nothing),
    }
}

#[test]
fn verdicts_and_state_counts_are_those_of_spin() {
    compare(random_programs::program, Asked::Safety, 3);
}

#[test]
fn so_they_are_with_escapes_priorities_provided_clauses_and_traces() {
    compare(random_programs::spiced, Asked::Safety, 3);
}

#[test]
fn so_they_are_with_records_values_that_do_not_fit_and_jumps_and_escapes_around_atomic_sequences() {
    compare(random_programs::wild, Asked::Safety, 4);
}

#[test]
fn never_claims_that_look_into_processes_have_the_verdicts_of_spin() {
    compare(random_programs::claimed, Asked::Claim, 3);
}

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

fn compare(program: fn(u64) -> String, asked: Asked, few: u64) {
    if Command::new("spin").arg("-V").output().is_err()
        || Command::new("gcc").arg("--version").output().is_err()
    {
        eprintln!("SPIN or gcc is not installed: nothing compared");
        return;
    }
    let programs = few * number("ENTAIL_EFFORT", 1).max(1);
    let folder = tempfile::tempdir().expect("a folder for SPIN's files");
    let mut differences = Vec::new();
    let (mut compared, mut refused) = (0, 0);
    let first = number("SPIN_FIRST", 1_000);
    for seed in first..first + programs {
        let text = program(seed);
        let model = match ProgramModel::read(Source::new("model.pml", &text)) {
            Ok(model) => model,
            Err(error) => {
                match spin(folder.path(), &text, asked) {
                    Some(Said::Refused(_)) => refused += 1,
                    _ => differences.push(format!("seed {seed} is refused: {error}\n{text}")),
                }
                continue;
            }
        };
        let request = ProgramRequest {
            requirements: vec![usize::from(asked == Asked::Claim)],
            options: SearchOptions {
                reduction: false,
                ..SearchOptions::default()
            },
            timeout: Some(std::time::Duration::from_secs(20)),
        };
        let answers = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let outcome = &answers[0];
        let Some(holds) = outcome.holds else {
            continue;
        };
        let (error, states) = match spin(folder.path(), &text, asked) {
            Some(Said::Verdict(error, states)) => (error, states),
            Some(Said::Refused(error)) => {
                // What is allowed here and not there is said in docs/promela.md.
                eprintln!("SPIN refuses a program: {error}");
                refused += 1;
                continue;
            }
            _ => continue,
        };
        compared += 1;
        let counted = asked == Asked::Safety && holds;
        if error == holds || counted && outcome.states != states {
            differences.push(format!(
                "seed {seed}: SPIN {} with {states} states, Entail {} with {} ({:?})\n{text}",
                if error { "fails" } else { "holds" },
                if holds { "holds" } else { "fails" },
                outcome.states,
                outcome.reason
            ));
        }
    }
    eprintln!("{compared} of {programs} programs compared, {refused} refused");
    assert!(
        differences.is_empty(),
        "{compared} compared\n{}",
        differences.join("\n")
    );
}
