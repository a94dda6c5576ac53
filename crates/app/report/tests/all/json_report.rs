//! What programs read.

use crate::sample;
use crate::schema;
use entail_report::json;
use sample::{Sample, golden, program};
use serde_json::Value as Json;

fn document(sample: &Sample) -> Json {
    let text = json::report(&sample.report());
    assert_eq!(text.lines().count(), 1);
    serde_json::from_str(&text).expect("JSON")
}

fn pretty(document: &Json) -> String {
    format!("{document:#}\n")
}

#[test]
fn the_document_has_the_keys_of_the_design_and_the_same_verdicts() {
    let document = document(&Sample::new());
    let properties = document["properties"].as_array().expect("a list");
    let verdicts: Vec<&str> = properties
        .iter()
        .filter_map(|property| property["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "fails", "fails", "fails", "holds", "unknown"]);
    assert_eq!(properties[1]["evidence"]["kind"], "lasso");
    assert_eq!(properties[1]["evidence"]["checked"], true);
    assert_eq!(properties[1]["evidence"]["trace"]["loop_start"], 2);
    assert_eq!(properties[1]["place"]["line"], 4);
    assert_eq!(properties[3]["evidence"]["checked"], false);
    assert_eq!(properties[2]["violated"][0], "c0 != busy");
    assert_eq!(properties[4]["value"]["exact"], "1");
    assert_eq!(properties[5]["evidence"], Json::Null);
    assert_eq!(properties[5]["place"], Json::Null);
    golden("report.json", &pretty(&document));
}

#[test]
fn programs_have_the_same_document() {
    let document = document(&program());
    let run = &document["properties"][0]["evidence"];
    assert_eq!(run["kind"], "run");
    assert_eq!(run["trace"]["steps"][0]["receiver"]["statement"], "ready?got");
    assert_eq!(document["properties"][1]["reduction"]["used"], false);
    golden("program.json", &pretty(&document));
}

#[test]
fn documents_and_lines_are_as_the_published_schema_says() {
    for sample in [Sample::new(), program()] {
        let document = document(&sample);
        assert_eq!(schema::problems(&document), Vec::<String>::new());
        let report = sample.report();
        for answer in &report.answers {
            let line = json::line(&report, answer);
            assert_eq!(line.lines().count(), 1);
            let line: Json = serde_json::from_str(&line).expect("JSON");
            assert_eq!(schema::problems_of("line", &line), Vec::<String>::new());
        }
    }
}

#[test]
fn the_schema_refuses_what_it_should() {
    let good = document(&Sample::new());
    let refused = |change: &dyn Fn(&mut Json)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert_ne!(schema::problems(&bad), Vec::<String>::new());
    };
    refused(&|json| json["schema"] = "entail-report/2".into());
    refused(&|json| json["properties"][0]["verdict"] = "maybe".into());
    refused(&|json| json["properties"][0]["position"] = 0.into());
    refused(&|json| json["properties"][4]["value"] = 1.into());
    refused(&|json| json["properties"][1]["evidence"]["trace"]["steps"] = Json::Null);
    refused(&|json| {
        json["properties"][3]["evidence"]["tree"]["notes"][0]["explanation"]["truth"] = "no".into();
    });
}

#[test]
fn what_only_checkers_read_is_left_to_saved_evidence() {
    let mut sample = Sample::new();
    let evidence = serde_json::json!({"kind": "invariant", "formula": "x", "nodes": [1], "proof": {"kind": "k-liveness", "hazards": [2]}});
    sample.given[0].evidence = Some(sample::object(evidence));
    let reported = &document(&sample)["properties"][0]["evidence"];
    assert_eq!(reported["nodes"], Json::Null);
    assert_eq!(reported["proof"], serde_json::json!({"kind": "k-liveness"}));
    let answer = sample.answer(0);
    let saved = sample::saved::document("m", "smv", &sample.settings, &answer);
    assert_eq!(saved["evidence"]["nodes"][0], 1);
}
