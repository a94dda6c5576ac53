//! Verification units in PSL about SMV models, and branching time in units about circuits.

use crate::asking;
use asking::{all_answers, load_with, options};
use entail_answer::Verdict;
use std::io::Write as _;
use tempfile::NamedTempFile;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("room for it");
    file
}

/// The names and verdicts of a model's properties with those of a unit, by an engine.
fn asked(model: &[u8], language: &str, unit: &str, engine: &str) -> Vec<(String, Verdict)> {
    let file = file(unit);
    let given = options(&[("properties", &file.path().to_string_lossy())]);
    let model = load_with(model, language, &given).unwrap_or_else(|error| panic!("{error}"));
    let answers = all_answers(&*model, engine).into_iter();
    let names = model
        .properties()
        .iter()
        .map(|one| one.name.clone().unwrap_or_default());
    names.zip(answers.map(|judged| judged.answer.verdict)).collect()
}

fn refused(model: &[u8], language: &str, unit: &str) -> String {
    let file = file(unit);
    let given = options(&[("properties", &file.path().to_string_lossy())]);
    match load_with(model, language, &given) {
        Ok(_) => panic!("{unit} is read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_unit_in_the_flavour_of_smv_is_about_the_model_or_an_instance() {
    let unit = "vunit u (main) { -- all of it\n\
          sequence lap = {n = 0; n = 1; n = 2; n = 3};\n\
          laps: assert always (lap |=> {n = 0});\n\
          wrong: assert always {n = 1} |=> {n = 3};\n\
          back: assert AG EF (n = 0);\n\
          turns: assert AG (n = 3 -> AX n = 0);\n\
          rests: assert EG (n < 3);\n\
          leads: assert A[n < 3 U n = 3];\n\
        }\n";
    let numbers = b"MODULE main\nVAR n : 0..3;\nASSIGN init(n) := 0; next(n) := (n + 1) mod 4;\nCTLSPEC NAME own := AG (n = 3 -> AX n = 0);\n";
    let found = asked(numbers, "smv", unit, "bdd");
    let holds = |name: &str| {
        let one = found.iter().find(|(known, _)| known == name);
        one.unwrap_or_else(|| panic!("{name} in {found:?}")).1
    };
    for name in ["own", "u.laps", "u.back", "u.turns", "u.leads"] {
        assert_eq!(holds(name), Verdict::Holds, "{name}");
    }
    for name in ["u.wrong", "u.rests"] {
        assert_eq!(holds(name), Verdict::Fails, "{name}");
    }
    let inner = b"MODULE cell\nVAR b : boolean;\nASSIGN init(b) := FALSE; next(b) := !b;\nMODULE main\nVAR c : cell;\n";
    let found = asked(
        inner,
        "smv",
        "vunit v (c) { flips: assert always (b -> next !b); }",
        "bdd",
    );
    assert_eq!(found, [("v.flips".to_owned(), Verdict::Holds)]);
}

#[test]
fn what_limits_behaviour_and_clocks_are_refused_of_smv_models() {
    let model = b"MODULE main\nVAR b : boolean;\n";
    let told = refused(model, "smv", "vunit v { assume always b; }");
    assert!(told.contains("INVAR"), "{told}");
    let told = refused(
        model,
        "smv",
        "vunit v { default clock = (posedge b); assert always b; }",
    );
    assert!(told.contains("clock"), "{told}");
    let told = refused(model, "smv", "vunit v { assert always c; }");
    assert!(told.contains('c'), "{told}");
}

/// A counter of two bits that an input may hold, and what it has reached.
const COUNTER: &[u8] = b"1 sort bitvec 2\n2 sort bitvec 1\n3 input 2 hold\n4 zero 1\n5 state 1 n\n6 init 1 5 4\n7 one 1\n8 add 1 5 7\n9 ite 1 3 5 8\n10 next 1 5 9\n11 ones 1\n12 eq 2 5 11\n13 output 12 full\n";

#[test]
fn branching_time_is_asked_of_circuits_by_every_engine_for_it_alike() {
    let unit = "vunit u {\n\
          reach: assert AG EF full;\n\
          must: assert AF full;\n\
          can: assert EF (full && !hold);\n\
          stays: assert AG (full -> EX full);\n\
          until_full: assert E[!full U full];\n\
          always_until: assert A[!full U full];\n\
          both: assert AG ((n == 2 && !hold) -> AX full) && !EG !full;\n\
        }";
    let expected = [
        ("u.reach", Verdict::Holds),
        ("u.must", Verdict::Fails),
        ("u.can", Verdict::Holds),
        // (What the input is now decides where the counter goes.)
        ("u.stays", Verdict::Fails),
        ("u.until_full", Verdict::Holds),
        ("u.always_until", Verdict::Fails),
        ("u.both", Verdict::Fails),
    ];
    for engine in ["explicit", "bdd"] {
        let found = asked(COUNTER, "btor2", unit, engine);
        let expected: Vec<(String, Verdict)> =
            expected.map(|(name, verdict)| (name.to_owned(), verdict)).into();
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn a_name_in_front_of_branching_time_stands_for_each_value() {
    let unit =
        "vunit u { each: assert forall i in {0:3}: EF n == i; all: assert forall i in {0:4}: EF n == i; }";
    let found = asked(COUNTER, "btor2", unit, "bdd");
    let expected = [("u.each", Verdict::Holds), ("u.all", Verdict::Fails)];
    assert_eq!(found, expected.map(|(name, verdict)| (name.to_owned(), verdict)));
}

#[test]
fn branching_time_does_not_mix_with_linear_time_and_is_no_assumption() {
    let told = refused(COUNTER, "btor2", "vunit u { assume AG EF full; }");
    assert!(told.contains("assert"), "{told}");
    let told = refused(COUNTER, "btor2", "vunit u { assert always (full -> AX full); }");
    assert!(told.contains("branching"), "{told}");
}
