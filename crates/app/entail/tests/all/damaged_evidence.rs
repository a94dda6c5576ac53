//! Saved evidence that was changed at random, by accident or on purpose: `certify` may reject it, or find that what it says now is true as well, but
//! never accepts a false claim, and never panics. `ENTAIL_EFFORT` times as many cases as usual.

use crate::asked;
use asked::{certify, check};
use entail::run::Request;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::Budget;
use entail_evidence::json::sealed;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;
use std::fmt::Write;
use std::time::Duration;

fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A condition over three variables.
fn condition(random: &mut StdRng, depth: usize) -> String {
    if depth == 0 || random.random_bool(0.3) {
        let atoms = ["b", "x = 0", "x = 2", "y = s", "y = t", "x < 2", "TRUE"];
        return (*atoms.choose(random).expect("atoms")).to_owned();
    }
    let (left, right) = (condition(random, depth - 1), condition(random, depth - 1));
    match random.random_range(0..4) {
        0 => format!("!({left})"),
        1 => format!("({left} & {right})"),
        2 => format!("({left} | {right})"),
        _ => format!("({left} -> {right})"),
    }
}

fn ctl(random: &mut StdRng, depth: usize) -> String {
    if depth == 0 {
        return condition(random, 1);
    }
    let (left, right) = (ctl(random, depth - 1), ctl(random, depth - 1));
    match random.random_range(0..8) {
        0 => format!("AG ({left})"),
        1 => format!("AF ({left})"),
        2 => format!("EF ({left})"),
        3 => format!("EG ({left})"),
        4 => format!("EX ({left})"),
        5 => format!("E [({left}) U ({right})]"),
        6 => format!("(({left}) & ({right}))"),
        _ => format!("!({left})"),
    }
}

fn ltl(random: &mut StdRng, depth: usize) -> String {
    if depth == 0 {
        return condition(random, 1);
    }
    let (left, right) = (ltl(random, depth - 1), ltl(random, depth - 1));
    match random.random_range(0..11) {
        0 => format!("G ({left})"),
        1 => format!("F ({left})"),
        2 => format!("X ({left})"),
        3 => format!("(({left}) U ({right}))"),
        4 => format!("Y ({left})"),
        5 => format!("Z ({left})"),
        6 => format!("O ({left})"),
        7 => format!("H ({left})"),
        8 => format!("(({left}) S ({right}))"),
        9 => format!("(({left}) | ({right}))"),
        _ => format!("!({left})"),
    }
}

/// A model in which every state has a successor, with properties of all kinds.
fn random_model(random: &mut StdRng) -> String {
    let mut text = String::from("MODULE main\nVAR b : boolean; x : 0..3; y : {s, t, u};\nASSIGN\n");
    if random.random_bool(0.7) {
        let _ = writeln!(text, "init(b) := {};", condition(random, 1).replace("b", "TRUE"));
    }
    let _ = writeln!(text, "init(x) := {};", random.random_range(0..4));
    let (guard, other) = (condition(random, 2), condition(random, 1));
    let _ = writeln!(
        text,
        "next(b) := {guard};\nnext(x) := case {other} : (x + 1) mod 4; TRUE : {{x, 0}}; esac;"
    );
    let _ = writeln!(
        text,
        "next(y) := case {} : s; {} : {{t, u}}; TRUE : y; esac;",
        condition(random, 1),
        condition(random, 1)
    );
    if random.random_bool(0.3) {
        let _ = writeln!(text, "FAIRNESS {};", condition(random, 1));
    }
    for number in 0..2 {
        let _ = writeln!(text, "INVARSPEC NAME i{number} := {};", condition(random, 2));
        let (depth, other) = (random.random_range(1..3), random.random_range(1..3));
        let _ = writeln!(text, "CTLSPEC NAME c{number} := {};", ctl(random, depth));
        let _ = writeln!(text, "LTLSPEC NAME l{number} := {};", ltl(random, other));
    }
    let _ = writeln!(text, "LTLSPEC {};", ltl(random, 1));
    let _ = writeln!(text, "COMPUTE NAME m := MIN [b, x = 3];");
    text
}

