//! Monitors and the direct semantics of assertions say the same: on all short words, and on random lassos.

use crate::psl::described;
use entail_automata::assertion::{Acceptance, FiniteWord, Gate, GateId, Monitor};
use entail_budget::Budget;
use entail_logic::{Assertion, Guard, Sequence};
use entail_systems_checker::{AssertionWord, MonitorGoal, View};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const ATOMS: usize = 2;

fn guard(random: &mut StdRng) -> Guard<usize> {
    match random.random_range(0..8) {
        0 => Guard::Constant(true),
        1 => Guard::Constant(false),
        2 | 3 => Guard::Not(Arc::new(Guard::Atom(random.random_range(0..ATOMS)))),
        4 => Guard::And(Arc::new(Guard::Atom(0)), Arc::new(Guard::Atom(1))),
        _ => Guard::Atom(random.random_range(0..ATOMS)),
    }
}

fn sequence(random: &mut StdRng, depth: u32) -> Sequence<usize> {
    if depth == 0 {
        return Sequence::Guard(guard(random));
    }
    let mut inner = || Arc::new(sequence(random, depth - 1));
    let (left, right) = (inner(), inner());
    match random.random_range(0..11) {
        0 => Sequence::Fusion(left, right),
        1 => Sequence::Union(left, right),
        2 => Sequence::Intersection(left, right),
        3 => Sequence::Both(left, right),
        4 => {
            let least = random.random_range(0..3);
            let most = random.random_bool(0.5).then(|| least + random.random_range(0..2));
            (*left).clone().repeated(least, most)
        }
        5 => Sequence::FirstMatch(left),
        6 => (*left).clone().within((*right).clone()),
        7 => (*left)
            .clone()
            .delayed(random.random_range(0..2), Some(2), (*right).clone()),
        8 => Sequence::goto(&guard(random), 1, Some(random.random_range(1..3))),
        _ => Sequence::Concatenation(left, right),
    }
}

pub(crate) fn assertion(random: &mut StdRng, depth: u32) -> Assertion<usize> {
    if depth == 0 {
        let deep = random.random_range(0..3);
        return Assertion::Sequence {
            sequence: Arc::new(sequence(random, deep)),
            strong: random.random_bool(0.5),
        };
    }
    let one = assertion(random, depth - 1);
    match random.random_range(0..9) {
        0 => one.negated(),
        1 => one.and(assertion(random, depth - 1)),
        2 => one.or(assertion(random, depth - 1)),
        3 => one.implied_by(sequence(random, 2), random.random_bool(0.5)),
        4 => one.after(random.random_range(1..3), random.random()),
        5 => {
            let strong = random.random_bool(0.5);
            one.until(assertion(random, depth - 1), strong)
        }
        6 => one.always(),
        7 => one.eventually(),
        _ => Assertion::Abort {
            condition: guard(random),
            accept: random.random_bool(0.5),
            body: Arc::new(one),
        },
    }
}

/// What a monitor does on a letter: its next registers, and whether its signal is true.
fn step(monitor: &Monitor<usize>, registers: &[bool], choice: u64, letter: &[bool]) -> (Vec<bool>, bool) {
    let mut values: Vec<bool> = Vec::new();
    for gate in &monitor.gates {
        values.push(match *gate {
            Gate::Constant(truth) => truth,
            Gate::Atom(atom) => letter[atom],
            Gate::Register(place) => registers[place as usize],
            Gate::Choice(place) => choice >> place & 1 == 1,
            Gate::Not(inner) => !values[inner.0 as usize],
            Gate::And(left, right) => values[left.0 as usize] && values[right.0 as usize],
        });
    }
    let next = monitor
        .registers
        .iter()
        .map(|register| values[register.next.0 as usize]);
    let (Acceptance::Reached(signal) | Acceptance::Recurring(signal)) = monitor.acceptance;
    (next.collect(), values[signal.0 as usize])
}

/// A position in a word, and a monitor's registers there.
type Place = (usize, Vec<bool>);

/// Whether some choices make a monitor accept a word (a lasso, or finite and reached within it).
fn accepts(monitor: &Monitor<usize>, letters: &[Vec<bool>], loop_start: Option<usize>) -> bool {
    let first: Vec<bool> = monitor
        .registers
        .iter()
        .map(|register| register.initial)
        .collect();
    let mut edges: HashMap<Place, Vec<(Place, bool)>> = HashMap::new();
    let mut stack = vec![(0, first)];
    let mut signalled = Vec::new();
    while let Some(node) = stack.pop() {
        if node.0 >= letters.len() || edges.contains_key(&node) {
            continue;
        }
        let mut out = Vec::new();
        for choice in 0..1_u64 << monitor.choices {
            let (next, signal) = step(monitor, &node.1, choice, &letters[node.0]);
            let place = match node.0 + 1 < letters.len() {
                true => node.0 + 1,
                false => loop_start.unwrap_or(letters.len()),
            };
            if signal {
                if matches!(monitor.acceptance, Acceptance::Reached(_)) {
                    return true;
                }
                signalled.push((node.clone(), (place, next.clone())));
            }
            out.push(((place, next.clone()), signal));
            stack.push((place, next));
        }
        edges.insert(node, out);
    }
    // A signal is true again and again iff the step it comes with lies on a cycle.
    signalled.iter().any(|(from, to)| {
        let mut seen = HashSet::new();
        let mut stack = vec![to.clone()];
        while let Some(node) = stack.pop() {
            if node == *from {
                return true;
            }
            if seen.insert(node.clone()) {
                stack.extend(
                    edges
                        .get(&node)
                        .into_iter()
                        .flatten()
                        .map(|(next, _)| next.clone()),
                );
            }
        }
        false
    })
}

