//! The reader that `CONTRIBUTING.md` shows in its walk to a new language: it is built here, reads the machine shown there, and is the same text.

mod fsm;

use entail_logic::Question;
use entail_source::Source;

const LIGHTS: &str = "begin red            # the first state
red green            # a step
green yellow
yellow red
never yellow         # an invariant: this state is not reached
";

#[test]
fn the_reader_is_the_one_that_is_shown() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let shown = std::fs::read_to_string(root.join("CONTRIBUTING.md")).expect("it is there");
    assert!(
        shown.contains(include_str!("fsm.rs")),
        "CONTRIBUTING.md and tests/language_walk/fsm.rs differ"
    );
    assert!(shown.contains(LIGHTS));
}

#[test]
fn the_machine_that_is_shown_is_read() {
    let model = fsm::read(&Source::new("lights.fsm", LIGHTS)).expect("a machine");
    let graph = model.system.unfold(&[], 100).expect("three states");
    assert_eq!(graph.states.len(), 3);
    assert_eq!(model.properties.len(), 1);
    assert!(matches!(model.properties[0].question, Question::Invariant(_)));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let source = Source::new("wrong.fsm", "begin red\nred green blue\n");
    let problems = fsm::read(&source).expect_err("it is wrong");
    assert_eq!(problems.0[0].code, "fsm::line");
    assert_eq!(source.place(problems.0[0].labels[0].span.start).line, 2);
    let nowhere = fsm::read(&Source::new("empty.fsm", "")).expect_err("it is empty");
    assert_eq!(nowhere.0[0].code, "fsm::begin");
}
