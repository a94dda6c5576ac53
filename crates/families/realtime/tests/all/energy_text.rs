//! Questions about energy as users ask them: options, refusals, and evidence that is judged by what the text means.

use entail_answer::{Answer, Quantity, Rational, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Language, Model, Options};
use entail_realtime::FAMILY;
use std::path::Path;

const BATTERY: &str = include_str!("../../../../../examples/timed/battery.xta");

fn load(text: &str, given: &[(&str, &str)]) -> (Box<dyn Model>, Options) {
    let language: &'static Language = (FAMILY.languages.iter())
        .find(|language| language.name == "uppaal")
        .expect("a language of this kind");
    let (mut options, budget) = (Options::default(), Budget::unlimited());
    for (name, value) in given {
        options.give(name, *value);
    }
    let input = Input {
        name: "m.xta",
        path: Path::new("m.xta"),
        bytes: text.as_bytes(),
        language,
        options: &options,
        budget: &budget,
    };
    ((FAMILY.load)(&input).expect("a model"), options)
}

/// The answer to a query, which the family's checker accepts; and the same from what was saved.
fn ask(text: &str, given: &[(&str, &str)], query: &str) -> Answer {
    let (mut model, options) = load(text, given);
    let number = model.add_property(query, None).expect("a query");
    let budget = Budget::unlimited();
    let answer = {
        let mut session = model.open(&options, false).expect("a session");
        session
            .check("zones", number, &budget, &Silent)
            .expect("no fault")
    };
    if answer.evidence.is_some() {
        let mut checker = model.checker(&options).expect("a checker");
        let report = checker.check(number, &answer, &budget);
        assert!(report.is_accepted(), "{report} {query} {given:?}");
        let evidence = answer.evidence.as_deref().expect("evidence");
        let saved = serde_json::json!({ "evidence": checker.to_saved_json(number, evidence) });
        let again = checker
            .evidence_from_json(number, &saved)
            .expect("what was saved");
        let mut other = Answer::complete(answer.verdict, again).with_value(answer.value.clone());
        assert!(checker.check(number, &other, &budget).is_accepted());
        other.value = Some(Quantity::Exact(Rational::from(77)));
        if evidence.kind() == "energy" {
            assert!(!checker.check(number, &other, &budget).is_accepted());
        }
    }
    answer
}

#[test]
fn the_least_credit_may_be_a_fraction() {
    let answer = ask(BATTERY, &[("energy", "0")], "E[] true");
    let third = Rational::ONE / Rational::from(3);
    assert_eq!(answer.value, Some(Quantity::Exact(third)));
    for (credit, verdict) in [
        ("1/3", Verdict::Holds),
        ("33/100", Verdict::Fails),
        ("5", Verdict::Holds),
    ] {
        let answer = ask(BATTERY, &[("energy", "0"), ("credit", credit)], "E[] true");
        assert_eq!(answer.verdict, verdict, "{credit}");
    }
}

#[test]
fn bounds_are_moved_with_the_credit() {
    let answer = ask(BATTERY, &[("energy", "-5")], "E[] true");
    let least = Rational::ONE / Rational::from(3) - Rational::from(5);
    assert_eq!(answer.value, Some(Quantity::Exact(least)));
}

#[test]
fn every_run_is_asked_about_with_a_credit() {
    let text = "clock x; process P() { state A { x <= 2 && cost' == -1 }, B { x <= 1 && cost' == 2 }; init A; trans A -> B { assign x = 0; }, B -> A { guard x == 1; assign x = 0; }; } P1 = P(); system P1;";
    for (bounds, credit, verdict) in [
        ("0,4", "2", Verdict::Fails),
        ("0", "2", Verdict::Holds),
        ("0", "1", Verdict::Fails),
        ("0,2,weak", "9", Verdict::Holds),
        ("1,2,weak", "2", Verdict::Fails),
    ] {
        let answer = ask(text, &[("energy", bounds), ("credit", credit)], "A[] true");
        assert_eq!(answer.verdict, verdict, "{bounds} from {credit}");
    }
    let answer = ask(text, &[("energy", "0")], "A[] true");
    assert_eq!(answer.verdict, Verdict::Unknown);
    let answer = ask(text, &[("energy", "0"), ("credit", "2")], "A[] P1.A");
    assert_eq!(answer.verdict, Verdict::Unknown);
    // What is reachable has nothing to do with it, and negative costs are no mistake.
    let answer = ask(text, &[("energy", "0")], "E<> P1.B");
    assert_eq!(answer.verdict, Verdict::Holds);
    assert_eq!(ask(text, &[], "E<> P1.B").verdict, Verdict::Holds);
}

