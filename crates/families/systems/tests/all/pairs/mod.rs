//! Random pairs of small circuits: every engine says what stepping through all states of both says, whatever the second one is written in; evidence about one pair
//! is no evidence about another.

mod dont_cares;

use crate::asking::{load_with, options};
use crate::circuits::circuit_of_size;
use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind, write_ascii};
use entail_answer::{Answer, Verdict};
use entail_budget::{Budget, Silent};
use entail_family::{LoadError, Model};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write;

const ENGINES: [&str; 3] = ["sweep", "ic3", "bmc"];

/// How many times as much as usual.
fn effort() -> u64 {
    let given = std::env::var("ENTAIL_EFFORT").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1).max(1)
}

/// A circuit with outputs only.
fn gold(seed: u64) -> Aiger {
    let mut circuit = circuit_of_size(seed, 1..4, 3..12);
    circuit.outputs = std::mem::take(&mut circuit.bad);
    circuit.constraints.clear();
    circuit.justice.clear();
    circuit.fairness.clear();
    named(circuit)
}

/// With names for the latches: without, those that begin with any value belong to none of another circuit.
fn named(mut circuit: Aiger) -> Aiger {
    for position in 0..circuit.latches.len() as u32 {
        circuit
            .symbols
            .insert((SymbolKind::Latch, position), format!("l{position}"));
    }
    circuit
}

/// The same function in other gates: some gates are made of three, a latch is there twice.
fn rewritten(gold: &Aiger, random: &mut StdRng) -> Aiger {
    let mut gate = Aiger {
        inputs: gold.inputs,
        latches: gold.latches.clone(),
        ..Aiger::default()
    };
    let twice = random.random_range(0..gold.latches.len());
    gate.latches.push(Latch {
        next: Literal::FALSE,
        // (What begins with any value need not begin alike.)
        reset: gold.latches[twice].reset,
    });
    let is_copied = gold.latches[twice].reset != Reset::Free;
    let leaves = 1 + gold.inputs + gold.latches.len() as u32;
    let mut image: Vec<Literal> = (0..leaves).map(Literal::of).collect();
    let of = |image: &[Literal], literal: Literal| {
        image[literal.variable() as usize].flipped_if(literal.is_negated())
    };
    let add = |gate: &mut Aiger, a: Literal, b: Literal| {
        gate.gates.push([a.max(b), a.min(b)]);
        gate.gate(gate.gates.len() as u32 - 1)
    };
    let copy = gate.latch(gold.latches.len() as u32);
    for &[a, b] in &gold.gates {
        let (mut a, b) = (of(&image, a), of(&image, b));
        if is_copied && a == gold.latch(twice as u32) && random.random_bool(0.5) {
            a = copy;
        }
        let made = match random.random_range(0..3) {
            // a & b = a & !(a & !b) = (a & b) & b
            0 => {
                let only = add(&mut gate, a, !b);
                add(&mut gate, a, !only)
            }
            1 => {
                let both = add(&mut gate, a, b);
                add(&mut gate, both, b)
            }
            _ => add(&mut gate, a, b),
        };
        image.push(made);
    }
    for (position, latch) in gold.latches.iter().enumerate() {
        gate.latches[position].next = of(&image, latch.next);
    }
    gate.latches[gold.latches.len()].next = of(&image, gold.latches[twice].next);
    gate.outputs = gold.outputs.iter().map(|&output| of(&image, output)).collect();
    named(gate)
}

/// One operand of one gate is negated, or an output is.
fn changed(circuit: &Aiger, random: &mut StdRng) -> Aiger {
    let mut changed = circuit.clone();
    match changed.gates.len() {
        0 => changed.outputs[0] = !changed.outputs[0],
        gates => {
            let gate = &mut changed.gates[random.random_range(0..gates)];
            gate[0] = !gate[0];
        }
    }
    changed
}

