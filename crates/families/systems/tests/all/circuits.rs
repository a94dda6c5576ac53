//! Random small circuits: every engine agrees with a naive reference in AIGER's own terms, conversions keep verdicts, witnesses are
//! accepted, and damaged witnesses are judged as the reference judges them.

use crate::asking;
use asking::{Judged, Limits, all_answers, answers, answers_within, load, load_with, options};
use entail_aiger::{Aiger, Latch, Literal, Reset, write_ascii, write_binary};
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::Budget;
use entail_family::{Claim, Converted, Model, Options};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;
use std::time::Duration;

fn random_circuit(seed: u64) -> Aiger {
    circuit_of_size(seed, 1..5, 2..14)
}

pub(crate) fn circuit_of_size(seed: u64, latches: Range<usize>, gates: Range<u32>) -> Aiger {
    let mut random = StdRng::seed_from_u64(seed);
    let mut circuit = Aiger {
        inputs: random.random_range(0..3),
        ..Aiger::default()
    };
    let latches = random.random_range(latches);
    let next = Literal::FALSE;
    let reset = Reset::Zero;
    circuit.latches = vec![Latch { next, reset }; latches];
    for position in 0..random.random_range(gates) {
        let gate = circuit.gate(position).0;
        let (a, b) = (random.random_range(2..gate), random.random_range(2..gate));
        circuit.gates.push([Literal(a.max(b)), Literal(a.min(b))]);
    }
    let most = circuit.last_variable() * 2 + 2;
    for latch in &mut circuit.latches {
        latch.next = Literal(random.random_range(0..most));
        latch.reset = [Reset::Zero, Reset::Zero, Reset::One, Reset::Free][random.random_range(0..4)];
    }
    let mut some = |least: usize, up_to: usize| -> Vec<Literal> {
        let count = random.random_range(least..=up_to);
        (0..count)
            .map(|_| Literal(random.random_range(2..most)))
            .collect()
    };
    circuit.bad = some(1, 2);
    circuit.constraints = some(0, 2);
    circuit.justice = (0..some(0, 1).len()).map(|_| some(1, 2)).collect();
    circuit.fairness = some(0, 1);
    circuit
}

/// What can happen in one step: from, to, and the values along it.
struct Step {
    from: usize,
    to: usize,
    values: Vec<bool>,
}

/// The reference: all steps in which the constraints hold, from states that are reachable by such steps.
fn reachable_steps(circuit: &Aiger) -> Vec<Step> {
    let latches = circuit.latches.len();
    let bits =
        |code: usize, count: usize| -> Vec<bool> { (0..count).map(|bit| code >> bit & 1 == 1).collect() };
    let is_initial = |state: usize| {
        circuit
            .latches
            .iter()
            .zip(bits(state, latches))
            .all(|(latch, value)| match latch.reset {
                Reset::Zero => !value,
                Reset::One => value,
                Reset::Free => true,
            })
    };
    let mut reached: Vec<bool> = (0..1 << latches).map(is_initial).collect();
    let mut work: Vec<usize> = (0..reached.len()).filter(|&state| reached[state]).collect();
    let mut steps = Vec::new();
    while let Some(from) = work.pop() {
        for inputs in 0..1usize << circuit.inputs {
            let values = circuit.evaluate(&bits(inputs, circuit.inputs as usize), &bits(from, latches));
            if !circuit
                .constraints
                .iter()
                .all(|&literal| Aiger::value(&values, literal))
            {
                continue;
            }
            let next = circuit.latches.iter().enumerate();
            let to: usize = next
                .map(|(bit, latch)| usize::from(Aiger::value(&values, latch.next)) << bit)
                .sum();
            if !reached[to] {
                reached[to] = true;
                work.push(to);
            }
            steps.push(Step { from, to, values });
        }
    }
    steps
}

fn reference_of_bad(circuit: &Aiger) -> Vec<bool> {
    let steps = reachable_steps(circuit);
    let is_met = |&bad: &Literal| steps.iter().any(|step| Aiger::value(&step.values, bad));
    circuit.bad.iter().map(|bad| !is_met(bad)).collect()
}

