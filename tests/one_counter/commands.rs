//! Every command on the kind of system that one row has added.

use serde_json::Value as Json;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The variable that makes the executable the program.
pub const AS_PROGRAM: &str = "ONE_COUNTER";

/// Counts up at `a`, may go to `b`, and comes to `c` only with counter 0 behind `b`; `d` has no way in.
const MACHINE: &str = "start a\na inc a2\na2 inc b\nb dec b\nb zero c\nnever d\nnever c\nsteps c\nsteps d\n";

/// Counts for ever.
const ENDLESS: &str = "start a\na inc a\nnever b\n";

/// A test on a folder with both machines.
type Test = fn(&Path);

const TESTS: &[(&str, Test)] = &[
    ("every_property_is_decided_and_its_evidence_checked", check),
    ("a_number_is_an_answer", a_number),
    ("engines_race_and_the_one_that_can_answers", race),
    ("a_report_shows_the_run", report),
    ("a_walk_can_be_saved_and_continued", simulate),
    ("saved_evidence_is_certified_and_damaged_evidence_is_not", certify),
    ("a_model_is_converted", convert),
    ("engines_are_listed_and_options_explained", help),
    ("a_time_limit_is_kept", time_limit),
    ("its_own_option_is_understood_and_others_are_refused", options),
    ("a_mistake_in_the_text_is_underlined", mistake),
];

/// Runs the tests whose names contain the argument, or all.
pub fn test() -> ExitCode {
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let chosen = |name: &str| {
        wanted
            .as_ref()
            .is_none_or(|wanted| name.contains(wanted.as_str()))
    };
    let mut failed = 0;
    for (name, test) in TESTS.iter().filter(|(name, _)| chosen(name)) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("m.oc"), MACHINE).expect("a file");
        std::fs::write(folder.path().join("endless.oc"), ENDLESS).expect("a file");
        let passed = catch_unwind(|| test(folder.path())).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u8::from(!passed);
    }
    ExitCode::from(failed)
}

/// Exit status, standard output and standard error of the program in a folder.
fn entail(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let program = std::env::current_exe().expect("this executable");
    let output = Command::new(program)
        .env(AS_PROGRAM, "1")
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("an exit status");
    (status, text(output.stdout), text(output.stderr))
}

fn json(folder: &Path, arguments: &[&str]) -> Json {
    let (status, out, err) = entail(folder, arguments);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: status {status}, {out}{err}"))
}

