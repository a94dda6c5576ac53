//! The worked examples of chapter 25, under their letters.

use super::{Asked, ask};
use entail_answer::Verdict::{self, Fails, Holds, Unknown};
use entail_proof::trajectory::replay;
use entail_trajectories::{Gate, Netlist, NodeId, Role, Wire};

/// A netlist of named single bits.
#[derive(Default)]
pub struct Bench {
    pub netlist: Netlist,
}

impl Bench {
    pub fn node(&mut self, name: &str, gate: Gate) -> Wire {
        let role = match gate {
            Gate::Input => Role::Input,
            Gate::Register(_) => Role::Register,
            _ => Role::Internal,
        };
        let wire = Wire::of(self.netlist.add(gate));
        self.netlist.name(name, role, false, &[vec![wire]]);
        wire
    }

    fn inputs(&mut self, names: &str) -> Vec<Wire> {
        let names = names.split_whitespace();
        names.map(|name| self.node(name, Gate::Input)).collect()
    }

    /// A register of what a wire was one step before.
    fn delayed(&mut self, name: &str, next: Wire) -> Wire {
        self.node(name, Gate::Register(Some(next)))
    }

    fn and(&mut self, a: Wire, b: Wire) -> Wire {
        Wire::of(self.netlist.add(Gate::And(a, b)))
    }
}

/// Inputs a, b, ...; c is their conjunction one step before.
pub fn delayed_and(inputs: &str, output: &str) -> Netlist {
    let mut bench = Bench::default();
    let inputs = bench.inputs(inputs);
    let all = inputs[1..]
        .iter()
        .fold(inputs[0], |all, &input| bench.and(all, input));
    bench.delayed(output, all);
    bench.netlist
}

/// Input a, state b, which becomes NAND(a, b).
fn nand_state() -> Netlist {
    let mut bench = Bench::default();
    let a = bench.node("a", Gate::Input);
    let b = bench.node("b", Gate::Register(None));
    let both = bench.and(a, b);
    bench.netlist.set_next(b.node, !both);
    bench.netlist
}

fn expect(netlist: &Netlist, text: &str, verdict: Verdict) -> Asked {
    let asked = ask(netlist, text);
    assert_eq!(asked.bdd.verdict, verdict, "{text}: {:?}", asked.bdd.reason);
    asked
}

#[test]
fn a_the_unit_delay_and() {
    let netlist = delayed_and("a b", "c");
    expect(
        &netlist,
        "var x, y; p: a is x and b is y => N (c is x & y);",
        Holds,
    );
    let guarded = "var x; p: x -> (a is 0 and b is 1) and !x -> (a is 1 and b is 0) => N (c is 0);";
    expect(&netlist, guarded, Holds);
    let backwards = expect(&netlist, "p: N (c is 1) => a is 1 and b is 1;", Unknown);
    let reason = backwards.bdd.reason.expect("a reason");
    assert!(reason.starts_with("weak disagreement"), "{reason}");
    assert!(reason.contains("`a` at time 0"), "{reason}");
}

#[test]
fn a_values_of_the_next_state_are_those_of_the_table() {
    let netlist = delayed_and("a b", "c");
    // (a, b) and what c is then.
    for (a, b, c) in [
        ("1", "1", '1'),
        ("x", "0", '0'),
        ("0", "x", '0'),
        ("x", "1", 'X'),
        ("x", "x", 'X'),
    ] {
        let asked = ask(
            &netlist,
            &format!("p: {{a, b}} is 2'b{a}{b} and N (true) => N (c is 1);"),
        );
        let specification = &asked.specification;
        let run = replay(&netlist, specification, &specification.assertions[0], &[]);
        let node = netlist.signal("c").expect("c").elements[0][0];
        assert_eq!(run.letter(1, node), c, "{a}{b}");
    }
}

#[test]
fn b_the_inverter_has_no_trajectory_that_contradicts_it() {
    let mut bench = Bench::default();
    let input = bench.node("i", Gate::Input);
    bench.delayed("o", !input);
    let failing = expect(&bench.netlist, "p: i is 1 and N (o is 1) => true;", Holds);
    assert!(
        failing.bdd.warnings[0]
            .text
            .contains("antecedent failure for all")
    );
    let fine = expect(&bench.netlist, "p: N (o is 0) => N (o is 0);", Holds);
    assert!(fine.bdd.warnings.is_empty(), "{:?}", fine.bdd.warnings);
}

