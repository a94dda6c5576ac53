//! What TChecker models mean, and what is said about wrong ones, with the place.

use entail_clocks::{Condition, Statement};
use entail_source::Source;
use entail_tchecker::read;

fn edge(attributes: &str) -> String {
    format!(
        "system:s\nclock:1:x\nclock:1:y\nclock:3:z\nint:1:0:10:3:i\nint:3:0:10:0:a\nevent:e\nprocess:P\nlocation:P:l0{{initial:}}\nlocation:P:l1{{labels:g,h}}\nedge:P:l0:l1:e{{{attributes}}}\n"
    )
}

/// The code of the first problem and its line and column.
fn problem(text: &str) -> (&'static str, usize, usize) {
    let source = Source::new("m.tck", text);
    let problems = read(&source).expect_err("the text is wrong");
    let first = &problems.0[0];
    let place = source.place(first.span().start);
    (first.code, place.line, place.column)
}

#[test]
fn guards_are_conjunctions_of_integers_and_clocks() {
    let text = edge("provided: 1<=x<=5 && (i==3 && x-y<2) && z[1]>0 && 4>y");
    let network = read(&Source::new("m", text)).expect("a model").network;
    let clocks = |one: &&Condition| matches!(one, Condition::Clock { .. });
    assert_eq!(network.edges[0].guard.iter().filter(clocks).count(), 5);
    assert_eq!(network.edges[0].guard.len(), 6);
    assert_eq!(network.labels, ["g", "h"]);
    assert_eq!(network.clocks.len(), 5);
}

#[test]
fn statements_have_locals_branches_and_loops() {
    let text = edge(
        "do: local b = 3; i=b; local c[2]; c[1]=4; while i<5 do i=i+1 end; if i==5 then x=0 else x=1+y end; y=x+2",
    );
    let network = read(&Source::new("m", text)).expect("a model").network;
    assert_eq!(network.local_slots, 3);
    assert!(matches!(
        network.edges[0].action.last(),
        Some(Statement::Clock { .. })
    ));
}

#[test]
fn variables_may_be_declared_further_down() {
    let text = "system:s\nevent:e\nprocess:P\nlocation:P:l{initial:}\nedge:P:l:l:e{do: i=1}\nint:1:0:1:0:i\n";
    assert!(read(&Source::new("m", text)).is_ok());
}

#[test]
fn mistakes_are_told_at_their_place() {
    assert_eq!(problem(&edge("provided: q<3")), ("tchecker::unknown", 11, 26));
    assert_eq!(problem(&edge("provided: x!=3")), ("tchecker::type", 11, 26));
    assert_eq!(problem(&edge("provided: !(x<5)")), ("tchecker::type", 11, 26));
    assert_eq!(problem(&edge("provided: a==0")), ("tchecker::type", 11, 26));
    assert_eq!(problem(&edge("provided: i=3")).0, "tchecker::syntax");
    assert_eq!(problem(&edge("provided: 99999999999 < i")).0, "tchecker::range");
    assert_eq!(problem(&edge("provided: x < 2000000000")).0, "tchecker::range");
    assert_eq!(problem(&edge("do: x=-1")).0, "tchecker::range");
    assert_eq!(problem(&edge("do: local i")).0, "tchecker::duplicate");
    assert_eq!(problem(&edge("do: local b; local b")).0, "tchecker::duplicate");
    assert_eq!(
        problem(&edge("do: if i==1 then local b=1 end; i=b")).0,
        "tchecker::unknown"
    );
    assert_eq!(
        problem(&edge("do: if x<3 then i=1 end")).0,
        "tchecker::clock-condition"
    );
    assert_eq!(
        problem("system:s\nprocess:P\nprocess:P\n"),
        ("tchecker::duplicate", 3, 9)
    );
    assert_eq!(
        problem("system:s\nprocess:P\nlocation:P:l\nedge:P:l:l:e\n"),
        ("tchecker::unknown", 4, 12)
    );
    assert_eq!(problem("system:s\nint:1:3:2:2:i\n").0, "tchecker::range");
    assert_eq!(problem("system:s\nint:1:0:1:5:i\n").0, "tchecker::range");
    assert_eq!(problem("system:s\nclock:0:x\n").0, "tchecker::range");
    assert_eq!(problem("process:P\n").0, "tchecker::system");
    assert_eq!(problem("system:s\nlocation:P:l{initial:\n").0, "tchecker::syntax");
    assert_eq!(
        problem("system:s\nprocess:P\nevent:e\nsync:P@e:P@e\n").0,
        "tchecker::duplicate"
    );
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let text = edge("provided: x<3 && a[i]==0 : do: local b[2]; b[0]=i; x=0; if i then i=0 else nop end");
    for cut in 0..text.len() {
        for replacement in ["", "}", "{", ":", "((", "@", "-", "\u{e9}"] {
            if !text.is_char_boundary(cut) {
                continue;
            }
            let damaged = format!(
                "{}{replacement}{}",
                &text[..cut],
                &text[(cut + 1).min(text.len())..]
            );
            let _ = read(&Source::new("m", damaged));
        }
    }
    let deep = edge(&format!(
        "provided: {}i{}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    ));
    assert_eq!(problem(&deep).0, "tchecker::nesting");
    let long = edge(&format!("provided: i{}", "+i".repeat(100_000)));
    assert_eq!(problem(&long).0, "tchecker::nesting");
}
