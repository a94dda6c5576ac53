//! Models too large to be searched state by state: several engines race, one wins, and its evidence can be saved and checked again.

mod program;

use program::{Program, model_file};
use serde_json::Value;

const TWINS: &str = "MODULE main
VAR a : unsigned word[20]; b : unsigned word[20]; moved : boolean;
IVAR move : boolean; by : unsigned word[8];
ASSIGN
  init(a) := 0ud20_0; init(b) := 0ud20_0; init(moved) := FALSE;
  next(a) := move ? a + extend(by, 12) : a;
  next(b) := move ? b + extend(by, 12) : b;
  next(moved) := move;
INVARSPEC NAME twins := a = b;
INVARSPEC NAME small := a < 0ud20_900;
LTLSPEC NAME always_twins := G a = b;
LTLSPEC NAME moves := G F moved;
LTLSPEC NAME moves_if_asked := G F move -> G F moved;
";

#[test]
fn racing_engines_decide_what_one_by_one_search_cannot() {
    let model = model_file(TWINS);
    let folder = tempfile::tempdir().expect("a folder");
    let run = Program::check(&model)
        .args(["--json", "--recheck", "--evidence"])
        .arg(folder.path())
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("one document");
    let verdicts: Vec<(&str, &str)> = report["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|property| {
            let text = |key: &str| property[key].as_str().expect("a text");
            assert_eq!(property["evidence"]["checked"], true, "{property}");
            (text("name"), text("verdict"))
        })
        .collect();
    let expected = [
        ("twins", "holds"),
        ("small", "fails"),
        ("always_twins", "holds"),
        ("moves", "fails"),
        ("moves_if_asked", "holds"),
    ];
    assert_eq!(verdicts, expected);
    for (name, _) in expected {
        let saved = folder.path().join(format!("{name}.json"));
        let certified = Program::new().args(["certify"]).arg(&model).arg(&saved).run();
        assert_eq!(
            certified.status, 0,
            "{name}: {}{}",
            certified.stdout, certified.stderr
        );
        assert!(
            certified.stdout.starts_with("accepted"),
            "{name}: {}",
            certified.stdout
        );
    }
    // The certificate of one property proves no other, and a damaged one proves nothing.
    let saved = std::fs::read_to_string(folder.path().join("twins.json")).expect("saved");
    for (from, to) in [("a = b", "a < 0ud20_900"), ("\"bit 1 0\"", "\"bit 1 1\"")] {
        let damaged = folder.path().join("damaged.json");
        std::fs::write(&damaged, saved.replacen(from, to, 1)).expect("written");
        let certified = Program::new().args(["certify"]).arg(&model).arg(&damaged).run();
        assert_ne!(certified.status, 0, "{from}: {}", certified.stdout);
    }
}

#[test]
fn an_error_of_the_model_found_by_a_racing_engine_is_an_error_of_the_model() {
    let model = model_file(
        "MODULE main
VAR a : unsigned word[24]; x : 0..3;
IVAR by : unsigned word[12];
ASSIGN init(a) := 0ud24_0; next(a) := a + extend(by, 12);
  init(x) := 0; next(x) := a > 0ud24_9000 ? x + 1 : x;
INVARSPEC NAME anything := x >= 0;
",
    );
    let run = Program::check(&model).run();
    assert!(
        run.status == 65 || run.status == 2,
        "{} {}",
        run.stdout,
        run.stderr
    );
}