#[test]
fn c_a_state_stands_for_the_states_above_it() {
    let mut bench = Bench::default();
    bench.inputs("a b");
    let netlist = bench.netlist;
    // 01 is above 0X, and 0X is not above 01.
    expect(&netlist, "p: {a, b} is 2'b01 => {a, b} is 2'b0x;", Holds);
    expect(&netlist, "p: {a, b} is 2'b0x => {a, b} is 2'b01;", Unknown);
    // What stands for 00 and for 01 says that a is 0; what stands for 01 and for 10 says nothing.
    let both = |first: &str, second: &str, said: &str| {
        format!("var x; p: x -> ({{a, b}} is 2'b{first}) and !x -> ({{a, b}} is 2'b{second}) => {said};")
    };
    expect(&netlist, &both("00", "01", "a is 0"), Holds);
    for said in ["a is 0", "a is 1", "b is 0", "b is 1"] {
        expect(&netlist, &both("01", "10", said), Fails);
    }
}

#[test]
fn e_a_guard_gives_its_value_or_nothing() {
    let mut bench = Bench::default();
    bench.inputs("n");
    let netlist = bench.netlist;
    let node = netlist.signal("n").expect("n").elements[0][0];
    // What the node is where the variable is false, and where it is true.
    for (formula, letters) in [
        ("y -> n is 1", ['X', '1']),
        ("y -> n is 0", ['X', '0']),
        ("n is y", ['0', '1']),
    ] {
        let asked = ask(&netlist, &format!("var y; p: {formula} => n is 1;"));
        let specification = &asked.specification;
        for (value, letter) in [false, true].into_iter().zip(letters) {
            let run = replay(&netlist, specification, &specification.assertions[0], &[value]);
            assert_eq!(run.letter(0, node), letter, "{formula}, {value}");
        }
    }
}

#[test]
fn d_the_four_valued_and_is_that_of_the_table() {
    // Rows and columns X, 0, 1, Z; both rails by themselves.
    let table = ["X0X0", "0000", "X01Z", "00ZZ"];
    let rails = |letter: char| match letter {
        'X' => (true, true),
        '0' => (false, true),
        '1' => (true, false),
        _ => (false, false),
    };
    for (row, a) in table.iter().zip("X01Z".chars()) {
        for (expected, b) in row.chars().zip("X01Z".chars()) {
            let ((a1, a2), (b1, b2)) = (rails(a), rails(b));
            assert_eq!((a1 && b1, a2 || b2), rails(expected), "{a} and {b}");
        }
    }
}

#[test]
fn f_the_state_circuit_and_its_residual() {
    let netlist = nand_state();
    expect(
        &netlist,
        "var x, y; p: a is x and b is y => N (b is !x | !y);",
        Holds,
    );
    expect(
        &netlist,
        "var x; p: x -> a is 0 and !x -> b is 0 => N (b is 1);",
        Holds,
    );
    let failing = expect(&netlist, "var x, y; p: a is x and b is y => N (b is 1);", Fails);
    let reason = failing.bdd.reason.expect("the residual");
    assert!(reason.contains("residual"), "{reason}");
    assert!(
        ["!(x & y)", "!x | x & !y", "!y | y & !x"]
            .iter()
            .any(|form| reason.contains(form)),
        "{reason}"
    );
}

#[test]
fn g_antecedent_failure_is_told_with_its_condition() {
    let netlist = delayed_and("a b", "c");
    let asked = expect(
        &netlist,
        "var x, y; p: x -> a is 0 and y -> a is 1 => x & !y -> N (c is 0);",
        Holds,
    );
    let text = &asked.bdd.warnings[0].text;
    assert!(
        text.contains("antecedent failure") && text.contains("contradicts itself;"),
        "{text}"
    );
    assert!(text.contains("x & y"), "{text}");
}

