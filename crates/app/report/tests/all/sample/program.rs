//! A sender and a receiver that meet, as the family of programs would show them.

use super::{Given, Kind, Sample, heading, object, text_figure};
use entail_answer::{Answer, CheckReport, Statistics, Verdict};
use entail_logic::Logic;
use entail_show::{
    Arrow, Axis, Cell, Chart, Column, ColumnKind, ColumnRole, Exhibit, Lane, Mark, MarkedSource, Move,
    Partner, Prominence, SequenceChart, SequenceRow, Series, Shown, SourcePlace, Table, Timeline, View,
};
use entail_source::Source;
use serde_json::json;

const TEXT: &str = "chan ready = [0] of { int };
int got;
active proctype sender() { ready!7; printf(\"sent\\n\") }
active proctype receiver() { ready?got; assert(got == 8) }
ltl late { <> (got == 9) }
";

fn column(name: &str, quiet: &str, values: &[Option<&str>]) -> Column {
    let mut column = Column::new(name, ColumnRole::State, ColumnKind::Integer);
    column.quiet = Some(quiet.into());
    for (position, value) in values.iter().enumerate() {
        column.record(position, value.map(Cell::text));
    }
    column
}

fn place(line: usize) -> Option<SourcePlace> {
    Some(SourcePlace { file: None, line })
}

fn moves() -> Vec<Move> {
    let step = |lane: &str, line, text: &str| Move {
        lane: lane.into(),
        place: place(line),
        text: text.into(),
        ..Move::default()
    };
    let mut meeting = step("sender(0)", 3, "ready!7");
    meeting.partner = Some(Partner {
        lane: "receiver(1)".into(),
        place: place(4),
        text: "ready?got".into(),
    });
    let mut printing = step("sender(0)", 3, "printf(\"sent\\n\")");
    printing.remarks = vec!["timeout".into()];
    printing.printed = vec!["      sent".into()];
    vec![meeting, printing, step("receiver(1)", 4, "assert(got == 8)")]
}

/// The assertion is violated: the last move has no state after it.
pub fn fault() -> Timeline {
    Timeline {
        columns: vec![
            column("got", "0", &[Some("0"), Some("7"), Some("7")]),
            column("sender(0).x", "0", &[None, Some("0"), Some("1")]),
        ],
        positions: 3,
        moves: moves(),
        ending: vec!["assertion violated: got == 8".into()],
        ..Timeline::default()
    }
}

/// The same moves for ever, from the second on.
pub fn lasso() -> Timeline {
    Timeline {
        columns: vec![column("got", "0", &[Some("0"), Some("7"), Some("5")])],
        positions: 3,
        loop_start: Some(1),
        moves: moves(),
        ..Timeline::default()
    }
}

fn chart() -> SequenceChart {
    let lane = |name: &str| Lane {
        name: name.into(),
        first: 0,
        end: 3,
    };
    let row = |lane, place: &str, text: &str| SequenceRow {
        lane,
        place: place.into(),
        text: text.into(),
    };
    SequenceChart {
        lanes: vec![lane("sender(0)"), lane("receiver(1)")],
        rows: vec![
            row(0, "line 3", "ready!7"),
            row(0, "line 3", "printf(\"sent\\n\")"),
            row(1, "line 4", "assert(got == 8)"),
        ],
        arrows: vec![Arrow {
            from: (0, 0),
            to: Some((0, 1)),
            channel: "ready".into(),
            message: "7".into(),
        }],
        loop_start: None,
    }
}

/// A table, a chart and notes.
fn exhibits() -> Vec<Exhibit> {
    vec![
        Exhibit {
            title: Some("Coverage".into()),
            prominence: Prominence::Detail,
            view: View::Table(Table {
                heads: vec!["process".into(), "steps".into()],
                rows: vec![
                    vec!["sender".into(), "2".into()],
                    vec!["receiver".into(), "12".into()],
                ],
            }),
        },
        Exhibit {
            title: Some("Growth".into()),
            prominence: Prominence::Detail,
            view: View::Chart(Chart {
                x: Axis {
                    label: "depth".into(),
                    is_logarithmic: false,
                },
                y: Axis {
                    label: "states".into(),
                    is_logarithmic: true,
                },
                series: vec![Series {
                    name: "stored".into(),
                    points: vec![(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)],
                    is_stepped: true,
                    ..Series::default()
                }],
            }),
        },
        Exhibit {
            title: None,
            prominence: Prominence::Main,
            view: View::Notes(vec!["every cycle passes line 3".into()]),
        },
    ]
}

/// Three answers, with every other thing that can be shown.
pub fn program() -> Sample {
    let source = Source::new("meet.pml", TEXT);
    let given = |name: Option<&str>, text: &str, logic, answer: Answer| Given {
        heading: heading(&source, name, text, logic),
        answer,
        check: Some(CheckReport::Accepted),
        shown: Shown::default(),
        evidence: None,
        details: object(json!({"reduction": {"used": true}})),
        seconds: 0.25,
    };
    let run = |kind| Answer::complete(Verdict::Fails, Kind(kind)).boxed();
    let counters = || {
        Statistics::default()
            .with("states", 5)
            .with("transitions", 7)
            .with("depth", 3)
    };

    let mut safety = given(None, "no assertion is violated", Logic::Safety, run("run"));
    safety.answer.reason = Some("assertion violated: got == 8".into());
    safety.answer.statistics = counters();
    safety.shown = Shown::default().main(View::Timeline(fault()));
    safety.shown.push(Prominence::Report, View::Sequence(chart()));
    safety.shown.push(
        Prominence::Detail,
        View::Source(MarkedSource {
            name: "meet.pml".into(),
            text: TEXT.into(),
            marks: vec![Mark {
                line: 4,
                text: "never left".into(),
            }],
        }),
    );
    let step = |process: u8, name: &str, line: usize, statement: &str, changes: serde_json::Value| {
        json!({"process": process, "edge": 0, "name": name, "file": "meet.pml", "line": line, "statement": statement,
               "changes": changes})
    };
    let mut first = step(0, "sender(0)", 3, "ready!7", json!({"got": "7"}));
    first["receiver"] = json!({"name": "receiver(1)", "file": "meet.pml", "line": 4, "statement": "ready?got", "process": 1, "edge": 0});
    let mut second = step(
        0,
        "sender(0)",
        3,
        "printf(\"sent\\n\")",
        json!({"sender(0).x": "1"}),
    );
    second["printed"] = "sent\n".into();
    second["timeout"] = true.into();
    let third = step(1, "receiver(1)", 4, "assert(got == 8)", json!({}));
    let steps = json!([first, second, third]);
    safety.evidence = Some(object(
        json!({"kind": "run", "trace": {"loop_start": null, "initial": {"got": "0"}, "steps": steps}}),
    ));

    let mut late = given(Some("late"), "<> (got == 9)", Logic::Ltl, run("run"));
    late.answer.statistics = counters();
    late.answer.statistics.set("storage", text_figure("tree"));
    late.details = object(json!({"reduction": {"used": false, "reason": "the formula has X"}}));
    late.shown = Shown::default().main(View::Timeline(lasso()));
    late.evidence = Some(object(
        json!({"kind": "run", "trace": {"loop_start": 1, "initial": {"got": "0"}, "steps": steps}}),
    ));

    let mut holds = given(
        None,
        "no cycle without progress",
        Logic::Progress,
        Answer::complete(Verdict::Holds, Kind("exhaustive")).boxed(),
    );
    holds.check = Some(CheckReport::unchecked("the search"));
    holds.evidence = Some(object(json!({"kind": "exhaustive", "states": 5})));
    holds.shown.exhibits = exhibits();
    Sample {
        name: "meet.pml",
        language: "promela",
        engine: "explicit",
        settings: object(json!({"fairness": "none"})),
        figures: Statistics::default().with("processes", 2),
        given: vec![safety, late, holds],
        source,
        graph: None,
    }
}
