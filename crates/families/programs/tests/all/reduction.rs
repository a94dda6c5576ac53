//! Partial-order reduction changes no verdict: random programs with it and without it.

use entail_explicit::{Order, SearchOptions};
use entail_program::Reduction;
use entail_programs::ProgramModel;
use entail_source::Source;
use std::time::Duration;
use told::{Outcome, ProgramRequest, check_program};

use crate::random_programs;
use crate::told;

fn outcome(model: &ProgramModel, requirement: usize, reduction: bool, text: &str) -> Outcome {
    let options = SearchOptions {
        reduction,
        ..SearchOptions::default()
    };
    searched(model, requirement, options, text)
}

fn searched(model: &ProgramModel, requirement: usize, options: SearchOptions, text: &str) -> Outcome {
    let request = ProgramRequest {
        requirements: vec![requirement],
        options,
        timeout: Some(Duration::from_millis(500)),
    };
    let mut answers = check_program(model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
    answers.swap_remove(0)
}

/// How many programs there are: `REDUCED_PROGRAMS=10000` for more.
fn programs() -> u64 {
    let wanted = std::env::var("REDUCED_PROGRAMS").ok();
    wanted.and_then(|number| number.parse().ok()).unwrap_or(400)
}

const FORMULAS: [&str; 10] = [
    "[] (g < 2)",
    "<> (g == 1 || h == 1)",
    "[] <> (g == 0)",
    "<> [] (h == 0)",
    "(g == 0) U (h == 1)",
    "[] (g == 1 -> <> (g == 0))",
    "([] <> (a[1] == 1)) -> ([] <> (h == 1))",
    "[] (len(c1) < 2)",
    "<> (p0[1]@here)",
    "X X (g == 0)",
];

/// What SPIN makes of `!([] (g == 1 -> <> (g == 0)))`: insensitive to repetition.
const CLAIM: &str =
    "never { wait: do :: g == 1 && !(g == 0) -> goto accept :: true od; accept: do :: !(g == 0) od }\n";

#[test]
fn claims_that_count_steps_switch_reduction_off() {
    let two = "byte g; active proctype p() { byte x; x = 1; g = 1; x = 2 }\nactive proctype q() { byte x; x = 1; x = 2; x = 3 }\n";
    let refused = |claim: &str| {
        let text = format!("{two}{claim}");
        let model = ProgramModel::read(Source::new("model.pml", &text)).expect("it is right");
        matches!(outcome(&model, 1, true, &text).reduction, Reduction::Refused(_))
    };
    assert!(!refused(CLAIM));
    assert!(refused("never { true; true; g == 1 }\n"));
    assert!(refused("ltl f { X X (g == 0) }\n"));
    assert!(!refused("ltl f { <> (g == 1 && X true) }\n"));
}

/// Who has sent something and waits for an answer may get it within the same step.
#[test]
fn reduced_and_full_searches_agree_where_control_goes_to_a_partner_and_back() {
    for seed in 0..216 {
        let text = random_programs::meeting_program(seed);
        let model = ProgramModel::read(Source::new("model.pml", &text)).expect("it is right");
        let [full, reduced] = [false, true].map(|reduction| outcome(&model, 0, reduction, &text));
        assert_eq!(full.holds, reduced.holds, "{:?} in full\n{text}", full.reason);
    }
}

#[test]
fn reduced_and_full_searches_agree() {
    let (mut held, mut failed, mut smaller) = (0, 0, 0);
    let (mut full_states, mut reduced_states) = (0, 0);
    for seed in 0..programs() {
        let plain = match seed % 4 {
            0 if seed % 8 == 0 => random_programs::spiced(seed),
            0 => random_programs::program(seed),
            _ => random_programs::loose_program(seed),
        };
        let formula = FORMULAS[(seed / 4 % 10) as usize];
        let text = match formula {
            _ if seed % 4 == 0 => plain,
            "<> (p0[1]@here)" => {
                plain.replacen("  skip\n}", "  here: skip\n}", 1) + "ltl f { <> (p0[1]@here) }\n"
            }
            "X X (g == 0)" if seed % 3 == 0 => plain + CLAIM,
            _ => format!("{plain}ltl f {{ {formula} }}\n"),
        };
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        for requirement in 0..model.requirements().len() {
            let full = outcome(&model, requirement, false, &text);
            let reduced = outcome(&model, requirement, true, &text);
            if full.holds.is_none() || reduced.holds.is_none() {
                continue;
            }
            assert_eq!(
                full.holds, reduced.holds,
                "seed {seed}, requirement {requirement}: {:?} in full, {:?} reduced\n{text}",
                full.reason, reduced.reason
            );
            match full.holds {
                Some(true) => {
                    held += 1;
                    full_states += full.states;
                    reduced_states += reduced.states;
                    smaller += u64::from(reduced.states < full.states);
                    assert!(
                        reduced.states <= full.states || requirement > 0,
                        "seed {seed}\n{text}"
                    );
                }
                Some(false) => failed += 1,
                None => {}
            }
        }
    }
    println!(
        "{held} hold, {failed} fail, {smaller} smaller, {full_states} states in full, {reduced_states} reduced"
    );
    assert!(held > programs() / 8 && failed > programs() / 8 && smaller > programs() / 20);
}

/// Sleep sets find the states of a full search along fewer steps, in every order; with persistent sets they change no verdict.
#[test]
fn sleep_sets_find_all_states_along_fewer_steps() {
    let (mut held, mut failed, mut all_steps, mut fewer_steps) = (0, 0, 0, 0);
    for seed in 0..programs() * random_programs::effort() {
        let text = match seed % 5 {
            0 => random_programs::spiced(seed),
            1 => random_programs::program(seed),
            2 => random_programs::meeting_program(seed % 216),
            _ => random_programs::loose_program(seed),
        };
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let [full, wide, deep, both] = [
            (false, false, Order::BreadthFirst),
            (false, true, Order::BreadthFirst),
            (false, true, Order::DepthFirst),
            (true, true, Order::DepthFirst),
        ]
        .map(|(reduction, sleep_sets, order)| {
            let options = SearchOptions {
                reduction,
                sleep_sets,
                order,
                threads: 1 + seed as usize % 2,
                wide_level: 8,
                ..SearchOptions::default()
            };
            searched(&model, 0, options, &text)
        });
        if [&full, &wide, &deep, &both].iter().any(|one| one.holds.is_none()) {
            continue;
        }
        for other in [&wide, &deep, &both] {
            assert_eq!(
                full.holds, other.holds,
                "seed {seed}: {:?} in full\n{text}",
                full.reason
            );
        }
        match full.holds {
            Some(true) => {
                held += 1;
                for other in [&wide, &deep] {
                    assert_eq!(full.states, other.states, "seed {seed}\n{text}");
                    assert!(other.transitions <= full.transitions, "seed {seed}\n{text}");
                }
                assert!(both.states <= full.states, "seed {seed}\n{text}");
                all_steps += full.transitions;
                fewer_steps += wide.transitions;
            }
            _ => {
                failed += 1;
                assert_eq!(full.depth, wide.depth, "seed {seed}\n{text}");
            }
        }
    }
    println!("{held} hold, {failed} fail, {fewer_steps} of {all_steps} steps");
    assert!(held > programs() / 8 && failed > programs() / 8 && fewer_steps < all_steps);
}
