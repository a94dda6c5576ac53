//! Timed automata in real time: zones, regions and integers as clocks beside each other, and beside a naive reference.

mod random;
mod reference;

use entail_answer::{Answer, CheckReport, Quantity, Rational, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Model, Options};
use entail_markov::to_float;
use entail_stochastic::FAMILY;
use random::{Automaton, Cases, Question, Shape};
use reference::Reference;
use std::path::Path;

fn read(text: &str) -> Box<dyn Model> {
    let path = Path::new("model.prism");
    let language = (FAMILY.languages.iter()).find(|language| language.claims(path, None));
    let options = Options::default();
    let input = Input {
        name: "model.prism",
        path,
        bytes: text.as_bytes(),
        language: language.expect("a language"),
        options: &options,
        budget: &Budget::unlimited(),
    };
    (FAMILY.load)(&input).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What an engine says about a model, with what the checker says about that.
fn ask(engine: &str, text: &str, question: &str) -> Result<(Answer, CheckReport), String> {
    let (mut model, options, budget) = (read(text), Options::default(), Budget::unlimited());
    let property = model
        .add_property(question, None)
        .map_err(|error| error.to_string())?;
    let answer = model
        .open(&options, false)
        .expect("options")
        .check(engine, property, &budget, &Silent)
        .map_err(|error| error.message)?;
    if answer.verdict == Verdict::Unknown {
        return Err(answer.reason.unwrap_or_default());
    }
    let report = model
        .checker(&options)
        .expect("options")
        .check(property, &answer, &budget);
    Ok((answer, report))
}

/// The value that an engine finds and the checker accepts; an error is a reason.
fn value(engine: &str, text: &str, question: &str) -> Result<(Rational, Rational), String> {
    let (answer, report) = ask(engine, text, question)?;
    assert_eq!(report, CheckReport::Accepted, "{engine} {question}\n{text}");
    match answer.value {
        Some(Quantity::Exact(value)) => Ok((value.clone(), value)),
        Some(Quantity::Between(low, high)) => Ok((low, high)),
        other => Err(format!("{other:?}")),
    }
}

fn cases() -> u64 {
    let effort: u64 = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1));
    effort * 150
}

/// Compares engines with the reference on one case; tells whether zones answered.
fn compare(automaton: &Automaton, question: &Question, engines: &[&str]) -> bool {
    let (text, asked) = (automaton.text(), question.text());
    let Some(expected) = Reference::value(automaton, question) else {
        return false;
    };
    let (entered, goes_on) = Reference::is_sound(automaton);
    let differs = automaton
        .edges
        .iter()
        .flat_map(|edge| &edge.guard)
        .any(|one| one.other != 0);
    let mut answered = false;
    for &engine in engines {
        match value(engine, &text, &asked) {
            Ok((low, high)) => {
                let (near, far) = (to_float(&low) - 1e-6, to_float(&high) + 1e-6);
                assert!(
                    near <= expected && expected <= far,
                    "{engine} {asked}: [{low}, {high}], not {expected}\n{text}"
                );
                let wide = Rational::from(1) / Rational::from(100_000);
                assert!(high - low < wide, "{engine} {asked}\n{text}");
                answered |= engine == "backward";
            }
            Err(reason) => {
                // With differences the reference that looks at soundness is cut too early to tell.
                let fine = (!goes_on || differs) && reason.contains("timelock")
                    || (!entered || differs) && reason.contains("invariant does not hold")
                    || differs && reason.contains("zones do not tell");
                assert!(
                    fine,
                    "{engine} {asked}: {reason}, entered {entered}, goes on {goes_on}\n{text}"
                );
            }
        }
    }
    answered
}

fn run(shape: Shape, seed: u64, engines: &[&str]) -> u64 {
    let mut answered = 0;
    for case in 0..cases() {
        let mut random = Cases::new(seed + case, shape);
        let automaton = random.automaton();
        let question = random.question(&automaton);
        // Integers as clocks by themselves count schedulers that stop the time.
        let engines: Vec<&str> = (engines.iter().copied())
            .filter(|engine| *engine != "digital" || !question.least)
            .collect();
        answered += u64::from(compare(&automaton, &question, &engines));
    }
    answered
}

#[test]
fn closed_automata_have_the_same_values_by_integers_zones_and_regions() {
    let answered = run(
        Shape::Closed,
        1_000_000,
        &["digital", "adaptive", "backward", "regions"],
    );
    assert!(answered * 3 > cases(), "{answered}");
}

#[test]
fn strict_automata_have_the_same_values_by_zones_and_regions() {
    let answered = run(Shape::Strict, 2_000_000, &["adaptive", "backward", "regions"]);
    assert!(answered * 3 > cases(), "{answered}");
}

#[test]
fn differences_of_clocks_have_the_same_values_by_zones_and_regions() {
    let answered = run(
        Shape::Differences,
        3_000_000,
        &["adaptive", "backward", "regions"],
    );
    assert!(answered * 4 > cases(), "{answered}");
}
