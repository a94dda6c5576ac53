//! Corners of Promela where SPIN's verifier is the judge: what it keeps in bytes, which escapes it takes, how long a `d_step` may be, what a
//! claim sees of a process that has ended. Verdicts and numbers of states are those of SPIN 6.5.2 (`-DNOREDUCE -DSAFETY`).

use crate::told;
use entail_explicit::SearchOptions;
use entail_program::StateGraph;
use entail_programs::ProgramModel;
use entail_source::Source;
use std::time::Duration;
use told::{Outcome, ProgramRequest, check_program};

fn model(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("test.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn outcome(model: &ProgramModel, requirement: usize, timeout: Option<Duration>) -> Outcome {
    let request = ProgramRequest {
        requirements: vec![requirement],
        options: SearchOptions {
            reduction: false,
            ..SearchOptions::default()
        },
        timeout,
    };
    let mut answers = check_program(model, &request).unwrap_or_else(|failure| panic!("{failure}"));
    answers.remove(0)
}

/// Safety holds with so many states; the interpreter says the same, unless there are too many steps for it.
fn holds(text: &str, states: u64) {
    let model = model(text);
    let outcome = outcome(&model, 0, None);
    assert_eq!(
        (outcome.holds, outcome.states),
        (Some(true), states),
        "{outcome:?}\n{text}"
    );
    if let Some(graph) = StateGraph::explore(model.program(), 5_000).expect("an initial state") {
        assert_eq!(told::danger(model.program()), None, "{text}");
        assert_eq!(graph.states.len() as u64, states, "{text}");
    }
}

fn fails(text: &str) {
    let outcome = outcome(&model(text), 0, None);
    assert_eq!(outcome.holds, Some(false), "{outcome:?}\n{text}");
}

#[test]
fn elements_of_bit_arrays_are_bytes() {
    fails("bool h[2]; init { h[1] = 2; assert(h[1] == 0) }");
    holds("bool h[2]; init { h[1] = 258; assert(h[1] == 2) }", 4);
    holds("bit h[2]; init { h[1] = 2; assert(h[1] == 2) }", 4);
    holds("init { bit h[1]; h[0] = 2; assert(h[0] == 2) }", 3);
    holds("bit b[2] = 2; init { assert(b[0] == 2) }", 3);
    holds(
        "typedef T { bit b; bit c[2]; bool d; unsigned u : 3 }; T t; init { t.b = 2; t.c[1] = 2; t.u = 9; assert(t.b == 0 && t.c[1] == 2 && t.u == 1) }",
        6,
    );
}

#[test]
fn single_bits_are_bits() {
    holds("bool h; init { h = 2; assert(h == 0) }", 4);
    holds("proctype p(bit b) { assert(b == 0) } init { run p(2) }", 5);
    holds("bit b = 2; init { assert(b == 0) }", 3);
}

#[test]
fn the_only_field_of_a_message_is_a_byte_and_others_are_bits() {
    fails("chan c = [1] of { bit }; byte b; init { c!2; c?b; assert(b == 0) }");
    fails("chan c = [1] of { bit, bool }; byte b,d; init { c!2,3; c?b,d; assert(b == 2 && d == 3) }");
    holds(
        "chan c = [0] of { bit }; byte b; active proctype p() { c!2 } active proctype q() { c?b; assert(b == 2) }",
        5,
    );
}

#[test]
fn a_long_d_step_ends() {
    holds(
        "int x; init { d_step { x = 0; do :: x < 3000000 -> x++ :: else -> break od }; assert(x == 3000000) }",
        4,
    );
}

#[test]
fn a_d_step_that_never_ends_is_no_violation() {
    let model = model("int x; init { d_step { x = 0; do :: x = 1 - x od } } ltl f { <> (x == 2) }");
    let safety = outcome(&model, 0, None);
    assert_eq!(safety.holds, Some(true), "{safety:?}");
    assert!(safety.reason.is_some_and(|reason| reason.contains("for ever")));
    let formula = outcome(&model, 1, None);
    assert_eq!(formula.holds, None, "{formula:?}");
    let graph = StateGraph::explore(model.program(), 100).expect("an initial state");
    assert!(graph.is_some_and(|graph| graph.diverges && told::danger(model.program()).is_none()));
}

#[test]
fn time_is_kept_inside_a_d_step() {
    let model = model(
        "int x, y; init { d_step { do :: x < 2000000000 -> x++ :: else -> x = 0; y++; if :: y == 2000000000 -> break :: else fi od } }",
    );
    let outcome = outcome(&model, 0, Some(Duration::from_millis(100)));
    assert_eq!(outcome.holds, None, "{outcome:?}");
}

#[test]
fn an_unless_is_no_escape_from_an_atomic_sequence() {
    // From the second statement, which is atomic, control would come to the inner `unless`, where there is nothing to do.
    let text = |escape: &str| {
        format!(
            "byte g, x; active proctype p() {{ {{ atomic {{ g = 1; x == 1; x = 2 }} unless {{ {escape} }} }}; skip }}"
        )
    };
    fails(&text("{ g == 1; x = 3 } unless { g == 2; x = 4 }"));
    holds(&text("g == 1; x = 3"), 5);
}

#[test]
fn for_with_a_record_runs_over_an_element_of_an_array_of_channels() {
    holds(
        "typedef R { byte a; bit b }; byte n; init { chan c[3] = [2] of { R }; R r; r.a = 1; c[2]!r; r.a = 2; c[2]!r; for (r in c[2]) { n = n + r.a }; assert(n == 3 && len(c[2]) == 2) }",
        19,
    );
}

#[test]
fn a_claim_that_reads_a_variable_of_an_ended_process_is_unknown_or_violated_before() {
    let claim = |claim: &str| {
        let model = model(&format!(
            "active proctype p() {{ byte x = 1; skip }} never {{ {claim} }}"
        ));
        outcome(&model, 1, None).holds
    };
    assert_eq!(claim("do :: p:x == 1 :: true od"), None);
    // The claim is violated on a way that does not look at the variable any more; it could also have stayed where it looks.
    assert_eq!(
        claim("do :: true -> break :: p:x == 1 od; accept: do :: true od"),
        Some(false)
    );
}

/// The run ends before the claim does, which goes on in the last state: the evidence did not say so, and was rejected.
#[test]
fn a_claim_that_comes_to_its_end_while_the_last_state_is_repeated_is_violated() {
    let text = "byte x; active proctype p() { x = 1 } never { do :: x == 1 -> break :: else od; true; true; true; true }";
    for threads in [1, 2] {
        let request = ProgramRequest {
            requirements: vec![1],
            options: SearchOptions {
                threads,
                ..SearchOptions::default()
            },
            timeout: None,
        };
        let answers = check_program(&model(text), &request).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(answers[0].holds, Some(false), "{threads} threads");
    }
}
