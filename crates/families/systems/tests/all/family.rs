//! The family through the seam: evidence of every kind survives being written and read, mistakes are told with their places, and what people
//! see fits together.

use crate::asking;
use asking::{Judged, answers, load, load_with, options};
use entail_answer::{Answer, CheckReport, Verdict, WarningKind};
use entail_budget::{Budget, Silent};
use entail_evidence::json::evidence_to_json;
use entail_evidence::{Evidence, LivenessCertificate};
use entail_family::{Handover, LoadError, Model, Options, StructureError, SurveyWish, Thoroughness};
use entail_logic::Logic;
use entail_show::{Prominence, Support, Timeline, View};
use entail_systems::FAMILY;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// A counter with an input, a define and a word; `noise` is beside the point of every property.
const COUNTER: &str = "MODULE main
VAR n : 0..5; w : unsigned word[4]; noise : 0..3; noise2 : 0..3;
IVAR go : boolean;
DEFINE even := n mod 2 = 0;
ASSIGN
  init(n) := 0; next(n) := go & n < 4 ? n + 1 : n;
  init(w) := 0ud4_0; next(w) := w + 0ud4_1;
  init(noise) := 0; next(noise) := {noise, (noise + 1) mod 4};
  init(noise2) := 0; next(noise2) := {noise, noise2};
INVARSPEC n < 5;
INVARSPEC n < 3 & w >= 0ud4_0;
LTLSPEC F n = 4;
LTLSPEC G F w = 0ud4_0;
CTLSPEC AG (n < 4 -> EF (n = 4 & AG n = 4));
CTLSPEC AG (n = 2 -> AX n = 3);
CTLSPEC AG n < 5;
COMPUTE MIN [n = 0, n = 4];
CTLSPEC AG (n = 4 -> AX n = 4);
";

fn saved(model: &dyn Model, property: usize, evidence: &dyn entail_answer::Evidence) -> Json {
    let given = Options::default();
    let checker = model.checker(&given).expect("no options");
    // Through text, as races and files take it.
    let text = json!({"evidence": checker.to_saved_json(property, evidence)}).to_string();
    serde_json::from_str(&text).expect("JSON")
}

/// Writes and reads evidence: what comes back is of the same kind and accepted.
fn survives(model: &dyn Model, property: usize, answer: &Answer) -> String {
    let given = Options::default();
    let mut checker = model.checker(&given).expect("no options");
    let evidence = answer.evidence.as_deref().expect("a verdict has evidence");
    let document = saved(model, property, evidence);
    let read = checker
        .evidence_from_json(property, &document)
        .unwrap_or_else(|error| panic!("{error}\n{document}"));
    assert_eq!(read.kind(), evidence.kind());
    let kind = read.kind();
    let mut again: Answer = answer.bare().map(|never| match never {});
    again.evidence = Some(read);
    let report = checker.check(property, &again, &Budget::unlimited());
    assert!(report.is_accepted(), "{kind} of property {property}: {report}");
    let own = answer.evidence_as::<Evidence>().expect("this family's");
    let named = match own {
        Evidence::Abstraction(proof) => match proof.abstraction {
            entail_evidence::Abstracted::Weakened(_) => "abstraction by leaving out",
            entail_evidence::Abstracted::Observed(_) => "abstraction by predicates",
        },
        _ => kind,
    };
    named.to_owned()
}

#[test]
fn evidence_of_every_kind_survives_and_is_accepted_after_it() {
    let model = load(COUNTER.as_bytes(), "smv");
    let mut kinds = BTreeSet::new();
    for engine in FAMILY.engines {
        let given = match engine.name {
            "bmc" => options(&[("bound", "12")]),
            _ => Options::default(),
        };
        let all = 0..model.properties().len();
        for (property, Judged { answer, report }) in answers(&*model, engine.name, all, &given)
            .expect("a meaning")
            .iter()
            .enumerate()
        {
            if answer.verdict != Verdict::Unknown {
                assert!(
                    report.is_accepted(),
                    "{}, property {property}: {report}",
                    engine.name
                );
                kinds.insert(survives(&*model, property, answer));
            }
        }
    }
    for kind in [
        "trace",
        "lasso",
        "tree",
        "exhaustive",
        "invariant",
        "k-liveness",
        "abstraction by leaving out",
        "abstraction by predicates",
        "modal",
    ] {
        assert!(
            kinds.contains(kind),
            "no engine gave evidence of kind {kind}: {kinds:?}"
        );
    }
}

