//! The worked examples of the Handbook of Model Checking, by chapter, as SMV models: every engine must give the known answer, and
//! the checkers must accept its evidence.

mod ch02;
mod ch03;
mod ch13;
mod ch28;
mod surveys;

#[path = "../../crates/app/entail/tests/all/asked/mod.rs"]
mod asked;

use entail::run::{Rechecking, Request};
use entail_answer::{CheckReport, Round, Verdict};
use entail_evidence::DeadEnds;
use entail_family::Model;

/// What a property is expected to be, by its name.
pub use Verdict::{Fails, Holds};

fn read(text: &str) -> Box<dyn Model> {
    asked::model(text)
}

/// Checks named properties with every engine.
pub fn expect(text: &str, expected: &[(&str, Verdict)]) {
    let mut model = read(text);
    for engine in asked::engine_names() {
        let request = Request {
            properties: (0..model.properties().len()).collect(),
            engine: Some(engine),
            // Bounded search goes on for ever where there is nothing to find.
            options: asked::options(DeadEnds::Infinite, is_bounded(engine).then_some(ENOUGH_STEPS)),
            // Those that decide only some questions need not decide these.
            property_timeout: engine_is_partial(engine).then_some(std::time::Duration::from_secs(1)),
            rechecking: Rechecking::ToTheEnd,
            ..Request::default()
        };
        let answers =
            asked::check(&*model, &request).unwrap_or_else(|failure| panic!("{engine}: {failure}\n{text}"));
        assert_eq!(
            answers.len(),
            expected.len(),
            "the model has as many properties as are expected"
        );
        for (name, verdict) in expected {
            let named = |position: usize| model.properties()[position].name.as_deref() == Some(name);
            let answer = answers.iter().find(|(decided, _)| named(decided.property));
            let (answer, document) = answer.unwrap_or_else(|| panic!("there is no property {name}"));
            let unsupported = engine_is_partial(engine) && answer.answer.verdict == Verdict::Unknown;
            assert!(
                unsupported || answer.answer.verdict == *verdict,
                "{engine} says {name} {:?} ({:?}), expected {verdict:?}",
                answer.answer.verdict,
                answer.answer.reason
            );
            if unsupported {
                continue;
            }
            // An engine with a time limit may have left its checker too little of it: then what it would have saved is checked without one.
            let checked = match &answer.checked {
                Some(CheckReport::Partly { .. }) if engine_is_partial(engine) => Some(
                    asked::recheck(&mut *model, document)
                        .unwrap_or_else(|error| panic!("{engine}, {name}: {error}")),
                ),
                checked => checked.clone(),
            };
            assert_eq!(
                checked,
                Some(CheckReport::Accepted),
                "{engine}'s evidence for {name}"
            );
        }
    }
}

/// The handbook's counterexamples are shorter.
const ENOUGH_STEPS: u64 = 15;

/// Engines on circuits, which a bound stops where there is nothing to find. Abstraction is about paths of any length.
fn is_bounded(engine: &str) -> bool {
    engine_is_partial(engine) && !matches!(engine, "cegar" | "predicates" | "abstract")
}

/// Engines that decide only some questions by design.
fn engine_is_partial(engine: &str) -> bool {
    !matches!(engine, "explicit" | "bdd")
}

/// The number of reachable states, as the explicit engine counts them for an invariant that holds.
pub fn reachable_states(text: &str) -> u64 {
    let mut model = read(text);
    let position = model
        .add_property("AG TRUE", None)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut whole = asked::options(DeadEnds::Infinite, None);
    whole.give("whole", "");
    let request = Request {
        properties: vec![position],
        engine: asked::engine("explicit"),
        options: whole,
        ..Request::default()
    };
    let answers = asked::check(&*model, &request).unwrap_or_else(|failure| panic!("{failure}"));
    answers[0]
        .0
        .answer
        .statistics
        .states()
        .expect("the explicit engine counts states")
}

/// The length of the path that shows a named property's verdict.
pub fn witness_length(text: &str, name: &str) -> usize {
    use entail_evidence::{Because, Evidence};
    let model = read(text);
    let position = model
        .properties()
        .iter()
        .position(|property| property.name.as_deref() == Some(name));
    let request = Request {
        properties: vec![position.expect("a property of this name")],
        engine: asked::engine("explicit"),
        ..Request::default()
    };
    let answers = asked::check(&*model, &request).unwrap_or_else(|failure| panic!("{failure}"));
    let evidence = answers[0].0.answer.evidence_as::<Evidence>();
    match evidence.expect("a decided property has evidence") {
        Evidence::Trace(trace) => trace.length(),
        Evidence::Explanation(tree) => match &tree.because {
            Because::Path(witness) => witness.trace.length(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// The answer of one engine to a model's first property, with the rounds of abstraction it took; its evidence is accepted.
pub fn rounds(text: &str, engine: &str) -> (Verdict, Vec<Round>) {
    let model = read(text);
    let request = Request {
        properties: vec![0],
        engine: asked::engine(engine),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    let answers =
        asked::check(&*model, &request).unwrap_or_else(|failure| panic!("{engine}: {failure}\n{text}"));
    let answer = &answers[0].0;
    if answer.answer.verdict != Verdict::Unknown {
        assert_eq!(answer.checked, Some(CheckReport::Accepted), "{engine}\n{text}");
    }
    (answer.answer.verdict, answer.answer.rounds.clone())
}
