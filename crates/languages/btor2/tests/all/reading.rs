//! Reading and writing; mistakes are named with their place; damage never crashes the reader.

use entail_btor2::{Btor2, Claim, Node, lower, read, read_witnesses, write, write_witness};
use entail_model::{Value, VarKind, Word};
use entail_source::Source;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const COUNTER: &str = "; a counter with a memory
1 sort bitvec 1
2 sort bitvec 8
3 sort bitvec 70
4 zero 2
5 input 1 enable
6 state 2 count ; this one counts
7 init 2 6 4
8 inc 2 6
9 ite 2 5 8 6
10 next 2 6 9
11 constd 3 1180591620717411303423
12 ones 3
13 eq 1 11 12
14 constd 2 -3
15 eq 1 6 14
16 bad 15 reaches_253
17 constraint 13
18 state 2
19 sort array 1 2
20 state 19 mem
21 init 19 20 4
22 write 19 20 5 6
23 next 19 20 22
24 read 2 20 -5
25 ult 1 24 -18
26 fair 25
27 justice 2 5 -25
28 output 24
29 consth 2 fE all_but_one
";

fn good(text: &str) -> Btor2 {
    read(&Source::new("test", text)).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_kind_of_line_is_read_and_written() {
    let circuit = good(COUNTER);
    assert_eq!(circuit.nodes.len(), 25);
    let written = write(&circuit);
    let again = good(&written);
    assert_eq!(again.nodes, circuit.nodes, "{written}");
    assert_eq!(again.symbols, circuit.symbols);
    assert_eq!(write(&again), written);
    assert!(matches!(&circuit.nodes[8], Node::Constant { width: 70, bits } if bits.bits() == 70));
}

#[test]
fn states_that_nothing_binds_are_inputs_and_names_are_unique() {
    let model = lower(&good(COUNTER)).expect("sorts were checked");
    let kinds: Vec<(&str, VarKind)> = model
        .system
        .variables()
        .iter()
        .map(|variable| (&*variable.name, variable.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("enable", VarKind::Input),
            ("count", VarKind::State),
            ("state18", VarKind::Input),
            ("mem", VarKind::State)
        ]
    );
    assert_eq!(model.bad, 1);
    let texts: Vec<&str> = model
        .properties
        .iter()
        .map(|property| property.text.as_str())
        .collect();
    assert_eq!(texts, ["!reaches_253", "!(G F j0_0 & G F j0_1)"]);
    assert_eq!(model.registers.registers.len(), 3);
    assert_eq!(model.system.justice.len(), 1);
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let table: [(&str, &str, usize, usize); 22] = [
        ("hello", "expected the number of a line, found `hello`", 1, 1),
        (
            "0 sort bitvec 1",
            "expected the number of a line, found `0`",
            1,
            1,
        ),
        ("1", "the line ends where a keyword should be", 1, 1),
        ("1 sort bitvec 0", "at least one bit", 1, 15),
        ("1 sort bitvec 99999999", "not supported", 1, 15),
        ("1 sort set 1", "expected `bitvec` or `array`", 1, 8),
        ("1 sort bitvec 1\n1 input 1", "line 1 is defined twice", 2, 1),
        (
            "1 sort bitvec 1\n2 input 3",
            "line 3 is not defined before it is used",
            2,
            9,
        ),
        (
            "1 sort bitvec 1\n2 input 1\n3 not 1 4",
            "line 4 is not defined",
            3,
            9,
        ),
        (
            "1 sort bitvec 1\n2 input 1\n3 not 1 1",
            "line 1 is a sort, not a value",
            3,
            9,
        ),
        ("1 sort bitvec 1\n2 input 1\n3 not 2 2", "line 2 is no sort", 3, 7),
        (
            "1 sort bitvec 1\n2 input 1\n3 adn 1 2 2",
            "`adn` is no keyword of BTOR2",
            3,
            3,
        ),
        (
            "1 sort bitvec 2\n2 input 1\n3 bad 2",
            "expected a bit, found 2 bits",
            3,
            7,
        ),
        (
            "1 sort bitvec 2\n2 sort bitvec 3\n3 input 1\n4 input 2\n5 add 1 3 4",
            "expected 2 bits, found 3 bits",
            5,
            11,
        ),
        (
            "1 sort bitvec 2\n2 input 1\n3 slice 1 2 2 1",
            "bit 2 of a vector of 2 bits",
            3,
            13,
        ),
        (
            "1 sort bitvec 2\n2 const 1 101",
            "3 digits for a sort of 2 bits",
            2,
            11,
        ),
        (
            "1 sort bitvec 2\n2 sort array 1 1\n3 state 2\n4 eq 1 -3 3",
            "an array cannot be negated",
            4,
            8,
        ),
        (
            "1 sort bitvec 2\n2 input 1\n3 next 1 2 2",
            "expected a state",
            3,
            10,
        ),
        (
            "1 sort bitvec 1\n2 input 1\n3 state 1\n4 init 1 3 2",
            "cannot depend on inputs",
            4,
            12,
        ),
        (
            "1 sort bitvec 1\n2 state 1\n3 zero 1\n4 init 1 2 3",
            "must be defined before its state",
            4,
            12,
        ),
        (
            "1 sort bitvec 1\n2 zero 1\n3 state 1\n4 next 1 3 3\n5 next 1 3 2",
            "a second next value",
            5,
            10,
        ),
        (
            "1 sort bitvec 1\n2 input 1 a b",
            "expected the end of the line, found `b`",
            2,
            13,
        ),
    ];
    for (text, message, line, column) in table {
        let source = Source::new("test", text);
        let error = read(&source).expect_err(text);
        let place = source.place(error.0[0].span().start);
        assert!(error.to_string().contains(message), "{text}: {error}");
        assert_eq!((place.line, place.column), (line, column), "{text}: {error}");
    }
}

#[test]
fn no_damage_crashes_the_reader() {
    let mut random = StdRng::seed_from_u64(11);
    let words: Vec<&str> = COUNTER.split_whitespace().collect();
    let (mut refused, mut accepted) = (0, 0);
    for round in 0..8_000 {
        let mut bytes = COUNTER.as_bytes().to_vec();
        match round % 4 {
            0 => bytes.truncate(random.random_range(0..bytes.len())),
            1 => {
                for _ in 0..random.random_range(1..4) {
                    let at = random.random_range(0..bytes.len());
                    bytes[at] = b"0123456789 -\n;abz"[random.random_range(0..17)];
                }
            }
            2 => {
                // A line of words from elsewhere.
                let mut line = format!("{} ", random.random_range(28..40));
                for _ in 0..random.random_range(1..6) {
                    line += words[random.random_range(0..words.len())];
                    line += " ";
                }
                bytes.extend(line.bytes());
            }
            _ => {
                let length = random.random_range(0..80);
                bytes = (0..length).map(|_| random.random()).collect();
            }
        }
        let source = Source::new("damaged", String::from_utf8_lossy(&bytes));
        match read(&source) {
            Ok(circuit) => {
                accepted += 1;
                lower(&circuit).expect("what was read can be lowered");
                assert_eq!(good(&write(&circuit)).nodes, circuit.nodes);
            }
            Err(error) => {
                refused += 1;
                assert!(error.0[0].span().start <= source.text().len());
            }
        }
    }
    assert!(refused > 3_000 && accepted > 300, "{refused} {accepted}");
}

#[test]
fn witnesses_are_read_and_drive_the_circuit() {
    let model = lower(&good(COUNTER)).expect("sorts were checked");
    let text = "sat\nb0\n#0\n1 00000101 state18@0\n@0\n0 1 enable@0\n@1\n0 1\n#2\n1 11111111\n@2\n.\n";
    let witnesses = read_witnesses(text, &model.system, &model.registers).expect("right");
    assert_eq!(witnesses[0].claims, [Claim::Bad(0)]);
    let steps = model
        .registers
        .run(&model.system, &witnesses[0].stimulus)
        .expect("it fits");
    let count = |step: usize| {
        steps[step][1]
            .as_ref()
            .and_then(Value::as_word)
            .and_then(Word::to_u64)
    };
    assert_eq!(
        (0..4).map(count).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(2), Some(2)]
    );
    // The memory was written under the enable bit; the floating state is what the witness says, zero where it is silent.
    let floating = |step: usize| steps[step][2].as_ref().map(Value::to_string);
    assert_eq!(floating(0).as_deref(), Some("0ud8_5"));
    assert_eq!(floating(1).as_deref(), Some("0ud8_0"));
    assert_eq!(floating(2).as_deref(), Some("0ud8_255"));
    let _ = write_witness(Claim::Bad(0), &[]);
}

#[test]
fn wrong_witnesses_are_refused_with_their_line() {
    let model = lower(&good(COUNTER)).expect("sorts were checked");
    let table = [
        ("set\nb0\n", 1, "expected `sat`"),
        ("sat\nx0\n", 2, "`x0`"),
        ("sat\n", 2, "properties"),
        ("sat\nb0\n0 1\n", 3, "expected a frame"),
        ("sat\nb0\n#0\n@0\n9 1\n", 5, "another model"),
        ("sat\nb0\n@0\n0 11\n", 4, "expected 1 binary digits"),
        ("sat\nb0\n@7\n", 3, "out of order"),
        ("sat\nb0\n@0\n", 3, "without the `.`"),
    ];
    for (text, line, part) in table {
        let error = read_witnesses(text, &model.system, &model.registers).expect_err(text);
        assert!(error.message.contains(part), "{text}: {error}");
        assert!(error.line <= line, "{text}: {error}");
    }
}
