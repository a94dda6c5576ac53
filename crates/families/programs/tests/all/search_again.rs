//! The reference interpreter decides everything that is asked about random programs as the engine does: with and without fairness and reduction.

use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_explicit::SearchOptions;
use entail_programs::ProgramModel;
use entail_programs_checker::search_again;
use entail_source::Source;
use std::time::Duration;
use told::{ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

const FORMULAS: [&str; 14] = [
    "[] (g < 2)",
    "<> (g == 1 || h == 1)",
    "[] <> (g == 0)",
    "<> [] (h == 0)",
    "(g == 0) U (h == 1)",
    "[] (g == 1 -> <> (g == 0))",
    "([] <> (a[1] == 1)) -> ([] <> (h == 1))",
    "[] (g != 2 || h == 0)",
    "X X (g == 0)",
    "(g == 0) W (h == 1)",
    "(h == 1) V (g == 0)",
    "<> [] (g == 0) <-> [] <> (h == 1)",
    "! ((g == 0) U X (g == 1))",
    "[] ((g == 0) -> X ((g == 0) U (h == 0)))",
];

const CLAIMS: [&str; 4] = [
    "never { wait: do :: g == 1 && !(g == 0) -> goto accept :: true od; accept: do :: !(g == 0) od }\n",
    "never { do :: true :: g == 1 -> break od }\n",
    "never { true; true; accept: do :: h == 0 :: else -> break od; g == 1 }\n",
    "never { do :: true :: g == 0 -> accept: if :: h == 1 :: else fi od }\n",
];

/// How many programs there are.
fn programs() -> u64 {
    300 * random_programs::effort()
}

#[test]
fn the_interpreter_agrees_with_the_engine_about_everything() {
    let (mut held, mut failed, mut left_out) = (0, 0, 0);
    for seed in 0..programs() {
        let text = random_programs::about_infinite_runs(seed, CLAIMS, FORMULAS);
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        for fair in [false, true] {
            let request = ProgramRequest {
                requirements: (0..model.requirements().len()).collect(),
                options: SearchOptions {
                    weak_fairness: fair,
                    reduction: seed % 2 == 0,
                    ..SearchOptions::default()
                },
                timeout: Some(Duration::from_millis(300)),
            };
            let outcomes = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for (requirement, outcome) in model.requirements().iter().zip(&outcomes) {
                let Some(holds) = outcome.holds else {
                    continue;
                };
                if outcome.states > 2_000 {
                    continue;
                }
                let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(2)));
                let what = format!("seed {seed}, fair {fair}, {}\n{text}", requirement.text);
                match search_again(model.program(), requirement, fair, &budget) {
                    CheckReport::Accepted => {
                        assert!(holds, "only the interpreter says that it holds: {what}");
                        held += 1;
                    }
                    CheckReport::Rejected { reason } => {
                        assert!(!holds, "only the engine says that it holds ({reason}): {what}");
                        failed += 1;
                    }
                    CheckReport::Partly { .. } => left_out += 1,
                }
            }
        }
    }
    println!("{held} hold, {failed} fail, {left_out} were not decided again");
    assert!(held > programs() / 4 && failed > programs() / 4);
    assert!(left_out < held + failed);
}

/// Weak fairness is about processes that can move in states at rest: `q` can only follow when `p` is inside its atomic sequence, so that a run in
/// which `p` never begins one is fair. SPIN says so, too (`pan -a -f`, without reduction).
#[test]
fn who_only_follows_in_an_atomic_sequence_cannot_move_before() {
    let text = "chan c = [0] of { bit }; bit got; bit z;
        active proctype p() { do :: z = 1 - z :: atomic { z = 1 - z; c!1 } od }
        active proctype q() { c?1; got = 1 }
        ltl f { <> (got == 1) }";
    let model = ProgramModel::read(Source::new("model.pml", text)).expect("it is right");
    let request = ProgramRequest {
        requirements: vec![1],
        options: SearchOptions {
            weak_fairness: true,
            ..SearchOptions::default()
        },
        ..ProgramRequest::default()
    };
    let outcomes = check_program(&model, &request).expect("its run is accepted");
    assert_eq!(outcomes[0].holds, Some(false));
    let report = search_again(
        model.program(),
        &model.requirements()[1],
        true,
        &Budget::unlimited(),
    );
    assert!(report.is_rejected(), "{report}");
}