/// The reference's verdicts: for each bad state and each justice property, whether it holds.
fn reference(circuit: &Aiger) -> Vec<bool> {
    let steps = reachable_steps(circuit);
    let bad = reference_of_bad(circuit);
    // Which states can reach which, by at least one step.
    let count = 1 << circuit.latches.len();
    let mut leads = vec![vec![false; count]; count];
    for step in &steps {
        leads[step.from][step.to] = true;
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                leads[from][to] |= leads[from][middle] && leads[middle][to];
            }
        }
    }
    let justice = circuit.justice.iter().map(|conditions| {
        let wanted = || conditions.iter().chain(&circuit.fairness);
        let is_just = |state: usize| {
            // Some loop through this state has, for each condition, a step that meets it.
            leads[state][state]
                && wanted().all(|&condition| {
                    steps.iter().any(|step| {
                        Aiger::value(&step.values, condition)
                            && (step.from == state || leads[state][step.from])
                            && (step.to == state || leads[step.to][state])
                    })
                })
        };
        !(0..count).any(|state| steps.iter().any(|step| step.from == state) && is_just(state))
    });
    bad.into_iter().chain(justice).collect()
}

fn agrees(answer: &Answer, holds: bool) -> bool {
    match answer.verdict {
        Verdict::Holds => holds,
        Verdict::Fails => !holds,
        Verdict::Unknown => true,
    }
}

fn written(model: &dyn Model, extension: &str) -> Converted {
    model
        .write(extension, &Options::default())
        .expect("a format of circuits")
        .unwrap_or_else(|error| panic!("{error}"))
}

const CIRCUITS: u64 = 400;

#[test]
fn engines_agree_with_the_reference_on_aiger() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..CIRCUITS {
        let circuit = random_circuit(seed);
        let expected = reference(&circuit);
        let model = load(write_ascii(&circuit).as_bytes(), "aiger");
        assert_eq!(model.properties().len(), expected.len());
        // The bounded engines have their turn below, where there is something to find.
        for engine in ["explicit", ["bdd", "ic3"][seed as usize % 2]] {
            // IC3 may need the limit, on a path formula.
            let limits = Limits {
                deciding: (engine == "ic3").then_some(Duration::from_secs(5)),
                judging: None,
            };
            let all = 0..expected.len();
            let judged = answers_within(&*model, engine, all, &Options::default(), limits)
                .unwrap_or_else(|error| panic!("seed {seed}, {engine}: {error}"));
            for (Judged { answer, .. }, &holds) in judged.iter().zip(&expected) {
                let told = answer.verdict != Verdict::Unknown;
                assert!(told || engine == "ic3", "seed {seed}, {engine}");
                assert!(
                    agrees(answer, holds),
                    "seed {seed}, {engine}: {:?}",
                    answer.verdict
                );
                held += usize::from(holds);
                failed += usize::from(!holds);
            }
        }
    }
    assert!(held > 200 && failed > 200, "{held} {failed}");
}

/// Safety of circuits with up to twelve latches: all engines, all evidence checked.
#[test]
fn all_engines_agree_on_safety() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..2000 {
        let circuit = Aiger {
            justice: Vec::new(),
            fairness: Vec::new(),
            ..circuit_of_size(seed, 4..13, 10..60)
        };
        let expected = reference_of_bad(&circuit);
        let model = load(&write_binary(&circuit), "aiger");
        for engine in [
            "explicit",
            "bdd",
            "ic3",
            "kind",
            "interpolation",
            "interpolation-sequence",
            "gla",
            "pba",
            "bmc",
        ] {
            let given = match engine {
                "bmc" => options(&[("bound", "40")]),
                _ => Options::default(),
            };
            let all = 0..model.properties().len();
            let judged = answers(&*model, engine, all, &given)
                .unwrap_or_else(|error| panic!("seed {seed}, {engine}: {error}"));
            for (Judged { answer, report }, &holds) in judged.iter().zip(&expected) {
                let context = || format!("seed {seed}, {engine}: {:?}", answer.verdict);
                assert!(agrees(answer, holds), "{}", context());
                let told = answer.verdict != Verdict::Unknown;
                // Bounded search proves nothing; some circuits count further than its bound.
                assert!(told || engine == "bmc", "{}", context());
                assert!(!told || *report == CheckReport::Accepted, "{}", context());
                held += usize::from(told && holds);
                failed += usize::from(told && !holds);
            }
        }
    }
    assert!(held > 5000 && failed > 5000, "{held} {failed}");
}

