//! Tables of many random runs: beside the exact values, and with choices that somebody must make.

use crate::beside_answers::{load, options};
use entail_budget::{Budget, Silent};
use entail_family::{Options, Survey, SurveyWish};
use serde_json::Value as Json;

fn runs(text: &str, questions: &[&str], given: &Options) -> Result<Survey, String> {
    let mut model = load(text, given).expect("a model");
    for question in questions {
        model.add_property(question, None).expect("a property");
    }
    assert_eq!(model.survey_wish(given), SurveyWish::Instead);
    let survey = model.survey(given, &Budget::unlimited(), &Silent).expect("runs");
    survey.map_err(|error| error.message)
}

/// The interval of something that was seen.
fn interval(survey: &Survey, what: &str) -> (f64, f64) {
    let seen = survey.json["seen"].as_array().expect("a list");
    let own = seen.iter().find(|own| own["what"] == what);
    let own = own.unwrap_or_else(|| panic!("{what} is not among {seen:?}"));
    let end = |side: &str| own[side].as_f64().expect("a number");
    (end("lower"), end("upper"))
}

fn contains(survey: &Survey, what: &str, value: f64) {
    let (low, high) = interval(survey, what);
    assert!(low <= value && value <= high, "{what}: {value} is not in [{low}, {high}]");
    assert!(high - low < 0.2 * value.max(0.1), "{what}: [{low}, {high}] is wide");
}

const DIE: &str = "dtmc module die s:[0..7]; d:[0..6]; [] s=0 -> 0.5:(s'=1)+0.5:(s'=2); [] s=1 -> 0.5:(s'=3)+0.5:(s'=4); [] s=2 -> 0.5:(s'=5)+0.5:(s'=6); [] s=3 -> 0.5:(s'=1)+0.5:(s'=7)&(d'=1); [] s=4 -> 0.5:(s'=7)&(d'=2)+0.5:(s'=7)&(d'=3); [] s=5 -> 0.5:(s'=7)&(d'=4)+0.5:(s'=7)&(d'=5); [] s=6 -> 0.5:(s'=2)+0.5:(s'=7)&(d'=6); [] s=7 -> true; endmodule rewards \"flips\" [] s<7 : 1; endrewards label \"even\" = s=7 & mod(d,2)=0;";

#[test]
fn runs_of_the_die_agree_with_its_exact_values() {
    let given = options(&[("samples", "40000"), ("seed", "1"), ("confidence", "0.9999")]);
    let survey = runs(DIE, &["P=? [ F s=7 & d=1 ]", "R=? [ F s=7 ]"], &given).expect("runs");
    contains(&survey, "steps", 11.0 / 3.0);
    contains(&survey, "reward \"flips\"", 11.0 / 3.0);
    contains(&survey, "reaches \"even\"", 0.5);
    contains(&survey, "ends in s=7, d=6", 1.0 / 6.0);
    contains(&survey, "P=? [ F s=7 & d=1 ]", 1.0 / 6.0);
    let seen = survey.json["seen"].as_array().expect("a list");
    let reward = seen.iter().find(|own| own["what"] == "R=? [ F s=7 ]").expect("told");
    assert!(reward["reason"].as_str().is_some_and(|reason| reason.contains("probabilities")));
    // The same seed, the same table.
    assert_eq!(runs(DIE, &[], &given).expect("runs").table.rows[..4], survey.table.rows[..4]);
}

#[test]
fn time_passes_in_continuous_time_and_long_runs_are_stopped() {
    let text = "ctmc module q n:[0..2]; [] n<2 -> 2:(n'=n+1); endmodule rewards \"t\" true : 3; endrewards";
    let given = options(&[("samples", "40000"), ("confidence", "0.9999")]);
    let survey = runs(text, &[], &given).expect("runs");
    contains(&survey, "time", 1.0);
    contains(&survey, "reward \"t\"", 3.0);
    let text = "dtmc module m s:[0..1]; [] true -> 0.5:(s'=0)+0.5:(s'=1); endmodule";
    let survey = runs(text, &[], &options(&[("samples", "10"), ("steps", "7")])).expect("runs");
    assert_eq!(interval(&survey, "steps"), (7.0, 7.0));
    assert!(survey.json["seen"].as_array().is_some_and(|seen| seen[0]["what"] == Json::from("stopped after 7 steps")));
}

#[test]
fn choices_are_made_as_asked_and_refused_otherwise() {
    let text = "mdp module m s:[0..2]; [a] s=0 -> 0.9:(s'=1)+0.1:(s'=2); [b] s=0 -> 0.1:(s'=1)+0.9:(s'=2); [] s>0 -> true; endmodule";
    let none = runs(text, &[], &options(&[("samples", "10")]));
    assert!(none.is_err_and(|reason| reason.contains("--choices uniform")));
    let given = options(&[("samples", "20000"), ("confidence", "0.9999"), ("choices", "uniform")]);
    let survey = runs(text, &["P>=0.5 [ F s=1 ]"], &given).expect("runs");
    contains(&survey, "ends in s=1", 0.5);
    contains(&survey, "P>=0.5 [ F s=1 ]", 0.5);
    // A scheduler's file, as `check --scheduler` writes it.
    let path = std::env::temp_dir().join(format!("entail-choices-{}.json", std::process::id()));
    let wanted = options(&[("scheduler", path.to_str().expect("a name"))]);
    let mut model = load(text, &wanted).expect("a model");
    let property = model.add_property("Pmax=? [ F s=2 ]", None).expect("a property");
    let mut session = model.open(&wanted, false).expect("options");
    let answer = session.check("sparse", property, &Budget::unlimited(), &Silent).expect("an answer");
    let written = model.conclude(&[(property, &answer)], &wanted).expect("asked").expect("written");
    std::fs::write(&path, &written.files[0].1).expect("a place");
    let given = options(&[("samples", "20000"), ("confidence", "0.9999"), ("choices", path.to_str().expect("a name"))]);
    let survey = runs(text, &["Pmax=? [ F s=2 ]"], &given).expect("runs");
    contains(&survey, "ends in s=2", 0.9);
    contains(&survey, "Pmax=? [ F s=2 ]", 0.9);
    let other = text.replace("0.9:(s'=2)", "0.8:(s'=2)").replace("0.1:(s'=1)+", "0.2:(s'=1)+");
    assert!(runs(&other, &[], &given).is_err_and(|reason| reason.contains("another model")));
    std::fs::remove_file(&path).expect("it was there");
}
