//! Why decision processes violate bounds: a part of the model under a scheduler, followed and solved by the checker.

use crate::beside_answers::{ask, load, options};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::Budget;
use serde_json::json;

/// One choice is safe, the other fails with one half, and then may try again.
const CHOICES: &str = "mdp module m s:[0..4]; [safe] s=0 -> 0.9:(s'=3)+0.1:(s'=2); [risk] s=0 -> 0.5:(s'=1)+0.5:(s'=3); [again] s=1 -> 0.5:(s'=2)+0.5:(s'=0); [stop] s=1 -> 1:(s'=3); [] s>1 -> true; endmodule";

#[test]
fn a_violated_bound_of_a_decision_process_shows_a_part_under_a_scheduler() {
    let none = options(&[]);
    let (answer, report, _) = ask(CHOICES, "P<=0.2 [ F s=2 ]", "sparse", &none);
    assert_eq!((answer.verdict, report), (Verdict::Fails, CheckReport::Accepted));
    let mut model = load(CHOICES, &none).expect("a model");
    let property = model.add_property("P<=0.2 [ F s=2 ]", None).expect("a property");
    let mut checker = model.checker(&none).expect("options");
    let saved = checker.to_saved_json(property, &**answer.evidence.as_ref().expect("evidence"));
    let saved = serde_json::Value::Object(saved);
    let critical = &saved["critical"];
    assert_eq!(critical["paths"][0]["probability"], json!("1/4"));
    assert_eq!(critical["choices"].as_array().map(Vec::len), critical["states"].as_array().map(Vec::len));
    let first = critical["choices"][0].clone();
    assert_eq!(first, json!(1), "the risk is taken");
    let damages: [&dyn Fn(&mut serde_json::Value); 5] = [
        &|critical| critical["choices"][0] = json!(0),
        &|critical| critical["choices"][0] = json!(7),
        &|critical| critical["choices"] = json!([]),
        &|critical| critical["paths"][0]["probability"] = json!("1/2"),
        &|critical| critical["states"] = json!([0, 1]),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut damaged = json!({"evidence": saved.clone()});
        damage(&mut damaged["evidence"]["critical"]);
        let evidence = checker.evidence_from_json(property, &damaged).expect("readable");
        let again = Answer::complete(Verdict::Fails, ()).map(|()| evidence);
        let report = checker.check(property, &again, &Budget::unlimited());
        assert!(report.is_rejected(), "damage {number}: {report}");
    }
}
