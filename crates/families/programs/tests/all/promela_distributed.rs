//! A search over several workers says what one thread says.

use entail_explicit::SearchOptions;
use entail_programs::ProgramModel;
use entail_source::Source;
use std::time::Duration;
use told::{ProgramRequest, check_program, check_program_together};

use crate::random_programs;
use crate::told;

#[test]
fn workers_together_say_what_one_thread_says() {
    let formulas = [
        "[] (g < 2)",
        "<> (g == 1 || h == 1)",
        "[] <> (g == 0)",
        "[] (g == 1 -> <> (g == 0))",
    ];
    let (mut held, mut failed) = (0, 0);
    for seed in 0..40u64 {
        let plain = random_programs::loose_program(seed);
        let text = format!("{plain}ltl f {{ {} }}\n", formulas[(seed % 4) as usize]);
        let model = ProgramModel::read(Source::new("model.pml", &text))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let request = ProgramRequest {
            requirements: (0..model.requirements().len()).collect(),
            options: SearchOptions {
                reduction: false,
                ..SearchOptions::default()
            },
            timeout: Some(Duration::from_secs(20)),
        };
        let alone = check_program(&model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
        if alone.iter().any(|outcome| outcome.states > 5_000) {
            continue;
        }
        let together =
            check_program_together(&model, &request, 3).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for (alone, together) in alone.iter().zip(&together) {
            assert_eq!(alone.holds, together.holds, "seed {seed}\n{text}");
            match alone.holds {
                Some(true) => held += 1,
                Some(false) => failed += 1,
                None => {}
            }
        }
        let (alone, together) = (&alone[0], &together[0]);
        match alone.holds {
            Some(true) => assert_eq!(
                (alone.states, alone.transitions, alone.depth),
                (together.states, together.transitions, together.depth),
                "seed {seed}\n{text}"
            ),
            // Both find a nearest violation.
            _ => assert_eq!(alone.depth, together.depth, "seed {seed}\n{text}"),
        }
    }
    assert!(held > 15 && failed > 15, "{held} hold, {failed} fail");
}
