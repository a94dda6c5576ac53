//! The proof that the seam is right: with `family.rs` and one row, everything the program does works for one-counter machines.
//!
//! Engines race in processes of the program itself, so this test is a program: started with `ONE_COUNTER` in its environment it is
//! `entail` with this kind of system, otherwise it runs the checks below on itself. A name, or a part of one, as argument selects checks.

mod family;
#[path = "../../crates/app/report/tests/all/schema/mod.rs"]
#[allow(dead_code)] // lines of --json-lines are looked at elsewhere
mod schema;

use entail::Table;
use serde_json::Value as Json;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::{Command, ExitCode};

static FAMILIES: &[&entail_family::Family] = &[&family::FAMILY, &entail_graphs::FAMILY];

/// A check on an empty folder.
type Check = fn(&Path);

const CHECKS: &[(&str, Check)] = &[
    ("verdicts_and_runs_are_printed", verdicts_and_runs_are_printed),
    (
        "json_is_as_the_schema_says_and_has_the_number",
        json_is_as_the_schema_says_and_has_the_number,
    ),
    ("racing_engines_agree_with_one", racing_engines_agree_with_one),
    ("a_report_and_traces_are_written", a_report_and_traces_are_written),
    ("evidence_is_saved_and_certified", evidence_is_saved_and_certified),
    ("false_evidence_is_rejected", false_evidence_is_rejected),
    ("walks_are_made_and_resumed", walks_are_made_and_resumed),
    ("models_are_converted", models_are_converted),
    ("limits_leave_the_answer_unknown", limits_leave_the_answer_unknown),
    (
        "options_that_mean_nothing_are_refused",
        options_that_mean_nothing_are_refused,
    ),
    (
        "mistakes_are_shown_at_their_place",
        mistakes_are_shown_at_their_place,
    ),
    ("engines_and_help_name_the_kind", engines_and_help_name_the_kind),
];

fn main() -> ExitCode {
    if std::env::var_os("ONE_COUNTER").is_some() {
        return entail_cli::main_with(Table(FAMILIES));
    }
    let wanted = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'));
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|part| name.contains(part));
    let mut status = ExitCode::SUCCESS;
    for (name, check) in CHECKS.iter().filter(|(name, _)| is_wanted(name)) {
        let folder = tempfile::tempdir().expect("a folder");
        let passed = catch_unwind(|| check(folder.path())).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        if !passed {
            status = ExitCode::FAILURE;
        }
    }
    status
}

/// Counts up and down for ever; `c` is never reached, `d` after three steps.
const MACHINE: &str =
    "start a\na inc b   # up\nb inc a\nb dec b\nb zero d\nnever c\nnever d\nsteps d\nsteps c\n";

/// The counter grows for ever.
const ENDLESS: &str = "start a\na inc a\nnever b\n";

struct Run {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|_| panic!("{}{}", self.stdout, self.stderr))
    }
}

/// Runs the program in a folder.
fn run(folder: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(arguments)
        .current_dir(folder)
        .env("ONE_COUNTER", "1")
        .output()
        .expect("the program runs");
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a writable folder");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("the file was written")
}

fn verdicts_and_runs_are_printed(folder: &Path) {
    write(folder, "m.oc", MACHINE);
    let checked = run(folder, &["check", "m.oc", "--most", "3"]);
    assert_eq!(checked.status, 1, "{}{}", checked.stdout, checked.stderr);
    for part in [
        "unknown never c",
        "fails   never d",
        "a inc b",
        "place = b",
        "counter",
        "(--most)",
    ] {
        assert!(checked.stdout.contains(part), "{part}:\n{}", checked.stdout);
    }
    let asked = run(
        folder,
        &["check", "m.oc", "--spec", "never nowhere", "--most", "2"],
    );
    assert_eq!(asked.status, 2, "{}", asked.stdout);
}

