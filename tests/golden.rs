//! Small models of our own, a few for every language, each with its verdicts and why they are so in its first lines (`tests/expectation/mod.rs`
//! says how that is written). They are part of the project, so that nothing essential is skipped on a machine that has nothing else.

mod expectation;
mod program;

use expectation::{Expected, expected_files};
use program::root;

fn golden() -> Vec<Expected> {
    let files = expected_files(&root().join("tests/golden"), &[]);
    assert!(
        files.len() >= 30,
        "the golden models are missing: {} found",
        files.len()
    );
    files
}

#[test]
fn golden_models_have_the_verdicts_that_they_say() {
    let problems: Vec<String> = golden().iter().flat_map(Expected::problems).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn golden_models_say_why() {
    for file in golden() {
        assert!(!file.why.is_empty(), "{} does not say why", file.path.display());
    }
}

/// The engines that are asked one by one, by the extension of the file.
const ENGINES: &[(&str, &[&str])] = &[
    (
        "smv",
        &["explicit", "bdd", "ic3", "kind", "interpolation", "cegar"],
    ),
    ("aag", &["explicit", "bdd", "ic3", "kind", "gla"]),
    (
        "btor2",
        &["explicit", "bdd", "ic3", "interpolation", "predicates"],
    ),
];

/// An engine that cannot decide a property says so; what it decides is what is expected.
#[test]
fn engines_asked_one_by_one_contradict_no_golden_model() {
    let mut problems = Vec::new();
    let mut decided = 0;
    for file in golden() {
        let extension = file
            .path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let engines = ENGINES.iter().find(|(known, _)| *known == extension);
        let (Some((_, engines)), Some(expectation)) = (engines, file.verdicts()) else {
            continue;
        };
        let folder = file.path.parent().expect("a file is in a folder");
        for engine in *engines {
            let run = expectation.run(folder, &["--json", "--engine", engine, "--timeout", "1s"]);
            decided += run
                .verdicts()
                .iter()
                .filter(|verdict| *verdict != "unknown")
                .count();
            for problem in expectation.wrong_verdicts(&run, true) {
                problems.push(format!("{}: {engine}: {problem}", file.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(decided > 200, "only {decided} answers were compared");
}
