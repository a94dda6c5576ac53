//! Which engine answers where nobody names one.

use entail_answer::{CheckReport, Figure};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Model, Options};
use entail_stochastic::FAMILY;
use std::path::Path;

/// Coins that are tossed one after the other: twice as many states with every coin.
fn coins(number: usize) -> String {
    let coins: String = (0..number).map(|coin| format!("c{coin} : bool; ")).collect();
    let toss = |coin: usize| {
        let next = coin + 1;
        format!("[] t={coin} -> 0.5 : (t'={next}) & (c{coin}'=true) + 0.5 : (t'={next});\n")
    };
    let tosses: String = (0..number).map(toss).collect();
    format!("dtmc module tosses t : [0..{number}]; {coins} {tosses} endmodule")
}

/// The answer as the schedule finds it, by which engine, and what the checker says.
fn ask(text: &str, question: &str) -> (String, String, CheckReport) {
    let (budget, options) = (Budget::unlimited(), Options::default());
    let path = Path::new("model.prism");
    let mut model: Box<dyn Model> = (FAMILY.load)(&Input {
        name: "model.prism",
        path,
        bytes: text.as_bytes(),
        language: &FAMILY.languages[0],
        options: &options,
        budget: &budget,
    })
    .unwrap_or_else(|error| panic!("{error}"));
    let property = (model.add_property(question, None)).unwrap_or_else(|error| panic!("{error}"));
    let turns = model.schedule(property, &options, false);
    let engine = turns[0].runners[0].engine;
    let mut session = model.open(&options, false).expect("options");
    let answer = (session.check(engine, property, &budget, &Silent)).expect("no mistake");
    let report = (model.checker(&options).expect("options")).check(property, &answer, &budget);
    let by = match answer.statistics.get("by") {
        Some(Figure::Text(engine)) => engine.clone(),
        other => panic!("{other:?}"),
    };
    let said = match &answer.value {
        Some(value) => value.to_string(),
        None => answer.verdict.name().to_owned(),
    };
    (said, by, report)
}

#[test]
fn small_models_are_explored_and_large_ones_are_answered_without_all_their_states() {
    let (said, by, report) = ask(&coins(5), "P=? [ F c0 & c4 ]");
    assert_eq!((&*said, &*by), ("1/4", "sparse"));
    assert_eq!(report, CheckReport::Accepted);
    // Some 2^21 states, which would soon be explored; but a small part decides.
    let ten: Vec<String> = (0..10)
        .map(|coin| format!("(c{coin} <=> c{})", coin + 10))
        .collect();
    let (said, by, report) = ask(
        &coins(20),
        &format!("P>=0.4 [ F c0 | t=20 & {} ]", ten.join(" & ")),
    );
    assert_eq!((&*said, &*by), ("holds", "partial"));
    assert_eq!(report, CheckReport::Accepted);
    // More than 2^24 states, and every coin makes a difference. A part decides the first question, a diagram has few nodes for the second.
    let all = |each: &dyn Fn(usize) -> String| (0..12).map(each).collect::<Vec<_>>().join(" & ");
    let pairs = all(&|coin| format!("(c{coin} <=> c{})", coin + 12));
    let (said, by, report) = ask(&coins(24), &format!("P>=0.4 [ F c0 | t=24 & {pairs} ]"));
    assert_eq!((&*said, &*by), ("holds", "partial"));
    assert_eq!(report, CheckReport::Accepted);
    let (said, by, report) = ask(&coins(24), &format!("P=? [ F t=24 & {pairs} ]"));
    assert_eq!((&*said, &*by), ("1/4096", "symbolic"));
    assert!(!report.is_rejected());
}
