//! A mistake of Entail's about one property is said, saved and counted; the other properties have their answers. Mistakes are made on purpose
//! with `ENTAIL_FAULT`.

mod program;

use program::{Program, Run, model_file, text_file};
use serde_json::Value;
use std::path::Path;

const MODEL: &str = "MODULE main
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : x;
INVARSPEC NAME low := x < 3;
LTLSPEC NAME ends := F G x = 3;
CTLSPEC NAME reaches := EF x = 2;
";

const PROGRAM: &str = "byte x;
active proctype p() { x = 1; x = 2 }
ltl small { [] (x < 3) }
ltl ends { <> [] (x == 2) }
ltl never_two { [] (x < 2) }
";

/// A run with a fault, its cases saved in a folder.
fn faulty(model: &Path, fault: &str, folder: &Path, json: bool) -> Run {
    let program = Program::check(model)
        .environment("ENTAIL_FAULT", fault)
        .environment("TMPDIR", folder);
    match json {
        true => program.args(["--json"]).run(),
        false => program.run(),
    }
}

fn cases(folder: &Path) -> Vec<Value> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let cases = paths.filter(|path| path.to_string_lossy().contains("entail-case-"));
    cases
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON"))
        .collect()
}

fn check_fault(model: &Path, text: &str, fault: &str, others: [(usize, &str); 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = faulty(model, &format!("{fault}:2"), folder.path(), true);
    assert_eq!(run.status, 70, "{}{}", run.stdout, run.stderr);
    let verdicts = run.verdicts();
    assert_eq!(verdicts[1], "unknown");
    for (position, verdict) in others {
        assert_eq!(verdicts[position], verdict, "{}", run.stdout);
    }
    let answer = &run.json().expect("JSON")["properties"][1];
    let message = answer["internal_error"]["message"].as_str().expect("a message");
    assert!(
        answer["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(message))
    );
    assert!(
        answer["internal_error"]["case"]
            .as_str()
            .is_some_and(|file| Path::new(file).is_file())
    );
    let [case] = &cases(folder.path())[..] else {
        panic!("one case is saved");
    };
    assert_eq!(case["text"], text);
    assert_eq!(case["error"], message);
    assert_eq!(case["property"]["formula"], answer["formula"]);
    assert!(case["engine"].is_string());
    match fault {
        "panic" => assert!(case["panic"].as_str().is_some_and(|text| text.contains(".rs:"))),
        _ => assert!(!case["claim"].is_null(), "what was claimed is in the case"),
    }

    let run = faulty(model, &format!("{fault}:2"), folder.path(), false);
    assert_eq!(run.status, 70, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("internal error"), "{}", run.stdout);
    assert!(run.stdout.contains("entail-case-"), "{}", run.stdout);
    assert!(!run.stderr.contains("RUST_BACKTRACE"), "{}", run.stderr);
    for (_, verdict) in others {
        assert!(run.stdout.contains(verdict), "{}", run.stdout);
    }
}

#[test]
fn a_panic_or_rejected_evidence_about_one_property_of_a_system_loses_no_other() {
    let model = model_file(MODEL);
    for fault in ["panic", "lie"] {
        check_fault(&model, MODEL, fault, [(0, "fails"), (2, "holds")]);
    }
}

#[test]
fn a_panic_or_a_rejected_run_about_one_property_of_a_program_loses_no_other() {
    let model = text_file(PROGRAM, ".pml");
    let healthy = Program::check(&model).args(["--json"]).run().verdicts();
    for fault in ["panic", "lie"] {
        check_fault(&model, PROGRAM, fault, [(0, &healthy[0]), (2, &healthy[2])]);
    }
}

#[test]
fn cases_are_saved_where_evidence_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model_file(MODEL);
    let run = Program::check(&model)
        .environment("ENTAIL_FAULT", "lie:1")
        .arg("--evidence")
        .arg(folder.path())
        .run();
    assert_eq!(run.status, 70, "{}{}", run.stdout, run.stderr);
    assert_eq!(cases(folder.path()).len(), 1);
    assert!(
        folder.path().join("ends.json").is_file(),
        "the other evidence is there too"
    );
    assert!(
        !folder.path().join("low.json").exists(),
        "what was rejected is no evidence"
    );
}
