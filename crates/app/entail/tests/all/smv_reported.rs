//! Reported mistakes about SMV models, each with its cause; the families they belong to are in `smv_engines.rs`.

use crate::asked;
use asked::{engine_names, recheck};
use entail::run::{Rechecking, Request};
use entail_answer::{CheckReport, Verdict};
use entail_evidence::DeadEnds;
use entail_family::Model;
use std::time::Duration;

fn model(text: &str) -> Box<dyn Model> {
    asked::model(&format!("MODULE main\n{text}\n"))
}

/// The verdicts on all properties; none of them may rest on evidence that is rejected.
fn verdicts(model: &mut dyn Model, engine: Option<&str>, dead_ends: DeadEnds) -> Vec<Verdict> {
    let request = Request {
        properties: (0..model.properties().len()).collect(),
        engine: engine.and_then(asked::engine),
        options: asked::options(dead_ends, (engine == Some("bmc")).then_some(10)),
        timeout: Some(Duration::from_secs(20)),
        rechecking: Rechecking::ToTheEnd,
        ..Request::default()
    };
    let answers = asked::check(model, &request).expect("the model has a meaning");
    for (decided, document) in &answers {
        assert!(decided.failure.is_none(), "{:?}", decided.failure);
        if decided.answer.verdict != Verdict::Unknown {
            let report = recheck(model, document).expect("saved evidence");
            assert!(!matches!(report, CheckReport::Rejected { .. }), "{document}");
        }
    }
    answers
        .iter()
        .map(|(decided, _)| decided.answer.verdict)
        .collect()
}

/// No engine says otherwise (some say nothing).
fn nobody_contradicts(text: &str, expected: &[Verdict]) {
    let mut model = model(text);
    assert_eq!(
        verdicts(&mut *model, None, DeadEnds::Infinite),
        expected,
        "{text}"
    );
    for engine in engine_names() {
        for (found, expected) in verdicts(&mut *model, Some(engine), DeadEnds::Infinite)
            .into_iter()
            .zip(expected)
        {
            assert!(
                found == *expected || found == Verdict::Unknown || engine == "bmc" && found == Verdict::Holds,
                "{engine}: {found:?} {text}"
            );
        }
    }
}

/// Predicate abstraction put a position before every path; past operators saw it. The checker asked the same wrong question.
#[test]
fn past_operators_see_no_position_before_the_path() {
    nobody_contradicts(
        "VAR x : boolean; ASSIGN init(x) := FALSE;
         LTLSPEC G (Z FALSE -> x)
         LTLSPEC Y TRUE
         LTLSPEC Z FALSE
         LTLSPEC G (H (x -> Y TRUE))
         LTLSPEC G (Z FALSE -> !x)
         LTLSPEC X (O [1,1] !x)
         LTLSPEC !(TRUE S x)",
        &[
            Verdict::Fails,
            Verdict::Fails,
            Verdict::Holds,
            Verdict::Holds,
            Verdict::Holds,
            Verdict::Holds,
            Verdict::Holds,
        ],
    );
}

/// An initial state without a fair path is not asked; a formula may be false there, and was explained as such beside the verdict *holds*.
#[test]
fn where_no_path_is_fair_existential_formulas_hold_vacuously_without_an_explanation() {
    nobody_contradicts(
        "VAR x : boolean; FAIRNESS FALSE
         CTLSPEC !AG TRUE
         CTLSPEC EF x
         CTLSPEC EX TRUE | EG x",
        &[Verdict::Holds, Verdict::Holds, Verdict::Holds],
    );
    nobody_contradicts(
        "VAR x : boolean; COMPASSION (TRUE, FALSE)
         LTLSPEC FALSE
         CTLSPEC AX FALSE",
        &[Verdict::Holds, Verdict::Fails],
    );
}

/// A note counts wherever its state is shown. What was one state of the cone of influence became several of the model, and only one kept its note.
#[test]
fn notes_are_carried_back_to_every_state_that_looks_alike_in_the_cone() {
    nobody_contradicts(
        "VAR x1 : -2..0; x2 : boolean; ASSIGN next(x1) := 0;
         CTLSPEC AG ABF 0..3 A [!x2 U x2]
         CTLSPEC ABF 0..1 AF x2
         CTLSPEC EBG 0..3 EF x2",
        &[Verdict::Fails, Verdict::Fails, Verdict::Holds],
    );
}

/// The SAT engines saw from the bits that every state has a successor, their checker from the conditions: it could not see it, and rejected.
#[test]
fn the_checker_of_k_liveness_finds_out_itself_that_no_path_ends() {
    for dead_ends in [DeadEnds::Stutter, DeadEnds::Maximal] {
        let mut model = model("VAR y : boolean; INVAR y | !y ASSIGN init(y) := TRUE; LTLSPEC y");
        for engine in [
            "ic3",
            "kind",
            "gla",
            "pba",
            "interpolation",
            "interpolation-sequence",
        ] {
            assert_eq!(
                verdicts(&mut *model, Some(engine), dead_ends),
                [Verdict::Holds],
                "{engine}"
            );
        }
    }
}

/// A formula without temporal operators was refuted by a path, which says nothing about it.
#[test]
fn predicates_refute_formulas_without_temporal_operators() {
    let mut model = model("VAR y : boolean; CTLSPEC FALSE CTLSPEC y CTLSPEC y | !y");
    assert_eq!(
        verdicts(&mut *model, Some("predicates"), DeadEnds::Infinite),
        [Verdict::Fails, Verdict::Fails, Verdict::Holds]
    );
}

/// NuSMV's `H [a,b] p` asks for all those states: where time is too young for them, it is false.
#[test]
fn bounded_historically_is_false_where_time_is_too_young() {
    nobody_contradicts(
        "VAR x : boolean; ASSIGN init(x) := TRUE; next(x) := TRUE;
         LTLSPEC H [0,3] x
         LTLSPEC O [0,3] x
         LTLSPEC G (H [0,3] x)
         LTLSPEC H [1,1] FALSE
         LTLSPEC X (X (X (G (H [0,3] x))))
         LTLSPEC X (X (H [0,3] x))
         LTLSPEC !(O [0,3] !x)
         LTLSPEC H [0,0] x
         LTLSPEC H x",
        &[
            Verdict::Fails,
            Verdict::Holds,
            Verdict::Fails,
            Verdict::Fails,
            Verdict::Holds,
            Verdict::Fails,
            Verdict::Holds,
            Verdict::Holds,
            Verdict::Holds,
        ],
    );
}

/// The longest path was shown by one that ends in a dead end, a step shorter than its length.
#[test]
fn a_longest_path_that_ends_is_claimed_and_not_shown() {
    let mut model = model(
        "VAR x : boolean; y : -2..0; ASSIGN init(x) := FALSE; next(x) := {FALSE, !x}; init(y) := {-2, 0};
         TRANS y <= 0 -> next(x) = TRUE;
         COMPUTE MAX [y <= -1, y != -2]",
    );
    for engine in ["explicit", "bdd"] {
        for dead_ends in [DeadEnds::Infinite, DeadEnds::Maximal, DeadEnds::Stutter] {
            let found = verdicts(&mut *model, Some(engine), dead_ends);
            assert_eq!(found, [Verdict::Holds], "{engine} {dead_ends:?}");
        }
    }
}
