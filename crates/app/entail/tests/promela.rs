//! Promela through the whole library: the compiled search against the reference interpreter, on written and on random programs.

use entail::{ProgramModel, ProgramRequest, check_program};
use entail_budget::Silent;
use entail_program::interpret::{can_move, moves};
use entail_program::{Program, State};
use entail_source::Source;
use std::collections::HashSet;

mod random_programs;

fn model(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("test.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Verdict and number of states of the first requirement.
fn searched(model: &ProgramModel) -> (Option<bool>, u64, Option<String>) {
    let request = ProgramRequest {
        requirements: vec![0],
        ..ProgramRequest::default()
    };
    let answers = check_program(model, &request, &Silent, |_| {})
        .unwrap_or_else(|error| panic!("{error}\n{}", model.source().text()));
    let outcome = &answers[0].outcome;
    (outcome.holds, outcome.states, outcome.reason.clone())
}

/// All states at rest, by the interpreter alone; and whether something goes wrong or ends where it must not.
fn enumerated(program: &Program, limit: usize) -> Option<(bool, u64)> {
    let Ok(initial) = State::initial(program) else {
        return Some((false, 0));
    };
    let mut seen: HashSet<(State, Option<u8>)> = HashSet::new();
    let mut pending = vec![(initial, None)];
    let mut safe = true;
    while let Some((state, control)) = pending.pop() {
        let control = control.filter(|&process| can_move(program, &state, process));
        if !seen.insert((state.clone(), control)) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        let found = moves(program, &state, control);
        safe &= !found.is_empty() || state.is_valid_end(program);
        for next in found {
            match next.result {
                Ok(state) => pending.push((state, next.control)),
                Err(_) => safe = false,
            }
        }
    }
    Some((
        safe,
        seen.iter().filter(|(_, control)| control.is_none()).count() as u64,
    ))
}

#[test]
fn the_compiled_search_agrees_with_the_interpreter_on_random_programs() {
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..250 {
        let text = random_programs::program(seed);
        let model = model(&text);
        let Some((safe, states)) = enumerated(model.program(), 1_000) else {
            continue;
        };
        let (holds, searched_states, reason) = searched(&model);
        assert_eq!(holds, Some(safe), "seed {seed}: {reason:?}\n{text}");
        if safe {
            assert_eq!(searched_states, states, "seed {seed}\n{text}");
        }
        compared += 1;
        failing += usize::from(!safe);
    }
    assert!(
        compared > 120 && failing > 30 && failing < compared - 30,
        "{compared} programs, {failing} fail"
    );
}

#[test]
fn assertions_ends_and_faults_are_found() {
    let cases = [
        ("active proctype p() { assert(1 == 1) }", None),
        (
            "active proctype p() { assert(1 == 2) }",
            Some("assertion violated"),
        ),
        ("active proctype p() { false }", Some("invalid end state")),
        ("active proctype p() { end: false }", None),
        (
            "byte a[2]; active proctype p() { byte i = 2; a[i] = 1 }",
            Some("index 2 is outside an array of length 2"),
        ),
        (
            "active proctype p() { byte i; i = 1 / i }",
            Some("division by zero"),
        ),
        (
            "active proctype p() { chan c; c!1 }",
            Some("reference to an uninitialized channel"),
        ),
        (
            "active proctype p() { d_step { skip; false } }",
            Some("a d_step blocks after its first statement"),
        ),
        (
            "chan c = [0] of { byte }; active proctype p() { c!1 } active proctype q() { c?eval(1) }",
            None,
        ),
        (
            "chan c = [0] of { byte }; active proctype p() { c!1 } active proctype q() { c?2 }",
            Some("invalid end state"),
        ),
    ];
    for (text, expected) in cases {
        let (holds, _, reason) = searched(&model(text));
        assert_eq!(
            (holds, reason.as_deref()),
            (Some(expected.is_none()), expected),
            "{text}"
        );
    }
}

#[test]
fn timeout_else_and_unless_wait_as_they_should() {
    let cases = [
        (
            "byte x; active proctype p() { do :: x < 3 -> x++ :: timeout -> break od; assert(x == 3) }",
            true,
        ),
        (
            "byte x; active proctype p() { if :: x == 1 -> assert(0) :: else -> skip fi }",
            true,
        ),
        (
            "byte x; active proctype p() { do :: x++ od unless { x == 5 -> assert(x == 5) } }",
            true,
        ),
        (
            "byte x; active proctype p() { do :: x < 9 -> x++ od unless { x == 5 }; assert(x == 5) }",
            true,
        ),
        (
            "byte x; active proctype p() { atomic { x = 1; x = 2 } } active proctype q() { assert(x != 1) }",
            true,
        ),
        (
            "byte x; active proctype p() { x = 1; x = 2 } active proctype q() { assert(x != 1) }",
            false,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(searched(&model(text)).0, Some(expected), "{text}");
    }
}
