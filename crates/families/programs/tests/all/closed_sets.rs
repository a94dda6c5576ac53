//! Sets of all reachable states as evidence for safety: what the engine writes is accepted, what lacks a state or has a wrong one is not.

use entail_answer::{CheckReport, ClosedSet, Verdict};
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, ProgramEngine};
use entail_program::state_bytes::{decode, encode};
use entail_program::{ProgramEvidence, State};
use entail_programs::ProgramModel;
use entail_programs_checker::check_closed;
use entail_source::Source;
use std::time::Duration;

use crate::random_programs;

/// How many programs there are.
fn programs() -> u64 {
    150 * random_programs::effort()
}

/// A program that is more often safe: nothing is asserted, and one process can always go on.
fn safe(text: &str) -> String {
    text.replace("assert(", "(1 == 1) || (") + "\nactive proctype idle() { do :: true od }\n"
}

#[test]
fn what_the_engine_writes_is_accepted_and_not_if_one_state_is_missing_or_wrong() {
    let (mut accepted, mut larger) = (0, 0);
    let engine = ProgramEngine {
        closing: Closing::Always,
        ..ProgramEngine::default()
    };
    for seed in 0..programs() {
        let text = safe(&match seed % 4 {
            0 => random_programs::spiced(seed),
            1 => random_programs::program(seed),
            2 => random_programs::wild(seed),
            _ => random_programs::loose_program(seed),
        });
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (program, requirement) = (model.program(), &model.requirements()[0]);
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(300)));
        let answer = engine.check(program, requirement, &budget, &Silent);
        let Some(ProgramEvidence::Closed(set)) = answer.evidence else {
            // (Of a program with hidden variables, or too many states, there is none.)
            continue;
        };
        assert_eq!(answer.verdict, Verdict::Holds);
        if set.len() > 3_000 {
            continue;
        }
        let budget = Budget::unlimited();
        let report = check_closed(program, requirement, &set, &budget);
        assert_eq!(report, CheckReport::Accepted, "{text}");
        accepted += 1;
        larger += u64::from(set.len() > 50);
        let all = set.states();
        // Every state is the initial one or has one that leads to it, so none can be missing.
        for at in (0..all.len()).step_by(1 + all.len() / 8) {
            let mut fewer = all.clone();
            fewer.remove(at);
            let report = check_closed(program, requirement, &ClosedSet::new(fewer), &budget);
            assert!(report.is_rejected(), "without state {at}: {report:?}\n{text}");
        }
        let mut wrong = all.clone();
        wrong.push(vec![0xff; 3].into());
        let report = check_closed(program, requirement, &ClosedSet::new(wrong), &budget);
        assert!(report.is_rejected(), "{report:?}");
        // A state that was changed in one byte is missing, whatever stands in its place.
        for at in (0..all.len()).step_by(1 + all.len() / 4) {
            let mut changed = all.clone();
            let place = at % changed[at].len();
            changed[at][place] ^= 1;
            if changed[at] != all[at] && !all.contains(&changed[at]) {
                let report = check_closed(program, requirement, &ClosedSet::new(changed), &budget);
                assert!(report.is_rejected(), "state {at} changed: {report:?}\n{text}");
            }
        }
        for state in &all {
            let read: State = decode(program, state).expect("it was written so");
            let mut again = Vec::new();
            encode(program, &read, &mut again);
            assert_eq!(again, state.to_vec());
        }
    }
    assert!(accepted > programs() / 6 && larger > 3, "{accepted} {larger}");
}

#[test]
fn a_set_proves_nothing_where_something_goes_wrong_inside_it() {
    let safe = "byte x; active proctype p() { x = 1; x = 2; assert(x == 2) }";
    let unsafe_one = "byte x; active proctype p() { x = 1; x = 2; assert(x == 1) }";
    let read = |text: &str| ProgramModel::read(Source::new("model.pml", text)).expect("a program");
    let (safe, unsafe_one) = (read(safe), read(unsafe_one));
    let budget = Budget::unlimited();
    let answer = ProgramEngine::default().check(safe.program(), &safe.requirements()[0], &budget, &Silent);
    let Some(ProgramEvidence::Closed(set)) = answer.evidence else {
        panic!("a set was expected: {answer:?}");
    };
    let report = check_closed(unsafe_one.program(), &unsafe_one.requirements()[0], &set, &budget);
    assert!(report.is_rejected(), "{report:?}");
}

/// A variable that is only written and printed is no part of the state and does not matter; in an expression that is printed it may make a step fail.
#[test]
fn a_set_is_written_unless_what_is_no_part_of_the_state_is_computed_with() {
    let engine = ProgramEngine {
        closing: Closing::Always,
        ..ProgramEngine::default()
    };
    for (printed, is_closed) in [("n", true), ("1 / (1 + n)", false)] {
        let text = format!(
            "byte x; byte n; active proctype p() {{ do :: x = 1 - x; n++; printf(\"%d\", {printed}) od }}"
        );
        let model = ProgramModel::read(Source::new("model.pml", &text)).expect("a program");
        let (program, requirement) = (model.program(), &model.requirements()[0]);
        assert!(program.has_unseen, "{text}");
        let budget = Budget::unlimited();
        let answer = engine.check(program, requirement, &budget, &Silent);
        match (answer.evidence, is_closed) {
            (Some(ProgramEvidence::Closed(set)), true) => {
                let report = check_closed(program, requirement, &set, &budget);
                assert_eq!(report, CheckReport::Accepted, "{text}");
            }
            (Some(ProgramEvidence::Exhaustive { .. }), false) => {}
            (evidence, _) => panic!("{evidence:?}\n{text}"),
        }
    }
}