/// Where evidence is to be saved, searches of single states come with sets of states, and with ranks for formulas about all paths; both survive, and are rejected if a letter is changed.
#[test]
fn searches_come_with_sets_of_states_where_evidence_is_saved() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let mut kinds = BTreeSet::new();
    for property in 0..model.properties().len() {
        let mut session = model.open(&given, false).expect("no options");
        session.set_thoroughness(Thoroughness::Whole);
        let answer = session.check("explicit", property, &Budget::unlimited(), &Silent);
        let answer = answer.expect("a meaning");
        let kind = survives(&*model, property, &answer);
        if answer.verdict == Verdict::Holds && kind.ends_with("-set") {
            let evidence = answer.evidence.as_deref().expect("evidence");
            let document = saved(&*model, property, evidence);
            let text = document["evidence"]["set"].as_str().expect("a text").to_owned();
            let mut checker = model.checker(&given).expect("no options");
            for at in (4..text.len() - 4).step_by(1 + text.len() / 20) {
                let letter = if &text[at..=at] == "A" { "B" } else { "A" };
                let mut damaged = document.clone();
                damaged["evidence"]["set"] = format!("{}{letter}{}", &text[..at], &text[at + 1..]).into();
                let Ok(read) = checker.evidence_from_json(property, &damaged) else {
                    continue;
                };
                let mut again: Answer = answer.bare().map(|never| match never {});
                again.evidence = Some(read);
                let report = checker.check(property, &again, &Budget::unlimited());
                assert!(!report.is_accepted(), "property {property}, letter {at}");
            }
        }
        kinds.insert(kind);
    }
    assert!(
        kinds.contains("closed-set") && kinds.contains("ranked-set"),
        "{kinds:?}"
    );
}

#[test]
fn reports_show_evidence_as_they_always_did() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let checker = model.checker(&given).expect("no options");
    let judged = answers(&*model, "ic3", [0, 1], &given).expect("a meaning");
    let invariant = judged[0].answer.evidence.as_deref().expect("evidence");
    let shown = checker.to_json(0, invariant);
    assert_eq!(shown["kind"], "invariant");
    assert!(shown.contains_key("formula") && !shown.contains_key("nodes"));
    let trace = judged[1].answer.evidence.as_deref().expect("evidence");
    assert_eq!(checker.to_json(1, trace)["trace"]["inputs"], json!(["go"]));
    assert_eq!(
        checker.details(1, &judged[1].answer),
        *json!({"violated": ["n < 3"]}).as_object().expect("an object")
    );
    assert!(checker.details(0, &judged[0].answer).is_empty());
}

#[test]
fn a_wrong_option_is_refused() {
    let model = load(COUNTER.as_bytes(), "smv");
    for wrong in [
        [("dead-ends", "forgotten")],
        [("bound", "many")],
        [("reorder", "twice")],
        [("order", "not-read.ord")],
        [("abstract", "not-read.abs")],
    ] {
        let given = options(&wrong);
        assert!(model.open(&given, false).is_err(), "{wrong:?}");
    }
    assert!(model.checker(&options(&[("dead-ends", "forgotten")])).is_err());
    let top = load_with(COUNTER.as_bytes(), "smv", &options(&[("top", "main")]));
    assert!(matches!(top, Err(LoadError::Usage(_))));
    let absent = load_with(
        COUNTER.as_bytes(),
        "smv",
        &options(&[("order", "/not/there.ord")]),
    );
    assert!(matches!(absent, Err(LoadError::Unreadable { .. })));
    // The forms of values are checked before anything is read.
    let check = FAMILY
        .option("bound")
        .and_then(|option| option.check)
        .expect("a check");
    assert!(check("7").is_ok() && check("seven").is_err());
}

