//! What BLIF texts mean, gate by gate, and what is said of wrong ones.

use entail_blif::{Blif, Gate, Initially, read};
use entail_source::Source;

fn blif(text: &str) -> Blif {
    read(&Source::new("test.blif", text)).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The code of the first problem, its line and its column.
fn problem(text: &str) -> (String, usize, usize) {
    let source = Source::new("test.blif", text);
    let problems = read(&source).expect_err(text);
    let first = &problems.0[0];
    let place = source.place(first.span().start);
    (first.code.to_string(), place.line, place.column)
}

fn value(gate: &Gate, values: &[bool]) -> bool {
    let agrees = |row: &Vec<Option<bool>>| {
        let entries = row.iter().zip(&gate.inputs);
        entries
            .into_iter()
            .all(|(entry, input)| entry.is_none_or(|wanted| wanted == values[input.index()]))
    };
    gate.rows.iter().any(agrees) == gate.value
}

/// The outputs, given the inputs' values; latches are false.
fn outputs(blif: &Blif, inputs: &[bool]) -> Vec<bool> {
    let mut values = vec![false; blif.names.len()];
    for (input, &value) in blif.inputs.iter().zip(inputs) {
        values[input.index()] = value;
    }
    for gate in &blif.gates {
        values[gate.output.index()] = value(gate, &values);
    }
    blif.outputs.iter().map(|output| values[output.index()]).collect()
}

fn table(blif: &Blif) -> Vec<Vec<bool>> {
    let inputs = blif.inputs.len();
    let row = |code: usize| (0..inputs).map(|bit| code >> bit & 1 == 1).collect::<Vec<_>>();
    (0..1 << inputs).map(|code| outputs(blif, &row(code))).collect()
}

#[test]
fn covers_say_when_the_output_is_one_or_when_it_is_zero() {
    let both = blif(
        ".model m\n.inputs a b\n.outputs x y z o n\n.names a b x\n11 1\n.names a b y\n0- 0\n-0 0\n.names o\n1\n.names n\n.names a b z\n1- 1\n-1 1\n.end\n",
    );
    let expected: Vec<Vec<bool>> = (0..4)
        .map(|code| {
            let (a, b) = (code & 1 == 1, code & 2 == 2);
            vec![a && b, a && b, a || b, true, false]
        })
        .collect();
    assert_eq!(table(&both), expected);
}

#[test]
fn lines_go_on_behind_a_backslash_and_comments_end_them() {
    let read = blif(
        "# a comment\n.model m # name\n.inputs \\\n a \\\n b\n.outputs x\n.names a \\\n b x # and\n11 1\n",
    );
    assert_eq!(read.inputs.len(), 2);
    assert_eq!(table(&read), [[false], [false], [false], [true]]);
}

#[test]
fn latches_have_first_values_and_one_clock() {
    let read = blif(
        ".model m\n.inputs clk d\n.outputs q r s\n.latch d q re clk 1\n.latch q r re clk 2\n.latch r s re NIL\n.end\n",
    );
    let initially: Vec<Initially> = read.latches.iter().map(|latch| latch.initially).collect();
    assert_eq!(
        initially,
        [Initially::Value(true), Initially::Unknown, Initially::Unknown]
    );
    let clocks = ".model m\n.inputs c e d\n.outputs q r\n.latch d q re c 0\n.latch d r re e 0\n.end\n";
    assert_eq!(problem(clocks), ("blif::clocks".into(), 5, 15));
    assert_eq!(
        problem(".model m\n.inputs c d\n.outputs q\n.latch d q ah c 0\n").0,
        "blif::latch"
    );
}

#[test]
fn instances_are_put_in_and_named_by_their_path() {
    let text = ".model top\n.inputs a b c\n.outputs x\n.subckt pair l=a r=b o=t\n.subckt pair l=t r=c o=x\n.end\n\
                .model pair\n.inputs l r\n.outputs o\n.names l r i\n11 1\n.subckt not a=i z=o\n.end\n\
                .model not\n.inputs a\n.outputs z\n.names a z\n0 1\n.end\n";
    let read = blif(text);
    assert!(
        read.names.iter().any(|name| name == "pair_1.i"),
        "{:?}",
        read.names
    );
    // nand(nand(a, b), c)
    let expected: Vec<Vec<bool>> = (0..8)
        .map(|code| {
            let (a, b, c) = (code & 1 == 1, code & 2 == 2, code & 4 == 4);
            vec![a && b || !c]
        })
        .collect();
    assert_eq!(table(&read), expected);
}

#[test]
fn the_cells_of_yosys_do_what_yosys_says() {
    type Cell = (&'static str, &'static str, fn(bool, bool, bool, bool) -> bool);
    let cells: &[Cell] = &[
        ("$_BUF_", "A=a Y=y", |a, _, _, _| a),
        ("$_NOT_", "A=a Y=y", |a, _, _, _| !a),
        ("$_AND_", "A=a B=b Y=y", |a, b, _, _| a && b),
        ("$_NAND_", "A=a B=b Y=y", |a, b, _, _| !(a && b)),
        ("$_OR_", "A=a B=b Y=y", |a, b, _, _| a || b),
        ("$_NOR_", "A=a B=b Y=y", |a, b, _, _| !(a || b)),
        ("$_XOR_", "A=a B=b Y=y", |a, b, _, _| a != b),
        ("$_XNOR_", "A=a B=b Y=y", |a, b, _, _| a == b),
        ("$_ANDNOT_", "A=a B=b Y=y", |a, b, _, _| a && !b),
        ("$_ORNOT_", "A=a B=b Y=y", |a, b, _, _| a || !b),
        ("$_MUX_", "A=a B=b S=c Y=y", |a, b, c, _| if c { b } else { a }),
        ("$_NMUX_", "A=a B=b S=c Y=y", |a, b, c, _| !if c { b } else { a }),
        ("$_AOI3_", "A=a B=b C=c Y=y", |a, b, c, _| !(a && b || c)),
        ("$_OAI3_", "A=a B=b C=c Y=y", |a, b, c, _| !((a || b) && c)),
        ("$_AOI4_", "A=a B=b C=c D=d Y=y", |a, b, c, d| !(a && b || c && d)),
        ("$_OAI4_", "A=a B=b C=c D=d Y=y", |a, b, c, d| {
            !((a || b) && (c || d))
        }),
    ];
    for (name, ports, expected) in cells {
        let read = blif(&format!(
            ".model m\n.inputs a b c d\n.outputs y\n.gate {name} {ports}\n.end\n"
        ));
        let bit = |code: usize, bit: usize| code >> bit & 1 == 1;
        let expected: Vec<Vec<bool>> = (0..16)
            .map(|code| vec![expected(bit(code, 0), bit(code, 1), bit(code, 2), bit(code, 3))])
            .collect();
        assert_eq!(table(&read), expected, "{name}");
    }
    type Next = fn(bool, bool, bool, bool) -> bool;
    let flip_flops: &[(&str, &str, Next)] = &[
        ("$_DFF_P_", "", |d, _, _, _| d),
        ("$_DFFE_NN_", "E=e", |d, e, _, q| if !e { d } else { q }),
        ("$_SDFF_PP1_", "R=r", |d, _, r, _| r || d),
        ("$_SDFFE_PN0P_", "E=e R=r", |d, e, r, q| {
            r && if e { d } else { q }
        }),
        (
            "$_SDFFCE_PP1P_",
            "E=e R=r",
            |d, e, r, q| if e { r || d } else { q },
        ),
    ];
    for (name, ports, next) in flip_flops {
        let text =
            format!(".model m\n.inputs c d e r\n.outputs q\n.subckt {name} C=c D=d {ports} Q=q\n.end\n");
        let read = blif(&text);
        for code in 0..16 {
            let bit = |bit: usize| code >> bit & 1 == 1;
            let mut values = vec![false; read.names.len()];
            for (&input, value) in read.inputs.iter().zip([false, bit(0), bit(1), bit(2)]) {
                values[input.index()] = value;
            }
            values[read.latches[0].output.index()] = bit(3);
            for gate in &read.gates {
                values[gate.output.index()] = value(gate, &values);
            }
            let expected = next(bit(0), bit(1), bit(2), bit(3));
            assert_eq!(values[read.latches[0].input.index()], expected, "{name} {code}");
        }
    }
}

#[test]
fn mistakes_are_told_at_their_place() {
    let cases: &[(&str, &str, usize, usize)] = &[
        ("", "blif::model", 1, 1),
        (".inputs a\n", "blif::outside", 1, 1),
        (".model m\n.inptus a\n", "blif::construct", 2, 1),
        (
            ".model m\n.inputs a\n.outputs x\n.names a x\n1\n",
            "blif::row",
            5,
            1,
        ),
        (
            ".model m\n.inputs a\n.outputs x\n.names a x\n11 1\n",
            "blif::row",
            5,
            1,
        ),
        (
            ".model m\n.inputs a\n.outputs x\n.names a x\n2 1\n",
            "blif::row",
            5,
            1,
        ),
        (
            ".model m\n.inputs a\n.outputs x\n.names a x\n1 1\n0 0\n",
            "blif::row",
            6,
            3,
        ),
        (".model m\n.inputs a\n1 1\n", "blif::row", 3, 1),
        (".model m\n.inputs a\n.outputs x\n", "blif::netlist", 3, 10),
        (
            ".model m\n.inputs a\n.outputs a\n.names a\n1\n",
            "blif::netlist",
            4,
            8,
        ),
        (
            ".model m\n.outputs x\n.names y x\n1 1\n.names x y\n1 1\n",
            "blif::netlist",
            3,
            10,
        ),
        (".model m\n.outputs x\n.subckt m x=x\n", "blif::netlist", 3, 9),
        (".model m\n.outputs x\n.gate NAND2X1 A=x\n", "blif::cell", 3, 7),
        (
            ".model m\n.outputs x\n.subckt n q=x\n.model n\n.outputs p\n",
            "blif::netlist",
            3,
            13,
        ),
        (".model m\n.exdc\n", "blif::refused", 2, 1),
        (".model m\n.model m\n", "blif::model", 2, 8),
        (".model m\n.inputs a\n.outputs q\n.latch a\n", "blif::latch", 4, 1),
        (
            ".model m\n.inputs a\n.outputs q\n.latch a q 7\n",
            "blif::latch",
            4,
            12,
        ),
    ];
    for &(text, code, line, column) in cases {
        assert_eq!(problem(text), (code.to_owned(), line, column), "{text}");
    }
}

/// Models that contain the next one twice are exponentially large: refused, not expanded.
#[test]
fn a_netlist_that_would_be_too_large_is_refused() {
    let mut text = String::new();
    for level in 0..40 {
        let next = level + 1;
        text += &format!(
            ".model m{level}\n.inputs a\n.outputs x\n.subckt m{next} a=a x=t\n.subckt m{next} a=t x=x\n.end\n"
        );
    }
    text += ".model m40\n.inputs a\n.outputs x\n.names a x\n1 1\n.end\n";
    assert_eq!(problem(&text).0, "blif::netlist");
}
