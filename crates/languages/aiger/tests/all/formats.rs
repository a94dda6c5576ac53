//! Reading and writing are inverse, in both formats; damaged files are refused with a place, and never crash the reader.

use crate::support;
use entail_aiger::{Aiger, Literal, Reset, SymbolKind, read, write_ascii, write_binary};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::random;

fn good(text: &str) -> Aiger {
    read("test.aag", text.as_bytes()).unwrap_or_else(|error| panic!("{}", error.diagnostics))
}

/// Message, line and column of the error.
fn bad(bytes: &[u8]) -> (String, usize, usize) {
    let error = read("test.aag", bytes).expect_err("the file is wrong");
    let diagnostic = &error.diagnostics.0[0];
    let place = error.source.place(diagnostic.span().start);
    (diagnostic.message.clone(), place.line, place.column)
}

#[test]
fn random_circuits_survive_both_formats() {
    for seed in 0..2_000 {
        let circuit = random(seed);
        let ascii = write_ascii(&circuit);
        assert_eq!(good(&ascii), circuit, "seed {seed}\n{ascii}");
        let binary = write_binary(&circuit);
        let again = read("test.aig", &binary).unwrap_or_else(|error| panic!("{}", error.diagnostics));
        assert_eq!(again, circuit, "seed {seed}");
    }
}

#[test]
fn a_toggle_with_enable_and_reset_is_read_as_the_format_report_has_it() {
    let circuit = good(
        "aag 7 2 1 2 4\n2\n4\n6 8\n6\n7\n8 4 10\n10 13 15\n12 2 6\n14 3 7\ni0 enable\ni1 reset\nl0 Q\no0 Q\no1 !Q\nc\nhello\n",
    );
    assert_eq!(
        (circuit.inputs, circuit.latches.len(), circuit.gates.len()),
        (2, 1, 4)
    );
    assert_eq!(circuit.symbol(SymbolKind::Output, 1), Some("!Q"));
    assert_eq!(circuit.comment, "hello\n");
    assert!(circuit.outputs_are_bad());
    // Next Q is reset & (enable xor Q).
    for code in 0..8u32 {
        let [enable, reset, q] = [0, 1, 2].map(|bit| code >> bit & 1 == 1);
        let values = circuit.evaluate(&[enable, reset], &[q]);
        let next = Aiger::value(&values, circuit.latches[0].next);
        assert_eq!(next, reset && (enable != q));
    }
}

#[test]
fn gates_may_come_in_any_order_and_numbers_may_have_gaps() {
    let circuit = good("aag 90 1 1 1 2\n80\n20 60 20\n60\n60 41 20\n40 80 20\n");
    assert_eq!(circuit.latches[0].reset, Reset::Free);
    assert_eq!(
        circuit.gates,
        [[Literal(4), Literal(2)], [Literal(7), Literal(4)]]
    );
    assert_eq!(circuit.outputs, [Literal(8)]);
    // Far more variables than the file could define.
    assert_eq!(
        good("aag 2000000000 1 0 1 0\n4000000000\n4000000001\n").outputs,
        [Literal(3)]
    );
}

#[test]
fn old_headers_make_outputs_bad_and_new_ones_do_not() {
    assert_eq!(
        good("aag 1 1 0 1 0\n2\n3\n").bad_states(),
        (SymbolKind::Output, &[Literal(3)][..])
    );
    let both = good("aag 1 1 0 1 0 1\n2\n3\n2\n");
    assert_eq!(both.bad_states(), (SymbolKind::Bad, &[Literal(2)][..]));
    let justice = good("aag 1 1 0 1 0 0 0 1\n2\n3\n1\n2\n");
    assert_eq!(justice.bad_states(), (SymbolKind::Bad, &[][..]));
}

#[test]
fn mistakes_are_named_with_their_line() {
    let table: [(&str, &str, usize); 17] = [
        ("", "the file ends where `aag` or `aig` should be", 1),
        ("hello\n", "expected `aag` or `aig`", 1),
        (
            "aag 1 1\n",
            "the line ends where the number of latches (L) should be",
            1,
        ),
        (
            "aag 1 1 1 0 0\n2\n4 2\n",
            "2 inputs, latches and gates, but the largest variable is 1",
            1,
        ),
        (
            "aig 3 1 1 0 0\n2\n",
            "2 inputs, latches and gates, but the largest variable is 3",
            1,
        ),
        ("aag 1 1 0 1 0\n2\n", "the file is too short", 1),
        (
            "aag 1 1 0 1 0\n2\n4\n",
            "literal 4 is out of range: the largest is 3",
            3,
        ),
        (
            "aag 1 1 0 1 0\n3\n2\n",
            "literal 3 cannot be defined: it is negated",
            2,
        ),
        (
            "aag 1 1 0 1 0\n0\n2\n",
            "literal 0 cannot be defined: it is a constant",
            2,
        ),
        ("aag 2 1 1 0 0\n2\n2 2\n", "literal 2 is defined twice", 3),
        ("aag 2 1 1 0 0\n2\n4 2 2\n", "this is no reset value", 3),
        ("aag 2 1 0 1 0\n2\n4\n", "literal 4 is used but never defined", 3),
        (
            "aag 3 1 0 1 1\n2\n6\n6 2 4\n",
            "literal 4 is used but never defined",
            4,
        ),
        (
            "aag 3 1 0 0 2\n2\n4 6 2\n6 4 2\n",
            "and-gates depend on themselves: 4 → 6 → 4",
            3,
        ),
        (
            "aag 1 1 0 0 0\n2\ni1 x\n",
            "a name for something that is not there",
            3,
        ),
        ("aag 1 1 0 0 0\n2 7\n", "expected the end of the line", 2),
        (
            "aag 99999999999 1 0 0 0\n2\n",
            "a number that does not fit 32 bits",
            1,
        ),
    ];
    for (text, message, line) in table {
        let (found, at, _) = bad(text.as_bytes());
        assert!(found.contains(message), "{text:?}: {found}");
        assert_eq!(at, line, "{text:?}: {found}");
    }
}

