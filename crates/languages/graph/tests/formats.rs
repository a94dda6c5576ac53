//! What is read, what is written, and what is said about files that are wrong.

use entail_graph::{
    Hidden, ReadError, Unreadable, read_aut, read_dot, read_json, write_aut, write_dot, write_json,
};
use entail_model::{Lts, LtsBuilder, StateId, TAU};
use entail_source::Source;
use std::sync::Arc;

fn aut(text: &str) -> Lts {
    read_aut("test.aut", text.as_bytes(), Hidden::Either).unwrap()
}

fn written(lts: &Lts, hidden: Hidden) -> String {
    let mut out = Vec::new();
    write_aut(lts, &mut out, hidden).unwrap();
    String::from_utf8(out).unwrap()
}

/// Where and what the first error is.
fn place(wrong: &Unreadable) -> (usize, usize, String) {
    let first = &wrong.diagnostics.0[0];
    let place = wrong.source.place(first.span().start);
    (place.line, place.column, first.message.clone())
}

fn wrong_aut(text: &str) -> (usize, usize, String) {
    match read_aut("test.aut", text.as_bytes(), Hidden::Either) {
        Err(ReadError::Invalid(wrong)) => place(&wrong),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn labels_are_read_with_and_without_quotes_and_blanks() {
    let lts = aut(
        "des(0,6,3)\r\n(0,a,1)\n ( 0 , \"a\" , 2 ) \n\n(1,\"tea (hot, \\\"sweet\\\")\",0)\n(1, SEND !1 !\"x, y\", 2)\n(2,\"\",0)\n(2,f(1,2),1)",
    );
    let names: Vec<&str> = lts.actions().iter().map(|name| &**name).collect();
    assert_eq!(lts.transition_count(), 6);
    for name in ["a", "tea (hot, \"sweet\")", "", "f(1,2)", "SEND !1 !\"x, y\""] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn the_hidden_action_is_i_for_cadp_and_tau_for_mcrl2() {
    let text = "des (0,4,2)\n(0,i,1)\n(0,\"i\",0)\n(1,tau,0)\n(1,\"tau\",1)\n";
    let hidden = |lts: &Lts| lts.transitions().filter(|step| step.action == TAU).count();
    assert_eq!(hidden(&aut(text)), 4);
    let mcrl2 = read_aut("t", text.as_bytes(), Hidden::Tau).unwrap();
    assert_eq!(hidden(&mcrl2), 2);
    // CADP's `tau` is an action like others, and would be taken for the hidden one.
    assert!(read_aut("t", text.as_bytes(), Hidden::I).is_err());
    let cadp = "des (0,1,2)\n(0,i,1)\n";
    assert_eq!(written(&aut(cadp), Hidden::I), "des (0,1,2)\n(0,i,1)\n");
    assert_eq!(written(&aut(cadp), Hidden::Tau), "des (0,1,2)\n(0,tau,1)\n");
    assert!(write_aut(&mcrl2, &mut Vec::new(), Hidden::I).is_err());
}

#[test]
fn reading_and_writing_are_inverse() {
    let mut builder = LtsBuilder::new(3);
    builder.transitions([
        (0, "a", 1),
        (1, "tau", 2),
        (2, "b \"c\" \\ d, (e)", 0),
        (2, "ends in \\", 1),
    ]);
    builder.initial(StateId::new(2));
    let lts = builder.build().unwrap();
    for hidden in [Hidden::Either, Hidden::I, Hidden::Tau] {
        let text = written(&lts, hidden);
        let again = read_aut("t", text.as_bytes(), hidden).unwrap();
        assert_eq!(again.transitions().count(), lts.transitions().count());
        assert_eq!(written(&again, hidden), text);
    }
    assert_eq!(read_json(&Source::new("t", write_json(&lts))).unwrap(), lts);
    let dot = read_dot(&Source::new("t", write_dot("t", &lts)), Hidden::Either).unwrap();
    assert_eq!(dot, lts);
}

#[test]
fn lines_longer_than_a_piece_of_the_file_are_read() {
    let label = "x".repeat(3 << 20);
    let lts = aut(&format!("des (0,2,2)\n(0,\"{label}\",1)\n(1,a,0)\n"));
    assert_eq!(lts.actions()[1].len(), label.len());
}

#[test]
fn wrong_aut_files_are_refused_at_their_place() {
    for (text, line, column, message) in [
        ("", 1, 1, "empty"),
        ("(0,a,1)\n", 1, 1, "expected `des`"),
        ("des (0,1)\n", 1, 9, "expected `,`"),
        ("des (0,1,2) x\n(0,a,1)\n", 1, 13, "expected the end of the line"),
        ("des (5,1,2)\n(0,a,1)\n", 1, 6, "the initial state is 5"),
        ("des (0,0,0)\n", 1, 6, "at least one state"),
        ("des (0,1,99999999999)\n", 1, 10, "too many"),
        ("des (0,99999999999,2)\n", 1, 8, "too many"),
        ("des (0,1,2)\n(0,a,2)\n", 2, 6, "state 2 does not exist"),
        ("des (0,1,2)\n(7,a,1)\n", 2, 2, "state 7 does not exist"),
        (
            "des (0,1,2)\n(99999999999999999999999,a,1)\n",
            2,
            2,
            "does not exist",
        ),
        (
            "des (0,2,2)\n(0,a,1)\n",
            1,
            8,
            "there are 2 transitions, but the file has 1",
        ),
        ("des (0,1,2)\n(0,a,1)\n(1,a,0)\n", 3, 1, "this is transition 2"),
        ("des (0,1,2)\n(0,\"a,1)\n", 2, 4, "quote is not closed"),
        ("des (0,1,2)\n(0,,1)\n", 2, 4, "no label"),
        ("des (0,1,2)\n(0 a 1)\n", 2, 4, "expected `,`"),
        ("des (0,1,2)\n(0,a 1)\n", 2, 4, "no target"),
        ("des (0,1,2)\n(0,a,1) garbage\n", 2, 9, "end of the line"),
        ("des (0,1,2)\n(0,a,x)\n", 2, 6, "expected a number"),
        ("des (0,1,2)\n0,a,1)\n", 2, 1, "expected `(`"),
    ] {
        let (at_line, at_column, said) = wrong_aut(text);
        assert!(said.contains(message), "{text:?}: {said}");
        assert_eq!((at_line, at_column), (line, column), "{text:?}: {said}");
    }
}

#[test]
fn places_are_right_far_down() {
    let mut text = String::from("des (0,100001,2)\n");
    for _ in 0..100_000 {
        text.push_str("(0,a,1)\n");
    }
    text.push_str("(0,a,3)\n");
    let (line, column, _) = wrong_aut(&text);
    assert_eq!((line, column), (100_002, 6));
}

#[test]
fn no_bytes_make_the_readers_panic() {
    let good = b"des (0, 3, 2)\n(0, \"a, \\\"b\", 1)\n(1, i, 0)\n(1,x,1)\n".to_vec();
    let json = br#"{"states": 2, "initial": [0], "transitions": [[0, "a", 1]], "propositions": {"p": [1]}}"#
        .to_vec();
    let dot =
        b"digraph G { a [label=\"{p, q(1,2)}\"]; a -> b -> a [label=\"x\"]; /* c */ node [x=y]; }".to_vec();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    for _ in 0..20_000 {
        for (kind, text) in [&good, &json, &dot].into_iter().enumerate() {
            let mut bytes = text.clone();
            for _ in 0..1 + below(3) {
                if bytes.is_empty() {
                    break;
                }
                let at = below(bytes.len());
                match below(3) {
                    0 => bytes[at] = b" \n\",()[]{}0a\\\xff:;->="[below(19)],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match kind {
                0 => drop(read_aut("t", &bytes[..], Hidden::Either)),
                1 => drop(read_json(&Source::new("t", text))),
                _ => drop(read_dot(&Source::new("t", text), Hidden::Either)),
            }
        }
    }
}

#[test]
fn json_has_edges_or_transitions_and_errors_have_places() {
    let read = |text: &str| read_json(&Source::new("t.json", text));
    let kripke =
        read(r#"{"states":2,"initial":[0],"edges":[[0,1],[1,0]],"propositions":{"p":[1]}}"#).unwrap();
    assert!(kripke.is_coloured());
    assert_eq!(kripke.propositions(StateId::new(1)), [Arc::<str>::from("p")]);
    assert_eq!(
        write_json(&kripke),
        r#"{"states":2,"initial":[0],"edges":[[0,1],[1,0]],"propositions":{"p":[1]}}"#
    );
    let process = read(r#"{"states":2,"transitions":[[0,"a",1],[1,"tau",0]]}"#).unwrap();
    assert!(!process.is_coloured());
    for (text, line, column, message) in [
        (
            "{\"states\": 2,\n \"edges\": [[0,5]]}",
            2,
            15,
            "state 5 does not exist",
        ),
        (
            "{\"states\": 2, \"initial\": [2],\n \"edges\": []}",
            1,
            27,
            "state 2 does not exist",
        ),
        (
            "{\"states\": 2, \"edges\": [],\n\"propositions\": {\"p\": [0, 3]}}",
            2,
            27,
            "state 3 does not exist",
        ),
        ("{\"states\": 2,\n \"edgs\": []}", 2, 7, "unknown field `edgs`"),
        ("{\"states\": 2}", 1, 1, "either `edges` or `transitions`"),
        (
            "{\"states\": 2,\n\"edges\": [], \"justice\": [[0]]}",
            2,
            25,
            "fairness",
        ),
    ] {
        let wrong = read(text).unwrap_err();
        let (at_line, at_column, said) = place(&wrong);
        assert!(said.contains(message), "{text}: {said}");
        assert_eq!((at_line, at_column), (line, column), "{text}: {said}");
    }
}

#[test]
fn dot_of_other_tools_is_read() {
    // As mCRL2's ltsconvert writes it.
    let text = r#"digraph G {
size="7,10.5";
center=TRUE;
node [ width=0.25, height=0.25, label="" ];
s1 [ peripheries=1 ];
s0 [ peripheries=2 ];
s0 -> s1 [ label="coin(1)" ];
s1->s0[label="tau"];
}"#;
    let lts = read_dot(&Source::new("t.dot", text), Hidden::Either).unwrap();
    assert_eq!((lts.state_count(), lts.transition_count()), (2, 2));
    assert_eq!(lts.initial(), [StateId::new(1)]);
    assert!(!lts.is_coloured());
    for (text, line, column, message) in [
        ("graph {\n a -- b }", 1, 1, "expected `digraph`"),
        ("digraph {\n a -- b }", 2, 6, "written `->`"),
        ("digraph {\n a -> ; }", 2, 7, "expected a node"),
        ("digraph {\n a [label=\"x }", 2, 11, "not closed"),
        ("digraph {\n a -> b", 2, 8, "expected a node, an edge"),
        ("digraph { }", 1, 1, "at least one state"),
        ("digraph { a } x", 1, 15, "behind the graph"),
    ] {
        let wrong = read_dot(&Source::new("t.dot", text), Hidden::Either).unwrap_err();
        let (at_line, at_column, said) = place(&wrong);
        assert!(said.contains(message), "{text}: {said}");
        assert_eq!((at_line, at_column), (line, column), "{text}: {said}");
    }
}

#[test]
fn kripke_structures_survive_dot() {
    let text =
        r#"{"states":3,"initial":[0,2],"edges":[[0,1],[1,1],[2,0]],"propositions":{"f(1,2)":[1],"p":[0,1]}}"#;
    let kripke = read_json(&Source::new("t", text)).unwrap();
    let dot = write_dot("k", &kripke);
    let again = read_dot(&Source::new("t", dot), Hidden::Either).unwrap();
    assert_eq!(write_json(&again), text);
}
