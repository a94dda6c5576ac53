//! X of gold: registers that nothing sets are don't-cares. Every engine says what stepping through all states says, where gold's are three-valued; damaged proofs prove nothing.

use super::{ENGINES, asked, changed, effort, load_pair, rewritten};
use crate::asking::{load_with, options};
use crate::circuits::circuit_of_size;
use entail_aiger::{Aiger, Literal, Reset, write_ascii};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_evidence::Evidence;
use entail_model::Op;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

/// A circuit with outputs only, some latches of which begin with any value; latches have no names, so they belong to none of another circuit.
fn gold_with_x(seed: u64) -> Aiger {
    let mut random = StdRng::seed_from_u64(seed);
    let mut circuit = circuit_of_size(seed, 1..4, 3..14);
    circuit.outputs = std::mem::take(&mut circuit.bad);
    circuit.constraints.clear();
    circuit.justice.clear();
    circuit.fairness.clear();
    circuit.symbols.clear();
    for latch in &mut circuit.latches {
        if random.random_bool(0.3) {
            latch.reset = Reset::Free;
        }
    }
    folded(&circuit)
}

/// The same circuit with equal gates shared, and without gates that are constant because one operand is the complement of the other: a reader sees that these are no X.
fn folded(circuit: &Aiger) -> Aiger {
    let leaves = 1 + circuit.inputs + circuit.latches.len() as u32;
    let mut image: Vec<Literal> = (0..leaves).map(Literal::of).collect();
    let of = |image: &[Literal], literal: Literal| {
        image[literal.variable() as usize].flipped_if(literal.is_negated())
    };
    let mut known: BTreeMap<[Literal; 2], Literal> = BTreeMap::new();
    let mut folded = circuit.clone();
    folded.gates.clear();
    for &[a, b] in &circuit.gates {
        let (a, b) = (of(&image, a), of(&image, b));
        let (a, b) = (a.max(b), a.min(b));
        image.push(match b {
            Literal::FALSE => b,
            Literal::TRUE => a,
            _ if a == b => a,
            _ if a == !b => Literal::FALSE,
            _ => *known.entry([a, b]).or_insert_with(|| {
                folded.gates.push([a, b]);
                folded.gate(folded.gates.len() as u32 - 1)
            }),
        });
    }
    for latch in &mut folded.latches {
        latch.next = of(&image, latch.next);
    }
    // (A register that is an output has its name, and would belong to gate's register of that name.)
    let is_latch = |literal: Literal| (circuit.inputs + 1..leaves).contains(&literal.variable());
    let outputs = circuit.outputs.iter().map(|&output| of(&image, output));
    folded.outputs = outputs
        .map(|output| output.flipped_if(is_latch(output) && !output.is_negated()))
        .collect();
    folded
}

