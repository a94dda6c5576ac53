//! Files that are written: complete or not at all, sealed, escaped for their format, under names of their own; and what is printed.

mod program;

use program::{Program, Run, bytes_file, example, model_file, text_file};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const COUNTER: &str = "MODULE main
VAR x : 0..5;
ASSIGN init(x) := 0; next(x) := x < 5 ? x + 1 : 0;
INVARSPEC NAME below_five := x < 5;
LTLSPEC NAME returns := G F x = 0;
CTLSPEC NAME reaches := EF x = 3;
";

fn saved(model: &Path, folder: &Path) -> Vec<PathBuf> {
    let run = Program::check(model).arg("--evidence").arg(folder).run();
    assert!([0, 1].contains(&run.status), "{}{}", run.stdout, run.stderr);
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    // (Beside a run of a program there is the same as a trail of SPIN's.)
    files.retain(|file| file.extension().is_none_or(|extension| extension != "trail"));
    files.sort();
    files
}

fn certify(model: &Path, evidence: &Path) -> Run {
    Program::new().arg("certify").arg(model).arg(evidence).run()
}

#[test]
fn saved_evidence_is_sealed_and_a_broken_seal_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    for (model, program) in [(model_file(COUNTER), false), (text_file(PROGRAM, ".pml"), true)] {
        let folder = folder.path().join(program.to_string());
        for file in saved(&model, &folder) {
            let text = std::fs::read_to_string(&file).expect("readable");
            let mut document: Value = serde_json::from_str(&text).expect("JSON");
            for key in ["checksum", "digest"] {
                assert!(
                    document[key]
                        .as_str()
                        .is_some_and(|text| text.starts_with("sha256:")),
                    "{key}: {text}"
                );
            }
            assert_eq!(document["version"], 1);
            let run = certify(&model, &file);
            assert!([0, 2].contains(&run.status), "{}{}", run.stdout, run.stderr);
            assert!(run.stderr.is_empty(), "{}", run.stderr);

            document["engine"] = "another".into();
            let broken = bytes_file(&folder, "broken", document.to_string().as_bytes());
            let run = certify(&model, &broken);
            assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
            assert!(
                run.stdout.contains("rejected") && run.stdout.contains("checksum"),
                "{}",
                run.stdout
            );

            document
                .as_object_mut()
                .expect("an object")
                .shift_remove("checksum");
            let old = bytes_file(&folder, "old", document.to_string().as_bytes());
            let run = certify(&model, &old);
            assert!([0, 2].contains(&run.status), "{}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("no checksum"), "{}", run.stderr);

            document["version"] = 99.into();
            let later = bytes_file(&folder, "later", document.to_string().as_bytes());
            let run = certify(&model, &later);
            assert_eq!(run.status, 65, "{}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("99"), "{}", run.stderr);
        }
    }
}

#[test]
fn evidence_for_another_version_of_the_model_is_checked_and_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model_file(COUNTER);
    let other = model_file(&format!("-- a comment\n{COUNTER}"));
    for file in saved(&model, folder.path()) {
        let run = certify(&other, &file);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("another version"), "{}", run.stderr);
    }
}

#[test]
fn a_name_must_be_that_of_the_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model_file(COUNTER);
    let file = saved(&model, folder.path())
        .into_iter()
        .find(|file| file.ends_with("below_five.json"));
    let text = std::fs::read_to_string(file.expect("evidence")).expect("readable");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    document
        .as_object_mut()
        .expect("an object")
        .shift_remove("checksum");
    for wrong in ["returns", "nobody"] {
        document["property"]["name"] = wrong.into();
        let renamed = bytes_file(folder.path(), "renamed", document.to_string().as_bytes());
        let run = certify(&model, &renamed);
        assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("rejected") && run.stdout.contains(wrong),
            "{}",
            run.stdout
        );
    }
    document["property"]["name"] = "below_five".into();
    document["property"]["logic"] = "ltl".into();
    let other = bytes_file(folder.path(), "other", document.to_string().as_bytes());
    assert_eq!(
        certify(&model, &other).status,
        1,
        "the formula is meant as an invariant"
    );
}

