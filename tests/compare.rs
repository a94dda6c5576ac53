//! `entail compare`, as a user sees it.

mod program;

use program::{Program, Run, example, text_file};
use std::path::{Path, PathBuf};

fn late() -> PathBuf {
    example("compare/vending_late.aut")
}

fn early() -> PathBuf {
    example("compare/vending_early.aut")
}

fn compare(first: impl AsRef<std::ffi::OsStr>, second: impl AsRef<std::ffi::OsStr>) -> Program {
    Program::new().args(["compare"]).arg(first).arg(second)
}

/// What is printed, with the names of the files alone.
fn shown(run: &Run) -> String {
    let folder = example("compare").display().to_string() + "/";
    run.stdout.replace(&folder, "")
}

/// Whether a step can be taken up to the first or the second unit of time: real-time systems are told apart by a delay.
#[test]
fn real_time_systems_have_relations_of_their_own() {
    let model = |bound: u32| {
        let text = format!(
            "system:s\nevent:a\nclock:1:x\nprocess:P\nlocation:P:l{{initial:}}\nlocation:P:m{{}}\nedge:P:l:m:a{{provided: x<={bound}}}\n"
        );
        text_file(&text, ".tck")
    };
    let (short, long) = (model(1), model(2));
    let status = |first: &Path, second: &Path, relation: &str| {
        let run = compare(first, second).args(["--relation", relation]).run();
        (run.status, run.stdout)
    };
    let (unrelated, said) = status(&short, &long, "timed-bisimulation");
    assert_eq!(unrelated, 1);
    assert!(said.contains("x = 2, x = 2: the second takes `a`"), "{said}");
    assert_eq!(status(&short, &long, "timed-simulation").0, 0);
    assert_eq!(status(&short, &long, "time-abstract").0, 0);
    assert_eq!(status(&long, &short, "inclusion").0, 1);
    // What was found is saved, says itself what it is about, and is judged by the models alone.
    for relation in [
        "timed-bisimulation",
        "timed-simulation",
        "time-abstract",
        "inclusion",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let told = status(&short, &long, relation).0;
        let run = compare(&short, &long)
            .args(["--relation", relation, "--evidence"])
            .arg(folder.path())
            .run();
        assert_eq!(run.status, told, "{}", run.stderr);
        let saved = folder.path().join("comparison.json");
        let run = compare(&short, &long).arg("--certify").arg(&saved).run();
        assert_eq!(run.status, told, "{}", run.stderr);
        // The two the other way round are another question.
        let run = compare(&long, &short).arg("--certify").arg(&saved).run();
        assert_eq!(run.status, 65, "{relation}: {}", run.stderr);
    }
    // Graphs have no clocks.
    let run = compare(late(), early()).args(["--relation", "inclusion"]).run();
    assert_eq!(run.status, 64, "{}", run.stderr);
}

#[test]
fn a_formula_and_a_game_tell_machines_apart() {
    let run = compare(late(), early()).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(
        shown(&run),
        "\
vending_late.aut and vending_early.aut are not strongly bisimilar

  [coin]<coin>true

is true of vending_late.aut and false of vending_early.aut (evaluated on both)

The game that shows it:
  vending_late.aut in 0, vending_early.aut in 0
  Spoiler     vending_early.aut: 0 -coin-> 1
  Duplicator  vending_late.aut: 0 -coin-> 1 (the only answer)
  Spoiler wins: vending_late.aut: 1 -coin-> 3, and vending_early.aut has no answer
"
    );
}

#[test]
fn simulations_and_traces_have_a_direction() {
    for (relation, forth, back, both) in [
        ("simulation", 1, 0, 1),
        ("ready-simulation", 1, 1, 1),
        ("trace", 0, 0, 0),
        ("weak-trace", 0, 0, 0),
    ] {
        let status = |first, second, more: &[&str]| {
            compare(first, second)
                .args(["--relation", relation])
                .args(more)
                .run()
                .status
        };
        assert_eq!(status(late(), early(), &[]), forth, "{relation}");
        assert_eq!(status(late(), early(), &["--preorder"]), forth, "{relation}");
        assert_eq!(status(early(), late(), &[]), back, "{relation}");
        assert_eq!(status(early(), late(), &["--equivalence"]), both, "{relation}");
    }
    let run = compare(early(), late()).args(["--relation", "simulation"]).run();
    assert_eq!(
        shown(&run),
        "vending_late.aut simulates vending_early.aut\nchecked: a simulation of 3 pairs between 7 classes of states\n"
    );
}

#[test]
fn a_shortest_trace_is_shown() {
    let second = text_file("des (0, 2, 3)\n(0, \"coin\", 1)\n(1, \"soda\", 2)\n", ".aut");
    let run = compare(late(), &second).args(["--relation", "trace"]).run();
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("\n  coin coin\n"), "{}", run.stdout);
    assert!(run.stdout.contains("note: only"), "{}", run.stdout);
}

