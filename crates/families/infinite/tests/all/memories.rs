//! BTOR2 circuits with large memories: what is decided about them, and every operator beside its finite-state meaning.

use super::integers_in_smv::{Random, effort};
use super::scripts::verdicts;
use entail_answer::Verdict;
use entail_btor2::{Operator, has_large_memory};
use entail_model::{Op, Value};
use entail_source::Source;

fn decided(text: &str) -> Vec<Verdict> {
    verdicts(text.as_bytes(), "btor2-memory").0
}

/// A memory of 2^32 bytes: what is written at an address is there until the address is written again.
const MEMORY: &str = "
1 sort bitvec 1
2 sort bitvec 32
3 sort bitvec 8
4 sort array 2 3
5 zero 3
6 state 4 memory
7 init 4 6 5
8 input 2 address
9 input 3 byte
10 write 4 6 8 9
11 next 4 6 10
12 state 2 watched
13 next 2 12 12
14 state 3 expected
15 init 3 14 5
16 eq 1 8 12
17 ite 3 16 9 14
18 next 3 14 17
19 read 3 6 12
20 neq 1 19 14
21 bad 20 remembered
22 constd 3 42
23 eq 1 19 22
24 bad 23 never42
25 constraint -23
";

#[test]
fn memories_of_any_size_are_decided() {
    assert!(has_large_memory(MEMORY.as_bytes()));
    assert!(!has_large_memory(b"1 sort bitvec 8\n2 sort array 1 1\n"));
    let without_constraint = MEMORY.replace("25 constraint -23\n", "");
    assert_eq!(decided(&without_constraint), [Verdict::Holds, Verdict::Fails]);
    assert_eq!(decided(MEMORY), [Verdict::Holds, Verdict::Holds]);
}

/// What an operator gives for constants, as the finite-state reader computes it.
fn finite(text: &str) -> Option<Value> {
    let circuit = entail_btor2::read(&Source::new("constants.btor2", text)).ok()?;
    let lowered = entail_btor2::lower(&circuit).ok()?;
    let result = (lowered.system.defines.iter()).find(|define| &*define.name == "result")?;
    match lowered.system.terms.op(result.term) {
        Op::Constant(value) => Some(value.clone()),
        _ => None,
    }
}

/// A value as bits, the highest first.
fn bits(value: &Value) -> String {
    match value {
        Value::Bool(truth) => u8::from(*truth).to_string(),
        Value::Word(word) => (0..word.width())
            .rev()
            .map(|place| if word.bit(place) { '1' } else { '0' })
            .collect(),
        _ => panic!("no bits"),
    }
}

#[test]
fn every_operator_means_what_it_means_in_finite_circuits() {
    let mut random = Random(5);
    let mut compared = 0;
    for round in 0..4 * effort() {
        for operator in Operator::all() {
            let name = operator.name();
            let width = match name {
                "iff" | "implies" => 1,
                _ => 1 + (random.below(5) + round) % 6,
            };
            let number = |random: &mut Random| {
                // Extreme values are where operators differ.
                let value = match random.below(4) {
                    0 => 0,
                    1 => (1 << width) - 1,
                    2 => 1 << (width - 1),
                    _ => random.below(1 << width),
                };
                format!("{value:0size$b}", size = width as usize)
            };
            let (a, b) = (number(&mut random), number(&mut random));
            // Sorts: 1 one bit, 2 the width, 3 the result's.
            let (result, arguments) = match name {
                "redand" | "redor" | "redxor" => (1, "10"),
                "not" | "inc" | "dec" | "neg" => (width, "10"),
                "iff" | "implies" | "eq" | "neq" | "sgt" | "ugt" | "sgte" | "ugte" | "slt" | "ult"
                | "slte" | "ulte" | "saddo" | "uaddo" | "sdivo" | "smulo" | "umulo" | "ssubo" | "usubo" => {
                    (1, "10 11")
                }
                "concat" => (2 * width, "10 11"),
                "slice" => (width, "10 TOP 0"),
                "sext" | "uext" => (width + 3, "10 3"),
                // Memories have a test of their own.
                "read" | "write" | "ite" => continue,
                _ => (width, "10 11"),
            };
            let arguments = arguments.replace("TOP", &(width - 1).to_string());
            let head = format!("1 sort bitvec 1\n2 sort bitvec {width}\n3 sort bitvec {result}\n");
            let constants = format!(
                "{head}10 const 2 {a}\n11 const 2 {b}\n20 {name} 3 {arguments} result\n30 output 20\n"
            );
            let Some(expected) = finite(&constants) else {
                continue;
            };
            let expected = bits(&expected);
            let free = format!(
                "{head}10 input 2\n11 input 2\n12 const 2 {a}\n13 const 2 {b}\n14 eq 1 10 12\n15 eq 1 11 13\n16 constraint 14\n\
                 17 constraint 15\n20 {name} 3 {arguments}\n21 const 3 {expected}\n22 neq 1 20 21\n23 bad 22\n24 bad -22\n"
            );
            assert_eq!(decided(&free), [Verdict::Holds, Verdict::Fails], "{free}");
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared} operators compared");
}
