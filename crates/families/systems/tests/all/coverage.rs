//! What no run reaches, what no proof needs, and doubts about circuits.

use crate::asking;
use asking::{all_answers, load};
use entail_answer::{Answer, Verdict, WarningKind};
use entail_budget::{Budget, Silent};
use entail_family::{Coverage, Model, Options, Part, PartKind, Scrutiny};
use std::time::Duration;

fn coverage(model: &dyn Model, answers: &[&Answer]) -> Coverage {
    let answers: Vec<(usize, &Answer)> = answers.iter().copied().enumerate().collect();
    let found = model.coverage(&answers, 10_000, &Budget::unlimited());
    found.expect("transition systems know their coverage")
}

fn texts(parts: &[Part], kind: PartKind) -> Vec<(usize, &str)> {
    let line = |part: &Part| part.place.as_ref().map_or(0, |place| place.1);
    (parts.iter())
        .filter(|part| part.kind == kind)
        .map(|part| (line(part), part.text.as_str()))
        .collect()
}

#[test]
fn branches_values_and_transitions_that_nothing_reaches_are_listed() {
    let model = load(
        b"MODULE cell(up)\nVAR n : 0..3;\nASSIGN init(n) := case up : 0; TRUE : 1; esac;\n  next(n) := case\n    n = 3 : 0;\n    n < 2 : n + 1;\n    TRUE : n;\n  esac;\n\
          MODULE main\nVAR s : {a, b, c};\n  x : cell(s = a); y : cell(s = a);\nINIT s = a\nTRANS (s = a & next(s) = b) | (s = b & next(s) = a) | (s = c & next(s) = a)\n",
        "smv",
    );
    let found = coverage(&*model, &[]);
    assert_eq!(found.states, Ok(4));
    assert_eq!(
        texts(&found.unreached, PartKind::Branch),
        [(3, "TRUE : 1"), (5, "n = 3 : 0")]
    );
    assert_eq!(
        texts(&found.unreached, PartKind::Value),
        [(10, "s = c"), (2, "x.n = 3"), (2, "y.n = 3")]
    );
    let transitions = texts(&found.unreached, PartKind::Transition);
    assert_eq!(transitions.len(), 1, "{transitions:?}");
    assert!(transitions[0].1.contains("s = c"), "{transitions:?}");
    // Five branches, three transitions, three values of s, four of each cell.
    assert_eq!(found.parts, 5 + 3 + 3 + 8);
    assert_eq!(found.proofs, None);
}

#[test]
fn a_model_with_too_many_states_is_not_known_and_its_proofs_are() {
    let model = load(
        b"MODULE main\nIVAR i : boolean; j : boolean;\nVAR safe : boolean; wide : unsigned word[40]; other : boolean;\n\
          ASSIGN init(safe) := TRUE; next(safe) := safe | i; next(wide) := wide + 0ud40_1; next(other) := j;\nINVARSPEC safe\n",
        "smv",
    );
    let answers = all_answers(&*model, "ic3");
    let found = coverage(&*model, &[&answers[0].answer]);
    assert!(found.states.is_err(), "{found:?}");
    let proofs = found.proofs.expect("a proof");
    assert_eq!((proofs.count, proofs.parts), (1, 5));
    assert_eq!(
        texts(&proofs.unneeded, PartKind::Register),
        [(3, "wide"), (3, "other")]
    );
    assert_eq!(texts(&proofs.unneeded, PartKind::Input), [(2, "j")]);
}

/// What is listed as not needed may behave in any way: with its conditions dropped, the same evidence is accepted, as no register that is listed occurs in it. So an
/// exhaustive search of the model in which it is free must give the same verdict.
#[test]
fn what_no_proof_needs_can_be_anything() {
    let text = |free: bool| {
        let b = if free { "" } else { "next(b) := !a;" };
        format!(
            "MODULE main\nVAR a : boolean; b : boolean; c : 0..2;\nASSIGN init(a) := FALSE; next(a) := a & c = 1; {b} init(b) := FALSE; init(c) := 0; next(c) := case c = 2 : 0; TRUE : c + 1; esac;\n\
             INVARSPEC !a\n"
        )
    };
    let model = load(text(false).as_bytes(), "smv");
    for engine in ["ic3", "bdd", "explicit", "kind"] {
        let answers = all_answers(&*model, engine);
        let found = coverage(&*model, &[&answers[0].answer]);
        let proofs = found.proofs.expect("a proof");
        let unneeded = texts(&proofs.unneeded, PartKind::Register);
        assert!(unneeded.contains(&(2, "b")), "{engine}: {unneeded:?}");
        assert!(!unneeded.contains(&(2, "a")), "{engine}: {unneeded:?}");
    }
    let freed = load(text(true).as_bytes(), "smv");
    assert_eq!(all_answers(&*freed, "explicit")[0].answer.verdict, Verdict::Holds);
}

