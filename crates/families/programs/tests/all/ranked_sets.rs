//! States with ranks as evidence for what holds of all infinite runs: what the engine writes is accepted, with and without fairness; what lacks a state or has a rank that is too low or too high is not; and nothing is accepted that the
//! reference interpreter refutes by a search.

use entail_answer::{CheckReport, Rank, RankedSet, Verdict};
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, ProgramEngine, SearchOptions};
use entail_program::{Program, ProgramEvidence, Requirement, RequirementKind};
use entail_programs::ProgramModel;
use entail_programs_checker::{check_ranked, observer_of, search_again};
use entail_source::Source;
use std::time::Duration;

use crate::random_programs;

const FORMULAS: [&str; 14] = [
    "[] (g < 3)",
    "<> (g == 1 || h == 1 || g == 0)",
    "[] <> (g == 0) || <> [] (g != 0)",
    "<> [] (h == 0)",
    "(g == 0) U (h == 1 || g == 0)",
    "[] (g == 1 -> <> (g == 0))",
    "([] <> (a[1] == 1)) -> ([] <> (h == 1))",
    "[] (g != 2 || h == 0)",
    "X X (g == 0 || g == 1)",
    "(g == 0) W (h == 1 || g == 1)",
    "(h == 1) V (g == 0)",
    "[] <> (g == 0) || [] <> (g == 1) || [] <> (g == 2)",
    "! ((g == 0) U X (g == 1))",
    "[] ((g == 0) -> X ((g == 0) W (g != 0)))",
];

const CLAIMS: [&str; 4] = [
    "never { wait: do :: g == 1 && !(g == 0) -> goto accept :: true od; accept: do :: !(g == 0) od }\n",
    "never { do :: true :: g == 9 -> break od }\n",
    "never { true; true; accept: do :: h == 0 :: else -> skip; skip; false od }\n",
    "never { do :: true :: g == 0 -> accept: if :: h == 1 :: else -> false fi od }\n",
];

/// How many programs there are.
fn programs() -> u64 {
    150 * random_programs::effort()
}

