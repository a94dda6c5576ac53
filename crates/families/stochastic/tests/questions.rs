//! Questions to small models, from the text to the checked answer.

use entail_answer::{CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_stochastic::FAMILY;
use std::path::Path;

/// What is said about a model, and what the checker says about that.
fn ask(text: &str, question: &str) -> (String, Option<CheckReport>) {
    let budget = Budget::unlimited();
    let options = Options::default();
    let path = Path::new("model.prism");
    let language = FAMILY
        .languages
        .iter()
        .find(|language| language.name == "prism")
        .expect("PRISM");
    let input = Input {
        name: "model.prism",
        path,
        bytes: text.as_bytes(),
        language,
        options: &options,
        budget: &budget,
    };
    let mut model = match (FAMILY.load)(&input) {
        Ok(model) => model,
        Err(error) => return (format!("error: {error}"), None),
    };
    let property = match model.add_property(question, None) {
        Ok(property) => property,
        Err(error) => return (format!("error: {error}"), None),
    };
    let answer = model
        .open(&options, false)
        .expect("options")
        .check("sparse", property, &budget, &Silent);
    match answer {
        Err(error) => (format!("mistake: {}", error.message), None),
        Ok(answer) => {
            let report = model
                .checker(&options)
                .expect("options")
                .check(property, &answer, &budget);
            let said = match (&answer.value, answer.verdict) {
                (Some(value), _) => value.to_string(),
                (None, Verdict::Unknown) => format!("unknown: {}", answer.reason.unwrap_or_default()),
                (None, verdict) => match answer.reason {
                    Some(reason) => format!("{}: {reason}", verdict.name()),
                    None => verdict.name().to_owned(),
                },
            };
            (said, Some(report))
        }
    }
}

const TWO_LOOPS: &str = r#"
mdp
module m
  s : [0..2];
  [a] s=0 -> (s'=1);
  [] s=1 -> (s'=1);
  [b] s=1 -> (s'=2);
  [] s=2 -> (s'=2);
endmodule
rewards "R1" [a] s=0 : 1; [b] s=1 : 2; endrewards
rewards "R2" [a] s=0 : 2; [b] s=1 : 1; endrewards
"#;

#[test]
fn several_objectives_share_one_scheduler() {
    let said = |question: &str| ask(TWO_LOOPS, question).0;
    assert_eq!(said("multi(P>=0.4 [ G F s=2 ], P>=0.6 [ G F s=1 ])"), "holds");
    assert_eq!(said("multi(P>=0.5 [ G F s=2 ], P>=0.6 [ G F s=1 ])"), "fails");
    assert_eq!(said("multi(Pmax=? [ F s=2 ], P>=0.6 [ G F s=1 ])"), "2/5");
    assert_eq!(said("multi(R{\"R1\"}max=? [ C ], P>=0.4 [ G F s=1 ])"), "11/5");
    assert_eq!(
        said("multi(R{\"R2\"}max=? [ C ], P>=0.4 [ G F s=1 ], P>=0.4 [ G F s=2 ])"),
        "13/5"
    );
    assert_eq!(said("multi(R{\"R1\"}min=? [ C ], R{\"R2\"}>=0 [ C ])"), "1");
    assert!(said("multi(Pmax=? [ F s=2 ], P>=0.6 [ G F s=1 ], P>=0.6 [ G F s=2 ])").contains("undefined"));
    assert!(said("multi(R{\"R1\"}max=? [ C ], Pmax=? [ G F s=1 ])").ends_with("(3, 0), (1, 1)"));
    assert!(said("multi(R{\"R1\"}max=? [ C<=1 ], P>=1 [ F s=2 ])").starts_with('1'));
}

#[test]
fn conditional_probabilities_of_chains_are_quotients() {
    let die = r#"
dtmc
module die
  s : [0..3];
  [] s=0 -> 1/2:(s'=1) + 1/3:(s'=2) + 1/6:(s'=3);
  [] s>0 -> true;
endmodule
"#;
    let (said, report) = ask(die, "P=? [ F s=1 || F s<=2&s>0 ]");
    assert_eq!(said, "3/5");
    assert_eq!(report, Some(CheckReport::Accepted));
    assert_eq!(ask(die, "P>=0.6 [ F s=1 || F s<=2&s>0 ]").0, "holds");
    assert_eq!(ask(die, "P>0.6 [ F s=1 || F s<=2&s>0 ]").0, "fails");
    assert!(ask(TWO_LOOPS, "Pmax=? [ F s=1 || F s=2 ]").0.starts_with("error"));
}

#[test]
fn fair_schedulers_leave_loops_that_they_can_leave() {
    assert_eq!(ask(TWO_LOOPS, "Pmin=? [ F s=2 ]").0, "0");
    assert_eq!(ask(TWO_LOOPS, "Pmin=? [ F s=2 ] [fair]").0, "1");
    assert_eq!(ask(TWO_LOOPS, "Pmax=? [ G F s=1 ] [nofair]").0, "1");
    assert_eq!(ask(TWO_LOOPS, "Pmax=? [ G F s=1 ] [fair]").0, "0");
}

#[test]
fn a_timelock_is_a_mistake_of_the_model() {
    let clock = |enabled: &str| {
        format!(
            "pta module m s:[0..1]; x:clock; invariant (s=0 => x<=2) endinvariant [] s=0 & {enabled} -> (s'=1); endmodule"
        )
    };
    assert!(ask(&clock("x>=3"), "Pmax=? [ F s=1 ]").0.contains("timelock"));
    assert_eq!(ask(&clock("x>=2"), "Pmax=? [ F s=1 ]").0, "1");
}

#[test]
fn nothing_and_certainty_are_told_from_what_is_near_them() {
    let chain = "dtmc module m s:[0..3]; [] s=0 -> 0.3:(s'=1)+0.7:(s'=2); [] s=1 -> (s'=3); [] s=2 -> (s'=3); [] s=3 -> true; endmodule";
    for (question, said) in [
        ("P>0 [ F<=1 s=3 ]", "fails"),
        ("P>=1 [ F<=2 s=3 ]", "holds"),
        ("P>=1 [ F P>0 [ F<=1 s=3 ] ]", "holds"),
    ] {
        let (found, report) = ask(chain, question);
        assert_eq!(found, said, "{question}");
        assert_eq!(report, Some(CheckReport::Accepted), "{question}");
    }
}