/// All states of both circuits that can be reached: whether an output differs in one of them. Latches of gold without a first value begin as gate's do.
fn differ(gold: &Aiger, gate: &Aiger) -> bool {
    let bits = |code: usize, count: usize| (0..count).map(|bit| code >> bit & 1 == 1).collect::<Vec<_>>();
    let fits = |latch: &Latch, value: bool| match latch.reset {
        Reset::Zero => !value,
        Reset::One => value,
        Reset::Free => true,
    };
    let mut work: Vec<(Vec<bool>, Vec<bool>)> = Vec::new();
    for code in 0..1 << gate.latches.len() {
        let theirs = bits(code, gate.latches.len());
        if !gate
            .latches
            .iter()
            .zip(&theirs)
            .all(|(latch, &value)| fits(latch, value))
        {
            continue;
        }
        let ours = gold
            .latches
            .iter()
            .zip(&theirs)
            .map(|(latch, &value)| match latch.reset {
                Reset::Zero => false,
                Reset::One => true,
                Reset::Free => value,
            });
        work.push((ours.collect(), theirs));
    }
    let mut seen: BTreeSet<_> = work.iter().cloned().collect();
    while let Some((ours, theirs)) = work.pop() {
        for code in 0..1usize << gold.inputs {
            let inputs = bits(code, gold.inputs as usize);
            let (a, b) = (gold.evaluate(&inputs, &ours), gate.evaluate(&inputs, &theirs));
            let outputs = gold.outputs.iter().zip(&gate.outputs);
            if outputs
                .into_iter()
                .any(|(&x, &y)| Aiger::value(&a, x) != Aiger::value(&b, y))
            {
                return true;
            }
            let next = |circuit: &Aiger, values: &[bool]| -> Vec<bool> {
                circuit
                    .latches
                    .iter()
                    .map(|latch| Aiger::value(values, latch.next))
                    .collect()
            };
            let after = (next(gold, &a), next(gate, &b));
            if seen.insert(after.clone()) {
                work.push(after);
            }
        }
    }
    false
}

/// The circuit in BLIF, under AIGER's names.
fn blif(circuit: &Aiger) -> String {
    let name = |variable: u32| match variable {
        0 => "zero".to_owned(),
        input if input <= circuit.inputs => format!("i{}", input - 1),
        other => match other - 1 - circuit.inputs {
            latch if (latch as usize) < circuit.latches.len() => format!("l{latch}"),
            gate => format!("g{}", gate as usize - circuit.latches.len()),
        },
    };
    let mut text = ".model test\n.inputs \\\n".to_owned();
    let inputs: Vec<String> = (1..=circuit.inputs).map(name).collect();
    let outputs: Vec<String> = (0..circuit.outputs.len())
        .map(|number| format!("o{number}"))
        .collect();
    writeln!(text, " {}\n.outputs {}", inputs.join(" "), outputs.join(" ")).expect("a string");
    text += ".names zero # no row: never\n";
    for (position, latch) in circuit.latches.iter().enumerate() {
        let init = match latch.reset {
            Reset::Zero => 0,
            Reset::One => 1,
            Reset::Free => 3,
        };
        writeln!(text, ".latch n{position} l{position} re clk {init}").expect("a string");
    }
    let mut buffer = |output: String, literal: Literal| {
        let row = if literal.is_negated() { "0 1" } else { "1 1" };
        writeln!(text, ".names {} {output}\n{row}", name(literal.variable())).expect("a string");
    };
    for (position, latch) in circuit.latches.iter().enumerate() {
        buffer(format!("n{position}"), latch.next);
    }
    for (position, &output) in circuit.outputs.iter().enumerate() {
        buffer(format!("o{position}"), output);
    }
    for (position, [a, b]) in circuit.gates.iter().enumerate() {
        let entry = |literal: &Literal| if literal.is_negated() { '0' } else { '1' };
        let (first, second) = (name(a.variable()), name(b.variable()));
        // Every other gate by the rows for which it is false.
        let rows = match position % 2 {
            0 => format!("{}{} 1", entry(a), entry(b)),
            _ => format!("{}- 0\n-{} 0", entry(&!*a), entry(&!*b)),
        };
        writeln!(text, ".names {first} {second} g{position}\n{rows}").expect("a string");
    }
    text + ".end\n"
}

fn load_pair(
    gold: &Aiger,
    gate: impl AsRef<[u8]>,
    language: &str,
    more: &[(&str, &str)],
) -> Result<Box<dyn Model>, LoadError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.aag");
    std::fs::write(&path, write_ascii(gold)).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let mut given = vec![("against", path.as_str())];
    given.extend_from_slice(more);
    load_with(gate.as_ref(), language, &options(&given))
}

fn asked(model: &dyn Model, engine: &str) -> Answer {
    let options = match engine {
        // Enough for every difference between circuits of this size.
        "bmc" => options(&[("bound", "40")]),
        _ => options(&[]),
    };
    let mut session = model.open(&options, false).expect("options");
    let budget = Budget::unlimited().with_timeout(Some(std::time::Duration::from_secs(20)));
    session.check(engine, 0, &budget, &Silent).expect("a meaning")
}

