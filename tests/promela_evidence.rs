//! Saved evidence about Promela models: what `check` saves `certify` accepts, and nothing else.

mod program;

use program::{Program, Run, example, text_file};
use serde_json::{Value as Json, json};
use std::path::Path;

const MODELS: [(&str, &[&str]); 5] = [
    // An assertion fails after a rendezvous.
    (
        "mtype = { data, stop }; chan line = [2] of { mtype, byte }; chan ready = [0] of { byte };
         active proctype sender() { ready?0; line!data,7; line!stop,0 }
         active proctype receiver() { byte got; ready!0; line?data,got; printf(\"%d\\n\", got); assert(got == 8) }",
        &[],
    ),
    // Two processes wait for each other.
    (
        "bit a, b; active proctype p() { !a -> a = 1; !b -> b = 1; a = 0 } active proctype q() { !b -> b = 1; !a -> a = 1; b = 0 }",
        &[],
    ),
    // A formula fails in a loop.
    (
        "byte x; active proctype p() { do :: x = (x + 1) % 3 od } active proctype q() { do :: x == 1 -> x = 2 od } ltl { <> [] (x == 0) }",
        &[],
    ),
    // The same under weak fairness.
    (
        "byte x, y; active proctype p() { do :: x = (x + 1) % 3 :: x == 2 -> x = 1 od } active proctype q() { do :: y = 1 - y od } ltl { <> [] (x == 1) }",
        &["--fairness", "weak"],
    ),
    // A never claim follows a finite run.
    (
        "byte x; active proctype p() { do :: x < 5 -> x++ od } never { do :: x == 3 -> break :: true od }",
        &[],
    ),
];

fn certify(model: &Path, evidence: &Json) -> Run {
    let file = text_file(&evidence.to_string(), ".json");
    Program::new().arg("certify").arg(model).arg(&file).run()
}

/// The evidence that `check` saves about every property.
fn saved(model: &Path, options: &[&str]) -> Vec<Json> {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Program::check(model)
        .args(options)
        .arg("--evidence")
        .arg(folder.path())
        .run();
    assert!(run.status <= 1, "{}", run.stderr);
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        // (Beside each run there is the same as a trail of SPIN's.)
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let text = std::fs::read_to_string(file).expect("a file");
            serde_json::from_str(&text).expect("a document")
        })
        .collect()
}

#[test]
fn saved_evidence_is_accepted() {
    for (text, options) in MODELS {
        let model = text_file(text, ".pml");
        let documents = saved(&model, options);
        assert!(documents.iter().any(|document| document["verdict"] == "fails"));
        for document in documents {
            let run = certify(&model, &document);
            assert_eq!(run.status, 0, "{}{}\n{document:#}", run.stdout, run.stderr);
        }
    }
    // The trace that is saved is evidence, too.
    let model = example("promela/philosophers.pml");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.json");
    Program::check(&model).arg("--trace").arg(&file).run();
    let run = Program::new().arg("certify").arg(&model).arg(&file).run();
    assert_eq!(
        run.stdout, "accepted: fails  safety (assert + invalid end)\n",
        "{}",
        run.stderr
    );
}

/// Every value of a document, by the way to it.
fn values(document: &Json, way: &str, found: &mut Vec<String>) {
    match document {
        Json::Object(members) => {
            for (key, value) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                values(value, &format!("{way}/{key}"), found);
            }
        }
        Json::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                values(item, &format!("{way}/{position}"), found);
            }
        }
        _ => found.push(way.to_owned()),
    }
}

/// What else could stand there.
fn others(value: &Json) -> Vec<Json> {
    match value {
        Json::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            vec![
                json!(number + 1),
                json!(number - 1),
                json!(300),
                Json::Null,
                json!("x"),
            ]
        }
        Json::String(text) => vec![json!(format!("{text}1")), json!(""), Json::Null],
        Json::Bool(truth) => vec![json!(!truth)],
        _ => vec![json!(0), json!(1)],
    }
}