fn read(text: &str) -> ProgramModel {
    ProgramModel::read(Source::new("model.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What the engine says, with ranks if it can.
fn answer(
    program: &Program,
    requirement: &Requirement,
    fair: bool,
    time: u64,
) -> (Verdict, Option<RankedSet>) {
    let engine = ProgramEngine {
        options: SearchOptions {
            weak_fairness: fair,
            ..SearchOptions::default()
        },
        closing: Closing::Always,
        observer: observer_of(requirement).and_then(Result::ok),
        ..ProgramEngine::default()
    };
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(time)));
    let answer = engine.check(program, requirement, &budget, &Silent);
    match answer.evidence {
        Some(ProgramEvidence::Ranked(set)) => (answer.verdict, Some(set)),
        _ => (answer.verdict, None),
    }
}

fn remade(pairs: Vec<(Box<[u8]>, Vec<Rank>)>) -> RankedSet {
    RankedSet::new(pairs).expect("few ranks")
}

#[test]
fn what_the_engine_writes_is_accepted_and_not_if_a_state_is_missing_or_a_rank_is_wrong() {
    let budget = Budget::unlimited();
    let (mut accepted, mut larger, mut falling) = (0, 0, 0);
    for seed in 0..programs() {
        let text = random_programs::about_infinite_runs(seed, CLAIMS, FORMULAS);
        let model = read(&text);
        let program = model.program();
        let infinite = (model.requirements().iter()).filter(|one| one.question != RequirementKind::Safety);
        for (requirement, fair) in infinite.flat_map(|one| [(one, false), (one, true)]) {
            let (verdict, set) = answer(program, requirement, fair, 300);
            let Some(set) = set else {
                continue;
            };
            assert_eq!(verdict, Verdict::Holds);
            if set.ranks() > 2_000 {
                continue;
            }
            let what = format!("seed {seed}, fair {fair}, {}\n{text}", requirement.text);
            let check = |set: &RankedSet| check_ranked(program, requirement, fair, set, &budget);
            assert_eq!(check(&set), CheckReport::Accepted, "{what}");
            accepted += 1;
            larger += u64::from(set.ranks() > 50);
            let all = set.pairs();
            // Every pair is the first one or has one that leads to it, so none can be missing.
            for at in (0..all.len()).step_by(1 + all.len() / 5) {
                let mut fewer = all.clone();
                fewer.remove(at);
                assert!(check(&remade(fewer)).is_rejected(), "without state {at}: {what}");
                let mut fewer = all.clone();
                fewer[at].1.pop();
                assert!(
                    check(&remade(fewer)).is_rejected(),
                    "without a rank of state {at}: {what}"
                );
            }
            // Levels are as low as they can be with these marks.
            let lowered = (0..all.len()).filter(|&at| all[at].1.iter().any(|rank| rank.level > 0));
            for at in lowered.step_by(1 + all.len() / 5) {
                let mut lower = all.clone();
                let rank = lower[at].1.iter_mut().find(|rank| rank.level > 0);
                rank.expect("there is one").level -= 1;
                assert!(
                    check(&remade(lower)).is_rejected(),
                    "a rank of state {at} lowered: {what}"
                );
                falling += 1;
            }
            // A pair that another one leads to cannot be higher than that.
            if let Some(at) = all.iter().position(|(_, ranks)| ranks.len() > 1) {
                let mut higher = all.clone();
                higher[at].1.iter_mut().for_each(|rank| rank.level = u32::MAX);
                assert!(
                    check(&remade(higher)).is_rejected(),
                    "the ranks of state {at} raised: {what}"
                );
            }
        }
    }
    println!("{accepted} accepted, {larger} larger, {falling} lowered");
    assert!(
        accepted > programs() / 4 && larger > 5 && falling > programs(),
        "{accepted} {larger} {falling}"
    );
}

/// Ranks made for one formula are held against others, and against fairness they were not made for.
#[test]
fn nothing_is_accepted_that_a_search_refutes() {
    let budget = Budget::unlimited();
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..programs() / 3 {
        let plain = match seed % 2 {
            0 => random_programs::program(seed),
            _ => random_programs::loose_program(seed),
        };
        let formulas = FORMULAS.iter().enumerate();
        let asked: String = formulas
            .map(|(number, formula)| format!("ltl f{number} {{ {formula} }}\n"))
            .collect();
        let text = plain + &asked;
        let model = read(&text);
        let program = model.program();
        let formulas: Vec<&Requirement> = (model.requirements().iter())
            .filter(|one| matches!(one.question, RequirementKind::Always(_)))
            .collect();
        for (number, requirement) in formulas.iter().enumerate().step_by(3) {
            let (_, Some(set)) = answer(program, requirement, seed % 3 == 0, 100) else {
                continue;
            };
            if set.ranks() > 300 {
                continue;
            }
            for other in formulas.iter().skip(number % 2).step_by(2) {
                for fair in [false, true] {
                    let report = check_ranked(program, other, fair, &set, &budget);
                    let again = search_again(program, other, fair, &budget);
                    match report {
                        CheckReport::Accepted => {
                            accepted += 1;
                            assert_eq!(again, CheckReport::Accepted, "{}\n{text}", other.text);
                        }
                        _ => rejected += u64::from(again.is_rejected()),
                    }
                }
            }
        }
    }
    assert!(accepted > 20 && rejected > 20, "{accepted} {rejected}");
}

#[test]
fn a_response_that_needs_fairness_has_ranks_with_it_and_none_without() {
    let text = "bit x; active proctype p() { do :: x = 1; x = 0 od } active proctype q() { do :: skip od }
        ltl f { [] <> (x == 1) }";
    let model = read(text);
    let (program, requirement) = (model.program(), &model.requirements()[1]);
    let (verdict, set) = answer(program, requirement, false, 10_000);
    assert_eq!((verdict, set.is_none()), (Verdict::Fails, true));
    let (verdict, set) = answer(program, requirement, true, 10_000);
    let set = set.expect("it holds");
    assert_eq!(verdict, Verdict::Holds);
    let budget = Budget::unlimited();
    assert_eq!(
        check_ranked(program, requirement, true, &set, &budget),
        CheckReport::Accepted
    );
    assert!(check_ranked(program, requirement, false, &set, &budget).is_rejected());
}

/// An atomic sequence that goes round for ever is no run that a formula can look at; nothing is claimed.
#[test]
fn a_program_that_may_never_rest_is_left_unchecked() {
    let text =
        "bit x; active proctype p() { do :: x = 0 :: atomic { x = 1; do :: x = 1 :: x == 2 -> break od } od }
        ltl f { [] (x < 2) }";
    let model = read(text);
    let calm = read("bit x; active proctype p() { do :: x = 0 od } ltl f { [] (x < 2) }");
    let (_, set) = answer(calm.program(), &calm.requirements()[1], false, 10_000);
    let set = set.expect("it holds");
    let (program, requirement) = (model.program(), &model.requirements()[1]);
    let report = check_ranked(program, requirement, false, &set, &Budget::unlimited());
    assert_ne!(report, CheckReport::Accepted);
}