pub(crate) fn words(length: usize) -> impl Iterator<Item = Vec<Vec<bool>>> {
    (0..1_usize << (ATOMS * length)).map(move |number| {
        (0..length)
            .map(|letter| {
                (0..ATOMS)
                    .map(|atom| number >> (letter * ATOMS + atom) & 1 == 1)
                    .collect()
            })
            .collect()
    })
}

pub(crate) fn effort() -> u64 {
    let asked = std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok());
    asked.unwrap_or(1)
}

#[test]
fn monitors_accept_the_lassos_on_which_the_assertion_is_false_and_those_on_which_it_is_true() {
    let mut random = StdRng::seed_from_u64(22);
    let mut decided = [0; 2];
    for _ in 0..250 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth);
        let (Ok(violations), Ok(models), Ok(witnesses)) = (
            Monitor::of_violations(&asked),
            Monitor::of_models(&asked),
            Monitor::of_witnesses(&asked),
        ) else {
            continue;
        };
        if [&violations, &models, &witnesses]
            .iter()
            .any(|one| one.choices > 4 || one.registers.len() > 12)
        {
            continue;
        }
        for _ in 0..12 {
            let length = random.random_range(1..5);
            let start = random.random_range(0..length);
            let letters: Vec<Vec<bool>> = (0..length)
                .map(|_| (0..ATOMS).map(|_| random.random_bool(0.5)).collect())
                .collect();
            let word = AssertionWord::new(letters.clone(), Some(start));
            let truth = word.holds(&asked, View::Weak);
            decided[usize::from(truth)] += 1;
            assert_eq!(truth, word.holds(&asked, View::Strong), "{asked:?}");
            assert_eq!(
                !truth,
                accepts(&violations, &letters, Some(start)),
                "{asked:?} {letters:?} {start}"
            );
            assert_eq!(
                truth,
                accepts(&models, &letters, Some(start)),
                "{asked:?} {letters:?} {start}"
            );
            assert_eq!(
                truth,
                accepts(&witnesses, &letters, Some(start)),
                "{asked:?} {letters:?} {start}"
            );
        }
    }
    assert!(decided[0] > 200 && decided[1] > 200, "{decided:?}");
}

#[test]
fn a_violation_is_reached_on_the_finite_words_that_every_continuation_violates() {
    let mut random = StdRng::seed_from_u64(1800);
    for _ in 0..120 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth);
        let Ok(monitor) = Monitor::of_violations(&asked) else {
            continue;
        };
        if monitor.choices > 4
            || monitor.registers.len() > 12
            || matches!(monitor.acceptance, Acceptance::Recurring(_))
        {
            continue;
        }
        for length in 1..4 {
            for letters in words(length) {
                let weak = AssertionWord::new(letters.clone(), None).holds(&asked, View::Weak);
                assert_eq!(!weak, accepts(&monitor, &letters, None), "{asked:?} {letters:?}");
                let strong = AssertionWord::new(letters.clone(), None).holds(&asked, View::Strong);
                assert!(weak || !strong, "strong implies weak: {asked:?} {letters:?}");
            }
        }
    }
}