#[test]
fn changed_evidence_is_rejected() {
    // What is only said about the file, and where sources were.
    let said = [
        "entail",
        "model",
        "language",
        "guarantee",
        "engine",
        "checked",
        "file",
        "logic",
    ];
    let mut changed = 0;
    for (text, options) in MODELS {
        let model = text_file(text, ".pml");
        let documents = saved(&model, options);
        let Some(document) = documents.iter().find(|document| document["verdict"] == "fails") else {
            panic!("{text} does not fail");
        };
        let mut ways = Vec::new();
        values(document, "", &mut ways);
        for way in ways {
            if said.iter().any(|key| way.ends_with(&format!("/{key}"))) {
                continue;
            }
            let original = document.pointer(&way).expect("a value").clone();
            for other in others(&original) {
                let mut copy = document.clone();
                *copy.pointer_mut(&way).expect("a value") = other.clone();
                let run = certify(&model, &copy);
                // A name does not matter if the text is the property's, nor does fairness that the run has anyway.
                let harmless = way == "/property/name" || way == "/fairness" && other.is_null();
                if run.status == 0 && harmless {
                    continue;
                }
                assert_ne!(
                    run.status, 0,
                    "{way} from {original} to {other}: {}\n{text}",
                    run.stdout
                );
                assert_ne!(run.status, 101, "{way}: {}", run.stderr);
                changed += 1;
            }
        }
        let steps = document["evidence"]["trace"]["steps"]
            .as_array()
            .expect("steps")
            .len();
        for at in 0..steps {
            for twice in [false, true] {
                let mut copy = document.clone();
                let list = copy["evidence"]["trace"]["steps"].as_array_mut().expect("steps");
                let step = list.remove(at);
                if twice {
                    list.splice(at..at, [step.clone(), step]);
                }
                let run = certify(&model, &copy);
                // A claim may have been at its end before the last step.
                if document["property"]["logic"] == "never" && at + 1 == steps && !twice {
                    continue;
                }
                assert_ne!(run.status, 0, "step {at}: {}\n{text}", run.stdout);
                changed += 1;
            }
        }
    }
    assert!(changed > 400, "{changed} changes");
}

#[test]
fn evidence_is_about_one_model_only() {
    let model = text_file(MODELS[0].0, ".pml");
    let documents = saved(&model, MODELS[0].1);
    let repaired = text_file(&MODELS[0].0.replace("got == 8", "got == 7"), ".pml");
    let run = certify(&repaired, &documents[0]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.starts_with("rejected: fails"), "{}", run.stdout);
    // That it holds is searched again.
    let holds = saved(&repaired, &[]);
    let run = certify(&model, &holds[0]);
    assert_eq!(run.status, 1, "{}{}", run.stdout, run.stderr);
    for text in [
        "",
        "{}",
        "[1",
        "{\"format\": \"entail-evidence\", \"verdict\": \"fails\"}",
    ] {
        let file = text_file(text, ".json");
        let run = Program::new().arg("certify").arg(&model).arg(&file).run();
        assert!(run.status > 1, "{text}: {}", run.stdout);
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn runs_and_state_graphs_are_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let (graph, trace) = (folder.path().join("graph.dot"), folder.path().join("run.dot"));
    let model = example("promela/two_philosophers.pml");
    let run = Program::check(&model)
        .arg("--dot")
        .arg(&graph)
        .arg("--trace")
        .arg(&trace)
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    let graph_text = std::fs::read_to_string(&graph).expect("the graph");
    let nodes = graph_text
        .lines()
        .filter(|line| line.starts_with("  s") && !line.contains("->"));
    assert_eq!(nodes.count(), 17, "{graph_text}");
    assert_eq!(graph_text.matches(" -> s").count(), 18);
    assert_eq!(graph_text.matches("mistyrose").count(), 2);
    assert!(
        graph_text.contains("philosopher(0): wait(_pid): fork[i] > 0; fork[i]--"),
        "{graph_text}"
    );
    let trace_text = std::fs::read_to_string(&trace).expect("the run");
    assert_eq!(trace_text.matches(" -> s").count(), 2, "{trace_text}");
    let large = example("promela/tictactoe.pml");
    let run = Program::check(&large).arg("--dot").arg(&graph).run();
    assert_eq!(run.status, 64, "{}", run.stderr);
    assert!(run.stderr.contains("more than 1000 states"), "{}", run.stderr);
}
