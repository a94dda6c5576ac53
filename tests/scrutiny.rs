//! A *holds* that means nothing is never silent, whichever engine found it: vacuity, dead ends, models without paths, `--strict`, `--witness`.

mod program;

use program::{Program, model_file, text_file};
use serde_json::Value;

fn report(model: &str, arguments: &[&str]) -> (i32, Value) {
    let run = Program::check(&model_file(model))
        .arg("--json")
        .args(arguments)
        .run();
    let document = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    (run.status, document)
}

/// The kinds of the warnings of each property.
fn warnings(report: &Value) -> Vec<Vec<String>> {
    let of = |property: &Value| {
        let list = property["warning_kinds"].as_array().into_iter().flatten();
        list.map(|kind| kind.as_str().expect("a kind").to_owned())
            .collect()
    };
    report["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(of)
        .collect()
}

/// `x` counts up and stops the whole model at 7; `a` is never true.
const ENDS: &str = "MODULE main
VAR x : 0..7;
INIT x = 0
TRANS next(x) = x + 1
LTLSPEC G (x < 5)
";

#[test]
fn every_engine_says_that_no_infinite_path_exists() {
    for engine in ["explicit", "bdd", "ic3", "gla", "cegar", "kind"] {
        let (status, found) = report(ENDS, &["--engine", engine, "--strict"]);
        let property = &found["properties"][0];
        if property["verdict"] == "unknown" {
            continue;
        }
        assert_eq!(property["verdict"], "holds", "{engine}");
        let kinds = warnings(&found);
        assert!(
            kinds[0].iter().any(|kind| kind == "no-fair-path"),
            "{engine}: {kinds:?}"
        );
        assert_eq!(status, 1, "{engine}");
    }
}

const NEVER_ASKED: &str = "MODULE main
VAR x : 0..3; y : 0..3; a : boolean; b : boolean;
ASSIGN
  init(x) := 0; next(x) := (x + 1) mod 4;
  init(y) := 0; next(y) := (y + 1) mod 4;
  init(a) := FALSE; next(a) := a;
  init(b) := FALSE; next(b) := {TRUE, FALSE};
INVARSPEC a -> b
CTLSPEC AG (a -> b)
LTLSPEC G (a -> F b)
CTLSPEC AG (a -> AF b)
INVARSPEC x = 1 -> !a
INVARSPEC x = y | b
LTLSPEC G (x = 2 -> X x = 3)
";

#[test]
fn an_antecedent_that_is_never_true_is_told_in_every_logic() {
    for engine in ["explicit", "bdd", "ic3"] {
        let (_, found) = report(NEVER_ASKED, &["--engine", engine]);
        let kinds = warnings(&found);
        let verdicts = found["properties"].as_array().expect("a list");
        for position in 0..6 {
            if verdicts[position]["verdict"] == "holds" {
                let wanted = if position < 4 {
                    "vacuous"
                } else {
                    "irrelevant-part"
                };
                assert!(
                    kinds[position].iter().any(|kind| kind == wanted),
                    "{engine} {position}: {}",
                    verdicts[position]
                );
            }
        }
        assert_eq!(verdicts[6]["verdict"], "holds", "{engine}");
        assert!(kinds[6].is_empty(), "{engine}: {}", verdicts[6]);
    }
}

/// Antecedents that the sorts of the variables exclude: the reader folds them away. Those that speak of no variable were switched off on purpose, and
/// what is true of all values may say so.
const IMPOSSIBLE: &str = "MODULE part(kind)
VAR p : boolean;
INVARSPEC kind = 2 -> p
MODULE main
VAR x : 0..7; y : 0..7; m : part(1);
DEFINE beyond := x = 9;
ASSIGN init(x) := 0; next(x) := x;
INVARSPEC x = 9 -> y = 1
INVARSPEC beyond -> y = 1
LTLSPEC G (x > 7 & y = 2 -> F y = 1)
CTLSPEC AG (x + y > 20 -> AF y = 1)
INVARSPEC x = 0 & (x + 1 = 9 -> y = 1)
INVARSPEC FALSE -> y = 1
INVARSPEC x < 8
";

#[test]
fn an_antecedent_that_no_value_meets_is_told_although_it_is_folded_away() {
    let (_, found) = report(IMPOSSIBLE, &[]);
    for (property, kinds) in found["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .zip(warnings(&found))
    {
        let text = property["formula"].as_str().expect("a text");
        assert_eq!(property["verdict"], "holds", "{text}");
        let wanted = text.contains("->") && !text.contains("FALSE") && !text.contains("kind");
        let told = kinds.iter().filter(|kind| *kind == "vacuous").count();
        assert_eq!(told, usize::from(wanted), "{property}");
    }
    let (status, found) = report(IMPOSSIBLE, &["--spec", "G (y = 8 -> X y = 1)", "--strict"]);
    assert_eq!(status, 1);
    assert!(warnings(&found)[0].contains(&"vacuous".to_owned()), "{found}");
}

#[test]
fn strict_fails_where_a_verdict_means_little_and_not_otherwise() {
    let (status, _) = report(NEVER_ASKED, &["--property", "1"]);
    assert_eq!(status, 0);
    let (status, _) = report(NEVER_ASKED, &["--property", "1", "--strict"]);
    assert_eq!(status, 1);
    let (status, _) = report(NEVER_ASKED, &["--property", "7", "--strict"]);
    assert_eq!(status, 0);
    let nothing = "MODULE main\nVAR x : boolean;\n";
    let run = Program::check(&model_file(nothing)).run();
    assert_eq!(run.status, 0);
    assert!(run.stderr.contains("no properties"), "{}", run.stderr);
    assert_eq!(
        Program::check(&model_file(nothing)).arg("--strict").run().status,
        1
    );
}

#[test]
fn a_witness_is_a_path_on_which_the_antecedent_happens() {
    let model = model_file(NEVER_ASKED);
    let run = Program::check(&model)
        .args(["--property", "7", "--witness"])
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("x = 2"), "{}", run.stdout);
    let (_, found) = report(NEVER_ASKED, &["--property", "7", "--witness"]);
    assert!(found["properties"][0]["witness"]["trace"].is_object(), "{found}");
}

#[test]
fn nothing_is_asked_on_request() {
    let (_, found) = report(NEVER_ASKED, &["--property", "6", "--no-vacuity"]);
    assert_eq!(warnings(&found), [Vec::<String>::new()]);
}

#[test]
fn dead_ends_are_told_beside_engines_that_see_paths_only() {
    let model = "MODULE main\nVAR x : 0..7; y : boolean;\nINIT x = 0\nTRANS next(x) = (y ? x : x + 1)\nINVARSPEC x < 8\n";
    for engine in ["explicit", "bdd", "ic3", "kind"] {
        let (_, found) = report(model, &["--engine", engine]);
        let kinds = warnings(&found);
        assert!(
            kinds[0].iter().any(|kind| kind == "dead-end"),
            "{engine}: {found}"
        );
    }
}

/// A response that nobody asks for.
const SILENT: &str = "bool asked, answered;
active proctype P() { do :: answered = !answered od }
ltl answers { [] (asked -> <> answered) }
ltl toggles { [] (answered -> <> !answered) }
";

#[test]
fn promela_formulas_are_asked_about_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("silent.pml");
    std::fs::write(&path, SILENT).expect("written");
    let run = Program::check(&path).args(["--json"]).run();
    let found: Value = serde_json::from_str(&run.stdout).expect("one document");
    let told = |name: &str| {
        let properties = found["properties"].as_array().expect("a list");
        let property = properties
            .iter()
            .find(|one| one["name"] == name)
            .expect("it is there");
        let kinds = property["warning_kinds"].as_array().expect("a list").iter();
        let kinds: Vec<&str> = kinds.filter_map(Value::as_str).collect();
        (kinds.join(" "), property["warnings"].to_string())
    };
    let (kinds, texts) = told("answers");
    assert_eq!(kinds, "vacuous", "{found}");
    assert!(texts.contains("`asked`"), "{texts}");
    // It is answered again and again anyway.
    let (kinds, texts) = told("toggles");
    assert_eq!(kinds, "irrelevant-part", "{found}");
    assert!(texts.contains("`!answered`"), "{texts}");
    // Properties stand at their lines.
    assert_eq!(found["properties"][1]["place"]["line"], 3, "{found}");
}

#[test]
fn a_witness_of_a_program_is_a_run_on_which_the_antecedent_happens() {
    let text = "bool asked, answered;
active proctype P() {
  do
  :: asked = true; answered = true; asked = false; answered = false
  :: skip
  od
}
ltl answers { [] (asked -> (asked U answered)) }
";
    let model = text_file(text, ".pml");
    let run = Program::check(&model)
        .args(["--property", "answers", "--witness", "--strict"])
        .run();
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("a path on which it holds and says something"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("asked = true"), "{}", run.stdout);
    let run = Program::check(&model)
        .args(["--property", "answers", "--witness", "--json"])
        .run();
    let found = run.json().expect("one document");
    assert_eq!(found["properties"][0]["witness"]["kind"], "run", "{found}");
}

#[test]
fn circuits_are_asked_about_too() {
    let model = program::root().join("examples/hardware/never_full.btor2");
    let run = Program::check(&model).args(["--json", "--strict"]).run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let found = run.json().expect("one document");
    assert_eq!(warnings(&found)[0], ["vacuous"], "{found}");
    let text = found["properties"][0]["warnings"][0].as_str().expect("a text");
    assert!(text.contains("push_when_full") || text.contains("full"), "{text}");
}
