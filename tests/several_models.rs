//! Several models in one run, project files with expectations, and the formats of CI systems; errors as JSON.

mod program;

use program::Program;
use serde_json::Value;
use std::path::Path;

const GOOD: &str = "MODULE main\nVAR x : boolean;\nINVARSPEC NAME either := x | !x;\n";
const BAD: &str = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 4;\nINVARSPEC NAME small := x < 3;\nINVARSPEC NAME inside := x < 4;\n";
const WRONG: &str = "MODULE main\nVAR x : boolean;\nINVARSPEC y;\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("good.smv", GOOD), ("bad.smv", BAD), ("wrong.smv", WRONG)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn check(folder: &Path) -> Program {
    Program::new().arg("check").folder(folder)
}

#[test]
fn several_models_end_with_the_worst_status() {
    let folder = folder();
    let run = check(folder.path()).args(["good.smv", "bad.smv"]).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.contains("good.smv\nholds"), "{}", run.stdout);
    assert!(run.stdout.contains("bad.smv\nfails"), "{}", run.stdout);
    let run = check(folder.path())
        .args(["good.smv", "good.smv", "--json"])
        .run();
    assert_eq!(run.status, 0);
    let document = run.json().expect("one document");
    assert_eq!(document["models"].as_array().map(Vec::len), Some(2));
    let run = check(folder.path())
        .args(["good.smv", "wrong.smv", "bad.smv"])
        .run();
    assert_eq!(run.status, 65);
    let run = check(folder.path())
        .args(["good.smv", "bad.smv", "--report", "x.html"])
        .run();
    assert_eq!(run.status, 64);
}

#[test]
fn a_project_file_says_what_is_expected() {
    let folder = folder();
    let project = |text: &str| std::fs::write(folder.path().join("entail.toml"), text).expect("written");
    project(
        "options = [\"--timeout\", \"60s\"]\n[[model]]\nfiles = [\"good.smv\", \"bad.smv\"]\nexpect = { small = \"fails\" }\n",
    );
    let run = check(folder.path()).run();
    assert_eq!(run.status, 1, "good.smv has no such property: {}", run.stdout);
    project(
        "[[model]]\nfile = \"good.smv\"\n[[model]]\nfile = \"bad.smv\"\nexpect = { small = \"fails\" }\n",
    );
    let run = check(folder.path()).run();
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("as expected: fails"), "{}", run.stdout);
    project("[[model]]\nfile = \"bad.smv\"\nexpect = { inside = \"fails\", small = \"fails\" }\n");
    assert_eq!(check(folder.path()).run().status, 1);
    project("[[model]]\nfiel = \"bad.smv\"\n");
    let run = check(folder.path()).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("`fiel`"), "{}", run.stderr);
}

#[test]
fn results_are_there_in_the_formats_of_ci_systems() {
    let folder = folder();
    let run = check(folder.path())
        .args(["good.smv", "bad.smv", "wrong.smv", "--format", "junit"])
        .run();
    let counted = |what: &str| run.stdout.matches(what).count();
    assert_eq!(
        (counted("<testcase"), counted("<failure"), counted("<error")),
        (4, 1, 1),
        "{}",
        run.stdout
    );
    let run = check(folder.path())
        .args(["bad.smv", "wrong.smv", "--format", "sarif"])
        .run();
    let document: Value = run.json().expect("one document");
    let results = document["runs"][0]["results"].as_array().expect("a list");
    let levels: Vec<&str> = results.iter().filter_map(|one| one["level"].as_str()).collect();
    assert_eq!(levels, ["error", "error"], "{document}");
    let place = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 3, "{place}");
}

#[test]
fn errors_are_json_where_json_was_asked_for() {
    let folder = folder();
    let run = check(folder.path()).args(["wrong.smv", "--json"]).run();
    assert_eq!(run.status, 65);
    let document = run.json().expect("one document");
    let error = &document["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"]),
        (&3.into(), &11.into()),
        "{document}"
    );
    assert!(
        error["code"]
            .as_str()
            .is_some_and(|code| code.starts_with("smv::")),
        "{document}"
    );
    for (arguments, code) in [
        (&["missing.smv", "--json"][..], "entail::input"),
        (&["missing.smv", "--json-lines"], "entail::input"),
        (&["good.smv", "--json", "--engine", "none"], "entail::usage"),
        (&["good.smv", "--json", "--property", "none"], "entail::usage"),
    ] {
        let run = check(folder.path()).args(arguments).run();
        let document = run
            .json()
            .unwrap_or_else(|| panic!("{arguments:?}: {}", run.stdout));
        assert!(document["reason"].is_string(), "{document}");
        let error = &document["errors"][0];
        assert_eq!(error["code"], code, "{document}");
        assert!(
            error["line"].is_null() && error["message"].is_string(),
            "{document}"
        );
    }
}