#[test]
fn what_cannot_be_asked_about_energy_is_refused_by_name() {
    let refused = |given: &[(&str, &str)]| {
        let (model, options) = load(BATTERY, given);
        match model.open(&options, false) {
            Ok(_) => panic!("{given:?} was accepted"),
            Err(problem) => problem.0,
        }
    };
    assert!(refused(&[("optimal", "ratio")]).contains("negative costs"));
    assert!(refused(&[("optimal", "cost")]).contains("negative costs"));
    assert!(refused(&[("credit", "3")]).contains("--energy"));
    assert!(refused(&[("energy", "0"), ("optimal", "time")]).contains("--optimal"));
    let two = "clock x, y; process P() { state A { x <= 2 && y <= 3 && cost' == -1 }; init A; trans A -> A { assign x = 0, cost += 1; }; } P1 = P(); system P1;";
    let answer = ask(two, &[("energy", "0")], "E[] true");
    assert!(answer.reason.is_some_and(|reason| reason.contains("one clock")));
    let answer = ask(BATTERY, &[("energy", "0,9")], "E[] true");
    assert!(
        answer
            .reason
            .is_some_and(|reason| reason.contains("without clocks"))
    );
}

#[test]
fn a_negative_cost_that_only_a_run_shows_is_a_mistake_where_costs_are_minimised() {
    let text = "int[-3,3] n; clock x; process P() { state A, B; init A; trans A -> A { guard x >= 1; assign n = -2, x = 0; }, A -> B { guard n < 0; assign cost += n; }; } P1 = P(); system P1;";
    let (mut model, options) = load(text, &[("optimal", "cost")]);
    let number = model.add_property("E<> P1.B", None).expect("a query");
    let mut session = model.open(&options, false).expect("a session");
    let found = session.check("zones", number, &Budget::unlimited(), &Silent);
    let Err(mistake) = found else {
        panic!("a negative cost was accepted");
    };
    assert!(mistake.message.contains("--energy"), "{}", mistake.message);
}

#[test]
fn errands_need_what_their_example_says() {
    let errands = include_str!("../../../../../examples/timed/errands.xta");
    for (bounds, query, least) in [
        ("0", "E[] true", Some(2)),
        ("0,4", "E[] true", Some(2)),
        ("0,3", "E[] true", None),
        ("0,3,weak", "E[] true", Some(2)),
        ("0,4", "E[] !R.Near", Some(4)),
        ("0,1,weak", "E[] true", None),
    ] {
        let answer = ask(errands, &[("energy", bounds)], query);
        let value = least.map(|least| Quantity::Exact(Rational::from(least)));
        assert_eq!(answer.value, value, "{bounds} {query}");
    }
    let answer = ask(errands, &[("energy", "0,6"), ("credit", "4")], "A[] true");
    assert_eq!(answer.verdict, Verdict::Fails);
}

#[test]
fn the_step_that_closes_a_cycle_is_shown() {
    let (mut model, options) = load(BATTERY, &[("energy", "0")]);
    let number = model.add_property("E[] true", None).expect("a query");
    let budget = Budget::unlimited();
    let answer = {
        let mut session = model.open(&options, false).expect("a session");
        session
            .check("zones", number, &budget, &Silent)
            .expect("no fault")
    };
    let checker = model.checker(&options).expect("a checker");
    let evidence = answer.evidence.as_deref().expect("a run");
    let trace = &checker.to_json(number, evidence)["trace"];
    let length = |key: &str| trace[key].as_array().map_or(0, Vec::len);
    // Two states go round, and each is left by a step.
    assert_eq!((length("steps"), length("moves")), (2, 2), "{trace}");
    assert_eq!(trace["loop_start"], 0);
}
