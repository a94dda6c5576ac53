//! Timed automata in real time: zones, regions and integers as clocks beside each other, and beside a naive reference.

mod published;
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

/// A model in which clocks that are integers are wrong.
const HURRY: &str = "pta module m s:[0..3]; x:clock; y:clock; invariant (s=0 => x<=1) & (s=1 => x<3) endinvariant\n\
    [] s=0 & x>0 -> 9/10:(s'=1)&(x'=0) + 1/10:(s'=0)&(x'=0);\n\
    [] s=1 & x>1 & y-x<1 -> (s'=2);\n[] s=1 & x>1 & y-x>=1 -> (s'=3);\n[] s>=2 -> true; endmodule";

#[test]
fn damaged_evidence_is_rejected() {
    let (mut model, options, budget) = (read(HURRY), Options::default(), Budget::unlimited());
    for question in ["Pmax=? [ F<=2 s=2 ]", "Pmin=? [ F s=2 ]", "Pmax<=1/2 [ F s=3 ]"] {
        let property = model.add_property(question, None).expect("a property");
        let answer = model
            .open(&options, false)
            .expect("options")
            .check("backward", property, &budget, &Silent);
        let answer = answer.expect("an answer");
        let mut checker = model.checker(&options).expect("options");
        assert_eq!(
            checker.check(property, &answer, &budget),
            CheckReport::Accepted,
            "{question}"
        );
        let evidence = answer.evidence.as_deref().expect("evidence");
        let saved = serde_json::json!({"evidence": checker.to_saved_json(property, evidence)});
        let mut judged = |document: &serde_json::Value, value: Option<Quantity>| {
            let evidence = checker.evidence_from_json(property, document).expect("evidence");
            let mut again = Answer::complete(answer.verdict, ()).map(|()| evidence);
            again.value = value;
            checker.check(property, &again, &budget)
        };
        assert_eq!(
            judged(&saved, answer.value.clone()),
            CheckReport::Accepted,
            "{question}"
        );
        // Said to be about integers as clocks.
        let mut other = saved.clone();
        other["evidence"]
            .as_object_mut()
            .expect("an object")
            .remove("regions");
        assert!(
            matches!(judged(&other, answer.value.clone()), CheckReport::Rejected { .. }),
            "{question}"
        );
        // Another value, and other numbers for states.
        if answer.value.is_some() {
            let wrong = Some(Quantity::Exact(Rational::from(1) / Rational::from(7)));
            assert!(
                matches!(judged(&saved, wrong), CheckReport::Rejected { .. }),
                "{question}"
            );
        }
        let bracket = &saved["evidence"]["certificate"]["brackets"][0];
        let Some(count) = bracket["exact"].as_array().map(Vec::len) else {
            continue;
        };
        for at in 0..count {
            for number in ["0", "1", "1/2"] {
                let mut other = saved.clone();
                let place = &mut other["evidence"]["certificate"]["brackets"][0]["exact"][at];
                if *place == number {
                    continue;
                }
                *place = number.into();
                let report = judged(&other, answer.value.clone());
                assert!(
                    matches!(report, CheckReport::Rejected { .. }),
                    "{question}: state {at} is {number}: {report:?}"
                );
            }
        }
    }
}

#[test]
fn what_no_engine_decides_is_refused_with_the_reason() {
    let said = |text: &str, engine: &str, question: &str| ask(engine, text, question).expect_err("no answer");
    // Integers as clocks would say something else here.
    assert!(said(HURRY, "digital", "Pmax=? [ F s=2 ]").contains("strict comparisons"));
    assert!(said(HURRY, "sparse", "Pmax=? [ F s=2 ]").contains("--engine backward"));
    assert!(said(HURRY, "adaptive", "Pmax=? [ X s=2 ]").contains("single steps"));
    let rewards = HURRY.to_owned() + " rewards true : 1; endrewards";
    assert!(said(&rewards, "adaptive", "Rmin=? [ F s>=2 ]").contains("a probability of one path formula"));
    assert!(
        said(
            "mdp module m s:[0..1]; [] true -> true; endmodule",
            "backward",
            "Pmax=? [ F s=1 ]"
        )
        .contains("models with clocks")
    );
    // Time is stopped where it is 1/2 and never 1.
    let stopped =
        "pta module m s:[0..1]; x:clock; invariant x<1 endinvariant [] s=0 & x>2 -> (s'=1); endmodule";
    for engine in ["backward", "regions", "adaptive"] {
        assert!(
            said(stopped, engine, "Pmax=? [ F s=1 ]").contains("timelock"),
            "{engine}"
        );
    }
}

