//! Functions of several parameters: beside the naive solver at points, and with evidence that was damaged.

use crate::beside_answers::{load, load_from, options};
use crate::regions::{Asked, effort, fraction, random_model, value};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{LoadError, Model, Options};
use entail_markov::Rational;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};

fn found(text: &str, question: &str) -> (Box<dyn Model>, Options, usize, Answer) {
    let given = options(&[("parametric", "p,q")]);
    let mut model = load(text, &given).expect("a model");
    let property = model.add_property(question, None).expect("a property");
    let mut session = model.open(&given, false).expect("options");
    let answer = session.check("adaptive", property, &Budget::unlimited(), &Silent);
    let answer = answer.expect("an answer");
    drop(session);
    (model, given, property, answer)
}

fn saved(model: &dyn Model, given: &Options, property: usize, answer: &Answer) -> Json {
    let checker = model.checker(given).expect("options");
    let evidence = answer.evidence.as_ref().expect("evidence");
    Json::Object(checker.to_saved_json(property, &**evidence))
}

fn judged(model: &dyn Model, given: &Options, property: usize, evidence: Json) -> CheckReport {
    let mut checker = model.checker(given).expect("options");
    match checker.evidence_from_json(property, &json!({"evidence": evidence})) {
        Ok(evidence) => {
            let again = Answer::complete(Verdict::Holds, ()).map(|()| evidence);
            checker.check(property, &again, &Budget::unlimited())
        }
        Err(_) => CheckReport::rejected("unreadable"),
    }
}

/// The value of a saved function at a point.
fn value_of(evidence: &Json, point: &[Rational]) -> Rational {
    let mut values: Vec<Rational> = Vec::new();
    for step in evidence["steps"].as_array().expect("steps") {
        let (name, own) = step.as_object().and_then(|step| step.iter().next()).expect("a step");
        let of = |position: usize| &values[own[position].as_u64().expect("a step") as usize];
        let value = match name.as_str() {
            "polynomial" => at(own, point),
            "sum" => of(0) + of(1),
            "product" => of(0) * of(1),
            "power" => of(0).pow(own[1].as_i64().expect("a power") as isize),
            other => panic!("{other} is no step"),
        };
        values.push(value);
    }
    values.pop().expect("a value")
}

/// The value of saved terms at a point.
fn at(terms: &Json, point: &[Rational]) -> Rational {
    let terms = terms.as_array().expect("terms").iter();
    terms.fold(Rational::ZERO, |sum, term| {
        let coefficient: Rational = term[1]
            .as_str()
            .and_then(|text| text.parse().ok())
            .expect("a number");
        let powers = term[0].as_array().expect("exponents").iter().zip(point);
        sum + powers.fold(coefficient, |product, (exponent, value)| {
            (0..exponent.as_u64().expect("an exponent")).fold(product, |product, _| product * value)
        })
    })
}

/// Two players in turn, p and q: the first who hits wins.
const DUEL: &str = "dtmc\nconst double p;\nconst double q;\nmodule m\n s : [0..3];\n [] s=0 -> p : (s'=2) + 1-p : (s'=1);\n [] s=1 -> q : (s'=3) + 1-q : (s'=0);\nendmodule\nrewards \"shots\" [] true : 1; endrewards";