/// All places in a document, as paths.
fn places(json: &Json, path: &mut Vec<Json>, found: &mut Vec<Vec<Json>>) {
    found.push(path.clone());
    match json {
        Json::Object(map) => {
            for (key, value) in map {
                path.push(key.as_str().into());
                places(value, path, found);
                path.pop();
            }
        }
        Json::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                path.push(index.into());
                places(value, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn at<'a>(json: &'a mut Json, path: &[Json]) -> Option<&'a mut Json> {
    path.iter().try_fold(json, |json, step| match step {
        Json::String(key) => json.get_mut(key.as_str()),
        step => json.get_mut(step.as_u64()? as usize),
    })
}

/// Changes one thing.
fn mutate(document: &mut Json, others: &[Json], random: &mut StdRng) {
    if !document.is_object() {
        return;
    }
    let mut all = Vec::new();
    places(document, &mut Vec::new(), &mut all);
    let path = all.choose(random).expect("there is a place").clone();
    let donor = others.choose(random).expect("there is a document").clone();
    let mut donor_places = Vec::new();
    places(&donor, &mut Vec::new(), &mut donor_places);
    let from = donor_places.choose(random).expect("there is a place");
    let given = at(&mut donor.clone(), from).cloned().unwrap_or_default();
    match random.random_range(0..10) {
        // The parts on which everything hangs.
        0 => document["verdict"] = (*["holds", "fails"].choose(random).expect("two")).into(),
        1 => document["evidence"] = donor["evidence"].clone(),
        2 => document["property"] = donor["property"].clone(),
        3 => {
            document["evidence"] = donor["evidence"].clone();
            document["verdict"] = donor["verdict"].clone();
        }
        _ => {
            let Some(place) = at(document, &path) else { return };
            let before = place.clone();
            *place = match (&before, random.random_range(0..6)) {
                (Json::Bool(truth), 0..4) => (!truth).into(),
                (Json::Number(number), 0..4) => {
                    let changes = [1, -1, 0, 3];
                    let change = changes.choose(random).expect("some");
                    (number.as_i64().unwrap_or(0) + change).into()
                }
                (Json::String(_), 0..4) => {
                    let words = [
                        "s",
                        "t",
                        "u",
                        "x",
                        "b",
                        "y",
                        "holds",
                        "fails",
                        "complete",
                        "bounded",
                        "trace",
                        "tree",
                        "lasso",
                        "exhaustive",
                        "invariant",
                        "ctl",
                        "ltl",
                    ];
                    (*words.choose(random).expect("words")).into()
                }
                (Json::Array(list), 0..3) if !list.is_empty() => {
                    let mut list = list.clone();
                    let index = random.random_range(0..list.len());
                    match random.random_range(0..3) {
                        0 => drop(list.remove(index)),
                        1 => list.insert(index, list[index].clone()),
                        _ => list.reverse(),
                    }
                    list.into()
                }
                (Json::Object(map), 0..3) if !map.is_empty() => {
                    let mut map = map.clone();
                    let keys: Vec<String> = map.keys().cloned().collect();
                    map.shift_remove(keys.choose(random).expect("a key"));
                    map.into()
                }
                _ => given,
            };
        }
    }
}

/// What is true of a property: name, text, logic, and the answer.
struct Truth {
    name: Option<String>,
    text: String,
    logic: entail_logic::Logic,
    verdict: Verdict,
    value: Option<Quantity>,
}

const ENGINES: [Option<&str>; 5] = [None, Some("bdd"), Some("explicit"), Some("ic3"), Some("kind")];

#[test]
fn changed_evidence_is_never_accepted_for_what_is_false() {
    let (mut cases, mut accepted) = (0u64, 0u64);
    for seed in 0..6 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let text = random_model(&mut random);
        let mut model = asked::model(&text);
        let mut truths: Vec<Truth> = Vec::new();
        let mut documents: Vec<Json> = Vec::new();
        for engine in ENGINES {
            let request = Request {
                properties: (0..model.properties().len()).collect(),
                engine: engine.and_then(asked::engine),
                property_timeout: Some(Duration::from_secs(5)),
                ..Request::default()
            };
            let answers = check(&*model, &request).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for (decided, document) in answers {
                let heading = &model.properties()[decided.property];
                let answer = decided.answer;
                if engine.is_none() {
                    truths.push(Truth {
                        name: heading.name.clone(),
                        text: heading.text.clone(),
                        logic: heading.logic,
                        verdict: answer.verdict,
                        value: answer.value.clone(),
                    });
                } else if ![answer.verdict, truths[decided.property].verdict].contains(&Verdict::Unknown) {
                    assert_eq!(
                        answer.verdict, truths[decided.property].verdict,
                        "{engine:?} {}\n{text}",
                        heading.text
                    );
                }
                if answer.evidence.is_some() {
                    documents.push(document);
                }
            }
        }
        for _ in 0..400 {
            let mut changed = documents.choose(&mut random).expect("a document").clone();
            for _ in 0..random.random_range(1..4) {
                mutate(&mut changed, &documents, &mut random);
            }
            // Half of them with a seal that is right: the checkers must see it, not the checksum.
            let file = match random.random_bool(0.5) && changed.is_object() {
                true => sealed(changed.clone()),
                false => changed.to_string(),
            };
            cases += 1;
            let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(10)));
            let Ok(certified) = certify(&mut *model, &file, &budget) else {
                continue;
            };
            for one in certified {
                if one.report != CheckReport::Accepted || one.answer.verdict == Verdict::Unknown {
                    continue;
                }
                accepted += 1;
                let heading = model.properties()[one.property].clone();
                let known = truths.iter().find(|truth| {
                    truth.name == heading.name && truth.text == heading.text && truth.logic == heading.logic
                });
                let (verdict, value) = match known {
                    Some(truth) => (truth.verdict, truth.value.clone()),
                    // A formula that is not in the file: it is asked now.
                    None => {
                        let request = Request {
                            properties: vec![one.property],
                            ..Request::default()
                        };
                        let mut answers = check(&*model, &request).expect("an answer");
                        let answer = answers.remove(0).0.answer;
                        (answer.verdict, answer.value)
                    }
                };
                if verdict == Verdict::Unknown {
                    continue;
                }
                let what = || format!("seed {seed}: accepted, and false:\n{changed:#}\n{text}");
                assert_eq!(one.answer.verdict, verdict, "{}", what());
                if let (Some(value), Some(claimed)) = (value, Quantity::from_json(&changed["value"])) {
                    assert_eq!(value, claimed, "{}", what());
                }
            }
        }
    }
    eprintln!("{cases} changed documents, {accepted} of them still true and accepted");
}
