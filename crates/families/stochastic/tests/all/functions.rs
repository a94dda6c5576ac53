//! Functions of several parameters: beside the naive solver at points, and with evidence that was damaged.

use crate::beside_answers::{load, options};
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
