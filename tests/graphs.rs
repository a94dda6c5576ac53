//! Graphs as files, and their minimisation by the program.

mod program;

use program::{Program, Run};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../examples")
        .join(name)
}

fn minimize(file: &Path, arguments: &[&str]) -> Run {
    Program::new().arg("minimize").arg(file).args(arguments).run()
}

/// The number of states after minimising.
fn classes(file: &Path, arguments: &[&str]) -> u64 {
    let run = Program::new()
        .arg("minimize")
        .arg(file)
        .arg("--json")
        .args(arguments)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["checked"], Value::Bool(true), "{document}");
    document["after"]["states"].as_u64().expect("a number")
}

#[test]
fn what_goes_on_inside_a_vending_machine_is_minimised_away() {
    let inside = example("equivalence/vending_inside.aut");
    assert_eq!(classes(&inside, &[]), 5);
    for relation in ["branching", "divergence-branching", "weak", "divergence-weak"] {
        assert_eq!(classes(&inside, &["--relation", relation]), 2, "{relation}");
    }
    assert_eq!(
        classes(&example("equivalence/vending_angry.aut"), &["--relation", "weak"]),
        3
    );
    // Somebody who does not see what is sold.
    let hidden = ["--relation", "branching", "--hide", "tea,coffee"];
    assert_eq!(classes(&example("equivalence/vending.aut"), &hidden), 1);
}

#[test]
fn the_law_of_tau_holds_for_weak_but_not_for_branching_bisimulation() {
    let law = example("equivalence/tau_law.aut");
    let folder = tempfile::tempdir().expect("a folder");
    for (relation, states) in [("branching", 4), ("weak", 4)] {
        assert_eq!(classes(&law, &["--relation", relation]), states, "{relation}");
    }
    let out = folder.path().join("out.aut");
    let run = minimize(&law, &[out.to_str().expect("a path"), "--relation", "branching"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        std::fs::read_to_string(out).expect("written"),
        "des (0,5,4)\n(0,\"a\",1)\n(0,\"a\",2)\n(1,tau,2)\n(1,\"b\",3)\n(2,\"c\",3)\n"
    );
}

#[test]
fn chapter_13_example_3_five_classes_if_the_flag_is_seen_eight_with_a_process() {
    let mutex = example("equivalence/mutex.json");
    assert_eq!(classes(&mutex, &["--observe", "F0"]), 5);
    assert_eq!(classes(&mutex, &["--observe", "T1,F0"]), 8);
    assert_eq!(classes(&mutex, &[]), 8);
    // Up to stuttering, seeing nothing: all states go on for ever.
    assert_eq!(
        classes(&mutex, &["--observe", "F0", "--relation", "divergence-branching"]),
        2
    );
}

#[test]
fn models_of_all_languages_become_systems() {
    // Nothing is told apart, and every state goes on for ever.
    let blind = ["--observe", "p1 = p1", "--relation", "divergence-branching"];
    assert_eq!(classes(&example("mutex.smv"), &blind), 1);
    assert!(classes(&example("promela/peterson.pml"), &[]) > 10);
    assert!(classes(&example("hardware/counter.aag"), &[]) > 1);
    let folder = tempfile::tempdir().expect("a folder");
    let states = |name: &str| {
        let file = folder.path().join(name);
        let run = Program::new()
            .arg("convert")
            .arg(example("mutex.smv"))
            .arg(&file)
            .args(["--observe", "p1,turn=1"])
            .run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        classes(&file, &[])
    };
    // An .aut file has one more state, the initial one.
    let json = states("m.json");
    assert_eq!(states("m.dot"), json);
    assert_eq!(states("m.aut"), json + 1);
}

#[test]
fn composed_systems_do_shared_actions_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let both = folder.path().join("both.aut");
    let run = Program::new()
        .arg("compose")
        .args([
            example("equivalence/sender.aut"),
            example("equivalence/receiver.aut"),
            both.clone(),
        ])
        .args(["--hide", "frame,ack"])
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    // A buffer of one place, but that frames may be sent again and again is seen where divergence is.
    assert_eq!(classes(&both, &["--relation", "branching"]), 2);
    assert_eq!(classes(&both, &["--relation", "divergence-branching"]), 3);
}

#[test]
fn the_map_tells_which_state_became_which() {
    let folder = tempfile::tempdir().expect("a folder");
    let map = folder.path().join("map.txt");
    let run = minimize(
        &example("equivalence/mutex.json"),
        &["--observe", "F0", "--map", map.to_str().expect("a path"), "--dot"],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("digraph"), "{}", run.stdout);
    assert_eq!(
        std::fs::read_to_string(map).expect("written"),
        "0 0\n1 1\n2 1\n3 2\n4 3\n5 2\n6 4\n7 4\n"
    );
}

#[test]
fn wrong_input_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wrong.aut");
    std::fs::write(&file, "des (0,2,2)\n(0,a,1)\n(1,b,5)\n").expect("written");
    let run = minimize(&file, &[]);
    assert_eq!(run.status, 65);
    assert!(
        run.stderr.contains("state 5 does not exist") && run.stderr.contains(":3:6"),
        "{}",
        run.stderr
    );
    let good = example("equivalence/vending.aut");
    for (arguments, status, message) in [
        (&["--hide", "milk"][..], 64, "there is no action `milk`"),
        (&["--observe", "p"], 64, "has no propositions"),
        (&["out.txt"], 64, "cannot tell the format"),
        (&["--relation", "strange"], 64, "strange"),
    ] {
        let run = minimize(&good, arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
    let model = example("mutex.smv");
    let run = minimize(&model, &["--observe", "p1 = strange"]);
    assert_eq!(run.status, 65, "{}", run.stderr);
    let run = minimize(&model, &["--observe", "EF (p1 = critical)"]);
    assert_ne!(run.status, 0);
}
