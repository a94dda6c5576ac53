//! Expectations that stand in the first lines of models, as comments of their language.
//!
//! ```text
//! expect: holds safe reachable               entail check FILE; the properties of these names
//! expect: fails 3                            the third property, which has no name
//! expect: holds depth=10                     a question for a number, with its answer
//! expect --dead-ends stutter: holds 1 2      the same with further options
//! expect minimize FILE: 0 2 states           another command: its exit status, and what it prints
//! ```
//!
//! Lines with the same command belong together, and together they name every property that is decided, once. Whatever stands before
//! `expect` in a line is the sign of a comment; `FILE` stands for the file itself, and commands run in its folder. Files in formats without
//! comments have their lines in `expected.txt` of their folder, after their name.

#![allow(dead_code)] // each test target uses a part of it

use crate::program::{Program, Run};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// What one command is expected to say.
#[derive(Debug)]
pub struct Expectation {
    /// The arguments of the program.
    pub arguments: Vec<String>,
    /// What it should say.
    pub claims: Vec<Claim>,
}

/// One thing that is expected.
#[derive(Debug)]
pub enum Claim {
    /// A property's verdict and, for a question for a number, its value.
    Property {
        name: String,
        verdict: String,
        value: Option<String>,
    },
    /// The exit status, and a text that is printed.
    Output { status: i32, text: String },
}

/// A file with what is expected of it.
#[derive(Debug)]
pub struct Expected {
    /// The file.
    pub path: PathBuf,
    /// The runs.
    pub expectations: Vec<Expectation>,
    /// Lines that say why, in the same comment.
    pub why: Vec<String>,
}

/// What stands before the text of a comment, in all languages (`c` in DIMACS).
const SIGNS: &[char] = &['-', '/', '*', ';', '#', 'c', '%', ' ', '\t', '|'];

/// All files below a folder, in order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a readable folder").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The files below a folder of which something is expected: all but those of the names that are given.
pub fn expected_files(folder: &Path, others: &[&str]) -> Vec<Expected> {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let wanted = |path: &PathBuf| name(path) != "expected.txt" && !others.contains(&name(path).as_str());
    files(folder).into_iter().filter(wanted).map(expected).collect()
}

/// What is expected of a file.
pub fn expected(path: PathBuf) -> Expected {
    let bytes = std::fs::read(&path).expect("a readable file");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let beside = std::fs::read_to_string(path.with_file_name("expected.txt")).unwrap_or_default();
    let beside = beside
        .lines()
        .filter_map(|line| line.strip_prefix(&name)?.strip_prefix(' '));
    let (mut expectations, mut why): (Vec<Expectation>, Vec<String>) = (Vec::new(), Vec::new());
    for line in text.lines().chain(beside) {
        let said = line.trim_start_matches(SIGNS);
        if let Some(reason) = said.strip_prefix("why: ") {
            why.push(reason.trim().to_owned());
        }
        let Some((command, claims)) = split(said) else {
            continue;
        };
        let arguments = arguments(&command, &name);
        let claims = self::claims(&claims, &path);
        match expectations.iter_mut().find(|known| known.arguments == arguments) {
            Some(known) => known.claims.extend(claims),
            None => expectations.push(Expectation { arguments, claims }),
        }
    }
    Expected {
        path,
        expectations,
        why,
    }
}

/// Command and claims of an `expect` line; the colon between them is the first outside of quotes before a blank.
fn split(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("expect")?;
    if !rest.starts_with([':', ' ']) {
        return None;
    }
    let mut quoted = false;
    for (at, letter) in rest.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            ':' if !quoted && rest[at + 1..].starts_with(' ') => {
                let claims = rest[at + 1..].trim().trim_end_matches("*/").trim_end();
                return Some((rest[..at].trim().to_owned(), claims.to_owned()));
            }
            _ => {}
        }
    }
    None
}

/// The words of a command; quotes keep blanks together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for letter in text.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

fn arguments(command: &str, name: &str) -> Vec<String> {
    let words = words(command);
    let is_command = words.first().is_some_and(|word| !word.starts_with('-'));
    let mut all: Vec<String> = match is_command {
        true => Vec::new(),
        false => vec!["check".to_owned(), "FILE".to_owned()],
    };
    all.extend(words);
    for word in &mut all {
        if word == "FILE" {
            *word = name.to_owned();
        }
    }
    all
}

