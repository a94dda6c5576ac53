//! Partitions of regions: beside the naive solver at points of the parts, and with evidence that was damaged.

use crate::beside_answers::{load, options};
use crate::regions::{Asked, effort, fraction, random_model, value};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Model, Options};
use entail_markov::Rational;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};

fn divided(text: &str, region: &str, question: &str) -> (Box<dyn Model>, Options, usize, Answer) {
    let given = options(&[("region", region), ("partition", "0.1")]);
    let mut model = load(text, &given).expect("a model");
    let property = model.add_property(question, None).expect("a property");
    let mut session = model.open(&given, false).expect("options");
    let answer = session.check("adaptive", property, &Budget::unlimited(), &Silent).expect("an answer");
    drop(session);
    (model, given, property, answer)
}

fn saved(model: &dyn Model, given: &Options, property: usize, answer: &Answer) -> Json {
    let checker = model.checker(given).expect("options");
    Json::Object(checker.to_saved_json(property, &**answer.evidence.as_ref().expect("evidence")))
}

fn judged(model: &dyn Model, given: &Options, property: usize, verdict: Verdict, evidence: Json) -> CheckReport {
    let mut checker = model.checker(given).expect("options");
    match checker.evidence_from_json(property, &json!({"evidence": evidence})) {
        Ok(evidence) => {
            let again = Answer::complete(verdict, ()).map(|()| evidence);
            checker.check(property, &again, &Budget::unlimited())
        }
        Err(_) => CheckReport::rejected("unreadable"),
    }
}

const COINS: &str = "dtmc\nconst double p;\nconst double q;\nmodule m\n s : [0..3];\n [] s=0 -> p : (s'=1) + 1-p : (s'=3);\n [] s=1 -> q : (s'=2) + 1-q : (s'=3);\nendmodule";

#[test]
fn a_region_is_divided_and_damaged_parts_are_rejected() {
    let (model, given, property, answer) = divided(COINS, "0.1<=p<=0.9,0.1<=q<=0.9", "P<=0.3 [ F s=2 ]");
    assert_eq!(answer.verdict, Verdict::Fails);
    let said = answer.reason.clone().unwrap_or_default();
    assert!(said.starts_with("good in ") && said.contains("bad in "), "{said}");
    let evidence = saved(&*model, &given, property, &answer);
    let report = judged(&*model, &given, property, Verdict::Fails, evidence.clone());
    assert_eq!(report, CheckReport::Accepted);
    let damages: [&dyn Fn(&mut Json); 6] = [
        // A good part is called bad, a part twice, one that reaches farther, one outside, certificates changed, no bad part.
        &|evidence| {
            let part = evidence["parts"][0].clone();
            evidence["bad"] = json!([part]);
        },
        &|evidence| {
            let part = evidence["bad"][0].clone();
            evidence["bad"].as_array_mut().expect("parts").push(part);
        },
        &|evidence| evidence["bad"][0]["low"] = json!(["1/10", "1/10"]),
        &|evidence| evidence["parts"][0]["high"] = json!(["2", "1/10"]),
        &|evidence| evidence["parts"][0]["certificate"] = evidence["bad"][0]["certificate"].clone(),
        &|evidence| evidence["bad"] = json!([]),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut damaged = evidence.clone();
        damage(&mut damaged);
        let report = judged(&*model, &given, property, Verdict::Fails, damaged);
        assert!(report.is_rejected(), "damage {number}: {report}");
    }
    assert!(judged(&*model, &given, property, Verdict::Holds, evidence).is_rejected());
    // All is good.
    let (model, given, property, answer) = divided(COINS, "0.1<=p<=0.2,0.1<=q<=0.2", "P<=0.3 [ F s=2 ]");
    assert_eq!(answer.verdict, Verdict::Holds);
    let evidence = saved(&*model, &given, property, &answer);
    assert_eq!(judged(&*model, &given, property, Verdict::Holds, evidence), CheckReport::Accepted);
}

#[test]
fn parts_of_random_models_are_what_the_naive_solver_says_at_their_points() {
    let mut random = StdRng::seed_from_u64(83);
    let mut both = 0;
    for round in 0..40 * effort() {
        let kind = ["dtmc", "ctmc"][(round % 2) as usize];
        let text = random_model(&mut random, kind);
        let last = text.split("[0..").nth(1).and_then(|rest| rest.split(']').next()).expect("a range");
        let middle = [Rational::from(1) / Rational::from(2), Rational::from(1) / Rational::from(2)];
        let asked = if round % 3 == 0 { Asked::Reward } else { Asked::Reach };
        let Some(bound) = value(&text, &middle, asked, true) else {
            continue;
        };
        let bound = Rational::from((&bound * Rational::from(1000)).floor()) / Rational::from(1000);
        let upper = random.random_bool(0.5);
        let comparison = if upper { "<=" } else { ">=" };
        let question = match asked {
            Asked::Reward => format!("R{{\"r\"}}{comparison}{bound} [ F s={last} ]"),
            _ => format!("P{comparison}{bound} [ F s={last} ]"),
        };
        let (model, given, property, answer) = divided(&text, "0.1<=p<=0.9,0.1<=q<=0.9", &question);
        if answer.verdict == Verdict::Unknown {
            continue;
        }
        let evidence = saved(&*model, &given, property, &answer);
        let report = judged(&*model, &given, property, answer.verdict, evidence.clone());
        assert_eq!(report, CheckReport::Accepted, "{text}\n{question}");
        let is_divided = evidence.get("bad").is_some();
        both += u64::from(is_divided && evidence["parts"].as_array().is_some_and(|parts| !parts.is_empty()));
        if answer.verdict == Verdict::Fails && !is_divided {
            continue;
        }
        let none = Vec::new();
        for (kind, good) in [("parts", true), ("bad", false)] {
            for part in evidence.get(kind).and_then(Json::as_array).unwrap_or(&none) {
                let end = |side: &str, at: usize| -> Rational {
                    part[side][at].as_str().and_then(|text| text.parse().ok()).expect("a number")
                };
                let share = fraction(&mut random, 0, 20);
                let point: Vec<Rational> = (0..2)
                    .map(|at| end("low", at) + (end("high", at) - end("low", at)) * &share)
                    .collect();
                let there = value(&text, &point, asked, true);
                let meets = match there {
                    Some(there) if upper => there <= bound,
                    Some(there) => there >= bound,
                    None => !upper,
                };
                assert_eq!(meets, good, "{text}\n{question} at {point:?}");
            }
        }
    }
    assert!(both > 3, "{both} partitions with parts of both kinds");
}
