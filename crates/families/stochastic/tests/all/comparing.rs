//! Comparing models from their texts: related or told apart, saved and judged again, refused with a reason.

use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_family::{Beside, Input, Model, Options};
use entail_stochastic::FAMILY;
use serde_json::Value as Json;
use std::path::Path;

fn read(name: &str, text: &str) -> Box<dyn Model> {
    let path = Path::new(name);
    let language = (FAMILY.languages.iter())
        .find(|language| language.claims(path, None))
        .expect("a language");
    let input = Input {
        name,
        path,
        bytes: text.as_bytes(),
        language,
        options: &Options::default(),
        budget: &Budget::unlimited(),
    };
    match (FAMILY.load)(&input) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

fn compared(first: &str, second: &str) -> Result<Beside, String> {
    let (first, second) = (read("first.prism", first), read("second.prism", second));
    let beside = first.beside(&*second, "strong", &Budget::unlimited());
    beside.expect("probabilistic models are compared by strong bisimulation")
}

const COIN: &str =
    "dtmc module m s:[0..2] init 0; [] s=0 -> 1/2:(s'=1) + 1/2:(s'=2); endmodule label \"heads\" = s=1;";
/// The same coin from two throws that do not count.
const THROWN: &str = "dtmc module m s:[0..4] init 0; [] s=0 -> 1/4:(s'=1) + 1/4:(s'=2) + 1/4:(s'=3) + 1/4:(s'=4); endmodule label \"heads\" = s<=2 & s>0;";
const BENT: &str =
    "dtmc module m s:[0..2] init 0; [] s=0 -> 2/5:(s'=1) + 3/5:(s'=2); endmodule label \"heads\" = s=1;";

#[test]
fn a_coin_is_like_two_throws_and_unlike_a_bent_one() {
    let same = compared(COIN, THROWN).expect("compared");
    assert_eq!((same.related, same.check), (Ok(true), CheckReport::Accepted));
    assert_eq!(same.sizes, [(3, 4), (5, 8)]);
    let other = compared(COIN, BENT).expect("compared");
    assert_eq!((other.related, other.check), (Ok(false), CheckReport::Accepted));
    assert_eq!(
        other.details["formula"],
        serde_json::json!(["P>=1/2 [ X \"heads\" ]"])
    );
    assert_eq!(other.details["holds_in"], "first");
}

#[test]
fn saved_evidence_is_judged_again_and_rejected_for_other_models() {
    let budget = Budget::unlimited();
    let evidence = |first: &str, second: &str| -> Json {
        let beside = compared(first, second).expect("compared");
        beside.evidence.expect("an answer")
    };
    let judged = |first: &str, second: &str, evidence: &Json| {
        let (first, second) = (read("first.prism", first), read("second.prism", second));
        let beside = first.beside_again(&*second, "strong", evidence, &budget);
        beside.expect("a relation").map(|beside| beside.check)
    };
    let (alike, apart) = (evidence(COIN, THROWN), evidence(COIN, BENT));
    assert_eq!(judged(COIN, THROWN, &alike), Ok(CheckReport::Accepted));
    assert_eq!(judged(COIN, BENT, &apart), Ok(CheckReport::Accepted));
    assert!(judged(COIN, BENT, &alike).expect("judged").is_rejected());
    assert!(judged(COIN, THROWN, &apart).expect("judged").is_rejected());
    assert!(judged(COIN, COIN, &apart).expect("judged").is_rejected());
    assert!(judged(COIN, BENT, &Json::Null).is_err());
}

#[test]
fn what_cannot_be_compared_is_said() {
    let wanted = |first: &str, second: &str, reason: &str| match compared(first, second) {
        Err(told) => assert!(told.contains(reason), "{told}"),
        Ok(_) => panic!("compared"),
    };
    wanted(COIN, &COIN.replace("heads", "tails"), "\"heads\"");
    wanted(COIN, &COIN.replace("dtmc", "ctmc"), "continuous time");
    let earning = format!("{COIN} rewards \"r\" s=1 : 2; endrewards");
    wanted(&earning, COIN, "\"r\"");
    wanted(COIN, &earning, "\"r\"");
    // Rewards tell models apart that are alike but for them.
    let more = format!("{COIN} rewards \"r\" s=1 : 3; endrewards");
    let told = compared(&earning, &more).expect("compared");
    assert_eq!((told.related, told.check), (Ok(false), CheckReport::Accepted));
    // A model with choices is like a chain if all choices are the same.
    let choices = COIN
        .replace("dtmc", "mdp")
        .replace("[] s=0", "[a] s=0 -> 1/2:(s'=2) + 1/2:(s'=1); [] s=0");
    assert_eq!(compared(COIN, &choices).expect("compared").related, Ok(true));
    // No other relation has a meaning.
    let model = read("first.prism", COIN);
    assert!(model.beside(&*model, "weak", &Budget::unlimited()).is_none());
}
