//! Traces and graphs for other programs, and errors in models.

mod sample;

use entail_budget::Budget;
use entail_evidence::{CheckLimits, Evidence, Graph, Trace};
use entail_report::{SignalTable, diagnostics, dot, vcd};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use sample::{Sample, golden};

fn lasso(sample: &Sample) -> &Trace {
    match &sample.outcomes[1].evidence {
        Some(Evidence::Trace(trace)) => trace,
        other => panic!("{other:?}"),
    }
}

#[test]
fn vcd_has_wires_vectors_and_strings_and_closes_the_loop() {
    let sample = Sample::new();
    let table = SignalTable::of_trace(&sample.system, lasso(&sample), true);
    golden("lasso.vcd", &vcd::vcd("arbiter.smv", &table));
}

#[test]
fn dot_shows_changes_inputs_and_the_way_back() {
    let sample = Sample::with_names(["a\"b\\", "c1"]);
    let table = SignalTable::of_trace(&sample.system, lasso(&sample), false);
    golden("lasso.dot", &dot::trace("arbiter \"quoted\"", &table));
}

#[test]
fn the_state_graph_marks_the_trace() {
    let sample = Sample::new();
    let graph = Graph::of(&sample.system, CheckLimits::default(), &Budget::unlimited()).expect("small");
    let text = dot::state_graph("arbiter", &sample.system, &graph, Some(lasso(&sample)));
    assert_eq!(text.matches("peripheries=2").count(), graph.initial_states());
    // Four states on the path; three steps and the one that closes the loop.
    assert_eq!(text.matches("color=red").count(), 4 + 4);
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
    assert_eq!(
        diagnostics::fancy(&problems, &source, true, 80)
            .matches("wrong")
            .count(),
        3
    );
    let flood = Diagnostics((0..1_000).map(|_| one(0, 2)).collect());
    assert!(diagnostics::plain(&flood, &source).ends_with("and 950 more\n"));
}
