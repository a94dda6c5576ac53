//! Sampling as users ask for it: by name, with what the answer says about it.

use entail_answer::{Answer, Guarantee, Quantity, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_markov::to_float;
use entail_stochastic::FAMILY;
use std::path::Path;

/// A walk that hardly ever gets to the top.
const WALK: &str = r#"
dtmc
module m
  x : [0..9] init 1;
  [] x>0 & x<9 -> 0.2 : (x'=x+1) + 0.8 : (x'=x-1);
endmodule
"#;

fn ask(question: &str, engine: &str, given: &[(&str, &str)]) -> Result<Answer, String> {
    let mut options = Options::default();
    for (name, value) in given {
        options.give(name, *value);
    }
    let path = Path::new("walk.pm");
    let language = (FAMILY.languages.iter()).find(|language| language.claims(path, None));
    let budget = Budget::unlimited();
    let input = Input {
        name: "walk.pm",
        path,
        bytes: WALK.as_bytes(),
        language: language.expect("a language"),
        options: &options,
        budget: &budget,
    };
    let mut model = (FAMILY.load)(&input).map_err(|error| error.to_string())?;
    let property = model
        .add_property(question, None)
        .map_err(|error| error.to_string())?;
    let mut session = model.open(&options, false).map_err(|error| error.0)?;
    (session.check(engine, property, &budget, &Silent)).map_err(|error| error.message)
}

fn interval(answer: &Answer) -> (f64, f64) {
    match &answer.value {
        Some(Quantity::Between(low, high)) => (to_float(low), to_float(high)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn splitting_finds_what_exploring_finds_and_says_that_it_is_an_estimate() {
    let exact = ask("P=? [ F x=9 ]", "exact", &[]).expect("explored");
    let Some(Quantity::Exact(exact)) = &exact.value else {
        panic!("{:?}", exact.value)
    };
    let exact = to_float(exact);
    assert!(exact < 2e-5, "{exact}");
    for importance in [None, Some("x"), Some("min(x,5)")] {
        let mut given = vec![("estimator", "splitting")];
        given.extend(importance.map(|expr| ("importance", expr)));
        let answer = ask("P=? [ F x=9 ]", "statistical", &given).expect("estimated");
        let (low, high) = interval(&answer);
        assert!(
            low <= exact && exact <= high && high <= 1.3 * low,
            "{low} {high} {exact}"
        );
        assert!(
            matches!(answer.guarantee, Guarantee::Statistical { error: Some(error), .. } if error < 1e-5)
        );
        assert!(answer.statistics.get("levels").is_some() && answer.reason.is_some());
    }
    let given = [("estimator", "splitting")];
    let bound = |question: &str| ask(question, "statistical", &given).expect("tested").verdict;
    assert_eq!(bound("P<=1e-3 [ F x=9 ]"), Verdict::Holds);
    assert_eq!(bound("P>=1e-3 [ F x=9 ]"), Verdict::Fails);
}

#[test]
fn importance_is_a_number_and_goes_with_splitting() {
    let ask =
        |given: &[(&str, &str)]| ask("P=? [ F x=9 ]", "statistical", given).map(|answer| answer.verdict);
    let wrong = ask(&[("estimator", "splitting"), ("importance", "x>3")]);
    assert!(wrong.is_err_and(|error| error.contains("number")));
    let unknown = ask(&[("estimator", "splitting"), ("importance", "y+1")]);
    assert!(unknown.is_err_and(|error| error.contains('y')));
    let alone = ask(&[("importance", "x")]);
    assert!(alone.is_err_and(|error| error.contains("splitting")));
}
