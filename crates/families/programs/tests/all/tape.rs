//! The checker's fast interpreter means what the reference interpreter means: on random programs, every state has the same steps, in the same order, with the same faults; and everybody can move who can.

use entail_program::interpret::{View, can_move, evaluate, moves_within};
use entail_program::state_bytes::encode;
use entail_program::{Fault, State};
use entail_programs::ProgramModel;
use entail_programs_checker::tape;
use entail_source::Source;
use std::collections::{HashMap, VecDeque};

use crate::random_programs;

/// How many programs there are.
fn programs() -> u64 {
    800 * random_programs::effort()
}

/// States of each program that are looked at.
const MOST_STATES: usize = 150;

#[test]
fn every_state_has_the_same_steps() {
    let (mut states, mut steps, mut faults) = (0, 0, 0);
    for seed in 0..programs() {
        let text = match seed % 5 {
            0 => random_programs::spiced(seed),
            1 => random_programs::program(seed),
            2 => random_programs::wild(seed),
            3 => random_programs::claimed(seed),
            _ => random_programs::loose_program(seed),
        };
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let program = model.program();
        // Of programs that compute with what is no part of the state nothing is claimed.
        if program.reads_unseen() {
            continue;
        }
        let Ok(initial) = State::initial(program) else {
            continue;
        };
        let mut seen: HashMap<(State, Option<u8>), ()> = HashMap::new();
        let mut queue = VecDeque::from([(initial, None)]);
        let (mut row, mut moves) = (tape::Row::default(), tape::Moves::default());
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        while let Some((state, control)) = queue.pop_front() {
            if seen.len() >= MOST_STATES || seen.insert((state.clone(), control), ()).is_some() {
                continue;
            }
            states += 1;
            encode(program, &state, &mut bytes);
            row.read(program, &bytes)
                .unwrap_or_else(|| panic!("{state:?}\n{text}"));
            again.clear();
            row.write(program, &mut again);
            assert_eq!(again, bytes);
            let expected = moves_within(program, &state, control, 10_000);
            tape::moves(program, &row, control, 10_000, &mut moves);
            let movers = |process, receiver: Option<u8>| (process, receiver);
            assert_eq!(
                expected
                    .iter()
                    .map(|one| (
                        movers(one.step.process, one.step.receiver.map(|(receiver, _)| receiver)),
                        one.control,
                        one.result.as_ref().err()
                    ))
                    .collect::<Vec<_>>(),
                moves
                    .list
                    .iter()
                    .map(|one| (
                        movers(one.process, one.receiver),
                        one.control,
                        one.result.as_ref().err()
                    ))
                    .collect::<Vec<_>>(),
                "seed {seed}, {state:?}\n{text}"
            );
            for (expected, found) in expected.iter().zip(&moves.list) {
                steps += 1;
                let (Ok(after), Ok(found)) = (&expected.result, &found.result) else {
                    faults += 1;
                    continue;
                };
                encode(program, after, &mut bytes);
                again.clear();
                moves.row(*found).write(program, &mut again);
                assert_eq!(again, bytes, "seed {seed}\n{text}");
                for process in 0..after.processes.len() as u8 {
                    let row = moves.row(*found);
                    assert_eq!(
                        tape::can_move(program, row, process),
                        can_move(program, after, process),
                        "seed {seed}, process {process} of {after:?}\n{text}"
                    );
                }
            }
            for condition in &program.conditions {
                let view = View::new(program, &state, usize::MAX);
                let eye = tape::Eye {
                    program,
                    process: usize::MAX,
                    timeout: false,
                    longest: u64::MAX,
                };
                let expected: Result<i32, Fault> = evaluate(&view, condition);
                assert_eq!(tape::evaluate(&eye, &row, condition), expected, "{text}");
            }
            for found in expected {
                if let Ok(after) = found.result {
                    let control = found
                        .control
                        .filter(|&process| can_move(program, &after, process));
                    queue.push_back((after, control));
                }
            }
        }
    }
    println!("{states} states, {steps} steps, {faults} faults");
    assert!(
        states > 5 * programs() && steps > states && faults > programs() / 20,
        "{states} {steps} {faults}"
    );
}