fn scrutinized(model: &dyn Model, engine: &str, property: usize) -> Scrutiny {
    let options = Options::default();
    let mut session = model.open(&options, false).expect("options");
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(20)));
    let answer = session
        .check(engine, property, &budget, &Silent)
        .expect("a meaning");
    assert_eq!(answer.verdict, Verdict::Holds, "{engine}");
    session.scrutinize(engine, property, &answer, &budget, &Silent)
}

/// A counter that stays below 4, beside an input; `bad` is a condition in further lines.
fn counter(lines: &str) -> Box<dyn Model> {
    let text = format!(
        "1 sort bitvec 1\n2 sort bitvec 3\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n6 input 1 go\n7 constd 2 3\n8 ult 1 4 7\n9 one 2\n10 add 2 4 9\n11 ite 2 8 10 4\n12 next 2 4 11\n{lines}"
    );
    load(text.as_bytes(), "btor2")
}

#[test]
fn an_antecedent_of_a_circuit_that_is_never_true_is_warned_of() {
    // go never rises when the counter is at 6.
    let model = counter("13 constd 2 6\n14 eq 1 4 13 at_six\n15 not 1 6\n16 and 1 14 15\n17 bad 16 six\n");
    for engine in ["explicit", "ic3", "bdd", "kind"] {
        let found = scrutinized(&*model, engine, 0);
        let kinds: Vec<WarningKind> = found.warnings.iter().map(|warning| warning.kind).collect();
        assert_eq!(kinds, [WarningKind::Vacuous], "{engine}: {:?}", found.warnings);
        assert!(found.warnings[0].text.contains("at_six"), "{:?}", found.warnings);
    }
}

#[test]
fn a_circuit_whose_check_matters_has_a_witness() {
    // At two, the next value is above one: the trigger is reached, and the check holds there.
    let model = counter(
        "13 constd 2 2\n14 eq 1 4 13 at_two\n15 ugt 1 11 9 grows\n16 not 1 15\n17 and 1 14 16\n18 bad 17 stuck\n",
    );
    for engine in ["explicit", "ic3"] {
        let found = scrutinized(&*model, engine, 0);
        assert!(
            found
                .warnings
                .iter()
                .all(|warning| warning.kind != WarningKind::Vacuous),
            "{engine}: {:?}",
            found.warnings
        );
        let witness = found.witness.expect("a path to two");
        assert_eq!(witness.answer.verdict, Verdict::Fails, "of the stronger question");
        let options = Options::default();
        let mut checker = model.checker(&options).expect("options");
        assert!(
            checker
                .check(witness.position, &witness.answer, &Budget::unlimited())
                .is_accepted(),
            "{engine}"
        );
    }
}

#[test]
fn constraints_that_nothing_satisfies_for_ever_are_warned_of() {
    // The counter must stay below two, and cannot.
    let model =
        counter("13 constd 2 2\n14 ult 1 4 13\n15 constraint 14\n16 ones 2\n17 eq 1 4 16\n18 bad 17 full\n");
    for engine in ["explicit", "ic3"] {
        let found = scrutinized(&*model, engine, 0);
        assert!(
            found
                .warnings
                .iter()
                .any(|warning| warning.kind == WarningKind::NoFairPath),
            "{engine}: {:?}",
            found.warnings
        );
    }
}

#[test]
fn properties_of_btor2_stand_at_their_lines() {
    let model = counter("13 ones 2\n14 eq 1 4 13\n15 bad 14 full\n");
    let place = model.properties()[0].place.expect("a place");
    assert_eq!(model.source().place(place.start).line, 15);
}