const INDEXED: &str =
    "!x1 & !x2 -> a is 0 and x1 & !x2 -> b is 0 and !x1 & x2 -> c is 0 and x1 & x2 -> {a, b, c} is 3'b111";

#[test]
fn h_three_inputs_directly_and_by_an_index() {
    let netlist = delayed_and("a b c", "o");
    let direct = "var v1, v2, v3; p: a is v1 and b is v2 and c is v3 => N (o is v1 & v2 & v3);";
    expect(&netlist, direct, Holds);
    let demanded = "N (!(x1 & x2) -> o is 0 and x1 & x2 -> o is 1)";
    let text = format!("var x1, x2; indexed p: {INDEXED} => {demanded};");
    let asked = expect(&netlist, &text, Holds);
    assert_eq!(asked.coverage(), entail_trajectory::Coverage::Complete);
    // Without its third case, one in which only c is 0 is left out.
    let without = text.replace("!x1 & x2 -> c is 0 and ", "x1 == 0 & x2 == 1 -> b is 0 and ");
    let asked = expect(&netlist, &without, Holds);
    let entail_trajectory::Coverage::Missing(case) = asked.coverage() else {
        panic!("a case is missing");
    };
    let value = |name: &str| {
        let node = netlist.signal(name).expect("a signal").elements[0][0];
        case.iter()
            .find(|(known, ..)| *known == node)
            .map(|(_, _, value)| *value)
    };
    assert_eq!(
        [value("a"), value("b"), value("c")],
        [Some(true), Some(true), Some(false)]
    );
}

/// A memory with a combinational read port, as gates.
pub fn memory(words: usize, width: usize) -> Netlist {
    let mut bench = Bench::default();
    let address_bits = words.ilog2() as usize;
    let word = |bench: &mut Bench, gate: Gate, width: usize| -> Vec<Wire> {
        (0..width).map(|_| Wire::of(bench.netlist.add(gate))).collect()
    };
    let address = word(&mut bench, Gate::Input, address_bits);
    let cells: Vec<Vec<Wire>> = (0..words)
        .map(|_| word(&mut bench, Gate::Register(None), width))
        .collect();
    let mut out = Vec::new();
    for bit in 0..width {
        let mut none: Option<Wire> = None;
        for (number, cell) in cells.iter().enumerate() {
            let mut selected = cell[bit];
            for (at, &line) in address.iter().enumerate() {
                let line = if number >> at & 1 == 1 { line } else { !line };
                selected = bench.and(selected, line);
            }
            none = Some(none.map_or(!selected, |none| bench.and(none, !selected)));
        }
        out.extend(none.map(|none| !none));
    }
    bench.netlist.name("addr", Role::Input, false, &[address]);
    bench.netlist.name("mem", Role::Register, true, &cells);
    bench.netlist.name("out", Role::Internal, false, &[out]);
    bench.netlist
}

#[test]
fn i_a_memory_is_read_by_an_index_with_few_variables() {
    let netlist = memory(16, 4);
    let text = "var a[4], d[4]; indexed p: addr is a and all i in 0..15: a == i -> mem[i] is d => out is d;";
    let asked = expect(&netlist, text, Holds);
    assert_eq!(asked.specification.variables(), 8);
    assert_eq!(asked.coverage(), entail_trajectory::Coverage::Complete);
    let wrong = text
        .replace("a == i ->", "a == i + 1 ->")
        .replace("0..15", "0..14");
    expect(&netlist, &wrong, Unknown);
    let direct = memory(4, 2);
    let text = "var a[2], d0[2], d1[2], d2[2], d3[2];
        p: addr is a and mem[0] is d0 and mem[1] is d1 and mem[2] is d2 and mem[3] is d3
        => out is (a == 0 ? d0 : a == 1 ? d1 : a == 2 ? d2 : d3);";
    expect(&direct, text, Holds);
}