#[test]
fn evidence_without_fairness_that_ctl_ignores_is_accepted() {
    let text = "MODULE main VAR x : boolean; y : boolean; COMPASSION (x, y)\nCTLSPEC NAME may := EF x; CTLSPEC NAME must := AF y;";
    let model = model_file(text);
    let folder = tempfile::tempdir().expect("a folder");
    for file in saved(&model, folder.path()) {
        let run = certify(&model, &file);
        assert_eq!(run.status, 0, "{}: {}{}", file.display(), run.stdout, run.stderr);
    }
}

#[test]
fn every_property_has_a_file_of_its_own() {
    let long = "n".repeat(3_000);
    let specs = ["a_b", "A_B", &long, &format!("{long}m"), "c-1"]
        .map(|name| format!("LTLSPEC NAME {name} := F x = 1;\n"))
        .concat();
    let model = model_file(&format!(
        "MODULE main VAR x : 0..1; ASSIGN next(x) := 1 - x;\n{specs}LTLSPEC NAME \"a/b\" := F x = 1;\nLTLSPEC F x = 0;\n"
    ));
    let run = Program::check(&model).args(["--json"]).run();
    let count = run.verdicts().len();
    let folder = tempfile::tempdir().expect("a folder");
    let files = saved(&model, folder.path());
    assert_eq!(files.len(), count, "{files:?}");
    for file in files {
        assert_eq!(certify(&model, &file).status, 0, "{}", file.display());
    }
}

const HOSTILE: &str = "MODULE main
VAR \"<script>alert(1)</script>\" : {a, \"</td><b>\"};
ASSIGN init(\"<script>alert(1)</script>\") := a;
INVARSPEC \"<script>alert(1)</script>\" = a;
";

#[test]
fn html_files_are_html_and_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model_file(HOSTILE);
    let (trace, view, walk, saved) = (
        folder.path().join("trace.html"),
        folder.path().join("view.html"),
        folder.path().join("walk.html"),
        folder.path().join("trace.json"),
    );
    let run = Program::check(&model).arg("--trace").arg(&trace).run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(Program::check(&model).arg("--trace").arg(&saved).run().status, 1);
    let run = Program::new().arg("view").arg(&saved).arg("-o").arg(&view).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = Program::new()
        .arg("simulate")
        .arg(&model)
        .args(["--steps", "3", "--trace"])
        .arg(&walk)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    for file in [trace, view, walk] {
        let page = std::fs::read_to_string(&file).expect("written");
        assert!(page.starts_with("<!DOCTYPE html>"), "{}", file.display());
        assert!(page.contains("Content-Security-Policy"));
        assert!(!page.contains("<script>alert"), "{}", file.display());
        assert!(!page.contains("</td><b>"), "{}", file.display());
    }
}

