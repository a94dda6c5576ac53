//! The worked examples of the Handbook of Model Checking, by chapter, as SMV models: every engine must give the known answer, and
//! the checkers must accept its evidence.

mod ch02;
mod ch03;
mod ch13;
mod surveys;

use entail::{Language, Model, Rechecking, Request, Slicing};
use entail_budget::Silent;
use entail_evidence::{CheckOptions, CheckReport, Round, Verdict};
use entail_source::Source;

/// What a property is expected to be, by its name.
pub use Verdict::{Fails, Holds};

fn read(text: &str) -> Model {
    match Model::read(Source::new("example.smv", text), Language::Smv) {
        Ok(model) => model,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Checks named properties with every engine.
pub fn expect(text: &str, expected: &[(&str, Verdict)]) {
    let model = read(text);
    for engine in entail::engine_names() {
        let request = Request {
            properties: (0..model.properties().len()).collect(),
            engine: Some(engine.to_owned()),
            // Bounded search goes on for ever where there is nothing to find.
            options: CheckOptions {
                bound: is_bounded(engine).then_some(ENOUGH_STEPS),
                ..CheckOptions::default()
            },
            // Those that decide only some questions need not decide these.
            property_timeout: engine_is_partial(engine).then_some(std::time::Duration::from_secs(5)),
            rechecking: Rechecking::ToTheEnd,
            ..Request::default()
        };
        let answers = entail::check(&model, &request, &Silent, |_| {})
            .unwrap_or_else(|failure| panic!("{engine}: {failure}\n{text}"));
        assert_eq!(
            answers.len(),
            expected.len(),
            "the model has as many properties as are expected"
        );
        for (name, verdict) in expected {
            let named = |position: usize| model.properties()[position].name.as_deref() == Some(name);
            let answer = answers.iter().find(|answer| named(answer.property));
            let answer = answer.unwrap_or_else(|| panic!("there is no property {name}"));
            let unsupported = engine_is_partial(engine) && answer.outcome.verdict == Verdict::Unknown;
            assert!(
                unsupported || answer.outcome.verdict == *verdict,
                "{engine} says {name} {:?} ({:?}), expected {verdict:?}",
                answer.outcome.verdict,
                answer.outcome.reason
            );
            assert!(
                unsupported || answer.checked == Some(CheckReport::Accepted),
                "{engine}'s evidence for {name}: {:?}",
                answer.checked
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
        .add_property("AG TRUE")
        .unwrap_or_else(|error| panic!("{error}"));
    let request = Request {
        properties: vec![position],
        engine: Some("explicit".to_owned()),
        slicing: Slicing::Whole,
        ..Request::default()
    };
    let answers =
        entail::check(&model, &request, &Silent, |_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    answers[0]
        .outcome
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
        engine: Some("explicit".to_owned()),
        ..Request::default()
    };
    let answers =
        entail::check(&model, &request, &Silent, |_| {}).unwrap_or_else(|failure| panic!("{failure}"));
    match answers[0]
        .outcome
        .evidence
        .as_ref()
        .expect("a decided property has evidence")
    {
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
        engine: Some(engine.to_owned()),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    let answers = entail::check(&model, &request, &Silent, |_| {})
        .unwrap_or_else(|failure| panic!("{engine}: {failure}\n{text}"));
    let answer = &answers[0];
    if answer.outcome.verdict != Verdict::Unknown {
        assert_eq!(answer.checked, Some(CheckReport::Accepted), "{engine}\n{text}");
    }
    (answer.outcome.verdict, answer.outcome.rounds.clone())
}