#[test]
fn every_option_names_engines_and_options_that_there_are() {
    for option in FAMILY.options {
        for engine in option.engines {
            assert!(FAMILY.engine(engine).is_some(), "{}: {engine}", option.name);
        }
        for other in option.conflicts {
            assert!(FAMILY.option(other).is_some(), "{}: {other}", option.name);
        }
    }
}

#[test]
fn mistakes_in_added_properties_have_places() {
    let mut model = load(COUNTER.as_bytes(), "smv");
    let before = model.properties().len();
    for (text, logic, place) in [
        ("G (n < 5 & m = 1)", None, "m"),
        ("AG n <", None, ""),
        ("nu X. \"m = 1\" & <> X", Some(Logic::Mu), "m"),
        ("nu X. (n0 & ", Some(Logic::Mu), ""),
        ("mu X. \"F n = 1\"", Some(Logic::Mu), "F n = 1"),
    ] {
        let Err(LoadError::Invalid {
            source_text,
            diagnostics,
        }) = model.add_property(text, logic)
        else {
            panic!("{text} was accepted");
        };
        let span = diagnostics.0[0].span();
        assert!(span.end <= source_text.text().len(), "{text}: {span:?}");
        if !place.is_empty() {
            assert_eq!(source_text.slice(span), place, "{text}");
        }
    }
    let foreign = model.add_property("true", Some(Logic::NeverClaim));
    assert!(matches!(foreign, Err(LoadError::Usage(_))));
    assert_eq!(model.properties().len(), before);
    let added = model
        .add_property("nu X. \"n < 5\" & [] X", Some(Logic::Mu))
        .expect("right");
    assert_eq!(added, before);
    let heading = &model.properties()[added];
    assert_eq!(
        (heading.logic, &*heading.text),
        (Logic::Mu, "nu X. \"n < 5\" & [] X")
    );
    let judged = answers(&*model, "bdd", [added], &Options::default()).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Holds);
}

#[test]
fn a_property_added_after_a_session_is_asked_of_the_grown_model() {
    let mut model = load(COUNTER.as_bytes(), "smv");
    assert_eq!(
        answers(&*model, "bdd", [0], &Options::default())
            .expect("a meaning")
            .len(),
        1
    );
    let added = model.add_property("AG noise2 < 3", None).expect("right");
    let judged = answers(&*model, "bdd", [added], &Options::default()).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Fails);
}

/// `x` may stay false for ever, but compassion forbids that.
const COMPASSIONATE: &str = "MODULE main
VAR x : boolean; y : boolean;
ASSIGN init(x) := FALSE; init(y) := FALSE; next(y) := !y;
COMPASSION (y, x);
LTLSPEC F x;
CTLSPEC AF x;
";

#[test]
fn branching_time_ignores_compassion_and_its_evidence_may_not_use_it() {
    let model = load(COMPASSIONATE.as_bytes(), "smv");
    let given = Options::default();
    for engine in ["explicit", "bdd"] {
        let judged = answers(&*model, engine, [0, 1], &given).expect("a meaning");
        assert_eq!(judged[0].answer.verdict, Verdict::Holds, "{engine}");
        assert_eq!(judged[1].answer.verdict, Verdict::Fails, "{engine}");
        let told = |answer: &Answer| {
            let mut warnings = answer.warnings.iter();
            warnings.any(|warning| warning.text.contains("COMPASSION"))
        };
        assert!(!told(&judged[0].answer) && told(&judged[1].answer), "{engine}");
    }
    // The proof of linear time needs compassion: it is no proof of the formula of branching time.
    let judged = answers(&*model, "ic3", [0], &given).expect("a meaning");
    let proof = &judged[0].answer;
    let Some(Evidence::Liveness(LivenessCertificate { .. })) = proof.evidence_as::<Evidence>() else {
        panic!("IC3 proves liveness by a bound: {proof:?}");
    };
    let mut checker = model.checker(&given).expect("no options");
    assert_eq!(
        checker.check(0, proof, &Budget::unlimited()),
        CheckReport::Accepted
    );
    assert!(checker.check(1, proof, &Budget::unlimited()).is_rejected());
}