const PROGRAM: &str = "byte x;
active proctype p() { x = 1; printf(\"\u{1b}[2J%d\u{7}\\n\", x); assert(x == 0) }
ltl small { [] (x < 3) }
";

#[test]
fn traces_of_programs_in_html_are_pages_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = text_file(PROGRAM, ".pml");
    let file = folder.path().join("run.html");
    let run = Program::check(&model).arg("--trace").arg(&file).run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    let page = std::fs::read_to_string(&file).expect("written");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
}

fn no_commands(text: &str) {
    let command = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    assert!(!text.chars().any(command), "{text:?}");
}

#[test]
fn control_characters_of_files_do_not_reach_the_terminal() {
    let symbol = "\"a\u{1b}]0;x\u{7}\u{9b}2J\u{7f}\"";
    let model = model_file(&format!(
        "MODULE main VAR {symbol} : boolean;\nINVARSPEC NAME {symbol} := {symbol};\nINVARSPEC {symbol} & TRUE;\n"
    ));
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("t.json");
    let mut runs = vec![
        Program::check(&model).run(),
        Program::check(&model).args(["--json"]).run(),
        Program::check(&model).arg("--trace").arg(&saved).run(),
        Program::new().arg("view").arg(&saved).run(),
        Program::new().arg("certify").arg(&model).arg(&saved).run(),
        Program::new()
            .arg("simulate")
            .arg(&model)
            .args(["--steps", "2"])
            .run(),
        Program::check(&model).args(["--property", "\u{1b}[2J"]).run(),
        Program::check(&model).args(["--spec", "\u{1b}[2J +"]).run(),
        Program::check(Path::new("\u{1b}[2J.smv")).run(),
    ];
    let wrong = model_file("MODULE main VAR x : boolean; INIT \u{1b}[2J\u{9b} x & ;");
    runs.push(Program::check(&wrong).run());
    let program = text_file(PROGRAM, ".pml");
    runs.push(Program::check(&program).run());
    runs.push(
        Program::new()
            .arg("simulate")
            .arg(&program)
            .args(["--steps", "9"])
            .run(),
    );
    for run in runs {
        assert!(
            [0, 1, 64, 65].contains(&run.status),
            "{} {}",
            run.status,
            run.stderr
        );
        no_commands(&run.stdout);
        no_commands(&run.stderr);
    }
}

#[cfg(target_os = "linux")]
mod full_disk {
    use super::*;

    #[test]
    fn output_that_cannot_be_written_is_an_error() {
        let model = model_file(COUNTER);
        let commands: [Vec<&str>; 6] = [
            vec!["check"],
            vec!["check", "--json"],
            vec!["--help"],
            vec!["engines"],
            vec!["simulate", "--steps", "3"],
            vec!["ltl", "simplify", "G F a"],
        ];
        for arguments in commands {
            let needs_model = ["check", "simulate"].contains(&arguments[0]);
            let mut command = Program::new().args(&arguments).command();
            if needs_model {
                command.arg(&model);
            }
            let full = std::fs::File::options()
                .write(true)
                .open("/dev/full")
                .expect("a device");
            let output = command
                .stdout(full)
                .stderr(Stdio::piped())
                .output()
                .expect("it runs");
            assert_eq!(output.status.code(), Some(74), "{arguments:?}");
            assert!(!output.stderr.is_empty(), "{arguments:?} says why");
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_loses_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let model = model_file(COUNTER);
        let report = folder.path().join("report.html");
        let run = Program::check(&model)
            .args(["--trace", "/dev/full", "--dot", "/nowhere/at/all.dot", "--report"])
            .arg(&report)
            .run();
        assert_eq!(run.status, 74, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("below_five"), "{}", run.stdout);
        assert!(
            run.stderr.contains("/dev/full") && run.stderr.contains("/nowhere"),
            "{}",
            run.stderr
        );
        assert!(report.is_file());
    }

    #[test]
    fn a_full_disk_leaves_no_part_of_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mount = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
            .arg(folder.path())
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            eprintln!("skipped: no file system may be mounted here");
            return;
        }
        let model = model_file(COUNTER);
        let small = bytes_file(folder.path(), "filler", &[0; 9_000]);
        let run = Program::check(&model)
            .arg("--report")
            .arg(folder.path().join("report.html"))
            .arg("--evidence")
            .arg(folder.path().join("evidence"))
            .run();
        let names: Vec<_> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_file() && *path != small)
            .collect();
        let _ = std::process::Command::new("umount").arg(folder.path()).status();
        assert_eq!(run.status, 74, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("1 fails"), "{}", run.stdout);
        assert!(names.is_empty(), "nothing is left behind: {names:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let text: String = (0..300)
        .map(|number| format!("LTLSPEC G F x = {};\n", number % 6))
        .collect();
    let model = model_file(&(COUNTER.to_owned() + &text));
    let mut child = Program::check(&model)
        .command()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(
        [Some(0), Some(1)].contains(&output.status.code()),
        "{:?}",
        output.status
    );
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn what_exists_is_replaced_only_by_what_is_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = example("mutex.smv");
    let file = bytes_file(folder.path(), "flat.smv", b"old");
    let run = Program::new().arg("convert").arg(&model).arg(&file).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        std::fs::read_to_string(&file)
            .expect("readable")
            .contains("MODULE")
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1,
        "nothing is left beside it"
    );
}

