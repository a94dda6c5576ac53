//! Examples of the Handbook of Model Checking as Promela models, with the answers it gives or that a naive count gives. Example numbers
//! are those of our reading notes.

use entail_explicit::SearchOptions;
use entail_program::{State, StateGraph};
use entail_programs::{Preprocessing, ProgramModel};
use entail_source::Source;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::Path;
use told::{Outcome, ProgramRequest, check_program};

use crate::told;

fn example(name: &str) -> ProgramModel {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/promela");
    ProgramModel::load(&folder.join(name), Preprocessing::default())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("test.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The answers to all requirements.
fn answers(model: &ProgramModel, fair: bool) -> Vec<Outcome> {
    let request = ProgramRequest {
        requirements: (0..model.requirements().len()).collect(),
        options: SearchOptions {
            weak_fairness: fair,
            // Counts are those of all states.
            reduction: false,
            ..SearchOptions::default()
        },
        ..ProgramRequest::default()
    };
    check_program(model, &request).expect("every run is accepted")
}

fn verdicts(model: &ProgramModel, fair: bool) -> Vec<Option<bool>> {
    answers(model, fair).iter().map(|outcome| outcome.holds).collect()
}

fn graph(model: &ProgramModel) -> StateGraph {
    StateGraph::explore(model.program(), 200_000)
        .expect("an initial state")
        .expect("a small graph")
}

/// Chapter 2, E1: a loop that counts down from 10 has 32 states, and ends unless it can be kept from moving.
#[test]
fn a_loop_ends_if_it_is_not_kept_from_moving() {
    let lines = "byte n = 10;
        active proctype p() { do :: n > 0 -> n = n - 1; skip :: n <= 0 -> break od; l3: end: false }";
    let alone = text(&format!("{lines} ltl ends {{ <> p@l3 }}"));
    let graph = graph(&alone);
    assert_eq!((graph.states.len(), graph.edges.len()), (32, 31));
    assert_eq!(verdicts(&alone, false), [Some(true), Some(true)]);
    let beside = text(&format!(
        "{lines} active proctype idle() {{ do :: true od }} ltl ends {{ <> p@l3 }}"
    ));
    assert_eq!(verdicts(&beside, false), [Some(true), Some(false)]);
    assert_eq!(verdicts(&beside, true), [Some(true), Some(true)]);
}

/// Chapter 2, E2: Peterson's algorithm excludes, and lets everybody in under justice.
#[test]
fn petersons_algorithm_needs_weak_fairness_for_access() {
    let model = example("peterson.pml");
    assert_eq!(verdicts(&model, false), [Some(true), Some(true), Some(false)]);
    assert_eq!(verdicts(&model, true), [Some(true), Some(true), Some(true)]);
}

/// Chapter 2, E3: a semaphore excludes, but justice does not give access.
#[test]
fn a_semaphore_needs_more_than_weak_fairness_for_access() {
    let model = example("semaphore.pml");
    for fair in [false, true] {
        assert_eq!(verdicts(&model, fair), [Some(true), Some(true), Some(false)]);
    }
}

/// The nine squares of a state of tic-tac-toe.
fn board(state: &State) -> [i32; 9] {
    std::array::from_fn(|square| state.globals[square])
}

fn moves_made(board: &[i32; 9]) -> usize {
    board.iter().filter(|&&square| square != 0).count()
}

/// The smallest of the eight boards that rotations and reflections make of one.
fn canonical(board: &[i32; 9]) -> [i32; 9] {
    let turned = |board: [i32; 9]| std::array::from_fn(|at| board[(2 - at % 3) * 3 + at / 3]);
    let mirrored = |board: [i32; 9]| std::array::from_fn(|at| board[at / 3 * 3 + 2 - at % 3]);
    let mut all = Vec::new();
    let mut now = *board;
    for _ in 0..4 {
        all.extend([now, mirrored(now)]);
        now = turned(now);
    }
    all.into_iter().min().expect("eight boards")
}

fn by_moves(boards: &HashSet<[i32; 9]>) -> Vec<usize> {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for board in boards {
        *count.entry(moves_made(board)).or_default() += 1;
    }
    count.into_values().collect()
}

/// Chapter 5, E1: 5,528 states as SPIN counts them, 5,478 boards, 765 of them essentially different.
#[test]
fn tic_tac_toe_has_the_states_that_spin_counts_and_the_boards_of_a_naive_count() {
    let model = example("tictactoe.pml");
    let outcome = &answers(&model, false)[0];
    assert_eq!((outcome.holds, outcome.states), (Some(true), 5_528));
    let boards: HashSet<[i32; 9]> = graph(&model).states.iter().map(board).collect();
    assert_eq!(boards, enumerated());
    assert_eq!(boards.len(), 5_478);
    assert_eq!(
        by_moves(&boards),
        [1, 9, 72, 252, 756, 1_260, 1_520, 1_140, 390, 78]
    );
    let different: HashSet<[i32; 9]> = boards.iter().map(canonical).collect();
    assert_eq!(different.len(), 765);
    assert_eq!(by_moves(&different), [1, 3, 12, 38, 108, 174, 204, 153, 57, 15]);
    let mut model = model;
    for reached in ["won && mover == cross", "won && mover == circle"] {
        model
            .add_formula(&format!("[] !({reached})"))
            .expect("a formula about the game");
    }
    assert_eq!(verdicts(&model, false), [Some(true), Some(false), Some(false)]);
}

/// All boards that can be played, without any model. Messages are numbered from the last name: circle is 1, cross is 2.
fn enumerated() -> HashSet<[i32; 9]> {
    const LINES: [[usize; 3]; 8] = [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
        [0, 4, 8],
        [2, 4, 6],
    ];
    let mut boards = HashSet::from([[0; 9]]);
    let mut pending = vec![([0; 9], 2)];
    while let Some((board, mover)) = pending.pop() {
        for square in (0..9).filter(|&square| board[square] == 0) {
            let mut next = board;
            next[square] = mover;
            let won = LINES
                .iter()
                .any(|line| line.iter().all(|&square| next[square] == mover));
            if boards.insert(next) && !won {
                pending.push((next, 3 - mover));
            }
        }
    }
    boards
}

/// Chapter 5, E2: two counters of k bits have 2^(2k) states.
#[test]
fn two_counters_have_the_product_of_their_states() {
    for (bits, states) in [(1, 4), (4, 256), (8, 65_536)] {
        let model = text(&format!(
            "unsigned a : {bits}; unsigned b : {bits};
             active proctype p() {{ do :: a++ :: a == 300 -> break od }}
             active proctype q() {{ do :: b++ :: b == 300 -> break od }}"
        ));
        assert_eq!(answers(&model, false)[0].states, states);
    }
}

/// Chapter 5, E6: a violation that breadth-first search finds is a nearest one.
#[test]
fn runs_to_violations_are_shortest() {
    for limit in 1..6 {
        let model = text(&format!(
            "byte x; active [2] proctype p() {{ do :: x = x + 1; assert(x < {limit}) :: x = x + 2 :: x > 0 -> x = 0 od }}"
        ));
        let outcome = &answers(&model, false)[0];
        let run = outcome.run.as_ref().expect("a run to the violation");
        let graph = graph(&model);
        let mut distance = vec![usize::MAX; graph.states.len()];
        distance[0] = 0;
        let mut pending = VecDeque::from([0]);
        while let Some(state) = pending.pop_front() {
            for edge in graph.edges.iter().filter(|edge| edge.from == state) {
                if let Ok(to) = edge.to
                    && distance[to] == usize::MAX
                {
                    distance[to] = distance[state] + 1;
                    pending.push_back(to);
                }
            }
        }
        let faults = graph.edges.iter().filter(|edge| edge.to.is_err());
        let nearest = faults.map(|edge| distance[edge.from] + 1).min();
        assert_eq!(Some(run.steps.len()), nearest, "limit {limit}");
    }
}

/// Chapter 5, E8: N chains of k states have k^N states and N k^(N-1) (k-1) steps.
#[test]
fn interleaved_chains_have_as_many_states_and_steps_as_counted() {
    for (processes, states) in [(1, 2), (2, 3), (3, 4), (4, 3), (5, 2)] {
        let steps = "skip; ".repeat(states - 1);
        let model = text(&format!(
            "active [{processes}] proctype chain() {{ {steps} end: false }}"
        ));
        let outcome = &answers(&model, false)[0];
        let power = |exponent: u32| (states as u64).pow(exponent);
        assert_eq!(outcome.states, power(processes));
        let wanted = u64::from(processes) * power(processes - 1) * (states as u64 - 1);
        assert_eq!(outcome.transitions, wanted);
    }
}

/// Chapter 19, example 1: two philosophers without loops have 17 states, 18 steps and two ends.
#[test]
fn two_philosophers_without_loops_end_in_two_ways() {
    let model = example("two_philosophers.pml");
    let graph = graph(&model);
    assert_eq!((graph.states.len(), graph.edges.len()), (17, 18));
    let go_on: BTreeSet<usize> = graph.edges.iter().map(|edge| edge.from).collect();
    let ends: Vec<usize> = (0..graph.states.len())
        .filter(|state| !go_on.contains(state))
        .collect();
    let forks: BTreeSet<&[i32]> = ends.iter().map(|&end| &graph.states[end].globals[..]).collect();
    assert_eq!(forks, BTreeSet::from([&[0, 0][..], &[1, 1][..]]));
    let outcome = &answers(&model, false)[0];
    assert_eq!(outcome.holds, Some(false));
    // The nearest end is the circle, two steps away; the other is eight.
    assert_eq!(outcome.run.as_ref().map(|run| run.steps.len()), Some(2));
}
