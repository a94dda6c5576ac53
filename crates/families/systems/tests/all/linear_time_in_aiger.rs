//! Linear-time properties of SMV models, with fairness of both kinds, as justice properties of AIGER files: verdicts stay what they were.

use crate::asking;
use asking::{Limits, answers_within, load};
use entail_answer::Verdict;
use entail_family::{Model, Options};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::time::Duration;

/// A model with two bits and a small number, partly a relation, perhaps with dead ends.
fn random_model(random: &mut StdRng) -> String {
    let conditions = ["a", "!a", "b", "n = 0", "n = 2", "a & b", "a xor b", "n > 0 | b"];
    let mut pick = || *conditions.choose(random).expect("some");
    let mut text = format!(
        "MODULE main\nVAR a : boolean; b : boolean; n : 0..2;\nASSIGN init(a) := FALSE; next(a) := {} & !({});\n",
        pick(),
        pick()
    );
    text += &format!(
        " next(n) := case {} : 0; {} : {{0, 1}}; TRUE : (n + 1) mod 3; esac;\n",
        pick(),
        pick()
    );
    text += &format!("TRANS next(b) -> {} | n = 1;\n", pick());
    if random.random_bool(0.4) {
        text += "JUSTICE a;\n";
    }
    if random.random_bool(0.4) {
        text += "COMPASSION (b, n = 0);\n";
    }
    text
}

fn random_formula(random: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        return (*["a", "b", "n = 0", "n = 1", "!b"].choose(random).expect("some")).to_owned();
    }
    let mut inner = || random_formula(random, depth - 1);
    let (left, right) = (inner(), inner());
    match random.random_range(0..11) {
        0 => format!("G ({left})"),
        1 => format!("F ({left})"),
        2 => format!("X ({left})"),
        3 => format!("(({left}) U ({right}))"),
        4 => format!("(({left}) V ({right}))"),
        5 => format!("G F ({left})"),
        6 => format!("(({left}) S ({right}))"),
        7 => format!("Y ({left})"),
        8 => format!("F [0, 3] ({left})"),
        9 => format!("!(({left}) | ({right}))"),
        _ => format!("(({left}) -> ({right}))"),
    }
}

fn verdicts(model: &dyn Model) -> Vec<Verdict> {
    // As the app does by default: what would take long to search again is left unchecked.
    let limits = Limits {
        deciding: None,
        judging: Some(Duration::from_millis(300)),
    };
    let all = 0..model.properties().len();
    let judged = answers_within(model, "explicit", all, &Options::default(), limits)
        .unwrap_or_else(|error| panic!("{error}"));
    judged.into_iter().map(|one| one.answer.verdict).collect()
}

#[test]
fn verdicts_stay_what_they_were() {
    let mut random = StdRng::seed_from_u64(11);
    let (mut held, mut failed) = (0, 0);
    for case in 0..50 {
        let mut text = random_model(&mut random);
        // Under a next, no formula becomes a bad-state property: the order of the properties stays.
        for _ in 0..2 {
            text += &format!("LTLSPEC X ({});\n", random_formula(&mut random, 2));
        }
        let model = load(text.as_bytes(), "smv");
        let converted = model
            .write("aag", &Options::default())
            .expect("AIGER is written")
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(converted.notes.is_empty(), "{:?}", converted.notes);
        let circuit = load(&converted.bytes, "aiger");
        let expected = verdicts(&*model);
        assert_eq!(expected, verdicts(&*circuit), "case {case}:\n{text}");
        held += expected
            .iter()
            .filter(|&&verdict| verdict == Verdict::Holds)
            .count();
        failed += expected
            .iter()
            .filter(|&&verdict| verdict == Verdict::Fails)
            .count();
    }
    assert!(held > 15 && failed > 15, "{held} {failed}");
}