#[test]
fn a_project_has_limits_selections_and_is_found_from_folders_below() {
    let folder = folder();
    let project = |text: &str| std::fs::write(folder.path().join("entail.toml"), text).expect("written");
    project("timeout = \"60s\"\n[[model]]\nfile = \"bad.smv\"\nproperty = \"inside\"\nmemory = \"2GiB\"\n");
    let below = folder.path().join("below");
    std::fs::create_dir(&below).expect("a folder");
    for place in [folder.path(), &below] {
        let run = check(place).args(["--timeout", "50s"]).run();
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        assert!(
            run.stdout.contains("inside") && !run.stdout.contains("small"),
            "{}",
            run.stdout
        );
    }
    project("timeout = 60\n[[model]]\nfile = \"bad.smv\"\n");
    assert_eq!(check(folder.path()).run().status, 65);
}

#[test]
fn a_strict_run_that_fails_has_a_failing_test() {
    let folder = folder();
    let vacuous =
        "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := FALSE;\nLTLSPEC G (x -> F !x)\n";
    std::fs::write(folder.path().join("vacuous.smv"), vacuous).expect("written");
    let run = check(folder.path())
        .args(["vacuous.smv", "--strict", "--format", "junit"])
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stdout.contains("name=\"strict\"") && run.stdout.contains("vacuously"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_random_walk_takes_every_value_of_an_input_beside_a_wide_one() {
    let model = "MODULE main\nIVAR a : boolean; w : unsigned word[32];\nVAR seen : boolean; last : unsigned word[32];\nASSIGN init(seen) := FALSE; next(seen) := seen | a; init(last) := 0ud32_0; next(last) := w;\nINVARSPEC TRUE;\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.smv");
    std::fs::write(&path, model).expect("written");
    let run = Program::new()
        .arg("simulate")
        .arg(&path)
        .args(["--steps", "12", "--json"])
        .run();
    let document = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
    let steps = document["evidence"]["trace"]["steps"].as_array().expect("a list");
    let values = |name: &str| -> std::collections::BTreeSet<String> {
        steps
            .iter()
            .filter(|step| !step[name].is_null())
            .map(|step| step[name].to_string())
            .collect()
    };
    assert_eq!(values("a").len(), 2, "{document}");
    assert!(values("w").len() > 8, "{document}");
}

#[test]
fn conditions_restrict_random_walks_over_wide_inputs() {
    let model = "MODULE main\nIVAR a : boolean; w : unsigned word[100];\nVAR last : unsigned word[100];\nASSIGN init(last) := 0ud100_0; next(last) := w;\nINVARSPEC TRUE;\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wide.smv");
    std::fs::write(&path, model).expect("written");
    let walk = |condition: &str| {
        let run = Program::new()
            .arg("simulate")
            .arg(&path)
            .args(["--steps", "6", "--json", "-c", condition])
            .run();
        assert_eq!(run.status, 0, "{condition}: {}", run.stderr);
        run.json().unwrap_or_else(|| panic!("{}", run.stderr))
    };
    let found = walk("a");
    let steps = found["evidence"]["trace"]["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 7, "{found}");
    let chosen = steps.iter().filter(|step| !step["a"].is_null());
    assert!(
        chosen.clone().count() == 6 && chosen.clone().all(|step| step["a"] == true),
        "{found}"
    );
    // All of the wide word is drawn.
    let top = |step: &Value| {
        step["w"]
            .as_str()
            .is_some_and(|text| text.len() > "0ud100_".len() + 28)
    };
    assert!(chosen.clone().any(top), "{found}");
    // A condition that few values satisfy, none of which is among the first.
    let found = walk("w = 0ud100_1000000000000000000000 | last = 0ud100_0");
    let steps = found["evidence"]["trace"]["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 7, "{found}");
}
