//! Filters that name states, and models in JANI that are asked in PRISM's language: values against those of the definition, with accepted evidence.

use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_stochastic::FAMILY;
use std::path::Path;

/// The value or the verdict, and what the checker says.
fn ask(name: &str, text: &str, question: &str) -> (String, Option<CheckReport>) {
    let (path, options, budget) = (Path::new(name), Options::default(), Budget::unlimited());
    let language = (FAMILY.languages.iter()).find(|language| language.claims(path, None));
    let input = Input {
        name,
        path,
        bytes: text.as_bytes(),
        language: language.expect("a language"),
        options: &options,
        budget: &budget,
    };
    let mut model = (FAMILY.load)(&input).unwrap_or_else(|error| panic!("{error}"));
    let property = match model.add_property(question, None) {
        Ok(property) => property,
        Err(error) => return (format!("error: {error}"), None),
    };
    let mut session = model.open(&options, false).expect("options");
    let answer = session
        .check("sparse", property, &budget, &Silent)
        .expect("an answer");
    let report = model
        .checker(&options)
        .expect("options")
        .check(property, &answer, &budget);
    let said = match (&answer.value, answer.verdict) {
        (Some(value), _) => value.to_string(),
        (None, Verdict::Unknown) => format!("unknown: {}", answer.reason.unwrap_or_default()),
        (None, verdict) => verdict.name().to_owned(),
    };
    (said, Some(report))
}

const WALK: &str = "dtmc\nmodule m\n s : [0..4] init 1;\n [] s>0 & s<4 -> 1/3 : (s'=s-1) + 2/3 : (s'=s+1);\n [] s=0 | s=4 -> true;\nendmodule\nrewards \"steps\" s>0 & s<4 : 1; endrewards";

#[test]
fn argmin_and_argmax_are_the_states_of_the_extreme_values() {
    for (question, wanted) in [
        ("filter(forall, filter(argmax, P=? [ F s=4 ]) <=> s=4)", "holds"),
        ("filter(forall, filter(argmin, P=? [ F s=4 ]) <=> s=0)", "holds"),
        (
            "filter(forall, filter(argmax, P=? [ F s=4 ], s<4) <=> s=3)",
            "holds",
        ),
        (
            "filter(count, filter(argmin, R{\"steps\"}=? [ F s=0 | s=4 ]))",
            "2",
        ),
        (
            "filter(forall, filter(argmax, R{\"steps\"}=? [ F s=0 | s=4 ]) <=> s=1)",
            "fails",
        ),
        (
            "filter(forall, filter(argmax, R{\"steps\"}=? [ F s=0 | s=4 ]) <=> s=2)",
            "holds",
        ),
        (
            "filter(forall, filter(argmax, R{\"steps\"}=? [ F s=4 ]) <=> s<4)",
            "holds",
        ),
        ("filter(argmax, P=? [ F s=4 ])", "fails"),
    ] {
        let (said, report) = ask("walk.pm", WALK, question);
        assert_eq!(
            (said.as_str(), report),
            (wanted, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
}

#[test]
fn a_property_without_a_value_says_so_and_where() {
    let (said, _) = ask("walk.pm", WALK, "filter(max, 1/s)");
    assert!(
        said.starts_with("unknown: the property has no value: division by zero in state (s=0)"),
        "{said}"
    );
    let (said, _) = ask("walk.pm", WALK, "filter(max, s=0 ? 0 : 1/s)");
    assert_eq!(said, "1");
}

const JANI: &str = r#"{"jani-version": 1, "name": "m", "type": "mdp", "features": ["arrays"],
"variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0},
  {"name": "if", "type": "bool", "initial-value": false},
  {"name": "y", "type": "bool", "initial-value": false},
  {"name": "done", "type": "bool", "transient": true, "initial-value": false}],
"properties": [],
"automata": [{"name": "a", "locations": [{"name": "l", "transient-values": [{"ref": "done", "value": {"op": "=", "left": "x", "right": 2}}]}], "initial-locations": ["l"], "edges": [
  {"location": "l", "guard": {"exp": {"op": "=", "left": "x", "right": 0}}, "destinations": [
    {"location": "l", "probability": {"exp": 0.25}, "assignments": [{"ref": "x", "value": 1}, {"ref": "y", "value": true}]},
    {"location": "l", "probability": {"exp": 0.75}, "assignments": [{"ref": "x", "value": 2}]}]},
  {"location": "l", "guard": {"exp": {"op": ">", "left": "x", "right": 0}}, "destinations": [{"location": "l"}]}]}],
"system": {"elements": [{"automaton": "a"}]}}"#;

#[test]
fn models_in_jani_are_asked_in_the_language_of_prism_too() {
    for (question, wanted) in [
        ("Pmax=? [ F x=1 & y ]", "1/4"),
        ("Pmin=? [ F \"done\" ]", "3/4"),
        ("Pmin>=0.75 [ G !y ]", "holds"),
    ] {
        let (said, report) = ask("model.jani", JANI, question);
        assert_eq!(
            (said.as_str(), report),
            (wanted, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    // A name that PRISM does not allow cannot be asked about, and others can.
    let (said, _) = ask("model.jani", JANI, "Pmax=? [ F z=1 ]");
    assert!(said.starts_with("error"), "{said}");
}