/// The values of all signals, as far as they are known.
fn evaluate(circuit: &Aiger, inputs: &[bool], latches: &[Option<bool>]) -> Vec<Option<bool>> {
    let mut values = vec![Some(false)];
    values.extend(inputs.iter().copied().map(Some));
    values.extend_from_slice(latches);
    for &[a, b] in &circuit.gates {
        let both = match (of(&values, a), of(&values, b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        values.push(both);
    }
    values
}

fn of(values: &[Option<bool>], literal: Literal) -> Option<bool> {
    values[literal.variable() as usize].map(|value| value != literal.is_negated())
}

fn bits(code: usize, count: usize) -> Vec<bool> {
    (0..count).map(|bit| code >> bit & 1 == 1).collect()
}

/// Whether an output of gold ever has a value, by three-valued simulation, and gate's another one.
fn differ_where_known(gold: &Aiger, gate: &Aiger) -> bool {
    let first = |latch: &entail_aiger::Latch| match latch.reset {
        Reset::Zero => Some(false),
        Reset::One => Some(true),
        Reset::Free => None,
    };
    let ours: Vec<Option<bool>> = gold.latches.iter().map(first).collect();
    let mut work: Vec<(Vec<Option<bool>>, Vec<bool>)> = (0..1 << gate.latches.len())
        .map(|code| bits(code, gate.latches.len()))
        .filter(|theirs| {
            let mut latches = gate.latches.iter().zip(theirs);
            latches.all(|(latch, &value)| first(latch).is_none_or(|first| first == value))
        })
        .map(|theirs| (ours.clone(), theirs))
        .collect();
    let mut seen: BTreeSet<_> = work.iter().cloned().collect();
    while let Some((ours, theirs)) = work.pop() {
        for code in 0..1usize << gold.inputs {
            let inputs = bits(code, gold.inputs as usize);
            let a = evaluate(gold, &inputs, &ours);
            let b = gate.evaluate(&inputs, &theirs);
            let mut outputs = gold.outputs.iter().zip(&gate.outputs);
            if outputs.any(|(&x, &y)| of(&a, x).is_some_and(|value| value != Aiger::value(&b, y))) {
                return true;
            }
            let after = (
                gold.latches.iter().map(|latch| of(&a, latch.next)).collect(),
                gate.latches
                    .iter()
                    .map(|latch| Aiger::value(&b, latch.next))
                    .collect(),
            );
            if seen.insert(after.clone()) {
                work.push(after);
            }
        }
    }
    false
}

/// Gate with every latch that begins with any value beginning with one of them: that is what synthesis may do.
fn with_values(gate: &Aiger, random: &mut StdRng) -> Aiger {
    let mut chosen = gate.clone();
    for latch in &mut chosen.latches {
        if latch.reset == Reset::Free {
            latch.reset = if random.random_bool(0.5) {
                Reset::One
            } else {
                Reset::Zero
            };
        }
    }
    chosen
}

#[test]
fn engines_say_of_gold_with_x_what_three_valued_stepping_says() {
    let (mut same, mut different, mut damaged) = (0, 0, 0);
    for seed in 0..120 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let gold = gold_with_x(seed);
        let mut gate = with_values(&rewritten(&gold, &mut random), &mut random);
        if seed % 2 == 1 {
            gate = changed(&gate, &mut random);
        }
        gate.symbols.clear();
        let expected = match differ_where_known(&gold, &gate) {
            true => Verdict::Fails,
            false => Verdict::Holds,
        };
        let model = load_pair(&gold, write_ascii(&gate), "aiger", &[]).expect("a pair");
        let nothing = options(&[]);
        let mut checker = model.checker(&nothing).expect("options");
        for engine in ENGINES {
            let answer = asked(&*model, engine);
            if engine == "bmc" && expected == Verdict::Holds {
                assert_ne!(answer.verdict, Verdict::Fails, "{seed}");
                continue;
            }
            assert_eq!(answer.verdict, expected, "{seed}, {engine}: {:?}", answer.reason);
            let report = checker.check(0, &answer, &Budget::unlimited());
            assert!(report.is_accepted(), "{seed}, {engine}: {report}");
            // A proof without one of its members, or with its complement, is accepted only if it is one still.
            let mut answer = answer;
            let evidence = answer
                .evidence
                .as_ref()
                .and_then(|evidence| evidence.data::<Evidence>());
            if let Some(Evidence::Invariant(proof)) = evidence {
                let mut broken = proof.clone();
                broken.invariant = match proof.terms.op(proof.invariant) {
                    Op::And => {
                        let members = proof.terms.operands(proof.invariant).to_vec();
                        let denied = broken.terms.not(members[random.random_range(0..members.len())]);
                        broken.terms.and(members.into_iter().chain([denied]))
                    }
                    _ => broken.terms.not(proof.invariant),
                };
                answer.evidence = Some(Box::new(Evidence::Invariant(broken)));
                let report = checker.check(0, &answer, &Budget::unlimited());
                assert!(report.is_rejected(), "{seed}, {engine}: {report}");
                damaged += 1;
            }
        }
        match expected {
            Verdict::Fails => different += 1,
            _ => same += 1,
        }
    }
    assert!(
        same > 30 && different > 15 && damaged > 30,
        "{same} {different} {damaged}"
    );
}

/// A register that nothing sets, and what a choice, an equality and a sum make of it.
#[test]
fn operators_on_x_are_those_of_systemverilog() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gold.btor2");
    // x has four bits of which two are X; gate is asked to be what is known.
    let gold = |output: &str| {
        format!(
            "1 sort bitvec 1\n2 sort bitvec 2\n4 sort bitvec 4\n5 state 2 x\n6 next 2 5 5\n7 input 2 a\n8 input 1 c\n9 concat 4 5 7\n{output}"
        )
    };
    let gate = |output: &str| {
        format!(
            "1 sort bitvec 1\n2 sort bitvec 2\n4 sort bitvec 4\n7 input 2 a\n8 input 1 c\n20 zero 1\n21 one 1\n22 zero 2\n23 zero 4\n24 one 4\n{output}"
        )
    };
    let cases = [
        // Two words that differ in a known bit differ; if they do not, it is X.
        (
            "10 zero 2\n11 concat 4 10 7\n12 eq 1 9 11\n13 output 12 o\n",
            "30 output 20 o\n",
            true,
        ),
        (
            "10 not 2 7\n11 concat 4 5 10\n12 eq 1 9 11\n13 output 12 o\n",
            "30 output 20 o\n",
            true,
        ),
        (
            "10 not 2 7\n11 concat 4 5 10\n12 eq 1 9 11\n13 output 12 o\n",
            "30 output 21 o\n",
            false,
        ),
        // Both branches agree.
        (
            "10 redor 1 5\n11 ite 2 10 7 7\n13 output 11 o\n",
            "30 output 7 o\n",
            true,
        ),
        (
            "10 redor 1 5\n11 ite 2 10 7 -7\n13 output 11 o\n",
            "30 output 22 o\n",
            true,
        ),
        // A sum with an X is X in all bits, a shift moves what is known.
        (
            "10 one 4\n11 add 4 9 10\n13 output 11 o\n",
            "30 output 23 o\n",
            true,
        ),
        (
            "10 constd 4 2\n11 sll 4 9 10\n13 output 11 o\n",
            "30 concat 4 7 22\n31 output 30 o\n",
            true,
        ),
        (
            "10 constd 4 2\n11 sll 4 9 10\n13 output 11 o\n",
            "30 output 24 o\n",
            false,
        ),
        // Bits that an absorbing value decides.
        (
            "10 sext 4 8 3\n11 and 4 9 10\n13 output 11 o\n",
            "30 sext 2 8 1\n31 and 2 7 30\n32 concat 4 22 31\n33 output 32 o\n",
            true,
        ),
        (
            "10 sext 4 8 3\n11 or 4 9 10\n13 output 11 o\n",
            "30 output 24 o\n",
            false,
        ),
    ];
    for (number, (ours, theirs, is_same)) in cases.into_iter().enumerate() {
        std::fs::write(&path, gold(ours)).expect("a file");
        let given = options(&[("against", &path.to_string_lossy())]);
        let model = load_with(gate(theirs).as_bytes(), "btor2", &given)
            .unwrap_or_else(|error| panic!("{number}: {error}"));
        let nothing = options(&[]);
        let mut checker = model.checker(&nothing).expect("options");
        for engine in ["sweep", "ic3"] {
            let answer = asked(&*model, engine);
            let expected = if is_same { Verdict::Holds } else { Verdict::Fails };
            assert_eq!(
                answer.verdict, expected,
                "{number}, {engine}: {:?}",
                answer.reason
            );
            let report = checker.check(0, &answer, &Budget::unlimited());
            assert!(report.is_accepted(), "{number}, {engine}: {report}");
        }
    }
}
