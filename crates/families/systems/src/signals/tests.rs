//! Lines of expressions have the values of the expressions, bit by bit where these are known, now and on runs.

use super::names::Names;
use super::words::Words;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator, lower};
use entail_model::{Sort, Stimulus, Valuation, Value, evaluate_with};
use entail_source::Span;
use entail_waves::{Bit, Expression, Leaf, Moments, Past, Word, parse};
use num_bigint::BigUint;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Signals: name, width, sign, highest and lowest bit.
const SIGNALS: [(&str, u32, bool, (i64, i64)); 5] = [
    ("a", 4, false, (3, 0)),
    ("b", 4, true, (3, 0)),
    ("c", 7, false, (8, 2)),
    ("d", 1, false, (0, 0)),
    ("e", 6, true, (0, 5)),
];

fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The values of signals at the steps of a run, the last one being now.
struct Run<'r>(&'r [Vec<Word>]);

impl Moments for Run<'_> {
    fn signal(&self, number: usize) -> Word {
        self.0[self.0.len() - 1][number].clone()
    }

    fn given(&self, _number: usize) -> bool {
        false
    }

    fn earlier(&self, count: u32) -> Past<'_> {
        let length = self
            .0
            .len()
            .checked_sub(count as usize)
            .filter(|length| *length > 0)?;
        Some(Box::new(Run(&self.0[..length])))
    }
}

fn text(random: &mut StdRng, depth: u32) -> String {
    if depth == 0 {
        let leaves = [
            "a",
            "b",
            "c",
            "d",
            "e",
            "3",
            "4'd9",
            "4'sd5",
            "3'b101",
            "a[2]",
            "c[5:3]",
            "e[1:4]",
            "c[2 + d]",
            "b[1 +: 2]",
            "c[a -: 3]",
            "e[a]",
            "c[b +: 2]",
            "a[c]",
            "e[d +: 3]",
            "8'hA5",
            "'1",
            "prev(a)",
            "prev(e, 2)",
            "rose(d)",
            "fell(a)",
            "stable(c)",
            "countones(c)",
            "onehot(a)",
            "onehot0(b)",
            "$signed(a)",
            "(c ==? 7'b1?x0??1)",
            "(a !=? 4'bx1x0)",
            "(a === c[8:5])",
        ];
        return leaves[random.random_range(0..leaves.len())].to_owned();
    }
    let (one, two, three) = (
        text(random, depth - 1),
        text(random, depth - 1),
        text(random, depth - 1),
    );
    let signs = [
        "+", "-", "*", "/", "%", "<<", ">>", "<<<", ">>>", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^",
        "~^", "&&", "||", "->", "<->",
    ];
    match random.random_range(0..12) {
        0 => format!("~({one})"),
        1 => format!("-({one})"),
        2 => format!("(!({one}))"),
        3 => format!("(&({one}))"),
        4 => format!("(~^({one}))"),
        5 => format!("{{{one}, {two}}}"),
        6 => format!("(({one}) ? ({two}) : ({three}))"),
        7 => format!("$signed({one})"),
        _ => format!("(({one}) {} ({two}))", signs[random.random_range(0..signs.len())]),
    }
}

/// The circuit whose inputs are the signals.
fn signals() -> (Btor2, Vec<Argument>) {
    let mut circuit = Btor2::default();
    let mut lines = Vec::new();
    for (name, width, ..) in SIGNALS {
        let line = circuit.add(Node::Input(BitSort::Bits(width)), Some(name.to_owned()));
        lines.push(Argument::plain(line));
    }
    (circuit, lines)
}

fn read(text: &str) -> Expression {
    let read = parse(text, &mut |name, _| {
        let number = SIGNALS
            .iter()
            .position(|signal| signal.0 == name)
            .expect("a signal");
        let (_, width, signed, range) = SIGNALS[number];
        Ok(Leaf::Signal {
            number,
            width,
            range,
            signed,
        })
    });
    read.unwrap_or_else(|problem| panic!("{text}: {}", problem.message))
}

fn word(random: &mut StdRng, width: u32) -> Word {
    Word((0..width).map(|_| Bit::of(random.random_bool(0.5))).collect())
}

/// A value of a variable of so many bits.
fn value(word: &Word, width: u32) -> Value {
    let number = word.number(false).expect("known").magnitude().clone();
    match width {
        1 => Value::Bool(number != BigUint::ZERO),
        _ => Value::Word(entail_model::Word::new(width, false, number)),
    }
}

fn bits(value: &Value, width: u32) -> Vec<bool> {
    match value {
        Value::Bool(truth) => vec![*truth],
        Value::Word(word) => (0..width).map(|place| word.bit(place)).collect(),
        other => panic!("{other:?} is no word"),
    }
}

