//! Assertions that stand in macros, packages, clocking blocks and checkers, and constants of any value.

use crate::{Design, Surroundings, Timing, read, read_with};
use entail_source::{Diagnostics, Source};

fn design(text: &str) -> Design {
    read(&Source::new("design.sv", text)).expect("a design")
}

fn refused(text: &str) -> Diagnostics {
    read(&Source::new("design.sv", text)).expect_err("no design")
}

#[test]
fn assertions_in_macros_are_found_and_shown_as_they_are_written() {
    let text = "`define CHECK(n, p) \\\n  n: assert property (@(posedge clk) p)\nmodule m(input clk, a, b);\n  `CHECK(one, a |=>\n     b);\n`ifdef NOT_THERE\n  `CHECK(two, a ##);\n`endif\nendmodule\n";
    let design = design(text);
    assert_eq!(design.checks.len(), 1);
    let check = &design.checks[0];
    assert_eq!((check.name.as_str(), check.atoms), ("one", 2));
    assert_eq!(check.text, "`CHECK(one, a |=> b)");
    assert_eq!(&text[check.span.start..check.span.start + 6], "`CHECK");
    assert_eq!(design.text.lines().count(), text.lines().count());
    assert!(!design.plain);
    design.assertion(0, Timing::Ticks, &|_| None).expect("a property");
}

#[test]
fn errors_in_macros_are_where_the_user_wrote_the_cause() {
    let text = "`define CHECK(p) assert property (@(posedge clk) p)\nmodule m(input clk, a);\n  `CHECK(a |=> ##);\nendmodule\n";
    let problems = refused(text);
    let span = problems.0[0].span();
    assert_eq!(text[..span.start].lines().count(), 3, "{problems}");
    let text = "`define WRONG assert property (@(posedge clk) a ##)\nmodule m(input clk, a);\n  `WRONG;\nendmodule\n";
    let span = refused(text).0[0].span();
    assert_eq!(&text[span.start..span.end], "`WRONG");
}

#[test]
fn an_included_file_may_declare_macros_and_assertions() {
    let text =
        "`include \"checks.svh\"\nmodule m(input clk, a);\n  `GO(a)\n`include \"body.svh\"\nendmodule\n";
    let files = |name: &str, from: &str| {
        assert_eq!(from, "design.sv");
        let text = match name {
            "checks.svh" => {
                "// macros\n`define CLOCK clk\n`define GO(x, c = `CLOCK) g: assert property (@(posedge c) x);\n"
            }
            "body.svh" => "// inside\nb: assert property (@(posedge clk)\n  !a);\n",
            _ => return None,
        };
        Some((name.to_owned(), text.to_owned()))
    };
    let around = Surroundings {
        defines: Vec::new(),
        include: &files,
    };
    let design =
        read_with(&Source::new("design.sv", text), text.len(), &[], None, &around).expect("a design");
    let names: Vec<&str> = design.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["g", "b"]);
    assert_eq!(design.checks[0].text, "`GO(a)");
    assert_eq!(design.checks[1].text, "b: assert property (@(posedge clk) !a)");
    let span = design.checks[1].span;
    assert_eq!(&text[span.start..span.end], "`include \"body.svh\"");
}

#[test]
fn sequences_and_properties_of_packages_are_found() {
    let package = "package pk;\n sequence s(x, y); x ##1 y; endsequence\n property p(x, y); s(x, x) |=> y; endproperty\n parameter W = 3;\nendpackage\n";
    for body in [
        "import pk::*;\n q: assert property (@(posedge clk) p(a, b));",
        "import pk::p;\n q: assert property (@(posedge clk) p(a, b));",
        "q: assert property (@(posedge clk) pk::p(a, b));",
        "q: assert property (@(posedge clk) pk::s(a, a) |=> b);",
    ] {
        let design = design(&format!(
            "{package}module m(input clk, a, b);\n {body}\nendmodule\n"
        ));
        let check = &design.checks[0];
        assert_eq!(check.atoms, 3, "{body}");
        assert!(!design.text.contains("import pk::p"), "{}", design.text);
        design.assertion(0, Timing::Ticks, &|_| None).expect("a property");
    }
    // Without an import, the name is the elaborator's.
    let design = design(&format!(
        "{package}module m(input clk, a, b);\n q: assert property (@(posedge clk) p(a, b));\nendmodule\n"
    ));
    assert_eq!(design.checks[0].atoms, 1);
}

