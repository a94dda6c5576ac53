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

#[test]
fn the_values_of_states_are_listed_and_judged() {
    use entail_show::View;
    let list = |question: &str| {
        let (path, options, budget) = (Path::new("walk.pm"), Options::default(), Budget::unlimited());
        let input = Input {
            name: "walk.pm",
            path,
            bytes: WALK.as_bytes(),
            language: &FAMILY.languages[0],
            options: &options,
            budget: &budget,
        };
        let mut model = (FAMILY.load)(&input).unwrap_or_else(|error| panic!("{error}"));
        let property = model.add_property(question, None).expect("a property");
        let mut session = model.open(&options, false).expect("options");
        let mut answer = session
            .check("sparse", property, &budget, &Silent)
            .expect("an answer");
        let mut checker = model.checker(&options).expect("options");
        assert_eq!(
            checker.check(property, &answer, &budget),
            CheckReport::Accepted,
            "{question}"
        );
        let shown = checker.show(property, &answer);
        let rows = shown.exhibits.iter().find_map(|exhibit| match &exhibit.view {
            View::Table(table) => Some(table.rows.clone()),
            _ => None,
        });
        // Another value, and a state that is left out, are noticed.
        let saved = checker.to_saved_json(property, &**answer.evidence.as_ref().expect("evidence"));
        let listed = saved["listed"].as_array().expect("listed").len();
        if listed > 0 {
            let mut changed = saved.clone();
            changed["listed"][0]["value"] = serde_json::json!({"between": ["1/7", "1/7"]});
            let mut shorter = saved.clone();
            shorter["listed"].as_array_mut().expect("listed").pop();
            for damaged in [changed, shorter] {
                let document = serde_json::json!({"evidence": damaged});
                answer.evidence = Some(checker.evidence_from_json(property, &document).expect("evidence"));
                assert!(
                    checker.check(property, &answer, &budget).is_rejected(),
                    "{question}"
                );
            }
        }
        rows.expect("a table")
    };
    let values = |rows: Vec<Vec<String>>| -> Vec<String> {
        rows.into_iter()
            .map(|row| format!("{} {}", row[1], row[2]))
            .collect()
    };
    assert_eq!(
        values(list("filter(print, P=? [ F s=4 ])")),
        ["s=1 8/15", "s=2 4/5", "s=3 14/15", "s=4 1"]
    );
    assert_eq!(
        values(list("filter(printall, R{\"steps\"}=? [ F s=4 ], s!=2)")),
        ["s=1 infinity", "s=0 infinity", "s=3 infinity", "s=4 0"]
    );
    assert_eq!(
        values(list("filter(print, P>0.9 [ F s=4 ])")),
        ["s=3 true", "s=4 true"]
    );
    assert_eq!(
        values(list("filter(print, filter(argmax, P=? [ F s=4 ], s<4))")),
        ["s=3 true"]
    );
}

#[test]
fn clocks_are_compared_with_whole_numbers_that_are_computed() {
    let backoff = "pta module m s:[0..2]; c:[0..2]; x:clock; invariant (s=0 => x<=0) & (s=1 => x<=pow(2,c)+1) endinvariant [] s=0 -> 1/3:(s'=1)&(c'=0)+1/3:(s'=1)&(c'=1)+1/3:(s'=1)&(c'=2); [] s=1 & x>=max(1,pow(2,c)) -> (s'=2); endmodule";
    for (question, wanted) in [
        ("Tmin=? [ F s=2 ]", "7/3"),
        ("Tmax=? [ F s=2 ]", "10/3"),
        ("Pmin=? [ F<=3 s=2 ]", "2/3"),
        ("Pmax=? [ F<=3 s=2 ]", "2/3"),
        ("Pmax=? [ F<=4 s=2 ]", "1"),
    ] {
        let (said, report) = ask("backoff.prism", backoff, question);
        assert_eq!(
            (said.as_str(), report),
            (wanted, Some(CheckReport::Accepted)),
            "{question}"
        );
    }
    let halves = backoff.replace("pow(2,c)+1", "c/2+1");
    let (options, budget) = (Options::default(), Budget::unlimited());
    let refused = (FAMILY.load)(&Input {
        name: "halves.prism",
        path: Path::new("halves.prism"),
        bytes: halves.as_bytes(),
        language: &FAMILY.languages[0],
        options: &options,
        budget: &budget,
    });
    let reason = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(reason.contains("fractional"), "{reason}");
}