fn claims(text: &str, path: &Path) -> Vec<Claim> {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if let Ok(status) = first.parse() {
        let text = rest.trim().to_owned();
        return vec![Claim::Output { status, text }];
    }
    assert!(
        ["holds", "fails", "unknown"].contains(&first) && !rest.trim().is_empty(),
        "{}: `{text}` is no expectation",
        path.display()
    );
    let property = |word: &str| {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        Claim::Property {
            name: name.to_owned(),
            verdict: first.to_owned(),
            value,
        }
    };
    rest.split_whitespace().map(property).collect()
}

/// A text with single blanks between its words.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

impl Expected {
    fn folder(&self) -> &Path {
        self.path.parent().expect("a file is in a folder")
    }

    /// What is not as expected.
    pub fn problems(&self) -> Vec<String> {
        let name = self.path.display();
        if self.expectations.is_empty() {
            return vec![format!("{name}: nothing is expected of this file")];
        }
        let mut problems = Vec::new();
        for expectation in &self.expectations {
            for problem in expectation.problems(self.folder()) {
                problems.push(format!("{name}: {problem}"));
            }
        }
        problems
    }

    /// Whether the first expectation is about verdicts of the file itself, so that it can be asked of engines one by one.
    pub fn verdicts(&self) -> Option<&Expectation> {
        let is_verdict = |claim: &Claim| matches!(claim, Claim::Property { .. });
        (self.expectations.iter()).find(|one| one.claims.iter().all(is_verdict))
    }
}

impl Expectation {
    /// Runs the program with these arguments and further ones.
    pub fn run(&self, folder: &Path, further: &[&str]) -> Run {
        Program::new()
            .args(&self.arguments)
            .args(further)
            .folder(folder)
            .run()
    }

    fn problems(&self, folder: &Path) -> Vec<String> {
        let is_verdict = |claim: &Claim| matches!(claim, Claim::Property { .. });
        let mut problems = Vec::new();
        if self.claims.iter().any(is_verdict) {
            problems.extend(self.wrong_verdicts(&self.run(folder, &["--json"]), false));
        }
        if !self.claims.iter().all(is_verdict) {
            problems.extend(self.wrong_output(&self.run(folder, &[])));
        }
        problems
    }

    fn command(&self) -> String {
        format!("`entail {}`", self.arguments.join(" "))
    }

    fn wrong_output(&self, run: &Run) -> Vec<String> {
        let mut problems = Vec::new();
        for claim in &self.claims {
            let Claim::Output { status, text } = claim else {
                continue;
            };
            let printed =
                plain(&run.stdout).contains(&plain(text)) || plain(&run.stderr).contains(&plain(text));
            if run.status != *status || !printed {
                problems.push(format!(
                    "{} should end with {status} and print `{text}`, but ends with {}:\n{}{}",
                    self.command(),
                    run.status,
                    run.stdout,
                    run.stderr
                ));
            }
        }
        problems
    }

    /// Verdicts of a run that differ from the expected ones. Where `lenient`, an engine may leave a property open.
    pub fn wrong_verdicts(&self, run: &Run, lenient: bool) -> Vec<String> {
        let command = self.command();
        let Some(json) = run.json() else {
            return vec![format!(
                "{command} ends with {}:\n{}{}",
                run.status, run.stdout, run.stderr
            )];
        };
        let decided = json["properties"].as_array().cloned().unwrap_or_default();
        let mut problems = Vec::new();
        let mut named = vec![0; decided.len()];
        for claim in &self.claims {
            let Claim::Property { name, verdict, value } = claim else {
                continue;
            };
            let is_it =
                |one: &Json| one["name"] == name.as_str() || one["position"].as_u64() == name.parse().ok();
            let Some(at) = decided.iter().position(is_it) else {
                problems.push(format!("{command} decides no property `{name}`"));
                continue;
            };
            named[at] += 1;
            let found = decided[at]["verdict"].as_str().unwrap_or("");
            if found != verdict && !(lenient && found == "unknown") {
                let reason = &decided[at]["reason"];
                problems.push(format!(
                    "{command}: `{name}` {found} ({reason}), expected: {verdict}"
                ));
            }
            let shown = match &decided[at]["value"] {
                Json::String(text) => Some(text.clone()),
                other => other["exact"].as_str().map(str::to_owned),
            };
            if value.is_some() && shown != *value && !(lenient && found == "unknown") {
                problems.push(format!("{command}: `{name}` is {shown:?}, expected: {value:?}"));
            }
        }
        for (at, times) in named.iter().enumerate().filter(|(_, times)| **times != 1) {
            let name = match &decided[at]["name"] {
                Json::String(name) => name.clone(),
                _ => decided[at]["position"].to_string(),
            };
            problems.push(format!("{command}: the property `{name}` is named {times} times"));
        }
        problems
    }
}