#[test]
fn a_verdict_without_evidence_is_rejected() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let mut checker = model.checker(&given).expect("no options");
    let mut bare: Answer = Answer::unknown("");
    bare.verdict = Verdict::Holds;
    bare.reason = None;
    assert!(checker.check(0, &bare, &Budget::unlimited()).is_rejected());
    assert!(checker.check(99, &bare, &Budget::unlimited()).is_rejected());
    let wrong = json!({"evidence": {"kind": "miracle"}});
    assert!(checker.evidence_from_json(0, &wrong).is_err());
    let none = json!({"evidence": {"kind": "none"}});
    assert!(checker.evidence_from_json(0, &none).is_err());
}

#[test]
fn settings_are_read_back() {
    let model = load(COUNTER.as_bytes(), "smv");
    for policy in ["infinite", "maximal", "stutter", "error"] {
        let given = options(&[("dead-ends", policy)]);
        let settings = model.settings(&given);
        assert_eq!(settings["dead_ends"], policy);
        assert_eq!(model.options_of(&Json::Object(settings)), Ok(given));
    }
    assert_eq!(model.options_of(&json!({})), Ok(Options::default()));
    assert!(model.options_of(&json!({"dead_ends": "x"})).is_err());
}

#[test]
fn a_bound_or_an_abstraction_decides_the_schedule() {
    let model = load(COUNTER.as_bytes(), "smv");
    let races = |given: &Options| {
        let turns = model.schedule(2, given, true);
        turns.iter().any(|turn| turn.runners.len() > 1)
    };
    assert!(races(&Options::default()));
    assert!(!races(&options(&[("bound", "3")])));
    let abstracted = model.schedule(2, &options(&[("three-valued", "")]), true);
    assert_eq!(abstracted.len(), 1);
    assert_eq!(abstracted[0].runners[0].engine, "abstract");
    for property in 0..model.properties().len() {
        for turn in model.schedule(property, &Options::default(), true) {
            for runner in turn.runners {
                assert!(FAMILY.engine(runner.engine).is_some());
            }
        }
    }
}

#[test]
fn an_unknown_engine_and_a_property_that_is_not_there_are_answered_unknown() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let mut session = model.open(&given, false).expect("no options");
    for (engine, property) in [("oracle", 0), ("explicit", 99)] {
        let answer = session
            .check(engine, property, &Budget::unlimited(), &Silent)
            .expect("no error");
        assert_eq!(answer.verdict, Verdict::Unknown);
    }
}

#[test]
fn an_error_of_the_model_shows_how_to_get_there() {
    let text = "MODULE main\nVAR n : 0..3;\nINIT n = 0;\nTRANS next(n) = n + 1;\nINVARSPEC n < 9;\n";
    let model = load(text.as_bytes(), "smv");
    let given = options(&[("dead-ends", "error")]);
    for engine in ["explicit", "bdd"] {
        let error = answers(&*model, engine, [0], &given).expect_err("a dead end");
        let timeline = error.timeline.expect("a path");
        assert_eq!(timeline.columns[0].value(timeline.positions - 1), Some("3"));
    }
    assert!(answers(&*model, "explicit", [0], &Options::default()).is_ok());
}

fn first_timeline(view: &View) -> &Timeline {
    match view {
        View::Timeline(timeline) => timeline,
        other => panic!("not a timeline: {other:?}"),
    }
}

