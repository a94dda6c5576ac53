//! Circuits on the command line: checking, witnesses, waveforms, conversion, and what is said about wrong files.

mod program;

use program::Program;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../examples/hardware")
        .join(name)
}

fn verdicts(model: &Path) -> Vec<String> {
    let run = Program::check(model).args(["--json", "--timeout", "60s"]).run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let properties = json["properties"].as_array().expect("a list").clone();
    let text = |property: &serde_json::Value| property["verdict"].as_str().expect("a word").to_owned();
    properties.iter().map(text).collect()
}

#[test]
fn the_examples_do_what_they_say() {
    assert_eq!(verdicts(&example("counter.aag")), ["fails", "holds", "fails"]);
    assert_eq!(verdicts(&example("fifo.btor2")), ["holds", "fails", "holds"]);
}

#[test]
fn a_bug_becomes_a_witness_that_certify_accepts_and_a_waveform() {
    let folder = tempfile::tempdir().expect("a folder");
    for (model, property) in [("counter.aag", "reaches_three"), ("fifo.btor2", "becomes_full")] {
        let model = example(model);
        let vcd = folder.path().join("bug.vcd");
        let run = Program::check(&model)
            .args(["--property", property, "--evidence"])
            .arg(folder.path())
            .arg("--trace")
            .arg(&vcd)
            .run();
        assert_eq!(run.status, 1, "{}", run.stderr);
        let witness = folder.path().join(format!("{property}.wit"));
        let certified = Program::new().arg("certify").arg(&model).arg(&witness).run();
        assert_eq!(certified.status, 0, "{}{}", certified.stdout, certified.stderr);
        assert!(
            certified.stdout.starts_with("accepted: fails"),
            "{}",
            certified.stdout
        );
        let waves = std::fs::read_to_string(&vcd).expect("written");
        assert!(waves.contains("$enddefinitions"));
        // A witness for another model.
        let other = example(if property == "becomes_full" {
            "counter.aag"
        } else {
            "fifo.btor2"
        });
        let foreign = Program::new().arg("certify").arg(&other).arg(&witness).run();
        assert_eq!(foreign.status, 65, "{}{}", foreign.stdout, foreign.stderr);
    }
    // A witness that does not lead to the bad state.
    let harmless = folder.path().join("harmless.wit");
    std::fs::write(&harmless, "1\nb0\n00\n1\n1\n.\n").expect("written");
    let run = Program::new()
        .arg("certify")
        .arg(example("counter.aag"))
        .arg(&harmless)
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.starts_with("rejected"), "{}", run.stdout);
}

#[test]
fn conversions_keep_the_verdicts_of_the_examples() {
    let folder = tempfile::tempdir().expect("a folder");
    for (from, to, expected) in [
        ("counter.aag", "x.aig", vec!["fails", "holds", "fails"]),
        ("counter.aag", "x.btor2", vec!["fails", "holds", "fails"]),
        ("counter.aag", "x.smv", vec!["fails", "holds", "fails"]),
        ("fifo.btor2", "y.aig", vec!["holds", "fails", "holds"]),
    ] {
        let target = folder.path().join(to);
        let run = Program::new()
            .arg("convert")
            .arg(example(from))
            .arg(&target)
            .run();
        assert_eq!(run.status, 0, "{from} to {to}: {}", run.stderr);
        assert_eq!(verdicts(&target), expected, "{from} to {to}");
    }
    let arrays = Program::new()
        .arg("convert")
        .arg(example("fifo.btor2"))
        .arg(folder.path().join("z.smv"))
        .run();
    assert_eq!(arrays.status, 65);
    assert!(arrays.stderr.contains("array"), "{}", arrays.stderr);
    let unknown = Program::new()
        .arg("convert")
        .arg(example("fifo.btor2"))
        .arg("z.txt")
        .run();
    assert_eq!(unknown.status, 64);
}

#[test]
fn formulas_about_a_circuit_use_its_names() {
    let run = Program::check(&example("counter.aag"))
        .args(["--spec", "G (stop -> (low <-> X low))", "--spec", "F high"])
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.contains("holds   G (stop"), "{}", run.stdout);
    assert!(run.stdout.contains("fails   F high"), "{}", run.stdout);
}

#[test]
fn wrong_files_are_refused_at_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let table: [(&str, &[u8], &str); 7] = [
        ("a.aag", b"aag 1 1 0 1 0\n2\n7\n", "out of range"),
        (
            "b.aag",
            b"aag 3 1 0 0 2\n2\n4 6 2\n6 4 2\n",
            "depend on themselves",
        ),
        ("c.aig", b"aig 3 2 0 1 1\n6\n\x02", "ends in the middle"),
        ("d.btor2", b"1 sort bitvec 1\n2 not 1 9\n", "not defined"),
        (
            "e.btor2",
            b"1 sort bitvec 2\n2 input 1\n3 bad 2\n",
            "expected a bit",
        ),
        ("f.btor", b"\xff\xfe", "not a text file"),
        ("g.aig", b"", "the file ends"),
    ];
    for (name, bytes, message) in table {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let run = Program::check(&path).run();
        assert_eq!(run.status, 65, "{name}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.is_empty(), "{name}: {}", run.stdout);
        let said: String = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(message), "{name}: {}", run.stderr);
    }
}

/// An array with more elements than bits can be made of: a reason, not a crash.
#[test]
fn a_memory_that_is_too_large_is_unknown_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.btor2");
    let text = "1 sort bitvec 1\n2 sort bitvec 48\n3 sort bitvec 8\n4 sort array 2 3\n5 zero 3\n6 state 4 mem\n7 init 4 6 5\n\
                8 input 2\n9 input 3\n10 write 4 6 8 9\n11 next 4 6 10\n12 read 3 6 8\n13 redand 1 12\n14 bad 13\n";
    std::fs::write(&path, text).expect("written");
    let run = Program::check(&path).args(["--timeout", "20s"]).run();
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("too many elements"), "{}", run.stdout);
    for engine in ["explicit", "bdd", "ic3", "bmc", "kind"] {
        let run = Program::check(&path)
            .args(["--timeout", "20s", "--engine", engine])
            .run();
        assert_eq!(run.status, 2, "{engine}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn verilog_without_yosys_says_how_to_get_it() {
    let nowhere = tempfile::tempdir().expect("a folder");
    let run = Program::check(&example("fifo_count.sv"))
        .environment("PATH", nowhere.path())
        .run();
    assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stderr.contains("yosys") && run.stderr.contains("install"),
        "{}",
        run.stderr
    );
}