#[test]
fn j_a_clock_in_two_forms_is_the_same() {
    let netlist = delayed_and("clk b", "c");
    let nested = ask(
        &netlist,
        "p: clk is 0 and N (clk is 1 and N (clk is 0 and N (clk is 1))) => true;",
    );
    let voss = ask(
        &netlist,
        "p: (clk is 0 for 1 followed_by clk is 1 for 1) and N[2] (clk is 0 from 0 to 1 and clk is 1 from 1 to 2) => true;",
    );
    let drives = |asked: &Asked| {
        let antecedent = asked.specification.assertions[0].antecedent.iter();
        let mut drives: Vec<(u32, NodeId, u32)> = antecedent
            .map(|drive| (drive.time, drive.node, drive.value.0))
            .collect();
        drives.sort_unstable();
        drives
    };
    assert_eq!(nested.specification.assertions[0].depth(), 3);
    assert_eq!(drives(&nested), drives(&voss));
}

/// b is the complement of a one step before, c that of b where d is 1, one step before.
pub fn two_stages() -> Netlist {
    let mut bench = Bench::default();
    let a = bench.node("a", Gate::Input);
    let b = bench.delayed("b", !a);
    let d = bench.node("d", Gate::Input);
    let both = bench.and(!b, d);
    bench.delayed("c", both);
    bench.netlist
}

#[test]
fn k_what_the_rules_derive_is_found_directly() {
    let netlist = two_stages();
    expect(&netlist, "var x; p: a is x => N (b is !x);", Holds);
    expect(
        &netlist,
        "var y, z; p: b is y and d is z => N (c is !y & z);",
        Holds,
    );
    // Shifted in time, with !x for y, and chained.
    expect(
        &netlist,
        "var x, z; p: a is x and N (d is z) => N[2] (c is x & z);",
        Holds,
    );
}

#[test]
fn m_a_memory_cell_keeps_what_was_written_for_each_fixed_time() {
    let mut bench = Bench::default();
    let inputs = bench.inputs("we in");
    let register = bench.node("reg", Gate::Register(None));
    let written = bench.and(inputs[0], inputs[1]);
    let kept = bench.and(!inputs[0], register);
    let neither = bench.and(!written, !kept);
    bench.netlist.set_next(register.node, !neither);
    for steps in 1..5 {
        let text =
            format!("var u; p: we is 1 and in is u and N (we is 0 for {steps}) => N (reg is u for {steps});");
        expect(&bench.netlist, &text, Holds);
    }
}

#[test]
fn n_an_assumption_is_as_good_as_its_implication_of_the_residual() {
    let netlist = nand_state();
    let text = |assumption: &str| format!("var x, y; p: {assumption} |= a is x and b is y => N (b is 1);");
    expect(&netlist, &text("!x | !y"), Holds);
    expect(&netlist, &text("!x"), Holds);
    expect(&netlist, &text("x | y"), Fails);
    let nothing = expect(&netlist, &text("x & !x"), Holds);
    assert!(nothing.bdd.warnings[0].text.contains("nothing is said"));
}

#[test]
fn hidden_vacuity_is_told() {
    let mut bench = Bench::default();
    let inputs = bench.inputs("a b");
    let never = bench.and(inputs[0], !inputs[0]);
    let gated = bench.and(never, inputs[1]);
    bench.netlist.name("n", Role::Internal, false, &[vec![gated]]);
    let asked = expect(&bench.netlist, "p: n is 1 => n is 1;", Holds);
    assert!(
        asked
            .bdd
            .warnings
            .iter()
            .any(|warning| warning.text.contains("hidden vacuity"))
    );
    assert!(
        asked
            .sat
            .warnings
            .iter()
            .any(|warning| warning.text.contains("hidden vacuity"))
    );
}

#[test]
fn a_multiplexer_with_an_unknown_select_gives_x_as_its_gates_do() {
    let mut bench = Bench::default();
    let inputs = bench.inputs("s a b");
    let then = bench.and(inputs[0], inputs[1]);
    let otherwise = bench.and(!inputs[0], inputs[2]);
    let neither = bench.and(!then, !otherwise);
    bench.netlist.name("o", Role::Internal, false, &[vec![!neither]]);
    expect(&bench.netlist, "p: a is 1 and b is 1 => o is 1;", Unknown);
    expect(&bench.netlist, "p: a is 0 and b is 0 => o is 0;", Holds);
    expect(
        &bench.netlist,
        "var x; p: a is 1 and b is 1 and s is x => o is 1;",
        Holds,
    );
}
