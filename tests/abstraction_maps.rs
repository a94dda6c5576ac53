//! `entail check --abstract` and `--three-valued`: verdicts, what they say, what is wrong with maps, and evidence that is checked again.

mod program;

use program::{Program, Run, example, text_file};

fn abstracted(model: &str, map: &str, further: &[&str]) -> Run {
    Program::check(&example(&format!("abstraction/{model}")))
        .arg("--abstract")
        .arg(example(&format!("abstraction/{map}")))
        .args(further)
        .run()
}

#[test]
fn the_book_s_maps_answer_as_in_the_book() {
    let unknown = abstracted("mutex.smv", "m3.abs", &["--property", "rest"]);
    assert_eq!(unknown.status, 2, "{}{}", unknown.stdout, unknown.stderr);
    assert!(
        unknown
            .stdout
            .contains("[class = b3] -> [class = b1] is to blame"),
        "{}",
        unknown.stdout
    );
    let known = abstracted("mutex.smv", "m3.abs", &["--property", "returns", "-v"]);
    assert_eq!(known.status, 0);
    assert!(
        known.stdout.contains("2  class = b3  -> 0?, 3"),
        "{}",
        known.stdout
    );
    assert_eq!(
        abstracted("mutex.smv", "m4.abs", &["--property", "rest"]).status,
        0
    );
    let refined = abstracted(
        "mutex.smv",
        "m3.abs",
        &["--property", "rest", "--three-valued", "--json"],
    );
    assert_eq!(refined.verdicts(), ["holds"]);
    let json = refined.json().expect("a document");
    let answer = &json["properties"][0];
    assert_eq!(answer["rounds"].as_array().map(Vec::len), Some(2));
    assert_eq!(answer["evidence"]["kind"], "modal");
    assert_eq!(answer["evidence"]["checked"], true);
}

#[test]
fn existential_abstraction_says_what_it_cannot_say() {
    let light = abstracted("traffic_light.smv", "traffic_light.abs", &[]);
    assert_eq!(light.status, 2);
    assert_eq!(
        light.stdout.matches("which may be spurious").count(),
        2,
        "{}",
        light.stdout
    );
    let refined = abstracted("traffic_light.smv", "traffic_light.abs", &["--three-valued"]);
    assert_eq!(refined.status, 0, "{}", refined.stdout);
    assert_eq!(abstracted("signs.smv", "signs.abs", &[]).status, 0);
    let some = abstracted("mutex.smv", "first_process.abs", &["--spec", "EF T1"]);
    assert_eq!(some.status, 2);
    assert!(
        some.stdout.contains("mode may is for formulas about all paths"),
        "{}",
        some.stdout
    );
    let inappropriate = abstracted("mutex.smv", "first_process.abs", &["--spec", "AG !C2"]);
    assert!(
        inappropriate.stdout.contains("not appropriate"),
        "{}",
        inappropriate.stdout
    );
    let must = text_file("mode must; visible p1; states reachable;", ".abs");
    let proved = Program::check(&example("abstraction/mutex.smv"))
        .arg("--abstract")
        .arg(&must)
        .args(["--spec", "EF T1", "--json"])
        .run();
    assert_eq!(proved.verdicts(), ["holds"]);
}

#[test]
fn without_a_map_the_property_s_atoms_are_the_beginning() {
    let run = Program::check(&example("abstraction/mutex.smv"))
        .args(["--three-valued", "--json"])
        .run();
    assert_eq!(run.verdicts(), ["holds", "fails", "holds", "holds", "holds"]);
    let plain = Program::check(&example("abstraction/mutex.smv"))
        .arg("--json")
        .run();
    assert_eq!(plain.verdicts(), run.verdicts());
}

#[test]
fn mistakes_in_maps_have_their_place() {
    for (map, word, line) in [
        ("visible p1,\n  p3;", "no variable or define `p3`", 2),
        ("map p1 {\n  a: N1;\n  b: T1;\n}", "do not cover p1 = critical", 1),
        (
            "map p1 {\n  a: N1;\n  b: !C1;\n  c: C1;\n}",
            "overlap: both have p1 = neutral",
            3,
        ),
        ("visible flag;\npredicate moves = 1;", "input `moves`", 2),
        ("predicate next(flag);", "next value of `flag`", 1),
        ("predicate flag + 1 = 2;", "", 1),
        ("mode perhaps;", "perhaps", 1),
        ("visible flag", "ends with `;`", 1),
    ] {
        let file = text_file(map, ".abs");
        let run = Program::check(&example("abstraction/mutex.smv"))
            .arg("--abstract")
            .arg(&file)
            .run();
        assert_eq!(run.status, 65, "{map}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(word), "{map}: {}", run.stderr);
        assert!(run.stderr.contains(&format!(":{line}:")), "{map}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
    let missing = Program::check(&example("abstraction/mutex.smv"))
        .args(["--abstract", "nowhere.abs"])
        .run();
    assert_eq!(missing.status, 65);
    let both = Program::check(&example("abstraction/mutex.smv"))
        .args(["--three-valued", "--engine", "bdd"])
        .run();
    assert_eq!(both.status, 64, "{}", both.stderr);
}

#[test]
fn saved_abstract_models_are_certified_and_spoiled_ones_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = example("abstraction/mutex.smv");
    let run = Program::check(&model)
        .args(["--three-valued", "--property", "rest", "--evidence"])
        .arg(folder.path())
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let saved: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(saved.len(), 1);
    let certified = Program::new().arg("certify").arg(&model).arg(&saved[0]).run();
    assert_eq!(certified.status, 0, "{}{}", certified.stdout, certified.stderr);
    let text = std::fs::read_to_string(&saved[0]).expect("a document");
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let row = &mut document["evidence"]["may"][0];
    assert!(row.as_array().is_some_and(|row| !row.is_empty()), "{row}");
    *row = serde_json::json!([]);
    document["evidence"]["must"][0] = serde_json::json!([]);
    std::fs::write(&saved[0], document.to_string()).expect("writable");
    let spoiled = Program::new().arg("certify").arg(&model).arg(&saved[0]).run();
    assert_ne!(spoiled.status, 0, "{}", spoiled.stdout);
}
