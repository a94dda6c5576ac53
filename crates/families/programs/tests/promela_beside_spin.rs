//! Random Promela programs beside SPIN, where it and a C compiler are installed: the same verdicts and the same numbers of states.
//! `SPIN_PROGRAMS=100` compares more of them.

use entail_explicit::SearchOptions;
use entail_programs::ProgramModel;
use entail_source::Source;
use std::path::Path;
use std::process::Command;
use told::{ProgramRequest, check_program};

mod random_programs;
mod told;

/// Whether SPIN finds an error without reduction, and how many states it stores; nothing if it gives up.
fn spin(folder: &Path, text: &str) -> Option<(bool, u64)> {
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
        eprintln!("SPIN refuses a program: {}", said.lines().next().unwrap_or(""));
        return None;
    }
    run(
        "gcc",
        &["-w", "-O0", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"],
    )?;
    // SPIN itself may run for ever on some of them.
    let report = run("timeout", &["10", "./pan", "-m20000"])?;
    if report.contains("max search depth too small") {
        return None;
    }
    let errors = report.split("errors: ").nth(1)?.split_whitespace().next()?;
    let states = report
        .split(" states, stored")
        .next()?
        .split_whitespace()
        .last()?;
    Some((errors != "0", states.parse().ok()?))
}

#[test]
fn verdicts_and_state_counts_are_those_of_spin() {
    compare(random_programs::program);
}

#[test]
fn so_they_are_with_escapes_priorities_provided_clauses_and_traces() {
    compare(random_programs::spiced);
}

fn compare(program: fn(u64) -> String) {
    if Command::new("spin").arg("-V").output().is_err()
        || Command::new("gcc").arg("--version").output().is_err()
    {
        eprintln!("SPIN or gcc is not installed: nothing compared");
        return;
    }
    let programs: u64 = std::env::var("SPIN_PROGRAMS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(3);
    let folder = tempfile::tempdir().expect("a folder for SPIN's files");
    let mut differences = Vec::new();
    let mut compared = 0;
    let first: u64 = std::env::var("SPIN_FIRST")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1_000);
    for seed in first..first + programs {
        let text = program(seed);
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let request = ProgramRequest {
            requirements: vec![0],
            options: SearchOptions {
                reduction: false,
                ..SearchOptions::default()
            },
            timeout: Some(std::time::Duration::from_secs(20)),
        };
        let answers = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let outcome = &answers[0];
        let (Some((error, states)), Some(holds)) = (spin(folder.path(), &text), outcome.holds) else {
            continue;
        };
        compared += 1;
        if error == holds || holds && outcome.states != states {
            differences.push(format!(
                "seed {seed}: SPIN {} with {states} states, Entail {} with {} ({:?})\n{text}",
                if error { "fails" } else { "holds" },
                if holds { "holds" } else { "fails" },
                outcome.states,
                outcome.reason
            ));
        }
    }
    eprintln!("{compared} of {programs} programs compared");
    assert!(
        differences.is_empty(),
        "{compared} compared\n{}",
        differences.join("\n")
    );
}