fn json_is_as_the_schema_says_and_has_the_number(folder: &Path) {
    write(
        folder,
        "m.oc",
        "start a\na inc b\nb dec c\nc zero a\nsteps c\nsteps d\nnever d\n",
    );
    let checked = run(folder, &["check", "m.oc", "--json"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    let json = checked.json();
    assert_eq!(schema::problems(&json), Vec::<String>::new());
    assert_eq!(json["properties"][0]["value"]["exact"], "2");
    assert_eq!(json["properties"][0]["evidence"]["checked"], false);
    assert_eq!(json["properties"][1]["value"], "infinity");
    assert_eq!(json["properties"][1]["evidence"]["checked"], true);
    let lines = run(folder, &["check", "m.oc", "--json-lines"]);
    assert_eq!(lines.stdout.lines().count(), 3, "{}", lines.stdout);
}

fn racing_engines_agree_with_one(folder: &Path) {
    write(
        folder,
        "m.oc",
        "start a\na inc b\nb inc c\nc dec c\nnever c\nsteps c\nnever d\n",
    );
    let verdicts = |arguments: &[&str]| -> Vec<String> {
        let checked = run(folder, &[&["check", "m.oc", "--json"], arguments].concat());
        let json = checked.json();
        let all = json["properties"].as_array().expect("a list").iter();
        all.map(|one| one["verdict"].to_string()).collect()
    };
    let expected = ["\"fails\"", "\"holds\"", "\"holds\""];
    assert_eq!(verdicts(&[]), expected);
    assert_eq!(verdicts(&["--engine", "breadth"]), expected);
    assert_eq!(
        verdicts(&["--engine", "depth"]),
        ["\"fails\"", "\"unknown\"", "\"holds\""]
    );
}

fn a_report_and_traces_are_written(folder: &Path) {
    write(folder, "m.oc", MACHINE);
    for name in ["r.html", "t.vcd", "t.csv", "t.dot", "t.txt", "t.html"] {
        let option = if name == "r.html" { "--report" } else { "--trace" };
        let checked = run(folder, &["check", "m.oc", "--most", "3", option, name]);
        assert_eq!(checked.status, 1, "{name}: {}", checked.stderr);
        assert!(read(folder, name).contains("counter"), "{name}");
    }
}

fn evidence_is_saved_and_certified(folder: &Path) {
    write(
        folder,
        "m.oc",
        "start a\na inc b\nb dec c\nc zero a\nnever c\nnever d\nsteps c\n",
    );
    let checked = run(folder, &["check", "m.oc", "--evidence", "out"]);
    assert_eq!(checked.status, 1, "{}", checked.stderr);
    let mut names: Vec<String> = std::fs::read_dir(folder.join("out"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let statuses: Vec<i32> = names
        .iter()
        .map(|name| run(folder, &["certify", "m.oc", &format!("out/{name}")]).status)
        .collect();
    assert_eq!(statuses, [0, 0, 2], "{names:?}");
    let viewed = run(folder, &["view", &format!("out/{}", names[0])]);
    assert!(viewed.stdout.contains("place = b"), "{}", viewed.stdout);
}

/// The documents have no checksum, so that the checker alone has to find out.
fn false_evidence_is_rejected(folder: &Path) {
    write(
        folder,
        "m.oc",
        "start a\na inc b\nb dec c\nnever c\nnever d\nsteps c\n",
    );
    let state = |place: &str, counter: u64| serde_json::json!({"place": place, "counter": counter});
    let right = [state("a", 0), state("b", 1), state("c", 0)];
    let document = |formula: &str, verdict: &str, value: Json, evidence: Json| {
        serde_json::json!({
            "format": "entail-evidence", "property": {"name": null, "formula": formula, "logic": "safety"},
            "verdict": verdict, "guarantee": "complete", "value": value, "evidence": evidence,
        })
    };
    let ran =
        |states: &[Json]| serde_json::json!({"kind": "run", "trace": {"loop_start": null, "steps": states}});
    let set = |states: &[Json]| serde_json::json!({"kind": "closed-set", "configurations": states});
    let number = |steps: u64| serde_json::json!({"exact": steps.to_string()});
    for (expected, claim) in [
        (0, document("never c", "fails", Json::Null, ran(&right))),
        (1, document("never c", "holds", Json::Null, ran(&right))),
        (1, document("never c", "fails", Json::Null, ran(&right[1..]))),
        (1, document("never c", "fails", Json::Null, ran(&right[..2]))),
        (1, document("never c", "fails", Json::Null, ran(&[]))),
        (1, document("never d", "fails", Json::Null, ran(&right))),
        (
            1,
            document(
                "never c",
                "fails",
                Json::Null,
                ran(&[state("a", 0), state("c", 0)]),
            ),
        ),
        (0, document("never d", "holds", Json::Null, set(&right))),
        (1, document("never c", "holds", Json::Null, set(&right))),
        (1, document("never d", "fails", Json::Null, set(&right))),
        (1, document("never d", "holds", Json::Null, set(&right[..2]))),
        (1, document("never d", "holds", Json::Null, set(&right[1..]))),
        (2, document("steps c", "holds", number(2), ran(&right))),
        (1, document("steps c", "holds", number(3), ran(&right))),
        (1, document("steps c", "holds", "infinity".into(), ran(&right))),
        (1, document("steps c", "holds", "infinity".into(), set(&right))),
    ] {
        write(folder, "claim.json", &claim.to_string());
        let certified = run(folder, &["certify", "m.oc", "claim.json"]);
        assert_eq!(
            certified.status, expected,
            "{claim}\n{}{}",
            certified.stdout, certified.stderr
        );
    }
}

fn walks_are_made_and_resumed(folder: &Path) {
    write(folder, "m.oc", MACHINE);
    let walked = run(
        folder,
        &[
            "simulate",
            "m.oc",
            "--steps",
            "5",
            "--seed",
            "3",
            "--trace",
            "walk.json",
        ],
    );
    assert_eq!(walked.status, 0, "{}", walked.stderr);
    assert!(walked.stdout.contains("counter"), "{}", walked.stdout);
    let resumed = run(
        folder,
        &[
            "simulate",
            "m.oc",
            "--from",
            "walk.json",
            "--steps",
            "0",
            "--json",
        ],
    );
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let saved: Json = serde_json::from_str(&read(folder, "walk.json")).expect("JSON");
    assert_eq!(resumed.json()["trace"], saved["trace"]);
    assert!(run(folder, &["view", "walk.json"]).stdout.contains("place = "));
}

fn models_are_converted(folder: &Path) {
    let text = "start a\na inc b\nb dec a\nnever c\n";
    write(folder, "m.oc", text);
    assert_eq!(run(folder, &["convert", "m.oc", "again.oc"]).status, 0);
    assert_eq!(read(folder, "again.oc"), text);
    assert_eq!(run(folder, &["convert", "m.oc", "states.aut"]).status, 0);
    assert!(read(folder, "states.aut").starts_with("des"));
    assert_eq!(run(folder, &["compare", "m.oc", "states.aut"]).status, 0);
    write(folder, "endless.oc", ENDLESS);
    let refused = run(folder, &["convert", "endless.oc", "endless.aut"]);
    assert_ne!(refused.status, 0);
    assert!(refused.stderr.contains("more than"), "{}", refused.stderr);
}

fn limits_leave_the_answer_unknown(folder: &Path) {
    write(folder, "m.oc", ENDLESS);
    let checked = run(
        folder,
        &[
            "check",
            "m.oc",
            "--most",
            "18446744073709551615",
            "--timeout",
            "500ms",
        ],
    );
    assert_eq!(checked.status, 2, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("time limit"), "{}", checked.stdout);
}

fn options_that_mean_nothing_are_refused(folder: &Path) {
    write(folder, "m.oc", MACHINE);
    write(folder, "g.aut", "des (0, 1, 1)\n(0, \"a\", 0)\n");
    let foreign = run(folder, &["check", "g.aut", "--most", "3"]);
    assert_eq!(foreign.status, 64);
    assert!(foreign.stderr.contains("counters"), "{}", foreign.stderr);
    assert_eq!(run(folder, &["check", "m.oc", "--most", "many"]).status, 64);
    let engine = run(folder, &["check", "m.oc", "--engine", "bdd"]);
    assert_eq!(engine.status, 64);
    assert!(engine.stderr.contains("breadth, depth"), "{}", engine.stderr);
}

fn mistakes_are_shown_at_their_place(folder: &Path) {
    write(folder, "m.oc", "start a\na jump b\n");
    let checked = run(folder, &["check", "m.oc"]);
    assert_eq!(checked.status, 65);
    for part in ["m.oc:2:1", "a jump b", "FROM inc|dec|zero TO"] {
        assert!(checked.stderr.contains(part), "{}", checked.stderr);
    }
    write(folder, "m.oc", "# nothing\n");
    assert_eq!(run(folder, &["check", "m.oc"]).status, 65);
}

fn engines_and_help_name_the_kind(folder: &Path) {
    let engines = run(folder, &["engines"]);
    assert!(engines.stdout.contains("breadth"), "{}", engines.stdout);
    let help = run(folder, &["check", "--help"]);
    assert!(help.stdout.contains("--most"), "{}", help.stdout);
    assert!(help.stdout.contains("counters"), "{}", help.stdout);
    let short = run(folder, &["check", "-h"]);
    assert!(!short.stdout.contains("--most"), "{}", short.stdout);
    let completions = run(folder, &["completions", "bash"]);
    assert!(completions.stdout.contains("--most"));
}