#[test]
fn engines_say_of_pairs_what_stepping_through_their_states_says() {
    let (mut same, mut different, mut foreign) = (0, 0, 0);
    for seed in 0..80 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let gold = gold(seed);
        let equal = rewritten(&gold, &mut random);
        let gate = match seed % 3 {
            0 => equal.clone(),
            _ => changed(&equal, &mut random),
        };
        let expected = match differ(&gold, &gate) {
            true => Verdict::Fails,
            false => Verdict::Holds,
        };
        let text = blif(&gate);
        let ascii = write_ascii(&gate);
        for (bytes, language) in [(ascii.as_bytes(), "aiger"), (text.as_bytes(), "blif")] {
            let model = load_pair(&gold, bytes, language, &[])
                .unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
            let nothing = options(&[]);
            let mut checker = model.checker(&nothing).expect("options");
            let own = load_pair(&gold, write_ascii(&equal), "aiger", &[]).expect("a pair");
            let mut other = own.checker(&nothing).expect("options");
            for engine in ENGINES {
                let answer = asked(&*model, engine);
                if engine == "bmc" && expected == Verdict::Holds {
                    assert_ne!(answer.verdict, Verdict::Fails, "{seed}, {language}");
                    continue;
                }
                assert_eq!(
                    answer.verdict, expected,
                    "{seed}, {language}, {engine}: {:?}",
                    answer.reason
                );
                let report = checker.check(0, &answer, &Budget::unlimited());
                assert!(report.is_accepted(), "{seed}, {language}, {engine}: {report}");
                // What tells these circuits apart does not tell apart those that are the same.
                if expected == Verdict::Fails {
                    let report = other.check(0, &answer, &Budget::unlimited());
                    assert!(report.is_rejected(), "{seed}, {language}, {engine}: {report}");
                    foreign += 1;
                }
            }
            // A proof about the circuits that are the same proves nothing about these.
            if expected == Verdict::Fails && language == "aiger" {
                let proof = asked(&*own, "sweep");
                assert_eq!(proof.verdict, Verdict::Holds);
                assert!(
                    checker.check(0, &proof, &Budget::unlimited()).is_rejected(),
                    "{seed}"
                );
            }
        }
        match expected {
            Verdict::Fails => different += 1,
            _ => same += 1,
        }
    }
    assert!(
        same > 20 && different > 10 && foreign > 50,
        "{same} {different} {foreign}"
    );
}

#[test]
fn ports_that_do_not_fit_are_refused_or_listed() {
    let mut circuit = gold(5);
    circuit.outputs = vec![Literal::TRUE, Literal::FALSE];
    let mut less = circuit.clone();
    less.outputs.pop();
    let model = load_pair(&circuit, write_ascii(&less), "aiger", &[]).expect("a pair");
    let left: Vec<String> = model
        .unsupported()
        .into_iter()
        .filter_map(|(heading, _)| heading.name)
        .collect();
    assert_eq!(left, ["o1"]);
    // A map that speaks of what is not there is wrong at its line.
    let folder = tempfile::tempdir().expect("a folder");
    let map = folder.path().join("names.map");
    std::fs::write(&map, "# names\nl0 l0\nl0 stranger\n").expect("a file");
    let path = map.to_string_lossy().into_owned();
    let refused = load_pair(&circuit, write_ascii(&circuit), "aiger", &[("map", &path)]);
    let Err(LoadError::Invalid {
        source_text,
        diagnostics,
    }) = refused.map(|_| ())
    else {
        panic!("the map is wrong");
    };
    let lines: Vec<usize> = diagnostics
        .0
        .iter()
        .map(|one| source_text.place(one.span().start).line)
        .collect();
    assert_eq!(lines, [3]);
    // An answer for each output, where that is asked for.
    let each = load_pair(&circuit, write_ascii(&circuit), "aiger", &[("each-output", "")]).expect("a pair");
    assert_eq!(each.properties().len(), 2);
}