fn check(folder: &Path) {
    let (status, out, _) = entail(folder, &["check", "m.oc"]);
    assert_eq!(status, 1, "one property fails: {out}");
    for line in ["holds   never d", "fails   never c"] {
        assert!(out.contains(line), "{out}");
    }
    let document = json(folder, &["check", "m.oc", "--json"]);
    assert_eq!(document["schema"], "entail-report/1");
    let properties = document["properties"].as_array().expect("a list");
    let verdicts: Vec<&str> = (properties.iter())
        .filter_map(|one| one["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "fails", "holds", "holds"]);
    assert_eq!(properties[0]["evidence"]["kind"], "closed-set");
    assert_eq!(properties[1]["evidence"]["checked"], true);
}

fn a_number(folder: &Path) {
    let document = json(
        folder,
        &["check", "m.oc", "--json", "--property", "3", "--property", "4"],
    );
    assert_eq!(document["properties"][0]["value"]["exact"], "5");
    assert_eq!(document["properties"][1]["value"], "infinity");
    let (_, out, _) = entail(folder, &["check", "m.oc", "--property", "3", "-v"]);
    assert!(out.contains("= 5") && out.contains("no shorter run"), "{out}");
}

fn race(folder: &Path) {
    let document = json(folder, &["check", "m.oc", "--json", "--spec", "steps c"]);
    assert_eq!(document["properties"][0]["engine"], "breadth");
    let alone = json(
        folder,
        &[
            "check", "m.oc", "--json", "--spec", "steps c", "--engine", "depth",
        ],
    );
    assert_eq!(alone["properties"][0]["verdict"], "unknown");
    // An answer that comes while another engine is still busy with the last question is not lost.
    for _ in 0..20 {
        assert_eq!(entail(folder, &["check", "m.oc", "--timeout", "60s"]).0, 1);
    }
    let lines = entail(folder, &["check", "m.oc", "--json-lines"]).1;
    assert_eq!(lines.lines().count(), 4);
    assert!(
        lines
            .lines()
            .all(|line| serde_json::from_str::<Json>(line).is_ok())
    );
}

fn report(folder: &Path) {
    let files = ["--report", "r.html", "--trace", "t.vcd", "--evidence", "saved"];
    let (status, out, err) = entail(folder, &[&["check", "m.oc"], &files[..]].concat());
    assert_eq!(status, 1, "{out}{err}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the file was written");
    assert!(read("r.html").contains("b zero c"));
    assert!(read("t.vcd").contains("$enddefinitions"));
}

fn simulate(folder: &Path) {
    let (status, out, _) = entail(folder, &["simulate", "m.oc", "--steps", "3", "--trace", "w.json"]);
    assert_eq!(status, 0);
    assert!(out.contains("a2 inc b"), "{out}");
    let (status, out, err) = entail(folder, &["simulate", "m.oc", "--from", "w.json", "--steps", "1"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("b dec b"), "{out}");
    let (status, out, _) = entail(folder, &["view", "w.json"]);
    assert_eq!(status, 0);
    assert!(out.contains("a2"), "{out}");
}

fn certify(folder: &Path) {
    entail(folder, &["check", "m.oc", "--evidence", "saved"]);
    let mut accepted = 0;
    for entry in std::fs::read_dir(folder.join("saved")).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.to_str().expect("a name");
        let (status, out, err) = entail(folder, &["certify", "m.oc", name]);
        assert!(
            out.starts_with("accepted") || out.starts_with("partly"),
            "{status} {out}{err}"
        );
        accepted += usize::from(status == 0);
        let damaged = std::fs::read_to_string(&path)
            .expect("a text")
            .replace("[0,1,", "[0,0,");
        std::fs::write(&path, &damaged).expect("a file");
        let (status, ..) = entail(folder, &["certify", "m.oc", name]);
        assert_eq!(status == 65, damaged.contains("[0,0,"), "the seal is broken");
    }
    assert_eq!(accepted, 3);
}

fn convert(folder: &Path) {
    assert_eq!(entail(folder, &["convert", "m.oc", "n.oc"]).0, 0);
    assert_eq!(
        std::fs::read_to_string(folder.join("n.oc")).expect("a text"),
        MACHINE
    );
    let (status, _, err) = entail(folder, &["convert", "m.oc", "n.smv"]);
    assert_eq!(status, 64);
    assert!(err.contains(".oc"), "{err}");
}

fn help(folder: &Path) {
    let (_, out, _) = entail(folder, &["engines"]);
    assert!(
        out.contains("counters: machines with one counter") && out.contains("breadth"),
        "{out}"
    );
    let (_, long, _) = entail(folder, &["check", "--help"]);
    assert!(
        long.contains("Options for counters (one-counter machines)") && long.contains("--most"),
        "{long}"
    );
    let (_, short, _) = entail(folder, &["check", "-h"]);
    assert!(!short.contains("--most"), "{short}");
    assert!(entail(folder, &["completions", "bash"]).1.contains("--most"));
}

fn time_limit(folder: &Path) {
    let most = u64::MAX.to_string();
    let document = json(
        folder,
        &[
            "check",
            "endless.oc",
            "--json",
            "--most",
            &most,
            "--timeout",
            "1s",
        ],
    );
    assert_eq!(document["properties"][0]["verdict"], "unknown");
    let reason = document["properties"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("time limit"), "{reason}");
}

fn options(folder: &Path) {
    let (status, out, _) = entail(folder, &["check", "endless.oc", "--most", "3"]);
    assert_eq!(status, 2);
    assert!(out.contains("the counter exceeds 3"), "{out}");
    let (status, _, err) = entail(folder, &["check", "m.oc", "--tau", "i"]);
    assert_eq!(status, 64);
    assert!(err.contains("graphs") && err.contains("counters"), "{err}");
    std::fs::write(folder.join("g.aut"), "des (0,1,2)\n(0,\"x\",1)\n").expect("a file");
    let (status, _, err) = entail(folder, &["check", "g.aut", "--most", "3"]);
    assert_eq!(status, 64);
    assert!(err.contains("counters"), "{err}");
    assert_eq!(entail(folder, &["check", "m.oc", "--most", "many"]).0, 64);
}

fn mistake(folder: &Path) {
    std::fs::write(folder.join("bad.oc"), "start a\na jump b\n").expect("a file");
    let (status, _, err) = entail(folder, &["check", "bad.oc"]);
    assert_eq!(status, 65);
    assert!(err.contains("a jump b") && err.contains("bad.oc:2:1"), "{err}");
}
