//! Random SMV models and properties: every engine, under every dead-end policy, gives the verdict of the naive reference, its evidence is accepted, and
//! accepted again when it has been saved and read.
//!
//! The reference's verdict is the one that explicit search gives and the reference of `entail-evidence` confirms: *holds* has been
//! evaluated anew on the whole model, *fails* on the path or tree that is shown.

use crate::asked;
use crate::random_smv;
use asked::{engine_names, recheck};
use entail::run::{Decided, Failure, Rechecking, Request};
use entail_answer::{CheckReport, Guarantee, Verdict};
use entail_evidence::DeadEnds;
use entail_family::Model;
use random_smv::{Dice, Flavour, RandomSmv, effort, first_seed};
use std::collections::BTreeMap;
use std::time::Duration;

const POLICIES: [DeadEnds; 4] = [
    DeadEnds::Infinite,
    DeadEnds::Maximal,
    DeadEnds::Stutter,
    DeadEnds::Error,
];

/// What makes engines go wrong, so that each must have answered questions with it.
const TRAPS: [&str; 4] = ["past", "bounded", "dead ends", "unfair"];

/// What was seen, for the test that everything was tried.
#[derive(Debug, Default)]
struct Seen {
    /// By engine and verdict.
    verdicts: BTreeMap<(String, &'static str), usize>,
    /// Answers by engine and trap.
    traps: BTreeMap<(String, &'static str), usize>,
    errors: usize,
    unconfirmed: usize,
}

fn model_of(random: &RandomSmv) -> Box<dyn Model> {
    let text = random.text();
    let mut model = asked::model(&text);
    for formula in &random.formulas {
        (model.add_property(formula, None)).unwrap_or_else(|error| panic!("{error}: {formula}\n{text}"));
    }
    model
}

/// One property by one engine, with its saved document.
fn ask(
    model: &dyn Model,
    property: usize,
    engine: &str,
    dead_ends: DeadEnds,
) -> Result<(Decided, serde_json::Value), Failure> {
    let request = Request {
        properties: vec![property],
        engine: asked::engine(engine),
        // Without a bound it would look for longer and longer paths where there are none.
        options: asked::options(dead_ends, (engine == "bmc").then_some(8)),
        timeout: Some(Duration::from_secs(if engine == "explicit" { 20 } else { 2 })),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    asked::check(model, &request).map(|mut answers| answers.remove(0))
}

/// The traps in a question.
fn traps_in(model: &str, formula: &str, dead_ends: DeadEnds) -> Vec<&'static str> {
    let has = |operators: &[&str]| operators.iter().any(|operator| formula.contains(operator));
    let is_bounded = (formula.split('[').skip(1))
        .any(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        || formula.contains("..");
    let past = ["Y (", "Z (", "H (", "O (", "H [", "O [", ") S (", ") T ("];
    let unfair = ["FAIRNESS FALSE;", "COMPASSION (TRUE, FALSE);"];
    let met = [
        has(&past),
        is_bounded,
        dead_ends != DeadEnds::Infinite,
        unfair.iter().any(|line| model.contains(line)),
    ];
    (TRAPS.into_iter().zip(met))
        .filter_map(|(trap, met)| met.then_some(trap))
        .collect()
}

struct Case<'a> {
    seed: u64,
    text: &'a str,
    property: usize,
    formula: &'a str,
    dead_ends: DeadEnds,
}

impl Case<'_> {
    fn fail(&self, engine: &str, what: &str) -> ! {
        panic!(
            "seed {}, {engine}, {:?}, property {} `{}`: {what}\n{}",
            self.seed,
            self.dead_ends,
            self.property + 1,
            self.formula,
            self.text
        )
    }
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Unknown => "unknown",
    }
}

/// Saved evidence is accepted like the evidence itself.
fn survives_being_saved(model: &mut dyn Model, case: &Case<'_>, engine: &str, document: &serde_json::Value) {
    match recheck(model, document) {
        Ok(CheckReport::Rejected { reason }) => case.fail(
            engine,
            &format!("saved evidence is rejected: {reason}\n{document}"),
        ),
        Ok(_) => {}
        Err(error) => case.fail(
            engine,
            &format!("saved evidence cannot be read: {error}\n{document}"),
        ),
    }
}

