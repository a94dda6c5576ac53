//! Reduced sets as evidence: what is written by advice of the checker is accepted exactly where a full search finds nothing wrong, whatever the advice; sets whose makers left out steps that matter are not accepted.

use super::random_programs;
use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, ProgramEngine, SearchOptions};
use entail_program::{Advisor, Choice, Program, ProgramEvidence, ReducedSet, Requirement, RequirementKind};
use entail_programs::ProgramModel;
use entail_programs_checker::{advisor_of, check_reduced, observer_of};
use entail_source::Source;
use std::sync::Arc;
use std::time::Duration;

const FORMULAS: [&str; 8] = [
    "[] (g < 2)",
    "<> (g == 1 || h == 1)",
    "[] <> (g == 0)",
    "<> [] (h == 0)",
    "(g == 0) U (h == 1)",
    "[] (g == 1 -> <> (g == 0))",
    "([] <> (a[1] == 1)) -> ([] <> (h == 1))",
    "[] (len(c1) < 2)",
];

/// How many programs there are.
fn programs() -> u64 {
    200 * random_programs::effort()
}

/// A random program with a formula, and without assertions every other time: more of them hold.
fn asked(seed: u64) -> String {
    let plain = match seed % 8 {
        0 => random_programs::program(seed),
        1 => random_programs::wild(seed),
        2 => random_programs::spiced(seed),
        3 => random_programs::meeting_program(seed / 8),
        _ => random_programs::loose_program(seed),
    };
    let plain = match seed / 8 % 2 {
        0 => plain,
        _ => plain.replace("assert(", "(1 == 1) || ("),
    };
    match plain.contains("byte a[4]") && !plain.contains("ltl ") && !plain.contains("never ") {
        true => format!("{plain}ltl f {{ {} }}\n", FORMULAS[(seed / 4 % 8) as usize]),
        false => plain,
    }
}

/// The verdict of the full search, if there is one in time.
fn in_full(program: &Program, requirement: &Requirement) -> Option<bool> {
    let engine = ProgramEngine {
        options: SearchOptions {
            reduction: false,
            ..SearchOptions::default()
        },
        closing: Closing::Never,
        ..ProgramEngine::default()
    };
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(300)));
    match engine.check(program, requirement, &budget, &Silent).verdict {
        Verdict::Holds => Some(true),
        Verdict::Fails => Some(false),
        Verdict::Unknown => None,
    }
}

fn reduced_by(advisor: Arc<dyn Advisor>, program: &Program, requirement: &Requirement) -> Option<ReducedSet> {
    let engine = ProgramEngine {
        observer: observer_of(requirement).and_then(Result::ok),
        advisor: Some(advisor),
        ..ProgramEngine::default()
    };
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(300)));
    engine.reduced_states(program, requirement, 3_000, &budget)
}

/// Gives the advice that it got in another order, so that other sets are taken.
#[derive(Debug)]
struct Turned(Arc<dyn Advisor>, usize);

impl Advisor for Turned {
    fn has_advice(&self, program: &Program) -> bool {
        self.0.has_advice(program)
    }

    fn choices(&self, program: &Program, state: &[u8], steps: &[u32]) -> Vec<Choice> {
        let mut choices = self.0.choices(program, state, steps);
        let places = choices.len().max(1);
        choices.rotate_left((self.1 + state.len()) % places);
        choices
    }
}

/// Says that any process suffices.
#[derive(Debug)]
struct Careless;

impl Advisor for Careless {
    fn has_advice(&self, _: &Program) -> bool {
        true
    }

    fn choices(&self, _: &Program, _: &[u8], steps: &[u32]) -> Vec<Choice> {
        let moving = (0..steps.len()).filter(|&process| steps[process] > 0);
        let alone = |process: usize| (0..steps.len()).map(|other| other == process).collect();
        moving
            .map(|process| Choice {
                begins_with: process as u8,
                members: alone(process),
            })
            .collect()
    }
}

#[test]
fn reduced_sets_are_accepted_exactly_where_the_full_search_finds_nothing() {
    let budget = Budget::unlimited();
    let (mut accepted, mut rejected, mut reduced) = (0, 0, 0);
    let (mut careless_accepted, mut careless_rejected) = (0, 0);
    for seed in 0..programs() {
        let text = asked(seed);
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let program = model.program();
        for requirement in model.requirements() {
            let advisor = advisor_of(requirement);
            if !advisor.has_advice(program) {
                continue;
            }
            let Some(holds) = in_full(program, requirement) else {
                continue;
            };
            let what = || format!("seed {seed}, {:?}\n{text}", requirement.question);
            for turn in 0..2 {
                let turned = Arc::new(Turned(advisor.clone(), turn));
                let Some(set) = reduced_by(turned, program, requirement) else {
                    continue;
                };
                let report = check_reduced(program, requirement, &set, &budget);
                match holds {
                    true => assert_eq!(report, CheckReport::Accepted, "{}", what()),
                    false => assert_ne!(report, CheckReport::Accepted, "{}", what()),
                }
                accepted += u64::from(holds);
                rejected += u64::from(!holds);
                reduced += u64::from(set.reduced_states() > 0);
            }
            if let Some(set) = reduced_by(Arc::new(Careless), program, requirement) {
                let report = check_reduced(program, requirement, &set, &budget);
                let is_accepted = report == CheckReport::Accepted;
                assert!(!is_accepted || holds, "{}", what());
                careless_accepted += u64::from(is_accepted);
                careless_rejected += u64::from(!is_accepted);
            }
        }
    }
    println!(
        "{accepted} accepted, {rejected} rejected, {reduced} reduced; careless: {careless_accepted} accepted, {careless_rejected} rejected"
    );
    let wanted = programs() / 8;
    assert!(accepted > wanted && rejected > wanted && reduced > wanted);
    assert!(careless_rejected > wanted);
}