#[test]
fn names_of_clocking_blocks_stand_before_signals_and_properties() {
    let design = design(
        "module m(input clk, a, b);\n clocking cb @(posedge clk);\n  input a, b;\n  property p; a |=> b; endproperty\n endclocking\n x: assert property (@(cb) cb.a |=> cb.b);\n y: assert property (cb.p);\nendmodule\n",
    );
    assert_eq!(design.checks[0].clocks, ["posedge clk"]);
    assert_eq!(design.checks[1].atoms, 2);
    assert!(!design.text.contains("cb."), "{}", design.text);
}

#[test]
fn a_checker_is_written_out_where_it_stands() {
    let text = "checker ck(x, y, event e, n = 1);\n default clocking cb @e; endclocking\n property p; x |-> ##n y; endproperty\n one: assert property (p);\n two: cover property (x ##1 y);\nendchecker : ck\nmodule m(input clk, a, b);\n ck u(a && b, b, posedge clk);\n ck v(.x(a), .y(b), .e(negedge clk), .n(2));\nendmodule\nmodule other(input clk, a, b);\nendmodule\nbind other ck w(a, b, posedge clk);\n";
    let design = design(text);
    assert_eq!(design.checks.len(), 6);
    let clocks: Vec<&str> = design
        .checks
        .iter()
        .map(|check| check.clocks[0].as_str())
        .collect();
    assert_eq!(
        clocks,
        [
            "posedge clk",
            "posedge clk",
            "negedge clk",
            "negedge clk",
            "posedge clk",
            "posedge clk"
        ]
    );
    assert_eq!(design.checks[0].text, "one: assert property (p)");
    assert_eq!(&text[design.checks[0].span.start..][..4], "one:");
    let lines: Vec<&str> = design.text.lines().collect();
    assert_eq!(lines.len(), text.lines().count());
    assert!(
        lines[7].contains("if ( 1 ) begin : u") && lines[11].contains("begin : w"),
        "{}",
        design.text
    );
    assert!(
        !design.text.contains("checker") && !design.text.contains("bind"),
        "{}",
        design.text
    );
}

#[test]
fn what_checkers_and_their_instances_lack_is_told_at_its_place() {
    let checker = "checker ck(x, e = $inferred_clock); c: assert property (@e x); endchecker\n";
    for (body, said) in [
        ("ck u();", "argument `x`"),
        ("ck u(a, posedge clk, b);", "more arguments"),
        ("ck u(.z(a));", "no argument `z`"),
        ("ck u(a);", "no default clock"),
        ("always @(posedge clk) ck u(a, posedge clk);", "in a procedure"),
    ] {
        let text = format!("{checker}module m(input clk, a, b);\n {body}\nendmodule\n");
        let problems = refused(&text);
        assert!(problems.0[0].message.contains(said), "{body}: {problems}");
        assert_eq!(text[..problems.0[0].span().start].lines().count(), 3, "{body}");
    }
    let text = format!(
        "{checker}module m(input clk, a);\n default clocking @(posedge clk); endclocking\n ck u(a);\nendmodule\n"
    );
    assert_eq!(design(&text).checks[0].clocks, ["posedge clk"]);
    let text = "checker ck(x); ck u(x); endchecker\nmodule m(input a); ck u(a); endmodule\n";
    assert!(refused(text).0[0].message.contains("too deeply"));
    assert!(
        refused("checker ck(x);\nmodule m; endmodule\n").0[0]
            .message
            .contains("`endchecker`")
    );
}

#[test]
fn variables_of_checkers_that_nothing_assigns_are_free() {
    let design = design(
        "checker ck(clk, d);\n default clocking @(posedge clk); endclocking\n rand const bit [3:0] k;\n rand bit z;\n c: assert property (d == k |=> z);\nendchecker\nmodule m(input clk, input [3:0] d);\n ck u(clk, d);\nendmodule\n",
    );
    assert!(
        design
            .text
            .contains("\\entail$any_constant #(.W($bits(k))) \\entail$k$k (k);"),
        "{}",
        design.text
    );
    assert!(
        design.text.contains("module \\entail$any_constant"),
        "{}",
        design.text
    );
    assert!(!design.text.contains("rand"), "{}", design.text);
}