#[test]
fn a_trace_is_shown_with_its_columns_its_formula_and_its_states() {
    let text = COUNTER.replace("noise : 0..3; noise2 : 0..3;", "").replace(
        "  init(noise) := 0; next(noise) := {noise, (noise + 1) mod 4};\n  init(noise2) := 0; next(noise2) := {noise, noise2};\n",
        "",
    );
    let model = load(text.as_bytes(), "smv");
    let given = Options::default();
    let judged = answers(&*model, "explicit", [1, 4], &given).expect("a meaning");
    let checker = model.checker(&given).expect("no options");
    let brief = checker.show(1, &judged[0].answer);
    assert_eq!(brief.violated, ["n < 3"]);
    let names = |timeline: &Timeline| -> Vec<String> {
        timeline
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect()
    };
    assert_eq!(names(first_timeline(&brief.exhibits[0].view)), ["n", "w", "go"]);
    let full = checker.show_in_full(1, &judged[0].answer);
    let timeline = first_timeline(&full.exhibits[0].view);
    assert_eq!(names(timeline), ["n", "w", "go", "even"]);
    let last = timeline.positions - 1;
    assert_eq!(timeline.violation, Some(last));
    assert_eq!(timeline.columns[0].value(last), Some("3"));
    let word = timeline.columns[1].cell(last).expect("a value");
    assert_eq!(word.bits.as_deref(), Some("0011"));
    assert_eq!(timeline.columns[2].value(last), None);
    assert_eq!(timeline.columns[3].value(last), Some("FALSE"));
    assert!(timeline.formulas.iter().any(|row| row.truth[last] == Some(false)));
    // Every position is a node of the graph.
    let graph = model
        .graph(200, &Budget::unlimited())
        .expect("systems have graphs")
        .expect("small");
    assert!(timeline.keys.iter().all(|&key| graph.find(key).is_some()));
    assert_eq!(graph.nodes.iter().filter(|node| node.is_initial).count(), 1);
    assert!(
        model
            .graph(3, &Budget::unlimited())
            .expect("systems have graphs")
            .is_err()
    );
    // What holds after a search is told in a sentence to those who ask.
    let holds = checker.show(4, &judged[1].answer);
    assert_eq!(holds.exhibits[0].prominence, Prominence::Detail);
    assert!(matches!(&holds.exhibits[0].view, View::Notes(notes) if notes[0].contains("searched")));
}

#[test]
fn a_tree_of_paths_is_shown_as_a_tree() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let judged = answers(&*model, "explicit", [5], &given).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Fails);
    let checker = model.checker(&given).expect("no options");
    let shown = checker.show_in_full(5, &judged[0].answer);
    let View::Tree(tree) = &shown.exhibits[0].view else {
        panic!("not a tree: {shown:?}");
    };
    assert_eq!(tree.truth, Some(false));
    let timeline = tree.first_timeline().expect("a path");
    assert!(timeline.positions > 0);
    let mut pending = vec![tree];
    let mut supports = 0;
    while let Some(tree) = pending.pop() {
        if let Support::Path(path) = &tree.support {
            supports += 1;
            for child in &tree.children {
                assert!(child.position.is_some_and(|position| position < path.positions));
            }
        }
        pending.extend(tree.children.iter().map(|child| &child.claim));
    }
    assert!(supports > 0);
}

#[test]
fn an_abstract_model_is_shown_as_a_graph_and_lines() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = options(&[("three-valued", "")]);
    let judged = answers(&*model, "abstract", [6], &given).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Holds);
    let checker = model.checker(&given).expect("options");
    let shown = checker.show(6, &judged[0].answer);
    let views = || shown.exhibits.iter().map(|exhibit| &exhibit.view);
    assert!(views().any(|view| matches!(view, View::Graph(graph) if !graph.nodes.is_empty())));
    assert!(
        views().any(|view| matches!(view, View::Notes(lines) if lines[0].starts_with("abstract model:")))
    );
}

#[test]
fn a_walk_goes_on_back_and_from_where_it_was_saved() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let begin = || {
        model
            .walk(&given)
            .expect("systems are walked")
            .expect("supported")
    };
    let unlimited = Budget::unlimited();
    let mut walk = begin();
    assert_eq!(walk.choices(10, &unlimited).len(), 1);
    walk.take(0);
    let choices = walk.choices(100, &unlimited);
    assert!(
        choices
            .iter()
            .any(|line| line.contains("[go = TRUE]") && line.contains("n = 1")),
        "{choices:?}"
    );
    let mut random = StdRng::seed_from_u64(3);
    for _ in 0..7 {
        assert!(walk.take_at_random(&mut random, &unlimited));
    }
    assert_eq!(walk.steps(), 7);
    walk.back(2);
    assert_eq!(walk.steps(), 5);
    assert!(walk.ending().is_empty());
    assert!(walk.state().iter().all(|line| !line.starts_with("go")));
    let document = walk.to_json();
    let mut again = begin();
    again.resume(&document).expect("a walk of this model");
    assert_eq!((again.steps(), again.state()), (walk.steps(), walk.state()));
    assert_eq!(again.to_json(), document);
    walk.back(100);
    assert_eq!(walk.steps(), 0);
    // Not one of this model.
    let mut foreign = document;
    foreign["evidence"]["trace"]["steps"][0]["n"] = json!(4);
    assert!(begin().resume(&foreign).is_err());
    let dead = load(b"MODULE main\nVAR x : boolean;\nTRANS FALSE;\n", "smv");
    let mut walk = dead.walk(&given).expect("systems are walked").expect("supported");
    assert!(walk.take_at_random(&mut random, &unlimited));
    assert!(!walk.take_at_random(&mut random, &unlimited));
    assert_eq!(walk.ending().len(), 1);
}