#[test]
fn conversions_keep_verdicts() {
    for seed in 0..CIRCUITS / 2 {
        let circuit = random_circuit(seed);
        let expected = reference(&circuit);
        let original = load(&write_binary(&circuit), "aiger");
        for (extension, language) in [
            ("aag", "aiger"),
            ("aig", "aiger"),
            ("btor2", "btor2"),
            ("smv", "smv"),
        ] {
            let converted = written(&*original, extension);
            assert!(converted.notes.is_empty());
            let model = load(&converted.bytes, language);
            let judged = all_answers(&*model, "explicit");
            assert_eq!(judged.len(), expected.len(), "seed {seed} as {extension}");
            for (Judged { answer, .. }, &holds) in judged.iter().zip(&expected) {
                assert!(
                    answer.verdict != Verdict::Unknown && agrees(answer, holds),
                    "seed {seed} as {extension}:\n{}",
                    String::from_utf8_lossy(&converted.bytes)
                );
            }
            // And back again by way of bits, from the SMV model, too. Properties may come in another order there: bad states first.
            if language != "aiger" {
                let back = written(&*model, "aag");
                let again = load(&back.bytes, "aiger");
                let judged = all_answers(&*again, "explicit");
                if back.notes.is_empty() {
                    assert_eq!(judged.len(), expected.len(), "seed {seed} back from {extension}");
                }
                for (Judged { answer, .. }, &holds) in judged.iter().zip(&expected) {
                    assert!(agrees(answer, holds), "seed {seed} back from {extension}");
                }
            }
        }
    }
}

/// What the checker says about the first claim of a witness file; nothing if it cannot be read.
fn certified(model: &dyn Model, witness: &str) -> Option<(usize, CheckReport)> {
    let given = Options::default();
    let mut checker = model.checker(&given).expect("no options");
    let claims = checker.import(witness).expect("not a JSON document").ok()?;
    let Claim { property, answer } = claims.into_iter().next()?;
    Some((property, checker.check(property, &answer, &Budget::unlimited())))
}

#[test]
fn witnesses_are_accepted_and_damaged_ones_judged_rightly() {
    let mut random = StdRng::seed_from_u64(5);
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..CIRCUITS {
        let circuit = random_circuit(seed);
        let aiger = load(&write_binary(&circuit), "aiger");
        let btor2 = load(&written(&*aiger, "btor2").bytes, "btor2");
        let expected = reference(&circuit);
        let failing = (0..expected.len()).filter(|&at| !expected[at]);
        for model in [aiger, btor2] {
            let given = Options::default();
            let engine = ["bmc", "explicit", "kind"][seed as usize % 3];
            let judged = answers(&*model, engine, failing.clone(), &given)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for (position, Judged { answer, .. }) in failing.clone().zip(&judged) {
                let checker = model.checker(&given).expect("no options");
                let witness = checker
                    .export(position, answer, "wit")
                    .expect("refutations of circuits have witnesses")
                    .expect("written");
                assert_eq!(
                    certified(&*model, &witness),
                    Some((position, CheckReport::Accepted)),
                    "seed {seed}: {witness}"
                );
                accepted += 1;
                // Flip a digit somewhere.
                let digits: Vec<usize> = (0..witness.len())
                    .filter(|&at| matches!(witness.as_bytes()[at], b'0' | b'1'))
                    .collect();
                let mut damaged = witness.clone().into_bytes();
                let at = digits[random.random_range(0..digits.len())];
                damaged[at] ^= 1;
                let damaged = String::from_utf8(damaged).expect("digits");
                match certified(&*model, &damaged) {
                    // It may still be a witness; then it is one of a property that fails.
                    Some((property, CheckReport::Accepted)) => {
                        assert!(!expected[property], "seed {seed}: {damaged}");
                    }
                    _ => rejected += 1,
                }
            }
        }
    }
    assert!(accepted > 200 && rejected > 50, "{accepted} {rejected}");
}

#[test]
fn formulas_can_be_asked_about_circuits() {
    let text = b"aag 2 1 1 0 1 1\n2\n4 4\n4\n";
    // A broken file first: its header promises a gate that is not there.
    assert!(load_with(text, "aiger", &Options::default()).is_err());
    let text = b"aag 3 1 1 0 1 1\n2\n4 6\n4\n6 3 5\ni0 stop\nl0 run\nb0 runs\n";
    let mut model = load(text, "aiger");
    for formula in [
        "G (run -> X !run)",
        "AG (run -> AX !run)",
        "G (stop -> X !run)",
        "F run",
    ] {
        model
            .add_property(formula, None)
            .unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(model.add_property("G walks", None).is_err());
    let verdicts: Vec<Verdict> = all_answers(&*model, "explicit")
        .iter()
        .map(|one| one.answer.verdict)
        .collect();
    use Verdict::{Fails, Holds};
    assert_eq!(verdicts, [Fails, Holds, Holds, Holds, Fails]);
}