#[test]
fn constants_of_any_value_are_instances_for_those_who_do_not_know_the_attribute() {
    let text = "module m(input clk, a);\n (* anyconst *) reg [3:0] k, l;\n always @(posedge clk) assert (k != 4 || a);\nendmodule\n";
    let design = design(text);
    assert!(design.plain);
    let other = design.constants.expect("another text");
    assert!(
        other.contains("\\entail$k$k (k );") && other.contains("\\entail$k$l (l );"),
        "{other}"
    );
    assert!(
        other.contains("assert (k != 4 || a);") && !other.contains("anyconst"),
        "{other}"
    );
    assert_eq!(other.lines().count(), text.lines().count());
    assert!(
        refused("module m; (* allconst *) wire k; endmodule").0[0]
            .message
            .contains("all its values")
    );
    assert!(
        super::read(&Source::new("a.sv", "module m; (* gclk *) wire k; endmodule"))
            .expect("a design")
            .is_yosys_only
    );
}

#[test]
fn properties_under_a_case_begin_where_it_gets_to_them() {
    let text = "module m(input clk, input [1:0] s, input a);\n always @(posedge clk) case (s)\n  0: x: assert property (a);\n  1, 2: begin y: assert property (a); end\n  default: z: assert property (a);\n endcase\nendmodule\n";
    let design = design(text);
    let atoms: Vec<usize> = design.checks.iter().map(|check| check.atoms).collect();
    assert_eq!(atoms, [2, 3, 3]);
    assert!(design.checks.iter().all(|check| check.problem.is_none()));
    let text = text.replace("case (s)", "casez (s)");
    let design = self::design(&text);
    assert!(design.checks.iter().all(|check| check.problem.is_some()));
}

#[test]
fn switching_assertions_off_is_said_to_be_without_effect() {
    let design = design(
        "module m(input clk, a);\n initial begin $assertoff; $display(\"x\"); end\n p: assert property (@(posedge clk) a);\nendmodule\n",
    );
    assert!(design.warnings[0].message.contains("`$assertoff` has no effect"));
    assert!(!design.text.contains("assertoff") && design.text.contains("display"));
    let design = self::design("module m(input a); final p: assert (a); endmodule");
    assert!(design.checks[0].problem.is_some());
}

#[test]
fn the_inferred_clock_and_reset_are_those_in_force() {
    let text = "module m(input clk, rst, a);\n property p(x, e = $inferred_clock, d = $inferred_disable); @e disable iff (d) x; endproperty\n default clocking @(posedge clk); endclocking\n default disable iff (rst);\n q: assert property (p(a));\nendmodule\n";
    let design = design(text);
    let check = &design.checks[0];
    assert_eq!(
        (check.atoms, check.clocks.as_slice()),
        (2, &["posedge clk".to_owned()][..])
    );
    let meaning = design.assertion(0, Timing::Ticks, &|_| None).expect("a property");
    assert!(format!("{meaning:?}").contains("Abort"));
}

#[test]
fn damaged_designs_are_read_or_refused() {
    let text = "`define A(n, p) n: assert property (@(posedge clk) p)\npackage pk; sequence s(x); x ##1 x; endsequence endpackage\nchecker ck(x, event e = $inferred_clock, r); default clocking c @e; endclocking default disable iff (r); rand const bit [1:0] k; property p; x; endproperty o: assert property (p); endchecker : ck\nmodule m(input clk, a, (* anyconst *) input b);\n import pk::s, pk::*;\n clocking cb @(posedge clk); input a; endclocking\n default clocking cb;\n `A(q, cb.a |=> pk::s(a));\n ck u(.x(a), .r(b));\n always @(posedge clk) case (a) 0, 1: z: assert property (a) else $error; default: begin assert (a); $assertoff; end endcase\n (* anyconst *) reg [1:0] w;\nendmodule\nbind m ck v(a, posedge clk, b);\n";
    let mut read_whole = 0;
    for start in 0..text.len() {
        for length in [1, 4, 17] {
            let end = (start + length).min(text.len());
            let damaged = format!("{}{}", &text[..start], &text[end..]);
            for text in [damaged.as_str(), &text[..end]] {
                if let Ok(design) = read(&Source::new("design.sv", text)) {
                    read_whole += 1;
                    for number in 0..design.checks.len() {
                        let check = &design.checks[number];
                        assert!(check.span.end <= text.len(), "{text}");
                        let _ = design.assertion(number, Timing::Ticks, &|_| None);
                    }
                }
            }
        }
    }
    assert!(read_whole > 100, "{read_whole}");
}
