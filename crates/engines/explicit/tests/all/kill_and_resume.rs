//! A search that is killed with its process goes on from its checkpoint, with the same counts in the end: systems and models in Rust.
//!
//! The test program starts itself as the process that is killed.

use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, Engine, Verdict};
use entail_explicit::{Checker, Explicit, SearchOptions, Storage, System};
use entail_logic::{Property, Question};
use entail_model::{Sort, TransitionSystem, VarKind};
use entail_search::{CheckpointFile, Subject};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILE: &str = "ENTAIL_TEST_CHECKPOINT";
/// The kind of search whose states are on disk.
const ON_DISK: &str = "rust on disk";
const SIDE: u8 = 60;
const STATES: u64 = 216_000;

/// Three counters that go round, one at a time.
struct Counters;

impl System for Counters {
    type State = [u8; 3];
    type Action = usize;

    fn initial(&self) -> Vec<[u8; 3]> {
        vec![[0; 3]]
    }

    fn actions(&self, _: &[u8; 3]) -> Vec<usize> {
        vec![0, 1, 2]
    }

    fn step(&self, state: &[u8; 3], which: &usize) -> Option<[u8; 3]> {
        let mut next = *state;
        next[*which] = (next[*which] + 1) % SIDE;
        Some(next)
    }
}

/// The same as a transition system, with an invariant that holds.
fn counters() -> (TransitionSystem, Property<entail_model::TermId>) {
    let mut system = TransitionSystem::new();
    let last = i64::from(SIDE) - 1;
    let counters: Vec<_> = (0..3)
        .map(|number| system.add_variable(format!("c{number}"), Sort::range(0, last), VarKind::State))
        .collect();
    let (zero, one, last) = (
        system.terms.integer(0),
        system.terms.integer(1),
        system.terms.integer(last),
    );
    let mut moves = Vec::new();
    for &mover in &counters {
        let mut parts = Vec::new();
        for &counter in &counters {
            let (now, next) = (system.current(counter), system.next(counter));
            let at_end = system.terms.equal(now, last).expect("integers");
            let more = system.terms.add(now, one).expect("integers");
            let moved = system.terms.ite(at_end, zero, more).expect("integers");
            let value = if counter == mover { moved } else { now };
            parts.push(system.terms.equal(next, value).expect("integers"));
        }
        moves.push(system.terms.and(parts));
    }
    let relation = system.terms.or(moves);
    system.transition.push(relation);
    for &counter in &counters {
        let now = system.current(counter);
        let start = system.terms.equal(now, zero).expect("integers");
        system.init.push(start);
    }
    let now = system.current(counters[0]);
    let invariant = system.terms.less_equal(now, last).expect("integers");
    let property = Property {
        name: None,
        text: "c0 is in its range".into(),
        logic: entail_logic::Logic::Invariant,
        question: Question::Invariant(invariant),
    };
    (system, property)
}

fn options(path: &Path, from: Option<&Path>, every: Duration, kind: &str) -> SearchOptions {
    let subject = Subject {
        model: "counters".into(),
        property: kind.into(),
        options: "none".into(),
    };
    let file = CheckpointFile::new(path.to_owned(), from, every, subject, |trouble| {
        panic!("{trouble}")
    });
    SearchOptions {
        storage: match kind {
            ON_DISK => Storage::Disk,
            _ => Storage::Exact,
        },
        checkpoints: Some(Arc::new(file.expect("a file"))),
        ..SearchOptions::default()
    }
}

/// The states that a search of this kind counts.
fn search(kind: &str, options: SearchOptions) -> u64 {
    match kind {
        "system" => {
            let (system, property) = counters();
            let outcome = Explicit { search: options }
                .check(
                    &system,
                    &property,
                    &CheckOptions::default(),
                    &Budget::unlimited(),
                    &Silent,
                )
                .expect("the model has a meaning");
            assert_eq!(outcome.verdict, Verdict::Holds);
            outcome.statistics.states().expect("they are counted")
        }
        _ => {
            let replies = Checker::new(&Counters)
                .searching(options)
                .always("in range", |state| state[0] < SIDE)
                .check();
            assert_eq!(replies[0].holds, Some(true), "{:?}", replies[0].reason);
            replies[0].states
        }
    }
}

/// Not a test of its own: what the process does that is killed.
#[test]
fn searches_if_it_is_told_to() {
    if let Ok(told) = std::env::var(FILE) {
        let (kind, path) = told.split_once(':').expect("a kind and a file");
        search(
            kind,
            options(Path::new(path), None, Duration::from_millis(20), kind),
        );
    }
}

fn is_killed_and_goes_on(kind: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("search.saved");
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args(["--exact", "kill_and_resume::searches_if_it_is_told_to"])
        .env(FILE, format!("{kind}:{}", path.display()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while !path.exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // On Unix this is SIGKILL.
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(path.exists(), "nothing was saved in a minute");
    let resumed = search(kind, options(&path, Some(&path), Duration::from_secs(3600), kind));
    assert_eq!(resumed, STATES);
    // What is resumed is what was saved: a file that is not the whole is refused.
    let mut damaged = std::fs::read(&path).expect("it can be read");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&path, damaged).expect("it can be written");
    let subject = Subject {
        model: "counters".into(),
        property: kind.into(),
        options: "none".into(),
    };
    let again = CheckpointFile::new(path.clone(), Some(&path), Duration::from_secs(1), subject, |_| {});
    assert!(again.is_err());
}

#[test]
fn a_search_of_a_system_that_is_killed_goes_on() {
    is_killed_and_goes_on("system");
}

#[test]
fn a_search_of_a_model_in_rust_that_is_killed_goes_on() {
    is_killed_and_goes_on("rust");
}

#[test]
fn a_search_on_disk_that_is_killed_goes_on() {
    is_killed_and_goes_on(ON_DISK);
}
