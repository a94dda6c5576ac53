//! Two systems that were compared.

use entail_report::compare::{Compared, ComparisonReport};
use entail_report::text::TextOptions;
use entail_show::{Shown, View};
use serde_json::{Map, json};

fn system(name: &str) -> Compared<'_> {
    Compared {
        name,
        states: 3,
        transitions: 4,
    }
}

#[test]
fn the_sentence_comes_first_and_what_shows_it_below() {
    let lines = [
        "",
        "  <a>true",
        "",
        "is true of a and false of b (evaluated on both)",
    ]
    .map(String::from);
    let shown = Shown::default().main(View::Notes(lines.into()));
    let mut details = Map::new();
    details.insert("formula".into(), json!({"text": "<a>true"}));
    let report = ComparisonReport {
        systems: [system("a"), system("b")],
        relation: "strong",
        both_ways: true,
        related: Some(false),
        sentence: "a and b are not strongly bisimilar",
        reason: None,
        shown: &shown,
        details: &details,
        notes: &["something is hidden\x1b".into()],
        seconds: 0.5,
        check_seconds: 0.25,
    };
    assert_eq!(
        report.text(&TextOptions::default()),
        "a and b are not strongly bisimilar\nnote: something is hidden\n\n  <a>true\n\nis true of a and false of b (evaluated on both)\n"
    );
    let json = report.json();
    assert_eq!(json["answer"], "unrelated");
    assert_eq!(json["first"], json!({"name": "a", "states": 3, "transitions": 4}));
    assert_eq!(json["formula"]["text"], "<a>true");
}