fn compare(seed: u64, flavour: Flavour, engines: &[&str], seen: &mut Seen) {
    let mut dice = Dice::new(seed);
    let random = RandomSmv::new(&mut dice, flavour, 3);
    let text = random.text();
    let mut model = model_of(&random);
    let policies = [DeadEnds::Infinite, POLICIES[1 + dice.roll(3)]];
    for property in 0..model.properties().len() {
        let formula = model.properties()[property].text.clone();
        for dead_ends in policies {
            let case = Case {
                seed,
                text: &text,
                property,
                formula: &formula,
                dead_ends,
            };
            let reference = match ask(&*model, property, "explicit", dead_ends) {
                Ok(answer) => Some(answer),
                Err(Failure::Model(_)) => None,
                Err(failure) => case.fail("explicit", &failure.to_string()),
            };
            // What was not confirmed in time is no reference.
            if let Some((reference, document)) = &reference {
                if !reference.checked.as_ref().is_some_and(CheckReport::is_accepted) {
                    seen.unconfirmed += 1;
                    continue;
                }
                survives_being_saved(&mut *model, &case, "explicit", document);
            }
            for &engine in engines {
                let (decided, document) = match ask(&*model, property, engine, dead_ends) {
                    Ok(answer) => answer,
                    Err(Failure::Model(error)) => {
                        seen.errors += 1;
                        match &reference {
                            None => {}
                            // Where an invariant fails, the violation or the error may be met first.
                            Some((reference, _))
                                if reference.answer.verdict == Verdict::Fails
                                    && is_invariant(&*model, property) => {}
                            Some(_) => case.fail(engine, &format!("an error that is none: {error}")),
                        }
                        continue;
                    }
                    Err(failure) => case.fail(engine, &failure.to_string()),
                };
                if let Some(failure) = &decided.failure {
                    case.fail(engine, &failure.message);
                }
                let verdict = decided.answer.verdict;
                *seen
                    .verdicts
                    .entry((engine.to_owned(), name(verdict)))
                    .or_default() += 1;
                // Where bounded search found nothing, it has looked.
                let is_bounded = matches!(decided.answer.guarantee, Guarantee::Bounded(_));
                if verdict != Verdict::Unknown || is_bounded {
                    for trap in traps_in(&text, &formula, dead_ends) {
                        *seen.traps.entry((engine.to_owned(), trap)).or_default() += 1;
                    }
                }
                if verdict == Verdict::Unknown {
                    continue;
                }
                match &reference {
                    // A trace to a violation may end before the error is met.
                    None if verdict == Verdict::Fails && is_invariant(&*model, property) => {}
                    None => case.fail(engine, "a verdict about a model without a meaning"),
                    Some((reference, _)) => {
                        let expected = reference.answer.verdict;
                        if verdict != expected && !(is_bounded && verdict == Verdict::Holds) {
                            case.fail(
                                engine,
                                &format!("it {}, but it {}", name(verdict), name(expected)),
                            );
                        }
                        if decided.answer.value != reference.answer.value {
                            case.fail(engine, "another value");
                        }
                    }
                }
                survives_being_saved(&mut *model, &case, engine, &document);
            }
        }
    }
}

fn is_invariant(model: &dyn Model, property: usize) -> bool {
    model.properties()[property].logic == entail_logic::Logic::Invariant
}

/// How many models are tried.
const MODELS: u64 = 30;

#[test]
fn every_engine_gives_the_verdict_of_the_reference() {
    let wanted = std::env::var("ENTAIL_ENGINE").ok();
    let names = engine_names();
    let engines: Vec<&str> = (names.iter().copied())
        .filter(|name| *name != "explicit" && wanted.as_deref().is_none_or(|wanted| wanted == *name))
        .collect();
    let mut seen = Seen::default();
    let first = first_seed();
    for seed in first..first + MODELS * effort() {
        let flavour = Flavour {
            branching_paths: true,
            inputs_in_formulas: true,
            unfair: seed % 6 == 0,
        };
        compare(seed, flavour, &engines, &mut seen);
    }
    println!("{seen:#?}");
    for engine in engines {
        let decided: usize = (seen.verdicts.iter())
            .filter(|((of, verdict), _)| of == engine && *verdict != "unknown")
            .map(|(_, count)| count)
            .sum();
        assert!(decided > 5, "{engine} decides next to nothing: {seen:?}");
        for trap in TRAPS {
            // A glance is about invariants, and few of them are decided by a few steps.
            if engine == "glance" && trap != "dead ends" {
                continue;
            }
            let answers = seen.traps.get(&(engine.to_owned(), trap)).copied().unwrap_or(0);
            assert!(
                answers > 1,
                "{engine} answered {answers} questions with {trap}: {seen:?}"
            );
        }
    }
}