#[test]
fn random_steps_are_chosen_among_all() {
    let text =
        "MODULE main\nIVAR i : 0..4999;\nVAR n : 0..4999;\nASSIGN init(n) := {0, 4999}; next(n) := i;\n";
    let model = load(text.as_bytes(), "smv");
    let given = Options::default();
    let mut walk = model
        .walk(&given)
        .expect("systems are walked")
        .expect("supported");
    let mut random = StdRng::seed_from_u64(1);
    for _ in 0..=40 {
        assert!(walk.take_at_random(&mut random, &Budget::unlimited()));
    }
    let shown = walk.shown();
    let n = &shown
        .timeline()
        .expect("a walk")
        .columns
        .iter()
        .find(|column| column.name == "n");
    let n = n.expect("a variable");
    let values = (1..=40).map(|at| n.value(at).and_then(|text| text.parse::<u32>().ok()));
    let quarters: BTreeSet<u32> = values.map(|value| value.expect("a number") / 1250).collect();
    assert_eq!(quarters, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn structures_observe_what_is_asked_for() {
    let listed = |given: &[(&str, &str)]| {
        let given = options(given);
        let model = load_with(COUNTER.as_bytes(), "smv", &given).expect("right");
        let structure = model
            .structure(&given, &Budget::unlimited())
            .expect("systems have structures");
        structure.expect("small")
    };
    let states = listed(&[("observe", "n, w = 0ud4_3")]);
    assert!(states.lts.state_count() > 80);
    let classes = listed(&[("observe", "n"), ("engine", "bdd")]);
    assert_eq!(classes.lts.state_count(), 5);
    assert!(
        classes
            .notes
            .iter()
            .any(|note| note.contains("classes of strong bisimulation"))
    );
    let wrong = load_with(COUNTER.as_bytes(), "smv", &options(&[("observe", "n = m")]));
    assert!(matches!(wrong, Err(LoadError::Invalid { .. })));
    let model = load(COUNTER.as_bytes(), "smv");
    let late = model.structure(&options(&[("observe", "n")]), &Budget::unlimited());
    assert!(matches!(late, Some(Err(StructureError::Usage(_)))));
}

#[test]
fn a_survey_counts_states_and_its_order_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("best.ord");
    let name = path.to_str().expect("text");
    let model = load(COUNTER.as_bytes(), "smv");
    assert_eq!(model.survey_wish(&Options::default()), SurveyWish::None);
    assert_eq!(
        model.survey_wish(&options(&[("save-order", name)])),
        SurveyWish::Beside
    );
    let given = options(&[("reachable", ""), ("save-order", name)]);
    assert_eq!(model.survey_wish(&given), SurveyWish::Instead);
    let survey = model
        .survey(&given, &Budget::unlimited(), &Silent)
        .expect("asked for")
        .expect("a meaning");
    assert_eq!(survey.json["reachable"]["complete"], true);
    assert!(survey.incomplete.is_none());
    assert_eq!(survey.files[0].0, path);
    std::fs::write(&path, format!("{}stranger\n", survey.files[0].1)).expect("written");
    let ordered = options(&[("order", name), ("reorder", "none")]);
    let again = load_with(COUNTER.as_bytes(), "smv", &ordered).expect("right");
    assert!(
        again
            .warnings()
            .iter()
            .any(|warning| warning.message.contains("stranger"))
    );
    let judged = answers(&*again, "bdd", [0, 1], &ordered).expect("a meaning");
    assert_eq!(
        judged[0].answer.verdict,
        Verdict::Holds,
        "{:?}",
        judged[0].answer.reason
    );
    assert_eq!(judged[1].answer.verdict, Verdict::Fails);
    std::fs::write(&path, "stranger\n").expect("written");
    assert!(load_with(COUNTER.as_bytes(), "smv", &ordered).is_err());
}

#[test]
fn an_abstraction_map_is_read_with_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("map.abs");
    std::fs::write(&path, "visible n;\n").expect("written");
    let given = options(&[("abstract", path.to_str().expect("text"))]);
    let model = match load_with(COUNTER.as_bytes(), "smv", &given) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    };
    let engine = model.schedule(6, &given, true)[0].runners[0].engine;
    let judged = answers(&*model, engine, [6], &given).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Holds);
    std::fs::write(&path, "visible nothing;\n").expect("written");
    assert!(matches!(
        load_with(COUNTER.as_bytes(), "smv", &given),
        Err(LoadError::Invalid { .. })
    ));
}