/// `B` can be come to after 2 + 2 + 3 units of time; `n` leaves its range in the end.
const TIMED: &str = "system:s
clock:1:x
int:1:0:2:0:n
event:a
process:P
location:P:A{initial: : invariant: x<=5}
location:P:B{labels: there}
location:P:C{labels: nowhere}
edge:P:A:A:a{provided: x>=2 : do: x=0; n=n+1}
edge:P:A:B:a{provided: x>=3 && n==2}
";

#[test]
fn what_timed_evidence_was_made_with_is_saved_with_it() {
    let model = text_file(TIMED, ".tck");
    let folder = tempfile::tempdir().expect("a folder");
    let run = Program::check(&model)
        .args(["--reach", "there", "--reach", "nowhere"])
        .args([
            "--optimal",
            "time",
            "--out-of-range",
            "disable",
            "--json",
            "--evidence",
        ])
        .arg(folder.path())
        .run();
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let properties = &document["properties"];
    assert_eq!(properties[0]["verdict"], "holds");
    assert_eq!(properties[0]["value"]["exact"], "7");
    assert_eq!(properties[1]["verdict"], "fails");
    for (number, property) in [(1, &properties[0]), (2, &properties[1])] {
        assert_eq!(property["evidence"]["checked"], true, "{property}");
        let file = folder.path().join(format!("property-{number}.json"));
        let certified = certify(&model, &file);
        assert_eq!(certified.status, 0, "{}{}", certified.stdout, certified.stderr);
    }
}

/// `B` is come to within 15 units of time, whatever happens, and no run goes to `C`.
#[test]
fn evidence_about_timed_runs_is_saved_and_judged_again() {
    let model = text_file(TIMED, ".tck");
    for (spec, more, verdict) in [
        ("G (P.A -> F[0,20] there)", None, "holds"),
        ("G (P.A -> F[0,10] there)", None, "fails"),
        ("F there", None, "holds"),
        ("G (there -> !nowhere)", None, "holds"),
        ("F nowhere", Some("--time-divergent"), "fails"),
        ("A<> there", Some("--time-divergent"), "holds"),
        ("A[] (P.A imply A<>[<=20] there)", None, "holds"),
        ("E<> (P.A && n == 0 && A<>[<=2] there)", None, "fails"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let run = Program::check(&model)
            .args(["--spec", spec, "--out-of-range", "disable", "--json"])
            .args(more)
            .arg("--evidence")
            .arg(folder.path())
            .run();
        let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        let property = &document["properties"][0];
        assert_eq!(property["verdict"], verdict, "{spec}: {}", run.stdout);
        assert_eq!(property["evidence"]["checked"], true, "{spec}: {property}");
        let certified = certify(&model, &folder.path().join("property-1.json"));
        assert_eq!(
            certified.status, 0,
            "{spec}: {}{}",
            certified.stdout, certified.stderr
        );
    }
}

#[test]
fn nothing_to_draw_is_said_and_does_not_change_the_answer() {
    let model = text_file(TIMED, ".tck");
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("run.svg");
    let run = Program::check(&model)
        .args(["--reach", "nowhere", "--out-of-range", "disable", "--gantt"])
        .arg(&picture)
        .run();
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("nothing is drawn"), "{}", run.stderr);
    assert!(!picture.exists());
}