#[test]
fn functions_of_two_parameters_are_in_lowest_terms_and_proved() {
    let race = "ctmc\nconst double p;\nconst double q;\nmodule m\n s : [0..2];\n [] s=0 -> p : (s'=1);\n [] s=0 -> 2*q : (s'=2);\nendmodule\nrewards true : 1; endrewards";
    for (text, question, function) in [
        (DUEL, "P=? [ F s=2 ]", "(p) / (-p*q + p + q)"),
        (DUEL, "P=? [ s!=1 U s=2 ]", "p"),
        (DUEL, "P=? [ F s=4 ]", "0"),
        (DUEL, "P=? [ F s=0 ]", "1"),
        (DUEL, "P=? [ G s!=2 ]", "(-p*q + q) / (-p*q + p + q)"),
        (DUEL, "P=? [ s<2 W s=3 ]", "(-p*q + q) / (-p*q + p + q)"),
        (DUEL, "P=? [ s=1 R s!=2 ]", "-p + 1"),
        (DUEL, "R{\"shots\"}=? [ F s>=2 ]", "(-p + 2) / (-p*q + p + q)"),
        (race, "P=? [ F s=1 ]", "(p) / (p + 2*q)"),
        (race, "R=? [ F s>0 ]", "(1) / (p + 2*q)"),
    ] {
        let (model, given, property, answer) = found(text, question);
        assert_eq!(answer.verdict, Verdict::Holds, "{question}: {:?}", answer.reason);
        assert_eq!(answer.reason.as_deref(), Some(function), "{question}");
        let evidence = saved(&*model, &given, property, &answer);
        assert_eq!(
            judged(&*model, &given, property, evidence),
            CheckReport::Accepted,
            "{question}"
        );
    }
    for (text, question, reason) in [
        (DUEL, "P<=0.5 [ F s=2 ]", "for P=? and R=? [ F … ] only"),
        (DUEL, "P=? [ F<=3 s=2 ]", "without bounds"),
        (DUEL, "R{\"shots\"}=? [ F s=2 ]", "infinite"),
        (&DUEL.replace("dtmc", "mdp"), "Pmax=? [ F s=2 ]", "for chains"),
    ] {
        let (.., answer) = found(text, question);
        assert_eq!(answer.verdict, Verdict::Unknown, "{question}");
        assert!(
            answer.reason.as_deref().is_some_and(|said| said.contains(reason)),
            "{question}: {:?}",
            answer.reason
        );
    }
    for (names, message) in [
        ("p,x", "no constant x"),
        ("p,p", "named twice"),
        ("p,", "no constant"),
    ] {
        match load(DUEL, &options(&[("parametric", names)])) {
            Err(LoadError::Invalid { diagnostics, .. }) => {
                assert!(
                    diagnostics.0[0].message.contains(message),
                    "{}",
                    diagnostics.0[0].message
                );
            }
            _ => panic!("{names}: no mistake"),
        }
    }
}

#[test]
fn damaged_functions_are_rejected() {
    let (model, given, property, answer) = found(DUEL, "P=? [ F s=2 ]");
    let evidence = saved(&*model, &given, property, &answer);
    let damages: [&dyn Fn(&mut Json); 10] = [
        &|evidence| evidence["function"] = json!("p"),
        &|evidence| evidence["steps"][0]["polynomial"][0][1] = json!("-2"),
        &|evidence| evidence["steps"][1]["polynomial"] = json!([]),
        &|evidence| evidence["steps"][1]["polynomial"][0][0] = json!([1]),
        &|evidence| evidence["steps"][2] = json!({"power": [1, 1]}),
        &|evidence| evidence["steps"][3] = json!({"product": [0, 3]}),
        &|evidence| evidence["steps"][3] = json!({"sum": [0, 2]}),
        &|evidence| evidence["steps"] = json!([]),
        &|evidence| evidence["point"] = json!(["1/2"]),
        &|evidence| evidence["point"] = json!(["2", "2"]),
    ];
    // Text and steps changed together are a wrong function, not only another text.
    let mut other = evidence.clone();
    other["steps"] = json!([{"polynomial": [[[1, 0], "1"]]}]);
    other["function"] = json!("p");
    let report = judged(&*model, &given, property, other);
    assert!(report.to_string().contains("is not the value"), "{report}");
    for (number, damage) in damages.iter().enumerate() {
        let mut damaged = evidence.clone();
        damage(&mut damaged);
        assert_ne!(damaged, evidence, "damage {number}");
        assert!(
            judged(&*model, &given, property, damaged).is_rejected(),
            "damage {number}"
        );
    }
    let other = options(&[("parametric", "q,p")]);
    assert!(judged(&*model, &other, property, evidence).is_rejected());
}

