//! Published models with published values: PRISM's tests and benchmarks, QVBS. They are not part of the project (`$ENTAIL_BENCH`, by default `../shared/bench` beside it), and skipped where they are not there.

use super::{ask, value};
use entail_answer::{CheckReport, Quantity};
use entail_budget::{Budget, Silent};
use entail_family::{Input, Options};
use entail_markov::to_float;
use entail_stochastic::FAMILY;
use std::path::PathBuf;

fn text_of(file: &str, constants: &[(&str, &str)]) -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/bench");
    let bench = std::env::var_os("ENTAIL_BENCH").map_or_else(beside, PathBuf::from);
    let mut text = String::from_utf8_lossy(&std::fs::read(bench.join("prob").join(file)).ok()?).into_owned();
    for (name, value) in constants {
        let open = format!("const int {name};");
        assert!(text.contains(&open), "{file}: {name}");
        text = text.replace(&open, &format!("const int {name} = {value};"));
    }
    Some(text)
}

#[test]
fn zones_and_regions_find_the_values_that_prism_and_storm_have_published() {
    let reach = "prism-tests/functionality/verify/ptas/reach";
    let cases: &[(&str, &str, f64)] = &[
        ("formats09.nm", "Pmax=? [ F \"target\" ]", 0.6),
        ("zeroconf.nm", "Pmax=? [ F s=2 & ip=2 ]", 0.001301514),
        (
            "repudiation_malicious.nm",
            "Pmax=? [ F \"gains_information\" ]",
            0.105658,
        ),
        (
            "../../../../bugfixes/ptabounded.nm",
            "Pmax=? [ F<=6 ((s=3)|(s=4)) ]",
            0.5,
        ),
        (
            "../../../../bugfixes/ptaboundedinitial.nm",
            "Pmax=? [ F<=0 s=0 ]",
            1.0,
        ),
        (
            "../../../../bugfixes/ptawithmaxclockzero.nm",
            "Pmax=? [F s=3]",
            0.0,
        ),
        (
            "../../../../bugfixes/ptawithstateprobs.nm",
            "Pmax=?[ F<1 s=2 ]",
            0.0,
        ),
        (
            "../../../../bugfixes/ptawithstateprobs.nm",
            "Pmax=?[ F<=1 s=2 ]",
            0.5,
        ),
        (
            "../../../../bugfixes/ptawithstateprobs.nm",
            "Pmax=?[ F<=3 s=2 ]",
            0.875,
        ),
        (
            "../../../../bugfixes/ptawithstateprobs.nm",
            "Pmin=?[ F s=2 ]",
            0.0,
        ),
        ("../notallowed/digital-strict.nm", "Pmax=? [ F \"target\" ]", 0.6),
    ];
    for (file, question, expected) in cases {
        let Some(text) = text_of(&format!("{reach}/{file}"), &[]) else {
            return;
        };
        for engine in ["backward", "regions"] {
            let (low, high) =
                value(engine, &text, question).unwrap_or_else(|reason| panic!("{file}: {reason}"));
            let near = 2e-6 * expected.max(1e-3);
            assert!(
                to_float(&low) <= expected + near && to_float(&high) >= expected - near,
                "{engine} {file} {question}: [{}, {}]",
                to_float(&low),
                to_float(&high)
            );
        }
    }
}

#[test]
fn deadlines_of_published_models_are_kept_exactly_by_zones() {
    let malicious = "prism-benchmarks/models/ptas/repudiation_malicious/repudiation_malicious.nm";
    let zeroconf = "prism-benchmarks/models/ptas/zeroconf/zeroconf.nm";
    for (file, question, expected) in [
        (malicious, "Pmax=? [ F<5 \"gains_information\" ]", 0.1),
        (malicious, "Pmax=? [ F<10 \"gains_information\" ]", 0.105444),
        (malicious, "Pmax=? [ F<20 \"gains_information\" ]", 0.105657),
        (zeroconf, "Pmax=? [ F<=100 s=2 & ip=2 ]", 6.51605e-4),
    ] {
        let Some(text) = text_of(file, &[]) else {
            return;
        };
        let (answer, report) =
            ask("backward", &text, question).unwrap_or_else(|reason| panic!("{file}: {reason}"));
        // Large region graphs are not built for a certificate, and that is said.
        assert!(
            !matches!(report, CheckReport::Rejected { .. }),
            "{file} {question}"
        );
        let (low, high) = match answer.value {
            Some(Quantity::Exact(value)) => (value.clone(), value),
            Some(Quantity::Between(low, high)) => (low, high),
            other => panic!("{file} {question}: {other:?}"),
        };
        let near = 1e-5 * expected;
        assert!(
            to_float(&low) <= expected + near && to_float(&high) >= expected - near,
            "{file} {question}: [{}, {}]",
            to_float(&low),
            to_float(&high)
        );
    }
}

#[test]
fn zones_answer_the_questions_of_qvbs_about_jani_models_with_clocks() {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/bench");
    let bench = std::env::var_os("ENTAIL_BENCH").map_or_else(beside, PathBuf::from);
    let path = bench.join("prob/qvbs/benchmarks/pta/brp-pta/brp-pta.jani");
    let Ok(bytes) = std::fs::read(&path) else {
        return;
    };
    let mut options = Options::default();
    options.give("const", "N=16,MAX=2,TD=1,TIME_BOUND=64");
    let language = (FAMILY.languages.iter()).find(|language| language.claims(&path, None));
    let budget = Budget::unlimited();
    let model = (FAMILY.load)(&Input {
        name: "brp-pta.jani",
        path: &path,
        bytes: &bytes,
        language: language.expect("a language"),
        options: &options,
        budget: &budget,
    })
    .unwrap_or_else(|error| panic!("{error}"));
    for (name, expected) in [
        ("P_1", 0.0004233334437734179),
        ("P_2", 2.6453089120221642e-05),
        ("P_4", 8e-6),
        ("Dmax", 0.9995766665562266),
    ] {
        let at = (model.properties().iter()).position(|heading| heading.name.as_deref() == Some(name));
        let at = at.unwrap_or_else(|| panic!("{name}: {:?}", model.unsupported()));
        let answer = model
            .open(&options, false)
            .expect("options")
            .check("backward", at, &budget, &Silent);
        let answer = answer.unwrap_or_else(|error| panic!("{name}: {}", error.message));
        assert_eq!(answer.reason, None, "{name}");
        let report = model
            .checker(&options)
            .expect("options")
            .check(at, &answer, &budget);
        assert!(
            !matches!(report, CheckReport::Rejected { .. }),
            "{name}: {report:?}"
        );
        let (low, high) = match answer.value {
            Some(Quantity::Exact(value)) => (value.clone(), value),
            Some(Quantity::Between(low, high)) => (low, high),
            other => panic!("{name}: {other:?} {:?}", answer.reason),
        };
        let near = 2e-6 * expected;
        assert!(
            to_float(&low) <= expected + near && to_float(&high) >= expected - near,
            "{name}: [{}, {}]",
            to_float(&low),
            to_float(&high)
        );
    }
}
