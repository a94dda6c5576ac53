//! What verdicts depend on is read back from saved evidence as it was given.

use entail_budget::Budget;
use entail_family::{Input, Language, Options};
use entail_realtime::FAMILY;
use std::path::Path;

const TEXT: &str = "clock x;\nprocess P() { state A { x <= 1 && cost' == 2 }; init A; trans A -> A { assign x = 0; }; }\nsystem P;";

#[test]
fn options_that_verdicts_depend_on_come_back_from_settings() {
    let language: &'static Language = (FAMILY.languages.iter())
        .find(|language| language.name == "uppaal")
        .expect("a language of this kind");
    for (name, value) in [
        ("optimal", "time"),
        ("optimal", "cost"),
        ("optimal", "ratio"),
        ("time-divergent", ""),
        ("energy", "-3,10,weak"),
        ("credit", "7/2"),
    ] {
        let (mut options, budget) = (Options::default(), Budget::unlimited());
        options.give(name, value);
        let input = Input {
            name: "m.xta",
            path: Path::new("m.xta"),
            bytes: TEXT.as_bytes(),
            language,
            options: &options,
            budget: &budget,
        };
        let model = (FAMILY.load)(&input).expect("a model");
        let saved = model.settings(&options).into();
        let again = model.options_of(&saved).expect("what was written");
        assert!(again.has(name), "{name} {value}");
        assert_eq!(again.value(name), options.value(name), "{name} {value}");
    }
}