#[test]
fn a_translated_design_is_handed_over_in_btor2() {
    let design = b"module top(input clk, input go);\nreg [3:0] n = 0;\nalways @(posedge clk) if (go) n <= n + 1;\nalways @* small: assert (n < 9);\nendmodule\n";
    let model = match load_with(design, "verilog", &options(&[("top", "top")])) {
        Ok(model) => model,
        Err(LoadError::Unreadable { reason, .. }) if reason.contains("not installed") => {
            eprintln!("skipped: {reason}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let Handover::Text { language, text } = model.handover() else {
        panic!("a design is translated once");
    };
    let given = options(&[("top", "top")]);
    let other = load_with(text.as_bytes(), language, &given).expect("BTOR2");
    let judged = answers(&*other, "bmc", [0], &given).expect("a meaning");
    assert_eq!(judged[0].answer.verdict, Verdict::Fails);
    // The other process answers in data; this one judges.
    let document = saved(
        &*other,
        0,
        judged[0].answer.evidence.as_deref().expect("evidence"),
    );
    let mut checker = model.checker(&given).expect("options");
    let evidence = checker.evidence_from_json(0, &document).expect("the same model");
    let mut answer: Answer = judged[0].answer.bare().map(|never| match never {});
    answer.evidence = Some(evidence);
    assert_eq!(
        checker.check(0, &answer, &Budget::unlimited()),
        CheckReport::Accepted
    );
}

#[test]
fn what_is_not_translated_is_handed_over_as_a_file() {
    assert_eq!(load(COUNTER.as_bytes(), "smv").handover(), Handover::File);
    assert_eq!(load(b"aag 0 0 0 0 0\n", "aiger").handover(), Handover::File);
}

#[test]
fn warnings_about_dead_ends_have_their_kind() {
    let text = "MODULE main\nVAR x : boolean;\nTRANS !x;\nLTLSPEC G F !x;\n";
    let model = load(text.as_bytes(), "smv");
    let judged = answers(&*model, "explicit", [0], &Options::default()).expect("a meaning");
    let warnings = &judged[0].answer.warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.kind == WarningKind::DeadEnd),
        "{warnings:?}"
    );
}

#[test]
fn evidence_is_the_same_json_as_ever() {
    let model = load(COUNTER.as_bytes(), "smv");
    let given = Options::default();
    let checker = model.checker(&given).expect("no options");
    let judged = answers(&*model, "explicit", [1], &given).expect("a meaning");
    let Some(Evidence::Trace(trace)) = judged[0].answer.evidence_as::<Evidence>() else {
        panic!("a trace");
    };
    let shown = Json::Object(checker.to_json(1, judged[0].answer.evidence.as_deref().expect("some")));
    assert_eq!(
        shown["trace"]["steps"].as_array().map(Vec::len),
        Some(trace.steps.len())
    );
    let empty = entail_model::TransitionSystem::new();
    let claim = Evidence::Exhaustive(entail_evidence::Exhaustive {
        states: 3,
        satisfying: None,
        searched: entail_evidence::Searched::Model,
    });
    assert_eq!(
        Json::Object(checker.to_json(0, &claim)),
        evidence_to_json(&empty, &claim)
    );
}
