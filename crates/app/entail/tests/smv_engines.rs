//! Random SMV models and properties: every engine, under every dead-end policy, gives the verdict of the naive reference, its evidence is accepted, and
//! accepted again when it has been saved and read.
//!
//! The reference's verdict is the one that explicit search gives and the reference of `entail-evidence` confirms: *holds* has been
//! evaluated anew on the whole model, *fails* on the path or tree that is shown.

mod random_smv;

use entail::{Answer, Failure, Language, Model, Rechecking, Request, certify, check, engine_names};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, CheckReport, DeadEnds, Guarantee, Verdict, json};
use entail_source::Source;
use random_smv::{Dice, Flavour, RandomSmv, effort, first_seed};
use std::collections::BTreeMap;
use std::time::Duration;

const POLICIES: [DeadEnds; 4] = [
    DeadEnds::Infinite,
    DeadEnds::Maximal,
    DeadEnds::Stutter,
    DeadEnds::Error,
];

/// What was seen, for the test that everything was tried.
#[derive(Debug, Default)]
struct Seen {
    /// By engine and verdict.
    verdicts: BTreeMap<(String, &'static str), usize>,
    errors: usize,
    unconfirmed: usize,
}

fn model_of(random: &RandomSmv) -> Model {
    let text = random.text();
    let mut model = Model::read(Source::new("random.smv", &text), Language::Smv)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    for formula in &random.formulas {
        (model.add_property(formula)).unwrap_or_else(|error| panic!("{error}: {formula}\n{text}"));
    }
    model
}

/// One property by one engine.
fn ask(model: &Model, property: usize, engine: &str, dead_ends: DeadEnds) -> Result<Answer, Failure> {
    let request = Request {
        properties: vec![property],
        engine: Some(engine.to_owned()),
        options: CheckOptions {
            dead_ends,
            // Without one it would look for longer and longer paths where there are none.
            bound: (engine == "bmc").then_some(8),
            ..CheckOptions::default()
        },
        timeout: Some(Duration::from_secs(if engine == "explicit" { 20 } else { 2 })),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    check(model, &request, &Silent, |_| {}).map(|mut answers| answers.remove(0))
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
fn survives_being_saved(model: &mut Model, case: &Case<'_>, engine: &str, answer: &Answer) {
    let property = model.properties()[case.property].clone();
    let saved = json::save(
        model.system(),
        ("random.smv", "smv"),
        &property,
        &answer.outcome,
        case.dead_ends,
        answer.engine,
    );
    match certify(model, &saved, &Budget::unlimited()) {
        Ok(certified) => {
            if let CheckReport::Rejected { reason } = &certified[0].report {
                case.fail(engine, &format!("saved evidence is rejected: {reason}\n{saved}"));
            }
        }
        Err(error) => case.fail(
            engine,
            &format!("saved evidence cannot be read: {error}\n{saved}"),
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
            let reference = match ask(&model, property, "explicit", dead_ends) {
                Ok(answer) => Some(answer),
                Err(Failure::Model(_)) => None,
                Err(failure) => case.fail("explicit", &failure.to_string()),
            };
            // What was not confirmed in time is no reference.
            if let Some(reference) = &reference {
                if !reference.checked.as_ref().is_some_and(CheckReport::is_accepted) {
                    seen.unconfirmed += 1;
                    continue;
                }
                survives_being_saved(&mut model, &case, "explicit", reference);
            }
            for &engine in engines {
                let answer = match ask(&model, property, engine, dead_ends) {
                    Ok(answer) => answer,
                    Err(Failure::Model(error)) => {
                        seen.errors += 1;
                        match &reference {
                            None => {}
                            // Where an invariant fails, the violation or the error may be met first.
                            Some(Answer { outcome, .. })
                                if outcome.verdict == Verdict::Fails && is_invariant(&model, property) => {}
                            Some(_) => case.fail(engine, &format!("an error that is none: {error}")),
                        }
                        continue;
                    }
                    Err(failure) => case.fail(engine, &failure.to_string()),
                };
                let verdict = answer.outcome.verdict;
                *seen
                    .verdicts
                    .entry((engine.to_owned(), name(verdict)))
                    .or_default() += 1;
                if verdict == Verdict::Unknown {
                    continue;
                }
                match &reference {
                    // A trace to a violation may end before the error is met.
                    None if verdict == Verdict::Fails && is_invariant(&model, property) => {}
                    None => case.fail(engine, "a verdict about a model without a meaning"),
                    Some(reference) => {
                        let expected = reference.outcome.verdict;
                        let is_bounded = matches!(answer.outcome.guarantee, Guarantee::Bounded(_));
                        if verdict != expected && !(is_bounded && verdict == Verdict::Holds) {
                            case.fail(
                                engine,
                                &format!("it {}, but it {}", name(verdict), name(expected)),
                            );
                        }
                        if answer.outcome.value != reference.outcome.value {
                            case.fail(engine, "another value");
                        }
                    }
                }
                survives_being_saved(&mut model, &case, engine, &answer);
            }
        }
    }
}

fn is_invariant(model: &Model, property: usize) -> bool {
    matches!(
        model.properties()[property].question,
        entail_logic::Question::Invariant(_)
    )
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
    let flavour = Flavour {
        branching_paths: true,
        inputs_in_formulas: true,
    };
    let mut seen = Seen::default();
    let first = first_seed();
    for seed in first..first + MODELS * effort() {
        compare(seed, flavour, &engines, &mut seen);
    }
    println!("{seen:#?}");
    for engine in engines {
        let decided: usize = (seen.verdicts.iter())
            .filter(|((of, verdict), _)| of == engine && *verdict != "unknown")
            .map(|(_, count)| count)
            .sum();
        assert!(decided > 5, "{engine} decides next to nothing: {seen:?}");
    }
}
