//! Timelines and graphs for other programs, and errors in models.

use crate::sample;
use entail_report::{chart, csv, diagnostics, dot, sequence, table, vcd};
use entail_show::{Graph, View};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use sample::{Sample, golden, program};

#[test]
fn vcd_has_wires_vectors_and_strings_and_closes_the_loop() {
    let sample = Sample::new();
    golden("lasso.vcd", &vcd::vcd("arbiter.smv", sample.timeline(1)));
}

#[test]
fn dot_shows_changes_inputs_and_the_way_back() {
    let sample = Sample::with_names(["a\"b\\", "c1"]);
    let mut lasso = sample.timeline(1).clone();
    lasso.project(|column| column.name != "both");
    golden("lasso.dot", &dot::timeline("arbiter \"quoted\"", &lasso));
}

#[test]
fn dot_shows_who_moved() {
    let sample = program();
    let fault = dot::timeline("meet", sample.timeline(0));
    golden("run.dot", &fault);
    let lasso = dot::timeline("meet", sample.timeline(1));
    assert!(lasso.contains("s2 -> s1 ") && !lasso.contains("s3"), "{lasso}");
}

#[test]
fn csv_has_a_row_a_step_and_quotes_what_must_be() {
    let sample = Sample::with_names(["a,\"b\"", "c1"]);
    let text = csv::timeline(sample.timeline(1));
    let rows: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(
        rows[0],
        "step,next,\"a,\"\"b\"\"\",c1,turn,count,kick,polite,both"
    );
    assert_eq!(rows[4], "3,2,busy,waiting,TRUE,0ud2_0,FALSE,3,FALSE");
    assert_eq!(rows.len(), 6);
    let text = csv::timeline(program().timeline(1));
    assert!(text.contains("0,1,sender(0),line 3,ready!7,0\r\n"), "{text}");
}

#[test]
fn the_state_graph_marks_the_path() {
    let sample = Sample::new();
    let graph: &Graph = sample
        .graph
        .as_ref()
        .and_then(|graph| graph.as_ref().ok())
        .expect("drawn");
    let text = dot::graph("arbiter", graph, Some(sample.timeline(1)));
    assert_eq!(text.matches("peripheries=2").count(), 1);
    assert!(text.contains("c0 = idle\\nc1 = idle\\nturn = FALSE"));
    // Four states on the path; three steps and the one that closes the loop.
    assert_eq!(text.matches("color=red").count(), 4 + 4);
}

#[test]
fn charts_and_tables_stand_alone() {
    let sample = program();
    let mut seen = 0;
    for exhibit in sample.given.iter().flat_map(|given| &given.shown.exhibits) {
        match &exhibit.view {
            View::Sequence(drawn) => {
                assert!(sequence::svg(drawn).starts_with("<svg class=\"sequence\" xmlns="));
                golden("sequence.txt", &sequence::text(drawn));
            }
            View::Chart(drawn) => assert!(chart::svg(drawn).contains(">stored</text>")),
            View::Table(rows) => assert!(table::text(rows).contains("receiver     12\n")),
            _ => continue,
        }
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn several_diagnostics_are_rendered_with_place_underline_and_help() {
    let source = Source::new("m.smv", "MODULE main\nVAR x : 0..3;\nASSIGN next(y) := x + 1;\n");
    let problems = Diagnostics(vec![
        Diagnostic::error(
            "smv::unknown-identifier",
            "there is no `y`",
            Span::new(38, 39),
            "not declared",
        )
        .with_label(Span::new(16, 17), "did you mean this")
        .with_help("declare it under VAR"),
        Diagnostic::warning("smv::range", "the sum can be 4", Span::new(44, 49), ""),
    ]);
    golden("diagnostics.txt", &diagnostics::plain(&problems, &source));
    golden(
        "diagnostics_fancy.txt",
        &diagnostics::fancy(&problems, &source, false, 80),
    );
}

#[test]
fn stale_spans_and_floods_of_errors_do_no_harm() {
    let source = Source::new("m.smv", "é");
    let one = |start, end| Diagnostic::error("x", "wrong", Span::new(start, end), "here");
    let problems = Diagnostics(vec![one(1, 1), one(0, 900), one(5_000, 6_000)]);
    let text = diagnostics::fancy(&problems, &source, true, 80);
    assert_eq!(text.matches("wrong").count(), 3);
    let flood = Diagnostics((0..1_000).map(|_| one(0, 2)).collect());
    assert!(diagnostics::plain(&flood, &source).ends_with("and 950 more\n"));
}

#[test]
fn control_characters_of_a_broken_model_are_not_printed() {
    let text = "VAR \x1b[2J\u{9b}x\r : 0..3;\r\n";
    let source = Source::new("m\x07.smv", text);
    let problem = Diagnostic::error("x", "wrong \x1b[2J", Span::new(4, 8), "here \x07").with_help("no \x1b");
    let problems = Diagnostics(vec![problem]);
    for shown in [
        diagnostics::plain(&problems, &source),
        diagnostics::fancy(&problems, &source, false, 80),
    ] {
        assert!(shown.contains("wrong"));
        assert!(
            shown.chars().all(|letter| letter == '\n' || !letter.is_control()),
            "{shown:?}"
        );
    }
}
