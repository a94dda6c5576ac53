//! Whole-program tests of how Promela models are searched: storages, orders, bounds.

mod program;

use program::{Program, Run, text_file};
use serde_json::Value;
use std::path::Path;

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
        (&["--storage", "disk:/nowhere/at/all"], "states cannot be kept in"),
        (&["--search", "random", "--walks", "0"], "is no number of paths"),
        (&["--threads", "0"], "a number from 1 on is needed"),
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
    // How large the program itself is decides whether trees suffice.
    let storage = &answer["statistics"]["storage"];
    assert!(storage == "tree" || storage == "disk", "{storage}");
}

#[test]
fn states_on_disk_give_the_same_answers_and_counts() {
    let model = text_file(&counters(12, ""), ".pml");
    let plain = check(&model, &["--no-reduction", "--storage", "exact", "--json"]);
    let folder = tempfile::tempdir().expect("a folder");
    let storage = format!("disk:{}", folder.path().display());
    for threads in ["1", "2"] {
        let run = check(
            &model,
            &[
                "--no-reduction",
                "--threads",
                threads,
                "--storage",
                &storage,
                "--json",
            ],
        );
        let (answer, expected) = (property(&run), property(&plain));
        assert_eq!(answer["verdict"], "holds", "{}", run.stdout);
        for count in ["states", "transitions", "depth"] {
            assert_eq!(
                answer["statistics"][count], expected["statistics"][count],
                "{count}"
            );
        }
        assert_eq!(answer["statistics"]["storage"], "disk");
    }
    let left = std::fs::read_dir(folder.path()).expect("it can be read").count();
    assert_eq!(left, 0, "files were left behind");
    let model = text_file(&counters(5, ":: c == 3 -> assert(a != 2)"), ".pml");
    let run = check(&model, &["--storage", &storage]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("assertion violated"), "{}", run.stdout);
}

#[test]
fn random_paths_find_what_is_there_and_prove_nothing() {
    let model = text_file(&counters(5, ":: c == 3 -> assert(a != 2)"), ".pml");
    let run = check(&model, &["--search", "random"]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("assertion violated"), "{}", run.stdout);
    let model = text_file(&counters(5, ""), ".pml");
    let run = check(&model, &["--search", "random", "--walks", "20x30"]);
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("no violation on 20 random paths"),
        "{}",
        run.stdout
    );
}

/// Weak fairness is about processes that can move in states at rest: `q` can only follow when `p` is inside its atomic sequence, so that a run in
/// which `p` never begins one is fair. SPIN says so, too (`pan -a -f`, without reduction).
#[test]
fn who_only_follows_in_an_atomic_sequence_cannot_move_before() {
    let text = "chan c = [0] of { bit }; bit got; bit z;
        active proctype p() { do :: z = 1 - z :: atomic { z = 1 - z; c!1 } od }
        active proctype q() { c?1; got = 1 }
        ltl f { <> (got == 1) }";
    let model = text_file(text, ".pml");
    let run = Program::check(&model)
        .args(["--property", "f", "--fairness", "weak", "--json"])
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.verdicts(), ["fails"]);
}
