//! Properties in PSL about circuits that are given without their source: BTOR2 and AIGER files, and what yosys makes of a design.

mod program;

use program::Program;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// A circuit that hands `a` on: `q1` a step later, `q2` two.
const BTOR2: &str = "1 sort bitvec 1\n2 sort bitvec 2\n3 input 1 clk\n4 input 1 a\n5 input 1 b\n6 input 2 d\n7 zero 1\n8 state 1 q1\n9 init 1 8 7\n10 state 1 q2\n11 init 1 10 7\n12 next 1 8 4\n13 next 1 10 8\n";

/// The same with gates, and `d` bit by bit.
const AIGER: &str =
    "aag 6 4 2 1 0 0\n2\n4\n6\n8\n10 2\n12 10\n12\ni0 a\ni1 b\ni2 d[0]\ni3 d[1]\nl0 q1\nl1 q2\no0 out\n";

/// Properties, and whether they are true.
const PROPERTIES: &[(&str, bool)] = &[
    ("assert always (a -> next q1)", true),
    ("assert always (a -> next[2] q2)", true),
    ("assert always (a -> next q2)", false),
    ("assert always {a; !a} |=> {!q1}", true),
    ("assert never {q1; !q2}", true),
    ("assert never {q2; !q1}", false),
    ("assert always (q1 -> prev(a))", true),
    ("assert always (q2 -> prev(a, 2))", true),
    ("assert always (rose(q1) -> next rose(q2))", true),
    ("assert always (a -> eventually! q2)", true),
    ("assert always (a -> (a until b))", false),
    ("assert always (a -> eventually! b)", false),
    ("assert always ((a -> next q2) abort b)", false),
    ("assert always {a[->2]; b[*1:2]} |-> q1 | q2 | !a", true),
    ("assert always (d & 2'b10 -> d[1])", true),
    ("assert always (d + 2'd1 > d)", false),
    ("assert always ({1'b0, d} + 3'd1 > d)", true),
    ("assert always (countones({a, d}) < 4)", true),
    ("assert forall i in {0:3}: always (d == i -> i < 4)", true),
    ("assert forall w[1:0] in boolean: never d == w", false),
    ("assert always {a; b}@(b) |-> b", true),
    ("cover {a; q1; q2 && !a}", true),
    ("cover {a; !q1}", false),
];

fn unit(items: &str) -> String {
    format!("vunit u (top) {{\n{items}}}\n")
}

fn all() -> String {
    let items = PROPERTIES.iter().enumerate();
    let items = items.map(|(number, (property, _))| format!("  p{number}: {property};\n"));
    unit(&items.collect::<String>())
}

fn named(json: &Json, name: &str) -> Json {
    let properties = json["properties"].as_array().expect("a list");
    let found = properties.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {json}")).clone()
}

/// Every verdict is as expected, and its evidence checked.
fn decided(circuit: &Path, psl: &Path) {
    let run = Program::check(circuit)
        .arg("--properties")
        .arg(psl)
        .args(["--json", "--timeout", "120s"])
        .run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    for (number, (property, truth)) in PROPERTIES.iter().enumerate() {
        let one = named(&json, &format!("u.p{number}"));
        let expected = if *truth { "holds" } else { "fails" };
        assert_eq!(one["verdict"], expected, "{property}: {one}");
        assert_eq!(one["evidence"]["checked"], true, "{property}: {one}");
        assert_eq!(one["place"]["line"], number + 2, "{one}");
    }
}

#[test]
fn properties_of_a_word_level_circuit_are_decided() {
    let folder = tempfile::tempdir().expect("a folder");
    decided(
        &write(folder.path(), "c.btor2", BTOR2),
        &write(folder.path(), "u.psl", &all()),
    );
}

#[test]
fn properties_of_gates_are_decided_and_bits_are_words() {
    let folder = tempfile::tempdir().expect("a folder");
    decided(
        &write(folder.path(), "c.aag", AIGER),
        &write(folder.path(), "u.psl", &all()),
    );
}

#[test]
fn what_the_file_asks_itself_is_asked_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = write(folder.path(), "c.btor2", &format!("{BTOR2}14 bad 10 early\n"));
    let psl = write(
        folder.path(),
        "u.psl",
        &unit("assume never a; p: assert never q1;"),
    );
    let run = Program::check(&circuit)
        .arg("--properties")
        .arg(&psl)
        .args(["--json", "--timeout", "60s"])
        .run();
    let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    assert_eq!(named(&json, "early")["verdict"], "holds", "{json}");
    assert_eq!(named(&json, "u.p")["verdict"], "holds", "{json}");
}

#[test]
fn a_clock_that_the_circuit_does_not_read_ticks_in_every_step_and_is_said_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = write(folder.path(), "c.btor2", BTOR2);
    let items = "default clock = (posedge clk); p: assert always (a -> next q1);";
    let psl = write(folder.path(), "u.psl", &unit(items));
    let run = Program::check(&circuit).arg("--properties").arg(&psl).run();
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("every step"), "{}", run.stderr);
    // One that it reads does not.
    let read = write(
        folder.path(),
        "d.btor2",
        &format!("{BTOR2}14 and 1 3 4\n15 output 14 both\n"),
    );
    let run = Program::check(&read).arg("--properties").arg(&psl).run();
    assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("signal like others"), "{}", run.stdout);
}

#[test]
fn mistakes_stand_in_the_properties() {
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = write(folder.path(), "c.btor2", BTOR2);
    for (text, place, said) in [
        (
            "vunit u {\n  assert always (a -> q3);\n}",
            "u.psl:2:23",
            "did you mean `q",
        ),
        ("vunit u {\n  assert always a until;\n}", "u.psl:2:", "expected"),
        ("vunit u {\n  assume always (a ** b);\n}", "u.psl:2:", "`**`"),
        (
            "vunit u {\n  assert always (d[5]);\n  assume always d[7];\n}",
            "u.psl:3:",
            "no such bit",
        ),
    ] {
        let psl = write(folder.path(), "u.psl", text);
        let run = Program::check(&circuit).arg("--properties").arg(&psl).run();
        assert_eq!(run.status, 65, "{text}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains(place) && run.stderr.contains(said),
            "{text}: {}",
            run.stderr
        );
    }
}

/// Saved evidence is judged against the property, not the monitor.
#[test]
fn damaged_evidence_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = write(folder.path(), "c.btor2", BTOR2);
    let psl = write(folder.path(), "u.psl", &unit("p: assert never {a; b};"));
    let evidence = folder.path().join("evidence");
    let run = Program::check(&circuit)
        .arg("--properties")
        .arg(&psl)
        .arg("--evidence")
        .arg(&evidence)
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let file = std::fs::read_dir(&evidence)
        .expect("a folder")
        .next()
        .expect("a file")
        .expect("read");
    let certify = |path: &Path| {
        let run = Program::new()
            .arg("certify")
            .arg(&circuit)
            .arg(path)
            .arg("--properties")
            .arg(&psl)
            .run();
        run.status
    };
    assert_eq!(certify(&file.path()), 0);
    // A witness that gives all inputs zero violates nothing.
    let text = std::fs::read_to_string(file.path()).expect("text");
    let zeroed = text.lines().map(|line| match line.split_once(' ') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => {
            let (value, name) = rest.split_once(' ').unwrap_or((rest, ""));
            format!("{number} {} {name}\n", "0".repeat(value.len()))
        }
        _ => format!("{line}\n"),
    });
    let zeroed: String = zeroed.collect();
    assert_ne!(zeroed, text);
    let damaged = write(folder.path(), "damaged.wit", &zeroed);
    assert_ne!(certify(&damaged), 0);
}
