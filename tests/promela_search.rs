//! Whole-program tests of how Promela models are searched: storages, orders, bounds, checkpoints.

mod program;

use program::{Program, Run, text_file};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Three counters; counting to the end of the last but one breaks the assertion if there is one.
fn counters(most: u32, assertion: &str) -> String {
    let process = |name: &str, extra: &str| {
        format!(
            "active proctype p{name}() {{ end: do :: {name} < {most} -> {name} = {name} + 1 {extra} od }}\n"
        )
    };
    format!(
        "byte a, b, c;\n{}{}{}",
        process("a", ""),
        process("b", ""),
        process("c", assertion)
    )
}

fn check(model: &Path, arguments: &[&str]) -> Run {
    Program::check(model).args(arguments).run()
}

fn property(run: &Run) -> Value {
    let json = run
        .json()
        .unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
    json["properties"][0].clone()
}

#[test]
fn lossy_storage_is_unknown_with_its_coverage() {
    let model = text_file(&counters(9, ""), ".pml");
    let run = check(&model, &["--storage", "bitstate:1MiB", "--json"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    let answer = property(&run);
    assert_eq!(answer["verdict"], "unknown");
    assert_eq!(answer["guarantee"], "partial");
    assert!(
        answer["coverage"]
            .as_f64()
            .is_some_and(|coverage| coverage > 0.99)
    );
    assert_eq!(answer["statistics"]["storage"], "bitstate");
    let run = check(&model, &["--storage", "hash-compact:40"]);
    assert!(
        run.stdout.contains("hash-compact storage may leave states out"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_violation_that_a_lossy_search_finds_is_real() {
    let model = text_file(&counters(5, ":: c == 3 -> assert(a != 2)"), ".pml");
    for storage in ["bitstate:1MiB", "hash-compact", "exact", "tree"] {
        for search in ["bfs", "dfs"] {
            let run = check(&model, &["--storage", storage, "--search", search]);
            assert_eq!(run.status, 1, "{storage} {search}: {}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains("assertion violated"), "{}", run.stdout);
        }
    }
}

#[test]
fn a_bound_on_changes_is_said() {
    let model = text_file(&counters(5, ":: c == 3 -> assert(a != 2)"), ".pml");
    let run = check(&model, &["--context-bound", "0", "--json"]);
    assert_eq!(
        (run.status, property(&run)["bound"].as_u64()),
        (2, Some(0)),
        "{}",
        run.stdout
    );
    assert_eq!(property(&run)["guarantee"], "bounded");
    assert_eq!(check(&model, &["--context-bound", "1"]).status, 1);
}

#[test]
fn wrong_choices_are_refused() {
    let model = text_file(&counters(2, ""), ".pml");
    for (arguments, message) in [
        (&["--storage", "paper"][..], "is no storage"),
        (&["--storage", "hash-compact:99"], "from 8 to 64 bits"),
        (&["--storage", "bitstate:3"], "at least 8 bytes"),
        (&["--threads", "0"], "not a positive number"),
        (
            &["--checkpoint", "x", "--search", "dfs"],
            "checkpoints are for safety",
        ),
        (&["--resume", "/nowhere/at/all"], "cannot read the checkpoint"),
    ] {
        let run = check(&model, arguments);
        assert!(
            run.status == 64 || run.status == 65,
            "{arguments:?}: {}",
            run.status
        );
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn with_little_memory_states_become_trees() {
    let model = text_file(&counters(45, ""), ".pml");
    let plain = check(&model, &["--no-reduction", "--storage", "exact", "--json"]);
    // Half of this is used up when a part of the states is there.
    let run = check(&model, &["--no-reduction", "--memory", "60MiB", "--json"]);
    let (answer, expected) = (property(&run), property(&plain));
    assert_eq!(answer["verdict"], "holds", "{}", run.stdout);
    for count in ["states", "transitions", "depth"] {
        assert_eq!(
            answer["statistics"][count], expected["statistics"][count],
            "{count}"
        );
    }
    assert_eq!(answer["statistics"]["storage"], "tree");
}

/// Kills the program when it has saved something, and goes on.
#[test]
fn a_search_that_was_killed_is_gone_on_with() {
    for (assertion, threads) in [("", "1"), (":: c == 40 -> assert(a + b < 60)", "2")] {
        let model = text_file(&counters(40, assertion), ".pml");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("search.saved");
        let options = ["--no-reduction", "--threads", threads, "--json"];
        let whole = property(&check(&model, &options));
        let mut child = Command::new(env!("CARGO_BIN_EXE_entail"))
            .arg("check")
            .arg(&model)
            .args(options)
            .args(["--checkpoint-every", "10ms", "--checkpoint"])
            .arg(&file)
            .stdout(Stdio::null())
            .spawn()
            .expect("the program was built");
        let begun = Instant::now();
        while !file.exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let resumed = Program::check(&model)
            .args(options)
            .arg("--resume")
            .arg(&file)
            .run();
        let answer = property(&resumed);
        assert_eq!(answer["verdict"], whole["verdict"], "{}", resumed.stdout);
        if assertion.is_empty() {
            for count in ["states", "transitions", "depth"] {
                assert_eq!(answer["statistics"][count], whole["statistics"][count], "{count}");
            }
        }

        // Of other options, another model, a broken file.
        let run = Program::check(&model).arg("--resume").arg(&file).run();
        assert_eq!(run.status, 65);
        assert!(
            run.stderr
                .contains("was made for another model, property or options"),
            "{}",
            run.stderr
        );
        let other = text_file(&counters(39, assertion), ".pml");
        assert_eq!(
            Program::check(&other)
                .args(options)
                .arg("--resume")
                .arg(&file)
                .run()
                .status,
            65
        );
        let saved = std::fs::read(&file).expect("it is there");
        std::fs::write(&file, &saved[..saved.len() - 5]).expect("it can be written");
        let run = Program::check(&model)
            .args(options)
            .arg("--resume")
            .arg(&file)
            .run();
        assert_eq!(property(&run)["verdict"], "unknown", "{}", run.stdout);
        assert!(
            run.stdout.contains("the checkpoint cannot be used"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn a_search_that_runs_out_of_time_is_saved() {
    let model = text_file(&counters(40, ""), ".pml");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("search.saved");
    let options = ["--no-reduction", "--json"];
    let run = Program::check(&model)
        .args(options)
        .args(["--timeout", "100ms", "--checkpoint"])
        .arg(&file)
        .run();
    assert_eq!(property(&run)["verdict"], "unknown", "{}", run.stdout);
    let resumed = Program::check(&model)
        .args(options)
        .arg("--resume")
        .arg(&file)
        .run();
    assert_eq!(property(&resumed)["verdict"], "holds", "{}", resumed.stdout);
    assert_eq!(property(&resumed)["statistics"]["states"], 81 * 81 * 81);
}