#[test]
fn damaged_reduced_sets_are_rejected() {
    let budget = Budget::unlimited();
    let (mut sets, mut spoilt) = (0, 0);
    for seed in 0..programs() {
        let text = asked(seed);
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let program = model.program();
        for requirement in model.requirements() {
            let set = match in_full(program, requirement) {
                Some(true) => reduced_by(advisor_of(requirement), program, requirement),
                _ => None,
            };
            let Some(set) = set.filter(|set| set.reduced_states() > 0 && set.ranked().states().len() < 400)
            else {
                continue;
            };
            sets += 1;
            let text_of = set.taken_to_text();
            let read = ReducedSet::from_text(set.ranked().clone(), &text_of);
            assert_eq!(read.as_ref(), Some(&set));
            assert_eq!(ReducedSet::from_text(set.ranked().clone(), &text_of[4..]), None);
            let all = set.states();
            let check = |states| {
                let set = ReducedSet::new(states).expect("few ranks");
                check_reduced(program, requirement, &set, &budget)
            };
            assert_eq!(check(all.clone()), CheckReport::Accepted);
            // Every state is the initial one or is led to by a step that was taken, so none can be missing.
            for at in (0..all.len()).step_by(1 + all.len() / 5) {
                let mut fewer = all.clone();
                fewer.remove(at);
                assert!(
                    check(fewer).is_rejected(),
                    "without state {at}, seed {seed}\n{text}"
                );
            }
            // Nobody of this number moves, so nothing would be taken.
            for at in (0..all.len()).step_by(1 + all.len() / 5) {
                if requirement.question == RequirementKind::Safety {
                    let mut nobody = all.clone();
                    nobody[at].1.begins_with = Some(200);
                    assert!(
                        check(nobody).is_rejected(),
                        "nobody in state {at}, seed {seed}\n{text}"
                    );
                }
            }
            // All states at one place of the order, where a state with fewer steps leads only to such states.
            let mut flat = all.clone();
            flat.iter_mut().for_each(|(_, taken, _)| taken.order = 7);
            spoilt += u64::from(check(flat).is_rejected());
        }
    }
    println!("{sets} sets, {spoilt} without order rejected");
    assert!(
        sets > programs() / 8 && spoilt > programs() / 16,
        "{sets} {spoilt}"
    );
}

/// One process alone would do for ever what nobody cares about, while the assertion of another is put off: the order shows it.
#[test]
fn a_set_that_puts_off_an_assertion_for_ever_is_rejected() {
    let text = "bit x; active proctype p() { bit y; do :: y = 1 - y od } active proctype q() { bit z; z = 1; assert(x == 1) }";
    let model = ProgramModel::read(Source::new("model.pml", text)).expect("a program");
    let (program, requirement) = (model.program(), &model.requirements()[0]);
    let set = reduced_by(advisor_of(requirement), program, requirement).expect("few states");
    let report = check_reduced(program, requirement, &set, &Budget::unlimited());
    assert!(report.is_rejected(), "{report:?}");
    // The states of `p` alone, each with the steps of `p` only.
    let mut alone = set.states();
    let initial = alone
        .iter()
        .position(|(_, taken, _)| taken.order == 0)
        .expect("there is one");
    let first = alone[initial].0.clone();
    alone.retain(|(state, ..)| state.iter().zip(&first).filter(|(a, b)| a != b).count() <= 1);
    for (order, (_, taken, _)) in alone.iter_mut().enumerate() {
        (taken.begins_with, taken.order) = (Some(0), order as u32);
    }
    let set = ReducedSet::new(alone).expect("no ranks");
    let report = check_reduced(program, requirement, &set, &Budget::unlimited());
    assert!(report.is_rejected(), "{report:?}");
}

/// The engine writes a reduced set where the full one is too large, and the whole answer is accepted.
#[test]
fn many_independent_processes_have_a_small_reduced_set() {
    let text = "byte done; active [6] proctype p() { byte x; do :: x < 9 -> x++ :: else -> break od; done++ }
        ltl f { <> (done > 0) }";
    let model = ProgramModel::read(Source::new("model.pml", text)).expect("a program");
    let program = model.program();
    for requirement in model.requirements() {
        let engine = ProgramEngine {
            closing: Closing::Always,
            observer: observer_of(requirement).and_then(Result::ok),
            advisor: Some(advisor_of(requirement)),
            ..ProgramEngine::default()
        };
        let answer = engine.check(program, requirement, &Budget::unlimited(), &Silent);
        let Some(ProgramEvidence::Reduced(set)) = answer.evidence else {
            panic!(
                "{:?}: a reduced set was expected: {:?}",
                requirement.question, answer.evidence
            );
        };
        assert!(set.ranked().states().len() < 20_000);
        let report = check_reduced(program, requirement, &set, &Budget::unlimited());
        assert_eq!(report, CheckReport::Accepted);
    }
}
