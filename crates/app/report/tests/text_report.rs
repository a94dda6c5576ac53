//! What people see at a terminal.

mod sample;

use entail_evidence::DeadEnds;
use entail_evidence::json::{SavedEvidence, save};
use entail_report::{SignalTable, text};
use sample::{Sample, golden};

#[test]
fn a_report_has_a_line_a_property_and_shows_only_what_changes() {
    let sample = Sample::new();
    golden(
        "report.txt",
        &text::report(&sample.report(), &text::TextOptions::default()),
    );
}

#[test]
fn every_verdict_comes_first_on_its_line() {
    let sample = Sample::new();
    let report = sample.report();
    for answer in &report.properties {
        let text = text::property(&report.model, answer, &text::TextOptions::default());
        let word = text.split_whitespace().next();
        assert!(matches!(word, Some("holds" | "fails" | "unknown")), "{text}");
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    let sample = Sample::new();
    let report = sample.report();
    let plain = text::report(&report, &text::TextOptions::default());
    let coloured = text::report(
        &report,
        &text::TextOptions {
            colour: true,
            width: 100_000,
            ..text::TextOptions::default()
        },
    );
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some(start) = rest.find('\x1b') {
        stripped.push_str(&rest[..start]);
        let end = rest[start..].find('m').expect("a colour code ends") + start + 1;
        rest = &rest[end..];
    }
    stripped.push_str(rest);
    let wide = text::report(
        &report,
        &text::TextOptions {
            width: 100_000,
            ..text::TextOptions::default()
        },
    );
    assert_eq!(stripped, wide);
    assert_ne!(plain, coloured);
}

#[test]
fn a_saved_trace_is_shown_without_its_model() {
    let sample = Sample::new();
    let saved = save(
        &sample.system,
        ("arbiter.smv", "smv"),
        &sample.properties[1],
        &sample.outcomes[1],
        DeadEnds::Infinite,
        "explicit",
    );
    golden("saved_lasso.json", &saved);
    let saved = SavedEvidence::read(&saved).expect("what was written");
    golden(
        "saved_lasso.txt",
        &text::saved(&saved, &text::TextOptions::default()),
    );
    let trace = saved.trace().expect("there is one").expect("well-formed");
    assert_eq!(SignalTable::of_saved(&trace).loop_start, Some(2));
}