/// The values that the lines of an expression have on a run, with any values of the inputs that stand for what Verilog leaves open.
fn simulated(random: &mut StdRng, expression: &Expression, run: &[Vec<Word>]) -> Vec<Vec<bool>> {
    let (mut circuit, signals) = signals();
    let (width, signed) = expression.kind();
    let mut words = Words {
        circuit: &mut circuit,
        signals,
        open: 0,
    };
    let whole = words.inside(expression, width, signed).expect("lines");
    // (A register that is an output would get the output's name.)
    let copied = Node::Operation {
        sort: BitSort::Bits(width),
        operator: Operator::Uext,
        arguments: vec![whole],
        numbers: vec![0],
    };
    let copied = circuit.add(copied, Some("result".to_owned()));
    circuit.add(Node::Output(Argument::plain(copied)), None);
    let model = lower(&circuit).expect("sorts");
    let system = &model.system;
    let mut inputs = Vec::new();
    for step in run {
        let mut frame = Vec::new();
        for (position, &input) in model.registers.inputs.iter().enumerate() {
            let variable = system.variable(input);
            let signal = SIGNALS.iter().position(|signal| signal.0 == &*variable.name);
            let width = match &variable.sort {
                Sort::Word { width, .. } => *width,
                _ => 1,
            };
            let word = match signal {
                Some(signal) => step[signal].clone(),
                None => word(random, width),
            };
            frame.push((position, value(&word, width)));
        }
        inputs.push(frame);
    }
    let stimulus = Stimulus {
        inputs,
        ..Stimulus::default()
    };
    let steps = model.registers.run(system, &stimulus).expect("a run");
    let mut defines = system.defines.iter();
    let result = defines
        .find(|one| &*one.name == "result")
        .expect("an output")
        .term;
    let cone = system.terms.cone(&[result]);
    let at = cone.binary_search(&result).expect("in its cone");
    let of = |step: &Vec<Option<Value>>| {
        let values = evaluate_with(&system.terms, &cone, Valuation::state(step));
        bits(values[at].as_ref().expect("a value"), width)
    };
    steps[..run.len()].iter().map(of).collect()
}

#[test]
fn lines_have_the_values_of_expressions_where_these_are_known() {
    let mut random = StdRng::seed_from_u64(1);
    let (mut known, mut open) = (0_u64, 0_u64);
    for _ in 0..1_500 * effort() {
        let depth = random.random_range(0..4);
        let text = text(&mut random, depth);
        let expression = read(&text);
        let mut step = || -> Vec<Word> {
            let signals = SIGNALS.iter();
            signals.map(|signal| word(&mut random, signal.1)).collect()
        };
        let run: Vec<Vec<Word>> = (0..4).map(|_| step()).collect();
        let found = simulated(&mut random, &expression, &run);
        for (position, found) in found.iter().enumerate() {
            let expected = expression.value(&Run(&run[..=position]));
            assert_eq!(expected.0.len(), found.len(), "{text}");
            for (bit, (expected, found)) in expected.0.iter().zip(found).enumerate() {
                match expected.known() {
                    Some(expected) => {
                        known += 1;
                        assert_eq!(
                            expected, *found,
                            "bit {bit} of {text} at step {position} of {run:?}"
                        );
                    }
                    None => open += 1,
                }
            }
        }
    }
    assert!(known > 10_000 && open > 100, "{known} {open}");
}

#[test]
fn numbers_with_open_bits_and_bits_that_are_not_there_are_refused() {
    for text in ["a == 4'bx001", "c[20]", "a ** 2", "a[7:4]"] {
        let (mut circuit, signals) = signals();
        let mut words = Words {
            circuit: &mut circuit,
            signals,
            open: 0,
        };
        assert!(words.truth(&read(text)).is_err(), "{text}");
    }
}

#[test]
fn bits_with_numbers_are_words_if_none_is_missing() {
    let mut circuit = Btor2::default();
    for name in ["d[0]", "d[1]", "d[2]", "g[0]", "g[2]", "u.x"] {
        circuit.add(Node::Input(BitSort::Bits(1)), Some(name.to_owned()));
    }
    let names = Names::of(&circuit);
    let word = names.find("", "d").expect("a word");
    assert_eq!((word.width, word.range, word.pieces.len()), (3, (2, 0), 3));
    assert_eq!(word.pieces[0].line, LineIndex(2));
    assert!(names.find("", "g").is_none() && names.find("", "g[2]").is_some());
    let module = ("u".to_owned(), Span::new(0, 1));
    let scope = names.scope(Some(&module)).expect("a scope");
    assert!(scope == "u" && names.find(&scope, "x").is_some() && names.find(&scope, "d").is_some());
    let problem = names.unknown("", "dd", Span::new(3, 5));
    assert!(
        problem.help.as_deref().is_some_and(|help| help.contains("`d`")),
        "{problem:?}"
    );
}
