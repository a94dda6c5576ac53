//! What programs read.

mod sample;

use entail_report::json;
use sample::{Sample, golden};
use serde_json::Value as Json;

#[test]
fn the_document_has_the_keys_of_the_design_and_the_same_verdicts() {
    let sample = Sample::new();
    let text = json::report(&sample.report());
    assert_eq!(text.lines().count(), 1);
    let document: Json = serde_json::from_str(&text).expect("JSON");
    let properties = document["properties"].as_array().expect("a list");
    let verdicts: Vec<&str> = properties
        .iter()
        .filter_map(|property| property["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "fails", "fails", "fails", "holds", "unknown"]);
    for property in properties {
        for key in [
            "name",
            "formula",
            "logic",
            "verdict",
            "guarantee",
            "engine",
            "seconds",
            "evidence",
            "reason",
        ] {
            assert!(property.get(key).is_some(), "{key} is missing in {property}");
        }
    }
    assert_eq!(properties[1]["evidence"]["kind"], "lasso");
    assert_eq!(properties[1]["evidence"]["checked"], true);
    assert_eq!(properties[1]["evidence"]["trace"]["loop_start"], 2);
    assert_eq!(properties[3]["evidence"]["checked"], false);
    assert_eq!(properties[2]["violated"][0], "c0 != busy");
    assert_eq!(properties[4]["value"], 1);
    assert_eq!(properties[5]["evidence"], Json::Null);
    golden(
        "report.json",
        &format!("{}\n", serde_json::to_string_pretty(&document).expect("JSON")),
    );
}