#[test]
fn mistakes_in_the_binary_part_are_named_with_their_byte() {
    let whole = b"aig 3 2 0 1 1\n6\n\x02\x02";
    assert_eq!(
        read("x.aig", whole).expect("right").gates,
        [[Literal(4), Literal(2)]]
    );
    let (message, _, _) = bad(&whole[..whole.len() - 1]);
    assert!(
        message.contains("and-gate 0, at byte 17") && message.contains("ends in the middle"),
        "{message}"
    );
    let (message, _, _) = bad(b"aig 3 2 0 1 1\n6\n\x00\x02");
    assert!(message.contains("its own operand"), "{message}");
    let (message, _, _) = bad(b"aig 3 2 0 1 1\n6\n\x09\x02");
    assert!(message.contains("negative"), "{message}");
    let (message, _, _) = bad(b"aig 3 2 0 1 1\n6\n\xff\xff\xff\xff\xff\xff");
    assert!(message.contains("more than five bytes"), "{message}");
    // What follows the gates is text again.
    let (message, line, column) = bad(b"aig 3 2 0 1 1\n6\n\x02\x02i7 x\n");
    assert!(message.contains("not there"), "{message}");
    assert_eq!((line, column), (3, 1));
}

/// Damage of every kind: cut off, bytes changed, lines doubled, sheer noise. Whatever comes out is a circuit or an error with a
/// place inside the text shown.
#[test]
fn no_damage_crashes_the_reader() {
    let mut random_numbers = StdRng::seed_from_u64(7);
    let mut refused = 0;
    for round in 0..6_000u64 {
        let circuit = random(round);
        let mut bytes = if round % 2 == 0 {
            write_ascii(&circuit).into_bytes()
        } else {
            write_binary(&circuit)
        };
        match round % 5 {
            0 => bytes.truncate(random_numbers.random_range(0..=bytes.len())),
            1 | 2 => {
                for _ in 0..random_numbers.random_range(1..4) {
                    let at = random_numbers.random_range(0..bytes.len());
                    bytes[at] = if round % 3 == 0 {
                        random_numbers.random()
                    } else {
                        b"0123456789 \naigbcjfl"[random_numbers.random_range(0..20)]
                    };
                }
            }
            3 => {
                let at = random_numbers.random_range(0..bytes.len());
                let piece = bytes[at..].to_vec();
                bytes.extend(piece);
            }
            _ => {
                let length = random_numbers.random_range(0..60);
                bytes.truncate(random_numbers.random_range(0..=4.min(bytes.len())));
                bytes.extend((0..length).map(|_| random_numbers.random::<u8>()));
            }
        }
        match read("damaged", &bytes) {
            Ok(circuit) => {
                let written = write_ascii(&circuit);
                let mut again = good(&written);
                again.comment = circuit.comment.clone();
                assert_eq!(again.gates.len(), circuit.gates.len());
                assert!(entail_aiger::lower(&circuit).is_ok() || circuit.inputs > 1 << 22);
            }
            Err(error) => {
                refused += 1;
                assert!(error.diagnostics.has_errors());
                assert!(error.diagnostics.0[0].span().start <= error.source.text().len());
            }
        }
    }
    assert!(refused > 2_000, "the damage is not much of a test: {refused}");
}

#[test]
fn a_header_cannot_ask_for_memory_that_the_file_does_not_pay_for() {
    for text in [
        "aag 2147483647 0 0 0 2147483647\n",
        "aig 2147483647 0 0 0 2147483647\n",
        "aag 2147483647 2147483647 0 0 0\n",
        "aig 2147483647 0 2147483647 0 0\n",
        "aag 0 0 0 4294967295 0 4294967295 4294967295\n",
        "aag 1 1 0 0 0 0 0 2\n2\n4294967295\n4294967295\n",
    ] {
        let (message, _, _) = bad(text.as_bytes());
        assert!(
            message.contains("too short") || message.contains("does not fit"),
            "{message}"
        );
    }
    let wide = read("wide.aig", b"aig 2147483647 2147483647 0 0 0\n").expect("inputs take no bytes");
    assert!(entail_aiger::lower(&wide).is_err());
}
