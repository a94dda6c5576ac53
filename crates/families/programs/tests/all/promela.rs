//! Promela through the whole library: the compiled search against the reference interpreter, on written and on random programs.

use entail_automata::{Kind, State as AutomatonState, Translation, translate};
use entail_budget::Budget;
use entail_explicit::SearchOptions;
use entail_logic::Formula;
use entail_program::interpret::{View, can_move, evaluate, moves};
use entail_program::{Program, RequirementKind, State};
use entail_programs::ProgramModel;
use entail_source::Source;
use std::collections::{HashMap, HashSet};
use told::{ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

fn model(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("test.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Verdict and number of states of the first requirement.
fn searched(model: &ProgramModel) -> (Option<bool>, u64, Option<String>) {
    let request = ProgramRequest {
        requirements: vec![0],
        options: SearchOptions {
            reduction: false,
            ..SearchOptions::default()
        },
        ..ProgramRequest::default()
    };
    let answers =
        check_program(model, &request).unwrap_or_else(|error| panic!("{error}\n{}", model.source().text()));
    let outcome = &answers[0];
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
        let text = match seed % 2 {
            0 => random_programs::program(seed),
            _ => random_programs::spiced(seed),
        };
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

/// The states at rest with their successors and whether they satisfy each condition, by the interpreter alone.
struct Graph {
    successors: Vec<Vec<usize>>,
    letters: Vec<u64>,
}

fn graph(program: &Program, limit: usize) -> Option<Graph> {
    let initial = State::initial(program).ok()?;
    let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    let mut graph = Graph {
        successors: Vec::new(),
        letters: Vec::new(),
    };
    while graph.successors.len() < states.len() {
        let number = graph.successors.len();
        let state = states[number].clone();
        let view = View::new(program, &state, usize::MAX);
        let mut letter = 0;
        for (position, condition) in program.conditions.iter().enumerate() {
            letter |= u64::from(evaluate(&view, condition).ok()? != 0) << position;
        }
        graph.letters.push(letter);
        let mut next = Vec::new();
        let mut pending = vec![(state, None)];
        let mut inside = HashSet::new();
        while let Some((state, control)) = pending.pop() {
            if !inside.insert((state.clone(), control)) {
                // An atomic sequence may run for ever, or come to the same state in two ways: only the first is simple.
                return None;
            }
            for found in moves(program, &state, control) {
                let state = found.result.ok()?;
                match found
                    .control
                    .filter(|&process| can_move(program, &state, process))
                {
                    Some(process) => pending.push((state, Some(process))),
                    None => {
                        let fresh = states.len();
                        let number = *numbers.entry(state.clone()).or_insert(fresh);
                        if number == fresh {
                            states.push(state);
                        }
                        next.push(number);
                    }
                }
            }
        }
        if next.is_empty() {
            next.push(number);
        }
        graph.successors.push(next);
        if states.len() > limit {
            return None;
        }
    }
    Some(graph)
}

/// Whether some path of the graph satisfies the negation of the formula: the whole product is built, and for every pair the pairs on
/// cycles through it are collected.
fn violated(graph: &Graph, formula: &Formula<usize>) -> bool {
    let named = formula.not().map_atoms(&mut |atom| format!("c{atom}"));
    let automaton = translate(&named, Translation::default(), &Budget::unlimited()).expect("a small formula");
    if automaton.kind() == Kind::None {
        return false;
    }
    let required = (1u64 << automaton.mark_count()) - 1;
    let width = automaton.state_count();
    let letter_of = |letter: u64| {
        let propositions = automaton.propositions().iter().enumerate();
        propositions.fold(0, |sum, (bit, name)| {
            let condition: usize = name[1..].parse().expect("named above");
            sum | (letter >> condition & 1) << bit
        })
    };
    let edges = |pair: usize| -> Vec<(usize, u64)> {
        let (state, at) = (pair / width, pair % width);
        let steps: Vec<_> = automaton
            .successors(AutomatonState(at as u32), letter_of(graph.letters[state]))
            .collect();
        let next = &graph.successors[state];
        steps
            .iter()
            .flat_map(|(target, marks)| {
                next.iter()
                    .map(move |state| (state * width + target.index(), marks.0))
            })
            .collect()
    };
    let reachable = |from: Vec<usize>| {
        let mut seen: HashSet<usize> = from.iter().copied().collect();
        let mut pending = from;
        while let Some(pair) = pending.pop() {
            for (next, _) in edges(pair) {
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
        seen
    };
    let all = reachable(automaton.initial().iter().map(|state| state.index()).collect());
    let closure: HashMap<usize, HashSet<usize>> =
        all.iter().map(|&pair| (pair, reachable(vec![pair]))).collect();
    all.iter().any(|&pair| {
        let (mut marks, mut cyclic) = (0, false);
        for &member in closure[&pair]
            .iter()
            .filter(|member| closure[member].contains(&pair))
        {
            for (next, seen) in edges(member) {
                if closure[&pair].contains(&next) && closure[&next].contains(&pair) {
                    marks |= seen;
                    cyclic = true;
                }
            }
        }
        cyclic && marks & required == required
    })
}

#[test]
fn formulas_are_decided_as_a_naive_search_of_the_whole_product_does() {
    let formulas = [
        "[] (g < 2)",
        "<> (g == 1 || h == 1)",
        "[] <> (g == 0)",
        "<> [] (h == 0)",
        "(g == 0) U (h == 1)",
        "[] (g == 1 -> <> (g == 0))",
        "X (g == 0 && h == 0)",
        "([] <> (g == 1)) -> ([] <> (h == 1))",
    ];
    let (mut compared, mut failing) = (0, 0);
    for seed in 0..120 {
        let formula = formulas[seed as usize % formulas.len()];
        let text = format!("{}ltl f {{ {formula} }}\n", random_programs::program(seed));
        let model = model(&text);
        let RequirementKind::Always(parsed) = &model.requirements()[1].question else {
            panic!("the second requirement is the formula");
        };
        let Some(graph) = graph(model.program(), 120) else {
            continue;
        };
        let request = ProgramRequest {
            requirements: vec![1],
            ..ProgramRequest::default()
        };
        let answers = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let expected = !violated(&graph, parsed);
        assert_eq!(answers[0].holds, Some(expected), "seed {seed}\n{text}");
        compared += 1;
        failing += usize::from(!expected);
    }
    assert!(
        compared > 25 && failing > 5 && failing < compared - 5,
        "{compared} compared, {failing} fail"
    );
}

#[test]
fn fairness_claims_and_cycles_are_decided() {
    let two = "byte x; active proctype p() { do :: x = 1 - x od } active proctype q() { bit done; done = 1; x = 2 }\n";
    let unfair = format!(
        "bit b; active proctype p() {{ do :: skip od }} active proctype q() {{ b = 1 }} ltl f {{ <> (b == 1) }} {}",
        ""
    );
    for (weak_fairness, expected) in [(false, false), (true, true)] {
        let request = ProgramRequest {
            requirements: vec![1],
            options: SearchOptions {
                weak_fairness,
                ..SearchOptions::default()
            },
            ..ProgramRequest::default()
        };
        let model = model(&unfair);
        let answers = check_program(&model, &request).expect("its run is accepted");
        assert_eq!(answers[0].holds, Some(expected), "fairness {weak_fairness}");
    }
    let cases = [
        (
            format!("{two} never {{ do :: x == 2 -> break :: else od }}"),
            false,
        ),
        (
            format!("{two} never {{ do :: x == 7 -> break :: else od }}"),
            true,
        ),
        (format!("{two} never {{ accept: do :: x < 2 od }}"), false),
        (
            "byte x; active proctype p() { accept: do :: x = 1 - x od }".into(),
            false,
        ),
        (
            "byte x; active proctype p() { accept: x = 1; end: do :: x = 1 - x od }".into(),
            true,
        ),
        (
            "byte x; active proctype p() { progress: do :: x = 1 - x od }".into(),
            true,
        ),
        (
            "byte x; active proctype p() { progress: x = 1; do :: x = 1 - x od }".into(),
            false,
        ),
        ("active proctype p() { progress: skip; skip }".into(), true),
    ];
    for (text, expected) in cases {
        let request = ProgramRequest {
            requirements: vec![1],
            ..ProgramRequest::default()
        };
        let answers =
            check_program(&model(&text), &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(answers[0].holds, Some(expected), "{text}");
    }
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

/// Joining statements and forgetting variables changes no verdict. `PLAIN_PROGRAMS=1000` compares more programs.
#[test]
fn programs_mean_the_same_with_every_statement_as_a_step_of_its_own() {
    let nothing = |_: &str, _: &str| None;
    let (mut compared, mut failing, mut smaller) = (0, 0, 0);
    let programs: u64 = std::env::var("PLAIN_PROGRAMS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(60);
    for seed in 0..programs {
        let text = match seed % 2 {
            0 => random_programs::program(seed),
            _ => random_programs::spiced(seed),
        };
        let source = Source::new("test.pml", &text);
        let plain = entail_promela::read_plainly(&source, &nothing)
            .unwrap_or_else(|trouble| panic!("{}\n{text}", trouble.diagnostics));
        let reduced = model(&text);
        let (Some((safe, states)), Some((plainly_safe, plain_states))) = (
            enumerated(reduced.program(), 500),
            enumerated(&plain.program, 1_500),
        ) else {
            continue;
        };
        assert_eq!(safe, plainly_safe, "seed {seed}\n{text}");
        compared += 1;
        failing += usize::from(!safe);
        smaller += usize::from(states < plain_states);
    }
    assert!(
        compared > 20 && failing > 5 && smaller > 5,
        "{compared} programs, {failing} fail, {smaller} are smaller"
    );
}
