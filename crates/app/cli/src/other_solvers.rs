//! Other SMT solvers: programs that read a script from standard input. Found on PATH, never needed.

use crate::failure::CommandError;
use entail_budget::Budget;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How often a running solver is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A solver's name, its program, and the arguments with which it reads a script from standard input.
const KNOWN: [(&str, &str, &[&str]); 5] = [
    ("z3", "z3", &["-in", "-smt2"]),
    ("cvc5", "cvc5", &["--lang", "smt2", "--incremental"]),
    ("yices", "yices-smt2", &["--incremental"]),
    ("bitwuzla", "bitwuzla", &["--lang", "smt2"]),
    ("mathsat", "mathsat", &["-input=smt2"]),
];

/// A solver that can be started.
#[derive(Clone, Debug)]
pub struct OtherSolver {
    /// What it is called.
    pub name: String,
    program: String,
    arguments: &'static [&'static str],
}

/// What a solver printed.
#[derive(Clone, Debug)]
pub struct Said {
    /// Standard output.
    pub text: String,
    /// Whether it was stopped because the time was over.
    pub is_stopped: bool,
}

impl Said {
    /// The answers to `check-sat`, in their order.
    pub fn answers(&self) -> Vec<&str> {
        answers(&self.text)
    }
}

/// The answers to `check-sat` in what a solver printed.
pub fn answers(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown"))
        .collect()
}

impl OtherSolver {
    /// The solver of a name, or a program at a path.
    pub fn named(name: &str) -> Result<OtherSolver, CommandError> {
        if let Some((name, program, arguments)) = KNOWN.iter().find(|(known, _, _)| *known == name) {
            return Ok(OtherSolver {
                name: (*name).to_owned(),
                program: (*program).to_owned(),
                arguments,
            });
        }
        if Path::new(name).components().count() < 2 {
            let names: Vec<&str> = KNOWN.iter().map(|(name, _, _)| *name).collect();
            return Err(CommandError::usage(format!(
                "there is no solver `{name}`; there are {}, `all`, and paths of programs that read a script from standard input",
                names.join(", ")
            )));
        }
        Ok(OtherSolver {
            name: name.to_owned(),
            program: name.to_owned(),
            arguments: &[],
        })
    }

    /// The solvers of known names that are on PATH.
    pub fn installed() -> Vec<OtherSolver> {
        let all = KNOWN
            .iter()
            .filter_map(|(name, _, _)| OtherSolver::named(name).ok());
        all.filter(|solver| solver.version().is_some()).collect()
    }

    /// The first line of what it says about itself; none if it cannot be started.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(&self.program)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(text.lines().next().unwrap_or_default().to_owned())
    }

    /// Has it answer a script.
    pub fn run(&self, script: &str, budget: &Budget) -> Result<Said, CommandError> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => CommandError::usage(format!(
                "{} is not installed: there is no `{}`",
                self.name, self.program
            )),
            _ => CommandError::input(format!("cannot run {}: {error}", self.program)),
        };
        let mut child = Command::new(&self.program)
            .args(self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let text = script.to_owned();
        // A solver that stops reading closes the pipe; what it says counts all the same.
        let writer = std::thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        let reader = std::thread::spawn(move || {
            let mut said = Vec::new();
            if let Some(mut output) = output {
                let _ = output.read_to_end(&mut said);
            }
            String::from_utf8_lossy(&said).into_owned()
        });
        let is_stopped = loop {
            if child.try_wait().map_err(failed)?.is_some() {
                break false;
            }
            if budget.check_now().is_err() {
                let _ = child.kill();
                let _ = child.wait();
                break true;
            }
            std::thread::sleep(LOOK_EVERY);
        };
        let _ = writer.join();
        let text = reader.join().unwrap_or_default();
        Ok(Said { text, is_stopped })
    }
}