#[test]
fn schedulers_that_stop_the_time_do_not_count() {
    // Turning round for ever takes no time.
    let turning = "pta module m s:[0..1]; x:clock; invariant (s=0 => x<=1) endinvariant [] s=0 -> true; [] s=0 & x>=1 -> (s'=1); endmodule";
    let exactly = |number: i64| Ok((Rational::from(number), Rational::from(number)));
    for engine in ["adaptive", "backward", "regions"] {
        assert_eq!(value(engine, turning, "Pmin=? [ F s=1 ]"), exactly(1), "{engine}");
        assert_eq!(
            value(engine, turning, "Pmin=? [ F<1 s=1 ]"),
            exactly(0),
            "{engine}"
        );
        assert_eq!(value(engine, turning, "Pmax=? [ G s=0 ]"), exactly(0), "{engine}");
    }
    // Once in the second state there is nothing but turning round.
    let caught = "pta module m s:[0..1]; x:clock; invariant (s=1 => x<=1) endinvariant [] s=0 -> (s'=1)&(x'=0); [] s=1 -> true; endmodule";
    let (answer, _) = ask("backward", caught, "Pmax=? [ F s=1 ]").unwrap_or_else(|reason| panic!("{reason}"));
    assert!(
        answer
            .warnings
            .iter()
            .any(|warning| warning.text.contains("from a state with (s=1)")),
        "{:?}",
        answer.warnings
    );
    let (answer, _) = ask("backward", turning, "Pmax=? [ F s=1 ]").expect("an answer");
    assert!(answer.warnings.is_empty(), "{:?}", answer.warnings);
    let (answer, _) = ask("digital", turning, "Pmin=? [ F s=1 ]").expect("an answer");
    assert_eq!(answer.value, Some(Quantity::Exact(Rational::from(0))));
    assert!(
        answer
            .warnings
            .iter()
            .any(|warning| warning.text.contains("in no time"))
    );
}

#[test]
fn a_scheduler_may_avoid_a_closed_set_between_whole_times() {
    // Leaving the first state before 1 avoids one part of the goal, leaving it after 0 the other one.
    let between = "pta module m s:[0..3]; z:clock; invariant (s=0 => z<=1) endinvariant\n\
        [] s=0 -> 1/2:(s'=1) + 1/2:(s'=2); [] s=1 | s=2 -> (s'=3); endmodule";
    let question = "Pmin=? [ F (s=1 & z>=1) | (s=2 & z<=0) ]";
    let zero = Ok((Rational::from(0), Rational::from(0)));
    for engine in ["adaptive", "backward", "regions"] {
        assert_eq!(value(engine, between, question), zero, "{engine}");
    }
    let said = ask("digital", between, question).expect_err("no answer");
    assert!(said.contains("a scheduler is to avoid"), "{said}");
    // The end of a time may be avoided.
    assert_eq!(value("digital", between, "Pmin=? [ F<=0 s=1 ]"), zero);
    assert!(ask("digital", between, "Pmin=? [ F[0,1] s=1 & z>=1 ]").is_err());
}

#[test]
fn what_must_hold_all_the_time_is_looked_at_between_whole_times() {
    let zero = Ok((Rational::from(0), Rational::from(0)));
    let waiting = "pta module m s:[0..1]; x:clock; [] s=0 & x>=3 -> (s'=1); endmodule";
    let question = "Pmax=? [ (x<=1 | x>=2) U s=1 ]";
    let gap = waiting.replace("[] s=0", "invariant x<=1 | x>=2 endinvariant [] s=0");
    for engine in ["adaptive", "backward", "regions"] {
        assert_eq!(value(engine, waiting, question), zero, "{engine}");
    }
    assert!(
        ask("digital", waiting, question)
            .expect_err("no answer")
            .contains("disjunctions")
    );
    // Time is stopped at 1.
    for engine in ["adaptive", "regions"] {
        assert!(
            ask(engine, &gap, "Pmax=? [ F s=1 ]")
                .expect_err("a timelock")
                .contains("timelock"),
            "{engine}"
        );
    }
    // Parts that exclude each other are one condition for each location.
    let parts = waiting.replace(
        "[] s=0",
        "invariant (s=0 & x<=4) | (s=1 & x>=3) endinvariant [] s=0",
    );
    assert_eq!(
        value("digital", &parts, "Pmax=? [ F s=1 ]"),
        Ok((Rational::from(1), Rational::from(1)))
    );
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
    let conditions = question.condition.iter().chain(&question.stay);
    let differs = automaton
        .edges
        .iter()
        .flat_map(|edge| &edge.guard)
        .chain(conditions)
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
                    || differs && reason.contains("zones do not tell")
                    || engine == "digital" && question.stay.len() > 1 && reason.contains("disjunctions");
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
