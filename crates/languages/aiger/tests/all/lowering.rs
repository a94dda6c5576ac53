//! The transition system behaves as the circuit does, and properties are what AIGER 1.9 says they are.

use crate::support;
use entail_aiger::{Aiger, Claim, Reset, lower, read, read_witnesses, write_witness};
use entail_logic::Question;
use entail_model::{Valuation, Value, evaluate_bool};
use support::random;

/// All combinations of so many truth values.
fn combinations(count: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << count).map(move |code| (0..count).map(|bit| code >> bit & 1 == 1).collect())
}

#[test]
fn every_step_of_the_system_is_a_step_of_the_circuit() {
    for seed in 0..300 {
        let circuit = random(seed);
        let model = lower(&circuit).expect("small");
        let system = &model.system;
        for latches in combinations(circuit.latches.len()) {
            let initial = circuit
                .latches
                .iter()
                .zip(&latches)
                .all(|(latch, &value)| match latch.reset {
                    Reset::Zero => !value,
                    Reset::One => value,
                    Reset::Free => true,
                });
            for inputs in combinations(circuit.inputs as usize) {
                let values = circuit.evaluate(&inputs, &latches);
                let is_true = |literal| Aiger::value(&values, literal);
                let now: Vec<Option<Value>> = inputs
                    .iter()
                    .chain(&latches)
                    .map(|&value| Some(Value::Bool(value)))
                    .collect();
                let truth = |term, at| evaluate_bool(&system.terms, term, at).expect("all are given");
                let at = Valuation::state(&now);
                assert_eq!(system.init.iter().all(|&term| truth(term, at)), initial);
                assert!(system.invariant.is_empty());
                let mut next = now.clone();
                for (position, latch) in circuit.latches.iter().enumerate() {
                    next[circuit.inputs as usize + position] = Some(Value::Bool(is_true(latch.next)));
                }
                let allowed = circuit.constraints.iter().all(|&literal| is_true(literal));
                let step = Valuation::step(&now, &next);
                assert_eq!(
                    system.transition.iter().all(|&term| truth(term, step)),
                    allowed,
                    "seed {seed}"
                );
                let (_, bad) = circuit.bad_states();
                assert_eq!(bad.len(), model.bad);
                for (property, &bad) in model.properties.iter().zip(bad) {
                    let Question::Invariant(safe) = property.question else {
                        panic!("bad states are invariants");
                    };
                    assert_eq!(!truth(safe, at), is_true(bad) && allowed, "seed {seed}");
                }
                for (&justice, &fairness) in system.justice.iter().zip(&circuit.fairness) {
                    assert_eq!(truth(justice, at), is_true(fairness));
                }
            }
        }
    }
}

#[test]
fn names_come_from_the_symbols_and_are_unique() {
    let circuit = read(
        "x.aag",
        b"aag 3 2 1 1 0\n2\n4\n6 2\n6\ni0 a\ni1 a\nl0 i0\no0 bad thing\n",
    )
    .expect("right");
    let model = lower(&circuit).expect("small");
    let names: Vec<&str> = model.system.variables().iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["a", "a#2", "i0"]);
    assert_eq!(model.properties[0].name.as_deref(), Some("bad thing"));
    assert_eq!(model.properties[0].text, "!\"bad thing\"");
}

#[test]
fn witnesses_are_read_as_they_are_written() {
    let text = write_witness(
        Claim::Justice(3),
        &[Some(true), None],
        [vec![Some(false)], vec![None], vec![Some(true)]],
    );
    assert_eq!(text, "1\nj3\n1x\n0\nx\n1\n.\n");
    let read = read_witnesses(&format!("c first\n0\nb0\n.\nu4\n{text}"), 2, 1).expect("right");
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].claims, [Claim::Justice(3)]);
    assert_eq!(read[0].stimulus.registers, [[(0, Value::Bool(true))]]);
    assert_eq!(read[0].stimulus.inputs.len(), 3);
}

#[test]
fn wrong_witnesses_are_refused_with_their_line() {
    let table = [
        ("3\nb0\n\n\n.\n", 1, "verdict"),
        ("1\n00\n", 2, "properties"),
        ("1\nbx\n00\n0\n.\n", 2, "`bx`"),
        ("1\nb0\n0\n0\n.\n", 3, "another model"),
        ("1\nb0\n00\n0\n", 4, "without the `.`"),
        ("1\nb0\n0z\n0\n.\n", 3, "0, 1 or x"),
        ("1\nb0\n00\n.\n", 4, "at least one step"),
        ("1\nb0\n", 2, "ends before"),
    ];
    for (text, line, part) in table {
        let error = read_witnesses(text, 2, 1).expect_err(text);
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.message.contains(part), "{text:?}: {error}");
    }
}