#[test]
fn hidden_actions_do_not_count_where_they_do_not_count() {
    let plain = text_file("des (0, 2, 3)\n(0, \"a\", 1)\n(1, \"b\", 2)\n", ".aut");
    let noisy = text_file(
        "des (0, 3, 4)\n(0, \"a\", 1)\n(1, \"log(7)\", 2)\n(2, \"b\", 3)\n",
        ".aut",
    );
    for (relation, status) in [
        ("strong", 1),
        ("branching", 0),
        ("divergence-branching", 0),
        ("weak", 0),
    ] {
        let run = compare(&plain, &noisy)
            .args(["--relation", relation, "--hide", "log"])
            .run();
        assert_eq!(run.status, status, "{relation}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn structures_are_compared_by_what_holds_in_states() {
    let (model, abstraction) = (
        example("compare/mutex.json"),
        example("compare/mutex_abstract.json"),
    );
    // Chapter 13, example 2; the abstraction does not have T1 (definition 7).
    let run = compare(&model, &abstraction)
        .args(["--relation", "simulation"])
        .run();
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        shown(&run)
            .contains("note: propositions that mutex_abstract.json does not have are not looked at: T1")
    );
    // Equivalence has to be told what is compared.
    let run = compare(&model, &abstraction).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("only"), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("say with --observe which ones are compared (those in both: C1, C2, F0)")
    );
    let run = compare(&model, &abstraction)
        .args(["--observe", "C1,C2,F0"])
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stdout.contains("EX") || run.stdout.contains("AX"),
        "{}",
        run.stdout
    );
    let run = compare(&model, &abstraction)
        .args(["--observe", "F0", "--relation", "branching"])
        .run();
    assert!(run.status < 2, "{}", run.stderr);
}

#[test]
fn evidence_is_saved_and_checked_again() {
    let folder = tempfile::tempdir().unwrap();
    for (relation, first, second) in [
        ("strong", late(), early()),
        ("simulation", early(), late()),
        ("trace", late(), early()),
        ("branching", late(), late()),
    ] {
        let made = compare(&first, &second)
            .args(["--relation", relation, "--evidence"])
            .arg(folder.path())
            .run();
        let file = folder.path().join("comparison.json");
        let again = compare(&first, &second).args(["--certify"]).arg(&file).run();
        assert_eq!(again.status, made.status, "{relation}: {}", again.stderr);
        // It says nothing about other systems.
        let foreign = text_file("des (0, 1, 2)\n(0, \"x\", 1)\n", ".aut");
        let run = compare(&foreign, &foreign).args(["--certify"]).arg(&file).run();
        assert_eq!(run.status, 65, "{relation}");
        assert!(run.stderr.contains("rejected"), "{}", run.stderr);
    }
    let broken = text_file("{\"evidence\": \"comparison\", \"relation\": \"odd\"}", ".json");
    let run = compare(late(), early()).args(["--certify"]).arg(&*broken).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("unknown `relation`"), "{}", run.stderr);
}

#[test]
fn answers_are_json_on_request() {
    let json = compare(late(), early()).args(["--json"]).run().json().unwrap();
    assert_eq!(json["answer"], "unrelated");
    assert_eq!(json["formula"]["text"], "[coin]<coin>true");
    assert_eq!(json["formula"]["holds_in"], "first");
    let json = compare(late(), early())
        .args(["--json", "--relation", "trace"])
        .run()
        .json()
        .unwrap();
    assert_eq!(json["answer"], "related");
}

#[test]
fn the_game_is_played_from_piped_lines() {
    let run = compare(late(), early()).args(["--play"]).input("1\n").run();
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("You are Duplicator"), "{}", run.stdout);
    assert!(run.stdout.contains("Spoiler wins"), "{}", run.stdout);
    let run = compare(early(), late())
        .args(["--play", "--relation", "simulation"])
        .input("2\n1\n1\n")
        .run();
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("You are Spoiler"), "{}", run.stdout);
    assert!(run.stdout.contains("Duplicator wins"), "{}", run.stdout);
}

#[test]
fn what_cannot_be_compared_is_refused_with_advice() {
    let model = example("mutex.smv");
    for (run, status, words) in [
        (compare(late(), &model).run(), 65, "is a Kripke structure and"),
        (
            compare(late(), early()).args(["--hide", "tea"]).run(),
            64,
            "neither system has the action `tea`; there are: coin",
        ),
        (
            compare(late(), early()).args(["--preorder"]).run(),
            64,
            "is symmetric",
        ),
        (
            compare(late(), early())
                .args(["--play", "--relation", "trace"])
                .run(),
            64,
            "--play knows the games of",
        ),
        (
            compare(late(), early()).args(["--relation", "equal"]).run(),
            64,
            "possible values",
        ),
        (
            compare(late(), "missing.aut").run(),
            65,
            "cannot read missing.aut",
        ),
    ] {
        assert_eq!(run.status, status, "{}", run.stderr);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let wrong = text_file("des (0, 1, 2)\n(0, \"a\", 7)\n", ".aut");
    let run = compare(late(), &wrong).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("7"), "{}", run.stderr);
}

#[test]
fn no_time_is_no_answer() {
    let run = compare(late(), early()).args(["--timeout", "0s"]).run();
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
}
