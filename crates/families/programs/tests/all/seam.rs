//! Programs through the seam: what the app does with the family, without the app.

use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{Checker, Family, Input, Model, Options};
use entail_logic::Logic;
use entail_program::{ProgramEvidence, Run};
use entail_programs::FAMILY;
use entail_show::{Prominence, View};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value as Json, json};
use std::path::Path;

const HANDOVER: &str = "mtype = { data };
chan line = [1] of { mtype, byte };
byte got;
active proctype sender() { line!data,1; line!data,2; printf(\"sent\\n\") }
active proctype receiver() { byte x; end: do :: line?data,x -> got = x :: assert(got < 2) od }
ltl arrives { <> (got == 1) }
ltl stays { [] (got == 0) }
";

fn options(given: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in given {
        options.give(name, *value);
    }
    options
}

fn load(text: &str, options: &Options) -> Box<dyn Model> {
    let family: &'static Family = &FAMILY;
    let input = Input {
        name: "model.pml",
        path: Path::new("model.pml"),
        bytes: text.as_bytes(),
        language: &family.languages[0],
        options,
        budget: &Budget::unlimited(),
    };
    (family.load)(&input).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn decided(model: &dyn Model, property: usize, options: &Options) -> Answer {
    let mut session = model.open(options, false).expect("the options are right");
    let turns = model.schedule(property, options, false);
    let engine = turns[0].runners[0].engine;
    let answer = session.check(engine, property, &Budget::unlimited(), &Silent);
    answer.expect("the model has a meaning")
}

/// The answer as another process, or a later one, would have it.
fn carried(checker: &dyn Checker, property: usize, answer: &Answer) -> Answer {
    let evidence = answer.evidence.as_deref().expect("a decided answer has evidence");
    let mut document = Json::Object(answer.to_json());
    document["evidence"] = Json::Object(checker.to_saved_json(property, evidence));
    let text = document.to_string();
    let document: Json = serde_json::from_str(&text).expect("it was written so");
    let evidence = checker
        .evidence_from_json(property, &document)
        .expect("it was written so");
    Answer::from_json(&document, Some(evidence)).expect("it was written so")
}

#[test]
fn every_kind_of_evidence_is_accepted_after_it_was_carried_as_json() {
    let cases = [
        (HANDOVER, options(&[])),
        (HANDOVER, options(&[("fairness", "weak")])),
        (
            "byte x; active proctype p() { do :: x = 1 - x od } never { do :: true od }",
            options(&[]),
        ),
        (
            "byte x; active proctype p() { accept: do :: x = 1 - x od }",
            options(&[]),
        ),
        (
            "byte x; active proctype p() { do :: x == 0 -> x = 1; progress: x = 0 od }",
            options(&[]),
        ),
        ("byte x; active proctype p() { x = 1 / x }", options(&[])),
        ("byte x = 1 / 0; active proctype p() { skip }", options(&[])),
    ];
    let mut kinds = Vec::new();
    for (text, options) in cases {
        let model = load(text, &options);
        for property in 0..model.properties().len() {
            let answer = decided(&*model, property, &options);
            if answer.verdict == Verdict::Unknown {
                continue;
            }
            let mut checker = model.checker(&options).expect("the options are right");
            let read = carried(&*checker, property, &answer);
            assert_eq!(read.verdict, answer.verdict);
            assert_eq!(
                read.evidence_as::<ProgramEvidence>(),
                answer.evidence_as::<ProgramEvidence>()
            );
            let report = checker.check(property, &read, &Budget::unlimited());
            assert_eq!(report, CheckReport::Accepted, "{text}");
            kinds.push((
                answer.verdict.name(),
                read.evidence.map(|evidence| evidence.kind()),
            ));
        }
    }
    for kind in [("fails", "run"), ("holds", "ranked-set"), ("holds", "closed-set")] {
        assert!(kinds.contains(&(kind.0, Some(kind.1))), "{kinds:?}");
    }
    assert!(kinds.len() >= 9, "{kinds:?}");
}

#[test]
fn damaged_runs_are_rejected() {
    let options = options(&[("shortest", "")]);
    let model = load(HANDOVER, &options);
    for property in [0, 2] {
        let answer = decided(&*model, property, &options);
        let Some(ProgramEvidence::Run(run)) = answer.evidence_as() else {
            panic!("a run shows it: {answer:?}");
        };
        let mut checker = model.checker(&options).expect("the options are right");
        let damage = |change: &dyn Fn(&mut Run)| {
            let mut damaged = run.clone();
            change(&mut damaged);
            damaged
        };
        let mut damaged = vec![
            damage(&|run| run.steps[0].process ^= 1),
            damage(&|run| run.steps[0].edge = 7),
            damage(&|run| run.loop_start = Some(0)),
            damage(&|run| run.steps.clear()),
            Run::default(),
        ];
        // Of a shortest run to an error, every step is needed.
        if property == 0 {
            damaged.extend((0..run.steps.len()).map(|position| {
                damage(&|run| {
                    run.steps.remove(position);
                })
            }));
            damaged.push(damage(&|run| run.steps.extend(run.steps.last().copied())));
        }
        for run in damaged {
            let wrong = Answer::complete(Verdict::Fails, ProgramEvidence::Run(run.clone())).boxed();
            let report = checker.check(property, &wrong, &Budget::unlimited());
            assert!(report.is_rejected(), "{run:?}");
        }
        // The right run does not show the opposite, and a claim that everything was searched does not show a violation.
        let opposite = Answer::complete(Verdict::Holds, ProgramEvidence::Run(run.clone())).boxed();
        assert!(
            checker
                .check(property, &opposite, &Budget::unlimited())
                .is_rejected()
        );
        let bare = ProgramEvidence::Exhaustive { states: 3 };
        let bare = Answer::complete(Verdict::Fails, bare).boxed();
        assert!(checker.check(property, &bare, &Budget::unlimited()).is_rejected());
        let searched = ProgramEvidence::Exhaustive { states: 3 };
        let searched = Answer::complete(Verdict::Holds, searched).boxed();
        assert!(
            checker
                .check(property, &searched, &Budget::unlimited())
                .is_rejected()
        );
    }
}

#[test]
fn evidence_that_is_none_is_not_read() {
    let options = Options::default();
    let model = load(HANDOVER, &options);
    let checker = model.checker(&options).expect("the options are right");
    for evidence in [
        json!(null),
        json!({"kind": "invariant"}),
        json!({"kind": "exhaustive"}),
        json!({"kind": "closed-set", "states": 1}),
        json!({"kind": "closed-set", "states": 1, "set": "A"}),
        json!({"kind": "closed-set", "states": 1, "set": "!!!!"}),
        json!({"kind": "closed-set", "states": 2, "set": "AAEA"}),
        json!({"kind": "run"}),
        json!({"kind": "run", "trace": {"steps": [{"process": 300, "edge": 0}]}}),
        json!({"kind": "run", "trace": {"steps": [{"process": 0}]}}),
        json!({"kind": "run", "trace": {"steps": [], "loop_start": 1}}),
    ] {
        let document = json!({"evidence": evidence});
        assert!(checker.evidence_from_json(0, &document).is_err(), "{document}");
    }
}

#[test]
fn what_a_document_shows_of_a_run_must_be_what_the_run_does() {
    let options = Options::default();
    let model = load(HANDOVER, &options);
    let answer = decided(&*model, 0, &options);
    let checker = model.checker(&options).expect("the options are right");
    let evidence = answer.evidence.as_deref().expect("a run");
    let document = json!({"evidence": Json::Object(checker.to_json(0, evidence))});
    assert!(checker.evidence_from_json(0, &document).is_ok());
    for (place, wrong) in [
        ("/evidence/trace/steps/0/statement", json!("skip")),
        ("/evidence/trace/steps/1/line", json!(99)),
        ("/evidence/trace/steps/0/name", json!("nobody(0)")),
        ("/evidence/trace/initial/got", json!("1")),
        ("/evidence/trace/steps/0/changes", json!({"got": "7"})),
    ] {
        let mut damaged = document.clone();
        *damaged.pointer_mut(place).expect("it is there") = wrong;
        assert!(checker.evidence_from_json(0, &damaged).is_err(), "{place}");
    }
}

/// What is saved of a formula that holds is read back and accepted by the checker alone, with fairness where it needs that; with a letter changed it is not.
#[test]
fn saved_ranks_are_accepted_alone_and_not_if_they_are_damaged() {
    let text = "bit x; byte n; active proctype p() { do :: x = 1; n = (n + 1) % 40; x = 0 od }
        active proctype q() { do :: skip od } ltl again { [] <> (x == 1) }";
    let fair = options(&[("fairness", "weak")]);
    let model = load(text, &fair);
    let answer = decided(&*model, 1, &fair);
    assert_eq!(answer.verdict, Verdict::Holds);
    let mut checker = model.checker(&fair).expect("the options are right");
    let evidence = answer.evidence.as_deref().expect("ranks");
    assert_eq!(evidence.kind(), "ranked-set");
    let document = json!({"evidence": Json::Object(checker.to_saved_json(1, evidence))});
    let judge = |checker: &mut Box<dyn Checker + '_>, document: &Json| {
        let evidence = checker.evidence_from_json(1, document).ok()?;
        let mut again = Answer::unknown("");
        again.verdict = Verdict::Holds;
        again.evidence = Some(evidence);
        Some(checker.check(1, &again, &Budget::unlimited()))
    };
    assert_eq!(judge(&mut checker, &document), Some(CheckReport::Accepted));
    for key in ["set", "ranks"] {
        let text = document["evidence"][key].as_str().expect("a text").to_owned();
        let mut refused = 0;
        for at in (0..text.len() - 4).step_by(1 + text.len() / 40) {
            let letter = if &text[at..=at] == "A" { "B" } else { "A" };
            let mut damaged = document.clone();
            damaged["evidence"][key] = format!("{}{letter}{}", &text[..at], &text[at + 1..]).into();
            refused += u32::from(judge(&mut checker, &damaged) != Some(CheckReport::Accepted));
        }
        assert!(refused > 20, "{key}: {refused}");
    }
    // Without fairness the ranks show nothing.
    let mut unfair = document.clone();
    unfair["evidence"]["ranks"] = Json::Null;
    assert_eq!(judge(&mut checker, &unfair), None);
    let plain = Options::default();
    let mut checker = model.checker(&plain).expect("the options are right");
    assert!(judge(&mut checker, &document).is_some_and(|report| report.is_rejected()));
}

#[test]
fn what_is_too_large_for_the_budget_is_said_not_to_be_rechecked() {
    let text = "int x, y; active proctype p() { end: do :: x = x + 1 od } active proctype q() { end: do :: y = y + 1 od }";
    let options = Options::default();
    let model = load(text, &options);
    let claim = Answer::complete(Verdict::Holds, ProgramEvidence::Exhaustive { states: 9 }).boxed();
    let mut checker = model.checker(&options).expect("the options are right");
    let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_millis(50)));
    match checker.check(0, &claim, &budget) {
        CheckReport::Partly { unchecked } => {
            assert!(unchecked[0].contains("not searched again"), "{unchecked:?}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_wrong_option_is_refused() {
    for (name, value) in [
        ("storage", "shelf"),
        ("context-bound", "few"),
        ("threads", "0"),
        ("checkpoint-every", "later"),
        ("reduction", "some"),
    ] {
        let check = FAMILY.option(name).and_then(|option| option.check);
        assert!(
            check.is_some_and(|check| check(value).is_err()),
            "--{name} {value}"
        );
    }
    let model = load(HANDOVER, &Options::default());
    let wrong = options(&[("storage", "shelf")]);
    assert!(model.open(&wrong, false).is_err());
    let both = [("reduction", "persistent,sleep"), ("search", "dfs")];
    assert!(model.check_options(&[0], &options(&both[..1])).is_err());
    assert!(model.check_options(&[0], &options(&both)).is_ok());
    let checkpoint = options(&[("checkpoint", "search.checkpoint")]);
    assert!(model.check_options(&[0], &checkpoint).is_ok());
    assert!(model.check_options(&[0, 1], &checkpoint).is_err());
    assert!(model.check_options(&[1], &checkpoint).is_err());
    let missing = options(&[("resume", "there/is/no/such.checkpoint")]);
    assert!(model.check_options(&[0], &missing).is_err());
    for option in FAMILY.options {
        for other in option.conflicts {
            let other = FAMILY
                .option(other)
                .expect("conflicts are with options of the family");
            assert!(
                other.conflicts.contains(&option.name),
                "{} and {}",
                option.name,
                other.name
            );
        }
    }
}

#[test]
fn the_preprocessor_is_told_macros_and_added_formulas_are_decided() {
    let options = options(&[("define", "N=2")]);
    let mut model = load(
        "byte x; active proctype p() { do :: x < N -> x++ :: else -> break od }",
        &options,
    );
    let property = model.add_property("<> (x == N)", None).expect("it is a formula");
    assert_eq!(model.properties()[property].logic, Logic::Ltl);
    assert_eq!(decided(&*model, property, &options).verdict, Verdict::Holds);
    assert!(model.add_property("<> (x ==", None).is_err());
    assert!(model.add_property("nu X. X", Some(Logic::Mu)).is_err());
}

#[test]
fn fairness_is_a_setting_of_saved_documents() {
    let model = load(HANDOVER, &Options::default());
    for given in [&[][..], &[("fairness", "none")], &[("fairness", "weak")]] {
        let settings = model.settings(&options(given));
        let read = model.options_of(&Json::Object(settings.clone()));
        assert_eq!(model.settings(&read.expect("it was written so")), settings);
    }
    assert!(model.options_of(&json!({"fairness": "strong"})).is_err());
}

#[test]
fn a_run_is_shown_as_a_timeline_a_chart_and_in_the_source() {
    let options = Options::default();
    let model = load(HANDOVER, &options);
    let answer = decided(&*model, 0, &options);
    let checker = model.checker(&options).expect("the options are right");
    let shown = checker.show(0, &answer);
    let timeline = shown.timeline().expect("a run is a timeline");
    assert_eq!(
        timeline.moves.len(),
        timeline.positions,
        "the last step goes wrong"
    );
    assert_eq!(timeline.keys.len(), timeline.positions);
    assert_eq!(timeline.ending, ["assertion violated"]);
    let got = timeline.columns.iter().find(|column| column.name == "got");
    let got = got.expect("variables are columns");
    assert_eq!(
        (got.value(0), got.value(timeline.positions - 1)),
        (Some("0"), Some("2"))
    );
    let views: Vec<(Prominence, &View)> = (shown.exhibits.iter())
        .map(|exhibit| (exhibit.prominence, &exhibit.view))
        .collect();
    let chart = views.iter().find_map(|(prominence, view)| match view {
        View::Sequence(chart) => Some((*prominence, chart)),
        _ => None,
    });
    let (prominence, chart) = chart.expect("there is a chart");
    assert_eq!(prominence, Prominence::Report);
    assert_eq!(chart.arrows[0].channel, "line");
    assert_eq!(chart.arrows[0].message, "data,1");
    assert!(chart.arrows.iter().all(|arrow| arrow.to.is_some()));
    let source = views.iter().find_map(|(_, view)| match view {
        View::Source(source) => Some(source),
        _ => None,
    });
    assert!(source.is_some_and(|source| source.marks.iter().any(|mark| mark.line == 4)));
    let trail = checker.export(0, &answer, "trail").expect("there are trails");
    assert!(trail.is_ok());
    assert_eq!(checker.details(0, &answer)["reduction"]["used"], true);
}

#[test]
fn the_states_of_a_run_are_found_in_the_state_graph() {
    let options = Options::default();
    let model = load(HANDOVER, &options);
    let graph = model
        .graph(1_000, &Budget::unlimited())
        .expect("there are graphs");
    let graph = graph.expect("it is small");
    let answer = decided(&*model, 2, &options);
    let shown = model
        .checker(&options)
        .expect("the options are right")
        .show(2, &answer);
    let timeline = shown.timeline().expect("a run is a timeline");
    assert!(timeline.keys.iter().all(|&key| graph.find(key).is_some()));
    assert!(
        model
            .graph(2, &Budget::unlimited())
            .is_some_and(|graph| graph.is_err())
    );
}

#[test]
fn a_walk_goes_on_comes_back_and_is_resumed() {
    let options = Options::default();
    let model = load(HANDOVER, &options);
    let open = || model.walk(&options).expect("there are walks").expect("it begins");
    let budget = Budget::unlimited();
    let mut walk = open();
    assert_eq!(walk.choices(10, &budget).len(), 1);
    walk.take(0);
    assert_eq!(walk.steps(), 0);
    let first = walk.choices(10, &budget);
    assert!(
        first.iter().any(|choice| choice.contains("sender(0)")),
        "{first:?}"
    );
    walk.take(0);
    assert_eq!(walk.steps(), 1);
    walk.back(5);
    assert_eq!((walk.steps(), walk.choices(10, &budget)), (0, first));
    let mut random = StdRng::seed_from_u64(3);
    while walk.take_at_random(&mut random, &budget) {}
    assert!(!walk.ending().is_empty() && walk.has_failed());
    let mut other = open();
    other.resume(&walk.to_json()).expect("it is a walk of this model");
    assert_eq!(
        (other.steps(), other.state(), other.ending()),
        (walk.steps(), walk.state(), walk.ending())
    );
    assert!(walk.export("trail").is_some_and(|trail| trail.is_ok()));
    assert!(
        other
            .resume(&json!({"trace": {"steps": [{"process": 9, "edge": 0}]}}))
            .is_err()
    );
}