/// Both circuits number their signals, the second from 1 on: `n1` and `n2` are in both by accident. Matched by these names the circuits would differ, which they do not. Where the numbers do nothing
/// but count, the order tells; with a gap it does not.
#[test]
fn names_that_fit_by_accident_are_refused_and_not_called_a_difference() {
    let circuit = |a: &str, b: &str, c: &str| {
        format!(".model m\n.inputs {a} {b} {c}\n.outputs o\n.names {a} {b} {c} o\n110 1\n.end\n")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let gold = file("gold.blif", &circuit("n0", "n1", "n2"));
    let counted = circuit("n1", "n2", "n3");
    let model = load_with(counted.as_bytes(), "blif", &options(&[("against", &gold)])).expect("a pair");
    assert!(
        model
            .warnings()
            .iter()
            .any(|one| one.message.contains("in their order"))
    );
    assert_eq!(asked(&*model, "ic3").verdict, Verdict::Holds);
    let gate = circuit("n1", "n2", "n4");
    let refused = load_with(gate.as_bytes(), "blif", &options(&[("against", &gold)]));
    let Err(LoadError::Invalid { diagnostics, .. }) = refused.map(|_| ()) else {
        panic!("the inputs do not belong together");
    };
    let problem = &diagnostics.0[0];
    assert_eq!(problem.code, "equiv::inputs");
    assert!(
        problem.message.contains("`n0`") && problem.message.contains("`n4`"),
        "{problem}"
    );
    // A map says what belongs together, and then they are the same.
    let map = file("names.map", "n0 n1\nn1 n2\nn2 n4\n");
    let given = options(&[("against", &gold), ("map", &map)]);
    let model = load_with(gate.as_bytes(), "blif", &given).expect("a pair");
    assert_eq!(asked(&*model, "ic3").verdict, Verdict::Holds);
}

/// A source of gold without a name, as yosys writes an X of a text: proofs that say what stands in its place are accepted, and what does differ is found.
#[test]
fn an_x_of_a_text_is_a_dont_care_in_proofs() {
    let gold = "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 op\n4 input 2 a\n5 state 2\n6 ite 2 3 5 4\n7 zero 2\n8 state 2 r\n9 init 2 8 7\n10 next 2 8 6\n11 output 6 y\n12 output 8 z\n";
    let gate = |value: i32| {
        format!(
            "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 op\n4 input 2 a\n5 zero 2\n6 state 2 r\n7 init 2 6 5\n8 next 2 6 {value}\n9 output {value} y\n10 output 6 z\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.btor2");
    std::fs::write(&path, gold).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let given = options(&[("against", &path)]);
    for (value, expected) in [(4, Verdict::Holds), (-4, Verdict::Fails)] {
        let model = load_with(gate(value).as_bytes(), "btor2", &given).expect("a pair");
        let nothing = options(&[]);
        let mut checker = model.checker(&nothing).expect("options");
        for engine in ["sweep", "ic3"] {
            let answer = asked(&*model, engine);
            assert_eq!(answer.verdict, expected, "{engine} {value}");
            let report = checker.check(0, &answer, &Budget::unlimited());
            assert!(report.is_accepted(), "{engine} {value}: {report}");
        }
    }
}

/// Bits of a word of gold may be called by other names in gate.
#[test]
fn a_map_names_bits_of_words() {
    let gold = "1 sort bitvec 1\n2 sort bitvec 2\n3 input 2 w\n4 slice 1 3 1 1\n5 slice 1 3 0 0\n6 and 1 4 -5\n7 output 6 o\n";
    let gate = ".model m\n.inputs hi lo\n.outputs o\n.names hi lo o\n10 1\n.end\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    };
    let gold = file("gold.btor2", gold);
    for (map, expected) in [
        ("w[1] hi\nw[0] lo\n", Verdict::Holds),
        ("w[0] hi\nw[1] lo\n", Verdict::Fails),
    ] {
        let map = file("names.map", map);
        let given = options(&[("against", &gold), ("map", &map)]);
        let model = load_with(gate.as_bytes(), "blif", &given).expect("a pair");
        assert_eq!(asked(&*model, "sweep").verdict, expected, "{map}");
    }
    let map = file("names.map", "w[2] hi\nw[0] lo\n");
    let given = options(&[("against", &gold), ("map", &map)]);
    let refused = load_with(gate.as_bytes(), "blif", &given).map(|_| ());
    let Err(LoadError::Invalid { diagnostics, .. }) = refused else {
        panic!("there is no such bit");
    };
    assert!(
        diagnostics.0[0].message.contains("`w[2]`"),
        "{}",
        diagnostics.0[0]
    );
}

/// Gold has a register that nothing sets and that the gate does not have: where its value decides, gold's output is X.
#[test]
fn an_x_of_gold_is_never_a_difference() {
    let gold = ".model gold\n.inputs a\n.outputs o\n.latch r r 3\n.names a r o\n11 1\n.end\n";
    let gate = |o: &str| format!(".model gate\n.inputs a\n.outputs o\n.names a o\n{o}.end\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.blif");
    std::fs::write(&path, gold).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let given = options(&[("against", &path)]);
    // `a & X` is X where `a` is true: `0`, `a` are as good as any; `!a` is true where gold is false.
    for (rows, may_differ) in [("", false), ("1 1\n", false), ("0 1\n", true)] {
        let model = load_with(gate(rows).as_bytes(), "blif", &given).expect("a pair");
        for engine in ENGINES {
            let answer = asked(&*model, engine);
            let expected = match (may_differ, engine) {
                (true, _) => Verdict::Fails,
                (false, "bmc") => Verdict::Unknown,
                (false, _) => Verdict::Holds,
            };
            assert_eq!(answer.verdict, expected, "{engine} {rows}");
        }
    }
}