#[test]
fn random_functions_have_the_naive_solvers_values_at_points() {
    let mut random = StdRng::seed_from_u64(72);
    let mut met = 0;
    for round in 0..100 * effort() {
        let text = random_model(&mut random, ["dtmc", "ctmc"][(round % 2) as usize]);
        let last = text
            .split("[0..")
            .nth(1)
            .and_then(|rest| rest.split(']').next())
            .expect("a range");
        let (asked, question) = match random.random_range(0..3) {
            0 => (Asked::Reach, format!("P=? [ F s={last} ]")),
            1 => (Asked::Avoiding, format!("P=? [ s!=1 U s={last} ]")),
            _ => (Asked::Reward, format!("R{{\"r\"}}=? [ F s={last} ]")),
        };
        let (model, given, property, answer) = found(&text, &question);
        let point = [fraction(&mut random, 1, 19), fraction(&mut random, 1, 19)];
        let there = value(&text, &point, asked, true);
        if answer.verdict == Verdict::Unknown {
            assert!(there.is_none(), "{text}\n{question}: {:?}", answer.reason);
            continue;
        }
        let evidence = saved(&*model, &given, property, &answer);
        let report = judged(&*model, &given, property, evidence.clone());
        assert_eq!(report, CheckReport::Accepted, "{text}\n{question}");
        let own = value_of(&evidence, &point);
        assert_eq!(
            Some(own),
            there,
            "{text}\n{question}: {:?} at {point:?}",
            answer.reason
        );
        met += 1;
    }
    assert!(met > 50, "{met} functions");
}

/// The two players in JANI; shots are earned on edges.
const JANI: &str = r#"{"jani-version": 1, "name": "duel", "type": "dtmc", "constants": [{"name": "p", "type": "real"}, {"name": "q", "type": "real"},
 {"name": "miss", "type": "real", "value": {"op": "-", "left": 1, "right": "p"}}, {"name": "n", "type": "int", "value": 2}],
 "variables": [{"name": "s", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 0},
  {"name": "shots", "type": "real", "transient": true, "initial-value": 0}],
 "properties": [{"name": "first", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"}, "values": {"op": "Pmin", "exp": {"op": "F", "exp": {"op": "=", "left": "s", "right": "n"}}}}},
  {"name": "shots", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"}, "values": {"op": "Emin", "exp": "shots", "accumulate": ["steps"], "reach": {"op": "≥", "left": "s", "right": 2}}}}],
 "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
  {"location": "l", "guard": {"exp": {"op": "=", "left": "s", "right": 0}}, "destinations": [
   {"location": "l", "probability": {"exp": "p"}, "assignments": [{"ref": "s", "value": 2}, {"ref": "shots", "value": 1}]},
   {"location": "l", "probability": {"exp": "miss"}, "assignments": [{"ref": "s", "value": 1}, {"ref": "shots", "value": 1}]}]},
  {"location": "l", "guard": {"exp": {"op": "=", "left": "s", "right": 1}}, "destinations": [
   {"location": "l", "probability": {"exp": "q"}, "assignments": [{"ref": "s", "value": 3}, {"ref": "shots", "value": 1}]},
   {"location": "l", "probability": {"exp": {"op": "-", "left": 1, "right": "q"}}, "assignments": [{"ref": "s", "value": 0}, {"ref": "shots", "value": 1}]}]}]}],
 "system": {"elements": [{"automaton": "a"}]}}"#;