#[test]
fn a_run_gone_through_from_its_end_is_as_the_definition_says() {
    let mut random = StdRng::seed_from_u64(2003);
    let budget = Budget::unlimited();
    let mut seen = [[0; 2]; 3];
    for _ in 0..400 * effort() {
        let depth = random.random_range(0..4);
        let asked = assertion(&mut random, depth);
        for _ in 0..6 {
            let length = random.random_range(1..9);
            let letters: Vec<Vec<bool>> = (0..length)
                .map(|_| (0..ATOMS).map(|_| random.random_bool(0.5)).collect())
                .collect();
            let run = FiniteWord::new(&letters, &budget);
            let on = |length: usize, view: View| {
                AssertionWord::new(letters[..length].to_vec(), None).holds(&asked, view)
            };
            let views = [View::Strong, View::Neutral, View::Weak];
            let truths = views.map(|view| on(length, view));
            for ((view, truth), seen) in views.into_iter().zip(truths).zip(&mut seen) {
                let Ok(found) = run.holds(&asked, view) else {
                    continue;
                };
                assert_eq!(truth, found, "{view:?} {asked:?} {letters:?}");
                seen[usize::from(truth)] += 1;
            }
            // Theorems 12 and 13 of the handbook's chapter 24.
            assert!(truths.is_sorted(), "strong, neutral, weak: {asked:?} {letters:?}");
            let violated = (1..=length).find(|&length| !on(length, View::Weak));
            let confirmed = (1..=length).find(|&length| on(length, View::Strong));
            assert_eq!(
                run.shortest_violation(&asked).unwrap_or(violated),
                violated,
                "{asked:?} {letters:?}"
            );
            assert_eq!(
                run.shortest_confirmation(&asked).unwrap_or(confirmed),
                confirmed,
                "{asked:?} {letters:?}"
            );
            assert_eq!(
                violated.is_none(),
                truths[2],
                "the weak view is closed under prefixes: {asked:?} {letters:?}"
            );
            assert_eq!(
                confirmed.is_some(),
                truths[0],
                "the strong view is closed under extension: {asked:?} {letters:?}"
            );
            // What a search for violations looks for is what is violated on the run.
            let monitor = Monitor::of_violations(&asked).ok();
            let small = |monitor: &Monitor<usize>| monitor.choices <= 4 && monitor.registers.len() <= 12;
            if let Some(monitor) = monitor.filter(small)
                && matches!(monitor.acceptance, Acceptance::Reached(_))
            {
                assert_eq!(
                    violated.is_some(),
                    accepts(&monitor, &letters, None),
                    "{asked:?} {letters:?}"
                );
            }
        }
    }
    assert!(seen.iter().flatten().all(|count| *count > 200), "{seen:?}");
}

/// How a monitor accepts, as the checker takes it.
pub(crate) fn goal(monitor: &Monitor<usize>) -> MonitorGoal {
    match monitor.acceptance {
        Acceptance::Reached(signal) => MonitorGoal::Reached(signal.0 as usize),
        Acceptance::Recurring(signal) => MonitorGoal::Recurring(signal.0 as usize),
    }
}

fn kept(monitor: &Monitor<usize>) -> MonitorGoal {
    let (Acceptance::Reached(signal) | Acceptance::Recurring(signal)) = monitor.acceptance;
    let fair = (signal != monitor.alive).then_some(signal.0 as usize);
    MonitorGoal::Kept(monitor.alive.0 as usize, fair)
}

#[test]
fn the_checker_follows_monitors_of_random_assertions() {
    let mut random = StdRng::seed_from_u64(1850);
    let budget = Budget::unlimited();
    let mut counts = [[0; 2]; 3];
    for _ in 0..200 * effort() {
        let depth = random.random_range(0..3);
        let asked = assertion(&mut random, depth);
        let (Ok(violations), Ok(models), Ok(witnesses)) = (
            Monitor::of_violations(&asked),
            Monitor::of_models(&asked),
            Monitor::of_witnesses(&asked),
        ) else {
            continue;
        };
        for (kind, circuit, truth) in [
            (0, described(&violations, goal(&violations)), false),
            (1, described(&models, kept(&models)), true),
            (2, described(&witnesses, goal(&witnesses)), true),
        ] {
            if circuit.registers.len() > 24 {
                continue;
            }
            let report = circuit.sees_all(&asked, truth, &budget);
            assert!(!report.is_rejected(), "{kind} {asked:?}: {report:?}");
            counts[kind][usize::from(report.is_accepted())] += 1;
        }
    }
    // Simulation is not complete; it should nearly always do.
    for [open, accepted] in counts {
        assert!(accepted > 20 * open, "{counts:?}");
    }
}

#[test]
fn a_monitor_that_misses_a_violation_is_not_accepted() {
    let mut random = StdRng::seed_from_u64(1364);
    let budget = Budget::unlimited();
    let (mut damaged, mut rejected) = (0, 0);
    for _ in 0..300 * effort() {
        let asked = assertion(&mut random, 1);
        let Ok(mut monitor) = Monitor::of_violations(&asked) else {
            continue;
        };
        if monitor.choices > 3
            || monitor.registers.len() > 10
            || monitor.gates.is_empty()
            || matches!(monitor.acceptance, Acceptance::Recurring(_))
        {
            continue;
        }
        // A register begins otherwise, or holds something else, or a gate is another one.
        let place = random.random_range(0..monitor.registers.len());
        let gate = random.random_range(0..monitor.gates.len());
        match random.random_range(0..3) {
            0 => monitor.registers[place].initial ^= true,
            1 => monitor.registers[place].next = GateId(gate as u32),
            _ if gate > 0 => monitor.gates[gate] = Gate::Not(GateId(random.random_range(0..gate as u32))),
            _ => continue,
        }
        let misses = (1..4).flat_map(words).any(|letters| {
            let violated = !AssertionWord::new(letters.clone(), None).holds(&asked, View::Weak);
            violated && !accepts(&monitor, &letters, None)
        });
        let report = described(&monitor, goal(&monitor)).sees_all(&asked, false, &budget);
        if misses {
            damaged += 1;
            assert!(!report.is_accepted(), "{asked:?}");
            rejected += usize::from(report.is_rejected());
        }
    }
    assert!(damaged > 20 && rejected * 2 > damaged, "{rejected} of {damaged}");
}