#[test]
fn models_in_jani_have_functions_and_regions_too() {
    let given = options(&[("parametric", "p,q")]);
    let mut model = load_from("duel.jani", JANI, &given).expect("a model");
    let asked = model.add_property("P=? [ s!=1 U s=2 ]", None).expect("a property");
    for (property, function) in [(0, "(p) / (-p*q + p + q)"), (1, "(-p + 2) / (-p*q + p + q)"), (asked, "p")] {
        let mut session = model.open(&given, false).expect("options");
        let answer = session.check("adaptive", property, &Budget::unlimited(), &Silent).expect("an answer");
        drop(session);
        assert_eq!(answer.reason.as_deref(), Some(function));
        let evidence = saved(&*model, &given, property, &answer);
        assert_eq!(judged(&*model, &given, property, evidence), CheckReport::Accepted, "{function}");
    }
    let given = options(&[("region", "0.5<=p<=0.9,0.1<=q<=0.5")]);
    for (question, verdict) in [("P>=2/3 [ F s=2 ]", Verdict::Holds), ("P>=0.7 [ F s=2 ]", Verdict::Fails)] {
        let mut model = load_from("duel.jani", JANI, &given).expect("a model");
        let property = model.add_property(question, None).expect("a property");
        let mut session = model.open(&given, false).expect("options");
        let answer = session.check("adaptive", property, &Budget::unlimited(), &Silent).expect("an answer");
        assert_eq!(answer.verdict, verdict, "{question}: {:?}", answer.reason);
        let mut checker = model.checker(&given).expect("options");
        assert_eq!(checker.check(property, &answer, &Budget::unlimited()), CheckReport::Accepted, "{question}");
    }
    for (parameter, message) in [("n", "has a value"), ("miss", "has a value"), ("x", "no constant x")] {
        match load_from("duel.jani", JANI, &options(&[("parametric", parameter), ("const", "p=0.5,q=0.5")])) {
            Err(LoadError::Invalid { diagnostics, .. }) => {
                let said = &diagnostics.0[0].message;
                assert!(said.contains(message), "{said}");
            }
            _ => panic!("{parameter} is no parameter"),
        }
    }
}

/// A message in so many pieces, each sent until it arrives, at most so many times.
fn pieces(pieces: u32, most: u32) -> String {
    format!(
        "dtmc\nconst double p;\nconst double q;\nmodule m\n i : [0..{pieces}]; n : [0..{most}]; lost : bool;\n [] i<{pieces} & n<{most} & !lost -> p*q : (i'=i+1) & (n'=0) + 1-p*q : (n'=n+1);\n [] i<{pieces} & n={most} & !lost -> (lost'=true);\nendmodule"
    )
}

#[test]
fn chains_of_thousands_of_states_have_functions_that_are_proved_or_tested() {
    let text = pieces(300, 5);
    let (model, given, property, answer) = found(&text, "P=? [ F lost ]");
    assert_eq!(answer.verdict, Verdict::Holds, "{:?}", answer.reason);
    let evidence = saved(&*model, &given, property, &answer);
    let report = judged(&*model, &given, property, evidence.clone());
    match &report {
        CheckReport::Partly { unchecked } => assert!(unchecked[0].contains("random points"), "{report}"),
        _ => panic!("{report}"),
    }
    let half = [Rational::from(1) / Rational::from(2), Rational::ONE];
    let lost = Rational::ONE / Rational::from(32);
    let kept = (Rational::ONE - lost).pow(300);
    assert_eq!(value_of(&evidence, &half), Rational::ONE - kept);
    // A coefficient that is off by little is seen.
    let mut damaged = evidence;
    let steps = damaged["steps"].as_array_mut().expect("steps");
    let wrong = steps.iter_mut().rev().find_map(|step| step.get_mut("polynomial")).expect("a polynomial");
    wrong[0][1] = json!(format!("{}1", wrong[0][1].as_str().expect("a number")));
    assert!(judged(&*model, &given, property, damaged).is_rejected());
    // Few pieces are proved.
    let (model, given, property, answer) = found(&pieces(6, 2), "P=? [ F lost ]");
    let evidence = saved(&*model, &given, property, &answer);
    assert_eq!(judged(&*model, &given, property, evidence), CheckReport::Accepted);
}
